//! Capture the flag: fetch theirs, bring it home, get ours back, guard and go along.

use super::goals::{Goal, What};
use super::graph::{Graph, NodeNum};
use super::mind::Mind;
use super::thought::{Body, Scene};
use crate::game::native::entity::Kind;
use crate::game::native::flags::{FlagStatus, flag_team};
use fogline_common::ids::ClientNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{game_type, powerup, team};

/// How much a carrier wants to be home.
const CARRIER: f32 = 1000.0;
/// How much one wants a flag that lies about.
const LYING: f32 = 60.0;
/// How much one wants their flag, or to guard ours.
const DUTY: f32 = 14.0;
/// Guards stay this near to the flag.
const POST: f32 = 500.0;

/// What the flags ask of the bot, if anything.
pub(super) fn choose(
    mind: &mut Mind,
    scene: &Scene<'_>,
    graph: &Graph,
    body: &Body,
    here: NodeNum,
) -> Option<Goal> {
    if scene.host.config().g_gametype != game_type::CTF {
        return None;
    }
    let own = scene.game.clients[mind.num.index()].session.team;
    let enemy = match own {
        team::RED => team::BLUE,
        team::BLUE => team::RED,
        _ => return None,
    };
    let goal = |place: Option<Vec3>, worth: f32| {
        let node = graph.nearest(place?, 120.0)?;
        graph.travel_ms(here, node).map(|_| Goal { node, what: What::Flag, worth })
    };
    let status = |team: i32| scene.game.level.flags[usize::from(team == team::BLUE)];
    let home = stand_of(scene, own);
    if body.ps.powerups[flag_powerup(enemy)] != 0 {
        let at_home = home.is_some_and(|home| home.distance(body.ps.origin) < 70.0);
        return match status(own) {
            FlagStatus::Dropped => goal(lying(scene, own), CARRIER).or_else(|| goal(home, CARRIER)),
            // Without our own flag there is nothing to do there but wait.
            FlagStatus::Taken if at_home => None,
            _ => goal(home, CARRIER),
        };
    }
    if status(own) == FlagStatus::Dropped {
        return goal(lying(scene, own), LYING);
    }
    if is_guard(scene, mind.num, own) {
        let near = home.is_some_and(|home| home.distance(body.ps.origin) < POST);
        if status(own) == FlagStatus::Home {
            return if near { None } else { goal(home, DUTY) };
        }
        // Whoever has it must come by their own base.
        return goal(stand_of(scene, enemy), DUTY);
    }
    match status(enemy) {
        FlagStatus::Home => goal(stand_of(scene, enemy), DUTY),
        FlagStatus::Dropped => goal(lying(scene, enemy), LYING),
        FlagStatus::Taken => {
            let carrier = carrier(scene, enemy)?;
            let place = scene.game.clients[carrier.index()].ps.origin;
            if place.distance(body.ps.origin) < 250.0 { None } else { goal(Some(place), DUTY * 0.8) }
        }
    }
}

fn flag_powerup(team: i32) -> usize {
    (if team == team::RED { powerup::REDFLAG } else { powerup::BLUEFLAG }) as usize
}

/// Every third of a team guards.
fn is_guard(scene: &Scene<'_>, me: ClientNum, own: i32) -> bool {
    let mates = scene.game.slots().filter(|num| {
        let client = &scene.game.clients[num.index()];
        client.in_game() && client.session.team == own
    });
    mates.take_while(|&num| num != me).count() % 3 == 2
}

/// Where a team's flag stands when it is home.
fn stand_of(scene: &Scene<'_>, team: i32) -> Option<Vec3> {
    flag_place(scene, team, false)
}

/// Where a team's flag lies.
fn lying(scene: &Scene<'_>, team: i32) -> Option<Vec3> {
    flag_place(scene, team, true)
}

fn flag_place(scene: &Scene<'_>, team: i32, dropped: bool) -> Option<Vec3> {
    scene.game.entities.numbers().find_map(|num| {
        let entity = &scene.game.entities[num];
        let Kind::Item(item) = entity.kind else { return None };
        let is_it = flag_team(item.index) == Some(team) && item.dropped == dropped;
        is_it.then_some(entity.shared.link.origin)
    })
}

/// Who carries a team's flag.
fn carrier(scene: &Scene<'_>, team: i32) -> Option<ClientNum> {
    scene.game.slots().find(|num| {
        let client = &scene.game.clients[num.index()];
        client.in_game() && client.ps.powerups[flag_powerup(team)] != 0
    })
}
