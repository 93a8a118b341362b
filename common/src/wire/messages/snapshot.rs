//! What one client is told of one moment.
//!
//! ```text
//! 7 | server time 32 | delta 8 | flags 8 | area bytes 8 | areas × 8 | player delta | entity deltas | 1023 10
//!                      how many messages ago the base was sent, 0: there is none
//! ```
//!
//! Entities stand in ascending order. One that the base has too is told as its change from there, and not at all if there is none;
//! a new one as its change from its baseline; one that is gone by its number.

use super::super::bits::{BitReader, BitWriter};
use super::super::delta::{read_entity, read_player, write_entity, write_player};
use super::super::error::ParseError;
use super::gamestate::read_entity_number;
use super::server::op;
use crate::ids::{EntityNum, Sequence};
use crate::proto::limits::{ENTITY_NUM_BITS, MAX_MAP_AREA_BYTES};
use crate::proto::{EntityState, PlayerState};
use crate::time::ServerTime;

/// What a snapshot shows, wherever it is kept and however its entities are found: `E` gives them one by one.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotRef<'a, E = &'a [EntityState]> {
    /// The player whose eyes it is.
    pub player: &'a PlayerState,
    /// All else, ascending by number, each number once.
    pub entities: E,
}

/// What stands before the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotHead<'a> {
    /// The moment shown.
    pub server_time: ServerTime,
    /// How many messages ago the base was sent; 0 without a base.
    pub delta_num: u8,
    /// Bits of [`snap_flag`](crate::proto::snap_flag), eight of them.
    pub flags: i32,
    /// Areas that cannot be seen, one bit each; at most 32 bytes.
    pub area_mask: &'a [u8],
}

/// Where the states are that a snapshot is a change of.
pub trait SnapshotBases {
    /// The snapshot that came in that message, if it did and is still kept.
    fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>>;

    /// The gamestate's baseline of an entity, if it had one.
    fn baseline(&self, number: EntityNum) -> Option<&EntityState>;
}

/// A snapshot as a client has it.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotMessage {
    /// The moment shown.
    pub server_time: ServerTime,
    /// How many messages ago the base was sent; 0 without a base.
    pub delta_num: u8,
    /// Whether the base was there. If not, nothing below is to be believed, and a whole snapshot should be asked for.
    pub is_valid: bool,
    /// Bits of [`snap_flag`](crate::proto::snap_flag).
    pub flags: i32,
    /// Areas that cannot be seen, one bit each.
    pub area_mask: Vec<u8>,
    /// The player whose eyes it is.
    pub player: PlayerState,
    /// All else, ascending by number.
    pub entities: Vec<EntityState>,
}

/// Adds a snapshot. `baselines` is indexed by entity number; an entity beyond it has a baseline of zeros.
///
/// An entity that base and snapshot give by the same address has not changed and is not looked at.
///
/// # Panics
/// In debug builds if there is a base and no `delta_num`, or the other way round, or the area mask is too long.
pub fn write_snapshot<'a>(
    w: &mut BitWriter,
    head: &SnapshotHead<'_>,
    base: Option<SnapshotRef<'a, impl IntoIterator<Item = &'a EntityState>>>,
    to: SnapshotRef<'a, impl IntoIterator<Item = &'a EntityState>>,
    baselines: &'a [EntityState],
) {
    debug_assert!(base.is_some() == (head.delta_num != 0), "delta {} with or without a base", head.delta_num);
    let baseline = |number: i32| usize::try_from(number).ok().and_then(|index| baselines.get(index));
    write_states(w, head, base, to, baseline);
}

fn write_states<'a>(
    w: &mut BitWriter,
    head: &SnapshotHead<'_>,
    base: Option<SnapshotRef<'a, impl IntoIterator<Item = &'a EntityState>>>,
    to: SnapshotRef<'a, impl IntoIterator<Item = &'a EntityState>>,
    baseline: impl Fn(i32) -> Option<&'a EntityState>,
) {
    debug_assert!(head.area_mask.len() <= MAX_MAP_AREA_BYTES, "{} area bytes", head.area_mask.len());
    w.write_byte(op::SNAPSHOT.into());
    w.write_long(head.server_time.0);
    w.write_byte(head.delta_num.into());
    w.write_byte(head.flags);
    w.write_byte(head.area_mask.len() as i32);
    w.write_data(head.area_mask);
    write_player(w, base.as_ref().map(|base| base.player), to.player);
    write_entities(w, base.into_iter().flat_map(|base| base.entities), to.entities, baseline);
}

