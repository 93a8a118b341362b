//! Every installed map can be read, collided with, and written again.

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_tests::gamedata;

#[test]
fn every_installed_map_loads_and_comes_back_from_the_writer() {
    let mut maps = 0;
    let mut faults = Vec::new();
    let installed = gamedata::each_map(|pak, name, bytes| {
        maps += 1;
        let bsp = match Bsp::parse(bytes) {
            Ok(bsp) => bsp,
            Err(error) => return faults.push(format!("{pak} {name}: {error}")),
        };
        // Bytes are compared, because some texture coordinates are NaN, which equals nothing.
        let written = bsp.emit();
        match Bsp::parse(&written) {
            Ok(again) if again.emit() == written => {}
            Ok(_) => faults.push(format!("{pak} {name}: differs after writing")),
            Err(error) => faults.push(format!("{pak} {name}: after writing: {error}")),
        }
        if let Err(error) = ClipMap::build(&bsp) {
            faults.push(format!("{pak} {name}: {error}"));
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!installed || maps >= 90, "only {maps} maps were found");
}
