//! What is told of a shot: to its victim, on the host's console, in the log of shots, and of a claim that is not believed.

use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::weapon;
use fogline_common::time::Millis;
use fogline_server::rewind::report;
use fogline_server::rewind::shots::Shot;
use fogline_tests::fixture::Setup;
use fogline_tests::standoff::{Standoff, pose, room};
use fogline_tools::client::Input;
use serde_json::Value;

const SHOOTER: usize = 0;
const TARGET: usize = 1;
const ROUND_TRIP: Millis = Millis(100);
const WEST: Vec3 = vec3(-500.0, 0.0, 26.0);

/// What bots were shown that contains some words.
fn shown(it: &Standoff, bot: usize, words: &str) -> Vec<String> {
    it.sim.bots[bot].texts.iter().filter(|text| text.contains(words)).cloned().collect()
}

/// A target with a last bit of health runs past the shooter from the open into the shade of a wall, and is shot where it is drawn
/// once it has come so far on the shooter's screen. The shot; how long the target had been in the shade by then, if it was; and the
/// simulation.
fn shot_on_the_way_into_cover(setup: &Setup, drawn_at_y: f32) -> (Standoff, Shot, Option<Millis>) {
    let mut it = Standoff::new(31, ROUND_TRIP, 2, setup);
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(200.0, -300.0, 26.0))]);
    it.say(TARGET, "give health 20");
    it.lead(TARGET, Some(Input { right: -127, ..Input::default() }));
    // Seen from the shooter, the wall's edge shades y > 0; a body is tested a unit within its box.
    let target = it.num(TARGET);
    let mut last_in_the_open = 0;
    let note = |sim: &fogline_tests::sim::Sim<fogline_server::server::Server>, last: &mut i32| {
        if let (Some(pose), Some(time)) = (pose(sim, target), sim.server.level_time())
            && pose.alive
            && pose.origin.y - 14.0 <= 0.0
        {
            *last = time.0;
        }
    };
    it.run_until("its run", |sim| {
        note(sim, &mut last_in_the_open);
        sim.bots[SHOOTER].client.drawn_box(target).is_some_and(|drawn| drawn.center().y >= drawn_at_y)
    });
    let at = it.drawn_box(TARGET).center();
    it.take_shots();
    it.pull(SHOOTER, at);
    it.run_until("its death", |sim| {
        note(sim, &mut last_in_the_open);
        pose(sim, target).is_none_or(|pose| !pose.alive)
    });
    it.run(Millis(500));
    let shot = it.take_shots().remove(0);
    let shaded = shot.now.0 - last_in_the_open;
    (it, shot, (shaded > 0).then_some(Millis(shaded)))
}

fn walled() -> Setup {
    room("", |map| map.solid(Bounds::new(vec3(0.0, 0.0, 0.0), vec3(32.0, 600.0, 600.0))))
}

#[test]
fn who_dies_behind_cover_reads_how_late_it_was_seen_and_how_long_it_had_been_hidden() {
    let (it, shot, shaded) = shot_on_the_way_into_cover(&walled(), -14.0);
    let shaded = shaded.expect("it was in the shade");
    let name = &it.sim.bots[SHOOTER].client.config().name;
    assert!(
        shot.delay().0 >= ROUND_TRIP.0 && shot.delay() == shot.rewound() && shaded <= shot.rewound(),
        "{shot:#?}"
    );
    let text = format!(
        "{name}^7 saw you {} ms late, the shot was judged {} ms back, you had been behind cover for {} ms\n",
        shot.delay().0,
        shot.rewound().0,
        shaded.0
    );
    assert_eq!(shown(&it, TARGET, "saw you"), [text]);
    assert!(shown(&it, SHOOTER, "saw you").is_empty());
}

#[test]
fn who_dies_in_the_open_reads_that_it_was_in_sight() {
    let (it, shot, shaded) = shot_on_the_way_into_cover(&walled(), -200.0);
    assert_eq!(shaded, None);
    let text = format!(
        "bot0^7 saw you {} ms late, the shot was judged {} ms back, you were in its sight\n",
        shot.delay().0,
        shot.rewound().0
    );
    assert_eq!(shown(&it, TARGET, "saw you"), [text]);
}

