//! A state, told as its difference from an older one.
//!
//! Which fields changed is found by comparing raw words, four at a time, and kept as one bit a field; everything after costs only
//! for what changed. So NaN equals itself, and -0.0 differs from 0.0 but may travel as zero. Source: facts page
//! "q3-protocol-facts", sections 7, 8 and 12.

use super::bits::{BitReader, BitWriter, wire_char};
use super::error::ParseError;
use super::fields::{
    ENTITY_FIELD_OF_WORD, ENTITY_FIELDS, FLOAT, FLOAT_INT_BIAS, FLOAT_INT_BITS, Field, NO_FIELD,
    PLAYER_ARRAY_BITS, PLAYER_ARRAY_LENGTH, PLAYER_ARRAYS, PLAYER_FIELD_OF_WORD, PLAYER_FIELDS,
};
use super::huffman::pack;
use crate::proto::limits::{ENTITY_NUM_BITS, MAX_ENTITIES};
use crate::proto::{ENTITY_WORDS, EntityState, PLAYER_WORDS, PlayerState, UserCmd};

/// Writes the change of one entity; the number is that of `to`.
///
/// ```text
/// number 10 | 1                                      to is None: it is gone
/// number 10 | 0 0                                    nothing changed, written only if forced
/// number 10 | 0 1 | count 8 | per field: 0           nothing more than that it did not change
///                                        1 0         it is zero
///                                        1 1 value   an integer in its own width
///                                        1 1 0 13    a float: an integer from -4096 to 4095, biased
///                                        1 1 1 32    a float: its pattern
/// ```
///
/// An absent `from` counts as all zero. Nothing at all is written if both are absent.
///
/// # Panics
/// In debug builds if the number is not below 1024.
pub fn write_entity(w: &mut BitWriter, from: Option<&EntityState>, to: Option<&EntityState>, force: bool) {
    const REMOVED: u64 = 0b1;
    const UNCHANGED: u64 = 0b00;
    const CHANGED: u64 = 0b10;
    let Some(to) = to else {
        if let Some(from) = from {
            let (packed, count) = pack_number(from.number);
            w.append(packed | REMOVED << count, count + 1);
        }
        return;
    };
    let mut changed = changed_entity_fields(from.unwrap_or(&EntityState::default()), to);
    if changed == 0 {
        if force {
            let (packed, count) = pack_number(to.number);
            w.append(packed | UNCHANGED << count, count + 2);
        }
        return;
    }
    let (number, count) = pack_number(to.number);
    let (fields, fields_count) = pack(u64::BITS - changed.leading_zeros(), 8);
    w.append(number | CHANGED << count | fields << (count + 2), count + 2 + fields_count);

    let words = to.words();
    let mut next = 0;
    while changed != 0 {
        let index = changed.trailing_zeros();
        changed &= changed - 1;
        let field = &ENTITY_FIELDS[index as usize];
        let (value, count) = pack_entity_value(field, words[field.word]);
        append_changed(w, index - next, value, count);
        next = index + 1;
    }
}

/// Reads the change of entity `number` (whose ten bits were taken before) from `from`, where absence counts as all zero.
///
/// Answers `None` if the entity is gone.
///
/// # Errors
/// If the message ends, or counts more fields than there are.
pub fn read_entity(
    r: &mut BitReader<'_>,
    number: i32,
    from: Option<&EntityState>,
) -> Result<Option<EntityState>, ParseError> {
    const READING: &str = "entity delta";
    if r.read_flag() {
        return r.check(READING).map(|()| None);
    }
    let mut to = from.copied().unwrap_or_default();
    to.number = number;
    if !r.read_flag() {
        return r.check(READING).map(|()| Some(to));
    }
    let count = read_field_count(r, ENTITY_FIELDS.len(), "field count of entity delta")?;
    let words = to.words_mut();
    for field in &ENTITY_FIELDS[..count] {
        if !r.read_flag() {
            continue;
        }
        words[field.word] = match r.read_flag() {
            false => 0,
            true if field.bits == FLOAT => read_float(r),
            true => r.read_bits(field.bits) as u32,
        };
    }
    r.check(READING).map(|()| Some(to))
}

