//! Typed numbers: a client is not an entity, a leaf is not a cluster.
//!
//! A raw integer becomes an id at the rim through `new`, which refuses what is out of range, and never travels bare again.

use crate::proto::limits::{MAX_CLIENTS, MAX_CONFIGSTRINGS, MAX_ENTITIES};
use std::fmt;

/// A player slot, `0..MAX_CLIENTS`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientNum(u8);

impl ClientNum {
    /// The slot, or `None` at or beyond [`MAX_CLIENTS`].
    pub const fn new(raw: usize) -> Option<Self> {
        if raw < MAX_CLIENTS { Some(Self(raw as u8)) } else { None }
    }

    /// For indexing by slot.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The entity that this player is: players have the lowest entity numbers.
    pub const fn entity(self) -> EntityNum {
        EntityNum(self.0 as u16)
    }

    /// Every slot below `count`, ascending.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count.min(MAX_CLIENTS) as u8).map(Self)
    }
}

/// An entity, `0..MAX_ENTITIES`; the two highest numbers are the world and the wire's "none".
///
/// "No entity" is `Option::None`; [`EntityNum::from_wire`] and [`EntityNum::to_wire`] translate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityNum(u16);

impl EntityNum {
    /// The static world, as a thing to stand on or to hit.
    pub const WORLD: Self = Self(1022);
    /// What states and the wire carry for "no entity".
    pub const NONE_ON_WIRE: i32 = 1023;

    /// The entity, or `None` at or beyond the "none" marker.
    pub const fn new(raw: usize) -> Option<Self> {
        if raw < MAX_ENTITIES - 1 { Some(Self(raw as u16)) } else { None }
    }

    /// From a state's field: the "none" marker and anything out of range is `None`.
    pub const fn from_wire(raw: i32) -> Option<Self> {
        if raw < 0 { None } else { Self::new(raw as usize) }
    }

    /// What a state's field holds for `num`.
    pub const fn to_wire(num: Option<Self>) -> i32 {
        match num {
            Some(num) => num.0 as i32,
            None => Self::NONE_ON_WIRE,
        }
    }

    /// For indexing by entity.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The player that this entity is, if the server has `client_count` slots.
    pub fn client(self, client_count: usize) -> Option<ClientNum> {
        if self.index() < client_count { ClientNum::new(self.index()) } else { None }
    }
}

/// A configstring, `0..MAX_CONFIGSTRINGS`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigstringNum(u16);

impl ConfigstringNum {
    /// `CS_SERVERINFO`.
    pub const SERVERINFO: Self = Self(0);
    /// `CS_SYSTEMINFO`.
    pub const SYSTEMINFO: Self = Self(1);

    /// The configstring, or `None` at or beyond [`MAX_CONFIGSTRINGS`].
    pub const fn new(raw: usize) -> Option<Self> {
        if raw < MAX_CONFIGSTRINGS { Some(Self(raw as u16)) } else { None }
    }

    /// For indexing by number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! map_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// From an index that the map reader has checked.
            pub const fn new(raw: u32) -> Self {
                Self(raw)
            }

            /// For indexing the map's own tables.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

map_index! {
    /// A convex piece of the map's tree.
    LeafNum
}
map_index! {
    /// A group of leafs with one row in the PVS. Solid leafs have none.
    ClusterNum
}
map_index! {
    /// A part of the map closed off by area portals. Solid leafs have none.
    AreaNum
}

/// Number of a message on one netchan, from 1 upward. Only compared within one direction of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sequence(pub u32);

impl Sequence {
    /// The one after.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl fmt::Debug for ClientNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.0)
    }
}

impl fmt::Display for ClientNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for EntityNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entity {}", self.0)
    }
}

impl fmt::Debug for ConfigstringNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "configstring {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_refuse_what_is_out_of_range() {
        assert!(ClientNum::new(63).is_some() && ClientNum::new(64).is_none());
        assert!(EntityNum::new(1022) == Some(EntityNum::WORLD) && EntityNum::new(1023).is_none());
        assert!(ConfigstringNum::new(1023).is_some() && ConfigstringNum::new(1024).is_none());
    }

    #[test]
    fn none_travels_as_its_marker() {
        assert_eq!(EntityNum::to_wire(None), 1023);
        assert_eq!(EntityNum::from_wire(1023), None);
        assert_eq!(EntityNum::from_wire(-1), None);
        assert_eq!(EntityNum::from_wire(EntityNum::to_wire(EntityNum::new(5))), EntityNum::new(5));
    }
}
