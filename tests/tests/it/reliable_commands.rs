//! What must arrive arrives: once, in order, whatever the network loses.

use fogline_common::ids::ConfigstringNum;
use fogline_common::time::{Arrival, Millis};
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

const LINES: usize = 40;

fn lossy() -> LinkPair {
    LinkPair::both(LinkConfig {
        delay: Millis(40),
        jitter: Millis(60),
        loss: 0.25,
        duplicate: 0.1,
        reorder: 0.1,
        reorder_by: Millis(120),
        ..LinkConfig::default()
    })
}

/// Numbers of the lines that a bot read from `speaker`, in the order in which it did.
fn lines_from(bot: &Bot, speaker: usize) -> Vec<usize> {
    let mark = format!("from{speaker}-");
    let number = |text: &String| {
        let at = text.find(&mark)? + mark.len();
        text[at..].split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    bot.texts.iter().filter_map(number).collect()
}

#[test]
fn every_line_of_chat_arrives_once_and_in_order_under_loss() {
    let bot = BotConfig { script: Script::Wander, ..BotConfig::default() };
    let setup = Setup::halls().with("set sv_floodProtect 0");
    let mut sim = fixture::sim(21, SimConfig::alike(3, &bot, lossy()), &setup);
    sim.run_until_all_active();
    for line in 0..LINES {
        for speaker in 0..2 {
            sim.bots[speaker].client.command(&format!("say from{speaker}-{line}")).unwrap();
        }
        sim.run(Millis(120));
    }
    sim.run(Millis(5000));
    let expected: Vec<_> = (0..LINES).collect();
    for (index, bot) in sim.bots.iter().enumerate() {
        for speaker in 0..2 {
            assert_eq!(lines_from(bot, speaker), expected, "bot {index} read of {speaker}");
        }
    }
}

/// A serverinfo of a thousand bytes and more travels in pieces and is whole at the end, for those who play and those who come.
#[test]
fn a_long_configstring_arrives_whole_under_loss() {
    let bot = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let late = BotConfig { joins_at: Arrival::from_millis(30_000), ..bot.clone() };
    let bots = [bot.clone(), bot, late].map(|bot| (bot, lossy()));
    let config = SimConfig { bots: bots.to_vec(), ..SimConfig::default() };
    let mut sim = fixture::sim(22, config, &Setup::halls());
    assert!(sim.run_until(Millis(20_000), |sim| sim.bots[..2].iter().all(Bot::is_active)));
    let length = sim.bots[0].client.configstrings().text(ConfigstringNum::SERVERINFO).len();
    let value: String =
        (0..1015 - length - "\\x_long\\".len()).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    sim.console(&format!("sets x_long {value}"));
    sim.run_until_all_active();
    sim.run(Millis(5000));
    for (index, bot) in sim.bots.iter().enumerate() {
        assert!(bot.is_active(), "bot {index}: {:?} {:?}", bot.client.state(), bot.lost);
        let strings = bot.client.configstrings();
        assert_eq!(strings.text(ConfigstringNum::SERVERINFO).len(), 1015, "bot {index}");
        assert_eq!(strings.serverinfo("x_long"), value, "bot {index}");
    }
}

/// With flood protection on, a second line within the second is not passed on, and nobody is dropped for it.
#[test]
fn a_flood_of_chat_is_held_back_and_forgiven() {
    let bot = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let mut sim = fixture::sim(23, SimConfig::alike(2, &bot, LinkPair::default()), &Setup::halls());
    sim.run_until_all_active();
    sim.run(Millis(2000));
    for line in 0..30 {
        sim.bots[0].client.command(&format!("say from0-{line}")).unwrap();
        sim.run(Millis(50));
    }
    sim.run(Millis(2000));
    let heard = lines_from(&sim.bots[1], 0);
    assert!(!heard.is_empty() && heard.len() < 5, "heard {heard:?}");
    assert!(sim.bots.iter().all(Bot::is_active));
}
