//! Finds the installed OpenArena data, for tests on real maps.
//!
//! Looked for in `FOGLINE_OPENARENA`, then where Debian's package keeps it. Where it is absent a test says that it was skipped,
//! but under `CI=true` absence is a failure.
#![allow(clippy::disallowed_methods, reason = "test data is read from disk")]

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder that holds `baseoa`, or `None` with a note on stderr.
///
/// # Panics
/// Under `CI=true` if there is none.
pub fn base_path() -> Option<PathBuf> {
    let named = std::env::var_os("FOGLINE_OPENARENA").map(PathBuf::from);
    let usual = ["/usr/lib/openarena", "/usr/share/games/openarena"].map(PathBuf::from);
    let found = named.into_iter().chain(usual).find(|path| path.join("baseoa/pak1-maps.pk3").exists());
    if found.is_none() {
        let hint = "OpenArena's data is not installed (Debian: openarena-data openarena-081-maps openarena-088-data)";
        assert!(std::env::var_os("CI").is_none(), "{hint}");
        eprintln!("skipped: {hint}");
    }
    found
}

/// The installed pk3 files, lowest first.
fn paks(base: &Path) -> Vec<PathBuf> {
    let folder = base.join("baseoa");
    let mut paks: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "pk3"))
        .collect();
    paks.sort();
    paks
}

/// The bytes of a map from the highest pk3 that has it, or `None` if the data is not installed.
///
/// # Panics
/// If the data is there and has no such map.
pub fn map(name: &str) -> Option<Vec<u8>> {
    let base = base_path()?;
    let entry = format!("maps/{name}.bsp");
    for pak in paks(&base).iter().rev() {
        let Ok(file) = File::open(pak) else { continue };
        let Ok(mut archive) = zip::ZipArchive::new(file) else { continue };
        let Ok(mut inside) = archive.by_name(&entry) else { continue };
        let mut bytes = Vec::new();
        inside.read_to_end(&mut bytes).unwrap_or_else(|e| panic!("{}: {entry}: {e}", pak.display()));
        return Some(bytes);
    }
    panic!("{entry} is in no pk3 of {}", base.display());
}

/// Calls `visit` with pak, path and bytes of every map of every pk3, replaced ones too. False if the data is not installed.
pub fn each_map(visit: impl FnMut(&str, &str, &[u8])) -> bool {
    each_file("maps/", ".bsp", visit)
}

/// The same for the files of any folder with this ending.
///
/// # Panics
/// If one is damaged.
pub fn each_file(folder: &str, ending: &str, mut visit: impl FnMut(&str, &str, &[u8])) -> bool {
    let Some(base) = base_path() else { return false };
    for pak in paks(&base) {
        let Ok(file) = File::open(&pak) else { continue };
        let Ok(mut archive) = zip::ZipArchive::new(file) else { continue };
        let mut names: Vec<String> = archive.file_names().flatten().map(Cow::into_owned).collect();
        names.retain(|name| name.starts_with(folder) && name.ends_with(ending));
        names.sort();
        for name in names {
            let mut bytes = Vec::new();
            let mut inside =
                archive.by_name(&name).unwrap_or_else(|e| panic!("{}: {name}: {e}", pak.display()));
            inside.read_to_end(&mut bytes).unwrap_or_else(|e| panic!("{}: {name}: {e}", pak.display()));
            visit(&pak.file_name().unwrap_or_default().to_string_lossy(), &name, &bytes);
        }
    }
    true
}