#[test]
fn beyond_the_cap_the_victim_reads_both_numbers() {
    let setup = walled().with("set sv_maxunlag 100");
    let mut it = Standoff::new(32, ROUND_TRIP, 2, &setup);
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(200.0, -300.0, 26.0))]);
    it.say(TARGET, "give health 20");
    it.run(Millis(500));
    let at = it.drawn_box(TARGET).center();
    let shot = it.fire(at);
    let text = format!(
        "bot0^7 saw you {} ms late, the shot was judged 100 ms back, you were in its sight\n",
        shot.delay().0
    );
    assert!(shot.delay().0 > 110);
    assert_eq!(shown(&it, TARGET, "saw you"), [text]);
}

#[test]
fn g_deathreport_0_keeps_it_to_itself() {
    let (it, ..) = shot_on_the_way_into_cover(&walled().with("set g_deathReport 0"), -14.0);
    assert!(shown(&it, TARGET, "saw you").is_empty());
}

#[test]
fn shots_of_a_player_are_listed_newest_first() {
    let mut it = Standoff::new(33, ROUND_TRIP, 2, &room("", |map| map).with("set g_knockback 0"));
    it.arm(SHOOTER, weapon::MACHINEGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(0.0, 0.0, 26.0))]);
    it.take_shots();
    for n in 0..25 {
        let at = if n % 5 == 0 { vec3(0.0, 500.0, 400.0) } else { it.drawn_box(TARGET).center() };
        it.pull(SHOOTER, at);
        it.run(Millis(200));
    }
    let shots = it.take_shots();
    assert_eq!(shots.len(), 25);
    it.sim.log.clear();
    it.sim.console(&format!("shots {}", it.num(SHOOTER)));
    let expected: Vec<String> = shots.iter().rev().take(20).map(report::line).collect();
    let listed: Vec<&String> = it.sim.log.iter().filter(|line| line.contains("judged")).collect();
    assert_eq!(listed, expected.iter().collect::<Vec<_>>());
    assert!(
        expected.iter().any(|line| line.ends_with("hit nobody"))
            && expected.iter().any(|line| line.ends_with("hit 1"))
    );
    it.sim.console(&format!("shots {}", it.num(TARGET)));
    assert!(it.sim.log.iter().any(|line| line == "bot1 has not fired lately"), "{:?}", it.sim.log);
}

/// A vector, or the two corners of a box, as JSON has them.
fn numbers(values: impl IntoIterator<Item = f32>) -> Value {
    values.into_iter().map(|value| serde_json::from_str::<Value>(&value.to_string()).unwrap()).collect()
}

fn corners(bounds: &Bounds) -> Value {
    numbers(bounds.mins.to_array().into_iter().chain(bounds.maxs.to_array()))
}

#[test]
fn a_line_of_the_shot_log_has_all_of_the_shot() {
    let mut it = Standoff::new(34, ROUND_TRIP, 2, &room("", |map| map).with("set g_knockback 0"));
    it.arm(SHOOTER, weapon::SHOTGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(-200.0, 100.0, 26.0))]);
    it.lead(TARGET, Some(Input { right: 127, ..Input::default() }));
    it.run(Millis(300));
    while it.sim.server.poll_shot_log().is_some() {}
    let at = it.drawn_box(TARGET).center();
    let shot = it.fire(at);
    let line = it.sim.server.poll_shot_log().expect("a shot was fired");
    assert_eq!(it.sim.server.poll_shot_log(), None);
    let json: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let drawing = fogline_tools::shot::draw(&json).expect("the line has what a drawing needs");
    eprintln!("{line}\n{drawing}");
    assert_eq!((drawing.matches("class=\"then\"").count(), drawing.matches("class=\"now\"").count()), (2, 2));
    let bot = &it.sim.bots[SHOOTER].client;
    let moment = shot.moment.expect("it was judged in the past");
    assert_eq!(json["client"], it.num(SHOOTER).index());
    assert_eq!(
        (&json["name"], &json["guid"]),
        (&Value::from("bot0"), &Value::from(bot.config().guid.clone()))
    );
    assert_eq!(json["weapon"], weapon::SHOTGUN);
    assert_eq!((&json["time"], &json["claim"]), (&Value::from(shot.now.0), &Value::from(shot.claim.0)));
    assert_eq!((&json["at"], &json["oldest"]), (&Value::from(moment.at.0), &Value::from(shot.oldest.0)));
    assert_eq!((&json["fault"], &json["capped"]), (&Value::Null, &Value::from(false)));
    let rays = json["rays"].as_array().expect("rays");
    assert_eq!(rays.len(), 11);
    for (told, ray) in rays.iter().zip(&shot.rays) {
        assert_eq!(told["start"], numbers(ray.start.to_array()));
        assert_eq!(told["end"], numbers(ray.end.to_array()));
        assert_eq!(told["came"], numbers(ray.came.to_array()));
        assert_eq!(told["candidates"], ray.candidates);
        let number = |hit: Option<fogline_common::ids::EntityNum>| {
            hit.map_or(Value::Null, |num| Value::from(num.index()))
        };
        assert_eq!(told["hit"], number(ray.hit));
        assert_eq!(told["hit_in_present"], number(ray.hit_in_present.expect("it is asked for the log")));
    }
    let boxes = json["boxes"].as_array().expect("boxes");
    let target = it.num(TARGET).index();
    let known = shot.boxes.iter().find(|boxes| boxes.client.index() == target).expect("it was near");
    let told = boxes.iter().find(|boxes| boxes["client"] == target).expect("it was near");
    let then = known.then.expect("it was drawn");
    assert_eq!((&told["then"], &told["now"]), (&corners(&then), &corners(&known.now)));
    assert!((then.center() - known.now.center()).length() > 30.0, "it ran: {told}");
}

