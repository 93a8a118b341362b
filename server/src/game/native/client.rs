//! One player slot: what lasts over maps, what lasts over deaths, and what a death ends.

use super::afterlife::Ghost;
use super::ctf_bonuses::TeamDeeds;
use super::runes::RefillTimes;
use super::statistics::Statistics;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{game_type, pers, stat, team};
use fogline_common::proto::{PlayerState, UserCmd};
use fogline_common::time::ServerTime;

/// One player slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    /// How far it has come in.
    pub(super) connection: Connection,
    /// What its own client is told.
    pub(super) ps: PlayerState,
    /// What lasts over maps.
    pub(super) session: Session,
    /// What lasts over deaths.
    pub(super) player: Player,
    /// What a death ends.
    pub(super) life: Life,
    /// Its latest usercmd, times corrected.
    pub(super) cmd: UserCmd,
}

/// How far a client has come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Connection {
    /// Nobody.
    #[default]
    Absent,
    /// Accepted, but not in the world yet.
    Connecting,
    /// In the world, playing or looking on.
    Playing,
}

/// What lasts over maps and restarts. Source: `clientSession_t`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Session {
    /// One of [`team`].
    pub(super) team: i32,
    /// What a spectator looks at.
    pub(super) view: SpectatorView,
    /// When it joined the queue of spectators: who waited longest plays next.
    pub(super) spectating_since: ServerTime,
    /// Tournament games won.
    pub(super) wins: i32,
    /// Tournament games lost.
    pub(super) losses: i32,
    /// The host has silenced it.
    pub(super) muted: bool,
    /// It leads its team.
    pub(super) leader: bool,
    /// It was made for another game type and means nothing in this one.
    pub(super) void: bool,
}

/// What a spectator looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SpectatorView {
    /// Wherever it flies.
    #[default]
    Free,
    /// What this player sees.
    Follow(ClientNum),
    /// What the n-th player in slot order sees, counted from 0; whoever that is at the moment.
    FollowNth(usize),
    /// The scoreboard.
    Scoreboard,
}

/// What lasts over deaths. Source: `clientPersistant_t`.
#[derive(Clone, Debug, Default)]
pub(super) struct Player {
    /// Cleaned name, at most 31 bytes.
    pub(super) name: String,
    /// The server's own machine.
    pub(super) local: bool,
    /// Its client shows pickups before the server confirms them.
    pub(super) predicts_items: bool,
    /// It had its first spawn.
    pub(super) spawned_before: bool,
    /// Health that its userinfo asks for.
    pub(super) handicap: i32,
    /// Health without extras: the handicap, or twice as much with a guard.
    pub(super) max_health: i32,
    /// When it came into the world.
    pub(super) entered: ServerTime,
    /// What it did in this match.
    pub(super) statistics: Statistics,
    /// What it did for its team.
    pub(super) deeds: TeamDeeds,
    /// Its client draws an overlay of team mates.
    pub(super) wants_overlay: bool,
    /// Number of the map's location where it was last seen, 0 for none.
    pub(super) location: i32,
    /// Its ballot in the open vote.
    pub(super) ballot: Option<bool>,
    /// Its ballot in the open vote of its team.
    pub(super) team_ballot: Option<bool>,
    /// Votes that it called on this map.
    pub(super) votes_called: i32,
    /// Team votes that it called on this map.
    pub(super) team_votes_called: i32,
    /// A vote of its before this moment is refused, since its last one failed.
    pub(super) may_vote_at: ServerTime,
    /// A team change before this moment is refused.
    pub(super) may_switch_team_at: ServerTime,
}

