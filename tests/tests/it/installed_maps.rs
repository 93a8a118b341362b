//! Every installed map can be read, collided with, and written again.

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::trace::TraceRequest;
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

#[test]
fn an_installed_map_damaged_anywhere_is_refused_or_can_be_used() {
    let Some(whole) = gamedata::map("oa_dm5") else { return };
    let seed = 46;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut refused = 0;
    for round in 0..200 {
        let mut bytes = whole.clone();
        if round % 4 == 0 {
            bytes.truncate(rng.usize(..whole.len()));
        }
        for _ in 0..rng.usize(1..20) {
            // Every second change hits the first part, where the directory and the collision lumps are.
            let reach = if rng.bool() { bytes.len().min(200_000) } else { bytes.len() };
            let at = rng.usize(..reach.max(1));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.u8(..);
            }
        }
        let built = Bsp::parse(&bytes).and_then(|bsp| ClipMap::build(&bsp));
        match built {
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
            Ok(map) => {
                let bounds = map.model_bounds(0).unwrap_or_default();
                let request = TraceRequest::ray(bounds.mins, bounds.maxs, -1, None);
                let trace = map.trace(&request);
                assert_eq!(
                    map.blocked(request.start, request.end, -1),
                    trace.hit(),
                    "seed {seed} round {round}"
                );
            }
        }
    }
    assert!(refused > 50, "seed {seed}: only {refused} of 200 damaged files were refused");
}
