//! The programs that the tests with stock clients need.

use crate::gamedata;
use std::path::{Path, PathBuf};

/// Where Debian's packages put them, and the package of each.
const PEERS: [(&str, &str); 7] = [
    ("/usr/games/openarena", "openarena"),
    ("/usr/lib/ioquake3/ioquake3", "ioquake3"),
    ("/usr/bin/quakestat", "qstat"),
    ("/usr/bin/Xvfb", "xvfb"),
    ("/usr/bin/import", "imagemagick"),
    ("/usr/bin/identify", "imagemagick"),
    ("/usr/bin/setpriv", "util-linux"),
];

/// The folder of the game data, if that and every program is installed; else `None` with a note on stderr.
///
/// # Panics
/// Under `CI=true` if something is missing.
pub fn installed() -> Option<PathBuf> {
    let missing: Vec<&str> =
        PEERS.iter().filter(|(path, _)| !Path::new(path).exists()).map(|&(_, package)| package).collect();
    if missing.is_empty() {
        return gamedata::base_path();
    }
    let hint = format!("the stock clients are not installed (Debian: {})", missing.join(" "));
    assert!(std::env::var_os("CI").is_none(), "{hint}");
    eprintln!("skipped: {hint}");
    None
}
