//! What a stock client was told, snapshot by snapshot, from the demo that it recorded itself, by the clock of the machine: the same
//! for our server and for a stock one, and no second client is needed.
//!
//! A demo knows the server's time alone. So the client says a numbered word now and then: the demo has the time of the snapshot
//! that brings it back, the client's console the moment at which it was shown.

use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::entity_type;
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::ServerTime;
use fogline_tools::dissect::conversation::Playback;
use fogline_tools::dissect::demo::Demo;
use std::time::{Duration, Instant};

/// Word that the client says with a number.
pub const MARK: &str = "mark";
/// Whoever is further up or down than this is on another floor. Unit: units.
const FLOOR: f32 = 90.0;
/// A player's box about its origin.
const BODY: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
/// A frame of the server. Unit: s.
const FRAME_S: f32 = 0.05;

/// What one snapshot told of the player.
#[derive(Clone, Debug)]
pub struct Told {
    /// When it was shown, about.
    pub at: Instant,
    /// What it shows.
    pub time: ServerTime,
    /// The player.
    pub player: PlayerState,
    /// From the player to the nearest other: the larger of both distances in the plane, if they are on about one floor.
    pub nearest: Option<f32>,
    /// Something that moves is so near that it may push the player within a frame, whatever the player stands on.
    pub is_pushed: bool,
}

/// A snapshot of a demo.
#[derive(Clone, Copy, Debug)]
struct Shown {
    time: ServerTime,
    player: PlayerState,
    nearest: Option<f32>,
    is_pushed: bool,
}

/// All that a demo has.
#[derive(Debug, Default)]
pub struct Recorded {
    snapshots: Vec<Shown>,
    /// Commands of the server's, and when they came.
    pub commands: Vec<(ServerTime, String)>,
}

impl Recorded {
    /// Reads a demo that was played on `map`.
    ///
    /// # Panics
    /// If a message of it cannot be read.
    pub fn read(demo: &[u8], map: &ClipMap) -> Self {
        let mut playback = Playback::new(false);
        let mut recorded = Self::default();
        for message in Demo::new(demo) {
            let (sequence, bytes) = message.unwrap_or_else(|error| panic!("{error}"));
            let says = playback.hear(sequence, bytes).says;
            let Some(snapshot) = playback.snapshot(sequence) else {
                assert_eq!(playback.unreadable, 0, "message {sequence} of the demo: {says}");
                continue;
            };
            let (time, player) = (snapshot.time, snapshot.player);
            let nearest = nearest(&player, &snapshot.entities);
            let is_pushed = snapshot.entities.iter().any(|state| may_push(map, state, &player, time));
            recorded.snapshots.push(Shown { time, player, nearest, is_pushed });
            recorded.commands.extend(playback.commands().iter().map(|text| (time, text.clone())));
        }
        recorded
    }

    /// Every snapshot, by the clock of the machine. `shown` are the client's lines.
    ///
    /// # Panics
    /// If the client said no mark, or none came back.
    pub fn told(&self, shown: &[(Instant, String)]) -> Vec<Told> {
        let marks: Vec<(ServerTime, Instant)> =
            self.commands.iter().filter_map(|(time, text)| Some((*time, when_shown(text, shown)?))).collect();
        assert!(!marks.is_empty(), "the client said no mark that came back");
        self.snapshots
            .iter()
            .map(|&Shown { time, player, nearest, is_pushed }| Told {
                at: moment(time, &marks),
                time,
                player,
                nearest,
                is_pushed,
            })
            .collect()
    }
}

/// When the client showed the mark that a command brings, if it brings one.
fn when_shown(command: &str, shown: &[(Instant, String)]) -> Option<Instant> {
    let (kind, text) = command.split_once(' ')?;
    let (_, number) = text.trim_end().trim_end_matches('"').rsplit_once(&format!("{MARK} "))?;
    if !kind.ends_with("chat") {
        return None;
    }
    let ending = format!("{MARK} {number}");
    shown.iter().find(|(_, line)| line.ends_with(&ending)).map(|&(at, _)| at)
}

/// When the client was at a time: as at the nearest mark.
fn moment(time: ServerTime, marks: &[(ServerTime, Instant)]) -> Instant {
    let nearest = marks.iter().min_by_key(|(at, _)| (at.0 - time.0).abs());
    let &(mark, at) = nearest.expect("there is a mark");
    let span = Duration::from_millis(u64::from((time.0 - mark.0).unsigned_abs()));
    if time >= mark { at + span } else { at.checked_sub(span).unwrap_or(at) }
}

fn nearest(player: &PlayerState, entities: &[EntityState]) -> Option<f32> {
    let others = entities.iter().filter(|state| state.entity_type == entity_type::PLAYER);
    let gaps = others.filter_map(|state| {
        let offset: Vec3 = (state.pos.base - player.origin).abs();
        (offset.z < FLOOR).then_some(offset.x.max(offset.y))
    });
    gaps.min_by(f32::total_cmp)
}

/// Whether an entity is a mover on its way that comes to touch the player within a frame.
fn may_push(map: &ClipMap, state: &EntityState, player: &PlayerState, now: ServerTime) -> bool {
    let way = state.pos.velocity_at(now) * FRAME_S;
    if state.entity_type != entity_type::MOVER || way == Vec3::ZERO {
        return false;
    }
    let Some(model) = usize::try_from(state.model_index).ok().and_then(|model| map.model_bounds(model))
    else {
        return false;
    };
    let here = model.translated(state.pos.at(now));
    here.translated(way).union(here.translated(-way)).touches(&BODY.translated(player.origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_dated_by_the_mark_that_is_nearest_to_it() {
        let start = Instant::now();
        let ms = |ms: u64| start + Duration::from_millis(ms);
        let shown = [(ms(100), "walker: mark 1".to_owned()), (ms(5130), "walker: mark 12".to_owned())];
        let said = |time: i32, text: &str| (ServerTime(time), text.to_owned());
        let snapshot = |time: i32| Shown {
            time: ServerTime(time),
            player: PlayerState::default(),
            nearest: None,
            is_pushed: false,
        };
        let recorded = Recorded {
            snapshots: [900, 1000, 1050, 5950].map(snapshot).to_vec(),
            commands: vec![
                said(1000, "chat \"walker^7: ^2mark 1\"\n"),
                said(1050, "print \"mark 12\""),
                said(6000, "chat \"walker^7: ^2mark 12\""),
            ],
        };
        let at: Vec<Instant> = recorded.told(&shown).iter().map(|told| told.at).collect();
        assert_eq!(at, [ms(0), ms(100), ms(150), ms(5080)]);
    }
}
