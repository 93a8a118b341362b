//! Where our own player is by our own reckoning: the newest state from the server and every usercmd that it has not yet run.
//!
//! In: the drawn scene, the usercmds, the map. Out: the predicted state, and a [`Miss`] whenever the server's answer to a
//! usercmd was another than ours. Source: `CG_PredictPlayerState`, `CG_BuildSolidList`, `CG_TouchTriggerPrediction` of
//! OpenArena's cgame. Where nothing new has come only the new usercmds are run, which gives the same states.

use crate::client::lerp::Style;
use crate::client::moves::Moves;
use crate::client::scene::Scene;
use crate::client::snapshot::Snapshot;
use crate::client::solids::Solids;
use fogline_common::collision::ClipMap;
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_type, pers, pm_flag, pm_type, stat, team};
use fogline_common::pmove::{self, PmoveInput, PmoveSettings};
use fogline_common::proto::{PlayerState, UserCmd, contents, mask};
use fogline_common::time::{CommandTime, Millis, ServerTime};
use std::collections::VecDeque;
use std::sync::Arc;

/// Farther apart than this is a miss. Unit: world units. Source: `CG_PredictPlayerState`.
const MISS_DISTANCE: f32 = 0.1;
/// Two players touch when their origins are this near. Unit: world units, with some to spare.
const TOUCHING: f32 = 96.0;
/// How fast two players may come closer to one another. Unit: world units per ms.
const APPROACH: f32 = 0.64;
/// How far before the newest snapshot others are drawn, usually. Unit: ms.
const DRAWN_BEHIND_MS: i32 = 50;
/// So long after a spawn a miss is put down to it. Unit: ms of server time.
const SPAWN_SETTLES: Millis = Millis(300);
/// So long after a hit a miss is put down to it: the push may take effect with a later usercmd. Unit: ms of server time.
const HIT_SETTLES: Millis = Millis(250);
/// Misses remembered; older ones are only counted.
const MISSES_KEPT: usize = 64;

/// What a client cannot know, and so may have caused a miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissCause {
    /// We have just spawned: the server drops us to the floor within the same command time.
    Spawn,
    /// We were hit, pushed or thrown.
    Knockback,
    /// The server changed by what rules we move: we died, or took or lost what makes us faster.
    Changed,
    /// Another player was close by, and is drawn in the past.
    NearPlayer,
    /// Something that moves carried us, pushed us or made way.
    Mover,
    /// None of these: the two halves of movement disagree.
    Unexplained,
}

/// The server's answer to a usercmd was not ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// Time of the usercmd.
    pub at: CommandTime,
    /// How far apart.
    pub distance: f32,
    /// Where we thought to be.
    pub predicted: Vec3,
    /// Where the server had us.
    pub actual: Vec3,
    /// What may have caused it.
    pub cause: MissCause,
}

/// What prediction did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictCounts {
    /// Answers of the server that were compared with ours.
    pub compared: u64,
    /// Of these, ours was not the same to the last bit: what a stock client's `cg_showmiss` calls a prediction error.
    pub inexact: u64,
    /// Of these, misses.
    pub misses: u64,
    /// Of these, without a known cause.
    pub unexplained: u64,
    /// Comparisons left out because of a teleport or a spawn.
    pub teleports: u64,
    /// Frames without prediction since the usercmds after the snapshot are no longer kept.
    pub frozen: u64,
    /// Moves run.
    pub moves: u64,
}

/// What prediction needs to know of the server's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictSettings {
    /// Movement.
    pub pmove: PmoveSettings,
    /// `g_synchronousClients`: the server moves players itself, nothing is predicted.
    pub synchronous: bool,
}

/// Predicts our own player.
#[derive(Debug, Default)]
pub struct Predictor {
    map: Option<MapHandle>,
    /// The predicted state, as it is drawn.
    state: Option<PlayerState>,
    /// The same before the ground that moves under it is taken into account.
    raw: PlayerState,
    /// Message of the snapshot that `raw` was reckoned from.
    base: Option<u32>,
    /// Server time of that snapshot: where movers stand for our moves.
    physics_time: ServerTime,
    /// Number of the next usercmd to run.
    next_cmd: u32,
    drawn_before: ServerTime,
    /// Count of pains, and health and armour, in the newest state of the server.
    damage_event: i32,
    strength: i32,
    /// `PERS_SPAWN_COUNT`, and when it changed last.
    spawns: Option<(i32, ServerTime)>,
    /// The newest state in which we had been hit.
    hit_at: Option<ServerTime>,
    /// Kind of movement, speed and gravity, and the newest state in which they were others than before.
    rules: Option<([i32; 3], ServerTime)>,
    solids: Solids,
    /// What happened so far.
    pub counts: PredictCounts,
    misses: VecDeque<Miss>,
}

