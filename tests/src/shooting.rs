//! A shooter whose aim is perfect, and what it drew: compared with how the server judged its shots.
//!
//! The client model notes at every drawn frame where each player was drawn. A shot of the server's book names the moment that its
//! command claims, so the two are laid side by side: the boxes, and whether the very ray hits the same player in both.

use crate::bot::BotConfig;
use crate::checks::CheckConfig;
use crate::fixture::{self, Setup};
use crate::network::LinkPair;
use crate::sim::{Sim, SimConfig};
use crate::tiny_map::TinyMap;
use fogline_common::collision::{ClipMap, trace_box};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{contents, mask};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::rewind::shots::{Ray, Shot};
use fogline_server::server::Server;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::AddAssign;
use std::sync::Arc;

/// One shooting match.
#[derive(Clone, Debug)]
pub struct Range {
    /// Round trip of the shooter, without jitter.
    pub round_trip: Millis,
    /// Uniform extra on each way.
    pub jitter: Millis,
    /// Share lost on each way.
    pub loss: f64,
    /// `snaps` of the shooter.
    pub snaps: i32,
    /// `sv_fps`.
    pub fps: i32,
    /// What the target does.
    pub target: Script,
    /// Drawn frames of the shooter are this far apart.
    pub frame: Millis,
    /// Its `cl_maxpackets`; 125 for a packet with every frame.
    pub max_packets: i32,
    /// The target is put on the lift.
    pub on_lift: bool,
    /// Further console lines.
    pub lines: Vec<String>,
}

impl Default for Range {
    fn default() -> Self {
        Self {
            round_trip: Millis(60),
            jitter: Millis(0),
            loss: 0.0,
            snaps: 20,
            fps: 20,
            target: Script::Peek,
            frame: Millis(8),
            max_packets: 125,
            on_lift: false,
            lines: Vec::new(),
        }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Rays whose drawn scene is known.
    pub rays: u32,
    /// Those that hit the same in the drawn scene and by the server.
    pub agreed: u32,
    /// Those that hit somebody by the server.
    pub hits: u32,
    /// Those that would have in the present.
    pub hits_in_present: u32,
    /// Boxes compared, and the largest distance between the drawn and the judged one. Unit: world units.
    pub boxes: u32,
    /// The largest distance of a corner.
    pub worst_error: f32,
    /// Boxes that were further off than half a unit.
    pub off: u32,
    /// Rays of shots of which the server is sure between which two snapshots they were drawn.
    pub sure: u32,
    /// Of these, those that agreed.
    pub sure_agreed: u32,
    /// Boxes of such shots that were further off than half a unit.
    pub sure_off: u32,
    /// Claims that were not believed.
    pub faults: u32,
    /// Shots at the cap.
    pub capped: u32,
    /// Shots whose moment was drawn before anybody looked.
    pub unknown: u32,
}

impl AddAssign for Score {
    fn add_assign(&mut self, more: Self) {
        self.rays += more.rays;
        self.agreed += more.agreed;
        self.hits += more.hits;
        self.hits_in_present += more.hits_in_present;
        self.boxes += more.boxes;
        self.worst_error = self.worst_error.max(more.worst_error);
        self.off += more.off;
        self.sure += more.sure;
        self.sure_agreed += more.sure_agreed;
        self.sure_off += more.sure_off;
        self.faults += more.faults;
        self.capped += more.capped;
        self.unknown += more.unknown;
    }
}

/// What one picture showed.
#[derive(Debug)]
pub struct Drawn {
    /// Every other player, and its box.
    pub players: Vec<(ClientNum, Bounds)>,
    /// Number of the inline model, place, way of being turned.
    pub movers: Vec<(usize, Vec3, Vec3)>,
}

/// The match while it runs.
pub struct Shooting {
    /// The simulation: bot 0 shoots at bot 1.
    pub sim: Sim<Server>,
    map: Arc<ClipMap>,
    /// Where everybody was drawn, by the moment drawn.
    drawn: BTreeMap<i32, Drawn>,
    judged: u64,
    score: Score,
}

impl Shooting {
    /// Sets it up and lets everybody in.
    pub fn new(seed: u64, range: &Range) -> Self {
        let half = Millis(range.round_trip.0 / 2);
        let link =
            LinkConfig { delay: half, jitter: range.jitter, loss: range.loss, ..LinkConfig::default() };
        let up = LinkConfig { delay: Millis(range.round_trip.0 - half.0), ..link };
        let shooter = ClientConfig {
            snaps: range.snaps,
            frame: range.frame,
            max_packets: range.max_packets,
            is_lan: range.max_packets >= 125,
            rate: 100_000,
            ..ClientConfig::default()
        };
        let config = SimConfig {
            bots: vec![
                (
                    BotConfig { client: shooter, script: Script::Aim, ..BotConfig::default() },
                    LinkPair { up, down: link },
                ),
                (BotConfig { script: range.target, ..BotConfig::default() }, LinkPair::default()),
            ],
            // Bullets push.
            checks: CheckConfig { may_miss: true, ..CheckConfig::default() },
            ..SimConfig::default()
        };
        let setup = range.lines.iter().fold(
            self::range()
                .with(&format!("set sv_fps {}", range.fps))
                .with("set sv_maxunlag 1000")
                .with("set sv_shotlog shots.jsonl")
                .with("set fraglimit 0")
                .with("set sv_floodProtect 0"),
            |setup, line| setup.with(line),
        );
        let map = setup.clip_map();
        let mut sim = fixture::sim(seed, config, &setup);
        sim.console(&format!("devmap {}", setup.map));
        sim.run_until_all_active();
        sim.run(Millis(1000));
        for bot in &mut sim.bots {
            // Nobody dies, and nobody runs out of bullets.
            bot.client.command("god").expect("there is room for a command");
            bot.client.command("give all").expect("there is room for a command");
        }
        if range.on_lift {
            let target = &mut sim.bots[1].client;
            target.command("setviewpos 512 512 120 0").expect("there is room for a command");
        }
        sim.run(Millis(3000));
        Self { sim, map, drawn: BTreeMap::new(), judged: 0, score: Score::default() }
    }