/// What a death ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Life {
    /// Buttons of the latest usercmd.
    pub(super) buttons: i32,
    /// Buttons of the one before.
    pub(super) old_buttons: i32,
    /// Flying through walls.
    pub(super) noclip: bool,
    /// When it may respawn; while alive, when it did.
    pub(super) respawn_at: ServerTime,
    /// When it is dropped for doing nothing.
    pub(super) inactive_at: ServerTime,
    /// It was told so.
    pub(super) inactive_warned: bool,
    /// When the sprite over its head goes.
    pub(super) reward_until: ServerTime,
    /// When its air is used up.
    pub(super) air_until: ServerTime,
    /// What drowning costs next. Unit: points.
    pub(super) drowning_damage: i32,
    /// Part of a second that its once-a-second actions have not seen yet. Unit: ms.
    pub(super) second_rest: i32,
    /// Damage of this frame, to be shown.
    pub(super) hurt: HurtTally,
    /// When it last killed somebody.
    pub(super) last_kill: Option<ServerTime>,
    /// Whom it killed last.
    pub(super) last_killed: Option<ClientNum>,
    /// Who hurt it last.
    pub(super) last_hurt_by: Option<ClientNum>,
    /// Others cannot hurt it yet: it is fresh, and has not fired.
    pub(super) protected: bool,
    /// Time that its latest usercmd claimed, before it was rounded to whole steps; shots are drawn from it. Unit: ms.
    pub(super) attack_time: i32,
    /// Railgun hits in a row.
    pub(super) rail_hits: i32,
    /// Itself as it was when it died, for shots that are still on their way.
    pub(super) last_alive: Option<Ghost>,
    /// The frame of its last push, and how it moved before the first one of that frame.
    pub(super) pushed: Option<(ServerTime, Vec3)>,
    /// The mine that rides on it.
    pub(super) mine: Option<EntityNum>,
    /// Its grappling hook.
    pub(super) hook: Option<EntityNum>,
    /// The trigger has been held since its hook was thrown.
    pub(super) fire_held: bool,
    /// Its shell keeps everything off until then.
    pub(super) invulnerable_until: ServerTime,
    /// Number of the portal whose exit it has left, until it leaves the entry.
    pub(super) portal: Option<i32>,
    /// The item that hides while it bears what lasts until death.
    pub(super) rune: Option<EntityNum>,
    /// Time since its ammunition grew.
    pub(super) refills: RefillTimes,
    /// Its next usercmd gestures: its team has captured a flag.
    pub(super) gestures: bool,
    /// It wants to leave the intermission.
    pub(super) ready_to_exit: bool,
    /// Frame of the world in which its last usercmd came.
    pub(super) last_command_frame: i32,
}

/// Damage of one frame, as the player is shown it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HurtTally {
    /// Points off health.
    pub(super) blood: i32,
    /// Points off armor.
    pub(super) armor: i32,
    /// Where it came from; `None` for the world.
    pub(super) from: Option<Vec3>,
}

impl Client {
    /// It is in the world.
    pub(super) fn playing(&self) -> bool {
        self.connection == Connection::Playing
    }

    /// It looks on.
    pub(super) fn spectating(&self) -> bool {
        self.session.team == team::SPECTATOR
    }

    /// In the world with a body.
    pub(super) fn in_game(&self) -> bool {
        self.playing() && !self.spectating()
    }

    /// Health as its own client is told.
    pub(super) fn health(&self) -> i32 {
        self.ps.stats[stat::HEALTH as usize]
    }

    /// Points.
    pub(super) fn score(&self) -> i32 {
        self.ps.persistant[pers::SCORE as usize]
    }

    /// One more of a counter that lasts over deaths; see [`pers`].
    pub(super) fn count(&mut self, index: i32) {
        self.ps.persistant[index as usize] += 1;
    }
}

/// Whether two teams of the game type fight each other.
pub(super) fn is_team_game(game_type: i32) -> bool {
    game_type >= game_type::TEAM && game_type != game_type::LMS
}

/// Name of a team, as the console and the logs say it. Source: `TeamName`.
pub(super) fn team_name(team: i32) -> &'static str {
    match team {
        team::RED => "RED",
        team::BLUE => "BLUE",
        team::SPECTATOR => "SPECTATOR",
        _ => "FREE",
    }
}