#[derive(Clone)]
struct MapHandle(Arc<ClipMap>);

impl std::fmt::Debug for MapHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a map with {} models", self.0.model_count())
    }
}

/// What one prediction is made from.
pub(crate) struct Inputs<'a> {
    pub(crate) moves: &'a Moves,
    pub(crate) settings: PredictSettings,
    pub(crate) style: Style,
    pub(crate) now: ServerTime,
}

impl Predictor {
    /// Gives it the solid world, or takes it away: without one the predicted state is the server's newest.
    pub fn set_map(&mut self, map: Option<Arc<ClipMap>>) {
        self.map = map.map(MapHandle);
    }

    /// The solid world.
    pub fn map(&self) -> Option<&Arc<ClipMap>> {
        self.map.as_ref().map(|map| &map.0)
    }

    /// Forgets everything but the map and the counts.
    pub fn clear(&mut self) {
        *self = Self {
            map: self.map.take(),
            counts: self.counts,
            misses: std::mem::take(&mut self.misses),
            ..Self::default()
        };
    }

    /// The predicted state, once there is one.
    pub fn state(&self) -> Option<&PlayerState> {
        self.state.as_ref()
    }

    /// The last misses, oldest first.
    pub fn misses(&self) -> impl Iterator<Item = &Miss> {
        self.misses.iter()
    }

    /// Reckons the state at the newest usercmd.
    pub(crate) fn run(&mut self, scene: &mut Scene, inputs: &Inputs<'_>) {
        let Some(current) = scene.current() else { return };
        let base = match scene.next() {
            Some(next) if !scene.next_is_teleport && !scene.teleported => next,
            _ => current,
        };
        let follows = current.player.pm_flags & pm_flag::FOLLOW != 0;
        let Some(map) = self.map.clone().filter(|_| !follows && !inputs.settings.synchronous) else {
            self.state = Some(base.player);
            self.base = None;
            return;
        };
        if self.is_too_late(current, inputs) {
            self.counts.frozen += 1;
            return;
        }
        let previous = self.state;
        let is_fresh = self.base != Some(base.message);
        if is_fresh {
            self.rebase(base, inputs.moves);
        }
        let excuse = self.excuse(base);
        self.solids.gather(scene, self.drawn_before, inputs.style);
        let compare_with = previous.filter(|_| is_fresh);
        self.run_commands(&map.0, scene, inputs, compare_with.map(|state| (state, excuse)));
        let mut drawn = self.raw;
        drawn.origin = self.carried(scene, drawn.origin, drawn.ground_entity, self.physics_time, inputs.now);
        self.state = Some(drawn);
        self.drawn_before = inputs.now;
    }

    /// Begins again from a state of the server.
    fn rebase(&mut self, base: &Snapshot, moves: &Moves) {
        self.raw = base.player;
        self.base = Some(base.message);
        self.physics_time = base.time;
        self.next_cmd = *moves.kept().start();
    }

    /// What a new state says by itself about why it may differ from ours.
    fn excuse(&mut self, base: &Snapshot) -> Option<MissCause> {
        let player = &base.player;
        let spawns = player.persistant[pers::SPAWN_COUNT as usize];
        if self.spawns.is_none_or(|(before, _)| before != spawns) {
            self.spawns = Some((spawns, base.time));
        }
        let settles = self.spawns.is_some_and(|(_, at)| base.time - at <= SPAWN_SETTLES);
        // The server tells of pain at most each 700 ms, but every hit costs health or armour. One point a second goes by itself.
        let strength = player.stats[stat::HEALTH as usize] + player.stats[stat::ARMOR as usize];
        let hit = player.damage_event != self.damage_event || strength < self.strength - 1;
        (self.damage_event, self.strength) = (player.damage_event, strength);
        if hit || player.pm_flags & pm_flag::TIME_KNOCKBACK != 0 {
            self.hit_at = Some(base.time);
        }
        if settles {
            return Some(MissCause::Spawn);
        }
        let rules = [player.pm_type, player.speed, player.gravity];
        let (old_rules, mut changed_at) = self.rules.unwrap_or((rules, ServerTime(i32::MIN / 2)));
        if old_rules != rules {
            changed_at = base.time;
        }
        self.rules = Some((rules, changed_at));
        if base.time - changed_at <= HIT_SETTLES {
            return Some(MissCause::Changed);
        }
        let is_hit = self.hit_at.is_some_and(|at| base.time - at <= HIT_SETTLES);
        is_hit.then_some(MissCause::Knockback)
    }

    /// The usercmds right after the snapshot are no longer kept, so there is no way from there to now.
    fn is_too_late(&self, current: &Snapshot, inputs: &Inputs<'_>) -> bool {
        let oldest = inputs.moves.get(*inputs.moves.kept().start()).server_time;
        oldest > current.player.command_time && oldest < inputs.now.0
    }

