//! Capture the flag: fetch theirs, bring it home, get ours back, guard, go along, and cut off who has ours.

use super::arms;
use super::goals::{Goal, WEAK, What};
use super::goods;
use super::graph::{Graph, NodeNum};
use super::mind::Mind;
use super::thought::{Body, Scene};
use crate::game::native::NativeGame;
use crate::game::native::entity::Kind;
use crate::game::native::flags::{FlagStatus, flag_team};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{game_type, powerup, stat, team};
use fogline_common::proto::PlayerState;
use std::f32::consts::TAU;

/// How much a carrier wants to be home.
const CARRIER: f32 = 1000.0;
/// How much one wants a flag that lies about.
const LYING: f32 = 60.0;
/// How much one wants their flag, or to guard ours.
const DUTY: f32 = 30.0;
/// With a weapon of this worth one goes for their flag.
const WELL_ARMED: f32 = 1.8;
/// What is at least so much wanted is not left for what lies elsewhere, only for what lies about by the way.
pub(super) const PRESSING: f32 = 20.0;
/// How much one wants to be somewhere around a post.
const WATCH: f32 = 1.0;
/// Guards stay this near to the flag, and carriers who must wait.
const POST: f32 = 500.0;
/// Who goes along stays this near.
const ALONG: f32 = 250.0;
/// Whoever is this near to our own flag where it lies brings it back, guard or not. Unit: ms.
const NEAR_MS: u32 = 7000;
/// Where a flag lies that no place touches, this is near enough to try.
const ABOUT: f32 = 120.0;

/// What a bot knows of the flags: what its client shows to everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tidings {
    statuses: [Option<FlagStatus>; 2],
    carries: bool,
}

impl Tidings {
    /// Of now. Nothing outside of capture the flag.
    pub(super) fn of(scene: &Scene<'_>, body: &Body) -> Self {
        if scene.host.config().g_gametype != game_type::CTF {
            return Self::default();
        }
        let carries = [team::RED, team::BLUE].iter().any(|&team| carries(&body.ps, team));
        Self { statuses: scene.game.level.flags.map(Some), carries }
    }
}

/// One bot's view of its duty.
struct Duty<'a> {
    scene: &'a Scene<'a>,
    graph: &'a Graph,
    here: NodeNum,
    at: Vec3,
    own: i32,
    enemy: i32,
    /// How much it wants to go where the enemy is.
    daring: f32,
}

/// What the flags ask of the bot, if anything.
pub(super) fn choose(
    mind: &mut Mind,
    scene: &Scene<'_>,
    graph: &Graph,
    body: &Body,
    here: NodeNum,
) -> Option<Goal> {
    if scene.host.config().g_gametype != game_type::CTF || body.now < mind.off_duty_until {
        return None;
    }
    let own = scene.game.clients[mind.num.index()].session.team;
    let enemy = match own {
        team::RED => team::BLUE,
        team::BLUE => team::RED,
        _ => return None,
    };
    let duty = Duty { scene, graph, here, at: body.ps.origin, own, enemy, daring: daring(&body.ps) };
    if carries(&body.ps, enemy) {
        return duty.of_carrier(mind.goal, &mut mind.rng);
    }
    let place = mates_before(scene.game, mind.num, own);
    let guards = place % 3 == 2;
    if duty.status(own) == FlagStatus::Dropped
        && let Some((goal, way)) = duty.touch(flag(scene.game, own, true), LYING)
        && (guards || way < NEAR_MS)
    {
        return Some(goal);
    }
    if guards { duty.of_guard(mind.goal, &mut mind.rng) } else { duty.of_attacker(place) }
}

