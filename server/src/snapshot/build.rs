//! Chooses what one client may know of a [`WorldFrame`]. Pure: the same facts give the same snapshot.

use super::sounds::{Audience, Sounds, Voices};
use super::states::{StateLog, StateRef};
use super::{Captured, Snapshot, WorldFrame};
use crate::visibility::redact::{PlayerSet, Redaction};
use crate::visibility::{
    Cause, Eyes, Hearing, Linger, Mode, Pose, Profile, Scene, Target, Verdict, View, decide, decide_by_sight,
    twoclock,
};
use fogline_common::collision::Light;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::entity_type;
use fogline_common::proto::limits::{MAX_CLIENTS, MAX_ENTITIES, MAX_MAP_AREA_BYTES, MAX_SNAPSHOT_ENTITIES};
use fogline_common::proto::{EntityState, PlayerState, sv_flag};

/// Viewpoints of one snapshot: the eye, and the far ends of the portals that it sees. More are a counted drop.
pub const MAX_VIEWPOINTS: usize = 8;

/// What the choice cost and what it left out, per snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildCounts {
    /// Verdicts by cause, in the order of [`Cause::ALL`].
    pub causes: [u32; Cause::ALL.len()],
    /// Entities left out because the snapshot was full; the farthest go first.
    pub full_drops: u32,
    /// Portals not looked through because there were too many.
    pub viewpoint_drops: u32,
    /// Players that the client might have been told of.
    pub players: u32,
    /// Of those, withheld by the filter: far or out of sight.
    pub withheld: u32,
    /// What telling of them would have taken, at least. Unit: bytes.
    pub saved_bytes: u32,
    /// Entities left out because they would have named or placed a player that the client is not told of.
    pub redacted: u32,
    /// Sounds of players out of sight that began.
    pub sounds: u32,
}

/// What is filled in for one client.
#[derive(Debug)]
pub struct Draft<'a> {
    /// What it is told. Its message number is not touched.
    pub snapshot: &'a mut Snapshot,
    /// What it hears of players whom it is not told of.
    pub sounds: &'a mut Sounds,
    /// Where the states of its entities are kept.
    pub states: &'a mut StateLog,
}

/// Chooses what clients may know, and keeps what that takes from snapshot to snapshot.
#[derive(Debug, Default)]
pub struct Builder {
    /// Who has been seen lately. All that outlives a snapshot.
    pub linger: Linger,
    /// Sounds that the game has given to its clients, by which players out of sight are heard.
    pub voices: Voices,
    scratch: Scratch,
}

/// Work space.
#[derive(Debug)]
struct Scratch {
    /// Index into the frame and squared distance from the eye of what was chosen so far.
    chosen: Vec<(u32, f32)>,
    /// Entities chosen so far, a bit each.
    marked: [u64; MAX_ENTITIES / 64],
    /// What was found of each player. Shape: by slot.
    causes: [Option<Cause>; MAX_CLIENTS],
    /// What comes and goes, under the numbers that the client knows it by.
    passing: Vec<EntityState>,
    /// Where each entity's redacted state was kept last, for whomever. Shape: by number.
    redacted: Box<[Option<StateRef>]>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            chosen: Vec::new(),
            marked: [0; MAX_ENTITIES / 64],
            causes: [None; MAX_CLIENTS],
            passing: Vec::with_capacity(MAX_SNAPSHOT_ENTITIES),
            redacted: vec![None; MAX_ENTITIES].into(),
        }
    }
}

impl Scratch {
    /// Marks an entity; whether it was new.
    fn mark(&mut self, num: EntityNum) -> bool {
        let (word, bit) = (num.index() / 64, 1u64 << (num.index() % 64));
        let fresh = self.marked[word] & bit == 0;
        self.marked[word] |= bit;
        fresh
    }

    fn is_marked(&self, num: EntityNum) -> bool {
        self.marked[num.index() / 64] >> (num.index() % 64) & 1 == 1
    }
}