    fn run_commands(
        &mut self,
        map: &ClipMap,
        scene: &mut Scene,
        inputs: &Inputs<'_>,
        mut compare_with: Option<(PlayerState, Option<MissCause>)>,
    ) {
        let newest = inputs.moves.newest();
        let latest_time = inputs.moves.get(newest).server_time;
        for number in self.next_cmd..=newest {
            let cmd = inputs.moves.get(number);
            if inputs.settings.pmove.fixed_step_ms.is_some() {
                pmove::update_view_angles(&mut self.raw, &cmd);
            }
            if cmd.server_time <= self.raw.command_time || cmd.server_time > latest_time {
                continue;
            }
            if let Some((previous, excuse)) = compare_with
                && previous.command_time == self.raw.command_time
            {
                self.compare(map, scene, &previous, excuse);
                compare_with = None;
            }
            self.step(map, cmd, inputs);
        }
        self.next_cmd = newest + 1;
    }

    fn step(&mut self, map: &ClipMap, mut cmd: UserCmd, inputs: &Inputs<'_>) {
        cmd.server_time = inputs.settings.pmove.command_time(cmd.time()).0;
        let world = self.solids.in_world(map, self.physics_time);
        let input = PmoveInput {
            cmd,
            tracer: &world,
            trace_mask: trace_mask(&self.raw),
            settings: inputs.settings.pmove,
            gauntlet_hit: false,
        };
        let moved = pmove::pmove(&mut self.raw, &input);
        self.counts.moves += 1;
        let alive = self.raw.stats[stat::HEALTH as usize] > 0;
        if alive && matches!(self.raw.pm_type, pm_type::NORMAL | pm_type::SPECTATOR) {
            for pad in self.solids.pads_touching(map, self.raw.origin, moved.bounds) {
                pmove::touch_jump_pad(&mut self.raw, pad);
            }
            pmove::forget_left_jump_pad(&mut self.raw);
        }
    }

    /// The server ran the usercmd that we had drawn last: did it come to the same place?
    fn compare(
        &mut self,
        map: &ClipMap,
        scene: &mut Scene,
        previous: &PlayerState,
        excuse: Option<MissCause>,
    ) {
        if std::mem::take(&mut scene.teleported) {
            self.counts.teleports += 1;
            return;
        }
        self.counts.compared += 1;
        let ground = self.raw.ground_entity;
        let actual = self.carried(scene, self.raw.origin, ground, self.physics_time, self.drawn_before);
        let distance = actual.distance(previous.origin);
        self.counts.inexact += u64::from(actual != previous.origin);
        if distance <= MISS_DISTANCE {
            return;
        }
        let on_mover = |num| mover(scene, num).is_some();
        let cause = if let Some(excuse) = excuse {
            excuse
        } else if on_mover(ground)
            || on_mover(previous.ground_entity)
            || self.solids.mover_near(map, actual, TOUCHING)
        {
            MissCause::Mover
        } else if self.a_player_may_touch(actual) {
            MissCause::NearPlayer
        } else {
            MissCause::Unexplained
        };
        self.counts.misses += 1;
        self.counts.unexplained += u64::from(cause == MissCause::Unexplained);
        if self.misses.len() == MISSES_KEPT {
            self.misses.pop_front();
        }
        let at = CommandTime(self.raw.command_time);
        self.misses.push_back(Miss { at, distance, predicted: previous.origin, actual, cause });
    }

    /// Others are drawn in the past, so one may have been in our way that is not drawn there.
    fn a_player_may_touch(&self, at: Vec3) -> bool {
        let behind = (self.raw.command_time - self.physics_time.0).max(0) + DRAWN_BEHIND_MS;
        self.solids.player_near(at, TOUCHING + APPROACH * behind as f32)
    }

    /// A place on moving ground, carried along from one moment to another. Source: `CG_AdjustPositionForMover`.
    fn carried(&self, scene: &Scene, at: Vec3, ground: i32, from: ServerTime, to: ServerTime) -> Vec3 {
        mover(scene, ground).map_or(at, |pos| at + (pos.at(to) - pos.at(from)))
    }
}

fn mover(scene: &Scene, num: i32) -> Option<fogline_common::proto::Trajectory> {
    let state = scene.entity(EntityNum::from_wire(num)?)?;
    (num > 0 && state.entity_type == entity_type::MOVER).then_some(state.pos)
}

/// What stops a player of this kind: the dead and spectators pass through bodies.
fn trace_mask(ps: &PlayerState) -> i32 {
    let is_spectator = ps.persistant[pers::TEAM as usize] == team::SPECTATOR;
    if ps.pm_type == pm_type::DEAD || is_spectator {
        mask::PLAYERSOLID & !contents::BODY
    } else {
        mask::PLAYERSOLID
    }
}
