//! Little-endian fields of one record, read in order.

use super::error::{BspError, Lump};
use super::records::Span;
use crate::math::{Vec3, vec3};
use byteorder::{ByteOrder, LE};

/// A record of fixed size: bytes to value and back.
pub(super) trait Record: Sized {
    /// Bytes in the file.
    const SIZE: usize;
    /// From exactly [`Record::SIZE`] bytes.
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError>;
    /// Appends exactly [`Record::SIZE`] bytes.
    fn write(&self, out: &mut Vec<u8>);
}

/// Reads one record. It is as long as its reader expects, because lumps are cut into whole records first.
pub(super) struct Fields<'a> {
    lump: Lump,
    record: usize,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(lump: Lump, record: usize, bytes: &'a [u8]) -> Self {
        Self { lump, record, rest: bytes }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.rest.split_first_chunk().expect("a record is as long as its fields");
        self.rest = rest;
        *taken
    }

    pub(super) fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes())
    }

    pub(super) fn f32(&mut self) -> f32 {
        LE::read_f32(&self.bytes::<4>())
    }

    pub(super) fn i32s<const N: usize>(&mut self) -> [i32; N] {
        std::array::from_fn(|_| self.i32())
    }

    pub(super) fn f32s<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.f32())
    }

    pub(super) fn vec3(&mut self) -> Vec3 {
        let [x, y, z] = self.f32s();
        vec3(x, y, z)
    }

    /// A number that cannot be negative.
    pub(super) fn index(&mut self, field: &'static str) -> Result<u32, BspError> {
        let value = self.i32();
        u32::try_from(value).map_err(|_| self.out_of_range(field, value))
    }

    /// A number, or -1 for "none".
    pub(super) fn optional(&mut self, field: &'static str) -> Result<Option<u32>, BspError> {
        match self.i32() {
            -1 => Ok(None),
            value => u32::try_from(value).map(Some).map_err(|_| self.out_of_range(field, value)),
        }
    }

    /// Where a span begins, and how long it is.
    pub(super) fn span(&mut self, field: &'static str) -> Result<Span, BspError> {
        Ok(Span { first: self.index(field)?, count: self.index(field)? })
    }

    /// An error about this record.
    pub(super) fn broken(&self, reason: &'static str) -> BspError {
        BspError::Broken { lump: self.lump, record: self.record, reason }
    }

    fn out_of_range(&self, field: &'static str, value: i32) -> BspError {
        let (lump, record) = (self.lump, self.record);
        BspError::OutOfRange { lump, record, field, value: i64::from(value), limit: 1 << 31 }
    }
}

/// Appends little-endian fields.
pub(super) trait Put {
    fn put_i32(&mut self, value: i32);
    fn put_i32s(&mut self, values: &[i32]);
    fn put_f32s(&mut self, values: &[f32]);
    fn put_span(&mut self, span: Span);
    fn put_optional(&mut self, value: Option<u32>);
}

impl Put for Vec<u8> {
    fn put_i32(&mut self, value: i32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_i32s(&mut self, values: &[i32]) {
        for &value in values {
            self.put_i32(value);
        }
    }

    fn put_f32s(&mut self, values: &[f32]) {
        for value in values {
            self.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn put_span(&mut self, span: Span) {
        self.put_i32s(&[span.first as i32, span.count as i32]);
    }

    fn put_optional(&mut self, value: Option<u32>) {
        self.put_i32(value.map_or(-1, |value| value as i32));
    }
}
