//! What the fuzz target and the tests do with a map of unknown quality.

use fogline_common::bsp::Bsp;
use fogline_common::collision::{AreaPortals, ClipMap, trace_box};
use fogline_common::ids::{AreaNum, ClusterNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::trace::TraceRequest;

/// Reads the bytes and, if they are a sound map, asks it everything there is to ask. Never panics, whatever the bytes are.
pub(crate) fn exercise(bytes: &[u8]) {
    let Ok(bsp) = Bsp::parse(bytes) else { return };
    let file = bsp.emit();
    let again = Bsp::parse(&file).expect("what was written can be read");
    assert_eq!(again.emit(), file, "what is read again is written the same");
    let Ok(map) = ClipMap::build(&bsp) else { return };

    let points = [
        Vec3::ZERO,
        vec3(-128.0, 3.0, 64.0),
        vec3(90.0, -20.0, 300.0),
        vec3(-400.0, 400.0, -400.0),
        vec3(f32::MAX, -1.0, f32::MIN),
        vec3(f32::NAN, f32::INFINITY, 0.0),
    ];
    let player = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
    let mut leafs = Vec::new();
    for start in points {
        let leaf = map.leaf_at(start);
        let _ = (map.contents_at(start), map.leaf_area(leaf), map.pvs(map.leaf_cluster(leaf)).len());
        map.leafs_in_box(&player.translated(start), 8, &mut leafs);
        for end in points {
            map.blocked(start, end, -1);
            for (bounds, capsule) in [(Bounds::POINT, false), (player, false), (player, true)] {
                let request = TraceRequest { start, end, bounds, mask: -1, pass: None, capsule };
                map.trace(&request);
                map.trace_model(map.model_count() - 1, vec3(8.0, 0.0, 0.0), vec3(0.0, 30.0, 5.0), &request);
                trace_box(&player, vec3(8.0, 8.0, 8.0), -1, &request);
            }
        }
    }
    let mut portals = AreaPortals::new(map.area_count());
    portals.adjust(AreaNum::new(0), AreaNum::new(1), true);
    let _ = (portals.visible_mask(Some(AreaNum::new(0))), map.pvs(Some(ClusterNum::new(u32::MAX))));
}
