//! Whoever was about to take a powerup that another took hears that it came too late. Source: `Pickup_Powerup`.

use super::NativeGame;
use super::client::is_team_game;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Vec3, angle_vectors};
use fogline_common::openarena::{pers, player_event, stat};
use fogline_common::proto::contents;
use fogline_common::trace::TraceRequest;

/// Who is farther was not about to take it.
const REACH: f32 = 192.0;
/// Cosine of the angle within which somebody faces it.
const FACING: f32 = 0.4;

impl NativeGame {
    /// A player took a powerup at a place.
    pub(super) fn deny_others(&mut self, host: &dyn Host, taker: ClientNum, place: Vec3) {
        let team_game = is_team_game(host.config().g_gametype);
        for num in self.slots() {
            let client = &self.clients[num.index()];
            let alive = client.in_game() && client.ps.stats[stat::HEALTH as usize] > 0;
            let mates = team_game && client.session.team == self.clients[taker.index()].session.team;
            if num == taker || !alive || mates {
                continue;
            }
            let (direction, distance) = (place - client.ps.origin).normalize_with_length();
            if distance > REACH || direction.dot(angle_vectors(client.ps.view_angles).forward) < FACING {
                continue;
            }
            let look = TraceRequest::ray(client.ps.origin, place, contents::SOLID, None);
            if host.trace(&self.entities, &look).fraction == 1.0 {
                self.clients[num.index()].ps.persistant[pers::PLAYEREVENTS as usize] ^=
                    player_event::DENIEDREWARD;
            }
        }
    }
}
