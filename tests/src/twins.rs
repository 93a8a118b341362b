//! The oracle "no leak": one match twice, from the same seed, that differ only in what a player does whom others are not told of.
//!
//! As long as an observer is not told of that player in either run, what it is sent must be the same byte for byte. Both runs go
//! on side by side; the first step in which they differ is told with what the snapshots differ in.

use crate::bot::BotConfig;
use crate::fixture::{self, Setup};
use crate::network::LinkPair;
use crate::places::is_clear;
use crate::sim::{BuiltSnapshot, ServerUnderTest, Sim, SimConfig};
use fogline_common::collision::ClipMap;
use fogline_common::ids::Sequence;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_type, event, shared, weapon};
use fogline_common::proto::{EntityState, button};
use fogline_common::time::{Millis, ServerTime};
use fogline_server::server::Server;
use fogline_server::visibility::hearing::HEARING;
use fogline_tools::client::Input;
use fogline_tools::script::Script;
use std::collections::VecDeque;
use std::sync::Arc;

/// A step of both runs.
const STEP: Millis = Millis(50);
/// Steps in which a sound that was heard once is told of: its event entity stays so long.
const TOLD_WITHIN: usize = (shared::EVENT_VALID_MSEC / STEP.0 + 1) as usize;
/// From being placed until everything of it is over: flashes, sounds, the push of the teleport.
const SETTLES: Millis = Millis(3000);
/// Clients are told of what comes and goes under numbers from here up, on maps with fewer entities.
const FIRST_PASSING: i32 = 500;
/// The bot that differs.
const HIDDEN: usize = 0;

/// What the hidden player does in the second run, while it stands in the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing, so that what it did before ends.
    Stand,
    /// Looks about.
    Turn,
    /// Walks to and fro without a sound.
    Walk,
    /// The same, ducked.
    Crouch,
    /// Runs to and fro.
    Run,
    /// Jumps on the spot.
    Jump,
    /// Shoots with this weapon, looking down at the floor before it, so that what it hits is near.
    Fire(i32),
    /// Makes a gesture, which has a voice.
    Gesture,
    /// Takes a powerup by a cheat. All are told of that, wherever they are, so it is not compared: what follows is, but for
    /// the numbers of what comes and goes.
    Take(&'static str),
    /// Hurts itself by a grenade at its feet.
    Hurt,
}

impl Act {
    /// Acts that nobody hears.
    pub const SILENT: [Self; 3] = [Self::Turn, Self::Walk, Self::Crouch];

    /// Every act, for places from which nobody is heard.
    pub fn all() -> Vec<Self> {
        let weapons = (weapon::MACHINEGUN..=weapon::BFG).map(Self::Fire);
        let powerups = ["item_quad", "item_enviro", "item_haste", "item_invis", "item_regen"];
        let others = [Self::Run, Self::Jump, Self::Gesture, Self::Hurt];
        let wearing = powerups.map(Self::Take).into_iter().chain([Self::Run, Self::Fire(weapon::MACHINEGUN)]);
        Self::SILENT.into_iter().chain(others).chain(weapons).chain(wearing).collect()
    }

    /// How long it takes.
    fn span(self) -> Millis {
        match self {
            Self::Stand | Self::Hurt | Self::Fire(weapon::GRENADE_LAUNCHER) => Millis(3500),
            Self::Take(_) => Millis(1000),
            _ => Millis(1200),
        }
    }

    /// What the hands do, so long after it began.
    fn hands(self, age: Millis, yaw: f32) -> Input {
        let back = age >= Millis(self.span().0 / 2);
        let way = |speed: i8| if back { -speed } else { speed };
        let look = vec3(0.0, yaw, 0.0);
        let still = Input { look, ..Input::default() };
        match self {
            Self::Stand | Self::Take(_) => still,
            Self::Turn => Input { look: vec3(20.0, yaw + age.0 as f32 / 5.0, 0.0), ..still },
            Self::Walk => Input { forward: way(63), buttons: button::WALKING, ..still },
            Self::Crouch => Input { forward: way(127), up: -127, ..still },
            Self::Run => Input { forward: way(127), ..still },
            Self::Jump => Input { up: if age.0 % 400 < 200 { 127 } else { 0 }, ..still },
            Self::Gesture => Input { buttons: button::GESTURE, ..still },
            Self::Fire(number) => {
                let holds = age >= Millis(500) && age < Millis(1200);
                let buttons = if holds { button::ATTACK } else { 0 };
                Input { look: vec3(40.0, yaw, 0.0), buttons, weapon: u8::try_from(number).ok(), ..still }
            }
            Self::Hurt => {
                let holds = age >= Millis(500) && age < Millis(700);
                let buttons = if holds { button::ATTACK } else { 0 };
                let weapon = u8::try_from(weapon::ROCKET_LAUNCHER).ok();
                Input { look: vec3(88.0, yaw, 0.0), buttons, weapon, ..still }
            }
        }
    }
}

