//! Where a sound of a player out of sight is said to come from: near enough that it sounds alike, and no nearer.
//!
//! The place is the middle of the cell that the player is in, so the same for all sounds of the cell and nothing is gained by
//! listening longer. If it would not be about as loud from there, it is moved along the line to the listener to a distance at
//! which it is; those distances lie on a scale of whole decibels.

use fogline_common::math::Vec3;

/// Nearer than this a sound is at its loudest. Source: `SOUND_FULLVOLUME`.
const FULL_VOLUME: f32 = 80.0;
/// Loss of loudness per unit beyond. Source: `SOUND_ATTENUATE`.
const ATTENUATION: f32 = 0.0008;
/// Beyond this nothing is heard. Unit: world units.
pub const HEARING: f32 = FULL_VOLUME + 1.0 / ATTENUATION;
/// How far the loudness may be off. Unit: decibels.
const TOLERANCE: f32 = 1.0;

/// Loudness at a distance, 0 to 1.
pub fn loudness(distance: f32) -> f32 {
    (1.0 - (distance - FULL_VOLUME).max(0.0) * ATTENUATION).clamp(0.0, 1.0)
}

fn decibels(loudness: f32) -> f32 {
    20.0 * loudness.log10()
}

/// Where the sound of `source` is said to come from for `listener`, in whole units. `None` if it is not heard there.
pub fn place(source: Vec3, listener: Vec3, cell: f32) -> Option<Vec3> {
    let distance = source.distance(listener);
    if distance >= HEARING {
        return None;
    }
    let middle = |part: f32| ((part / cell).floor() + 0.5) * cell;
    let middle = Vec3::new(middle(source.x), middle(source.y), middle(source.z));
    let (true_level, level) = (decibels(loudness(distance)), decibels(loudness(middle.distance(listener))));
    // Infinitely quiet, if the middle is not heard at all.
    if (level - true_level).abs() <= TOLERANCE {
        return Some(middle.truncated());
    }
    let loudness = 10.0_f32.powf(true_level.round().min(0.0) / 20.0);
    let reach = FULL_VOLUME + (1.0 - loudness) / ATTENUATION;
    Some(listener.mul_add(reach, (middle - listener).normalized()).truncated())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn a_cell_sounds_from_one_place() {
        let listener = vec3(0.0, 0.0, 0.0);
        let from = |x: f32, y: f32| place(vec3(x, y, 30.0), listener, 128.0);
        assert_eq!(from(257.0, 10.0), Some(vec3(320.0, 64.0, 64.0)));
        assert_eq!(from(380.0, 120.0), from(257.0, 10.0));
        assert_ne!(from(390.0, 120.0), from(257.0, 10.0));
    }

    #[test]
    fn nothing_is_heard_from_too_far() {
        assert_eq!(place(vec3(1330.0, 0.0, 0.0), Vec3::ZERO, 128.0), None);
        assert!(place(vec3(1320.0, 0.0, 0.0), Vec3::ZERO, 128.0).is_some());
    }

    #[test]
    fn it_is_as_loud_as_it_was_within_a_decibel() {
        let seed = 7;
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..20_000 {
            let mut part = || rng.f32() * 2000.0 - 1000.0;
            let (source, listener) = (vec3(part(), part(), part()), vec3(part(), part(), part()));
            let distance = source.distance(listener);
            // Whole units are all that the wire has: in the last few before silence they are more than a decibel.
            if distance > 1300.0 {
                continue;
            }
            let place = place(source, listener, 128.0).unwrap();
            let off = decibels(loudness(place.distance(listener))) - decibels(loudness(distance));
            assert!(off.abs() <= 1.3, "seed {seed}: {off} dB at {distance}");
        }
    }

    #[test]
    fn the_place_is_never_nearer_to_the_truth_than_the_cell_alone() {
        // Many sounds from everywhere in one cell, heard at one place: how many places do they have?
        let mut rng = fastrand::Rng::with_seed(3);
        let listener = vec3(-600.0, 40.0, 0.0);
        let mut places: Vec<[i32; 3]> = (0..5000)
            .map(|_| {
                let mut part = || rng.f32() * 127.9;
                let source = vec3(part(), part(), part());
                place(source, listener, 128.0).unwrap().to_array().map(|part| part as i32)
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() <= 4, "{places:?}");
    }
}