#[test]
fn every_claim_that_is_not_believed_is_logged_with_who_what_bound_and_reason() {
    let mut it = Standoff::of_a_cheat(35, Millis(60), Millis(300), 2, &room("", |map| map));
    it.run(Millis(5000));
    let (own, guid) = (it.num(SHOOTER), it.sim.bots[SHOOTER].client.config().guid.clone());
    it.sim.console(&format!("clientkick {own}"));
    it.sim.checks.config.may_lose = true;
    it.run(Millis(200));
    let counts = it.sim.server.rewind().counts();
    let all: u64 = counts.faults.iter().sum();
    assert!(all > 500, "{counts:?}");
    let lines: Vec<Value> = std::iter::from_fn(|| it.sim.server.poll_claim_log())
        .map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let (mut told, mut of_their_own) = (0, 0);
    for line in &lines {
        assert_eq!(
            (&line["client"], &line["guid"]),
            (&Value::from(own.index()), &Value::from(guid.clone())),
            "{line}"
        );
        assert_eq!(line["name"], "bot0");
        told += line["unwritten"].as_u64().expect("a count");
        if line["left"] == true {
            assert_eq!(line["refused"], all);
            continue;
        }
        of_their_own += 1;
        told += 1;
        let number = |key: &str| line[key].as_i64().unwrap_or_else(|| panic!("{key} of {line}"));
        assert!(number("claim") < number("oldest") && number("judged") >= number("claim"), "{line}");
        assert!(number("time") - number("claim") > 300, "{line}");
        assert!(["acknowledged", "habit", "line"].contains(&line["fault"].as_str().unwrap()), "{line}");
        assert_eq!(number("refused"), told as i64, "{line}");
    }
    assert_eq!(told, all, "every claim has a line or is counted in one");
    assert!((32..150).contains(&of_their_own), "{of_their_own} lines for {all} claims");
    let spoken: Vec<&String> =
        it.sim.log.iter().filter(|line| line.contains("claims to have drawn")).collect();
    assert!(spoken.len() <= 2 && spoken[0].contains(&guid), "{spoken:?}");
}

#[test]
fn without_a_file_claims_are_not_written_and_shots_of_a_liar_may_be_judged_by_the_present() {
    let setup = room("", |map| map).with("set sv_claimlog \"\"").with("set sv_unlag_refuse 1");
    let mut it = Standoff::of_a_cheat(36, Millis(60), Millis(300), 2, &setup);
    it.arm(SHOOTER, weapon::RAILGUN);
    it.place(&[(SHOOTER, WEST), (TARGET, vec3(0.0, 0.0, 26.0))]);
    let at = it.drawn_box(TARGET).center();
    let shot = it.fire(at);
    assert!(shot.fault.is_some() && shot.moment.is_none(), "{shot:#?}");
    assert_eq!(it.sim.server.poll_claim_log(), None);
}