/// Writes the change of a player, where an absent `from` counts as all zero.
///
/// ```text
/// count 8 | per field: 0            it did not change
///                      1 value      an integer in its own width
///                      1 0 13       a float: an integer from -4096 to 4095, biased
///                      1 1 32       a float: its pattern
/// 0                                 no array changed
/// 1 | per array: 0                  stats, persistant, ammo (16 bits each), powerups (32 bits each)
///                1 mask 16 values
/// ```
pub fn write_player(w: &mut BitWriter, from: Option<&PlayerState>, to: &PlayerState) {
    let changed_words = changed_words(from.unwrap_or(&PlayerState::default()).words(), to.words());
    let (low, high) = PLAYER_FIELD_OF_WORD.split_at(64);
    let mut changed = fields_of_words(changed_words[0], low) | fields_of_words(changed_words[1], high);
    w.write_byte((u64::BITS - changed.leading_zeros()) as i32);
    let words = to.words();
    let mut next = 0;
    while changed != 0 {
        let index = changed.trailing_zeros();
        changed &= changed - 1;
        let field = &PLAYER_FIELDS[index as usize];
        let (value, count) = match field.bits {
            FLOAT => pack_float(words[field.word]),
            bits => pack_masked(words[field.word], bits),
        };
        append_changed(w, index - next, value, count);
        next = index + 1;
    }
    let arrays = PLAYER_ARRAYS.map(|first| changed_elements(changed_words, first));
    w.append(u64::from(arrays != [0; 4]), 1);
    if arrays == [0; 4] {
        return;
    }
    for ((first, bits), mut mask) in PLAYER_ARRAYS.into_iter().zip(PLAYER_ARRAY_BITS).zip(arrays) {
        if mask == 0 {
            w.append(0, 1);
            continue;
        }
        let (packed, count) = pack(mask, PLAYER_ARRAY_LENGTH as u32);
        w.append(1 | packed << 1, count + 1);
        while mask != 0 {
            w.write_bits(words[first + mask.trailing_zeros() as usize] as i32, bits);
            mask &= mask - 1;
        }
    }
}

/// Reads the change of a player from `from`, where absence counts as all zero.
///
/// # Errors
/// If the message ends, or counts more fields than there are.
pub fn read_player(r: &mut BitReader<'_>, from: Option<&PlayerState>) -> Result<PlayerState, ParseError> {
    let mut to = from.copied().unwrap_or_default();
    let count = read_field_count(r, PLAYER_FIELDS.len(), "field count of player delta")?;
    let words = to.words_mut();
    for field in &PLAYER_FIELDS[..count] {
        if r.read_flag() {
            words[field.word] = match field.bits {
                FLOAT => read_float(r),
                bits => r.read_bits(bits) as u32,
            };
        }
    }
    if r.read_flag() {
        for (first, bits) in PLAYER_ARRAYS.into_iter().zip(PLAYER_ARRAY_BITS) {
            if !r.read_flag() {
                continue;
            }
            let mut mask = r.read_bits(PLAYER_ARRAY_LENGTH as i32) as u32 & 0xffff;
            while mask != 0 {
                let value = if bits == 16 { r.read_short() } else { r.read_long() };
                words[first + mask.trailing_zeros() as usize] = value as u32;
                mask &= mask - 1;
            }
        }
    }
    r.check("player delta").map(|()| to)
}

/// Writes a usercmd as its change from the one before, its values crossed with `key` (see [`move_key`]).
///
/// ```text
/// 1 8  | 0 32                  time: less than 256 ms after the one before, or whole
/// 0                            nothing else changed
/// 1 | per field: 0 | 1 value   angles 16 each, forward, right, up 8 each, buttons 16, weapon 8
/// ```
pub fn write_usercmd(w: &mut BitWriter, key: i32, from: &UserCmd, to: &UserCmd) {
    let elapsed = to.server_time.wrapping_sub(from.server_time);
    if elapsed < 256 {
        w.append(1, 1);
        w.write_bits(elapsed, 8);
    } else {
        w.append(0, 1);
        w.write_bits(to.server_time, 32);
    }
    let (old, new) = (usercmd_values(from), usercmd_values(to));
    if old == new {
        w.append(0, 1);
        return;
    }
    w.append(1, 1);
    let key = (key ^ to.server_time) as u32;
    for ((old, new), bits) in old.into_iter().zip(new).zip(USERCMD_BITS) {
        if old == new {
            w.append(0, 1);
        } else {
            let (packed, count) = pack_masked(new as u32 ^ key, bits);
            w.append(1 | packed << 1, count + 1);
        }
    }
}

