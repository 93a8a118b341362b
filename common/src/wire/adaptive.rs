//! The adaptive Huffman coder of the `connect` packet.
//!
//! Both ends grow the same tree while bytes pass. A byte that was seen before travels as its path in the tree; a new one as the path
//! of the "new" leaf and its eight bits, highest first. Nodes stand in one row, ordered by weight; before a node gains weight it
//! changes places with the last of its weight, so that the row stays ordered and the tree stays a Huffman tree (the method of
//! Faller, Gallager and Knuth).
//!
//! ```text
//! FF FF FF FF | "connect " | length, 16 bits, high byte first | codes, bit 0 of each byte first
//! ```
//!
//! Source: facts page "q3-protocol-facts", section 3.

use std::fmt;

/// Bytes of a `connect` packet that stay plain: the out-of-band mark and the command with its blank.
pub const CONNECT_PLAIN_BYTES: usize = 12;

/// Why data was not unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdaptiveError {
    /// Not even a length.
    NoLength {
        /// Bytes that there were.
        bytes: usize,
    },
    /// The length announced is beyond the limit given.
    TooLong {
        /// Bytes announced.
        declared: usize,
        /// Bytes allowed.
        limit: usize,
    },
}

impl fmt::Display for AdaptiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLength { bytes } => write!(f, "packed text: {bytes} bytes hold no length"),
            Self::TooLong { declared, limit } => {
                write!(f, "packed text: announces {declared} bytes, {limit} are allowed")
            }
        }
    }
}

impl std::error::Error for AdaptiveError {}

/// Whether all that was announced was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All of it.
    Complete,
    /// The input ended first. Stock clients send such packets: their coder cuts its output at the length of its input.
    CutShort,
}

/// Packs `plain`.
///
/// # Panics
/// If it has more than 65535 bytes.
pub fn compress(plain: &[u8]) -> Vec<u8> {
    let length =
        u16::try_from(plain.len()).unwrap_or_else(|_| panic!("{} bytes, 65535 are allowed", plain.len()));
    let mut out = BitSink { bytes: length.to_be_bytes().to_vec(), bit: 16 };
    let mut tree = Tree::new(plain.len());
    for &byte in plain {
        match tree.leaf_of_byte[usize::from(byte)] {
            NONE => {
                tree.emit_path(NEW_LEAF, &mut out);
                (0..8).rev().for_each(|shift| out.push(byte >> shift & 1 != 0));
            }
            leaf => tree.emit_path(leaf, &mut out),
        }
        tree.count(byte);
    }
    // The reference always counts one byte more than the last whole one.
    out.bytes.resize(out.bit / 8 + 1, 0);
    out.bytes
}

/// Unpacks into `plain`, which is emptied first. Announced lengths above `limit` are refused before any work.
///
/// Beyond the input zeros are read, for at most a byte, as the reference does.
///
/// # Errors
/// If there is no length, or it is beyond the limit.
pub fn decompress(packed: &[u8], limit: usize, plain: &mut Vec<u8>) -> Result<Ending, AdaptiveError> {
    plain.clear();
    let Some((length, _)) = packed.split_first_chunk::<2>() else {
        return Err(AdaptiveError::NoLength { bytes: packed.len() });
    };
    let declared = usize::from(u16::from_be_bytes(*length));
    if declared > limit {
        return Err(AdaptiveError::TooLong { declared, limit });
    }
    let mut source = BitSource { bytes: packed, bit: 16 };
    let mut tree = Tree::new(declared);
    for _ in 0..declared {
        if source.bit / 8 > packed.len() {
            return Ok(Ending::CutShort);
        }
        let mut node = tree.root;
        while let [zero, one] = tree.nodes[node as usize].children
            && zero != NONE
        {
            node = if source.pull() { one } else { zero };
        }
        let byte = match tree.nodes[node as usize].byte {
            Some(byte) => byte,
            None => (0..8).fold(0, |byte, _| byte << 1 | u8::from(source.pull())),
        };
        plain.push(byte);
        tree.count(byte);
    }
    Ok(if source.bit > packed.len() * 8 { Ending::CutShort } else { Ending::Complete })
}

