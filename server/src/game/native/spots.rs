//! Places of the map that nothing ever sees: where players appear, arrive and look from, and what pushes aim at.

use super::NativeGame;
use super::level::View;
use super::names::Name;
use crate::game::Host;
use fogline_common::math::{Bounds, Vec3, vec3, vector_to_angles};
use fogline_common::openarena::team;

/// Box of a standing player.
pub(super) const PLAYER_BOUNDS: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
/// Players appear this far above their spot, so that uneven floors do not hold them.
const LIFT: f32 = 9.0;

/// A place of the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// What for.
    pub(super) role: Role,
    /// Where.
    pub(super) origin: Vec3,
    /// Which way one looks there.
    pub(super) angles: Vec3,
    /// Its name, for what targets it.
    pub(super) name: Option<Name>,
    /// What it targets: fired when somebody appears here, or looked at.
    pub(super) target: Option<Name>,
    /// The map's `spawnflags`; 1 marks the best view for a first spawn.
    pub(super) spawn_flags: i32,
    /// Only bots appear here.
    pub(super) no_humans: bool,
}

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Players appear here.
    Spawn,
    /// Players of a team appear here when they enter the match.
    TeamStart(i32),
    /// Players of a team appear here after a death.
    TeamSpawn(i32),
    /// Everybody looks from here at the end.
    Intermission,
    /// Teleporters lead here, pushes aim here.
    Aim,
}

impl Role {
    /// The role of a class of the map, if it is one of a mere place.
    pub(super) fn of_class(class: &str) -> Option<Self> {
        Some(match class {
            "info_player_deathmatch" | "info_player_start" | "info_player_dd" => Self::Spawn,
            "team_CTF_redplayer" => Self::TeamStart(team::RED),
            "team_CTF_blueplayer" => Self::TeamStart(team::BLUE),
            "team_CTF_redspawn" => Self::TeamSpawn(team::RED),
            "team_CTF_bluespawn" => Self::TeamSpawn(team::BLUE),
            "info_player_intermission" => Self::Intermission,
            "info_notnull" | "target_position" | "misc_teleporter_dest" | "path_corner" => Self::Aim,
            _ => return None,
        })
    }
}

impl NativeGame {
    /// Whether a player that appeared at the spot would stand in another.
    fn would_telefrag(&mut self, host: &dyn Host, spot: &Spot) -> bool {
        let found = self.in_box(host, &PLAYER_BOUNDS.translated(spot.origin));
        let taken = found.iter().any(|&num| self.entities.client_of(num).is_some());
        self.put_back(found);
        taken
    }

    /// A free spot of the role by lot, or the first of it, or `None` if the map has none. Source:
    /// `SelectRandomDeathmatchSpawnPoint`.
    fn random_spot(&mut self, host: &dyn Host, role: Role) -> Option<usize> {
        let all = |game: &Self, at: usize| game.spots[at].role == role && !game.spots[at].no_humans;
        let mut free = std::mem::take(&mut self.free_spots);
        free.clear();
        for at in 0..self.spots.len() {
            let spot = self.spots[at];
            if all(self, at) && !self.would_telefrag(host, &spot) {
                free.push(at);
            }
        }
        let chosen = if free.is_empty() { None } else { Some(free[self.rng.usize(0..free.len())]) };
        self.free_spots = free;
        chosen.or_else(|| (0..self.spots.len()).find(|&at| all(self, at)))
    }

    /// A spot for a fresh body, preferably not the one nearest to `avoid`. Source: `SelectSpawnPoint`.
    fn far_spot(&mut self, host: &dyn Host, avoid: Vec3) -> Option<usize> {
        let distance = |spot: &Spot| spot.origin.distance(avoid);
        let spawns = self.spots.iter().enumerate().filter(|(_, spot)| spot.role == Role::Spawn);
        let nearest = spawns.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b))).map(|(at, _)| at);
        let mut chosen = self.random_spot(host, Role::Spawn);
        for _ in 0..2 {
            if chosen == nearest {
                chosen = self.random_spot(host, Role::Spawn);
            }
        }
        chosen
    }

    /// Where a player appears: a team's own spots if the game type has bases, the best view for a local player's first time,
    /// else anywhere far from `avoid`. The view is already lifted; the spot is what it came from.
    pub(super) fn select_spawn(
        &mut self,
        host: &dyn Host,
        team: Option<(i32, bool)>,
        first_local: bool,
        avoid: Vec3,
    ) -> (View, Option<Spot>) {
        let mut at = None;
        if let Some((team, just_entered)) = team {
            let role = if just_entered { Role::TeamStart(team) } else { Role::TeamSpawn(team) };
            at = self.random_spot(host, role);
        }
        if at.is_none() && first_local {
            at = self.spots.iter().position(|spot| spot.role == Role::Spawn && spot.spawn_flags & 1 != 0);
            at = at.filter(|&at| {
                let spot = self.spots[at];
                !self.would_telefrag(host, &spot)
            });
        }
        let at = at.or_else(|| self.far_spot(host, avoid));
        let Some(spot) = at.map(|at| self.spots[at]) else { return (self.intermission_view(), None) };
        let origin = spot.origin + vec3(0.0, 0.0, LIFT);
        (View { origin, angles: spot.angles }, Some(spot))
    }

    /// Where intermissions and fresh spectators look from. Source: `FindIntermissionPoint`.
    pub(super) fn intermission_view(&mut self) -> View {
        if let Some(view) = self.level.intermission_view {
            return view;
        }
        let find = |role| self.spots.iter().find(|spot| spot.role == role);
        let view = match find(Role::Intermission) {
            Some(spot) => {
                let aim = spot.target.and_then(|target| self.aim(target));
                let angles = aim.map_or(spot.angles, |at| vector_to_angles(at - spot.origin));
                View { origin: spot.origin, angles }
            }
            None => find(Role::Spawn).map_or_else(View::default, |spot| View {
                origin: spot.origin + vec3(0.0, 0.0, LIFT),
                angles: spot.angles,
            }),
        };
        self.level.intermission_view = Some(view);
        view
    }

    /// A place called `name`, by lot if several are. Source: `G_PickTarget`.
    pub(super) fn pick_spot(&mut self, name: Name) -> Option<Spot> {
        let called = |spot: &&Spot| spot.name == Some(name);
        let count = self.spots.iter().filter(called).count();
        let chosen = if count > 1 { self.rng.usize(0..count) } else { 0 };
        self.spots.iter().filter(called).nth(chosen).copied()
    }

    /// Where the first thing called `name` is: a place, or an entity.
    pub(super) fn aim(&self, name: Name) -> Option<Vec3> {
        let place = self.spots.iter().find(|spot| spot.name == Some(name)).map(|spot| spot.origin);
        place.or_else(|| {
            let named = |num: &_| self.entities[*num].ties.name == Some(name);
            self.entities.numbers().find(named).map(|num| self.entities[num].shared.state.origin)
        })
    }
}
