//! Things carried until they are used: what each sets going, the medkit and the personal teleporter themselves. Source:
//! `ClientEvents`.

use super::NativeGame;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{event, holdable, powerup, stat};
use fogline_common::pmove::carried_powerup;

/// A medkit heals this far beyond the usual.
const MEDKIT_EXTRA: i32 = 25;
/// Regeneration below the usual health. Unit: points a second.
const REGEN_FAST: i32 = 15;
/// Regeneration beyond it, up to twice as much.
const REGEN_SLOW: i32 = 5;

impl NativeGame {
    /// The player used what it carried; movement has taken it from its hands already.
    pub(super) fn use_holdable(&mut self, host: &mut dyn Host, num: ClientNum, tag: i32) {
        match tag {
            holdable::TELEPORTER => {
                // Flags stay behind.
                self.drop_flags(host, num);
                let avoid = self.clients[num.index()].ps.origin;
                let (view, _) = self.select_spawn(host, None, false, avoid);
                self.teleport(host, num, view);
            }
            holdable::MEDKIT => {
                let most = self.clients[num.index()].ps.stats[stat::MAX_HEALTH as usize];
                self.set_health(num, most + MEDKIT_EXTRA);
            }
            holdable::KAMIKAZE => self.use_kamikaze(host, num),
            holdable::PORTAL => self.use_portal(host, num),
            holdable::INVULNERABILITY => self.use_invulnerability(num),
            _ => {}
        }
    }

    /// One second of health: it grows under regeneration, and else counts down to the usual. Source: `ClientTimerActions`.
    pub(super) fn tick_health(&mut self, num: ClientNum) {
        let ps = &self.clients[num.index()].ps;
        let most = ps.stats[stat::MAX_HEALTH as usize];
        let health = self.entities[num.entity()].health;
        // A guard heals as if the usual health were half of its own.
        let usual = if carried_powerup(ps) == powerup::GUARD {
            most / 2
        } else if ps.powerups[powerup::REGEN as usize] != 0 {
            most
        } else {
            if health > most {
                self.set_health(num, health - 1);
            }
            return;
        };
        if let Some(grown) = regenerated(health, usual) {
            self.set_health(num, grown);
            self.add_event(num.entity(), event::POWERUP_REGEN, 0);
        }
    }
}

/// Health a second later; `None` once there is no more to gain.
fn regenerated(health: i32, most: i32) -> Option<i32> {
    if health < most {
        Some((health + REGEN_FAST).min((f64::from(most) * 1.1) as i32))
    } else if health < most * 2 {
        Some((health + REGEN_SLOW).min(most * 2))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regeneration_is_fast_at_first_and_ends_at_twice_the_usual() {
        assert_eq!(regenerated(40, 100), Some(55));
        assert_eq!(regenerated(99, 100), Some(110));
        assert_eq!(regenerated(100, 100), Some(105));
        assert_eq!(regenerated(198, 100), Some(200));
        assert_eq!(regenerated(200, 100), None);
    }
}