impl Builder {
    /// Fills `draft` with what `client`, whose player (or the one it follows) is `player`, may know.
    pub fn build(
        &mut self,
        client: ClientNum,
        player: &PlayerState,
        frame: &WorldFrame,
        scene: &Scene<'_>,
        draft: &mut Draft<'_>,
    ) -> BuildCounts {
        let mut counts = BuildCounts::default();
        let scratch = &mut self.scratch;
        scratch.chosen.clear();
        scratch.marked.fill(0);
        scratch.causes = [None; MAX_CLIENTS];
        // The player that the client sees through travels as the player state, never as an entity.
        let own = usize::try_from(player.client_num).ok().and_then(ClientNum::new).unwrap_or(client);
        scratch.mark(own.entity());

        let eye = player.eye();
        let period = frame.period(client);
        let mut seen = [0u8; MAX_MAP_AREA_BYTES];
        let mut viewpoints = [eye; MAX_VIEWPOINTS];
        let mut portals = [own.entity(); MAX_VIEWPOINTS];
        let (mut count, mut next) = (1, 0);
        while next < count {
            let mut view = View {
                watcher: frame.pose(own),
                through_portal: next > 0,
                is_following: own != client,
                period,
                ..View::new(own, viewpoints[next], scene.clip)
            };
            let watcher =
                view.watcher.filter(|watcher| view.through_portal && looks_for_players(watcher, scene));
            if let Some(watcher) = watcher {
                view.eyes = Some(Eyes::new(&view, watcher, scene));
            }
            if view.through_portal {
                view.shown = twoclock::shown(&view, frame.windows(), portals[next], scene);
            }
            next += 1;
            join_mask(&mut seen, &scene.portals.visible_mask(view.area));
            for (index, captured) in frame.entities().iter().enumerate() {
                if !self.choose(&view, captured, frame, scene, &mut counts) {
                    continue;
                }
                let distance = (captured.entity.link.origin - eye).length_squared();
                self.scratch.chosen.push((index as u32, distance));
                if captured.entity.link.sv_flags & sv_flag::PORTAL != 0 && near_enough(captured, view.origin)
                {
                    if count < MAX_VIEWPOINTS {
                        viewpoints[count] = captured.entity.state.origin2;
                        portals[count] = captured.num;
                        count += 1;
                    } else {
                        counts.viewpoint_drops += 1;
                    }
                }
            }
        }

        keep_nearest(&mut self.scratch.chosen, &mut counts);
        self.scratch.chosen.sort_unstable_by_key(|&(index, _)| index);
        let snapshot = &mut *draft.snapshot;
        snapshot.time = frame.time;
        snapshot.player = *player;
        snapshot.area_bytes = scene.clip.area_count().div_ceil(8).min(MAX_MAP_AREA_BYTES);
        snapshot.area_mask = seen.map(|byte| !byte);
        snapshot.entities.clear();
        let filtered = scene.rules.mode != Mode::Off && frame.pose(own).is_some_and(|pose| !pose.sees_all);
        if !filtered {
            draft.sounds.clear();
            let all = frame.entities();
            snapshot.entities.extend(self.scratch.chosen.iter().map(|&(index, _)| all[index as usize].kept));
            return counts;
        }
        self.add_redacted(&viewpoints[..count], frame, scene, draft, &mut counts);
        self.add_passing(own, eye, frame, scene, draft, &mut counts);
        self.count_players(frame, &mut counts);
        counts
    }

    /// What was found of a player in the last snapshot built; `None` if it was not asked about.
    pub fn cause(&self, player: ClientNum) -> Option<Cause> {
        self.scratch.causes[player.index()]
    }

    /// What was chosen, without what would tell of others.
    fn add_redacted(
        &mut self,
        viewpoints: &[Vec3],
        frame: &WorldFrame,
        scene: &Scene<'_>,
        draft: &mut Draft<'_>,
        counts: &mut BuildCounts,
    ) {
        let untold = frame.players().without(PlayerSet::of_bits(self.scratch.marked[0]));
        let ear = (scene.rules.hearing != Hearing::Nothing).then_some(viewpoints[0]);
        let redaction = Redaction { untold, sources: frame.sources(), now: scene.now, ear };
        let sees = |point: Vec3| {
            scene.work.rays.set(scene.work.rays.get() + 1);
            viewpoints.iter().any(|&eye| scene.clip.light(eye, point) == Light::Passes)
        };
        let (now, lowest) = (scene.now, frame.number_count());
        self.scratch.passing.clear();
        draft.sounds.begin();
        for &(index, _) in &self.scratch.chosen {
            let captured = &frame.entities()[index as usize];
            if redaction.leaves(&captured.entity)
                && !draft.sounds.numbers.renames(&captured.entity.state, now)
            {
                draft.snapshot.entities.push(captured.kept);
                continue;
            }
            let is_event = captured.entity.state.entity_type > entity_type::EVENTS;
            if is_event
                && (redaction.is_of_untold(&captured.entity.state)
                    || draft.sounds.was_kept_back(captured.num))
            {
                draft.sounds.keep_back(captured.num);
                counts.redacted += 1;
                continue;
            }
            let state = redaction.apply(&captured.entity, sees);
            if let Some(state) = &state
                && let Some(number) = draft.sounds.numbers.of(state, lowest, now)
            {
                self.scratch.passing.push(EntityState { number, ..*state });
                continue;
            }
            match state {
                Some(state) if state.words() == captured.entity.state.words() => {
                    draft.snapshot.entities.push(captured.kept);
                }
                Some(state) => {
                    let last = &mut self.scratch.redacted[captured.num.index()];
                    draft.snapshot.entities.push(draft.states.keep(last, &state));
                }
                None => counts.redacted += 1,
            }
        }
    }