/// Reads a usercmd as its change from the one before. A move of -128 becomes -127.
///
/// # Errors
/// If the message ends.
pub fn read_usercmd(r: &mut BitReader<'_>, key: i32, from: &UserCmd) -> Result<UserCmd, ParseError> {
    let server_time =
        if r.read_flag() { from.server_time.wrapping_add(r.read_bits(8)) } else { r.read_bits(32) };
    let mut values = usercmd_values(from);
    if r.read_flag() {
        let key = key ^ server_time;
        for (value, bits) in values.iter_mut().zip(USERCMD_BITS) {
            if r.read_flag() {
                *value = r.read_bits(bits) ^ (key & ((1 << bits) - 1));
            }
        }
    }
    r.check("usercmd")?;
    let [pitch, yaw, roll, forward, right, up, buttons, weapon] = values;
    let axis = |value: i32| (value as i8).max(-127);
    Ok(UserCmd {
        server_time,
        angles: [pitch, yaw, roll],
        buttons,
        weapon: weapon as u8,
        forward_move: axis(forward),
        right_move: axis(right),
        up_move: axis(up),
    })
}

/// The key of all usercmds of one client message: the gamestate's checksum feed, the message acknowledged, and the text of the
/// server command acknowledged, so that a forger must have heard the server.
pub fn move_key(checksum_feed: i32, message_acknowledge: i32, server_command: &[u8]) -> i32 {
    checksum_feed ^ message_acknowledge ^ hash_text(server_command, 32)
}

/// Hash of at most `max_bytes` of a text, up to its NUL.
pub fn hash_text(text: &[u8], max_bytes: usize) -> i32 {
    let text = super::bits::until_nul(text);
    let sum = text
        .iter()
        .zip(119i32..)
        .take(max_bytes)
        .fold(0i32, |sum, (&byte, factor)| sum.wrapping_add(i32::from(wire_char(byte)) * factor));
    sum ^ (sum >> 10) ^ (sum >> 20)
}

/// Widths of [`usercmd_values`].
const USERCMD_BITS: [i32; 8] = [16, 16, 16, 8, 8, 8, 16, 8];

/// All values of a usercmd but its time, in the order in which they travel.
fn usercmd_values(cmd: &UserCmd) -> [i32; 8] {
    let [pitch, yaw, roll] = cmd.angles;
    let axis = i32::from;
    [
        pitch,
        yaw,
        roll,
        axis(cmd.forward_move),
        axis(cmd.right_move),
        axis(cmd.up_move),
        cmd.buttons,
        cmd.weapon.into(),
    ]
}

/// One bit for each word of a state, in words of 64.
type WordMask = [u64; 2];

const _: () = assert!(PLAYER_WORDS <= 128 && ENTITY_WORDS <= 64);

/// Words that differ.
#[inline]
fn changed_words<const WORDS: usize>(from: &[u32; WORDS], to: &[u32; WORDS]) -> WordMask {
    let mut changed = [0; 2];
    let ((old_chunks, old_rest), (new_chunks, new_rest)) = (from.as_chunks::<4>(), to.as_chunks::<4>());
    let mut word = 0;
    for (old, new) in old_chunks.iter().zip(new_chunks) {
        if old != new {
            let bits = (0..4).fold(0, |bits, n| bits | u64::from(old[n] != new[n]) << n);
            changed[word / 64] |= bits << (word % 64);
        }
        word += 4;
    }
    for (old, new) in old_rest.iter().zip(new_rest) {
        changed[word / 64] |= u64::from(old != new) << (word % 64);
        word += 1;
    }
    changed
}

/// Fields of an entity that differ, bit n for field n; the number is none of them.
#[inline]
fn changed_entity_fields(from: &EntityState, to: &EntityState) -> u64 {
    // Most entities of a snapshot have not changed, and whole states compare fastest.
    if from.words() == to.words() {
        return 0;
    }
    let [words, _] = changed_words(from.words(), to.words());
    fields_of_words(words, &ENTITY_FIELD_OF_WORD)
}

