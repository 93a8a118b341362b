//! Where a player can be: random usercmds through the real `pmove` on real maps never leave the reach that is claimed.
//!
//! The quick version runs 96,000 streams. The whole of it, ten million, on eight maps or those of `FOGLINE_MAPS`, with commas between:
//! `FOGLINE_STREAMS=10000000 cargo test --release -p fogline-tests --test it reach_fuzz:: -- --ignored --nocapture`

use fogline_common::collision::{ClipMap, MapAlone};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, angle_to_short, vec3};
use fogline_common::openarena::{powerup, stat};
use fogline_common::pmove::{PmoveInput, PmoveSettings, pmove};
use fogline_common::proto::{PlayerState, UserCmd, mask};
use fogline_common::reach::{Around, Outside, Reach, Start};
use fogline_tests::fixture::installed_map;
use fogline_tests::places::standing_places;

/// Spans that are asked about: eyes at round trips of 0 to 250 ms, bodies to the next snapshot. Unit: ms.
const SPANS: [[i32; 2]; 6] = [[0, 25], [0, 50], [45, 110], [90, 165], [160, 260], [270, 355]];
/// Room for rounding of sums. Unit: world units.
const ROUNDING: f32 = 0.01;

/// What a stream of commands is after.
#[derive(Clone, Copy, Debug)]
enum Will {
    /// Anything, anew with each command.
    Whim,
    /// One command for all.
    Stubborn(UserCmd),
    /// As far as possible in one direction, perhaps hopping.
    Away { yaw: f32, hops: bool },
    /// Faster and faster: the wish at the angle to the velocity that gains most.
    Strafe { left: bool, hops: bool },
    /// One way, then the other.
    Back { yaw: f32, turn_at: i32 },
}

fn cmd(yaw: f32, pitch: f32, moves: [i8; 3]) -> UserCmd {
    UserCmd {
        angles: [angle_to_short(pitch), angle_to_short(yaw), 0],
        forward_move: moves[0],
        right_move: moves[1],
        up_move: moves[2],
        ..UserCmd::default()
    }
}

fn any_cmd(rng: &mut fastrand::Rng) -> UserCmd {
    let mut one = || [127, 127, 0, -127, -128, 64][rng.usize(..6)];
    let moves = [one(), one(), one()];
    cmd(rng.f32() * 360.0, rng.f32() * 170.0 - 85.0, moves)
}

impl Will {
    fn any(rng: &mut fastrand::Rng) -> Self {
        match rng.u8(..8) {
            0 => Self::Whim,
            1 => Self::Stubborn(any_cmd(rng)),
            2..=4 => {
                let yaw = if rng.bool() { rng.u8(..8) as f32 * 45.0 } else { rng.f32() * 360.0 };
                Self::Away { yaw, hops: rng.bool() }
            }
            5 | 6 => Self::Strafe { left: rng.bool(), hops: rng.bool() },
            _ => Self::Back { yaw: rng.f32() * 360.0, turn_at: rng.i32(0..300) },
        }
    }

    fn command(&self, ps: &PlayerState, time: i32, rng: &mut fastrand::Rng) -> UserCmd {
        let up = |hops: bool| if hops { 127 } else { 0 };
        match *self {
            Self::Whim => any_cmd(rng),
            Self::Stubborn(one) => one,
            Self::Away { yaw, hops } => cmd(yaw, 0.0, [127, 0, up(hops && time % 16 < 8)]),
            Self::Strafe { left, hops } => {
                let heading = ps.velocity.y.atan2(ps.velocity.x).to_degrees();
                let speed = ps.velocity.x.hypot(ps.velocity.y).max(1.0);
                let best = (ps.speed as f32 / speed).min(1.0).acos().to_degrees();
                let yaw = if left { heading + best } else { heading - best };
                cmd(yaw, 0.0, [127, 0, up(hops)])
            }
            Self::Back { yaw, turn_at } => {
                cmd(if time < turn_at { yaw } else { yaw + 180.0 }, 0.0, [127, 0, 0])
            }
        }
    }
}

/// How a run is set.
#[derive(Clone, Copy, Debug)]
struct Setup {
    settings: PmoveSettings,
    step_ms: i32,
    even: bool,
}

