//! The server's own rules in the laboratory: its gates, its frozen world, its memory, with players put where their paths say.

use crate::rules::paths::{Paths, Stance};
use fogline_common::collision::{AreaPortals, ClipMap, Light};
use fogline_common::ids::{AreaNum, ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, pers, stat};
use fogline_common::proto::{PlayerState, contents};
use fogline_common::time::ServerTime;
use fogline_server::config::Config;
use fogline_server::game::SharedEntity;
use fogline_server::snapshot::{Seat, StateLog, WorldFrame};
use fogline_server::visibility::proof::Prover;
use fogline_server::visibility::twoclock::clock::Line;
use fogline_server::visibility::{
    Cause, Linger, Mode, Recall, Rules, Scene, Target, Verdict, View, Work, decide, twoclock,
};
use fogline_server::world::World;
use std::sync::Arc;

/// Height of a standing and of a crouched player's box. Source: `PM_CheckDuck`.
const HEAD: [f32; 2] = [32.0, 16.0];
/// A view height below this is a crouched player's.
const CROUCHED_BELOW: i32 = 20;

/// A server's view of a match, without the server around it.
pub struct House {
    world: World,
    table: Vec<SharedEntity>,
    rules: Rules,
    frame: WorldFrame,
    linger: Linger,
    prover: Prover,
    recall: Recall,
    work: Work,
    portals: AreaPortals,
    states: Vec<PlayerState>,
    log: StateLog,
    now: ServerTime,
    floor: Option<Floor>,
}

/// In place of the proof a search for an open line, as dense as one can afford: what a perfect prover would tell on the same sets.
struct Floor {
    rng: fastrand::Rng,
}

/// Lines that are looked along before a pair counts as hidden.
const FLOOR_LINES: u32 = 1500;

impl Floor {
    /// Whether any of many lines from the one box to the other is open. Half of them join faces, where lines are open last.
    fn is_open(&mut self, clip: &ClipMap, eyes: &Bounds, bodies: &Bounds) -> bool {
        (0..FLOOR_LINES).any(|n| {
            let [from, to] = [eyes, bodies].map(|bounds| self.point(bounds, n % 2 == 0));
            clip.light(from, to) == Light::Passes
        })
    }

    fn point(&mut self, bounds: &Bounds, on_face: bool) -> Vec3 {
        let size = bounds.size();
        let mut share = [self.rng.f32(), self.rng.f32(), self.rng.f32()];
        if on_face {
            share[self.rng.usize(..2)] = if self.rng.bool() { 0.0 } else { 1.0 };
        }
        bounds.mins + vec3(size.x * share[0], size.y * share[1], size.z * share[2])
    }
}

impl House {
    /// With `count` players; `set` changes the settings from their defaults.
    pub fn new(clip: Arc<ClipMap>, count: usize, set: fn(&mut Config), fps: i32) -> Self {
        let mut config = Config { sv_fps: fps, ..Config::default() };
        set(&mut config);
        let mut portals = AreaPortals::new(clip.area_count());
        let areas: Vec<AreaNum> = (0..clip.area_count() as u32).map(AreaNum::new).collect();
        // Doors stand open, as they do for the walkers.
        areas.windows(2).for_each(|pair| portals.adjust(pair[0], pair[1], true));
        Self {
            prover: Prover::build(clip.clone()),
            recall: Recall::default(),
            world: World::new(clip),
            table: vec![SharedEntity::default(); count],
            rules: Rules::new(&config, 0, fps),
            frame: WorldFrame::default(),
            linger: Linger::default(),
            work: Work::default(),
            portals,
            states: vec![PlayerState::default(); count],
            log: StateLog::for_clients(count),
            now: ServerTime(0),
            floor: None,
        }
    }

    /// Mode 3 with a perfect prover, as far as random lines can stand for one.
    pub fn with_floor(self, seed: u64) -> Self {
        Self { floor: Some(Floor { rng: fastrand::Rng::with_seed(seed) }), ..self }
    }

