//! Clients without the map fetch it from the server, over lines that lose, while others play; and what bad clients try.

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::halls;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::ClientState;
use fogline_tools::client::config::{ClientConfig, Engine};
use fogline_tools::client::events::DropReason;
use fogline_tools::link::LinkConfig;

/// The pk3 file of the halls, as clients ask for it.
const ASKED: &str = "baseoa/halls.pk3";

/// Bytes that no compression makes smaller, as those of a pk3 file.
fn file(bytes: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(bytes as u64);
    (0..bytes).map(|_| rng.u8(..)).collect()
}

/// The halls out of a pk3 file of so many bytes.
fn setup(bytes: usize) -> Setup {
    Setup::halls().with_pak("baseoa/halls", -77, file(bytes), &format!("maps/{}.bsp", halls::NAME))
}

fn bot(downloads: bool) -> BotConfig {
    let client = ClientConfig { downloads, ..ClientConfig::default() };
    BotConfig { client, ..BotConfig::default() }
}

fn lossy() -> LinkPair {
    let link = LinkConfig { delay: Millis(40), jitter: Millis(10), loss: 0.05, ..LinkConfig::default() };
    LinkPair::both(link)
}

/// One who fetches, on such a line, and how long it took to be in the game. Unit: ms.
fn fetched(links: LinkPair, bytes: usize, seed: u64) -> (Sim<Server>, i32) {
    let config = SimConfig { from_afar: true, ..SimConfig::alike(1, &bot(true), links) };
    let mut sim = fixture::sim(seed, config, &setup(bytes));
    sim.run_until_all_active();
    let took = (sim.now().0 / 1000) as i32;
    assert_eq!(sim.bots[0].files.len(), 1, "seed {seed}");
    let (name, came) = &sim.bots[0].files[0];
    assert_eq!((name.as_str(), came.len()), (ASKED, bytes), "seed {seed}");
    assert!(**came == file(bytes), "seed {seed}: other bytes came");
    assert_eq!(sim.bots[0].warnings, Vec::<String>::new(), "seed {seed}");
    assert_eq!(sim.server.metrics().downloads_complete, 1, "seed {seed}");
    (sim, took)
}

#[test]
fn a_client_without_the_map_fetches_it_and_plays() {
    for bytes in [1, 1023, 1024, 1025, 300_000] {
        fetched(LinkPair::default(), bytes, 11);
    }
}

#[test]
fn each_engine_fetches_on_its_own_wire() {
    for engine in [Engine::Quake3, Engine::OpenArena, Engine::Ioquake3] {
        let client = ClientConfig { engine, downloads: true, ..ClientConfig::default() };
        let config = SimConfig::alike(1, &BotConfig { client, ..BotConfig::default() }, LinkPair::default());
        let mut sim = fixture::sim(12, config, &setup(70_000));
        sim.run_until_all_active();
        assert!(*sim.bots[0].files[0].1 == file(70_000), "{engine:?}");
    }
}

/// Lost blocks cost round trips and not seconds: of 293 blocks 15 are lost on average, and as many acknowledgements.
#[test]
fn what_is_lost_comes_again() {
    for seed in 20..24 {
        let (sim, took) = fetched(lossy(), 300_000, seed);
        let counts = sim.bots[0].client.counts();
        assert!(counts.messages_lost > 5, "seed {seed}: nothing was lost");
        assert!(took < 12_000, "seed {seed}: it took {took} ms");
        let sent = sim.server.metrics().download_blocks;
        assert!(sent < 2 * 294, "seed {seed}: {sent} blocks for 294");
    }
}

#[test]
fn the_hosts_rate_is_kept_over_all_clients_together() {
    let config = SimConfig { from_afar: true, ..SimConfig::alike(4, &bot(true), LinkPair::default()) };
    let mut sim = fixture::sim(13, config, &setup(200_000).with("set sv_dlRate 50"));
    sim.run_until_all_active();
    // 4 * 196 blocks at 50 a second.
    let took = sim.now().0 / 1000;
    assert!((15_600..17_500).contains(&took), "it took {took} ms");
    for bot in &sim.bots {
        assert!(*bot.files[0].1 == file(200_000));
    }
}

