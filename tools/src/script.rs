//! What a headless player does, by script and seed: the same script walks in the simulator and in a swarm.
//!
//! In: what the client sees. Out: its hands for the next usercmd and now and then something to say. It knows nothing that the
//! client does not know.

use crate::client::{Client, Input};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Vec3, vec3, vector_to_angles};
use fogline_common::openarena::{pers, pm_flag, stat, team, weapon};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{PlayerState, button};
use fogline_common::time::{Arrival, Millis};
use std::str::FromStr;

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Stands where it is.
    Idle,
    /// Walks about and turns where it is stuck.
    Wander,
    /// Walks about with quick steps to the sides.
    Strafe,
    /// Walks about and jumps.
    Jump,
    /// Steps out of and back into cover: quick steps to and fro across its view.
    Peek,
    /// Goes for whoever it sees and shoots.
    Fight,
    /// Walks about and ducks now and then.
    Crouch,
    /// Walks about and jumps by the blasts of its own rockets, which it asks for by a cheat.
    Rocket,
    /// Stands and shoots at the middle of whoever is drawn nearest.
    Aim,
    /// Walks about and talks, odd characters and long lines too.
    Chat,
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "idle" => Self::Idle,
            "wander" => Self::Wander,
            "strafe" => Self::Strafe,
            "jump" => Self::Jump,
            "peek" => Self::Peek,
            "fight" => Self::Fight,
            "crouch" => Self::Crouch,
            "rocket" => Self::Rocket,
            "aim" => Self::Aim,
            "chat" => Self::Chat,
            _ => {
                return Err(format!(
                    "script {text:?} is not one of idle, wander, strafe, jump, crouch, rocket, peek, aim, fight, chat"
                ));
            }
        })
    }
}

/// Below this speed a walker counts as stuck. Unit: units a second.
const STUCK_SPEED: f32 = 40.0;
/// After so long it turns.
const STUCK_FOR: Millis = Millis(250);
/// Time between requests to join the game.
const JOIN_AGAIN_AFTER: Millis = Millis(3000);

/// Time from one cheat for rockets or health to the next.
const STOCKS_UP_EVERY: Millis = Millis(1500);
/// Where one looks to jump by a rocket: down, and a little back. Unit: degrees of pitch.
const ROCKET_PITCH: f32 = 80.0;

/// One player's mind.
#[derive(Clone, Debug)]
pub struct Mind {
    /// What it does; may be changed at any time.
    pub script: Script,
    rng: fastrand::Rng,
    yaw: f32,
    side: i8,
    stuck_since: Option<Arrival>,
    next_turn: Arrival,
    next_side: Arrival,
    next_words: Arrival,
    next_join: Arrival,
    lines_said: u32,
}

impl Mind {
    /// A mind of its own.
    pub fn new(script: Script, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let yaw = rng.f32() * 360.0;
        Self {
            script,
            rng,
            yaw,
            side: 1,
            stuck_since: None,
            next_turn: Arrival::default(),
            next_side: Arrival::default(),
            next_words: Arrival::default(),
            next_join: Arrival::default(),
            lines_said: 0,
        }
    }

    /// What the hands do now.
    pub fn input(&mut self, now: Arrival, client: &Client) -> Input {
        let Some(me) = client.predicted() else { return Input::default() };
        if me.stats[stat::HEALTH as usize] <= 0 {
            // Each press counts once, so let go in between.
            let buttons = if (now.0 / 500_000).is_multiple_of(2) { button::ATTACK } else { 0 };
            return Input { buttons, look: vec3(0.0, self.yaw, 0.0), ..Input::default() };
        }
        match self.script {
            Script::Idle => Input { look: vec3(0.0, self.yaw, 0.0), ..Input::default() },
            Script::Wander | Script::Chat => self.walk(now, me),
            Script::Strafe => {
                let walk = self.walk(now, me);
                Input { right: self.step_aside(now, 400..1200), ..walk }
            }
            Script::Jump => {
                let walk = self.walk(now, me);
                let up = if me.ground().is_some() && self.rng.f32() < 0.2 { 127 } else { 0 };
                Input { up, ..walk }
            }
            Script::Crouch => {
                let up = if self.step_aside(now, 200..900) > 0 { -127 } else { 0 };
                Input { up, ..self.walk(now, me) }
            }
            Script::Rocket => self.rocket(now, me),
            Script::Aim => self.aim(client, me),
            Script::Peek => {
                let right = self.step_aside(now, 300..700);
                let walk = self.walk(now, me);
                Input { forward: 0, right, ..walk }
            }
            Script::Fight => self.fight(now, client, me),
        }
    }

