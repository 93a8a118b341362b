//! A small map made in code, for tests on machines without game data: two halls, a wall with a gap, a pillar, steps, a ledge.
//!
//! ```text
//!    y 512  +-----------------+-----------------+
//!           |            P    |   steps >>      |
//!           |                                   |
//!           |   pillar     (gap)        ledge   |
//!           |                                   |
//!           |            P    |    P            |
//!    y -512 +-----------------+-----------------+   x -512 .. 512, 320 high
//! ```

use crate::tiny_map::TinyMap;
use fogline_common::math::Bounds;
use std::fmt::Write;

/// Half the width of the map.
const HALF: f32 = 512.0;
/// Thickness of what closes it.
const WALL: f32 = 32.0;
const HEIGHT: f32 = 320.0;

/// Name under which tests put it into their files.
pub const NAME: &str = "halls";

/// The map as a file.
pub fn file() -> Vec<u8> {
    boxes().into_iter().fold(TinyMap::empty(&entity_text()).one_area(), TinyMap::solid).file()
}

fn boxes() -> Vec<Bounds> {
    let bounds = |from: [f32; 3], to: [f32; 3]| Bounds::new(from.into(), to.into());
    let (inner, outer) = (HALF, HALF + WALL);
    let mut boxes = vec![
        bounds([-outer, -outer, -WALL], [outer, outer, 0.0]),
        bounds([-outer, -outer, HEIGHT], [outer, outer, HEIGHT + WALL]),
        bounds([-outer, -outer, 0.0], [-inner, outer, HEIGHT]),
        bounds([inner, -outer, 0.0], [outer, outer, HEIGHT]),
        bounds([-inner, -outer, 0.0], [inner, -inner, HEIGHT]),
        bounds([-inner, inner, 0.0], [inner, outer, HEIGHT]),
        // The wall between the halls, with a gap in the middle.
        bounds([-16.0, -inner, 0.0], [16.0, -96.0, HEIGHT]),
        bounds([-16.0, 96.0, 0.0], [16.0, inner, HEIGHT]),
        // A pillar.
        bounds([-320.0, -48.0, 0.0], [-224.0, 48.0, HEIGHT]),
        // A ledge that must be jumped on.
        bounds([320.0, -160.0, 0.0], [448.0, -32.0, 40.0]),
    ];
    boxes.extend((0..4u8).map(|step| {
        let step = f32::from(step);
        bounds([128.0 + step * 48.0, 192.0, 0.0], [400.0, 320.0, (step + 1.0) * 16.0])
    }));
    boxes
}

fn entity_text() -> String {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n\"message\" \"halls\"\n}\n");
    let spots =
        [(-400, -400), (-400, 400), (-96, 0), (-400, 0), (96, -400), (400, -400), (96, 400), (440, 440)];
    for (index, (x, y)) in spots.into_iter().enumerate() {
        let angle = index * 45;
        let _ = write!(
            text,
            "{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} {y} 32\"\n\"angle\" \"{angle}\"\n}}\n"
        );
    }
    text.push_str("{\n\"classname\" \"info_player_intermission\"\n\"origin\" \"-300 -300 250\"\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::bsp::Bsp;
    use fogline_common::collision::ClipMap;
    use fogline_common::proto::mask;
    use fogline_common::trace::TraceRequest;

    #[test]
    fn walls_stop_and_the_gap_does_not() {
        let map = ClipMap::build(&Bsp::parse(&file()).unwrap()).unwrap();
        let trace = |from: [f32; 3], to: [f32; 3]| {
            map.trace(&TraceRequest::ray(from.into(), to.into(), mask::SOLID, None)).fraction
        };
        assert!(trace([0.0, 0.0, 50.0], [0.0, 0.0, -50.0]) < 0.51);
        assert_eq!(trace([-100.0, 0.0, 50.0], [100.0, 0.0, 50.0]), 1.0);
        assert!(trace([-100.0, 200.0, 50.0], [100.0, 200.0, 50.0]) < 0.5);
    }
}