/// Changed words as changed fields; words that are no field do not count.
#[inline]
fn fields_of_words(mut words: u64, field_of_word: &[u8]) -> u64 {
    let mut fields = 0;
    while words != 0 {
        let field = field_of_word[words.trailing_zeros() as usize];
        if field != NO_FIELD {
            fields |= 1 << field;
        }
        words &= words - 1;
    }
    fields
}

/// Elements that differ of the array that begins at word `first`, bit n for element n.
#[inline]
fn changed_elements([low, high]: WordMask, first: usize) -> u32 {
    let all = u128::from(low) | u128::from(high) << 64;
    (all >> first) as u32 & ((1 << PLAYER_ARRAY_LENGTH) - 1)
}

fn pack_number(number: i32) -> (u64, u32) {
    debug_assert!((0..MAX_ENTITIES as i32).contains(&number), "entity {number} of {MAX_ENTITIES}");
    pack_masked(number as u32, ENTITY_NUM_BITS)
}

/// As [`pack`], of the low `|bits|` bits.
#[inline]
fn pack_masked(value: u32, bits: i32) -> (u64, u32) {
    let width = bits.unsigned_abs();
    pack(value & (u32::MAX >> (32 - width)), width)
}

#[inline]
fn pack_entity_value(field: &Field, word: u32) -> (u64, u32) {
    let is_zero = if field.bits == FLOAT { f32::from_bits(word) == 0.0 } else { word == 0 };
    if is_zero {
        return (0, 1);
    }
    let (packed, count) = match field.bits {
        FLOAT => pack_float(word),
        bits => pack_masked(word, bits),
    };
    (1 | packed << 1, count + 1)
}

#[inline]
fn pack_float(word: u32) -> (u64, u32) {
    let value = f32::from_bits(word);
    let whole = value as i32;
    if whole as f32 == value && (-FLOAT_INT_BIAS..FLOAT_INT_BIAS).contains(&whole) {
        let (packed, count) = pack((whole + FLOAT_INT_BIAS) as u32, FLOAT_INT_BITS as u32);
        (packed << 1, count + 1)
    } else {
        let (packed, count) = pack(word, 32);
        (1 | packed << 1, count + 1)
    }
}

/// `unchanged` zero bits, the bit that says changed, and the value.
#[inline]
fn append_changed(w: &mut BitWriter, unchanged: u32, value: u64, count: u32) {
    /// So that zeros, mark and the longest value (1 + 1 + 44 bits) fit one append.
    const UNCHANGED_MAX: u32 = 9;
    if unchanged > UNCHANGED_MAX {
        w.append(0, unchanged);
        w.append(1 | value << 1, count + 1);
    } else {
        w.append(1 << unchanged | value << (unchanged + 1), unchanged + 1 + count);
    }
}

fn read_field_count(r: &mut BitReader<'_>, limit: usize, reading: &'static str) -> Result<usize, ParseError> {
    let count = r.expect_byte(reading)?;
    if usize::from(count) > limit {
        return Err(ParseError::OutOfRange { reading, value: count.into(), at_bit: r.bit() });
    }
    Ok(count.into())
}

