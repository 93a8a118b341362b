//! A shooter and others in a room, led by hand: one shot at a time, with what the shooter drew and what the server made of it.
//!
//! Bot 0 shoots, over a line of its own; the others have none to speak of. Nobody may be moved by chance: whoever has no hands
//! stands still, and comes back when dead.

use crate::bot::BotConfig;
use crate::checks::CheckConfig;
use crate::fixture::{self, Setup};
use crate::network::LinkPair;
use crate::shooting::{Drawn, hit_in_scene, note_drawn};
use crate::sim::{Sim, SimConfig};
use crate::tiny_map::TinyMap;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vector_to_angles};
use fogline_common::openarena::stat;
use fogline_common::proto::button;
use fogline_common::time::{Arrival, Millis};
use fogline_server::rewind::history::Pose;
use fogline_server::rewind::shots::{Ray, Shot};
use fogline_server::server::Server;
use fogline_tools::client::Input;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::moves::CMD_BACKUP;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Time from one drawn frame to the next. Unit: ms.
const FRAME_MS: i32 = 8;
/// What a usercmd waits for besides the round trip until its client has the answer, at most. Unit: ms.
const ANSWER_WAITS_MS: i32 = 140;

/// Frames of a client over a line of this round trip. It keeps its last 64 usercmds; did they not reach back to the newest snapshot's,
/// it would predict nothing any more, and look from where it once was. Source: `CMD_BACKUP`, `CG_PredictPlayerState`.
fn frame_of(round_trip: Millis) -> Millis {
    Millis(FRAME_MS.max((round_trip.0 + ANSWER_WAITS_MS) / CMD_BACKUP as i32 + 1))
}

/// A shooter and others.
pub struct Standoff {
    /// The simulation.
    pub sim: Sim<Server>,
    map: Arc<ClipMap>,
    drawn: BTreeMap<i32, Drawn>,
    told: u64,
    /// The shooter's shots since they were taken last.
    shots: Vec<Shot>,
    weapons: Vec<i32>,
}

impl Standoff {
    /// Lets `count` bots into a room, the shooter over a line of this round trip, and gives all of them everything but armour.
    pub fn new(seed: u64, round_trip: Millis, count: usize, setup: &Setup) -> Self {
        Self::of_a_cheat(seed, round_trip, Millis(0), count, setup)
    }

    /// The same with a shooter that claims in its usercmds to have drawn so much earlier than it did.
    pub fn of_a_cheat(seed: u64, round_trip: Millis, backdate: Millis, count: usize, setup: &Setup) -> Self {
        let half = Millis(round_trip.0 / 2);
        let down = LinkConfig { delay: half, ..LinkConfig::default() };
        let up = LinkConfig { delay: Millis(round_trip.0 - half.0), ..LinkConfig::default() };
        let client = ClientConfig {
            frame: frame_of(round_trip),
            max_packets: 125,
            is_lan: true,
            rate: 100_000,
            snaps: 40,
            ..ClientConfig::default()
        };
        let bot = |n: usize| {
            let links = if n == 0 { LinkPair { up, down } } else { LinkPair::default() };
            let backdate = if n == 0 { backdate } else { Millis(0) };
            let client = ClientConfig { backdate, ..client.clone() };
            // Slots are given in this order.
            let joins_at = Arrival::from_millis(n as u64 * 3000);
            (BotConfig { client, script: Script::Idle, joins_at, ..BotConfig::default() }, links)
        };
        let config = SimConfig {
            bots: (0..count).map(bot).collect(),
            checks: CheckConfig { may_miss: true, ..CheckConfig::default() },
            ..SimConfig::default()
        };
        // What a test says wins.
        let defaults = [
            "set sv_netoptimize 0",
            "set sv_shotlog shots.jsonl",
            "set fraglimit 0",
            "set g_forcerespawn 0",
            "set sv_floodProtect 0",
        ];
        let mut setup = setup.clone();
        setup.before.splice(0..0, defaults.map(str::to_owned));
        let map = setup.clip_map();
        let mut sim = fixture::sim(seed, config, &setup);
        sim.console(&format!("devmap {}", setup.map));
        sim.run_until_all_active();
        let mut standoff =
            Self { sim, map, drawn: BTreeMap::new(), told: 0, shots: Vec::new(), weapons: vec![0; count] };
        // What protects who has just come in is over then.
        standoff.run(Millis(4000));
        for bot in 0..count {
            for words in ["give weapons", "give ammo", "give health 999"] {
                standoff.say(bot, words);
            }
        }
        standoff.run(Millis(500));
        standoff
    }

    /// Runs for a while.
    pub fn run(&mut self, span: Millis) {
        // The book holds as many shots as a second can have.
        for _ in 0..span.0 / 500 {
            self.run_a_little(Millis(500));
        }
        self.run_a_little(Millis(span.0 % 500));
    }

    fn run_a_little(&mut self, span: Millis) {
        let drawn = &mut self.drawn;
        self.sim.run_until(span, |sim| {
            note_drawn(sim, drawn);
            false
        });
        self.take_new_shots();
    }

    /// Runs until something is true of the server.
    ///
    /// # Panics
    /// If it does not become true within ten seconds.
    pub fn run_until(&mut self, what: &str, mut done: impl FnMut(&Sim<Server>) -> bool) {
        let drawn = &mut self.drawn;
        let came = self.sim.run_until(Millis(10_000), |sim| {
            note_drawn(sim, drawn);
            done(sim)
        });
        assert!(came, "seed {}: {what} did not happen in ten seconds", self.sim.seed());
        self.take_new_shots();
    }