    /// Shoots for a while.
    pub fn run(&mut self, span: Millis) -> Score {
        for _ in 0..span.0 / 5000 {
            let drawn = &mut self.drawn;
            self.sim.run_until(Millis(5000), |sim| {
                note_drawn(sim, drawn);
                false
            });
            let client = &mut self.sim.bots[0].client;
            client.command("give ammo").expect("there is room for a command");
            self.judge();
        }
        self.score
    }

    fn judge(&mut self) {
        let Some(own) = self.sim.bots[0].client.client_num() else { return };
        let book = self.sim.server.rewind().shots();
        let fresh: Vec<Shot> = book
            .newest_first()
            .take_while(|shot| shot.number > self.judged)
            .filter(|shot| shot.shooter == Some(own))
            .cloned()
            .collect();
        self.judged = book.count;
        drop(book);
        for shot in &fresh {
            self.judge_shot(shot);
        }
        let oldest = self.drawn.keys().next_back().map_or(0, |newest| newest - 3000);
        self.drawn = self.drawn.split_off(&oldest);
    }

    fn judge_shot(&mut self, shot: &Shot) {
        self.score.faults += u32::from(shot.fault.is_some());
        self.score.capped += u32::from(shot.is_capped());
        let Some(drawn) = self.drawn.get(&shot.claim.0) else {
            self.score.unknown += 1;
            return;
        };
        for boxes in &shot.boxes {
            let seen = drawn.players.iter().find(|(num, _)| *num == boxes.client);
            let (Some(judged), Some((_, seen))) = (boxes.then, seen) else { continue };
            let error = (judged.mins - seen.mins).length().max((judged.maxs - seen.maxs).length());
            self.score.boxes += 1;
            self.score.off += u32::from(error > 0.5);
            self.score.sure_off += u32::from(error > 0.5 && shot.sure);
            self.score.worst_error = self.score.worst_error.max(error);
        }
        for ray in &shot.rays {
            let is_player = |hit: usize| hit < MAX_CLIENTS;
            let seen = hit_in_scene(&self.map, drawn, ray);
            let judged = ray.hit.map(EntityNum::index).filter(|&hit| is_player(hit));
            let present = ray.hit_in_present.flatten().map(EntityNum::index).filter(|&hit| is_player(hit));
            self.score.rays += 1;
            self.score.agreed += u32::from(seen == judged);
            self.score.sure += u32::from(shot.sure);
            self.score.sure_agreed += u32::from(shot.sure && seen == judged);
            self.score.hits += u32::from(judged.is_some());
            self.score.hits_in_present += u32::from(present.is_some());
        }
    }
}

/// A wide room with a lift, as a setup.
pub fn range() -> Setup {
    Setup::of_file("range", range_map())
}

/// A wide room with a lift that goes up and down in one quarter of it.
fn range_map() -> Vec<u8> {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for (x, y) in [(-700, -700), (-700, 0), (-700, 700), (0, -700), (700, -700), (0, 0)] {
        let _ = write!(text, "{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} {y} 32\"\n}}\n");
    }
    text.push_str(
        "{\n\"classname\" \"func_bobbing\"\n\"model\" \"*1\"\n\"height\" \"60\"\n\"speed\" \"3\"\n}\n",
    );
    let lift = Bounds::new(Vec3::new(112.0, 112.0, 64.0), Vec3::new(912.0, 912.0, 80.0));
    TinyMap::room(&text).one_area().model(lift).file()
}

/// What a ray hits among what was drawn.
pub fn hit_in_scene(map: &ClipMap, drawn: &Drawn, ray: &Ray) -> Option<usize> {
    let request = TraceRequest::ray(ray.start, ray.end, mask::SHOT, None);
    let mut nearest = map.trace(&request).fraction;
    let mut hit = None;
    for &(model, origin, angles) in &drawn.movers {
        nearest = nearest.min(map.trace_model(model, origin, angles, &request).fraction);
    }
    for (num, bounds) in &drawn.players {
        let fraction = trace_box(bounds, Vec3::ZERO, contents::BODY, &request).fraction;
        if fraction < nearest {
            (nearest, hit) = (fraction, Some(num.index()));
        }
    }
    hit
}

/// Notes what bot 0 has just drawn, by the moment drawn.
pub fn note_drawn(sim: &Sim<Server>, drawn: &mut BTreeMap<i32, Drawn>) {
    let client = &sim.bots[0].client;
    // A moment that is drawn twice is claimed by the command after the first time.
    drawn.entry(client.drawn().0).or_insert_with(|| Drawn {
        players: ClientNum::all(MAX_CLIENTS).filter_map(|num| Some((num, client.drawn_box(num)?))).collect(),
        movers: client.drawn_models().collect(),
    });
}
