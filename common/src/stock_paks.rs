//! The pk3 files that every installation of a game has. No server hands them out, and no pack of a map repeats what is in them.
//!
//! Source: id's own pak0 to pak8 and Team Arena's, as engines of the family exempt them (`FS_idPak`); OpenArena 0.8.8 as released.

/// Game folder, then file name without ending, in lower case.
const STOCK: [(&str, &[&str]); 4] = [
    ("baseq3", &["pak0", "pak1", "pak2", "pak3", "pak4", "pak5", "pak6", "pak7", "pak8"]),
    ("demoq3", &["pak0"]),
    ("missionpack", &["mp-pak0", "pak0", "pak1", "pak2", "pak3"]),
    (
        "baseoa",
        &[
            "pak0",
            "pak1-maps",
            "pak2-players",
            "pak2-players-mature",
            "pak4-textures",
            "pak5-ta",
            "pak6-misc",
            "pak6-patch085",
            "pak6-patch088",
        ],
    ),
];

/// Whether a pk3 file is a game's own. `name` is as clients name it: game folder, slash, file name without ending. In any case.
pub fn is_stock(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some((folder, file)) = name.rsplit_once('/') else { return false };
    STOCK.iter().any(|(game, files)| *game == folder && files.contains(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_own_are_known_in_any_case_and_no_others() {
        for name in ["baseq3/pak0", "baseoa/pak5-TA", "BASEOA/PAK1-MAPS", "missionpack/pak3"] {
            assert!(is_stock(name), "{name}");
        }
        for name in
            ["baseq3/pak9", "mod/pak0", "baseoa/fogarena1", "pak0", "x/baseoa/pak0", "baseoa/pak0.pk3"]
        {
            assert!(!is_stock(name), "{name}");
        }
    }
}
