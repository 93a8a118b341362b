//! A match of server-side bots on one map, and what became of it: the row of a table.

use crate::game_host::{Match, client};
use crate::map_watch::MapWatch;
use fogline_common::ids::ClientNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{pers, stat};
use fogline_common::proto::PlayerState;
use fogline_server::config::Config;
use fogline_server::game::Game;

/// Farther than this in one frame is a teleporter or another life, and no way.
const JUMP: f32 = 200.0;

/// Bots at play.
pub struct BotMatch {
    /// The match.
    pub run: Match,
    /// Slots of the bots.
    pub bots: Vec<ClientNum>,
    /// How far each has moved. Unit: units.
    pub moved: Vec<f32>,
    /// What the host was told while the map began.
    pub remarks: Vec<String>,
    /// What must not happen, and whether it did.
    pub watch: MapWatch,
    /// Frames in which the walk graph grew.
    pub frames_of_building: u32,
    before: Vec<PlayerState>,
}

/// Numbers of the walk graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Places.
    pub nodes: u64,
    /// Ways from one to the next.
    pub edges: u64,
    /// Regions.
    pub regions: u64,
    /// Things that can be reached.
    pub things: u64,
    /// Moves that building it took.
    pub moves: u64,
}

impl BotMatch {
    /// Bots on a map, once they know its ways.
    ///
    /// # Panics
    /// If the ways are not found within an hour of the map.
    pub fn new(mut run: Match, bots: usize, skill: u32) -> Self {
        let remarks = std::mem::take(&mut run.host.printed);
        for _ in 0..bots {
            assert!(run.host_command(&format!("addbot random {skill}")), "addbot is a command");
        }
        Self { remarks, ..Self::of(run, (0..bots).map(client).collect()) }
    }

    /// A match whose bots were asked for already, once they know the ways of the map.
    ///
    /// # Panics
    /// If the ways are not found within an hour of the map.
    pub fn of(run: Match, bots: Vec<ClientNum>) -> Self {
        let watch = MapWatch::new(&run);
        let mut begun = Self {
            run,
            moved: vec![0.0; bots.len()],
            before: vec![PlayerState::default(); bots.len()],
            bots,
            remarks: Vec::new(),
            watch,
            frames_of_building: 0,
        };
        for _ in 0..72_000 {
            begun.run.frame();
            begun.watch.look(&begun.run, &begun.bots);
            begun.frames_of_building += 1;
            if begun.ways().is_some() {
                break;
            }
        }
        assert!(begun.ways().is_some(), "the ways of the map are not found");
        begun.note();
        begun.moved.fill(0.0);
        begun.run.host.logged.clear();
        begun
    }

    /// Plays on.
    pub fn play(&mut self, ms: i32) {
        for _ in 0..ms / Match::FRAME.0 {
            self.run.frame();
            self.watch.look(&self.run, &self.bots);
            self.note();
        }
    }

    fn note(&mut self) {
        for (at, &num) in self.bots.iter().enumerate() {
            let now = self.run.game.player_state(num);
            let step = now.origin.distance(self.before[at].origin);
            if step < JUMP && now.stats[stat::HEALTH as usize] > 0 {
                self.moved[at] += step;
            }
            self.before[at] = now;
        }
    }

    /// What the game says of its walk graph, once it is there.
    pub fn ways(&mut self) -> Option<Ways> {
        self.run.host.printed.clear();
        self.run.host_command("botlist");
        let line = self.run.host.printed.first()?.strip_prefix("ways: ")?.to_owned();
        let numbers: Vec<u64> =
            line.split(", ").filter_map(|part| part.split(' ').next()?.parse().ok()).collect();
        let [nodes, edges, regions, things, moves] = numbers[..] else { return None };
        Some(Ways { nodes, edges, regions, things, moves })
    }

    /// How long the way between the stands of the flags takes, as the host is told: from red to blue, and back. Unit: s.
    pub fn ways_between_flags(&mut self) -> String {
        self.run.host.printed.clear();
        self.run.host_command("botlist");
        let line = self.run.host.printed.iter().find_map(|line| line.strip_prefix("flags: "));
        line.unwrap_or_default().to_owned()
    }

    /// Whether the map asked for what the game does not know.
    pub fn unknown(&self) -> Option<&String> {
        self.remarks.iter().find(|line| line.contains("does not have"))
    }

    /// Lines of the log that begin with a word.
    pub fn logged(&self, word: &str) -> usize {
        self.run.host.logged.iter().filter(|line| line.starts_with(word)).count()
    }

    /// How often the log tells this of a flag: 0 taken, 1 brought home, 2 returned, 3 its carrier killed.
    pub fn told_of_flags(&self, what: u32) -> usize {
        let code = |line: &str| line.strip_prefix("CTF: ")?.split([' ', ':']).nth(2)?.parse::<u32>().ok();
        self.run.host.logged.iter().filter(|line| code(line) == Some(what)).count()
    }

    /// Kills of one bot by another.
    pub fn frags(&self) -> usize {
        let by_other = |line: &&String| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let (killer, killed) = (words.next(), words.next());
            killer != killed && killer != Some("1022")
        };
        self.run.host.logged.iter().filter(|line| line.starts_with("Kill:")).filter(by_other).count()
    }

    /// Kills that the log ascribes to these means.
    pub fn killed_by(&self, means: &str) -> usize {
        self.run.host.logged.iter().filter(|line| line.starts_with("Kill:") && line.ends_with(means)).count()
    }

    /// The bot that moved least, and how far.
    pub fn least_moved(&self) -> (ClientNum, f32) {
        let least = self.moved.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        least.map_or((client(0), 0.0), |(at, &moved)| (self.bots[at], moved))
    }

    /// Where a bot is.
    pub fn place(&self, num: ClientNum) -> Vec3 {
        self.run.game.player_state(num).origin
    }

    /// Captures of a bot.
    pub fn captures(&self, num: ClientNum) -> i32 {
        self.run.game.player_state(num).persistant[pers::CAPTURES as usize]
    }
}

/// Settings of a match of a game type.
pub fn config(game_type: i32) -> Config {
    Config {
        g_gametype: game_type,
        sv_maxclients: 16,
        fraglimit: 0,
        timelimit: 0,
        capturelimit: 0,
        ..Config::default()
    }
}