/// What an observer does in both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Stands.
    Stands,
    /// Steps to and fro and shoots.
    Fights,
}

/// The two runs.
pub struct Twins {
    runs: [Sim<Server>; 2],
    watches: Vec<Watch>,
    /// Observers that have not been told of the hidden player.
    blind: Vec<bool>,
    /// Observers that have been told of something in only one run, and might be.
    told_of: Vec<bool>,
    yaw: f32,
    /// Where the player that acts was in the steps whose sounds are still told of.
    acted_at: VecDeque<Vec3>,
    map: Arc<ClipMap>,
    /// Sounds of players out of sight are told.
    hears: bool,
    /// Steps in which an observer was told of something in only one run that it may know: it saw or heard it.
    pub excused: u64,
    /// Datagrams of blind observers that were the same in both runs.
    pub compared: u64,
}

impl Twins {
    /// Both runs, with the hidden player and the observers where they are to stand, and everything of their placing over.
    pub fn new(seed: u64, setup: &Setup, hidden: Vec3, observers: &[(Vec3, Watch)]) -> Self {
        let yaw = 360.0 * fastrand::Rng::with_seed(seed).f32();
        let begin = || {
            let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
            let config = SimConfig::alike(observers.len() + 1, &still, LinkPair::default());
            let mut sim = fixture::sim(seed, config, setup);
            let map = setup.map.clone();
            for line in
                ["set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", &format!("devmap {map}")]
            {
                sim.console(line);
            }
            sim.run_until_all_active();
            let places = std::iter::once(hidden).chain(observers.iter().map(|&(place, _)| place));
            for (index, at) in places.enumerate() {
                sim.bots[index].hands = Some(Input { look: vec3(0.0, yaw, 0.0), ..Input::default() });
                let place = format!("setviewpos {} {} {} {yaw}", at.x, at.y, at.z);
                for command in ["give all", "god", &place] {
                    sim.bots[index].client.command(command).expect("a short command");
                }
            }
            sim.run(SETTLES);
            sim
        };
        let watches: Vec<Watch> = observers.iter().map(|&(_, watch)| watch).collect();
        let blind = vec![true; watches.len()];
        let told_of = vec![false; watches.len()];
        let (runs, map) = ([begin(), begin()], setup.clip_map());
        let hears = !setup.before.iter().any(|line| line == "set sv_netoptimize_sounds 0");
        let acted_at = VecDeque::from([hidden]);
        let mut twins =
            Self { runs, watches, blind, told_of, yaw, acted_at, map, hears, excused: 0, compared: 0 };
        twins.look();
        twins
    }

    /// How many observers have not been told of the hidden player so far.
    pub fn blind_count(&self) -> usize {
        self.blind.iter().filter(|&&blind| blind).count()
    }

    /// The hidden player acts, in the second run. What leaks, in words.
    ///
    /// # Errors
    /// With what differs, at the first step in which a blind observer is sent other bytes.
    pub fn act(&mut self, act: Act) -> Result<(), String> {
        if let Act::Take(item) = act {
            self.runs[1].bots[HIDDEN].client.command(&format!("give {item}")).expect("a short command");
            self.told_of.fill(true);
        }
        let mut age = Millis(0);
        while age < act.span() {
            self.runs[0].bots[HIDDEN].hands = Some(Act::Stand.hands(age, self.yaw));
            self.runs[1].bots[HIDDEN].hands = Some(act.hands(age, self.yaw));
            self.step(age, !matches!(act, Act::Take(_)))
                .map_err(|leak| format!("{act:?}, {} ms after its beginning: {leak}", age.0))?;
            age = age + STEP;
        }
        Ok(())
    }

