//! The audit on a corner made by hand, whose moments are known to the frame, and on matches of the real server in virtual time.
//!
//! ```text
//!        y
//!        |     + wall's end, y = 0          target runs up at x = 200, 200 units a second
//!   eye -+-----# x -16..16                  |
//!   (-200, -100)                            |  in sight from y = 94.64 on: the line past the wall's end meets x = 185,
//!              #                            |  the side of its body, at y = 109.64, and its body is 15 to each side
//! ```

use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::{Millis, ServerTime};
use fogline_tests::halls;
use fogline_tests::tiny_map::{CEILING, TinyMap};
use fogline_tools::audit::bout::{BoutConfig, play};
use fogline_tools::audit::crossing::{Crossing, Reveal, Span};
use fogline_tools::audit::record::{Received, Record, Shown, Stand};
use fogline_tools::audit::trace::Trace;
use fogline_tools::audit::{Group, LinkSpec, examine};
use fogline_tools::rim::maps::LoadedMap;
use fogline_tools::script::Script;
use std::sync::Arc;

const VIEWER: Vec3 = vec3(-200.0, -100.0, 24.0);
const VIEW_HEIGHT: i32 = 26;
/// Time on the way down. Unit: ms.
const DOWN: i32 = 20;
/// The client draws this far behind. Unit: ms.
const BEHIND: i32 = 80;
const FIRST: i32 = 10_000;
const LAST: i32 = 15_000;
/// The target turns then. Unit: ms of server time.
const TURNS: i32 = 13_000;
/// In sight from here on, by the client's clock, to the ms: at server time 12 503.2 the target passes y = 94.64.
const SEEN_MS: i64 = 12_584;
/// Out of sight again: on its way back it passes y = 94.64 at server time 13 496.8.
const HIDDEN_MS: u64 = 13_577;

fn walled() -> Arc<ClipMap> {
    let wall = Bounds::new(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 0.0, CEILING));
    TinyMap::room("").one_area().solid(wall).build()
}

fn stand(origin: Vec3) -> Stand {
    Stand { origin, view_height: VIEW_HEIGHT, is_alive: true, life: 1 }
}

/// Up at a fifth of a unit a millisecond, then down.
fn target_at(time: i32) -> Vec3 {
    let way = (time.min(TURNS) - FIRST) - (time - TURNS).max(0);
    vec3(200.0, -406.0 + 0.2 * way as f32, 24.0)
}

/// Both players' records; the viewer is told of the target in snapshots whose time `tells`.
fn records(tells: impl Fn(i32) -> bool) -> [Record; 2] {
    [0, 1].map(|slot: usize| {
        let mut record =
            Record::new(ClientNum::new(slot).unwrap(), "by hand", "corner", Some(DOWN as u64 * 1000));
        for (n, time) in (FIRST..=LAST).step_by(50).enumerate() {
            let own = stand(if slot == 0 { VIEWER } else { target_at(time) });
            record.snapshots.push(Received {
                message: 1 + n as u32,
                time: ServerTime(time),
                arrival_us: Some((time + DOWN) as u64 * 1000),
                told: u64::from(slot == 0 && tells(time)) << 1,
                own,
            });
        }
        // Frames every 8 ms of the client's clock.
        for real in (FIRST + BEHIND..LAST).step_by(8) {
            let drawn = real - BEHIND;
            record.frames.push(Shown {
                real_us: real as u64 * 1000,
                drawn: ServerTime(drawn),
                message: 1 + ((drawn - FIRST) / 50) as u32,
                eye: record.snapshots[0].own.eye(),
                is_alive: true,
                doors: 0,
            });
        }
        record
    })
}

/// The crossing of the target before the viewer's eye.
fn audit(tells: impl Fn(i32) -> bool) -> (Group, Crossing) {
    let group = examine(&records(tells), None, &walled(), |_| ());
    let of_viewer: Vec<Crossing> =
        group.crossings().filter(|crossing| crossing.viewer.index() == 0).copied().collect();
    let [crossing] = *of_viewer.as_slice() else { panic!("{of_viewer:#?}") };
    (group, crossing)
}

fn us(ms: i64) -> i64 {
    ms * 1000
}

#[test]
fn a_corner_made_by_hand_gives_its_moments_to_the_frame() {
    // Told from 12 450 on: there 20 ms later, drawn in the first frame that draws 12 450 or later.
    let (_, early) = audit(|time| time >= 12_450);
    assert_eq!(early.seen_us, us(SEEN_MS));
    assert_eq!(early.reveal, Some(Reveal { sent_us: us(12_450), came_us: us(12_470), drawn_us: us(12_536) }));
    let [lead, delivery, render] = [early.lead_ms(), early.delivery_ms(), early.render_ms()];
    assert_eq!([lead, delivery, render], [Some(134.0), Some(20.0), Some(66.0)]);
    assert_eq!(
        (early.window_ms(), early.late_ms(), early.excess),
        (Some(114.0), Some(0.0), Span::Exact(0.0))
    );
    assert_eq!((early.exposure_ms, early.told_all_along), (114.0, false));

    // Told two frames later: the cheat knows 14 ms early and the player sees 48 ms late, together B.
    let (_, late) = audit(|time| time >= 12_550);
    assert_eq!(late.seen_us, us(SEEN_MS));
    assert_eq!(late.reveal, Some(Reveal { sent_us: us(12_550), came_us: us(12_570), drawn_us: us(12_632) }));
    assert_eq!((late.window_ms(), late.late_ms(), late.render_ms()), (Some(14.0), Some(48.0), Some(62.0)));
    assert_eq!(late.excess, Span::Exact(48.0));
}

