//! The installed data is found and holds the maps that golden sets were recorded on.

use fogline_tests::gamedata;

#[test]
fn maps_of_the_golden_sets_are_found() {
    for name in ["oa_dm1", "oa_dm5", "aggressor"] {
        let Some(bytes) = gamedata::map(name) else { return };
        assert_eq!(&bytes[..8], b"IBSP\x2e\0\0\0", "{name}");
    }
}