/// One who plays hears from the server in every frame, whatever three others fetch at no bound.
#[test]
fn those_who_play_notice_nothing() {
    let mut config = SimConfig { from_afar: true, ..SimConfig::alike(4, &bot(true), LinkPair::default()) };
    config.bots[0].0 = bot(false);
    for (bot, _) in &mut config.bots[1..] {
        bot.joins_at = fogline_common::time::Arrival::from_millis(3000);
    }
    let mut sim = fixture::sim(14, config, &setup(400_000).with("set sv_dlRate 0"));
    sim.run(Millis(2900));
    let before = sim.bots[0].client.counts().snapshots;
    let frames = sim.server.metrics().frames;
    sim.run_until_all_active();
    let frames = sim.server.metrics().frames - frames;
    let counts = sim.bots[0].client.counts();
    assert!(counts.snapshots - before + 2 >= frames, "{} of {frames}", counts.snapshots - before);
    assert!(counts.longest_gap <= Millis(60), "{:?} without a snapshot", counts.longest_gap);
    assert_eq!(sim.server.metrics().stalled_ms, 0);
    assert_eq!(sim.server.metrics().downloads_complete, 3);
}

#[test]
fn a_map_change_does_not_break_off_what_is_on_its_way() {
    let config = SimConfig { from_afar: true, ..SimConfig::alike(1, &bot(true), LinkPair::default()) };
    let mut sim = fixture::sim(15, config, &setup(300_000));
    assert!(sim.run_until(Millis(5000), |sim| sim.bots[0].client.counts().blocks > 50));
    sim.console(&format!("map {}", fixture::SECOND_MAP));
    sim.run_until_all_active();
    assert!(*sim.bots[0].files[0].1 == file(300_000));
    assert_eq!(sim.bots[0].gamestates, 2);
    assert_eq!(sim.server.map(), Some(fixture::SECOND_MAP));
}

#[test]
fn the_same_seed_sends_the_same_bytes() {
    let hash = || fetched(lossy(), 100_000, 30).0.sent_hash;
    assert_eq!(hash(), hash());
}

/// A client that says something of its own. What became of it after some seconds.
fn says(words: &[&str], setup: &Setup) -> Sim<Server> {
    let mut sim = fixture::sim(16, odd(1), setup);
    sim.run_until_all_active();
    for word in words {
        sim.bots[0].client.command(word).unwrap();
    }
    sim.run(Millis(4000));
    sim
}

/// Bots that fetch nothing by themselves and may be sent away.
fn odd(count: usize) -> SimConfig {
    let checks = CheckConfig { may_lose: true, ..CheckConfig::default() };
    SimConfig { checks, ..SimConfig::alike(count, &bot(false), LinkPair::default()) }
}

fn refusal(asked: &str, setup: &Setup) -> String {
    let sim = says(&[&format!("download {asked}")], setup);
    assert!(sim.bots[0].is_active(), "{asked}");
    assert_eq!(sim.server.metrics().download_blocks, 0, "{asked}");
    let texts = &sim.bots[0].texts;
    let found = texts.iter().find(|text| text.contains("is not sent") || text.contains("not held"));
    found.unwrap_or_else(|| panic!("{asked}: {texts:?}")).clone()
}

#[test]
fn nothing_but_the_offered_file_by_its_exact_name_is_sent() {
    let setup = setup(5000).with_file("secret.pk3", vec![1; 50]);
    for asked in [
        "../baseoa/halls.pk3",
        "baseoa/../secret.pk3",
        "/etc/passwd",
        "baseoa\\halls.pk3",
        "BaseOA/Halls.pk3",
        "baseoa/halls",
        "secret.pk3",
        "baseoa/secret.pk3",
        "server.cfg",
        "baseoa/fogserver.cfg",
        "baseoa/halls.pk3.",
        "\"\"",
    ] {
        refusal(asked, &setup);
    }
    assert!(refusal("baseoa/pak0.pk3", &setup).contains("belongs to the game"));
    assert!(refusal("baseq3/pak8.pk3", &setup).contains("belongs to the game"));
    let off = setup.with("set sv_allowDownload 0");
    assert!(refusal(ASKED, &off).contains("switched off"));
}