    fn step(&mut self, age: Millis, compares: bool) -> Result<(), String> {
        for (index, watch) in self.watches.iter().enumerate() {
            let hands = match watch {
                Watch::Stands => Act::Stand.hands(age, self.yaw),
                Watch::Fights => {
                    let right = if age.0 % 600 < 300 { 127 } else { -127 };
                    Input { right, buttons: button::ATTACK, ..Act::Stand.hands(age, self.yaw) }
                }
            };
            for run in &mut self.runs {
                run.bots[index + 1].hands = Some(hands);
            }
        }
        for run in &mut self.runs {
            run.sent_to.fill(Default::default());
            run.run(STEP);
        }
        self.look();
        if let Some(place) = newest(&self.runs[1], HIDDEN).map(|own| own.player.origin) {
            self.acted_at.push_back(place);
            if self.acted_at.len() > TOLD_WITHIN {
                self.acted_at.pop_front();
            }
        }
        if !compares {
            return Ok(());
        }
        for index in 0..self.blind.len() {
            if !self.blind[index] {
                continue;
            }
            let [calm, other] = [0, 1].map(|run| self.runs[run].sent_to[index + 1]);
            if calm == other {
                self.compared += 1;
            } else {
                self.judge(index).map_err(|leak| format!("observer {index} was sent other bytes: {leak}"))?;
            }
        }
        Ok(())
    }

    /// Other bytes are no leak if they tell of what an observer may know: a shot's end or a missile in its sight or hearing, a
    /// sound nearby, a door, an item that was taken, a death. From then on its own numbers and delta bases are others, so that
    /// contents are compared.
    fn judge(&mut self, observer: usize) -> Result<(), String> {
        let [Some(calm), Some(other)] = [0, 1].map(|run| newest(&self.runs[run], observer + 1)) else {
            return Err("no snapshot".to_owned());
        };
        if calm.player != other.player {
            return Err(format!("its own state {:?} became {:?}", calm.player, other.player));
        }
        if calm.area_mask != other.area_mask {
            return Err("the areas that it sees".to_owned());
        }
        let told_of = self.told_of[observer];
        let lists = [&calm, &other].map(|snapshot| {
            let plain = |state: &EntityState| if told_of { unnumbered(state) } else { *state };
            snapshot.entities.iter().map(plain).collect::<Vec<EntityState>>()
        });
        let [calm_list, other_list] = &lists;
        let only_calm = calm_list.iter().filter(|state| !other_list.contains(state));
        let only_other = other_list.iter().filter(|state| !calm_list.contains(state));
        let differing: Vec<EntityState> = only_calm.chain(only_other).copied().collect();
        if differing.is_empty() && !told_of {
            return Err(format!("not what the newest snapshot shows: {}", self.beyond_snapshot(observer)));
        }
        // Its client draws what portals show as well, from their far ends.
        let is_portal = |state: &&EntityState| state.entity_type == entity_type::PORTAL;
        let far_ends = calm.entities.iter().filter(is_portal).map(|state| state.origin2);
        let eyes: Vec<Vec3> = std::iter::once(calm.player.eye()).chain(far_ends).collect();
        match differing.iter().find(|state| !self.may_be_told(state, &eyes, calm.time)) {
            Some(leak) => {
                let all: Vec<String> = differing.iter().take(6).map(short).collect();
                let (apart, count) = (self.nearest(eyes[0]), differing.len());
                Err(format!("{}; {count} states differ, by a player {apart} off: {all:#?}", short(leak)))
            }
            None => {
                self.told_of[observer] = true;
                self.excused += 1;
                Ok(())
            }
        }
    }