fn write_entities<'a>(
    w: &mut BitWriter,
    old: impl IntoIterator<Item = &'a EntityState>,
    new: impl IntoIterator<Item = &'a EntityState>,
    baseline: impl Fn(i32) -> Option<&'a EntityState>,
) {
    let mut old = old.into_iter().peekable();
    for to in new {
        while let Some(gone) = old.next_if(|from| from.number < to.number) {
            write_entity(w, Some(gone), None, true);
        }
        match old.next_if(|from| from.number == to.number) {
            Some(from) if std::ptr::eq(from, to) => {}
            Some(from) => write_entity(w, Some(from), Some(to), false),
            None => write_entity(w, baseline(to.number), Some(to), true),
        }
    }
    for gone in old {
        write_entity(w, Some(gone), None, true);
    }
    w.write_bits(EntityNum::NONE_ON_WIRE, ENTITY_NUM_BITS);
}

impl SnapshotMessage {
    /// What it shows.
    pub fn as_ref(&self) -> SnapshotRef<'_> {
        SnapshotRef { player: &self.player, entities: &self.entities }
    }

    pub(super) fn read(
        r: &mut BitReader<'_>,
        sequence: Sequence,
        bases: &dyn SnapshotBases,
    ) -> Result<Self, ParseError> {
        const AREAS: &str = "count of area bytes";
        let server_time = ServerTime(r.expect_long("time of snapshot")?);
        let delta_num = r.expect_byte("delta of snapshot")?;
        let flags = i32::from(r.expect_byte("flags of snapshot")?);
        let area_bytes = usize::from(r.expect_byte(AREAS)?);
        if area_bytes > MAX_MAP_AREA_BYTES {
            return Err(ParseError::OutOfRange { reading: AREAS, value: area_bytes as i32, at_bit: r.bit() });
        }
        let mut area_mask = vec![0; area_bytes];
        r.read_data(&mut area_mask);
        let base = base_of(sequence, delta_num, bases);
        let player = read_player(r, base.map(|base| base.player))?;
        let entities = read_entities(r, base.map_or(&[][..], |base| base.entities), bases)?;
        let is_valid = delta_num == 0 || base.is_some();
        Ok(Self { server_time, delta_num, is_valid, flags, area_mask, player, entities })
    }

    pub(super) fn emit(&self, w: &mut BitWriter, sequence: Sequence, bases: &dyn SnapshotBases) {
        let Self { server_time, delta_num, flags, .. } = *self;
        let head = SnapshotHead { server_time, delta_num, flags, area_mask: &self.area_mask };
        let baseline = |number| bases.baseline(EntityNum::from_wire(number)?);
        write_states(w, &head, base_of(sequence, delta_num, bases), self.as_ref(), baseline);
    }
}

fn base_of(sequence: Sequence, delta_num: u8, bases: &dyn SnapshotBases) -> Option<SnapshotRef<'_>> {
    let message = sequence.0.checked_sub(delta_num.into())?;
    if delta_num == 0 { None } else { bases.snapshot(Sequence(message)) }
}

fn read_entities(
    r: &mut BitReader<'_>,
    mut old: &[EntityState],
    bases: &dyn SnapshotBases,
) -> Result<Vec<EntityState>, ParseError> {
    const NUMBER: &str = "entity number in snapshot";
    let mut entities: Vec<EntityState> = Vec::with_capacity(old.len());
    let mut last = -1;
    loop {
        let number = read_entity_number(r, NUMBER)?;
        if number == EntityNum::NONE_ON_WIRE {
            break;
        }
        r.check(NUMBER)?;
        if number <= last {
            return Err(ParseError::OutOfRange { reading: NUMBER, value: number, at_bit: r.bit() });
        }
        last = number;
        let unchanged = old.partition_point(|entity| entity.number < number);
        entities.extend_from_slice(&old[..unchanged]);
        old = &old[unchanged..];
        match old.split_first() {
            Some((from, rest)) if from.number == number => {
                entities.extend(read_entity(r, number, Some(from))?);
                old = rest;
            }
            _ => {
                let baseline = EntityNum::from_wire(number).and_then(|num| bases.baseline(num));
                entities.extend(read_entity(r, number, baseline)?);
            }
        }
    }
    entities.extend_from_slice(old);
    Ok(entities)
}
