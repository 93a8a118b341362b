//! The checksum that clients and servers compare to know that they have the same map.

/// MD4 of the bytes, its four words folded into one. Source: `Com_BlockChecksum`, RFC 1320.
pub fn block_checksum(bytes: &[u8]) -> u32 {
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        mix(&mut state, block);
    }
    let rest = blocks.remainder();
    let mut tail = [0; 128];
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let end = if rest.len() < 56 { 64 } else { 128 };
    tail[end - 8..end].copy_from_slice(&(bytes.len() as u64 * 8).to_le_bytes());
    for block in tail[..end].chunks_exact(64) {
        mix(&mut state, block);
    }
    state[0] ^ state[1] ^ state[2] ^ state[3]
}

/// One block of 64 bytes.
fn mix(state: &mut [u32; 4], block: &[u8]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    let mut step = |mixed: fn(u32, u32, u32) -> u32, word: usize, add: u32, turn: u32| {
        let sum = a.wrapping_add(mixed(b, c, d)).wrapping_add(words[word]).wrapping_add(add);
        (a, b, c, d) = (d, sum.rotate_left(turn), b, c);
    };
    for i in 0..16 {
        step(|x, y, z| (x & y) | (!x & z), i, 0, [3, 7, 11, 19][i % 4]);
    }
    for i in 0..16 {
        step(|x, y, z| (x & y) | (x & z) | (y & z), (i % 4) * 4 + i / 4, 0x5a82_7999, [3, 5, 9, 13][i % 4]);
    }
    for i in 0..16 {
        let word = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15][i];
        step(|x, y, z| x ^ y ^ z, word, 0x6ed9_eba1, [3, 9, 11, 15][i % 4]);
    }
    for (sum, part) in state.iter_mut().zip([a, b, c, d]) {
        *sum = sum.wrapping_add(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_the_rfc_fold_to_the_known_words() {
        // RFC 1320, A.5: the empty text, "abc", and 80 digits (two blocks of padding and more).
        let fold = |digest: [u32; 4]| digest.iter().fold(0, |sum, word| sum ^ word.swap_bytes());
        assert_eq!(block_checksum(b""), fold([0x31d6cfe0, 0xd16ae931, 0xb73c59d7, 0xe0c089c0]));
        assert_eq!(block_checksum(b"abc"), fold([0xa448017a, 0xaf21d852, 0x5fc10ae8, 0x7aa6729d]));
        let digits = b"1234567890".repeat(8);
        assert_eq!(block_checksum(&digits), fold([0xe33b4ddc, 0x9c38f219, 0x9c3e7b16, 0x4fcc0536]));
    }
}
