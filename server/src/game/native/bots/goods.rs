//! What lies about, and what it is worth to whom.

use super::arms;
use super::graph::{Graph, NodeNum};
use crate::game::native::NativeGame;
use crate::game::native::entity::Kind;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{ITEMS, item_type, powerup, stat};
use fogline_common::proto::PlayerState;

/// A thing is taken from a node at most this far away: by a player's touch, and a little less.
const TOUCH: Vec3 = vec3(36.0, 30.0, 34.0);

/// A thing of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Good {
    /// The entity.
    pub(super) entity: EntityNum,
    /// What it is: index into [`ITEMS`].
    pub(super) item: usize,
    /// Where it lies.
    pub(super) place: Vec3,
    /// From where it is taken.
    pub(super) node: NodeNum,
}

/// Everything of the map that can be reached, in order of entities; team things aside.
pub(super) fn list(game: &NativeGame, graph: &Graph) -> Vec<Good> {
    let mut goods = Vec::new();
    for num in game.entities.numbers() {
        let entity = &game.entities[num];
        let Kind::Item(item) = entity.kind else { continue };
        let place = entity.shared.link.origin;
        if item.dropped || ITEMS[item.index].kind == item_type::TEAM {
            continue;
        }
        if let Some(node) = node_at(graph, place) {
            goods.push(Good { entity: num, item: item.index, place, node });
        }
    }
    goods
}

/// The node from which a thing is taken.
pub(super) fn node_at(graph: &Graph, place: Vec3) -> Option<NodeNum> {
    let mut best: Option<(NodeNum, f32)> = None;
    graph.near(place, |num, distance| {
        let offset = (graph.node(num).origin - place).abs();
        let touches = offset.x <= TOUCH.x && offset.y <= TOUCH.y && offset.z <= TOUCH.z;
        if touches && best.is_none_or(|(_, least)| distance < least) {
            best = Some((num, distance));
        }
    });
    best.map(|(num, _)| num)
}

/// What an item is worth to a player. Unit: about a point of health.
pub(super) fn worth(ps: &PlayerState, item: usize) -> f32 {
    let what = &ITEMS[item];
    let (health, most) = (ps.stats[stat::HEALTH as usize], ps.stats[stat::MAX_HEALTH as usize]);
    match what.kind {
        item_type::HEALTH => {
            let limit = if matches!(what.quantity, 5 | 100) { most * 2 } else { most };
            let gain = (limit - health).clamp(0, what.quantity) as f32;
            let urgency = if health < 50 { 2.5 } else { 1.0 };
            if what.quantity == 100 { 60.0 + gain } else { gain * urgency }
        }
        item_type::ARMOR => {
            let gain = (most * 2 - ps.stats[stat::ARMOR as usize]).clamp(0, what.quantity);
            gain as f32 * 0.9 + if what.quantity >= 50 { 15.0 } else { 0.0 }
        }
        item_type::WEAPON => {
            let arm = arms::of(what.tag);
            let held = ps.stats[stat::WEAPONS as usize] & 1 << what.tag != 0;
            if held { ammo_worth(ps, what.tag) } else { arm.wanted }
        }
        item_type::AMMO => {
            let held = ps.stats[stat::WEAPONS as usize] & 1 << what.tag != 0;
            if held { ammo_worth(ps, what.tag) } else { 1.0 }
        }
        item_type::POWERUP if what.tag == powerup::FLIGHT => 20.0,
        item_type::POWERUP => 150.0,
        item_type::HOLDABLE if ps.stats[stat::HOLDABLE_ITEM as usize] == 0 => 30.0,
        _ => 0.0,
    }
}

fn ammo_worth(ps: &PlayerState, weapon: i32) -> f32 {
    let arm = arms::of(weapon);
    let rounds = ps.ammo[weapon as usize];
    if rounds < arm.plenty { arm.wanted * 0.4 } else { 3.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::openarena::weapon;

    fn item(class: &str) -> usize {
        ITEMS.iter().position(|item| item.class == class).expect("the class of an item")
    }

    fn player(health: i32) -> PlayerState {
        let mut ps = PlayerState::default();
        ps.stats[stat::HEALTH as usize] = health;
        ps.stats[stat::MAX_HEALTH as usize] = 100;
        ps
    }

    #[test]
    fn health_is_worth_what_it_heals_and_more_in_need() {
        let (large, mega) = (item("item_health_large"), item("item_health_mega"));
        assert_eq!(worth(&player(100), large), 0.0);
        assert_eq!(worth(&player(80), large), 20.0);
        assert!(worth(&player(20), large) > 2.0 * 50.0);
        assert!(worth(&player(100), mega) > worth(&player(80), large));
    }

    #[test]
    fn a_weapon_is_wanted_until_it_is_held_and_its_rounds_until_there_are_plenty() {
        let (launcher, rockets) = (item("weapon_rocketlauncher"), item("ammo_rockets"));
        let mut ps = player(100);
        let (without, useless) = (worth(&ps, launcher), worth(&ps, rockets));
        ps.stats[stat::WEAPONS as usize] = 1 << weapon::ROCKET_LAUNCHER;
        ps.ammo[weapon::ROCKET_LAUNCHER as usize] = 2;
        let (short, wanted) = (worth(&ps, launcher), worth(&ps, rockets));
        ps.ammo[weapon::ROCKET_LAUNCHER as usize] = 40;
        let plenty = worth(&ps, rockets);
        assert!(without > short && short > plenty, "{without} {short} {plenty}");
        assert!(wanted > useless && wanted > plenty, "{wanted} {useless} {plenty}");
    }

    #[test]
    fn armour_is_worth_less_the_more_is_worn_and_a_full_hand_wants_no_holdable() {
        let (armour, medkit) = (item("item_armor_body"), item("holdable_medkit"));
        let mut ps = player(100);
        let bare = worth(&ps, armour);
        ps.stats[stat::ARMOR as usize] = 150;
        assert!(worth(&ps, armour) < bare);
        assert!(worth(&ps, medkit) > 0.0);
        ps.stats[stat::HOLDABLE_ITEM as usize] = medkit as i32;
        assert_eq!(worth(&ps, medkit), 0.0);
    }
}
