//! Whose shot counts, and on whom: shots of the dead, hits on the reborn, on those who teleport, on those who were not shown.

use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::weapon;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::Millis;
use fogline_server::rewind::history::Pose;
use fogline_server::rewind::shots::Shot;
use fogline_tests::fixture::Setup;
use fogline_tests::standoff::{Standoff, pose, room};

/// The shooter, its target, and the one who kills the shooter.
const SHOOTER: usize = 0;
const TARGET: usize = 1;
const KILLER: usize = 2;

const WEST: Vec3 = vec3(-500.0, 0.0, 26.0);
const EAST: Vec3 = vec3(300.0, 0.0, 26.0);

fn plain() -> Setup {
    room("", |map| map)
}

/// Players that a shot hit.
fn hits(shot: &Shot) -> Vec<usize> {
    shot.hits().map(ClientNum::index).collect()
}

/// Players that its rays would have hit in the present.
fn hits_in_present(shot: &Shot) -> Vec<usize> {
    let present = shot.rays.iter().filter_map(|ray| ray.hit_in_present.flatten());
    present.map(EntityNum::index).filter(|&num| num < MAX_CLIENTS).collect()
}

/// A shooter with a railgun that dies, and fires as soon as the server knows of its death. What its target lost.
fn fire_after_dying(round_trip: i32, wait: i32, lines: &[&str]) -> i32 {
    let setup = lines.iter().fold(plain(), |setup, line| setup.with(line));
    let mut it = Standoff::new(1, Millis(round_trip), 3, &setup);
    for bot in [SHOOTER, KILLER] {
        it.arm(bot, weapon::RAILGUN);
    }
    it.place(&[(SHOOTER, WEST), (TARGET, EAST), (KILLER, vec3(-500.0, 500.0, 26.0))]);
    it.say(SHOOTER, "give health 80");
    it.run(Millis(500 + round_trip));
    let before = it.health(TARGET);
    let victim = it.num(SHOOTER);
    let victim_at = it.pose(SHOOTER).origin;
    it.pull(KILLER, victim_at);
    it.run_until("the shooter's death", |sim| pose(sim, victim).is_some_and(|pose| !pose.alive));
    it.run(Millis(wait));
    let target_at = it.drawn_box(TARGET).center();
    it.pull(SHOOTER, target_at);
    it.run(Millis(round_trip + 300));
    let (lost, counts) = (before - it.health(TARGET), it.sim.server.rewind().counts());
    eprintln!("round trip {round_trip}, {lines:?}: {lost} lost, {counts:?}");
    lost
}

#[test]
fn a_shot_fired_before_its_shooter_died_counts() {
    let lost = fire_after_dying(100, 0, &[]);
    assert!((90..=110).contains(&lost), "{lost}");
}

#[test]
fn sv_unlag_afterdeath_0_takes_it_back() {
    let lost = fire_after_dying(100, 0, &["set sv_unlag_afterdeath 0"]);
    assert!(lost < 20, "{lost}");
}

#[test]
fn a_shot_of_the_dead_older_than_the_cap_does_not_count() {
    let lost = fire_after_dying(250, 0, &[]);
    assert!(lost < 20, "{lost}");
    for (round_trip, cap) in [(250, 400), (500, 700), (500, 1000)] {
        let lost = fire_after_dying(round_trip, 0, &[&format!("set sv_maxunlag {cap}")]);
        assert!((90..=110).contains(&lost), "round trip {round_trip}, cap {cap}: {lost}");
    }
}

#[test]
fn who_knows_of_its_death_shoots_no_more() {
    let lost = fire_after_dying(100, 200, &[]);
    assert!(lost < 20, "{lost}");
}

/// A target that has died and come back, on the server and not yet on the shooter's screen. The shot, and where it went.
fn fire_at_the_reborn(at_the_old_place: bool) -> (Standoff, Shot) {
    let mut it = Standoff::new(2, Millis(160), 2, &plain());
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, EAST)]);
    let (target, old) = (it.num(TARGET), it.pose(TARGET));
    it.say(TARGET, "kill");
    it.run_until("the target's return", |sim| {
        pose(sim, target).is_some_and(|pose| pose.alive && pose.life != old.life)
    });
    let now = it.pose(TARGET).origin;
    assert!(now.distance(old.origin) > 200.0, "it came back elsewhere");
    let at = if at_the_old_place { old.origin - vec3(0.0, 0.0, 15.0) } else { now };
    let shot = it.fire(at);
    (it, shot)
}

#[test]
fn a_hit_belongs_to_the_life_that_was_drawn() {
    // It stands there, but the shooter drew it dead elsewhere.
    let (mut it, shot) = fire_at_the_reborn(false);
    let target = it.num(TARGET).index();
    assert_eq!(hits_in_present(&shot), [target], "{shot:#?}");
    assert!(hits(&shot).is_empty(), "{shot:#?}");
    // The life that is drawn by now is hit.
    it.run(Millis(1500));
    let at = it.drawn_box(TARGET).center();
    assert_eq!(hits(&it.fire(at)), [target]);
}

#[test]
fn the_body_of_a_life_that_is_over_hands_nothing_on_to_the_next() {
    let (it, shot) = fire_at_the_reborn(true);
    let target = it.num(TARGET).index();
    assert!(!hits(&shot).contains(&target), "{shot:#?}");
    let drawn = it.hit_as_drawn(&shot, &shot.rays[0]);
    eprintln!("drawn {drawn:?}, judged {:?}", shot.rays[0].hit);
}

