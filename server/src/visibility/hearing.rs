//! Where a sound of a player out of sight is said to come from: near enough that it sounds alike, and no nearer.
//!
//! The place is the middle of the cell that the player is in, so the same for all sounds of the cell and nothing is gained by
//! listening longer. If it would not be as loud from there within a decibel, it is moved along the line to the listener, to a
//! distance of a fixed scale at which it is. Stock clients have two ways to reckon loudness, and which one a client uses is not
//! known here: it must be right for both.

use fogline_common::math::{Vec3, vec3};

/// Nearer than this a sound is at its loudest for the software mixer. Source: `SOUND_FULLVOLUME`.
const FULL_VOLUME: f32 = 80.0;
/// Loss of loudness per unit beyond. Source: `SOUND_ATTENUATE`.
const ATTENUATION: f32 = 0.0008;
/// The least that its whole numbers can say, of the most. Source: `S_StartSound`, 127.
const FAINTEST: f32 = 1.0 / 127.0;
/// Beyond this it plays nothing. OpenAL clients would go on to 1536, at less than a hundredth of the loudness. Unit: world units.
pub const HEARING: f32 = FULL_VOLUME + (1.0 - FAINTEST) / ATTENUATION;
/// Nearer than this a sound is at its loudest for OpenAL. Source: `s_alMinDistance`.
const AL_NEAREST: f32 = 120.0;
/// How fast it falls beyond. Source: `s_alRolloff`.
const AL_ROLLOFF: f32 = 2.0;
/// From here it fades, over this long. Source: `s_alMaxDistance`, `s_alGraceDistance`.
const AL_FADE: (f32, f32) = (1024.0, 512.0);
/// How far the loudness may be off. Unit: decibels.
const TOLERANCE: f32 = 1.0;
/// A step of the scale of distances changes the loudness by this factor, one and a half decibels, so that its middle is off by
/// less than one.
const STEP: f32 = 0.841_4;

/// Loudness at a distance as the software mixer has it, 0 to 1.
pub fn mixed(distance: f32) -> f32 {
    (1.0 - (distance - FULL_VOLUME).max(0.0) * ATTENUATION).clamp(0.0, 1.0)
}

/// Loudness at a distance as OpenAL clients have it, 0 to 1.
pub fn open_al(distance: f32) -> f32 {
    let fade = (1.0 - (distance - AL_FADE.0).max(0.0) / AL_FADE.1).max(0.0);
    AL_NEAREST / (AL_NEAREST + AL_ROLLOFF * (distance.max(AL_NEAREST) - AL_NEAREST)) * fade
}

/// By how much the loudness at two distances differs, at most. Unit: decibels.
pub fn difference(a: f32, b: f32) -> f32 {
    let decibels = |loudness: f32| 20.0 * loudness.log10();
    let off = |model: fn(f32) -> f32| (decibels(model(a)) - decibels(model(b))).abs();
    off(mixed).max(off(open_al))
}

/// Where the sound of `source` is said to come from for `listener`, in whole units. `None` if it is not heard there.
pub fn place(source: Vec3, listener: Vec3, cell: f32) -> Option<Vec3> {
    let distance = source.distance(listener);
    if distance >= HEARING {
        return None;
    }
    let middle = |part: f32| ((part / cell).floor() + 0.5) * cell;
    let middle = Vec3::new(middle(source.x), middle(source.y), middle(source.z));
    let rounded = middle.truncated();
    // What is not heard at all from there is infinitely far off.
    if difference(rounded.distance(listener), distance) <= TOLERANCE {
        return Some(rounded);
    }
    let toward = if middle == listener { source - listener } else { middle - listener };
    let wanted = on_scale(distance);
    Some(nearest_at(listener, listener.mul_add(wanted, toward.normalized()), wanted))
}

/// The distance of the scale that sounds like this one.
fn on_scale(distance: f32) -> f32 {
    if distance < FULL_VOLUME {
        return FULL_VOLUME / 2.0;
    }
    let mut from = FULL_VOLUME;
    loop {
        let mixed = (1.0 - STEP) * mixed(from) / ATTENUATION;
        let reach = AL_NEAREST + AL_ROLLOFF * (from.max(AL_NEAREST) - AL_NEAREST);
        let width = mixed.min((1.0 / STEP - 1.0) * reach / AL_ROLLOFF).max(0.5);
        if from + width > distance {
            return from + width / 2.0;
        }
        from += width;
    }
}

/// Of the whole places around `about` the one whose distance to the listener is nearest to `wanted`.
fn nearest_at(listener: Vec3, about: Vec3, wanted: f32) -> Vec3 {
    let about = about.truncated();
    let mut best = (f32::MAX, about);
    for n in 0..27_u8 {
        let step = |digit: u8| f32::from(n / digit % 3) - 1.0;
        let place = about + vec3(step(1), step(3), step(9));
        let off = (place.distance(listener) - wanted).abs();
        if off < best.0 {
            best = (off, place);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_sounds_from_one_place() {
        let from = |x: f32, y: f32| place(vec3(x, y, 64.0), vec3(-340.0, 64.0, 64.0), 128.0);
        assert_eq!(from(257.0, 60.0), Some(vec3(320.0, 64.0, 64.0)));
        assert_eq!(from(380.0, 70.0), from(257.0, 60.0));
        assert_ne!(from(390.0, 70.0), from(257.0, 60.0));
    }

    #[test]
    fn nothing_is_heard_from_too_far() {
        assert_eq!(place(vec3(1321.0, 0.0, 0.0), Vec3::ZERO, 128.0), None);
        assert!(place(vec3(1320.0, 0.0, 0.0), Vec3::ZERO, 128.0).is_some());
    }

    #[test]
    fn it_is_as_loud_as_it_was_within_a_decibel() {
        let seed = 7;
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut most = 0.0_f32;
        for _ in 0..100_000 {
            let size = if rng.bool() { 2000.0 } else { 400.0 };
            let mut part = || rng.f32() * size - size / 2.0;
            let (source, listener) = (vec3(part(), part(), part()), vec3(part(), part(), part()));
            let distance = source.distance(listener);
            let Some(place) = place(source, listener, 128.0) else { continue };
            let off = difference(place.distance(listener), distance);
            assert!(off <= TOLERANCE, "seed {seed}: {off} dB at {distance}");
            most = most.max(off);
        }
        assert!(most > 0.9, "seed {seed}: the tolerance is not used: {most} dB");
    }

    #[test]
    fn a_cell_has_few_places() {
        // Many sounds from everywhere in one cell, heard at one place: how many places do they have?
        let mut rng = fastrand::Rng::with_seed(3);
        let mut places_at = |distance: f32| {
            let listener = vec3(64.0 - distance, 40.0, 0.0);
            let mut places: Vec<[i32; 3]> = (0..5000)
                .filter_map(|_| {
                    let mut part = || rng.f32() * 127.9;
                    let source = vec3(part(), part(), part());
                    Some(place(source, listener, 128.0)?.to_array().map(|part| part as i32))
                })
                .collect();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        assert!(places_at(300.0) <= 7);
        assert!(places_at(650.0) <= 4);
        assert!(places_at(1000.0) <= 6);
    }
}
