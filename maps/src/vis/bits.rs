//! Square bit tables in 64-bit words: the rows that vis spends its time on.

/// Rows of bits, each row a whole number of words. Shape: `rows * words`. Bits past the width are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitTable {
    width: usize,
    words_per_row: usize,
    words: Vec<u64>,
}

impl BitTable {
    /// All clear.
    pub fn new(rows: usize, width: usize) -> Self {
        let words_per_row = words_for(width);
        Self { width, words_per_row, words: vec![0; rows * words_per_row] }
    }

    /// Bits in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Words in a row.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// One row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.words_per_row..][..self.words_per_row]
    }

    /// One row, to be changed.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.words_per_row..][..self.words_per_row]
    }

    /// All rows, each to be changed on its own.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// One bit.
    #[inline]
    pub fn has(&self, row: usize, bit: usize) -> bool {
        has(self.row(row), bit)
    }

    /// Sets one bit.
    #[inline]
    pub fn set(&mut self, row: usize, bit: usize) {
        set(self.row_mut(row), bit);
    }

    /// Clears one bit.
    #[inline]
    pub fn clear(&mut self, row: usize, bit: usize) {
        clear(self.row_mut(row), bit);
    }

    /// Set bits of the whole table.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// Adds the bits of another table of the same shape.
    pub fn or_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Keeps a bit only where its mirror image is set too. The table must be square.
    pub fn and_mirror(&mut self) {
        self.with_mirror(|a, b| a & b);
    }

    /// Sets the mirror image of every bit. The table must be square.
    pub fn or_mirror(&mut self) {
        self.with_mirror(|a, b| a | b);
    }

    /// Joins each block of 64 by 64 bits and the mirror image of its counterpart.
    fn with_mirror(&mut self, join: impl Fn(u64, u64) -> u64) {
        let (rows, words) = (self.width, self.words_per_row);
        let load = |table: &Self, block: usize, word: usize| -> [u64; 64] {
            std::array::from_fn(|at| {
                let row = block * 64 + at;
                if row < rows { table.words[row * words + word] } else { 0 }
            })
        };
        for block in 0..words {
            for word in block..words {
                let (mut one, mut other) = (load(self, block, word), load(self, word, block));
                transpose(&mut other);
                one.iter_mut().zip(&other).for_each(|(one, &other)| *one = join(*one, other));
                other = one;
                transpose(&mut other);
                for (place, word, lines) in [(block, word, &one), (word, block, &other)] {
                    for (at, &line) in lines.iter().enumerate().take(rows.saturating_sub(place * 64)) {
                        self.words[(place * 64 + at) * words + word] = line;
                    }
                }
            }
        }
    }
}

/// Mirrors a block of 64 by 64 bits at its diagonal: halves change places, then halves of halves.
fn transpose(block: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width != 0 {
        for row in (0..64).filter(|row| row & width == 0) {
            let moved = (block[row] >> width ^ block[row + width]) & mask;
            block[row] ^= moved << width;
            block[row + width] ^= moved;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Words that hold so many bits.
pub fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// One bit of a row.
#[inline]
pub fn has(row: &[u64], bit: usize) -> bool {
    row[bit >> 6] >> (bit & 63) & 1 != 0
}

/// Sets one bit of a row.
#[inline]
pub fn set(row: &mut [u64], bit: usize) {
    row[bit >> 6] |= 1 << (bit & 63);
}

/// Clears one bit of a row.
#[inline]
pub fn clear(row: &mut [u64], bit: usize) {
    row[bit >> 6] &= !(1 << (bit & 63));
}

/// Clears a run of bits of a row.
pub fn clear_range(row: &mut [u64], range: std::ops::Range<usize>) {
    each_masked(range, |word, mask| row[word] &= !mask);
}

/// Sets a run of bits of a row.
pub fn set_range(row: &mut [u64], range: std::ops::Range<usize>) {
    each_masked(range, |word, mask| row[word] |= mask);
}

/// Whether any bit of a run is set.
pub fn any_in(row: &[u64], range: std::ops::Range<usize>) -> bool {
    let mut any = 0;
    each_masked(range, |word, mask| any |= row[word] & mask);
    any != 0
}

/// `into = a & b`; answers whether `into & wanted` holds anything. All four have one length.
#[inline]
pub fn and_into(into: &mut [u64], a: &[u64], b: &[u64], wanted: &[u64]) -> bool {
    let mut any = 0;
    for (((to, &a), &b), &wanted) in into.iter_mut().zip(a).zip(b).zip(wanted) {
        let both = a & b;
        *to = both;
        any |= both & wanted;
    }
    any != 0
}

/// The set bits of a row, rising.
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let bit = index * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                bit
            })
        })
    })
}

fn each_masked(range: std::ops::Range<usize>, mut act: impl FnMut(usize, u64)) {
    if range.is_empty() {
        return;
    }
    let (first, last) = (range.start >> 6, (range.end - 1) >> 6);
    for word in first..=last {
        let mut mask = u64::MAX;
        if word == first {
            mask &= u64::MAX << (range.start & 63);
        }
        if word == last {
            mask &= u64::MAX >> (63 - ((range.end - 1) & 63));
        }
        act(word, mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_touch_their_bits_and_no_other() {
        for (from, to) in [(0, 0), (3, 9), (60, 70), (0, 64), (64, 128), (5, 190), (127, 129)] {
            let mut row = [0u64; 3];
            set_range(&mut row, from..to);
            assert_eq!(ones(&row).collect::<Vec<_>>(), (from..to).collect::<Vec<_>>());
            assert_eq!(any_in(&row, 0..192), from < to);
            assert!(!any_in(&row, to..192));
            clear_range(&mut row, from..to);
            assert_eq!(row, [0; 3]);
        }
    }

    #[test]
    fn mirrors_are_those_of_single_bits() {
        for width in [1, 63, 64, 65, 130] {
            let mut table = BitTable::new(width, width);
            let mut state = 7_u64;
            for row in 0..width {
                for bit in 0..width {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    if state >> 62 == 0 {
                        table.set(row, bit);
                    }
                }
            }
            let (mut both, mut either) = (table.clone(), table.clone());
            both.and_mirror();
            either.or_mirror();
            for (row, bit) in (0..width).flat_map(|row| (0..width).map(move |bit| (row, bit))) {
                assert_eq!(
                    both.has(row, bit),
                    table.has(row, bit) && table.has(bit, row),
                    "{width}: {row} {bit}"
                );
                assert_eq!(
                    either.has(row, bit),
                    table.has(row, bit) || table.has(bit, row),
                    "{width}: {row} {bit}"
                );
            }
        }
    }

    #[test]
    fn mirror_keeps_only_mutual_bits() {
        let mut table = BitTable::new(70, 70);
        table.set(1, 69);
        table.set(69, 1);
        table.set(2, 68);
        table.and_mirror();
        assert_eq!(table.count(), 2);
        assert!(table.has(1, 69) && table.has(69, 1));
    }
}