/// Index into [`Tree::nodes`]; [`NONE`] for none.
type NodeIndex = u16;

const NONE: NodeIndex = NodeIndex::MAX;

/// The leaf that stands for every byte not yet seen. It keeps weight 0 and the first place of the row.
const NEW_LEAF: NodeIndex = 0;

/// The new leaf, and a leaf and a fork for each byte.
const NODES_MAX: usize = 1 + 2 * 256;

#[derive(Clone, Copy)]
struct Node {
    weight: u32,
    parent: NodeIndex,
    /// By the bit that leads there, both [`NONE`] at a leaf.
    children: [NodeIndex; 2],
    /// Place in [`Tree::row`].
    place: u16,
    /// What a leaf stands for; `None` for forks and for the new leaf.
    byte: Option<u8>,
}

struct Tree {
    nodes: Vec<Node>,
    /// All nodes but the new leaf, heaviest first.
    row: Vec<NodeIndex>,
    /// Place of the first node of each weight, right for the weights that nodes have.
    first_of_weight: Vec<u16>,
    root: NodeIndex,
    leaf_of_byte: [NodeIndex; 256],
}

impl Tree {
    /// For texts of at most `length` bytes.
    fn new(length: usize) -> Self {
        let mut nodes = Vec::with_capacity(NODES_MAX);
        nodes.push(Node { weight: 0, parent: NONE, children: [NONE; 2], place: 0, byte: None });
        Self {
            nodes,
            row: Vec::with_capacity(NODES_MAX),
            first_of_weight: vec![0; length + 1],
            root: NEW_LEAF,
            leaf_of_byte: [NONE; 256],
        }
    }

    /// Writes the way from the root to `node`.
    fn emit_path(&self, node: NodeIndex, out: &mut BitSink) {
        let parent = self.nodes[node as usize].parent;
        if parent != NONE {
            self.emit_path(parent, out);
            out.push(self.nodes[parent as usize].children[1] == node);
        }
    }

    /// One more of `byte` has passed.
    fn count(&mut self, byte: u8) {
        match self.leaf_of_byte[usize::from(byte)] {
            NONE => {
                let fork = self.sprout(byte);
                self.add_weight(self.nodes[fork as usize].parent);
            }
            leaf => self.add_weight(leaf),
        }
    }

    /// Puts a fork where the new leaf was, with the new leaf and a leaf for `byte` below it. Answers with the fork.
    fn sprout(&mut self, byte: u8) -> NodeIndex {
        let fork = self.nodes.len() as NodeIndex;
        let leaf = fork + 1;
        let above = self.nodes[NEW_LEAF as usize].parent;
        let place = self.row.len() as u16;
        if self.weight_at(place.wrapping_sub(1)) != Some(1) {
            self.first_of_weight[1] = place;
        }
        self.nodes.push(Node { weight: 1, parent: above, children: [NEW_LEAF, leaf], place, byte: None });
        self.nodes.push(Node {
            weight: 1,
            parent: fork,
            children: [NONE; 2],
            place: place + 1,
            byte: Some(byte),
        });
        self.row.extend([fork, leaf]);
        self.hang(above, NEW_LEAF, fork);
        self.nodes[NEW_LEAF as usize].parent = fork;
        self.leaf_of_byte[usize::from(byte)] = leaf;
        fork
    }

