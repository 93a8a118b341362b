//! Every entity class that maps of OpenArena use, and what becomes of it here.
//!
//! A map may name classes of other games: some mean the same as one of ours, the rest mean nothing. A class that is in none of
//! these tables is told to the host when the map begins.

use super::items::item_of_class;
use super::spots::Role;

/// What becomes of a class. Displays as a phrase for the table in the docs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassState {
    /// The world itself.
    World,
    /// A place to appear, arrive, look from or aim at.
    Place,
    /// Something to pick up.
    Item,
    /// A brush model that moves, or stands.
    Mover,
    /// A space that acts on who enters it.
    Trigger,
    /// Something that acts when it is fired.
    Target,
    /// A mirror or a view from elsewhere.
    Portal,
    /// A name for a part of the map.
    Location,
    /// For map compilers, editors or AAS bots.
    NotForRules,
    /// Of a game type that is not played.
    OtherGameType,
    /// Of another game: OpenArena does not know it either.
    OtherGame,
}

impl std::fmt::Display for ClassState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::World => "the world itself",
            Self::Place => "place",
            Self::Item => "item",
            Self::Mover => "mover",
            Self::Trigger => "trigger",
            Self::Target => "target",
            Self::Portal => "mirror or portal",
            Self::Location => "name of a place",
            Self::NotForRules => "for compilers, editors or bots",
            Self::OtherGameType => "of a game type that is not played",
            Self::OtherGame => "of another game, left out",
        })
    }
}

/// Classes of other games under the name by which the same is known here.
const OTHER_NAMES: [(&str, &str); 8] = [
    ("ammo_chaingun", "ammo_belt"),
    ("ammo_nailgun", "ammo_nails"),
    ("ammo_proxmine", "ammo_mines"),
    ("info_intermission", "info_player_intermission"),
    ("info_teleport_destination", "misc_teleporter_dest"),
    ("item_kamikaze", "holdable_kamikaze"),
    ("lightJunior", "light"),
    ("weapon_proxmine", "weapon_prox_launcher"),
];
/// For map compilers, editors or AAS bots.
const NOT_FOR_RULES: [&str; 9] = [
    "info_null",
    "func_group",
    "light",
    "misc_model",
    "info_camp",
    "info_location",
    "advertisement",
    "func_illusionary",
    "item_botroam",
];
/// Of game types that are not played.
const OTHER_GAME_TYPES: [&str; 4] =
    ["team_redobelisk", "team_blueobelisk", "team_neutralobelisk", "domination_point"];
/// Of other games, and one slip of the pen.
const OTHER_GAMES: [&str; 5] = [
    "dom_controlpoint",
    "event_lightning",
    "item_health_small (0 1 0",
    "runematch_spawn_point",
    "trigger_changelevel",
];
const MOVERS: [&str; 8] = [
    "func_door",
    "func_button",
    "func_plat",
    "func_static",
    "func_rotating",
    "func_bobbing",
    "func_pendulum",
    "func_train",
];
const TRIGGERS: [&str; 5] =
    ["trigger_push", "trigger_teleport", "trigger_hurt", "trigger_multiple", "trigger_always"];
const TARGETS: [&str; 16] = [
    "func_timer",
    "trigger_relay",
    "target_relay",
    "target_delay",
    "target_teleporter",
    "target_remove_powerups",
    "target_give",
    "target_print",
    "target_score",
    "target_laser",
    "target_kill",
    "target_push",
    "target_speaker",
    "shooter_rocket",
    "shooter_plasma",
    "shooter_grenade",
];

/// The class under the name by which these rules know it.
pub(super) fn own_name(class: &str) -> &str {
    OTHER_NAMES.iter().find(|(other, _)| *other == class).map_or(class, |(_, own)| own)
}

/// What becomes of a class of a map; `None` if it is unknown.
pub fn class_state(class: &str) -> Option<ClassState> {
    let class = own_name(class);
    Some(match class {
        "worldspawn" => ClassState::World,
        "target_location" => ClassState::Location,
        "misc_portal_surface" => ClassState::Portal,
        "misc_portal_camera" => ClassState::Place,
        "team_CTF_neutralflag" | "item_redcube" | "item_bluecube" => ClassState::OtherGameType,
        _ if Role::of_class(class).is_some() => ClassState::Place,
        _ if MOVERS.contains(&class) => ClassState::Mover,
        _ if TRIGGERS.contains(&class) => ClassState::Trigger,
        _ if TARGETS.contains(&class) => ClassState::Target,
        _ if class.starts_with("team_DD_") || class.starts_with("team_dom_") => ClassState::OtherGameType,
        _ if item_of_class(class).is_some() => ClassState::Item,
        _ if NOT_FOR_RULES.contains(&class) || class.starts_with("light_") => ClassState::NotForRules,
        _ if OTHER_GAME_TYPES.contains(&class) => ClassState::OtherGameType,
        _ if OTHER_GAMES.contains(&class) => ClassState::OtherGame,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_games_lead_to_known_ones_and_no_class_stands_twice() {
        for (other, own) in OTHER_NAMES {
            assert!(class_state(own).is_some(), "{other} leads to {own}");
        }
        let mut all: Vec<&str> = Vec::new();
        for table in [&MOVERS[..], &TRIGGERS, &TARGETS, &NOT_FOR_RULES, &OTHER_GAME_TYPES, &OTHER_GAMES] {
            all.extend(table);
        }
        all.extend(OTHER_NAMES.map(|(other, _)| other));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(class_state("misc_nonsense"), None);
        assert_eq!(class_state("weapon_proxmine"), Some(ClassState::Item));
    }
}
