//! The portals of a map, rebuilt from its tree: the polygons through which its leafs touch each other.
//!
//! Each plane of the tree, cut to the region that it splits, is dealt out to the leafs in front of it and then to those behind;
//! a piece that has come down on both sides joins two leafs. The map file has no portals, and needs none.
//!
//! Cuts are exact but for rounding (f64), and pieces are kept however narrow. What rounding takes from a piece's rim, the
//! tolerance with which portals are asked gives back many times over (`flood.rs`).

use super::winding::{Cut, Winding};
use fogline_common::bsp::Child;
use fogline_common::collision::{ClipMap, axial_planes};
use fogline_common::ids::LeafNum;
use fogline_common::math::Bounds;

/// Where two leafs touch.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub winding: Winding,
    /// The plane that it lies on.
    pub plane: Cut,
    /// Leaf in front of that plane, and leaf behind it.
    pub leafs: [u32; 2],
}

/// A map taken apart.
#[derive(Default)]
pub(super) struct Openings {
    pub all: Vec<Opening>,
    /// Where leafs touch the box around the map: outline, leaf.
    pub rim: Vec<(Winding, u32)>,
    /// The leafs of the tree. Files have others besides, which list brushes of doors.
    pub leafs: Vec<LeafNum>,
}

/// More pieces than any real map has by far. A small damaged file shall not cost more.
const MOST: usize = 1 << 19;

/// Takes a map apart within a box. `None` if it falls into too many pieces.
pub(super) fn openings(clip: &ClipMap, world: &Bounds) -> Option<Openings> {
    let mut walk =
        Walk { clip, world: axial_planes(world).map(|plane| Cut::of(&plane).flipped()), path: Vec::new() };
    let mut found = Openings::default();
    let root = Child::Node(0);
    for face in &walk.world {
        let outline = walk.world.iter().fold(Winding::on(face, REACH), |outline, other| {
            if std::ptr::eq(face, other) { outline } else { outline.in_front_of(other) }
        });
        walk.deal(root, outline, &mut found.rim);
    }
    walk.split(0, &mut found)?;
    Some(found)
}

/// Half the side of what a plane is cut from. More than any map measures.
const REACH: f64 = 300_000.0;

struct Walk<'m> {
    clip: &'m ClipMap,
    /// The box around the map; its inside is in front.
    world: [Cut; 6],
    /// The planes above the present node, turned so that it is in front of each.
    path: Vec<Cut>,
}

impl Walk<'_> {
    fn split(&mut self, node: u32, found: &mut Openings) -> Option<()> {
        let (plane, children) = self.clip.split(node as usize);
        let plane = Cut::of(&plane);
        let whole = Winding::on(&plane, REACH);
        let outline =
            self.world.iter().chain(&self.path).fold(whole, |outline, cut| outline.in_front_of(cut));
        if !outline.is_nothing() {
            let (mut before, mut behind) = (Vec::new(), Vec::new());
            self.deal(children[0], outline, &mut before);
            for (piece, front) in before {
                self.deal(children[1], piece, &mut behind);
                let joined =
                    behind.drain(..).map(|(winding, back)| Opening { winding, plane, leafs: [front, back] });
                found.all.extend(joined);
            }
            if found.all.len() > MOST {
                return None;
            }
        }
        for (child, side) in children.into_iter().zip([plane, plane.flipped()]) {
            match child {
                Child::Node(below) => {
                    self.path.push(side);
                    let done = self.split(below, found);
                    self.path.pop();
                    done?;
                }
                Child::Leaf(leaf) => found.leafs.push(LeafNum::new(leaf)),
            }
        }
        Some(())
    }

    /// Lets a polygon fall down the tree to the leafs that it lies in.
    fn deal(&self, child: Child, outline: Winding, pieces: &mut Vec<(Winding, u32)>) {
        if outline.is_nothing() {
            return;
        }
        match child {
            Child::Leaf(leaf) => pieces.push((outline, leaf)),
            Child::Node(node) => {
                let (plane, [front, back]) = self.clip.split(node as usize);
                let cut = Cut::of(&plane);
                self.deal(front, outline.in_front_of(&cut), pieces);
                self.deal(back, outline.in_front_of(&cut.flipped()), pieces);
            }
        }
    }
}