    /// What it says now, as a client command.
    pub fn words(&mut self, now: Arrival, client: &Client) -> Option<String> {
        let me = client.predicted()?;
        if me.persistant[pers::TEAM as usize] == team::SPECTATOR && now >= self.next_join {
            self.next_join = now.after(JOIN_AGAIN_AFTER);
            return Some("team free".to_owned());
        }
        if self.script == Script::Rocket && now >= self.next_words {
            self.next_words = now.after(STOCKS_UP_EVERY);
            self.lines_said += 1;
            return Some(if self.lines_said % 2 == 1 { "give all" } else { "give health 999" }.to_owned());
        }
        if self.script != Script::Chat || now < self.next_words {
            return None;
        }
        self.next_words = now.after(Millis(self.rng.i32(1200..4000)));
        self.lines_said += 1;
        let n = self.lines_said;
        Some(match self.rng.u32(0..5) {
            0 => format!("say line {n}: 100% sure"),
            1 => format!("say line {n}: caf\u{e9} \"quoted\" \\ ; done"),
            2 => format!("say line {n}: {}", "long ".repeat(self.rng.usize(1..25))),
            3 => format!("tell 0 line {n}"),
            _ => "score".to_owned(),
        })
    }

    fn walk(&mut self, now: Arrival, me: &PlayerState) -> Input {
        let speed = vec3(me.velocity.x, me.velocity.y, 0.0).length();
        if speed >= STUCK_SPEED {
            self.stuck_since = None;
        }
        let stuck_since = *self.stuck_since.get_or_insert(now);
        if now.since(stuck_since) >= STUCK_FOR {
            self.yaw += 90.0 + self.rng.f32() * 180.0;
            self.stuck_since = None;
        } else if now >= self.next_turn {
            self.yaw += self.rng.f32() * 120.0 - 60.0;
            self.next_turn = now.after(Millis(self.rng.i32(500..3000)));
        }
        self.yaw = self.yaw.rem_euclid(360.0);
        Input { look: vec3(0.0, self.yaw, 0.0), forward: 127, ..Input::default() }
    }

    fn step_aside(&mut self, now: Arrival, every: std::ops::Range<i32>) -> i8 {
        if now >= self.next_side {
            self.side = -self.side;
            self.next_side = now.after(Millis(self.rng.i32(every)));
        }
        self.side * 127
    }

    /// Runs, and now and then fires at its feet as it jumps.
    fn rocket(&mut self, now: Arrival, me: &PlayerState) -> Input {
        let walk = self.walk(now, me);
        let weapon = Some(weapon::ROCKET_LAUNCHER as u8);
        if me.ground().is_none() || now < self.next_side || me.weapon != weapon::ROCKET_LAUNCHER {
            return Input { weapon, ..walk };
        }
        if me.weapon_time <= 0 {
            self.next_side = now.after(Millis(self.rng.i32(100..1500)));
        }
        let look = vec3(ROCKET_PITCH, (self.yaw + 180.0).rem_euclid(360.0), 0.0);
        Input { look, up: 127, buttons: button::ATTACK, weapon, ..walk }
    }

    fn aim(&self, client: &Client, me: &PlayerState) -> Input {
        let idle = Input { look: vec3(0.0, self.yaw, 0.0), ..Input::default() };
        let Some(target) = nearest_player(client, me.eye()) else { return idle };
        let Some(bounds) = client.drawn_box(target) else { return idle };
        let look = vector_to_angles(bounds.center() - me.eye());
        // After a spawn the weapon waits for the button to be let go.
        let buttons = if me.pm_flags & pm_flag::RESPAWNED != 0 { 0 } else { button::ATTACK };
        Input { look, buttons, ..Input::default() }
    }

    fn fight(&mut self, now: Arrival, client: &Client, me: &PlayerState) -> Input {
        let walk = self.walk(now, me);
        let target = nearest_player(client, me.eye()).and_then(|num| client.drawn_player(num));
        let Some(target) = target else { return walk };
        let look = vector_to_angles(target - me.eye());
        self.yaw = look.y;
        let right = self.step_aside(now, 300..900);
        let far = target.distance(me.origin) > 200.0;
        Input { look, forward: if far { 127 } else { 0 }, right, buttons: button::ATTACK, ..Input::default() }
    }
}

/// The nearest drawn player.
fn nearest_player(client: &Client, eye: Vec3) -> Option<ClientNum> {
    let others = ClientNum::all(MAX_CLIENTS).filter_map(|num| Some((num, client.drawn_player(num)?)));
    let distance = |(_, at): &(ClientNum, Vec3)| at.distance(eye);
    others.min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|(num, _)| num)
}
