//! Bit by bit into a buffer and out of it, as protocol 68 packs them.
//!
//! ```text
//!  write_bits(value, 13)      stream, bit 0 of byte 0 first
//!  value  abcdefgh ijklm  ->  m l k j i | Huffman code of byte abcdefgh
//!         high        low     5 plain     2 to 11 bits
//! ```
//!
//! In the *bitstream* mode (inside sequenced packets) the low `width % 8` bits go plain and the whole bytes by Huffman code. In the
//! *out-of-band* mode (headers) values have 8, 16 or 32 bits and go plain, least significant byte first.
//!
//! Nothing here fails loudly: a writer that is full and a reader that has run out say so by a flag, as the reference's do, and a
//! reader beyond the end yields zeros. Source: facts page "q3-protocol-facts", section 3.

use super::huffman;
use crate::proto::limits::MAX_MESSAGE_BYTES;

/// How values become bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Bitstream,
    OutOfBand,
}

/// Writes one message after another into one buffer.
#[derive(Clone, Debug)]
pub struct BitWriter {
    /// Eight bytes longer than the limit, since each append stores a whole word.
    buffer: Box<[u8]>,
    /// The bits of the byte under the cursor that are already written.
    partial: u64,
    bit: usize,
    limit_bits: usize,
    mode: Mode,
    overflowed: bool,
}

impl BitWriter {
    /// A bitstream of at most [`MAX_MESSAGE_BYTES`].
    pub fn new() -> Self {
        Self::with_limit(MAX_MESSAGE_BYTES)
    }

    /// A bitstream of at most `max_bytes`.
    pub fn with_limit(max_bytes: usize) -> Self {
        let buffer = vec![0; max_bytes + size_of::<u64>()].into_boxed_slice();
        Self {
            buffer,
            partial: 0,
            bit: 0,
            limit_bits: max_bytes * 8,
            mode: Mode::Bitstream,
            overflowed: false,
        }
    }

    /// Byte-aligned plain values, at most `max_bytes`.
    pub fn out_of_band(max_bytes: usize) -> Self {
        Self { mode: Mode::OutOfBand, ..Self::with_limit(max_bytes) }
    }

    /// Forgets what was written, keeps the buffer.
    pub fn clear(&mut self) {
        self.bit = 0;
        self.partial = 0;
        self.overflowed = false;
    }

    /// Bits written so far.
    pub const fn bit(&self) -> usize {
        self.bit
    }

    /// Bits that still fit.
    pub const fn room_bits(&self) -> usize {
        self.limit_bits - self.bit
    }

    /// Whether something did not fit. From then on nothing is written.
    pub const fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Bytes that the message takes: in a bitstream one more than needed when the bits end on a byte, as the reference counts.
    pub const fn len(&self) -> usize {
        match self.mode {
            Mode::Bitstream if self.bit > 0 => (self.bit >> 3) + 1,
            _ => self.bit >> 3,
        }
    }

    /// Whether nothing was written.
    pub const fn is_empty(&self) -> bool {
        self.bit == 0
    }