#[test]
fn a_refused_client_reads_why_and_gives_up() {
    let mut config = odd(1);
    config.bots[0].0 = bot(true);
    let mut sim = fixture::sim(17, config, &setup(5000).with("set sv_allowDownload 0"));
    assert!(sim.run_until(Millis(20_000), |sim| !sim.bots[0].lost.is_empty()));
    let DropReason::Error(why) = &sim.bots[0].lost[0].1 else { panic!("{:?}", sim.bots[0].lost) };
    assert!(why.contains("switched off"), "{why}");
}

#[test]
fn acknowledgements_out_of_order_end_the_connection() {
    for words in [
        &["download baseoa/halls.pk3", "nextdl 5"][..],
        &["download baseoa/halls.pk3", "nextdl -1"],
        &["download baseoa/halls.pk3", "nextdl 0"],
        &["download baseoa/halls.pk3", "nextdl x"],
        &["download baseoa/halls.pk3", "nextdl"],
    ] {
        let sim = says(words, &setup(50_000));
        let lost: Vec<_> = sim.bots[0].lost.iter().map(|(_, reason)| reason.to_string()).collect();
        assert!(lost.iter().any(|reason| reason.contains("broken download")), "{words:?}: {lost:?}");
    }
    // Without a transfer they mean nothing.
    let sim = says(&["nextdl 0", "nextdl 7", "stopdl", "donedl", "download", "stopdl"], &setup(50_000));
    assert!(sim.bots[0].is_active());
}

#[test]
fn one_who_stops_gets_snapshots_again() {
    let mut sim = says(&["download baseoa/halls.pk3", "stopdl"], &setup(500_000));
    assert!(sim.bots[0].is_active());
    let before = sim.bots[0].client.counts().snapshots;
    sim.run(Millis(1000));
    assert!(sim.bots[0].client.counts().snapshots >= before + 19);
}

/// It asks and never acknowledges: after some tries the window goes out once a second, and after a minute it is sent away.
#[test]
fn one_who_takes_nothing_is_sent_away() {
    let mut sim = says(&["download baseoa/halls.pk3"], &setup(500_000));
    let gone = sim.run_until(Millis(70_000), |sim| !sim.bots[0].lost.is_empty());
    assert!(gone, "{:?}", sim.bots[0].client.state());
    assert!(matches!(sim.bots[0].client.state(), ClientState::Disconnected(DropReason::ByServer(_))));
    let sent = sim.server.metrics().download_blocks;
    assert!(sent < 65 * 48, "{sent} blocks");
}

/// As many requests in every packet as a client may make: the server answers as before, and what it sends is bounded.
#[test]
fn a_flood_of_requests_costs_no_more_than_one() {
    let mut sim = fixture::sim(18, odd(2), &setup(500_000));
    sim.run_until_all_active();
    for _ in 0..40 {
        for _ in 0..30 {
            // Once too many wait for acknowledgement it may make no more.
            let _ = sim.bots[0].client.command("download baseoa/halls.pk3");
        }
        sim.run(Millis(100));
    }
    let metrics = sim.server.metrics();
    assert!(metrics.downloads > 600, "{} requests came", metrics.downloads);
    // Four seconds at 100 blocks a second, and what is caught up with.
    assert!(metrics.download_blocks <= 420, "{} blocks", metrics.download_blocks);
    assert!(sim.bots[1].client.counts().longest_gap <= Millis(100), "the other was kept waiting");
    assert!(sim.bots[1].is_active());
}