impl Duty<'_> {
    fn status(&self, team: i32) -> FlagStatus {
        self.scene.game.level.flags[usize::from(team == team::BLUE)]
    }

    /// Home with it; if our own is away, first that, or wait about for it.
    fn of_carrier(&self, held: Option<Goal>, rng: &mut fastrand::Rng) -> Option<Goal> {
        let home = || self.touch(flag(self.scene.game, self.own, false), CARRIER).map(|(goal, _)| goal);
        match self.status(self.own) {
            FlagStatus::Home => home(),
            FlagStatus::Dropped => {
                let lying = self.touch(flag(self.scene.game, self.own, true), CARRIER);
                lying
                    .filter(|&(_, way)| way < NEAR_MS)
                    .map(|(goal, _)| goal)
                    .or_else(|| self.watch(held, CARRIER, rng))
            }
            FlagStatus::Taken => self.watch(held, CARRIER, rng),
        }
    }

    /// About the flag while it is home; else to where its thief must bring it.
    fn of_guard(&self, held: Option<Goal>, rng: &mut fastrand::Rng) -> Option<Goal> {
        if self.status(self.own) == FlagStatus::Taken { self.cut_off() } else { self.watch(held, DUTY, rng) }
    }

    /// For their flag, or along with who has it. Of several who have nothing to fetch, every other cuts off a thief.
    fn of_attacker(&self, place: usize) -> Option<Goal> {
        let game = self.scene.game;
        match self.status(self.enemy) {
            FlagStatus::Home => self.touch(flag(game, self.enemy, false), self.daring).map(|(goal, _)| goal),
            FlagStatus::Dropped => self.touch(flag(game, self.enemy, true), LYING).map(|(goal, _)| goal),
            FlagStatus::Taken if place % 2 == 1 && self.status(self.own) == FlagStatus::Taken => {
                self.cut_off()
            }
            FlagStatus::Taken => {
                let carrier = game.slots().find(|&num| {
                    game.clients[num.index()].in_game() && carries(&game.clients[num.index()].ps, self.enemy)
                })?;
                let place = game.clients[carrier.index()].ps.origin;
                if place.distance(self.at) < ALONG { None } else { self.go(place, self.daring) }
            }
        }
    }

    /// To their stand.
    fn cut_off(&self) -> Option<Goal> {
        let (_, stand) = flag(self.scene.game, self.enemy, false)?;
        if stand.distance(self.at) < POST * 0.5 { None } else { self.go(stand, self.daring) }
    }

    /// Somewhere around our stand; from afar straight there.
    fn watch(&self, held: Option<Goal>, from_afar: f32, rng: &mut fastrand::Rng) -> Option<Goal> {
        let (_, home) = flag(self.scene.game, self.own, false)?;
        if home.distance(self.at) > POST {
            return self.go(home, from_afar);
        }
        if let Some(held) = held.filter(|held| held.what == What::Flag(None) && held.worth == WATCH) {
            return Some(held);
        }
        for _ in 0..8 {
            let (turn, reach) = (rng.f32() * TAU, rng.f32() * POST * 0.8);
            let place = home + vec3(turn.cos() * reach, turn.sin() * reach, 0.0);
            if let Some(goal) = self.go(place, WATCH) {
                return Some(goal);
            }
        }
        self.go(home, WATCH)
    }

    fn go(&self, place: Vec3, worth: f32) -> Option<Goal> {
        let node = self.graph.nearest(place, ABOUT)?;
        self.graph.travel_ms(self.here, node)?;
        Some(Goal { node, what: What::Flag(None), worth })
    }

    /// Onto a flag, and how long that takes.
    fn touch(&self, flag: Option<(EntityNum, Vec3)>, worth: f32) -> Option<(Goal, u32)> {
        let (entity, place) = flag?;
        let node = place_of(self.graph, place)?;
        let way = self.graph.travel_ms(self.here, node)?;
        Some((Goal { node, what: What::Flag(Some(entity)), worth }, way))
    }
}

/// How long the way from one stand to the other takes, both ways, from red first; inner `None` where there is no way. `None` if a
/// flag is missing.
pub(super) fn ways_between_stands(game: &NativeGame, graph: &Graph) -> Option<[Option<u32>; 2]> {
    let node = |team: i32| flag(game, team, false).map(|(_, place)| place_of(graph, place));
    let (red, blue) = (node(team::RED)?, node(team::BLUE)?);
    let way = |from: Option<NodeNum>, to: Option<NodeNum>| graph.travel_ms(from?, to?);
    Some([way(red, blue), way(blue, red)])
}

/// How much a player wants to go where the enemy is: little with nothing but the machinegun in hand, or hurt.
fn daring(ps: &PlayerState) -> f32 {
    let armed = (arms::strength(ps) / WELL_ARMED).clamp(0.4, 1.0);
    let hurt = if ps.stats[stat::HEALTH as usize] < WEAK { 0.5 } else { 1.0 };
    DUTY * armed * hurt
}

/// From where a flag is taken.
fn place_of(graph: &Graph, place: Vec3) -> Option<NodeNum> {
    goods::node_at(graph, place).or_else(|| graph.nearest(place, ABOUT))
}

/// Whether the player has a team's flag.
pub(super) fn carries(ps: &PlayerState, team: i32) -> bool {
    ps.powerups[(if team == team::RED { powerup::REDFLAG } else { powerup::BLUEFLAG }) as usize] != 0
}

/// Team mates in lower slots; by it the team shares out what is to be done.
fn mates_before(game: &NativeGame, me: ClientNum, own: i32) -> usize {
    let mates = game.slots().filter(|num| {
        let client = &game.clients[num.index()];
        client.in_game() && client.session.team == own
    });
    mates.take_while(|&num| num != me).count()
}

/// A team's flag: the one of its stand, or the one that lies about.
fn flag(game: &NativeGame, team: i32, dropped: bool) -> Option<(EntityNum, Vec3)> {
    game.entities.numbers().find_map(|num| {
        let entity = &game.entities[num];
        let Kind::Item(item) = entity.kind else { return None };
        let is_it = flag_team(item.index) == Some(team) && item.dropped == dropped;
        is_it.then_some((num, entity.shared.link.origin))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::openarena::weapon;

    #[test]
    fn the_well_armed_go_for_the_flag_and_the_hurt_see_to_themselves_first() {
        let mut ps = PlayerState::default();
        ps.stats[stat::HEALTH as usize] = 100;
        let arm = |ps: &mut PlayerState, weapon: i32| {
            ps.stats[stat::WEAPONS as usize] |= 1 << weapon;
            ps.ammo[weapon as usize] = 10;
        };
        arm(&mut ps, weapon::MACHINEGUN);
        let unarmed = daring(&ps);
        arm(&mut ps, weapon::ROCKET_LAUNCHER);
        let armed = daring(&ps);
        ps.stats[stat::HEALTH as usize] = WEAK - 1;
        let hurt = daring(&ps);
        assert!(armed >= PRESSING && unarmed < PRESSING && hurt < PRESSING, "{armed} {unarmed} {hurt}");
    }
}
