//! Damaged map files: an error, or a map that can be used; never a panic.
#![allow(clippy::disallowed_methods, reason = "the fuzz corpus is read from disk")]

#[path = "../fuzz/bodies/bsp.rs"]
mod body;

use byteorder::{ByteOrder, LE};
use proptest::prelude::*;

const ROOM: &[u8] = include_bytes!("../fuzz/corpus/bsp/room.bsp");

#[test]
fn every_file_of_the_fuzz_corpus_is_survived() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/bsp");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect(folder) {
        body::exercise(&std::fs::read(entry.expect(folder).path()).expect(folder));
        files += 1;
    }
    assert!(files > 0, "{folder} is empty");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_damaged_file_is_refused_or_sound(
        words in prop::collection::vec((any::<prop::sample::Index>(), interesting_word()), 1..6),
        length in any::<prop::sample::Index>(),
        cut in prop::bool::weighted(0.1),
    ) {
        let mut file = ROOM.to_vec();
        for (at, word) in words {
            LE::write_i32(&mut file[at.index(ROOM.len() / 4) * 4..], word);
        }
        if cut {
            file.truncate(length.index(ROOM.len()));
        }
        body::exercise(&file);
    }

    #[test]
    fn noise_is_refused_or_sound(noise in prop::collection::vec(any::<u8>(), 0..400)) {
        body::exercise(&noise);
        let mut file = ROOM.to_vec();
        let start = noise.first().map_or(0, |&byte| usize::from(byte) * 8 % ROOM.len());
        for (byte, noise) in file[start..].iter_mut().zip(&noise) {
            *byte = *noise;
        }
        body::exercise(&file);
    }
}

/// Small numbers, limits, anything, and floats.
fn interesting_word() -> impl Strategy<Value = i32> {
    prop_oneof![
        -4..40_i32,
        Just(i32::MAX),
        Just(i32::MIN),
        any::<i32>(),
        prop_oneof![-1.0e9..1.0e9_f32, -300.0..300.0_f32].prop_map(|value| value.to_bits() as i32),
    ]
}