    /// The message so far, [`len`](Self::len) bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len()]
    }

    /// The low `|width|` bits of `value`; the sign of the width matters to a reader only.
    ///
    /// # Panics
    /// In debug builds if the width is 0 or beyond -31..=32, or not 8, 16 or 32 out of band.
    #[inline]
    pub fn write_bits(&mut self, value: i32, width: i32) {
        debug_assert!(width != 0 && (-31..=32).contains(&width), "width {width} is not within -31..=32");
        let width = width.unsigned_abs();
        let value = value as u32 & (u32::MAX >> (32 - width));
        match self.mode {
            Mode::Bitstream => {
                let (packed, count) = huffman::pack(value, width);
                self.append(packed, count);
            }
            Mode::OutOfBand => {
                debug_assert!(matches!(width, 8 | 16 | 32), "{width} bits out of band");
                self.append(value.into(), width);
            }
        }
    }

    /// The low 8 bits.
    #[inline]
    pub fn write_byte(&mut self, value: i32) {
        self.write_bits(value, 8);
    }

    /// The low 16 bits.
    #[inline]
    pub fn write_short(&mut self, value: i32) {
        self.write_bits(value, 16);
    }

    /// All 32 bits.
    #[inline]
    pub fn write_long(&mut self, value: i32) {
        self.write_bits(value, 32);
    }

    /// The pattern of a float.
    pub fn write_float(&mut self, value: f32) {
        self.write_bits(value.to_bits() as i32, 32);
    }

    /// An angle as 1/65536 of a turn, 16 bits. Unit: degrees.
    pub fn write_angle16(&mut self, degrees: f32) {
        let turn = degrees * 65536.0 / 360.0;
        // Beyond the range of an int the reference's conversion yields the least int, whose low bits are zero.
        let fits = (-2147483648.0..2147483648.0).contains(&turn);
        self.write_bits(if fits { turn as i32 } else { 0 }, 16);
    }

    /// Bytes as they are.
    pub fn write_data(&mut self, data: &[u8]) {
        let (words, rest) = data.as_chunks();
        for word in words {
            self.write_bits(i32::from_le_bytes(*word), 32);
        }
        for &byte in rest {
            self.write_bits(byte.into(), 8);
        }
    }

    /// Text and a terminator, cut at a NUL. Bytes that old clients cannot bear become dots ([`wire_char`]); text that would not fit
    /// `max_bytes` with its terminator is sent as empty, as the reference does. Use [`MAX_STRING_CHARS`] or [`BIG_INFO_STRING`].
    ///
    /// [`MAX_STRING_CHARS`]: crate::proto::limits::MAX_STRING_CHARS
    /// [`BIG_INFO_STRING`]: crate::proto::limits::BIG_INFO_STRING
    pub fn write_text(&mut self, text: &[u8], max_bytes: usize) {
        let text = until_nul(text);
        if text.len() < max_bytes {
            let (words, rest) = text.as_chunks();
            for word in words {
                self.write_bits(i32::from_le_bytes(word.map(wire_char)), 32);
            }
            for &byte in rest {
                self.write_bits(wire_char(byte).into(), 8);
            }
        }
        self.write_bits(0, 8);
    }

    /// Bits as they are, first bit lowest, at most 56 of them; those above `count` are zero.
    #[inline]
    pub(super) fn append(&mut self, packed: u64, count: u32) {
        debug_assert!(count <= 56 && packed >> count == 0, "{count} bits, {packed:#x}");
        if self.overflowed || self.bit + count as usize > self.limit_bits {
            self.overflowed = true;
            return;
        }
        let (byte, fill) = (self.bit >> 3, (self.bit & 7) as u32);
        let word = self.partial | packed << fill;
        self.buffer[byte..byte + 8].copy_from_slice(&word.to_le_bytes());
        self.bit += count as usize;
        self.partial = word >> ((fill + count) & !7);
    }
}

impl Default for BitWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads a message. The slice begins where the values begin: headers are taken off before.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    data: &'a [u8],
    bit: usize,
    /// Bytes touched, one beyond the data once a read went past the end.
    touched: usize,
    mode: Mode,
}

impl<'a> BitReader<'a> {
    /// Reads a bitstream.
    pub const fn new(data: &'a [u8]) -> Self {
        Self { data, bit: 0, touched: 0, mode: Mode::Bitstream }
    }

    /// Reads byte-aligned plain values.
    pub const fn out_of_band(data: &'a [u8]) -> Self {
        Self { data, bit: 0, touched: 0, mode: Mode::OutOfBand }
    }

    /// Bits read so far.
    pub const fn bit(&self) -> usize {
        self.bit
    }

    /// The reference's `readcount`: bytes touched, the one under the cursor included.
    pub const fn touched(&self) -> usize {
        self.touched
    }

    /// Bytes after the one under the cursor.
    pub const fn bytes_left(&self) -> usize {
        self.data.len().saturating_sub(self.touched)
    }

    /// Whether the cursor has left the message. As in the reference that is also so when a read ended with the very last bit, which
    /// no writer produces.
    pub const fn past_end(&self) -> bool {
        self.touched > self.data.len()
    }

    /// `|width|` bits; a negative width sign-extends, 0 past the end.
    ///
    /// As in the reference a sign is looked for below the *whole-byte* part of the width, so it is right for -8, -16 and -24 only.
    /// The one unused code word yields 256 where a byte is due.
    ///
    /// # Panics
    /// In debug builds if the width is 0 or beyond -31..=32, or not 8, 16 or 32 out of band.
    #[inline]
    pub fn read_bits(&mut self, width: i32) -> i32 {
        debug_assert!(width != 0 && (-31..=32).contains(&width), "width {width} is not within -31..=32");
        if self.past_end() {
            return 0;
        }
        let (value, whole) = match self.mode {
            Mode::Bitstream => self.take_packed(width.unsigned_abs()),
            Mode::OutOfBand => self.take_plain(width.unsigned_abs()),
        };
        if width < 0 && whole > 0 && value >> (whole - 1) & 1 != 0 {
            return (value | u32::MAX << whole) as i32;
        }
        value as i32
    }

