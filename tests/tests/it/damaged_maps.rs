//! A map that cannot be loaded is named with what is wrong with it, and the match goes on.

use fogline_common::time::Millis;
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;

fn check(file: Vec<u8>, words: &[&str]) {
    let setup = Setup::halls().with_file("maps/broken.bsp", file);
    let mut sim = fixture::sim(51, SimConfig::alike(2, &BotConfig::default(), LinkPair::default()), &setup);
    sim.run_until_all_active();
    sim.log.clear();
    sim.console("map broken");
    let said = &sim.log;
    assert!(
        said.iter().any(|line| words.iter().all(|word| line.contains(word))),
        "one sentence with {words:?} was wanted, the console said {said:?}"
    );
    assert_eq!(sim.server.map(), Some("halls"));
    sim.run(Millis(2_000));
    assert!(
        sim.bots.iter().all(|bot| bot.times_active == 1 && Bot::is_active(bot)),
        "somebody was thrown out"
    );
}

#[test]
fn a_damaged_map_is_named_with_its_lump_and_the_match_goes_on() {
    let good = fogline_tests::halls::file();
    let mut lump_beyond_the_end = good.clone();
    lump_beyond_the_end[8..12].copy_from_slice(&i32::MAX.to_le_bytes());
    check(lump_beyond_the_end, &["maps/broken.bsp", "lump", "2147483647"]);
    check(good[..good.len() / 2].to_vec(), &["maps/broken.bsp", "lump"]);
    check(b"IBSP".to_vec(), &["maps/broken.bsp"]);
    check(b"PK\x03\x04 this is no map".to_vec(), &["maps/broken.bsp"]);
}

#[test]
fn a_map_that_is_not_there_is_named_and_the_match_goes_on() {
    let setup = Setup::halls();
    let mut sim = fixture::sim(52, SimConfig::alike(1, &BotConfig::default(), LinkPair::default()), &setup);
    sim.run_until_all_active();
    sim.log.clear();
    sim.console("map nowhere");
    let said = &sim.log;
    assert!(said.iter().any(|line| line.contains("maps/nowhere.bsp")), "{said:?}");
    assert_eq!(sim.server.map(), Some("halls"));
}
