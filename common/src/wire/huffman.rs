//! The fixed Huffman code of sequenced messages: one table to write by, one to read by.
//!
//! The reference builds its tree at start by training an adaptive coder with fixed counts; since the counts never change, neither
//! does the code, and the 256 code words below are all that is needed. Source: facts page "q3-protocol-facts", section 3.

/// Bits of the longest code word.
pub(super) const CODE_BITS_MAX: u32 = 11;

/// What the reference's tree yields for the one code word that stands for no byte: the leaf that once announced new symbols.
pub(super) const UNUSED_SYMBOL: u32 = 256;

/// Code word of each byte, first bit lowest, with a one above its last bit to mark the length.
const CODES: [u16; 256] = [
    0x006, 0x03b, 0x0c8, 0x0ec, 0x1a1, 0x111, 0x090, 0x07f, 0x035, 0x0b4, 0x0e9, 0x08b, 0x093, 0x06d, 0x139,
    0x2ac, 0x0a5, 0x258, 0x3f0, 0x3f8, 0x5dd, 0x7f3, 0x62b, 0x723, 0x2f4, 0x58d, 0x4ab, 0x763, 0x5eb, 0x143,
    0x24f, 0x1d4, 0x077, 0x4d3, 0x244, 0x6cd, 0x7c5, 0x7f9, 0x70d, 0x7cd, 0x294, 0x5ac, 0x433, 0x414, 0x671,
    0x6f0, 0x3f4, 0x178, 0x0a7, 0x1c3, 0x1ef, 0x397, 0x153, 0x1b1, 0x20d, 0x361, 0x207, 0x2f1, 0x399, 0x591,
    0x523, 0x2bc, 0x344, 0x5f3, 0x1cf, 0x0d0, 0x0fc, 0x084, 0x121, 0x151, 0x280, 0x270, 0x33d, 0x463, 0x6d7,
    0x771, 0x39d, 0x6ab, 0x5c7, 0x733, 0x32c, 0x49d, 0x56b, 0x76b, 0x5d3, 0x571, 0x5e3, 0x633, 0x4d7, 0x6cb,
    0x370, 0x2a8, 0x2c7, 0x305, 0x2eb, 0x1d8, 0x2f3, 0x13c, 0x3ab, 0x38f, 0x297, 0x0b0, 0x141, 0x34f, 0x05c,
    0x128, 0x2bd, 0x2c4, 0x198, 0x28f, 0x10c, 0x1b3, 0x185, 0x18c, 0x147, 0x179, 0x0d9, 0x0c0, 0x117, 0x119,
    0x14b, 0x1e1, 0x1a3, 0x173, 0x16f, 0x0e8, 0x088, 0x0e5, 0x05f, 0x0a9, 0x0cc, 0x0fd, 0x10f, 0x183, 0x101,
    0x187, 0x167, 0x1e7, 0x157, 0x174, 0x3cb, 0x3c4, 0x281, 0x24d, 0x331, 0x563, 0x380, 0x7d7, 0x42b, 0x545,
    0x46b, 0x43d, 0x72b, 0x4f9, 0x4e3, 0x645, 0x52b, 0x431, 0x7eb, 0x5b9, 0x314, 0x5f9, 0x533, 0x42c, 0x6dd,
    0x5c1, 0x71d, 0x5d1, 0x338, 0x461, 0x6e3, 0x745, 0x66b, 0x4cd, 0x4cb, 0x54d, 0x238, 0x7c1, 0x63d, 0x7bc,
    0x4c5, 0x7ac, 0x7e3, 0x699, 0x7d3, 0x614, 0x603, 0x5bc, 0x69d, 0x781, 0x663, 0x48d, 0x154, 0x303, 0x15d,
    0x060, 0x089, 0x7c7, 0x707, 0x1b8, 0x3f1, 0x62c, 0x445, 0x403, 0x51d, 0x5c5, 0x74d, 0x41d, 0x200, 0x7b9,
    0x4dd, 0x581, 0x50d, 0x4b9, 0x5cd, 0x794, 0x5bd, 0x594, 0x78d, 0x558, 0x7bd, 0x4c1, 0x7dd, 0x4f8, 0x2d1,
    0x291, 0x499, 0x6f8, 0x423, 0x471, 0x6d3, 0x791, 0x0c9, 0x631, 0x507, 0x661, 0x623, 0x118, 0x605, 0x6c1,
    0x5d7, 0x4f0, 0x6c5, 0x700, 0x7d1, 0x7a8, 0x61d, 0xd00, 0x405, 0x758, 0x6f9, 0x5a8, 0x6b9, 0x68d, 0x0af,
    0x064,
];

/// For writing. Shape: per byte, code word in the low 16 bits, its length above.
static ENCODE: [u32; 256] = encode_table();

/// For reading. Shape: indexed by the next 11 bits of the stream; length in the low 4 bits, symbol above.
static DECODE: [u16; 1 << CODE_BITS_MAX] = decode_table();

/// Bits of a value as [`write_bits`](super::bits::BitWriter::write_bits) sends it: `width % 8` plain bits, then whole bytes by code,
/// least significant first. Answers with the bits and their count, at most 7 + 4 × 11.
#[inline]
pub(super) fn pack(value: u32, width: u32) -> (u64, u32) {
    let plain = width & 7;
    let mut packed = u64::from(value & ((1 << plain) - 1));
    let mut count = plain;
    let mut rest = value >> plain;
    for _ in 0..width >> 3 {
        let entry = ENCODE[(rest & 0xff) as usize];
        packed |= u64::from(entry & 0xffff) << count;
        count += entry >> 16;
        rest >>= 8;
    }
    (packed, count)
}

/// The symbol whose code word the low bits of `window` begin with, and the length of that word.
#[inline]
pub(super) fn unpack(window: u64) -> (u32, u32) {
    let entry = u32::from(DECODE[(window & ((1 << CODE_BITS_MAX) - 1)) as usize]);
    (entry >> 4, entry & 15)
}

const fn encode_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (word, length) = split(CODES[byte]);
        table[byte] = word | length << 16;
        byte += 1;
    }
    table
}

const fn decode_table() -> [u16; 1 << CODE_BITS_MAX] {
    // The 256 words leave exactly one word of 11 bits free; see `words_fill_the_code_space_but_for_one`.
    let mut table = [((UNUSED_SYMBOL << 4) | CODE_BITS_MAX) as u16; 1 << CODE_BITS_MAX];
    let mut byte = 0;
    while byte < 256 {
        let (word, length) = split(CODES[byte]);
        let mut index = word as usize;
        while index < table.len() {
            table[index] = ((byte as u32) << 4 | length) as u16;
            index += 1 << length;
        }
        byte += 1;
    }
    table
}

const fn split(marked: u16) -> (u32, u32) {
    let length = 15 - marked.leading_zeros();
    (marked as u32 & ((1 << length) - 1), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_the_code_space_but_for_one() {
        let free = DECODE.iter().filter(|&&entry| u32::from(entry >> 4) == UNUSED_SYMBOL).count();
        assert_eq!(free, 1);
    }

    #[test]
    fn every_byte_unpacks_to_itself() {
        for byte in 0..=255 {
            let (packed, count) = pack(byte, 8);
            assert_eq!(unpack(packed), (byte, count));
        }
    }
}
