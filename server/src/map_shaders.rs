//! What the shaders of a map show through: solids that are see-through although the map file does not say so, and faces that are
//! portals. Read from the shader scripts of the search path and, for solids, from the host's own list, `maps/NAME.glass`. See
//! `docs/visibility.md`.

use crate::files::{FileError, Files};
use fogline_common::collision::Glass;
use fogline_common::portal_surfaces::PortalShaders;

/// Scripts beyond this many are not read, so that a folder of junk does not keep a map from starting.
const MOST_SCRIPTS: usize = 1024;

/// What is seen through on the map of this name, and which shaders make portals. Sentences for the host come last.
pub(crate) fn of_map(files: &dyn Files, map: &str) -> (Glass, PortalShaders, Vec<String>) {
    let (mut glass, mut portals, mut notes) = (Glass::default(), PortalShaders::default(), Vec::new());
    let scripts = files.list("scripts", ".shader");
    if scripts.len() > MOST_SCRIPTS {
        notes.push(format!(
            "scripts: {} shader scripts, {MOST_SCRIPTS} of them are read; what the others make see-through hides",
            scripts.len()
        ));
    }
    for path in scripts.iter().take(MOST_SCRIPTS) {
        match files.read(path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                glass.add_script(&text);
                portals.add_script(&text);
            }
            Err(error) => notes.push(format!("{error}; what it makes see-through hides")),
        }
    }
    let list = list_of(map);
    match files.read(&list) {
        Ok(bytes) => {
            if let Err(error) = glass.add_list(&String::from_utf8_lossy(&bytes)) {
                notes.push(format!("{list}, {error}; this line and those after it are left out"));
            }
        }
        Err(FileError::NotFound { .. }) => {}
        Err(error) => notes.push(format!("{error}; what it makes see-through hides")),
    }
    (glass, portals, notes)
}

/// The host's own list for a map.
pub(crate) fn list_of(map: &str) -> String {
    format!("maps/{map}.glass")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    #[test]
    fn scripts_and_the_list_of_the_map_are_read() {
        let files = MemoryFiles::from([
            ("scripts/a.shader", "textures/grate { { map x\n alphaFunc GE128 } } mirror { portal }"),
            ("scripts/b.txt", "textures/no { { alphaFunc GE128 } }"),
            ("maps/one.glass", "textures/pane\nat 1 2\n"),
        ]);
        let (glass, portals, notes) = of_map(&files, "one");
        assert!(glass.has("textures/grate") && glass.has("textures/pane") && !glass.has("textures/no"));
        assert_ne!(portals, PortalShaders::default());
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("maps/one.glass, line 2: `at 1 2` is neither"), "{notes:?}");
        let (glass, _, notes) = of_map(&files, "two");
        assert!(!glass.has("textures/pane") && notes.is_empty(), "{notes:?}");
    }
}
