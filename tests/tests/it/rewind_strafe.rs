//! Without compensation perfect aim misses whoever strafes, from a round trip of 25 ms on.
//!
//! What a shooter draws is older than what the server has by the whole loop: the round trip, one snapshot period and the few ms by
//! which its clock stays behind. At 25 ms and 20 snapshots a second that is some 80 ms, in which a player at 320 units a second goes
//! 25: more than the 15 from its middle to its side, or the 19 to its edge where it is seen a little from aside. The exceptions are
//! the moments around a turn, when it comes back to where it was drawn: these are counted apart.

use fogline_common::math::vec3;
use fogline_common::openarena::weapon;
use fogline_common::proto::button;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Millis, ServerTime};
use fogline_server::rewind::history::FrameNum;
use fogline_server::rewind::shots::Shot;
use fogline_tests::standoff::{Standoff, room};
use fogline_tools::client::Input;

const SHOOTER: usize = 0;
const TARGET: usize = 1;
/// Half of what a player's box covers of the view, seen at most so much from aside as here: 15 * (cos + sin) of 17 degrees.
const HALF_WIDTH: f32 = 18.8;
/// Of a player that runs at full speed sideways, less what its steps are rounded by. Units a second.
const FULL_SPEED: f32 = 270.0;

/// Shots at a target that strafes at full speed all the time between picture and verdict, or that turns meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    shots: u32,
    hits: u32,
    in_present: u32,
    /// The shortest way that the target went meanwhile.
    least_way: f32,
}

impl Count {
    fn add(&mut self, shot: &Shot, way: f32) {
        let ray = &shot.rays[0];
        let is_player =
            |hit: Option<fogline_common::ids::EntityNum>| hit.is_some_and(|hit| hit.index() < MAX_CLIENTS);
        self.least_way = if self.shots == 0 { way } else { self.least_way.min(way) };
        self.shots += 1;
        self.hits += u32::from(is_player(ray.hit));
        self.in_present += u32::from(ray.hit_in_present.is_some_and(is_player));
    }
}

/// How far the target went from picture to verdict, and whether it kept on one way at full speed.
fn way(it: &Standoff, shot: &Shot, before: ServerTime) -> (f32, bool) {
    let history = it.sim.server.rewind().history();
    let target = it.num(TARGET);
    let boxes = shot.boxes.iter().find(|boxes| boxes.client == target).expect("the target is near the ray");
    let then = boxes.then.expect("it was drawn").center().y;
    let newest = history.frame_at(shot.now).expect("the frame is kept");
    let oldest = history.frame_at(before).expect("the frame is kept");
    let steps: Vec<f32> = (oldest.0..newest.0)
        .filter_map(|frame| {
            let (from, to) =
                (history.pose(FrameNum(frame), target)?, history.pose(FrameNum(frame + 1), target)?);
            Some(to.origin.y - from.origin.y)
        })
        .collect();
    let full = FULL_SPEED * 0.05;
    let steady = steps.iter().all(|step| *step > full) || steps.iter().all(|step| *step < -full);
    ((boxes.now.center().y - then).abs(), steady && !steps.is_empty())
}

/// Fires lightning at the middle of a strafing target as it is drawn. Counts while it keeps on, and while it turns.
fn strafe(round_trip: i32) -> (Count, Count) {
    let setup =
        room("", |map| map).with("set g_knockback 0").with("set sv_maxunlag 600").with("set sv_fps 20");
    let mut it = Standoff::new(21, Millis(round_trip), 2, &setup);
    it.place(&[(SHOOTER, vec3(-800.0, 0.0, 26.0)), (TARGET, vec3(-100.0, 0.0, 26.0))]);
    it.arm(SHOOTER, weapon::LIGHTNING);
    let target = it.num(TARGET);
    let (mut steady, mut turning) = (Count::default(), Count::default());
    let mut side = 1i8;
    it.take_shots();
    for _ in 0..240 {
        // It looks along +x, so its right is -y.
        let y = it.pose(TARGET).origin.y;
        if y * f32::from(side) < -220.0 {
            side = -side;
            it.say(TARGET, "give health 999");
        }
        it.lead(TARGET, Some(Input { right: side * 127, ..Input::default() }));
        let at = it.drawn_box(TARGET).center();
        let look = it.look(SHOOTER, at);
        let idle = Input { look, weapon: Some(weapon::LIGHTNING as u8), ..Input::default() };
        it.lead(SHOOTER, Some(Input { buttons: button::ATTACK, ..idle }));
        it.run(Millis(8));
        it.lead(SHOOTER, Some(idle));
        it.run(Millis(72));
        for shot in it.take_shots() {
            let Some(moment) = shot.moment else { continue };
            let Some(from) = it.sim.server.rewind().history().time_of(moment.from) else { continue };
            if !shot.boxes.iter().any(|boxes| boxes.client == target && boxes.then.is_some()) {
                continue;
            }
            let (way, is_steady) = way(&it, &shot, from);
            let count = if is_steady { &mut steady } else { &mut turning };
            count.add(&shot, way);
        }
    }
    (steady, turning)
}

#[test]
fn without_compensation_nobody_who_keeps_strafing_is_hit_and_with_it_everybody() {
    println!(
        "| round trip ms | shots | hit % | in the present % | least way | while it turns: shots | hit % | in the present % |"
    );
    for round_trip in [25, 60, 120, 250] {
        let (steady, turning) = strafe(round_trip);
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        println!(
            "| {round_trip} | {} | {:.1} | {:.1} | {:.1} | {} | {:.1} | {:.1} |",
            steady.shots,
            share(steady.hits, steady.shots),
            share(steady.in_present, steady.shots),
            steady.least_way,
            turning.shots,
            share(turning.hits, turning.shots),
            share(turning.in_present, turning.shots),
        );
        assert!(steady.shots > 50, "{round_trip}: {steady:?}");
        assert!(steady.least_way > HALF_WIDTH, "{round_trip}: {steady:?}");
        assert_eq!((steady.hits, steady.in_present), (steady.shots, 0), "{round_trip}: {steady:?}");
    }
}
