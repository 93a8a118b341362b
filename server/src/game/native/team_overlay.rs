//! What team mates are told of each other once a second: where they are, and how they are.
//!
//! Source: `CheckTeamStatus`, `TeamplayInfoMessage`, `Team_GetLocation`; facts page "q3-protocol-facts", section 9.

use super::NativeGame;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{stat, team};
use fogline_common::proto::limits::MAX_COMMAND_TEXT;
use fogline_common::time::Millis;
use std::fmt::Write as _;

/// Source: `TEAM_LOCATION_UPDATE_TIME`.
const INTERVAL: Millis = Millis(1000);
/// Mates that an overlay has room for. Source: `TEAM_MAXOVERLAY`.
const MOST_MATES: usize = 32;
/// Locations farther than this are no answer to where somebody is.
const FARTHEST: f32 = 3.0 * 8192.0 * 8192.0;

impl NativeGame {
    /// Once a second: where everybody of a team is, and then each who wants it is told of its mates.
    pub(super) fn run_team_overlay(&mut self, host: &mut dyn Host) {
        if self.level.time - self.level.overlay_sent < INTERVAL {
            return;
        }
        self.level.overlay_sent = self.level.time;
        for num in self.slots() {
            if self.is_on_a_side(num) {
                let location = self.location_of(host, num);
                self.clients[num.index()].player.location = location as i32;
            }
        }
        for side in [team::RED, team::BLUE] {
            let mut wants = self.slots().filter(|&num| {
                self.clients[num.index()].session.team == side
                    && self.clients[num.index()].player.wants_overlay
            });
            if let Some(first) = wants.by_ref().find(|&num| self.clients[num.index()].playing()) {
                let mut text = std::mem::take(&mut self.overlay_text);
                self.write_overlay(side, &mut text);
                host.send_server_command(Some(first), &text);
                for num in wants.filter(|&num| self.clients[num.index()].playing()) {
                    host.send_server_command(Some(num), &text);
                }
                self.overlay_text = text;
            }
        }
    }

    fn is_on_a_side(&self, num: ClientNum) -> bool {
        let client = &self.clients[num.index()];
        client.playing() && matches!(client.session.team, team::RED | team::BLUE)
    }

    /// The command: a count, then client, location, health, armor, weapon and powerups of each mate.
    fn write_overlay(&self, side: i32, text: &mut String) {
        let mates = || {
            let of_side = |num: &ClientNum| {
                self.clients[num.index()].playing() && self.clients[num.index()].session.team == side
            };
            self.slots().filter(of_side).take(MOST_MATES)
        };
        text.clear();
        // Writing to a string cannot fail.
        let _ = write!(text, "tinfo {}", mates().count());
        for num in mates() {
            let client = &self.clients[num.index()];
            let stats = &client.ps.stats;
            let _ = write!(
                text,
                " {num} {} {} {} {} {}",
                client.player.location,
                stats[stat::HEALTH as usize].max(0),
                stats[stat::ARMOR as usize].max(0),
                client.ps.weapon,
                self.entities[num.entity()].shared.state.powerups,
            );
        }
    }

    /// Number of the map's location that is nearest and could be seen, 0 for none.
    pub(super) fn location_of(&self, host: &dyn Host, num: ClientNum) -> usize {
        let origin = self.entities[num.entity()].shared.link.origin;
        let mut best = (0, FARTHEST);
        for (at, (place, _)) in self.level.locations.iter().enumerate() {
            let way = *place - origin;
            let far = way.dot(way);
            if far <= best.1 && host.in_pvs(origin, *place, false) {
                best = (at + 1, far);
            }
        }
        best.0
    }
}

// Even a full overlay of the longest rows fits a command.
const _: () = assert!("tinfo 32".len() + MOST_MATES * " 63 63 -999 999 13 32767".len() <= MAX_COMMAND_TEXT);
