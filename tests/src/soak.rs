//! The match that soaks run: many players of every script on links that lose and delay.

use crate::bot::BotConfig;
use crate::fixture::{self, Setup};
use crate::network::LinkPair;
use crate::sim::{ServerUnderTest, Sim, SimConfig};
use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

const SCRIPTS: [Script; 6] =
    [Script::Wander, Script::Fight, Script::Jump, Script::Strafe, Script::Chat, Script::Fight];

/// A match of `players` on links with 5 % loss and 100 ms jitter, all in the game, on a server in whatever `wrap` puts it.
pub fn begin<S: ServerUnderTest>(seed: u64, players: usize, wrap: impl FnOnce(Server) -> S) -> Sim<S> {
    let links = LinkPair::both(LinkConfig {
        delay: Millis(40),
        jitter: Millis(100),
        loss: 0.05,
        ..LinkConfig::default()
    });
    let bot = |index: usize| {
        let script = SCRIPTS[index % SCRIPTS.len()];
        (BotConfig { script, ..BotConfig::default() }, links)
    };
    let config = SimConfig { bots: (0..players).map(bot).collect(), ..SimConfig::default() };
    // Nobody wins: an intermission would make the match short.
    let setup = Setup::installed_or_halls("oa_dm5").with("set fraglimit 0").with("set timelimit 0");
    let mut sim = Sim::new(seed, config, wrap(fixture::server(seed, &setup)));
    sim.set_map(&fixture::clip_map(&setup.map));
    sim.run_until_all_active();
    sim
}

/// Everybody is still in, and nobody ever was not.
///
/// # Panics
/// If that is not so.
pub fn check<S: ServerUnderTest>(sim: &Sim<S>) {
    for bot in &sim.bots {
        assert!(bot.is_active(), "seed {}: {:?}", sim.seed(), bot.client.state());
        assert_eq!(bot.times_active, 1, "seed {}: somebody had to come back", sim.seed());
    }
    assert!(sim.checks.compared > 100, "compared only {} snapshots", sim.checks.compared);
    assert!(sim.network.in_flight() < 1000, "{} datagrams in flight", sim.network.in_flight());
}
