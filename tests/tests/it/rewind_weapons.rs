//! Every weapon that hits at once is judged by what its shooter drew; what flies, pushes and bursts does so in the present.

use fogline_common::collision::trace_box;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::weapon;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{button, contents};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::rewind::shots::{Ray, Shot};
use fogline_tests::fixture::Setup;
use fogline_tests::standoff::{Standoff, pose, room};
use fogline_tools::client::Input;

const SHOOTER: usize = 0;
const TARGET: usize = 1;
/// Far enough that a running target leaves its drawn box, and within the default cap.
const ROUND_TRIP: Millis = Millis(100);

fn still_when_hit() -> Setup {
    room("", |map| map).with("set g_knockback 0")
}

/// A player that a ray hit.
fn player(hit: Option<EntityNum>) -> Option<usize> {
    hit.map(EntityNum::index).filter(|&num| num < MAX_CLIENTS)
}

fn steps_aside(side: i8) -> Option<Input> {
    Some(Input { right: side * 127, ..Input::default() })
}

/// The target steps to and fro; each time the shooter fires once at the middle of what it draws.
fn volley(it: &mut Standoff, count: usize, pause: Millis) -> Vec<Shot> {
    it.take_shots();
    for n in 0..count {
        it.lead(TARGET, steps_aside(if n % 2 == 0 { 1 } else { -1 }));
        it.run(pause);
        let at = it.drawn_box(TARGET).center();
        it.pull(SHOOTER, at);
    }
    it.lead(TARGET, None);
    it.run(Millis(700));
    it.take_shots()
}

/// How many rays hit somebody, and how many would have in the present.
///
/// # Panics
/// If a ray hit anybody else than it does on the shooter's screen.
fn compare(it: &Standoff, shots: &[Shot]) -> (u32, u32) {
    let (mut hits, mut in_present) = (0, 0);
    for shot in shots {
        assert!(it.picture(shot).is_some(), "{shot:#?}");
        for ray in &shot.rays {
            assert_eq!(player(ray.hit), it.hit_as_drawn(shot, ray), "{shot:#?}");
            hits += u32::from(player(ray.hit).is_some());
            in_present += u32::from(ray.hit_in_present.is_some_and(|hit| player(hit).is_some()));
        }
    }
    (hits, in_present)
}

fn armed(weapon: i32, distance: f32) -> Standoff {
    let mut it = Standoff::new(11, ROUND_TRIP, 2, &still_when_hit());
    it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(-500.0 + distance, 30.0, 26.0))]);
    it.arm(SHOOTER, weapon);
    it
}

#[test]
fn machinegun_railgun_and_lightning_hit_what_is_drawn() {
    for (weapon, pause) in [(weapon::MACHINEGUN, 250), (weapon::LIGHTNING, 250), (weapon::RAILGUN, 1600)] {
        let mut it = armed(weapon, 400.0);
        let shots = volley(&mut it, 8, Millis(pause));
        assert!(shots.len() >= 8 && shots.iter().all(|shot| shot.weapon == weapon), "{shots:#?}");
        // The second ray of the railgun begins where the first did, past whom that hit.
        let first: Vec<Shot> =
            shots.into_iter().map(|shot| Shot { rays: vec![shot.rays[0]], ..shot }).collect();
        let (hits, in_present) = compare(&it, &first);
        assert!(hits >= 7 && in_present <= 3, "weapon {weapon}: {hits}, in the present {in_present}");
    }
}

#[test]
fn lightning_reaches_as_far_as_the_picture_says() {
    // Beyond its reach of 768 units in the picture, whatever the present says.
    let mut it = armed(weapon::LIGHTNING, 840.0);
    let shots = volley(&mut it, 6, Millis(250));
    assert_eq!(compare(&it, &shots).0, 0);
}

#[test]
fn the_gauntlet_hits_who_is_drawn_within_its_reach_and_gone_since() {
    let mut it = armed(weapon::GAUNTLET, 40.0);
    it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(-460.0, 0.0, 26.0))]);
    // The gauntlet strikes before its usercmd turns the view, so the view is turned before.
    let (at, target) = (it.drawn_box(TARGET).center(), it.num(TARGET));
    let look = it.look(SHOOTER, at);
    it.lead(SHOOTER, Some(Input { look, weapon: Some(weapon::GAUNTLET as u8), ..Input::default() }));
    it.run(Millis(200));
    it.say(TARGET, "setviewpos 500 500 26 0");
    it.run_until("the target's leave", |sim| pose(sim, target).is_some_and(|pose| pose.origin.x > 400.0));
    it.take_shots();
    it.pull(SHOOTER, at);
    it.run(Millis(500));
    let shots = it.take_shots();
    assert_eq!(compare(&it, &shots), (1, 0), "{shots:#?}");
}