    /// What may differ although the newest snapshots are equal: other messages, the sign of a zero, configstrings, commands, and
    /// what the snapshots that are deltas' bases were made of.
    fn beyond_snapshot(&self, observer: usize) -> String {
        const OLDER: u32 = 8;
        let bot = observer + 1;
        let of_both = [0, 1].map(|run| &self.runs[run]);
        let in_words = of_both.map(|run| {
            let client = &run.bots[bot].client;
            let num = client.client_num();
            let next = num
                .and_then(|num| run.server.clients().get(num)?.channel.as_ref())
                .map(fogline_common::wire::netchan::Netchan::outgoing);
            let built = (1..=OLDER).map(|age| {
                let snapshot = run.server.built_snapshot(num?, Sequence(next?.0.checked_sub(age)?))?;
                let told = format!("{:?} {:#?} {:#?}", snapshot.time, snapshot.player, snapshot.entities);
                Some(told.lines().map(|line| format!("{age} back: {line}\n")).collect::<String>())
            });
            let built: String = built.map(Option::unwrap_or_default).collect();
            let session = num.and_then(|num| run.server.clients().get(num));
            let last = session.map(|session| {
                let command = session.reliable.sequence();
                (command, String::from_utf8_lossy(session.reliable.text(command)).into_owned())
            });
            let strings = format!("{:#?}", client.configstrings());
            format!("{:?}\n{next:?}\n{last:?}\n{built}{strings}", run.sent_to[bot].1)
        });
        let [calm, other] = &in_words;
        let unlike = calm.lines().zip(other.lines()).filter(|(calm, other)| calm != other);
        format!("{:#?}", unlike.take(8).collect::<Vec<_>>())
    }

    /// How near the player that acts was to a place, at any time of which a sound may still be told. Unit: world units.
    fn nearest(&self, eye: Vec3) -> f32 {
        self.acted_at.iter().map(|place| place.distance(eye)).fold(f32::MAX, f32::min)
    }

    /// Whether an observer that looks from all of `eyes`, the first of which is its own, may know of an entity, whoever made it.
    fn may_be_told(&self, state: &EntityState, eyes: &[Vec3], now: ServerTime) -> bool {
        let eye = eyes[0];
        let kind = state.entity_type;
        let told_to_all = [entity_type::MOVER, entity_type::ITEM, entity_type::EVENTS + event::OBITUARY];
        if told_to_all.contains(&kind) {
            return true;
        }
        if kind > entity_type::EVENTS && self.hears && self.nearest(eye) < HEARING {
            return true;
        }
        let is_missile = kind == entity_type::MISSILE;
        let is_burst = kind == entity_type::GENERAL && state.event != 0;
        let ends = [event::BULLET_HIT_WALL, event::MISSILE_MISS, event::MISSILE_MISS_METAL, event::RAILTRAIL];
        if !is_missile && !is_burst && !ends.contains(&(kind - entity_type::EVENTS)) {
            return false;
        }
        if !is_missile && state.pos.base.distance(eye) < HEARING {
            return true;
        }
        let sides = [Vec3::ZERO, vec3(24.0, 0.0, 0.0), vec3(0.0, 24.0, 0.0), vec3(0.0, 0.0, 24.0)];
        let places =
            (0..=10).map(|n| if is_missile { state.pos.at(now + Millis(n * 20)) } else { state.pos.base });
        places.into_iter().any(|place| {
            let about = sides.iter().flat_map(|&side| [place + side, place - side]);
            about
                .flat_map(|point| eyes.iter().map(move |&eye| (eye, point)))
                .any(|(eye, point)| is_clear(&self.map, &[], eye, point))
        })
    }

    /// Notes which observers have been told of the hidden player.
    fn look(&mut self) {
        for run in &self.runs {
            let hidden = run.bots[HIDDEN].client.client_num().expect("it plays").index() as i32;
            for (index, blind) in self.blind.iter_mut().enumerate() {
                let told = newest(run, index + 1)
                    .is_some_and(|snapshot| snapshot.entities.iter().any(|state| state.number == hidden));
                *blind &= !told;
            }
        }
    }
}

/// A state without the number of what comes and goes.
fn unnumbered(state: &EntityState) -> EntityState {
    let number = if state.number >= FIRST_PASSING { 0 } else { state.number };
    EntityState { number, ..*state }
}

/// An entity in a few words.
fn short(state: &EntityState) -> String {
    format!(
        "entity {} of type {} event {} parm {} at {:?}, other {}, client {}, weapon {}, model {}",
        state.number,
        state.entity_type,
        state.event,
        state.event_parm,
        state.pos.base,
        state.other_entity,
        state.client_num,
        state.weapon,
        state.model_index
    )
}

/// The newest snapshot that a bot was sent.
pub fn newest(run: &Sim<Server>, bot: usize) -> Option<BuiltSnapshot<'_>> {
    let num = run.bots[bot].client.client_num()?;
    let next = run.server.clients().get(num)?.channel.as_ref()?.outgoing();
    run.server.built_snapshot(num, Sequence(next.0.checked_sub(1)?))
}