#[test]
fn what_is_known_after_it_is_hidden_again_is_linger_and_leak() {
    // Told from 12 550 until 13 600, so the first snapshot without it comes at 13 670.
    let (group, crossing) = audit(|time| (12_550..=13_600).contains(&time));
    assert_eq!(crossing.linger, Some(Span::Exact(13_670.0 - HIDDEN_MS as f64)));
    let viewer = group.pairs[0].time;
    // Known while hidden: 14 ms before, 93 ms after.
    assert_eq!(viewer.leaked_us, 14_000 + (13_670 - HIDDEN_MS) * 1000);
    assert_eq!(viewer.seen_us, (HIDDEN_MS - SEEN_MS as u64) * 1000);
    assert_eq!(viewer.missed_us, 48_000);
    // From the first frame to the last.
    assert_eq!(viewer.hidden_us + viewer.seen_us, (14_992 - 10_080) * 1000);
}

#[test]
fn a_rule_that_never_hides_is_never_late() {
    let (group, crossing) = audit(|_| true);
    assert!(crossing.told_all_along && crossing.excess == Span::Exact(0.0));
    assert_eq!(crossing.exposure_ms, crossing.hidden_us as f64 / 1000.0);
    assert_eq!(group.pairs[0].time.leaked_us, group.pairs[0].time.hidden_us);
    assert!(
        group.times(|crossing| (crossing.viewer.index() == 0).then_some(crossing.excess)).max() == Some(0.0)
    );
}

#[test]
fn a_rule_that_always_hides_is_caught() {
    let (group, crossing) = audit(|_| false);
    assert!(crossing.is_undrawn() && crossing.reveal.is_none() && !crossing.told_all_along);
    assert_eq!(crossing.excess, Span::AtLeast(HIDDEN_MS as f64 - SEEN_MS as f64));
    assert_eq!(group.pairs[0].time.missed_us, group.pairs[0].time.seen_us);
    assert!(!group.is_in_time(1e9), "no limit lets it pass");
}

#[test]
fn a_player_that_is_born_in_sight_is_no_crossing() {
    let mut records = records(|_| true);
    for snap in records[1].snapshots.iter_mut().filter(|snap| snap.time >= ServerTime(12_400)) {
        snap.own.life = 2;
        snap.own.origin.y += 200.0;
    }
    let group = examine(&records, None, &walled(), |_| ());
    assert!(group.crossings().all(|crossing| crossing.viewer.index() != 0), "{:?}", group.pairs[0]);
    assert!(group.pairs[0].time.seen_us > 0);
}

fn bout(mode: &str, seed: u64) -> (Vec<Record>, Trace, LoadedMap) {
    let map = LoadedMap::parse(halls::NAME, &halls::file()).unwrap();
    let link: LinkSpec = "60/10/1".parse().unwrap();
    let config = BoutConfig {
        map: map.clone(),
        settings: vec![("sv_netoptimize".to_owned(), mode.to_owned())],
        cheats: false,
        clients: 4,
        script: Script::Strafe,
        links: link.links,
        snaps: 20,
        frame: Millis(8),
        span: Millis(15_000),
        seed,
    };
    let bout = play(&config, |_| ()).unwrap();
    let mut trace = Trace::default();
    bout.trace.iter().for_each(|line| trace.take_line(line, halls::NAME).unwrap());
    (bout.records, trace, map)
}

#[test]
fn both_halves_of_a_real_match_agree_and_a_seed_is_a_match() {
    let (records, trace, map) = bout("2", 3);
    let group = examine(&records, Some(&trace), &map.clip, |_| ());
    assert!(group.fit.joined > 4 * 250, "{:?}", group.fit);
    assert_eq!((group.fit.disagree, group.fit.untraced, trace.lost), (0, 0, 0), "{:?}", group.fit);
    assert!(group.fit.not_received > 0, "one in a hundred is lost on this link");
    assert!(group.crossings().count() > 5, "{}", group.crossings().count());
    let share = group.time().leaked_us as f64 / group.time().hidden_us as f64;
    assert!(share < 0.6, "{share}");
    let again = bout("2", 3);
    assert_eq!(records, again.0);
    assert_ne!(records, bout("2", 4).0);
}

#[test]
fn a_real_match_without_a_filter_is_never_late() {
    let (records, trace, map) = bout("0", 3);
    let group = examine(&records, Some(&trace), &map.clip, |_| ());
    assert!(group.crossings().count() > 5);
    assert!(group.crossings().all(|crossing| crossing.excess == Span::Exact(0.0)));
    assert_eq!(group.time().missed_us, 0);
    assert!(group.is_in_time(0.0) && group.is_whole());
}
