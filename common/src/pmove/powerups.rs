//! What carried and timed powerups do to movement.

use crate::openarena::{ITEMS, item_type, powerup, stat};
use crate::proto::PlayerState;

/// The powerup that lasts until death (scout, guard, doubler, ammo regeneration), or [`powerup::NONE`].
pub fn carried_powerup(ps: &PlayerState) -> i32 {
    tag_of(ps.stats[stat::PERSISTANT_POWERUP as usize])
}

/// The holdable that is carried, or `HI_NONE`.
pub(super) fn holdable_tag(ps: &PlayerState) -> i32 {
    tag_of(ps.stats[stat::HOLDABLE_ITEM as usize])
}

/// `base_speed` (`g_speed`) as this player's powerups change it: scout half as much again, else haste three tenths more.
/// The server puts it into [`PlayerState::speed`] before each move; clients are told. Source: `ClientThink_real`.
pub fn speed_with_powerups(ps: &PlayerState, base_speed: i32) -> i32 {
    let factor = match carried_powerup(ps) {
        powerup::SCOUT => 1.5,
        _ if ps.powerups[powerup::HASTE as usize] != 0 => 1.3,
        _ => return base_speed,
    };
    (f64::from(base_speed) * factor) as i32
}

/// Tag of an item number; of none if there is no such item.
fn tag_of(item: i32) -> i32 {
    usize::try_from(item).ok().and_then(|index| ITEMS.get(index)).map_or(0, |item| item.tag)
}

const _: () = assert!(ITEMS[0].kind == item_type::BAD && ITEMS[0].tag == powerup::NONE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scout_beats_haste() {
        let mut ps = PlayerState::default();
        assert_eq!(speed_with_powerups(&ps, 320), 320);
        ps.powerups[powerup::HASTE as usize] = 1;
        assert_eq!(speed_with_powerups(&ps, 320), 416);
        ps.stats[stat::PERSISTANT_POWERUP as usize] =
            ITEMS.iter().position(|item| item.class == "item_scout").expect("a known item") as i32;
        assert_eq!(speed_with_powerups(&ps, 320), 480);
    }

    #[test]
    fn an_item_that_is_none_carries_nothing() {
        let mut ps = PlayerState::default();
        for item in [-1, ITEMS.len() as i32, i32::MAX] {
            ps.stats[stat::PERSISTANT_POWERUP as usize] = item;
            assert_eq!(carried_powerup(&ps), powerup::NONE);
        }
    }
}
