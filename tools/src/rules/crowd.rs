//! Ways of players in a match that is played for it, in virtual time, by the program's own server: its bots, or players by a script.
//!
//! They see, fight, die and come again, take lifts and teleporters, and use doors. Unlike walkers they are a matter of the rules
//! too: a rule of the game that changes, changes them.

use crate::audit::bout::{self, BoutConfig};
use crate::rim::maps::LoadedMap;
use crate::rules::paths::{Path, Paths, Stance};
use crate::script::Script;
use fogline_common::ids::ClientNum;
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_server::server::Server;
use std::collections::BTreeMap;

/// Frames per second of the match: a place every 8 ms, as walkers have it.
const FPS: i32 = 125;
/// Bots must know the ways of the map by then.
const WAYS_TIMEOUT: Millis = Millis(3_600_000);
/// How often it is asked whether they do.
const ASK_EVERY: Millis = Millis(1000);
/// Bots play so long before it counts.
const WARM_UP: Millis = Millis(5000);

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Nobody: hands that a seed moves, without a server.
    Walkers,
    /// The server's own bots.
    Bots,
    /// Headless clients.
    Scripted(Script),
}

impl std::str::FromStr for Crowd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "walkers" => Ok(Self::Walkers),
            "bots" => Ok(Self::Bots),
            script => match script.parse() {
                Ok(script) => Ok(Self::Scripted(script)),
                Err(sentence) => Err(format!("neither walkers nor bots, and {sentence}")),
            },
        }
    }
}

/// The ways of `count` bots over `span`, once they know the map.
///
/// # Errors
/// A sentence, if the map does not start or its ways are not found.
pub fn bots(map: &LoadedMap, count: usize, span: Millis, seed: u64) -> Result<Paths, String> {
    let mut config = config(map, Script::Idle, count, span, seed);
    config.settings.push(("bot_minplayers".to_owned(), count.to_string()));
    let mut server = bout::server(&config, seed)?;
    let mut now = Arrival::default();
    let mut run = |server: &mut Server, span: Millis, watched: &mut Watched| {
        let until = now.after(span);
        while server.next_wakeup() <= until {
            now = server.next_wakeup();
            server.advance(now);
            watched.look(server);
            while server.poll_vistrace().is_some() || server.poll_game_log().is_some() {}
        }
        now = until;
        now
    };
    let mut asked = 0;
    loop {
        let now = run(&mut server, ASK_EVERY, &mut Watched::default());
        while server.poll_log().is_some() {}
        server.console_line(now, "botlist");
        let said: Vec<String> = std::iter::from_fn(|| server.poll_log()).collect();
        if said.iter().any(|line| line.contains("ways: ") && line.contains("edges")) {
            break;
        }
        asked += ASK_EVERY.0;
        if asked > WAYS_TIMEOUT.0 {
            return Err(format!("{}: bots do not find its ways: {}", map.name, said.join(" ")));
        }
    }
    run(&mut server, WARM_UP, &mut Watched::default());
    let mut watched = Watched::default();
    run(&mut server, span, &mut watched);
    watched.paths(format!("{count} bots of seed {seed}"), count)
}

/// The ways of `count` players by a script over `span`.
///
/// # Errors
/// A sentence, if the map does not start or a player does not get into the game.
pub fn scripted(
    map: &LoadedMap,
    script: Script,
    count: usize,
    span: Millis,
    seed: u64,
) -> Result<Paths, String> {
    let mut watched = Watched::default();
    bout::play_watched(&config(map, script, count, span, seed), |_| (), |server| watched.look(server))?;
    let name = format!("{script:?}").to_lowercase();
    watched.paths(format!("{count} players by the script {name} of seed {seed}"), count)
}

fn config(map: &LoadedMap, script: Script, clients: usize, span: Millis, seed: u64) -> BoutConfig {
    let setting = |name: &str, value: String| (name.to_owned(), value);
    BoutConfig {
        map: map.clone(),
        settings: vec![setting("sv_netoptimize", "0".to_owned()), setting("sv_fps", FPS.to_string())],
        cheats: script == Script::Rocket,
        clients,
        script,
        links: Default::default(),
        snaps: FPS,
        frame: Millis(8),
        span,
        seed,
    }
}

/// What was seen of a server frame by frame.
#[derive(Default)]
struct Watched {
    of: BTreeMap<usize, Path>,
    last: Option<ServerTime>,
}

impl Watched {
    fn look(&mut self, server: &Server) {
        let Some(time) = server.level_time().filter(|&time| self.last != Some(time)) else { return };
        self.last = Some(time);
        for num in ClientNum::all(server.clients().capacity()) {
            if let Some(state) = server.player_state(num) {
                self.of.entry(num.index()).or_default().push(time.0, Stance::of(&state));
            }
        }
    }

    fn paths(self, source: String, count: usize) -> Result<Paths, String> {
        let players: Vec<Path> = self.of.into_values().collect();
        if players.len() == count {
            Ok(Paths { source, players })
        } else {
            Err(format!("{} of {count} players were in the match", players.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rim::maps::Maps;
    use fogline_server::arena;

    /// How far each went in level ways of less than a teleporter's.
    fn ways(paths: &Paths) -> Vec<f32> {
        let [begin, end] = paths.ends().unwrap();
        let way = |path: &Path| {
            let at = |time: i32| path.known(time).map(|stance| stance.stand.origin);
            let step = |time: i32| Some(at(time)?.distance(at(time + 8)?)).filter(|&step| step < 50.0);
            (begin..end).step_by(8).filter_map(step).sum()
        };
        paths.players.iter().map(way).collect()
    }

    #[test]
    fn bots_and_scripted_players_go_about_and_a_seed_is_a_match() {
        let map = Maps::open(None).load(arena::NAME).unwrap();
        let span = Millis(4000);
        let bots = || bots(&map, 3, span, 7).unwrap();
        let peeks = || scripted(&map, Script::Peek, 3, span, 7).unwrap();
        for paths in [bots(), peeks()] {
            let ways = ways(&paths);
            assert!(ways.len() == 3 && ways.iter().all(|&way| way > 200.0), "{}: {ways:?}", paths.source);
        }
        assert_eq!((bots().players, peeks().players), (bots().players, peeks().players));
    }

    #[test]
    fn a_crowd_that_nobody_knows_is_told_of_by_name() {
        assert_eq!("bots".parse(), Ok(Crowd::Bots));
        assert_eq!("peek".parse(), Ok(Crowd::Scripted(Script::Peek)));
        assert!("tourists".parse::<Crowd>().unwrap_err().contains("tourists"));
    }
}