    /// What is heard of players out of sight, and what else comes and goes. Their numbers are the highest there are.
    fn add_passing(
        &mut self,
        own: ClientNum,
        ear: Vec3,
        frame: &WorldFrame,
        scene: &Scene<'_>,
        draft: &mut Draft<'_>,
        counts: &mut BuildCounts,
    ) {
        let Draft { snapshot, sounds, states } = draft;
        let (now, game_numbers) = (scene.now, frame.number_count());
        let mut unseen = PlayerSet::default();
        for player in ClientNum::all(MAX_CLIENTS) {
            if self.scratch.causes[player.index()] == Some(Cause::OutOfSight) {
                unseen.insert(player);
            }
        }
        let before = sounds.count;
        let voices = &self.voices;
        let audience = |cell| Audience { ear, own, unseen, cell, voices, game_numbers, now };
        let told = match scene.rules.hearing {
            Hearing::Nothing => {
                sounds.clear();
                0
            }
            Hearing::Rounded(cell) => sounds.tell(&audience(Some(cell))).len(),
            Hearing::Exact => sounds.tell(&audience(None)).len(),
        };
        let passing = &self.scratch.passing;
        let room = MAX_SNAPSHOT_ENTITIES - snapshot.entities.len();
        counts.full_drops += (told + passing.len()).saturating_sub(room) as u32;
        sounds.keep(passing, room, (now, game_numbers), states, &mut snapshot.entities);
        counts.sounds += (sounds.count - before) as u32;
    }

    fn count_players(&self, frame: &WorldFrame, counts: &mut BuildCounts) {
        for player in ClientNum::all(MAX_CLIENTS) {
            let Some(cause) = self.scratch.causes[player.index()] else { continue };
            counts.players += 1;
            if matches!(cause, Cause::OutOfSight | Cause::TooFar) {
                counts.withheld += 1;
                counts.saved_bytes += frame.state_bytes(player);
            }
        }
    }

    /// Asks the gates about one entity and marks it if it is to be sent. Whether it is new in this snapshot.
    fn choose(
        &mut self,
        view: &View<'_>,
        captured: &Captured,
        frame: &WorldFrame,
        scene: &Scene<'_>,
        counts: &mut BuildCounts,
    ) -> bool {
        if self.scratch.is_marked(captured.num) {
            return false;
        }
        let pose = captured.num.client(MAX_CLIENTS).and_then(|player| frame.pose(player));
        let pair = view.watcher.zip(pose);
        let profile = scene.rules.profile;
        let seen_until = pair.and_then(|(watcher, pose)| self.linger.until(profile, watcher, pose));
        let target = Target { entity: &captured.entity, record: &captured.record, pose, seen_until };
        let known = pose.and_then(|pose| self.scratch.causes[pose.player.index()]);
        let has_passed = view.shown.is_some() && known == Some(Cause::OutOfSight);
        let verdict = if has_passed { decide_by_sight } else { decide }(view, &target, scene);
        if let (Some(pose), Verdict::Send(cause) | Verdict::Withhold(cause)) = (pose, verdict) {
            // Whom the eye does not see is out of sight, wherever else it is not looked for.
            if known != Some(Cause::OutOfSight) || matches!(verdict, Verdict::Send(_)) {
                self.scratch.causes[pose.player.index()] = Some(cause);
            }
        }
        match verdict {
            Verdict::Send(cause) => {
                counts.causes[cause as usize] += 1;
                if let Some((watcher, pose)) = pair.filter(|_| cause.is_sighting()) {
                    let hold = twoclock::hold(view).filter(|_| scene.rules.mode == Mode::Proved);
                    self.linger.saw(watcher, pose, scene.now, hold.unwrap_or(scene.rules.vistime));
                }
                self.scratch.mark(captured.num)
            }
            Verdict::Withhold(cause) => {
                counts.causes[cause as usize] += 1;
                false
            }
            Verdict::Pass => false,
        }
    }
}

/// Whether this player's eyes will be asked for.
fn looks_for_players(watcher: &Pose, scene: &Scene<'_>) -> bool {
    let looks = matches!(scene.rules.mode, Mode::FarOnly | Mode::Always);
    looks && scene.rules.profile == Profile::Meant && !watcher.sees_all
}

