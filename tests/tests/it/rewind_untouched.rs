//! No shot, of whatever weapon, leaves a trace in the world by being judged in the past.

use fogline_common::openarena::weapon;
use fogline_common::time::Millis;
use fogline_server::game::native::NativeGame;
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture;
use fogline_tests::network::LinkPair;
use fogline_tests::shooting::range;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::untouched::{Looks, Untouched};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// A random match of five, everybody with another weapon every now and then.
fn play(seed: u64, seconds: i32) -> Looks {
    let mut rng = fastrand::Rng::with_seed(seed);
    let setup = range().with("set fraglimit 0").with("set sv_floodProtect 0");
    let link = |rng: &mut fastrand::Rng| LinkConfig {
        delay: Millis(rng.i32(0..120)),
        jitter: Millis(rng.i32(0..30)),
        loss: rng.f64() * 0.05,
        ..LinkConfig::default()
    };
    let bots = (0..5).map(|_| {
        let links = LinkPair { up: link(&mut rng), down: link(&mut rng) };
        (BotConfig { script: Script::Fight, ..BotConfig::default() }, links)
    });
    let checks = CheckConfig { may_miss: true, ..CheckConfig::default() };
    let config = SimConfig { bots: bots.collect(), checks, ..SimConfig::default() };
    let (game, looks) = Untouched::new(NativeGame::new());
    let mut sim = Sim::new(seed, config, fixture::server_of(seed, &setup, Box::new(game)));
    sim.set_map(&setup.clip_map());
    sim.console(&format!("devmap {}", setup.map));
    sim.run_until_all_active();
    let mut weapons = [0u8; 5];
    for bot in &mut sim.bots[..3] {
        // Some die and some do not.
        bot.client.command("god").expect("there is room for a command");
    }
    for step in 0..seconds * 20 {
        let now = sim.now();
        for (bot, weapon) in sim.bots.iter_mut().zip(&mut weapons) {
            if step % 20 == 0 {
                // Whoever is dead has nothing to take.
                let _ = bot.client.command("give all");
            }
            if step % 60 == 0 {
                *weapon = rng.u8(weapon::GAUNTLET as u8..=weapon::BFG as u8);
            }
            let mut hands = bot.mind.input(now, &bot.client);
            hands.weapon = Some(*weapon);
            bot.hands = Some(hands);
        }
        sim.run(Millis(50));
    }
    let looks = looks.lock().expect("nobody panics with it");
    eprintln!("seed {seed}: {looks:?}");
    *looks
}

fn check(seeds: std::ops::Range<u64>, seconds: i32) {
    let mut shots = [0; 16];
    for seed in seeds {
        let looks = play(seed, seconds);
        assert_eq!((looks.disturbed, looks.fickle), (0, 0), "seed {seed}: {looks:?}");
        shots.iter_mut().zip(looks.shots).for_each(|(sum, shots)| *sum += shots);
    }
    let instant = [weapon::GAUNTLET, weapon::MACHINEGUN, weapon::SHOTGUN, weapon::LIGHTNING, weapon::RAILGUN];
    for weapon in instant {
        assert!(shots[weapon as usize] > 10, "weapon {weapon} hardly fired: {shots:?}");
    }
}

#[test]
fn judging_a_shot_leaves_the_world_as_it_was() {
    check(0..4, 40);
}

/// Run by `cargo test --release -p fogline-tests --test it rewind_untouched -- --ignored --nocapture`.
#[test]
#[ignore = "a minute"]
fn judging_any_shot_of_many_matches_leaves_the_world_as_it_was() {
    check(100..140, 60);
}