fn read_float(r: &mut BitReader<'_>) -> u32 {
    if !r.read_flag() {
        return ((r.read_bits(FLOAT_INT_BITS) - FLOAT_INT_BIAS) as f32).to_bits();
    }
    r.read_bits(32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(value: u32, bits: i32) -> u32 {
        match bits.unsigned_abs() {
            0 | 32 => value,
            width if bits < 0 => ((value << (32 - width)) as i32 >> (32 - width)) as u32,
            width => value & ((1 << width) - 1),
        }
    }

    /// Values that a field may hold: zero, small, the widest, negative, and floats short and full.
    fn samples(bits: i32) -> Vec<u32> {
        let floats =
            [0.0, 1.0, -4096.0, 4095.0, 4096.0, -4097.0, 0.5, 2_147_483_648.0, -2_147_483_648.0, f32::NAN];
        match bits {
            FLOAT => floats.map(f32::to_bits).to_vec(),
            bits => {
                [0, 1, 5, -1i32 as u32, -100i32 as u32, 0x7fff_ffff].map(|value| cut(value, bits)).to_vec()
            }
        }
    }

    fn entity_there_and_back(from: &EntityState, to: &EntityState) -> Option<EntityState> {
        let mut w = BitWriter::new();
        write_entity(&mut w, Some(from), Some(to), true);
        let mut r = BitReader::new(w.bytes());
        let number = r.read_bits(ENTITY_NUM_BITS);
        read_entity(&mut r, number, Some(from)).unwrap()
    }

    #[test]
    fn every_entity_field_arrives_changed_and_unchanged() {
        for field in &ENTITY_FIELDS {
            for old in samples(field.bits) {
                for new in samples(field.bits) {
                    let with = |value| {
                        let mut state = EntityState { number: 77, ..EntityState::default() };
                        state.words_mut()[field.word] = value;
                        state
                    };
                    let read = entity_there_and_back(&with(old), &with(new)).unwrap();
                    assert_eq!(read.words(), with(new).words(), "{} from {old:#x}", field.name);
                }
            }
        }
    }

    #[test]
    fn every_player_field_arrives_changed_and_unchanged() {
        for field in &PLAYER_FIELDS {
            for old in samples(field.bits) {
                for new in samples(field.bits) {
                    let with = |value| {
                        let mut state = PlayerState::default();
                        state.words_mut()[field.word] = value;
                        state
                    };
                    let mut w = BitWriter::new();
                    write_player(&mut w, Some(&with(old)), &with(new));
                    let read = read_player(&mut BitReader::new(w.bytes()), Some(&with(old))).unwrap();
                    assert_eq!(read.words(), with(new).words(), "{} from {old:#x}", field.name);
                }
            }
        }
    }

    #[test]
    fn an_unchanged_entity_costs_nothing_and_one_forced_twelve_bits_of_meaning() {
        let state = EntityState { number: 3, weapon: 2, ..EntityState::default() };
        let mut w = BitWriter::new();
        write_entity(&mut w, Some(&state), Some(&state), false);
        assert!(w.is_empty());
        assert_eq!(entity_there_and_back(&state, &state), Some(state));
    }

    #[test]
    fn a_removed_entity_is_gone() {
        let state = EntityState { number: 1022, ..EntityState::default() };
        let mut w = BitWriter::new();
        write_entity(&mut w, Some(&state), None, false);
        let mut r = BitReader::new(w.bytes());
        assert_eq!(r.read_bits(ENTITY_NUM_BITS), 1022);
        assert_eq!(read_entity(&mut r, 1022, Some(&state)), Ok(None));
    }

    #[test]
    fn minus_zero_is_told_and_arrives_as_zero() {
        let from = EntityState { number: 1, ..EntityState::default() };
        let mut to = from;
        to.pos.base.x = -0.0;
        let mut w = BitWriter::new();
        write_entity(&mut w, Some(&from), Some(&to), false);
        assert!(!w.is_empty());
        let read = entity_there_and_back(&from, &to).unwrap();
        assert_eq!(read.pos.base.x.to_bits(), 0);
    }

    #[test]
    fn more_fields_than_there_are_is_an_error() {
        let mut w = BitWriter::new();
        w.write_bits(0b10, 2);
        w.write_byte(ENTITY_FIELDS.len() as i32 + 1);
        w.write_data(&[0; 200]);
        let error = read_entity(&mut BitReader::new(w.bytes()), 1, None).unwrap_err();
        assert!(matches!(error, ParseError::OutOfRange { value: 52, .. }), "{error}");
        w.clear();
        w.write_byte(PLAYER_FIELDS.len() as i32 + 1);
        w.write_data(&[0; 200]);
        let error = read_player(&mut BitReader::new(w.bytes()), None).unwrap_err();
        assert!(matches!(error, ParseError::OutOfRange { value: 49, .. }), "{error}");
    }

    #[test]
    fn usercmd_time_running_backwards_arrives_as_another_time() {
        let at = |server_time| UserCmd { server_time, ..UserCmd::default() };
        for (from, to, arrives) in
            [(1000, 1255, 1255), (1000, 1256, 1256), (1000, 1000, 1000), (1000, 999, 1255)]
        {
            let mut w = BitWriter::new();
            write_usercmd(&mut w, 5, &at(from), &at(to));
            let read = read_usercmd(&mut BitReader::new(w.bytes()), 5, &at(from)).unwrap();
            assert_eq!(read.server_time, arrives);
        }
    }
}