    /// One plain bit, false past the end.
    ///
    /// # Panics
    /// In debug builds if read out of band.
    #[inline]
    pub fn read_flag(&mut self) -> bool {
        debug_assert!(self.mode == Mode::Bitstream, "one bit out of band");
        match self.data.get(self.bit >> 3) {
            Some(byte) if !self.past_end() => {
                let is_set = byte >> (self.bit & 7) & 1 != 0;
                self.bit += 1;
                self.touched = (self.bit >> 3) + 1;
                is_set
            }
            _ => {
                self.touched = self.data.len() + 1;
                false
            }
        }
    }

    /// One byte, -1 past the end.
    #[inline]
    pub fn read_byte(&mut self) -> i32 {
        let value = self.read_bits(8) & 0xff;
        if self.past_end() { -1 } else { value }
    }

    /// 16 bits, sign-extended, -1 past the end.
    #[inline]
    pub fn read_short(&mut self) -> i32 {
        let value = self.read_bits(16) as i16;
        if self.past_end() { -1 } else { value.into() }
    }

    /// 32 bits, -1 past the end.
    #[inline]
    pub fn read_long(&mut self) -> i32 {
        let value = self.read_bits(32);
        if self.past_end() { -1 } else { value }
    }

    /// A float, -1 past the end.
    pub fn read_float(&mut self) -> f32 {
        let pattern = self.read_bits(32);
        if self.past_end() { -1.0 } else { f32::from_bits(pattern as u32) }
    }

    /// Fills `into`, with 255 past the end.
    pub fn read_data(&mut self, into: &mut [u8]) {
        let (words, rest) = into.as_chunks_mut();
        for word in words {
            *word = match self.peek_word() {
                Some((bytes, count)) => {
                    self.bit += count as usize;
                    self.touched = (self.bit >> 3) + 1;
                    bytes
                }
                None => [(); 4].map(|()| self.read_byte() as u8),
            };
        }
        for byte in rest {
            *byte = self.read_byte() as u8;
        }
    }

    /// Four bytes by code and the bits that they take, if they are surely all there.
    #[inline]
    fn peek_word(&self) -> Option<([u8; 4], u32)> {
        let has_room = self.bit + 4 * huffman::CODE_BITS_MAX as usize <= self.data.len() * 8;
        if !has_room || self.mode != Mode::Bitstream {
            return None;
        }
        let window = self.window();
        let mut count = 0;
        let mut bytes = [0; 4];
        for byte in &mut bytes {
            let (symbol, length) = huffman::unpack(window >> count);
            *byte = u8::try_from(symbol).ok()?;
            count += length;
        }
        Some((bytes, count))
    }

    /// Adds text to `into` up to its terminator (taken too), the end of the message, or `max_bytes` with the terminator. Answers
    /// whether a terminator was met. Unwelcome bytes become dots as when written.
    pub fn read_text(&mut self, max_bytes: usize, into: &mut Vec<u8>) -> bool {
        for _ in 0..max_bytes {
            match self.read_byte() {
                -1 => return false,
                0 => return true,
                byte => into.push(wire_char(byte as u8)),
            }
        }
        into.pop();
        false
    }

    fn take_packed(&mut self, width: u32) -> (u32, u32) {
        let end = self.data.len() * 8;
        let window = self.window();
        let plain = width & 7;
        let mut used = plain;
        let mut value = (window & ((1 << plain) - 1)) as u32;
        let mut shift = plain;
        for _ in 0..width >> 3 {
            let (symbol, length) = huffman::unpack(window >> used);
            value |= symbol.wrapping_shl(shift);
            used += length;
            shift += 8;
        }
        if self.bit + used as usize > end {
            self.touched = self.data.len() + 1;
            return (0, 0);
        }
        self.bit += used as usize;
        self.touched = (self.bit >> 3) + 1;
        (value, width & !7)
    }