    fn take_new_shots(&mut self) {
        let own = self.num(0);
        let book = self.sim.server.rewind().shots();
        let fresh = book.newest_first().take_while(|shot| shot.number > self.told);
        let mut fresh: Vec<Shot> = fresh.filter(|shot| shot.shooter == Some(own)).cloned().collect();
        fresh.reverse();
        self.told = book.count;
        self.shots.append(&mut fresh);
    }

    /// A bot's slot.
    ///
    /// # Panics
    /// If it has none.
    pub fn num(&self, bot: usize) -> ClientNum {
        self.sim.bots[bot].client.client_num().expect("the bot is in the game")
    }

    /// A bot leaves, and somebody else comes at once.
    pub fn replace(&mut self, bot: usize) {
        let now = self.sim.now();
        self.sim.bots[bot].client.disconnect(now);
        self.run_a_little(Millis(10));
        let now = self.sim.now();
        self.sim.bots[bot].begin_anew(now);
    }

    /// A bot says something that the server understands.
    pub fn say(&mut self, bot: usize, words: &str) {
        self.sim.bots[bot].client.command(words).expect("there is room for a command");
    }

    /// Puts bots somewhere, looking along +x, and lets them come to rest.
    pub fn place(&mut self, places: &[(usize, Vec3)]) {
        for &(bot, at) in places {
            self.say(bot, &format!("setviewpos {} {} {} 0", at.x, at.y, at.z));
        }
        self.run(Millis(1500));
    }

    /// What a bot's hands do from now on; its own mind again if `None`.
    pub fn lead(&mut self, bot: usize, hands: Option<Input>) {
        self.sim.bots[bot].hands = hands;
    }

    /// The weapon in a bot's hand from now on.
    pub fn arm(&mut self, bot: usize, weapon: i32) {
        self.weapons[bot] = weapon;
        self.lead(bot, Some(self.idle(bot, Vec3::ZERO)));
        self.run(Millis(1500));
    }

    fn idle(&self, bot: usize, look: Vec3) -> Input {
        let weapon = u8::try_from(self.weapons[bot]).ok().filter(|&weapon| weapon != 0);
        Input { look, weapon, ..Input::default() }
    }

    /// Where a bot is by the newest frame of the server.
    ///
    /// # Panics
    /// If it is nowhere.
    pub fn pose(&self, bot: usize) -> Pose {
        pose(&self.sim, self.num(bot)).unwrap_or_else(|| panic!("bot {bot} is nowhere"))
    }

    /// Health of a bot, by its newest snapshot.
    pub fn health(&self, bot: usize) -> i32 {
        let newest = self.sim.bots[bot].client.snapshots().newest().expect("it has snapshots");
        newest.player.stats[stat::HEALTH as usize]
    }

    /// Where the shooter draws the middle of a bot now.
    ///
    /// # Panics
    /// If it does not draw it.
    pub fn drawn_box(&self, bot: usize) -> Bounds {
        self.sim.bots[0].client.drawn_box(self.num(bot)).unwrap_or_else(|| panic!("bot {bot} is not drawn"))
    }

    /// Where the shooter draws the middle of a bot now, if it draws it.
    pub fn is_drawn(&self, bot: usize) -> bool {
        self.sim.bots[0].client.drawn_box(self.num(bot)).is_some()
    }

    /// The way to look from the eye of `bot` to a point.
    ///
    /// # Panics
    /// If that bot has no snapshot yet.
    pub fn look(&self, bot: usize, at: Vec3) -> Vec3 {
        let me = self.sim.bots[bot].client.predicted().expect("it has a snapshot");
        vector_to_angles(at - me.eye())
    }

    /// A bot pulls the trigger for one frame, looking at a point.
    pub fn pull(&mut self, bot: usize, at: Vec3) {
        let look = self.look(bot, at);
        let idle = self.idle(bot, look);
        self.lead(bot, Some(Input { buttons: button::ATTACK, ..idle }));
        self.run_a_little(self.sim.bots[bot].client.config().frame);
        self.lead(bot, Some(idle));
    }

    /// The shooter fires once at a point, and the shot is waited for.
    ///
    /// # Panics
    /// If no shot comes.
    pub fn fire(&mut self, at: Vec3) -> Shot {
        self.shots.clear();
        self.pull(0, at);
        self.run(Millis(700));
        let mut shots = std::mem::take(&mut self.shots);
        assert_eq!(shots.len(), 1, "one shot was fired: {shots:#?}");
        shots.remove(0)
    }

    /// The shooter's shots since they were asked for last, oldest first.
    pub fn take_shots(&mut self) -> Vec<Shot> {
        std::mem::take(&mut self.shots)
    }

    /// What the shooter's picture has at a ray of one of its shots; `None` if nobody, or if that picture is not known.
    pub fn hit_as_drawn(&self, shot: &Shot, ray: &Ray) -> Option<usize> {
        hit_in_scene(&self.map, self.picture(shot)?, ray)
    }

    /// What the shooter drew when it fired.
    pub fn picture(&self, shot: &Shot) -> Option<&Drawn> {
        self.drawn.get(&shot.claim.0)
    }
}

/// Where a player is by the newest frame of a server, if it is anywhere.
pub fn pose(sim: &Sim<Server>, num: ClientNum) -> Option<Pose> {
    let history = sim.server.rewind().history();
    history.pose(history.newest()?, num).copied()
}

/// A wide room of one area, with spawn points along its west wall and these further entities, and more in it.
pub fn room(entities: &str, more: impl FnOnce(TinyMap) -> TinyMap) -> Setup {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for n in 0..8 {
        let y = n * 200 - 700;
        let _ =
            write!(text, "{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-900 {y} 32\"\n}}\n");
    }
    text.push_str(entities);
    Setup::of_file("standoff", more(TinyMap::room(&text).one_area()).file())
}