    /// Adds one to `node` and all above it, keeping the row in order.
    fn add_weight(&mut self, node: NodeIndex) {
        if node == NONE {
            return;
        }
        let Node { weight, parent, place, .. } = self.nodes[node as usize];
        let first = self.first_of_weight[weight as usize];
        if first != place {
            let leader = self.row[usize::from(first)];
            // A node cannot change places in the tree with the one above it, but in the row it does.
            if leader != parent {
                self.swap_in_tree(leader, node);
            }
            self.swap_in_row(leader, node);
        }
        // It leaves those of its weight at their front and joins those one heavier at their end.
        self.first_of_weight[weight as usize] = first + 1;
        self.nodes[node as usize].weight += 1;
        if self.weight_at(first.wrapping_sub(1)) != Some(weight + 1) {
            self.first_of_weight[weight as usize + 1] = first;
        }
        let parent = self.nodes[node as usize].parent;
        self.add_weight(parent);
        let lighter = usize::from(self.nodes[node as usize].place) + 1;
        if self.row.get(lighter) == Some(&parent) {
            self.swap_in_row(node, parent);
        }
    }

    fn weight_at(&self, place: u16) -> Option<u32> {
        self.row.get(usize::from(place)).map(|&node| self.nodes[node as usize].weight)
    }

    fn swap_in_tree(&mut self, a: NodeIndex, b: NodeIndex) {
        let (above_a, above_b) = (self.nodes[a as usize].parent, self.nodes[b as usize].parent);
        if above_a == above_b {
            self.nodes[above_a as usize].children.swap(0, 1);
            return;
        }
        self.hang(above_a, a, b);
        self.hang(above_b, b, a);
        self.nodes[a as usize].parent = above_b;
        self.nodes[b as usize].parent = above_a;
    }

    /// Below `above`, or at the root, puts `new` where `old` was.
    fn hang(&mut self, above: NodeIndex, old: NodeIndex, new: NodeIndex) {
        if above == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[above as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    fn swap_in_row(&mut self, a: NodeIndex, b: NodeIndex) {
        let (place_a, place_b) = (self.nodes[a as usize].place, self.nodes[b as usize].place);
        self.row.swap(usize::from(place_a), usize::from(place_b));
        self.nodes[a as usize].place = place_b;
        self.nodes[b as usize].place = place_a;
    }
}

struct BitSink {
    bytes: Vec<u8>,
    bit: usize,
}

impl BitSink {
    fn push(&mut self, one: bool) {
        self.bytes.resize(self.bit / 8 + 1, 0);
        self.bytes[self.bit / 8] |= u8::from(one) << (self.bit % 8);
        self.bit += 1;
    }
}

struct BitSource<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl BitSource<'_> {
    fn pull(&mut self) -> bool {
        let byte = self.bytes.get(self.bit / 8).copied().unwrap_or(0);
        let one = byte >> (self.bit % 8) & 1 != 0;
        self.bit += 1;
        one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_announced_length_beyond_the_limit_is_refused() {
        let packed = [0xff, 0xff, 1, 2, 3];
        let refused = decompress(&packed, 1024, &mut Vec::new());
        assert_eq!(refused, Err(AdaptiveError::TooLong { declared: 65535, limit: 1024 }));
        assert_eq!(decompress(&[7], 1024, &mut Vec::new()), Err(AdaptiveError::NoLength { bytes: 1 }));
    }

    #[test]
    fn input_that_ends_early_yields_what_was_there() {
        let packed = compress(b"\\name\\UnnamedPlayer\\rate\\25000");
        let mut plain = Vec::new();
        assert_eq!(decompress(&packed[..20], 1024, &mut plain), Ok(Ending::CutShort));
        assert!(plain.starts_with(b"\\name\\Unn"), "{plain:?}");
    }

    proptest! {
        #[test]
        fn what_is_packed_unpacks_to_itself(plain in proptest::collection::vec(any::<u8>(), 0..600)) {
            let mut unpacked = Vec::new();
            prop_assert_eq!(decompress(&compress(&plain), 600, &mut unpacked), Ok(Ending::Complete));
            prop_assert_eq!(unpacked, plain);
        }

        #[test]
        fn no_bytes_upset_it(packed in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut plain = Vec::new();
            if decompress(&packed, 4096, &mut plain).is_ok() {
                prop_assert!(plain.len() <= 4096);
            }
        }
    }
}
