//! What is kept of a player's surroundings changes what its reach costs, never what it is.

use fogline_common::math::vec3;
use fogline_common::reach::{Around, Outside, Reach, Start};
use fogline_tests::fixture::installed_map;
use fogline_tests::places::standing_places;

/// Players that run about on real maps, some of them falling, asked about for as long as bodies and eyes are.
#[test]
fn a_reach_is_the_same_whether_its_surroundings_were_kept_or_looked_up_anew() {
    const SPANS: [f32; 3] = [0.165, 0.05, 0.025];
    let seed = 6;
    for name in ["oa_dm1", "oa_dm5", "aggressor"] {
        let Some(clip) = installed_map(name) else { continue };
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut kept = Around::default();
        for place in standing_places(&clip, 60, &mut rng) {
            let mut any = |reach: f32| (rng.f32() - 0.5) * reach;
            let velocity = vec3(any(700.0), any(700.0), any(500.0));
            for frame in 0..12 {
                let start = Start {
                    origin: place + velocity * (0.025 * frame as f32),
                    velocity,
                    speed: 320.0,
                    gravity: 800.0,
                    flies: false,
                    hooked: false,
                    leaps: false,
                    passes_walls: false,
                    rounds: false,
                    step: 0.008,
                    push: 0.0,
                };
                for span in SPANS {
                    let outside = Outside::default();
                    let anew = Reach::new(&clip, &start, &outside, span).origins(0.0, span);
                    let among = Reach::among(&mut kept, &clip, &start, &outside, span).origins(0.0, span);
                    assert_eq!(among, anew, "{name}, seed {seed}, {span} s from {start:?}");
                }
            }
        }
    }
}