/// A portal may be too far away to be looked through. Source: `generic1` of portal entities.
fn near_enough(portal: &Captured, from: Vec3) -> bool {
    let reach = portal.entity.state.generic1 as f32;
    reach == 0.0 || (portal.entity.state.origin - from).length_squared() <= reach * reach
}

/// The protocol ends at [`MAX_SNAPSHOT_ENTITIES`]: the farthest are left out, and counted.
fn keep_nearest(chosen: &mut Vec<(u32, f32)>, counts: &mut BuildCounts) {
    if chosen.len() <= MAX_SNAPSHOT_ENTITIES {
        return;
    }
    counts.full_drops += (chosen.len() - MAX_SNAPSHOT_ENTITIES) as u32;
    chosen.select_nth_unstable_by(MAX_SNAPSHOT_ENTITIES, |a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    chosen.truncate(MAX_SNAPSHOT_ENTITIES);
}

fn join_mask(seen: &mut [u8; MAX_MAP_AREA_BYTES], more: &[u8; MAX_MAP_AREA_BYTES]) {
    for (byte, more) in seen.iter_mut().zip(more) {
        *byte |= more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use fogline_common::time::ServerTime;

    struct Built {
        snapshot: Snapshot,
        states: StateLog,
        counts: BuildCounts,
    }

    fn look(halls: &Halls, from: Vec3, own: i32) -> Built {
        let mut frame = WorldFrame::default();
        let mut states = StateLog::for_clients(8);
        frame.capture(ServerTime(100), halls, &halls.world, &mut states);
        let player = PlayerState { origin: from, client_num: own, ..PlayerState::default() };
        let mut snapshot = Snapshot::default();
        let client = ClientNum::new(0).unwrap();
        let counts = Builder::default().build(
            client,
            &player,
            &frame,
            &halls.scene(),
            &mut Draft { snapshot: &mut snapshot, sounds: &mut Sounds::default(), states: &mut states },
        );
        Built { snapshot, states, counts }
    }

    fn numbers(built: &Built) -> Vec<i32> {
        built.states.of(&built.snapshot).unwrap().map(|state| state.number).collect()
    }

    #[test]
    fn a_client_is_told_of_what_the_gates_let_through_in_order() {
        let mut halls = Halls::new();
        for (num, hall) in [(70, 1), (65, 0), (80, 2), (90, 3)] {
            halls.put(num, middle(hall), 0, 0);
        }
        halls.put(95, middle(3), sv_flag::BROADCAST, 0);
        assert_eq!(numbers(&look(&halls, middle(0), 0)), [65, 70, 95]);
        assert_eq!(numbers(&look(&halls, middle(2), 0)), [70, 80, 90, 95]);
    }

    #[test]
    fn the_player_seen_through_is_no_entity() {
        let mut halls = Halls::new();
        halls.put(3, middle(0), 0, 0);
        halls.put(4, middle(0), 0, 0);
        assert_eq!(numbers(&look(&halls, middle(0), 3)), [4]);
        assert_eq!(numbers(&look(&halls, middle(0), 4)), [3]);
    }

    #[test]
    fn a_portal_shows_what_stands_at_its_far_end() {
        let mut halls = Halls::new();
        halls.put(70, middle(3), 0, 0);
        let portal = halls.put(80, middle(0), sv_flag::PORTAL, 0);
        halls.entities[portal.index()].state.origin2 = middle(3);
        assert_eq!(numbers(&look(&halls, middle(0), 0)), [70, 80]);
        // Farther than it can be looked through.
        halls.entities[portal.index()].state.origin = middle(0);
        halls.entities[portal.index()].state.generic1 = 40;
        assert_eq!(numbers(&look(&halls, middle(1), 0)), [80]);
    }

    #[test]
    fn a_full_snapshot_leaves_out_the_farthest() {
        let mut halls = Halls::new();
        for n in 0..300 {
            let mut at = middle(0);
            at.y = n as f32 * 0.1;
            halls.put(70 + n, at, 0, 0);
        }
        let built = look(&halls, middle(0), 0);
        assert_eq!(built.counts.full_drops, 44);
        assert_eq!(numbers(&built), (70..326).collect::<Vec<i32>>());
    }

    #[test]
    fn the_mask_marks_areas_behind_closed_doors() {
        let mut halls = Halls::new();
        assert_eq!(look(&halls, middle(0), 0).snapshot.area_mask[0] & 0b11, 0b00);
        halls.set_portal(false);
        let built = look(&halls, middle(0), 0);
        assert_eq!((built.snapshot.area_mask[0] & 0b11, built.snapshot.area_bytes), (0b10, 1));
    }
}
