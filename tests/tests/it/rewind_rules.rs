//! What else is as it was drawn, and how far back: doors, team mates, the cap.

use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::weapon;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::Millis;
use fogline_server::rewind::shots::{Ray, Shot};
use fogline_tests::standoff::{Standoff, room};
use fogline_tools::client::Input;

const SHOOTER: usize = 0;
const TARGET: usize = 1;
const WEST: Vec3 = vec3(-500.0, 0.0, 26.0);

fn player(hit: Option<EntityNum>) -> Option<usize> {
    hit.map(EntityNum::index).filter(|&num| num < MAX_CLIENTS)
}

/// What a run of shots at somebody behind something was like.
#[derive(Debug, Default)]
struct Through {
    hits: u32,
    stopped: u32,
    /// Rays that go on in the present where the picture stops them, or the other way round.
    changed: u32,
}

impl Through {
    /// Counts shots, each of which must end where it ends on the shooter's screen.
    fn count(&mut self, it: &Standoff, shots: &[Shot]) {
        for shot in shots {
            assert!(it.picture(shot).is_some(), "{shot:#?}");
            let Ray { hit, hit_in_present, .. } = shot.rays[0];
            assert_eq!(player(hit), it.hit_as_drawn(shot, &shot.rays[0]), "{shot:#?}");
            self.hits += u32::from(player(hit).is_some());
            self.stopped += u32::from(player(hit).is_none());
            self.changed += u32::from(hit_in_present.is_some_and(|present| player(present) != player(hit)));
        }
    }
}

#[test]
fn a_shutter_stops_what_it_stops_on_the_shooters_screen() {
    let shutter =
        "{\n\"classname\" \"func_bobbing\"\n\"model\" \"*1\"\n\"height\" \"60\"\n\"speed\" \"0.7\"\n}\n";
    let plate = Bounds::new(vec3(-8.0, -200.0, 10.0), vec3(8.0, 200.0, 70.0));
    let mut it = Standoff::new(21, Millis(100), 2, &room(shutter, |map| map.model(plate)));
    it.arm(SHOOTER, weapon::MACHINEGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(300.0, 0.0, 26.0))]);
    let mut seen = Through::default();
    it.take_shots();
    for _ in 0..60 {
        let at = it.drawn_box(TARGET).center();
        it.pull(SHOOTER, at);
        it.run(Millis(143));
    }
    let shots = it.take_shots();
    seen.count(&it, &shots);
    assert!(seen.hits >= 10 && seen.stopped >= 10 && seen.changed >= 10, "{seen:?}");
}

#[test]
fn a_door_stops_what_it_stops_on_the_shooters_screen() {
    let door = "{\n\"classname\" \"func_door\"\n\"model\" \"*1\"\n\"angle\" \"-1\"\n\"speed\" \"400\"\n\"wait\" \"0.1\"\n}\n";
    let leaf = Bounds::new(vec3(-8.0, -64.0, 0.0), vec3(8.0, 64.0, 128.0));
    let mut it = Standoff::new(22, Millis(100), 2, &room(door, |map| map.model(leaf)));
    it.arm(SHOOTER, weapon::MACHINEGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(60.0, 0.0, 26.0))]);
    let mut seen = Through::default();
    it.take_shots();
    // It runs through the space where the door opens, and out of it on the other side.
    for n in 0..16 {
        let right = if n % 2 == 0 { 127 } else { -127 };
        it.lead(TARGET, Some(Input { right, ..Input::default() }));
        for _ in 0..8 {
            let at = it.drawn_box(TARGET).center();
            it.pull(SHOOTER, at);
            it.run(Millis(113));
        }
        let shots = it.take_shots();
        seen.count(&it, &shots);
    }
    assert!(seen.hits >= 10 && seen.stopped >= 10 && seen.changed >= 10, "{seen:?}");
}

#[test]
fn a_team_mate_is_in_the_way_where_it_is_drawn() {
    let setup = room("", |map| map)
        .with("set g_gametype 3")
        .with("set g_teamForceBalance 0")
        .with("set g_teamAutoJoin 0")
        .with("set g_friendlyFire 1")
        .with("set g_knockback 0");
    let mut it = Standoff::new(23, Millis(100), 2, &setup);
    // One may change sides once in five seconds.
    for _ in 0..2 {
        for bot in [SHOOTER, TARGET] {
            it.say(bot, "team red");
        }
        it.run(Millis(6000));
    }
    for bot in [SHOOTER, TARGET] {
        it.say(bot, "give weapons");
        it.say(bot, "give ammo");
        it.say(bot, "give health 900");
    }
    it.arm(SHOOTER, weapon::MACHINEGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(0.0, 30.0, 26.0))]);
    let before = it.health(TARGET);
    let mut seen = Through::default();
    it.take_shots();
    for n in 0..30 {
        let right = if n % 2 == 0 { 127 } else { -127 };
        it.lead(TARGET, Some(Input { right, ..Input::default() }));
        it.run(Millis(250));
        let at = it.drawn_box(TARGET).center();
        it.pull(SHOOTER, at);
    }
    it.run(Millis(700));
    let shots = it.take_shots();
    seen.count(&it, &shots);
    let red = |bot: usize| {
        it.sim.bots[bot]
            .client
            .predicted()
            .map(|ps| ps.persistant[fogline_common::openarena::pers::TEAM as usize])
    };
    assert_eq!((red(SHOOTER), red(TARGET)), (Some(1), Some(1)));
    assert!(seen.hits >= 28 && seen.changed >= 20, "{seen:?}");
    assert!(before - it.health(TARGET) >= 100, "friendly fire");
}

#[test]
fn beyond_the_cap_a_shot_is_tested_at_the_cap_and_the_shooter_leads_again() {
    const CAP: i32 = 200;
    let mut it = Standoff::new(24, Millis(420), 2, &room("", |map| map).with("set g_knockback 0"));
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST)]);
    let mut beyond_ms = 0;
    for leads in [false, true, true, true] {
        it.place(&[(TARGET, vec3(0.0, 700.0, 26.0))]);
        it.lead(TARGET, Some(Input { right: 127, ..Input::default() }));
        it.run(Millis(1500));
        // It runs at a steady 320 units a second by now.
        let lead = if leads { vec3(0.0, -320.0, 0.0) * (beyond_ms as f32 / 1000.0) } else { Vec3::ZERO };
        let at = it.drawn_box(TARGET).center() + lead;
        let shot = it.fire(at);
        assert!(shot.is_capped() && shot.fault.is_none(), "{shot:#?}");
        assert_eq!(shot.rewound(), Millis(CAP));
        beyond_ms = shot.delay().0 - CAP;
        assert!(beyond_ms > 200, "{shot:#?}");
        let target = it.num(TARGET).index();
        assert_eq!(player(shot.rays[0].hit), leads.then_some(target), "{shot:#?}");
        assert_eq!(it.hit_as_drawn(&shot, &shot.rays[0]), (!leads).then_some(target), "{shot:#?}");
        it.lead(TARGET, None);
    }
}

#[test]
fn a_cap_of_nothing_judges_by_the_present_frame() {
    let mut it = Standoff::new(25, Millis(160), 2, &room("", |map| map).with("set sv_maxunlag 0"));
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(0.0, 300.0, 26.0))]);
    it.lead(TARGET, Some(Input { right: 127, ..Input::default() }));
    it.run(Millis(600));
    let at = it.drawn_box(TARGET).center();
    let shot = it.fire(at);
    assert_eq!((shot.rewound(), player(shot.rays[0].hit)), (Millis(0), None), "{shot:#?}");
}