#[test]
fn the_gauntlet_strikes_whoever_runs_past_as_it_is_drawn() {
    let mut it = armed(weapon::GAUNTLET, 40.0);
    it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(-460.0, 250.0, 26.0))]);
    let target = it.num(TARGET);
    let look = vec3(0.0, 0.0, 0.0);
    let strike =
        Input { look, weapon: Some(weapon::GAUNTLET as u8), buttons: button::ATTACK, ..Input::default() };
    it.lead(SHOOTER, Some(strike));
    it.take_shots();
    let mut shots = Vec::new();
    const PASSES: usize = 8;
    for n in 0..PASSES {
        // It looks along +x.
        let side = if n % 2 == 0 { 1 } else { -1 };
        it.lead(TARGET, steps_aside(side));
        it.run_until("the end of the run", |sim| {
            pose(sim, target).is_some_and(|pose| pose.origin.y * f32::from(side) < -220.0)
        });
        shots.append(&mut it.take_shots());
    }
    let (hits, in_present) = compare(&it, &shots);
    assert!(hits as usize >= PASSES - 1 && in_present > 0, "{hits} of {PASSES}, in the present {in_present}");
    // When it is drawn before the blade it is past it by now.
    let both = shots.iter().flat_map(|shot| &shot.rays).filter(|ray| {
        player(ray.hit).is_some() && ray.hit_in_present.is_some_and(|hit| player(hit).is_some())
    });
    assert_eq!(both.count(), 0);
}

#[test]
fn who_is_touched_is_judged_by_the_past_as_well() {
    let mut it = armed(weapon::RAILGUN, 31.0);
    let shots = volley(&mut it, 8, Millis(1600));
    let first: Vec<Shot> = shots.into_iter().map(|shot| Shot { rays: vec![shot.rays[0]], ..shot }).collect();
    let (hits, _) = compare(&it, &first);
    assert_eq!((hits, first.iter().filter(|shot| shot.moment.is_some()).count()), (8, 8));
}

#[test]
fn all_pellets_of_a_blast_are_one_shot_in_one_past() {
    let mut it = armed(weapon::SHOTGUN, 300.0);
    let shots = volley(&mut it, 10, Millis(1100));
    assert_eq!(shots.len(), 10);
    assert!(shots.iter().all(|shot| shot.rays.len() == 11 && shot.moment.is_some()), "{shots:#?}");
    let (hits, in_present) = compare(&it, &shots);
    assert!(hits >= 60 && in_present * 2 < hits, "{hits} pellets, in the present {in_present}");
}

/// Players whose drawn box a ray passes through, ascending.
fn in_line(it: &Standoff, shot: &Shot, ray: &Ray) -> Vec<usize> {
    let request = TraceRequest::ray(ray.start, ray.end, contents::BODY, None);
    let crossed = |bounds| trace_box(bounds, Vec3::ZERO, contents::BODY, &request).hit();
    let picture = it.picture(shot).expect("the picture is known");
    picture.players.iter().filter(|(_, bounds)| crossed(bounds)).map(|(num, _)| num.index()).collect()
}

#[test]
fn the_railgun_goes_through_everybody_who_is_drawn_in_a_row() {
    let mut it = Standoff::new(12, ROUND_TRIP, 4, &still_when_hit());
    let row = [(1, vec3(0.0, 40.0, 26.0)), (2, vec3(120.0, 40.0, 26.0)), (3, vec3(240.0, 40.0, 26.0))];
    it.place(&[&[(SHOOTER, vec3(-500.0, 0.0, 26.0))], &row[..]].concat());
    it.arm(SHOOTER, weapon::RAILGUN);
    let (mut rows, mut in_present) = (0, 0);
    for n in 0..8 {
        for bot in 1..4 {
            it.lead(bot, steps_aside(if n % 2 == 0 { 1 } else { -1 }));
        }
        it.run(Millis(200));
        let at = it.drawn_box(2).center();
        let shot = {
            it.take_shots();
            it.pull(SHOOTER, at);
            for bot in 1..4 {
                it.lead(bot, None);
            }
            it.run(Millis(1600));
            it.take_shots().remove(0)
        };
        let mut hits: Vec<usize> = shot.hits().map(ClientNum::index).collect();
        hits.sort_unstable();
        assert_eq!(hits, in_line(&it, &shot, &shot.rays[0]), "{shot:#?}");
        rows += u32::from(hits.len() == 3);
        in_present += u32::from(shot.rays[0].hit_in_present.is_some_and(|hit| player(hit).is_some()));
    }
    assert!(rows >= 4 && in_present <= 4, "{rows} rows, {in_present} in the present");
}

#[test]
fn each_weapon_is_judged_as_its_bit_of_sv_unlag_weapons_says() {
    let all_but_rail = -1 - (1 << weapon::RAILGUN);
    let setup = still_when_hit().with(&format!("set sv_unlag_weapons {all_but_rail}"));
    let mut it = Standoff::new(13, ROUND_TRIP, 2, &setup);
    it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(-100.0, 30.0, 26.0))]);
    for (weapon, in_the_past) in
        [(weapon::RAILGUN, false), (weapon::MACHINEGUN, true), (weapon::SHOTGUN, true)]
    {
        it.arm(SHOOTER, weapon);
        let shots = volley(&mut it, 4, Millis(1600));
        assert_eq!(shots.len(), 4);
        assert!(shots.iter().all(|shot| shot.moment.is_some() == in_the_past), "{shots:#?}");
    }
    let told = it.sim.bots[SHOOTER].client.configstrings().serverinfo("sv_unlag_weapons");
    assert_eq!(told, all_but_rail.to_string());
}

