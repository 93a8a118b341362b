//! The message that a map begins with: every configstring and every baseline.
//!
//! ```text
//! 2 | newest server command 32 | parts | 8 | client 32 | checksum feed 32
//! part    3 | number 16 | text                a configstring; empty ones are left out
//!         4 | entity delta from zero, forced  a baseline
//! ```

use super::super::bits::{BitReader, BitWriter};
use super::super::delta::{read_entity, write_entity};
use super::super::error::ParseError;
use super::server::op;
use crate::ids::{ClientNum, ConfigstringNum};
use crate::proto::EntityState;
use crate::proto::limits::{BIG_INFO_STRING, ENTITY_NUM_BITS, MAX_ENTITIES, MAX_GAMESTATE_CHARS};

/// The numbers of a gamestate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GamestateHead {
    /// The newest server command whose effect the gamestate holds.
    pub command_sequence: i32,
    /// Who the receiver is.
    pub client: ClientNum,
    /// Goes into the key of usercmds and into checksums of pure files.
    pub checksum_feed: i32,
}

/// A gamestate as a client has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Gamestate {
    /// Its numbers.
    pub head: GamestateHead,
    /// Configstrings that are not empty, as they came.
    pub configstrings: Vec<(ConfigstringNum, Vec<u8>)>,
    /// States to reckon a new entity from, as they came; each knows its number.
    pub baselines: Vec<EntityState>,
}

/// Adds a gamestate. Empty configstrings and baselines of number 0 (absent, or the first player's) are left out.
pub fn write_gamestate<'a>(
    w: &mut BitWriter,
    head: &GamestateHead,
    configstrings: impl IntoIterator<Item = (ConfigstringNum, &'a [u8])>,
    baselines: &[EntityState],
) {
    w.write_byte(op::GAMESTATE.into());
    w.write_long(head.command_sequence);
    for (num, text) in configstrings {
        if !text.is_empty() {
            w.write_byte(op::CONFIGSTRING.into());
            w.write_short(num.index() as i32);
            w.write_text(text, BIG_INFO_STRING);
        }
    }
    for baseline in baselines {
        if baseline.number != 0 {
            w.write_byte(op::BASELINE.into());
            write_entity(w, None, Some(baseline), true);
        }
    }
    w.write_byte(op::END.into());
    w.write_long(head.client.index() as i32);
    w.write_long(head.checksum_feed);
}

impl Gamestate {
    pub(super) fn read(r: &mut BitReader<'_>) -> Result<Self, ParseError> {
        let command_sequence = r.expect_long("command number of gamestate")?;
        let mut configstrings = Vec::new();
        let mut baselines = Vec::new();
        // A client's store begins with one empty string for all that are absent.
        let mut chars = 1;
        loop {
            const READING: &str = "part of gamestate";
            match r.expect_byte(READING)? {
                op::END => break,
                op::CONFIGSTRING => {
                    let (num, text) = read_configstring(r)?;
                    chars += text.len() + 1;
                    if chars > MAX_GAMESTATE_CHARS {
                        let reading = "total length of configstrings";
                        return Err(ParseError::OutOfRange { reading, value: chars as i32, at_bit: r.bit() });
                    }
                    configstrings.push((num, text));
                }
                op::BASELINE if baselines.len() < MAX_ENTITIES => {
                    let number = read_entity_number(r, "entity number of baseline")?;
                    baselines.extend(read_entity(r, number, None)?);
                }
                op => return Err(ParseError::UnknownOp { reading: READING, op, at_bit: r.bit() }),
            }
        }
        const CLIENT: &str = "client number of gamestate";
        let client = r.expect_long(CLIENT)?;
        let client = usize::try_from(client).ok().and_then(ClientNum::new).ok_or(ParseError::OutOfRange {
            reading: CLIENT,
            value: client,
            at_bit: r.bit(),
        })?;
        let checksum_feed = r.expect_long("checksum feed of gamestate")?;
        let head = GamestateHead { command_sequence, client, checksum_feed };
        Ok(Self { head, configstrings, baselines })
    }

    pub(super) fn emit(&self, w: &mut BitWriter) {
        let configstrings = self.configstrings.iter().map(|(num, text)| (*num, &text[..]));
        write_gamestate(w, &self.head, configstrings, &self.baselines);
    }
}

fn read_configstring(r: &mut BitReader<'_>) -> Result<(ConfigstringNum, Vec<u8>), ParseError> {
    const READING: &str = "number of configstring";
    let raw = r.expect_short(READING)?;
    let num = usize::try_from(raw).ok().and_then(ConfigstringNum::new);
    let num = num.ok_or(ParseError::OutOfRange { reading: READING, value: raw.into(), at_bit: r.bit() })?;
    let mut text = Vec::new();
    r.expect_text(BIG_INFO_STRING, "text of configstring", &mut text)?;
    Ok((num, text))
}

/// Ten bits. The unused code word could make them more.
pub(super) fn read_entity_number(r: &mut BitReader<'_>, reading: &'static str) -> Result<i32, ParseError> {
    let number = r.read_bits(ENTITY_NUM_BITS);
    if number >= MAX_ENTITIES as i32 {
        return Err(ParseError::OutOfRange { reading, value: number, at_bit: r.bit() });
    }
    Ok(number)
}
