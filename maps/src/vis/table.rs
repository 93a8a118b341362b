//! The answer, and its form in a .bsp file: the visibility lump.
//!
//! Little endian: int32 clusters, int32 bytes a row, rows; bit j of row i is byte j >> 3, mask 1 << (j & 7): cluster i may see
//! cluster j. Rows are padded to eight bytes, as the tools of the trade do.

use super::bits::BitTable;
use std::fmt;

/// Which cluster may see which. Every cluster sees itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisTable {
    bits: BitTable,
}

/// Why a visibility lump cannot be read. Display is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LumpError {
    /// Shorter than its head.
    NoHead(usize),
    /// The head does not fit the length.
    Length {
        /// Clusters, by the head.
        clusters: u32,
        /// Bytes of a row, by the head.
        row_bytes: u32,
        /// Bytes that follow.
        rest: usize,
    },
}

impl fmt::Display for LumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHead(len) => write!(f, "a visibility lump of {len} bytes, its head alone has 8"),
            Self::Length { clusters, row_bytes, rest } => {
                write!(
                    f,
                    "a visibility lump of {clusters} rows of {row_bytes} bytes, but {rest} bytes follow"
                )
            }
        }
    }
}

impl std::error::Error for LumpError {}

impl VisTable {
    /// Around a square table.
    pub fn new(bits: BitTable) -> Self {
        Self { bits }
    }

    /// Number of clusters.
    pub fn cluster_count(&self) -> usize {
        self.bits.width()
    }

    /// Whether cluster `from` may see cluster `to`.
    pub fn sees(&self, from: usize, to: usize) -> bool {
        self.bits.has(from, to)
    }

    /// Set bits of all rows.
    pub fn count(&self) -> u64 {
        self.bits.count()
    }

    /// The rows as 64-bit words, bit 0 first: what `bitvec` calls `Lsb0`.
    pub fn bits(&self) -> &BitTable {
        &self.bits
    }

    /// Whether every bit has its mirror image.
    pub fn is_symmetric(&self) -> bool {
        let count = self.cluster_count();
        (0..count).all(|row| super::bits::ones(self.bits.row(row)).all(|other| self.sees(other, row)))
    }

    /// The lump.
    pub fn to_lump(&self) -> Vec<u8> {
        let row_bytes = self.bits.words_per_row() * 8;
        let mut lump = Vec::with_capacity(8 + row_bytes * self.cluster_count());
        lump.extend((self.cluster_count() as u32).to_le_bytes());
        lump.extend((row_bytes as u32).to_le_bytes());
        for row in 0..self.cluster_count() {
            lump.extend(self.bits.row(row).iter().flat_map(|word| word.to_le_bytes()));
        }
        lump
    }

    /// Reads a lump with rows of any length that holds its clusters.
    pub fn from_lump(lump: &[u8]) -> Result<Self, LumpError> {
        let Some((head, rows)) = lump.split_at_checked(8) else { return Err(LumpError::NoHead(lump.len())) };
        let clusters = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let row_bytes = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let wrong = LumpError::Length { clusters, row_bytes, rest: rows.len() };
        let wanted = u64::from(clusters) * u64::from(row_bytes);
        if wanted != rows.len() as u64 || u64::from(row_bytes) * 8 < u64::from(clusters) || clusters > 1 << 20
        {
            return Err(wrong);
        }
        let count = clusters as usize;
        let mut bits = BitTable::new(count, count);
        for (row, bytes) in rows.chunks_exact((row_bytes as usize).max(1)).enumerate() {
            for (column, byte) in bytes.iter().enumerate().take(count.div_ceil(8)) {
                bits.row_mut(row)[column / 8] |= u64::from(*byte) << (column % 8 * 8);
            }
            if let Some(last) = bits.row_mut(row).last_mut().filter(|_| !count.is_multiple_of(64)) {
                *last &= u64::MAX >> (64 - count % 64);
            }
        }
        Ok(Self { bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lump_comes_back_as_it_went() {
        let mut bits = BitTable::new(70, 70);
        bits.set(0, 69);
        bits.set(69, 3);
        let table = VisTable::new(bits);
        let lump = table.to_lump();
        assert_eq!(lump.len(), 8 + 70 * 16);
        assert_eq!(lump[..8], [70, 0, 0, 0, 16, 0, 0, 0]);
        assert_eq!(VisTable::from_lump(&lump), Ok(table));
    }

    #[test]
    fn damaged_lumps_are_refused() {
        assert_eq!(VisTable::from_lump(&[1, 2, 3]), Err(LumpError::NoHead(3)));
        let head = [2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0];
        assert!(matches!(VisTable::from_lump(&head), Err(LumpError::Length { clusters: 2, .. })));
    }
}