#[test]
fn g_delaghitscan_is_in_the_serverinfo_as_clients_expect_and_does_what_it_says() {
    for (value, in_the_past) in [("1", true), ("0", false)] {
        let setup = still_when_hit().with(&format!("set g_delagHitscan {value}"));
        let mut it = Standoff::new(14, ROUND_TRIP, 2, &setup);
        it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(-100.0, 30.0, 26.0))]);
        it.arm(SHOOTER, weapon::RAILGUN);
        let shots = volley(&mut it, 4, Millis(1600));
        assert!(shots.iter().all(|shot| shot.moment.is_some() == in_the_past), "{shots:#?}");
        assert_eq!(it.sim.bots[SHOOTER].client.configstrings().serverinfo("g_delagHitscan"), value);
    }
}

#[test]
fn a_hit_moves_nobody_and_pushes_from_where_it_is() {
    let setup = room("", |map| map).with("set sv_fps 40");
    let mut it = Standoff::new(15, ROUND_TRIP, 2, &setup);
    it.place(&[(SHOOTER, vec3(-500.0, 0.0, 26.0)), (TARGET, vec3(0.0, 30.0, 26.0))]);
    it.arm(SHOOTER, weapon::RAILGUN);
    let target = it.num(TARGET);
    let mut last: Option<(i32, Vec3)> = None;
    let (mut longest, mut hits) = (0.0f32, 0);
    for n in 0..8 {
        it.lead(TARGET, steps_aside(if n % 2 == 0 { 1 } else { -1 }));
        it.run(Millis(150));
        let at = it.drawn_box(TARGET).center();
        let before = it.pose(TARGET).origin;
        last = None;
        it.pull(SHOOTER, at);
        let mut ran = 0;
        it.run_until("a second", |sim| {
            let time = sim.server.level_time().map_or(0, |time| time.0);
            if let Some(now) = pose(sim, target)
                && last.is_none_or(|(seen, _)| seen != time)
            {
                if let Some((_, from)) = last {
                    longest = longest.max(now.origin.distance(from));
                }
                last = Some((time, now.origin));
                ran += 1;
            }
            ran > 40
        });
        let after = it.pose(TARGET).origin;
        let shot = it.take_shots().remove(0);
        if shot.hits().next().is_some() {
            hits += 1;
            // The push is along the ray, away from the shooter.
            assert!(after.x > before.x + 50.0, "{before:?} {after:?}");
        }
        it.lead(TARGET, None);
        it.place(&[(TARGET, vec3(0.0, 30.0, 26.0))]);
    }
    // A frame of 25 ms at running speed and the push of a hundred points of damage together.
    assert!(hits >= 6 && longest < (320.0 + 500.0) * 0.025 + 3.0, "{hits} hits, {longest} units in a frame");
    let _ = last;
}

/// A target by the east wall is elsewhere by the time that a rocket is fired at where it is drawn; or it comes there. Health that
/// the rocket costs it.
fn rocket(from: Vec3, to: Vec3, lines: &[&str]) -> i32 {
    let setup = lines.iter().fold(still_when_hit(), |setup, line| setup.with(line));
    let mut it = Standoff::new(16, Millis(250), 2, &setup);
    it.place(&[(SHOOTER, vec3(700.0, 0.0, 26.0)), (TARGET, from)]);
    it.arm(SHOOTER, weapon::ROCKET_LAUNCHER);
    let before = it.health(TARGET);
    let target = it.num(TARGET);
    it.say(TARGET, &format!("setviewpos {} {} {} 90", to.x, to.y, to.z));
    it.run_until("the step", |sim| pose(sim, target).is_some_and(|pose| pose.origin.distance(from) > 200.0));
    it.take_shots();
    it.pull(SHOOTER, vec3(960.0, 0.0, 40.0));
    it.run(Millis(1500));
    assert!(it.take_shots().is_empty(), "a rocket is no ray");
    before - it.health(TARGET)
}

#[test]
fn what_flies_meets_and_bursts_in_the_present() {
    let (by_the_wall, away) = (vec3(960.0, 0.0, 26.0), vec3(960.0, -700.0, 26.0));
    // Drawn by the wall, gone since.
    let lost = rocket(by_the_wall, away, &[]);
    assert!(lost < 20, "{lost}");
    // Drawn elsewhere, there by now: it slides out of the rocket's way, and stays within the blast.
    let beside = vec3(940.0, -60.0, 26.0);
    let lost = rocket(away, beside, &[]);
    assert!((20..=100).contains(&lost), "{lost}");
}