fn step(
    clip: &ClipMap,
    ps: &mut PlayerState,
    setup: &Setup,
    will: &Will,
    begin: i32,
    rng: &mut fastrand::Rng,
) {
    let span = if setup.even { setup.step_ms } else { rng.i32(1..=setup.step_ms) };
    let asked = will.command(ps, ps.command_time - begin, rng);
    let cmd = UserCmd { server_time: ps.command_time + span, ..asked };
    let input = PmoveInput {
        cmd,
        tracer: &MapAlone(clip),
        trace_mask: mask::PLAYERSOLID,
        settings: setup.settings,
        gauntlet_hit: false,
    };
    pmove(ps, &input);
}

/// Who is tried.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Streams from one start.
    streams: u32,
    /// Whoever there may be: fast, flying, blown about, with steps of any length. Else plain players, of whom the tightness is told.
    anyone: bool,
}

/// Somebody somewhere in full movement.
fn somebody(
    clip: &ClipMap,
    places: &[Vec3],
    plan: &Plan,
    setup: &Setup,
    rng: &mut fastrand::Rng,
) -> PlayerState {
    let mut ps = PlayerState {
        origin: places[rng.usize(..places.len())],
        gravity: 800,
        speed: [320, 320, 320, 416, 480][rng.usize(..5)],
        view_height: 26,
        ground_entity: EntityNum::NONE_ON_WIRE,
        ..PlayerState::default()
    };
    ps.stats[stat::HEALTH as usize] = 100;
    if !plan.anyone {
        ps.speed = 320;
    } else if rng.u8(..16) == 0 {
        ps.powerups[powerup::FLIGHT as usize] = i32::MAX;
    }
    let will = Will::any(rng);
    let until = rng.i32(0..900);
    while ps.command_time < until {
        step(clip, &mut ps, setup, &will, 0, rng);
    }
    if plan.anyone && rng.u8(..5) == 0 {
        let blow = |rng: &mut fastrand::Rng| (rng.f32() - 0.5) * 1200.0;
        ps.velocity += vec3(blow(rng), blow(rng), blow(rng));
    }
    ps
}

#[derive(Default)]
struct Found {
    streams: u64,
    commands: u64,
    /// Sums over starts and spans: volume of what was reached, and of what was claimed.
    volumes: [[f64; 2]; SPANS.len()],
    /// Logarithms of the ratio of the two lengths along level axes, and their number.
    sides: [f64; SPANS.len()],
    starts: u64,
    /// Seeds of starts from which a stream left what was claimed.
    exits: Vec<u64>,
}

/// One start of a survey, all of it drawn from its seed and the places of its map.
struct Trial<'m> {
    clip: &'m ClipMap,
    plan: Plan,
    setup: Setup,
    from: PlayerState,
    start: Start,
    claims: [Bounds; SPANS.len()],
    rng: fastrand::Rng,
}

/// A moment in which somebody was not where the reach had it.
#[derive(Clone, Copy, Debug)]
struct Exit {
    span: usize,
    will: Will,
    time: i32,
    origin: Vec3,
}

/// What is claimed of each span, by what was looked up for a place near by, as servers do, and by what is looked up anew.
fn claims(clip: &ClipMap, start: &Start, rng: &mut fastrand::Rng) -> [Bounds; SPANS.len()] {
    let mut around = Around::default();
    let mut part = || (rng.f32() - 0.5) * 90.0;
    let before = Start { origin: start.origin + vec3(part(), part(), part()), ..*start };
    let _ = Reach::among(&mut around, clip, &before, &Outside::default(), 0.2);
    SPANS.map(|span| {
        let [from, to] = span.map(|ms| ms as f32 / 1000.0);
        let kept = Reach::among(&mut around, clip, start, &Outside::default(), to).origins(from, to);
        let anew = Reach::new(clip, start, &Outside::default(), to).origins(from, to);
        assert_eq!(kept, anew, "{before:?}, then {start:?}, {span:?}");
        kept.grown(ROUNDING)
    })
}