    /// Puts everybody where the paths say, and freezes that. `lines`: what a server would know of each one's line.
    pub fn freeze(&mut self, now: ServerTime, paths: &Paths, lines: &[Line]) {
        self.now = now;
        for (player, path) in ClientNum::all(self.states.len()).zip(&paths.players) {
            let Some(stance) = path.known(now.0) else { continue };
            self.states[player.index()] = state(player, stance);
            let entity = &mut self.table[player.index()];
            entity.state.number = player.index() as i32;
            entity.state.entity_type = entity_type::PLAYER;
            entity.state.weapon = 0;
            entity.state.pos.base = stance.stand.origin.truncated();
            // What clients are told as the velocity; the reference's classifier reads it.
            entity.state.pos.delta = stance.velocity;
            entity.link.origin = stance.stand.origin;
            entity.link.contents = contents::BODY;
            let head = HEAD[usize::from(stance.stand.view_height < CROUCHED_BELOW)];
            entity.link.bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, head));
            self.world.link(player.entity(), entity);
        }
        self.frame.capture(now, &self.table, &self.world, &mut self.log);
        let states = &self.states;
        let seats = ClientNum::all(states.len()).zip(states).zip(lines).map(|((player, state), line)| Seat {
            player,
            connection: 1,
            state: *state,
            line: *line,
        });
        let clip = self.world.clip_map().clone();
        self.frame.observe(seats, &clip, &self.rules);
        self.recall.begin_frame(self.rules.budget_us, now);
    }

    /// Whom a client's snapshot tells of, a bit for each slot.
    pub fn tell(&mut self, client: ClientNum) -> u64 {
        let clip = self.world.clip_map();
        let scene = Scene {
            clip,
            portals: &self.portals,
            rules: &self.rules,
            now: self.now,
            movers: self.frame.movers(),
            prover: Some(&self.prover),
            recall: &self.recall,
            work: &self.work,
        };
        let watcher = self.frame.pose(client);
        let period = self.frame.period(client);
        let view = View { watcher, period, ..View::new(client, self.states[client.index()].eye(), clip) };
        let mut told = 0;
        for target in ClientNum::all(self.states.len()).filter(|&target| target != client) {
            let Some(captured) = self.frame.get(target.entity()) else { continue };
            let pose = self.frame.pose(target);
            let pair = watcher.zip(pose);
            let seen_until =
                pair.and_then(|(watcher, pose)| self.linger.until(self.rules.profile, watcher, pose));
            let asked = Target { entity: &captured.entity, record: &captured.record, pose, seen_until };
            let mut verdict = decide(&view, &asked, &scene);
            if let (Verdict::Send(Cause::Unproved | Cause::OverBudget), Some(floor)) =
                (verdict, &mut self.floor)
                && let Some((eyes, bodies)) = pair.and_then(|(watcher, pose)| {
                    Some((watcher.sets.as_ref()?.eye, pose.sets.as_ref()?.body(period?)?))
                })
                && !floor.is_open(clip, &eyes, &bodies)
            {
                let held = seen_until.is_some_and(|until| until > self.now);
                verdict =
                    if held { Verdict::Send(Cause::Held) } else { Verdict::Withhold(Cause::OutOfSight) };
            }
            if let Verdict::Send(cause) = verdict {
                told |= 1 << target.index();
                if let Some((watcher, pose)) = pair.filter(|_| cause.is_sighting()) {
                    let hold = twoclock::hold(&view).filter(|_| self.rules.mode == Mode::Proved);
                    self.linger.saw(watcher, pose, self.now, hold.unwrap_or(self.rules.vistime));
                }
            }
        }
        told
    }
}

/// A player's state, as far as the gates read it.
fn state(player: ClientNum, stance: &Stance) -> PlayerState {
    let mut state = PlayerState {
        client_num: player.index() as i32,
        origin: stance.stand.origin,
        velocity: stance.velocity,
        view_angles: stance.view_angles,
        view_height: stance.stand.view_height,
        ground_entity: EntityNum::to_wire(stance.on_ground.then_some(EntityNum::WORLD)),
        gravity: 800,
        speed: 320,
        ..PlayerState::default()
    };
    state.stats[stat::HEALTH as usize] = i32::from(stance.stand.is_alive) * 100;
    state.persistant[pers::SPAWN_COUNT as usize] = stance.stand.life;
    state
}
