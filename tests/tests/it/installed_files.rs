//! The server's search path on the installed OpenArena data.

use fogline_server::config::Config;
use fogline_server::files::{Files, missing_map_data};
use fogline_server::io::files::{DiskFiles, SearchPath};
use fogline_tests::gamedata;

#[test]
fn installed_maps_are_found_and_are_what_the_paks_hold() {
    let Some(base) = gamedata::base_path() else { return };
    let config = Config {
        fs_basepath: base.display().to_string(),
        fs_homepath: base.join("no-such-home").display().to_string(),
        ..Config::default()
    };
    let (mut files, notes) = DiskFiles::open(SearchPath::from_config(&config));
    assert_eq!(notes, [] as [&str; 0]);
    assert_eq!(missing_map_data(&files), None);
    assert!(files.list("maps", ".bsp").iter().any(|path| path.eq_ignore_ascii_case("maps/oa_dm1.bsp")));
    assert_eq!(Some(files.read("maps/OA_DM5.bsp").unwrap()), gamedata::map("oa_dm5"));
    assert_eq!(files.rescan(), [] as [&str; 0]);
    assert_eq!(Some(files.read("maps/oa_dm5.bsp").unwrap()), gamedata::map("oa_dm5"));
}