impl<'m> Trial<'m> {
    fn new(clip: &'m ClipMap, places: &[Vec3], plan: &Plan, start_seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(start_seed);
        let any = plan.anyone;
        let setup = Setup {
            settings: PmoveSettings { float_velocity: !any || rng.u8(..4) != 0, ..PmoveSettings::default() },
            step_ms: if any { [4, 8, 8, 16, 16, 33, 66][rng.usize(..7)] } else { 8 },
            even: !any || rng.bool(),
        };
        let from = somebody(clip, places, plan, &setup, &mut rng);
        let rounds = !setup.settings.float_velocity;
        let start = Start::of(&from, setup.step_ms as f32 / 1000.0, rounds);
        let claims = claims(clip, &start, &mut fastrand::Rng::with_seed(!start_seed));
        Self { clip, plan: *plan, setup, from, start, claims, rng }
    }

    /// Runs all streams. What they reached, the commands that they had, and the first exit.
    fn run(&mut self) -> ([Bounds; SPANS.len()], u64, Option<Exit>) {
        let mut reached = [Bounds::EMPTY; SPANS.len()];
        let (mut commands, mut exit) = (0, None);
        let begin = self.from.command_time;
        for _ in 0..self.plan.streams {
            let will = Will::any(&mut self.rng);
            let mut ps = self.from;
            while ps.command_time - begin < 355 {
                step(self.clip, &mut ps, &self.setup, &will, begin, &mut self.rng);
                let time = ps.command_time - begin;
                commands += 1;
                for (span, [from, to]) in SPANS.iter().enumerate() {
                    if !(*from..=*to).contains(&time) {
                        continue;
                    }
                    reached[span] = reached[span].including(ps.origin);
                    if exit.is_none() && !self.claims[span].contains(ps.origin) {
                        exit = Some(Exit { span, will, time, origin: ps.origin });
                    }
                }
            }
        }
        (reached, commands, exit)
    }

    fn describe(&self, exit: &Exit) -> String {
        let Self { setup, start, claims, clip, .. } = self;
        let Exit { span, will, time, origin } = exit;
        let asked = SPANS[*span];
        let reach = Reach::new(clip, start, &Outside::default(), asked[1] as f32 / 1000.0);
        let claim = claims[*span];
        format!(
            "{origin:?} after {time} ms is outside of {claim:?} of {asked:?}\nfrom {start:?}\n{setup:?} {will:?}\n{reach:?}"
        )
    }
}

/// Places that the starts of a seed are at.
fn places_of(clip: &ClipMap, rng: &mut fastrand::Rng) -> Vec<Vec3> {
    standing_places(clip, 300, rng)
}

/// Random starts on one map, with random streams from each.
fn survey(name: &str, plan: &Plan, streams: u64, seed: u64) -> Option<Found> {
    let clip = installed_map(name)?;
    let mut rng = fastrand::Rng::with_seed(seed);
    let places = places_of(&clip, &mut rng);
    let mut found = Found::default();
    while found.streams < streams {
        let start_seed = rng.u64(..);
        let mut trial = Trial::new(&clip, &places, plan, start_seed);
        let (reached, commands, exit) = trial.run();
        found.streams += u64::from(plan.streams);
        found.commands += commands;
        if let Some(exit) = exit {
            found.exits.push(start_seed);
            println!("{name}, seed {seed}, start {start_seed}: {}", trial.describe(&exit));
        }
        if !plan.anyone {
            found.add(&reached, &trial.claims);
        }
    }
    Some(found)
}

impl Found {
    fn add(&mut self, reached: &[Bounds; SPANS.len()], claims: &[Bounds; SPANS.len()]) {
        let body = vec3(30.0, 30.0, 56.0);
        let volume = |bounds: &Bounds| {
            let size = bounds.size() + body;
            f64::from(size.x) * f64::from(size.y) * f64::from(size.z)
        };
        self.starts += 1;
        for span in 0..SPANS.len() {
            self.volumes[span][0] += volume(&reached[span]);
            self.volumes[span][1] += volume(&claims[span]);
            let (was, may) = (reached[span].size(), claims[span].size());
            self.sides[span] += f64::from((may.x + 30.0) / (was.x + 30.0)).ln() / 2.0;
            self.sides[span] += f64::from((may.y + 30.0) / (was.y + 30.0)).ln() / 2.0;
        }
    }