    fn take_plain(&mut self, width: u32) -> (u32, u32) {
        let bytes = (width >> 3) as usize;
        let Some(taken) = self.data.get(self.touched..self.touched + bytes) else {
            self.touched = self.data.len() + 1;
            return (0, 0);
        };
        let value = taken.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        self.touched += bytes;
        self.bit += bytes * 8;
        (if width == 16 { value as u16 as i16 as u32 } else { value }, width)
    }

    /// The next 57 bits or more, zeros beyond the end.
    #[inline]
    fn window(&self) -> u64 {
        let rest = &self.data[self.bit >> 3..];
        let word = match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.bit & 7)
    }
}

/// What old clients can bear: `%` and bytes above 127 become dots.
#[inline]
pub const fn wire_char(byte: u8) -> u8 {
    if byte > 127 || byte == b'%' { b'.' } else { byte }
}

/// The part of a text before its first NUL.
pub(super) fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_writer_says_so_and_keeps_what_it_has() {
        let mut w = BitWriter::with_limit(2);
        w.write_bits(0x5, 3);
        w.write_long(-1);
        assert!(w.overflowed());
        assert_eq!((w.bit(), w.bytes()), (3, &[5u8][..]));
        w.write_bits(1, 1);
        assert_eq!(w.bit(), 3);
        w.clear();
        w.write_bits(1, 1);
        assert_eq!(w.bytes(), [1]);
    }

    #[test]
    fn an_empty_message_reads_as_nothing() {
        let mut r = BitReader::new(&[]);
        assert_eq!((r.read_bits(7), r.read_byte(), r.read_long()), (0, -1, -1));
        assert!(r.past_end());
    }

    #[test]
    fn text_too_long_is_sent_empty_and_unwelcome_bytes_as_dots() {
        let mut w = BitWriter::new();
        w.write_text(&[b'a'; 1024], 1024);
        w.write_text(b"100%\xe9\0hidden", 1024);
        let mut r = BitReader::new(w.bytes());
        let (mut first, mut second) = (Vec::new(), Vec::new());
        assert!(r.read_text(1024, &mut first) && r.read_text(1024, &mut second));
        assert_eq!((&first[..], &second[..]), (&b""[..], &b"100.."[..]));
    }

    #[test]
    fn text_without_end_stops_at_its_limit() {
        let mut w = BitWriter::new();
        w.write_data(&[b'a'; 40]);
        let mut r = BitReader::new(w.bytes());
        let mut text = Vec::new();
        assert!(!r.read_text(16, &mut text));
        assert_eq!(text.len(), 15);
    }

    fn width() -> impl Strategy<Value = i32> {
        1..=32i32
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(values in proptest::collection::vec((any::<i32>(), width()), 0..200)) {
            let mut w = BitWriter::new();
            for &(value, width) in &values {
                w.write_bits(value, width);
            }
            let mut r = BitReader::new(w.bytes());
            for &(value, width) in &values {
                prop_assert_eq!(r.read_bits(width), (value as u32 & (u32::MAX >> (32 - width))) as i32);
            }
            prop_assert!(!r.past_end());
        }

        #[test]
        fn data_is_read_as_byte_by_byte(data in proptest::collection::vec(any::<u8>(), 0..40), count in 0..60usize) {
            let (mut at_once, mut singly) = (BitReader::new(&data), BitReader::new(&data));
            let mut into = vec![0; count];
            at_once.read_data(&mut into);
            let bytes: Vec<u8> = (0..count).map(|_| singly.read_byte() as u8).collect();
            prop_assert_eq!(into, bytes);
            prop_assert_eq!((at_once.bit(), at_once.touched()), (singly.bit(), singly.touched()));
        }

        #[test]
        fn no_bytes_upset_the_reader(
            data in proptest::collection::vec(any::<u8>(), 0..40),
            widths in proptest::collection::vec((-31..=32i32).prop_filter("zero", |w| *w != 0), 0..60),
        ) {
            let mut r = BitReader::new(&data);
            for width in widths {
                let mut same = r.clone();
                let value = r.read_bits(width);
                if width == 1 {
                    prop_assert_eq!(same.read_flag(), value != 0);
                    prop_assert_eq!((same.bit(), same.touched()), (r.bit(), r.touched()));
                }
                prop_assert!(r.bit() <= data.len() * 8 && r.touched() <= data.len() + 1);
            }
        }
    }
}