/// A target has left and somebody else has come into its slot, on the server and not yet on the shooter's screen.
fn fire_at_a_slot_taken_over(at_the_old_place: bool) -> (Standoff, Shot) {
    let setup = plain().with("set sv_maxunlag 1000").with("set sv_reconnectlimit 0");
    let mut it = Standoff::new(6, Millis(500), 2, &setup);
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, EAST)]);
    let (slot, old) = (it.num(TARGET), it.pose(TARGET));
    it.replace(TARGET);
    let is_new = move |pose: Pose| pose.alive && pose.origin.distance(old.origin) > 200.0;
    it.run_until("somebody else's arrival", |sim| pose(sim, slot).is_some_and(is_new));
    let now = it.pose(TARGET).origin;
    assert_eq!(it.num(TARGET), slot, "it has the slot of who left");
    assert!(it.drawn_box(TARGET).center().distance(old.origin) < 30.0, "who left is still drawn");
    let shot = it.fire(if at_the_old_place { old.origin } else { now });
    (it, shot)
}

#[test]
fn who_takes_over_a_slot_is_not_hit_for_who_left() {
    let (it, shot) = fire_at_a_slot_taken_over(true);
    let slot = it.num(TARGET).index();
    assert_eq!(it.hit_as_drawn(&shot, &shot.rays[0]), Some(slot), "it was fired at who left: {shot:#?}");
    assert!(hits(&shot).is_empty() && shot.moment.is_some(), "{shot:#?}");
}

#[test]
fn who_takes_over_a_slot_is_hit_once_it_is_drawn_and_not_before() {
    let (mut it, shot) = fire_at_a_slot_taken_over(false);
    let slot = it.num(TARGET).index();
    assert_eq!(hits_in_present(&shot), [slot], "it stands there by now: {shot:#?}");
    assert!(hits(&shot).is_empty(), "{shot:#?}");
    it.run(Millis(4000));
    let at = it.drawn_box(TARGET).center();
    assert_eq!(hits(&it.fire(at)), [slot]);
}

#[test]
fn nobody_is_hit_halfway_through_a_teleport() {
    let mut it = Standoff::new(3, Millis(100), 2, &plain());
    it.arm(SHOOTER, weapon::MACHINEGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(200.0, 300.0, 26.0))]);
    let middle = it.look(SHOOTER, vec3(200.0, 0.0, 30.0));
    let hold = fogline_tools::client::Input {
        look: middle,
        buttons: fogline_common::proto::button::ATTACK,
        ..Default::default()
    };
    it.lead(SHOOTER, Some(hold));
    let (mut over_a_teleport, mut boxes) = (0, 0);
    for n in 0..60 {
        it.say(TARGET, &format!("setviewpos 200 {} 26 0", if n % 2 == 0 { -300 } else { 300 }));
        it.run(Millis(333));
        for shot in it.take_shots() {
            let history = it.sim.server.rewind().history();
            let target = it.num(TARGET);
            let Some(moment) = shot.moment else { continue };
            let Some(to) = moment.to else { continue };
            let (Some(from), Some(to)) = (history.pose(moment.from, target), history.pose(to, target)) else {
                continue;
            };
            over_a_teleport += u32::from(from.origin.distance(to.origin) > 300.0);
            assert!(hits(&shot).is_empty(), "{shot:#?}");
            for then in shot.boxes.iter().filter_map(|boxes| boxes.then) {
                boxes += 1;
                assert!(then.center().y.abs() > 250.0, "{shot:#?}");
            }
        }
    }
    assert!(over_a_teleport >= 10 && boxes >= 100, "{over_a_teleport} shots over a teleport, {boxes} boxes");
}

/// A target that has just stepped out of hiding, on the server and not yet on the shooter's screen, is fired at.
fn fire_at_the_unseen(lines: &[&str]) -> (Standoff, Shot) {
    // Behind this the target waits.
    let wall = Bounds::new(vec3(500.0, -400.0, 0.0), vec3(532.0, 400.0, 600.0));
    let setup = lines.iter().fold(room("", |map| map.solid(wall)), |setup, line| setup.with(line));
    let setup = setup.with("set sv_netoptimize 2");
    let mut it = Standoff::new(4, Millis(160), 2, &setup);
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(650.0, 0.0, 26.0))]);
    it.run(Millis(2000));
    assert!(!it.is_drawn(TARGET), "it is hidden behind the wall");
    it.say(TARGET, "setviewpos 100 0 26 180");
    let target = it.num(TARGET);
    it.run_until("the target's arrival", |sim| pose(sim, target).is_some_and(|pose| pose.origin.x < 400.0));
    let at = it.pose(TARGET).origin;
    let shot = it.fire(at);
    (it, shot)
}

#[test]
fn who_was_not_shown_is_no_target() {
    let (it, shot) = fire_at_the_unseen(&[]);
    let target = it.num(TARGET).index();
    assert_eq!(hits_in_present(&shot), [target], "{shot:#?}");
    assert!(hits(&shot).is_empty() && it.hit_as_drawn(&shot, &shot.rays[0]).is_none(), "{shot:#?}");
    assert_eq!(it.sim.server.rewind().counts().unseen, 1);
}

#[test]
fn sv_unlag_unseen_1_lets_who_was_not_shown_be_hit_where_it_is() {
    let (it, shot) = fire_at_the_unseen(&["set sv_unlag_unseen 1"]);
    assert_eq!(hits(&shot), [it.num(TARGET).index()], "{shot:#?}");
    assert!(it.sim.server.rewind().counts().unseen >= 1);
    assert!(it.health(TARGET) < 950);
}