    fn print(&self, name: &str) {
        print!("{name}: {} streams, {} commands", self.streams, self.commands);
        if self.starts > 0 {
            print!("; claimed / reached, bodies included:");
        }
        for (span, ([was, may], side)) in SPANS.iter().zip(self.volumes.iter().zip(&self.sides)) {
            if self.starts > 0 {
                let sides = (side / self.starts as f64).exp();
                print!("  {}..{} ms {:.2} (side {sides:.2})", span[0], span[1], may / was);
            }
        }
        println!();
    }
}

const ANYONE: Plan = Plan { streams: 24, anyone: true };
const PLAIN: Plan = Plan { streams: 400, anyone: false };

fn check(maps: &[&str], plan: &Plan, streams: u64, seed: u64) {
    let mut exits = Vec::new();
    for name in maps {
        let Some(found) = survey(name, plan, streams / maps.len() as u64, seed) else {
            println!("{name}: skipped, no game data");
            continue;
        };
        found.print(name);
        exits.extend(found.exits.iter().map(|start| format!("{name}, start {start}")));
    }
    assert!(exits.is_empty(), "seed {seed}: left what was claimed: {exits:#?}");
}

#[test]
fn no_usercmds_leave_the_reach() {
    check(&["oa_dm1", "oa_dm5", "aggressor"], &ANYONE, 60_000, 1);
    check(&["oa_dm1", "oa_dm5", "aggressor"], &PLAIN, 36_000, 1);
}

#[test]
#[ignore = "hours; see the module's text"]
fn no_usercmds_leave_the_reach_ten_million() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let all = "oa_dm1,oa_dm5,aggressor,kaos,ctf_gate1,czest3ctf,oa_thor,wrackdm17";
    let named = std::env::var("FOGLINE_MAPS").unwrap_or_else(|_| all.to_owned());
    let maps: Vec<&str> = named.split(',').collect();
    let seed = number("FOGLINE_SEED", 2);
    check(&maps, &ANYONE, number("FOGLINE_STREAMS", 10_000_000), seed);
    check(&maps, &PLAIN, 640_000, seed);
}

/// Starts from which a stream once left what was claimed, and the seed of their places.
const ONCE_LEFT: [(&str, u64, u64); 15] = [
    // A corner that turns a slide against where it began.
    ("oa_dm5", 77, 14_664_328_128_269_397_485),
    // A rise or fall slowed by a shallow liquid.
    ("oa_dm1", 2, 8_757_250_387_684_178_050),
    ("oa_dm1", 2, 18_281_208_879_942_501_525),
    ("oa_dm1", 2, 1_646_883_209_702_330_714),
    ("oa_dm1", 2, 13_203_495_990_882_863_857),
    ("oa_dm1", 2, 9_814_181_219_207_458_480),
    // The seam of two walls that are flush.
    ("oa_dm1", 2, 5_503_586_550_058_032_236),
    ("oa_dm1", 2, 14_203_030_793_680_299_998),
    // A step tried between ground and ceiling.
    ("oa_dm1", 2, 7_721_214_605_621_966_091),
    ("oa_dm5", 2, 13_888_022_458_734_126_131),
    // A fall that ends on a slope.
    ("oa_dm5", 2, 5_129_650_419_476_023_394),
    // A leap out of the water.
    ("oa_dm5", 2, 12_280_727_828_872_222_440),
    // A leap onto a ledge that is not touched.
    ("oa_dm5", 5, 16_128_782_336_578_421_066),
    ("oa_dm5", 5, 3_459_016_245_229_755_333),
    // A steep slope that takes what leads off it.
    ("kaos", 5, 15_936_541_039_293_115_794),
];

#[test]
fn none_of_those_who_once_left_the_reach_does() {
    for (name, seed, start_seed) in ONCE_LEFT {
        let Some(clip) = installed_map(name) else { continue };
        let places = places_of(&clip, &mut fastrand::Rng::with_seed(seed));
        let mut trial = Trial::new(&clip, &places, &ANYONE, start_seed);
        let (_, _, exit) = trial.run();
        let told = exit.map(|exit| trial.describe(&exit)).unwrap_or_default();
        assert!(exit.is_none(), "{name}, seed {seed}, start {start_seed}: {told}");
    }
}
