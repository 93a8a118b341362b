//! What players may do where `sv_cheats` is on.

use super::NativeGame;
use super::items::{add_ammo, item_of_class};
use super::level::View;
use super::number::{leading_float, leading_int};
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::math::{YAW, vec3};
use fogline_common::openarena::{ITEMS, item_type, stat, weapon};

/// Every weapon but the grapple.
const ALL_WEAPONS: i32 = (1 << weapon::NUM_WEAPONS) - 1 - (1 << weapon::GRAPPLING_HOOK) - (1 << weapon::NONE);

impl NativeGame {
    /// Whether the client may cheat now; it is told why not. Source: `CheatsOk`.
    fn may_cheat(&self, host: &mut dyn Host, num: ClientNum) -> bool {
        let refusal = if !host.config().sv_cheats {
            "Cheats are not enabled on this server."
        } else if self.entities[num.entity()].health <= 0 {
            "You must be alive to use this command."
        } else {
            return true;
        };
        host.send_server_command(Some(num), &format!("print \"{refusal}\n\""));
        false
    }

    /// A cheat; see the commands of the same name.
    pub(super) fn cheat(&mut self, host: &mut dyn Host, num: ClientNum, args: &[&str]) {
        if !self.may_cheat(host, num) {
            return;
        }
        let toggle = |on: &mut bool, what: &str| {
            *on = !*on;
            format!("{what} {}", if *on { "ON" } else { "OFF" })
        };
        let answer = match args {
            ["god", ..] => toggle(&mut self.entities[num.entity()].god, "godmode"),
            ["notarget", ..] => toggle(&mut self.entities[num.entity()].no_target, "notarget"),
            ["noclip", ..] => toggle(&mut self.clients[num.index()].life.noclip, "noclip"),
            ["give", what, amount @ ..] => self.give(host, num, what, amount.first().copied()),
            ["give", ..] => "usage: give <all|health|armor|weapons|ammo|item class> [amount]".to_owned(),
            ["setviewpos", x, y, z, yaw, ..] => {
                let origin = vec3(leading_float(x), leading_float(y), leading_float(z));
                let angles = vec3(0.0, leading_float(yaw), 0.0);
                self.teleport(host, num, View { origin, angles });
                return;
            }
            _ => "usage: setviewpos x y z yaw".to_owned(),
        };
        host.send_server_command(Some(num), &format!("print \"{answer}\n\""));
    }

    fn give(&mut self, host: &mut dyn Host, num: ClientNum, what: &str, amount: Option<&str>) -> String {
        let what = what.to_ascii_lowercase();
        let all = what == "all";
        let amount = amount.map(leading_int);
        let mut known = all;
        if all || what == "health" {
            let most = self.clients[num.index()].ps.stats[stat::MAX_HEALTH as usize];
            self.set_health(num, amount.unwrap_or(most).clamp(1, 999));
            known = true;
        }
        let ps = &mut self.clients[num.index()].ps;
        if all || what == "weapons" {
            ps.stats[stat::WEAPONS as usize] = ALL_WEAPONS;
            known = true;
        }
        if all || what == "ammo" {
            for weapon in weapon::MACHINEGUN..weapon::NUM_WEAPONS {
                add_ammo(&mut ps.ammo, weapon, 999);
            }
            known = true;
        }
        if all || what == "armor" {
            ps.stats[stat::ARMOR as usize] = amount.unwrap_or(200).clamp(0, 999);
            known = true;
        }
        if known {
            return format!("gave {what}");
        }
        let item = item_of_class(&what).or_else(|| {
            ITEMS.iter().skip(1).position(|item| item.name.eq_ignore_ascii_case(&what)).map(|at| at + 1)
        });
        if let Some(index) = item.filter(|&index| ITEMS[index].kind != item_type::TEAM) {
            self.give_item(host, num, index);
            return format!("gave {what}");
        }
        format!("there is no {what} to give")
    }

    /// Where the player is.
    pub(super) fn tell_where(&self, host: &mut dyn Host, num: ClientNum) {
        let ps = self.shown_state(num);
        let at = ps.origin;
        let text = format!("print \"({:.0} {:.0} {:.0}) : {:.0}\n\"", at.x, at.y, at.z, ps.view_angles[YAW]);
        host.send_server_command(Some(num), &text);
    }

    fn give_item(&mut self, host: &mut dyn Host, num: ClientNum, index: usize) {
        let Some(item) = self.entities.spawn(self.level.time) else { return };
        let origin = self.clients[num.index()].ps.origin;
        self.set_origin(item, origin);
        self.make_dropped(item, index, 0);
        self.touch_item(host, item, num);
        self.free(host, item);
    }
}
