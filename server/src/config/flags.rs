//! What a cvar is for and who may change it, as bits.

use std::ops::BitOr;

/// A set of cvar properties. Source: the `CVAR_` bits of the stock engine, and two of ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// Kept in the archive file over restarts.
    pub const ARCHIVE: Self = Self(1);
    /// Shown to server browsers and to the client half of the game.
    pub const SERVERINFO: Self = Self(1 << 1);
    /// Sent to every client, which sets it as its own.
    pub const SYSTEMINFO: Self = Self(1 << 2);
    /// Marked by `setu`; a server sends no userinfo, so this is kept and shown only.
    pub const USERINFO: Self = Self(1 << 3);
    /// Takes effect when the next map starts.
    pub const LATCH: Self = Self(1 << 4);
    /// Can be changed under `devmap` only.
    pub const CHEAT: Self = Self(1 << 5);
    /// Written by the server, read by the host.
    pub const ROM: Self = Self(1 << 6);
    /// Can be given on the command line only.
    pub const INIT: Self = Self(1 << 7);
    /// Lists do not show its value.
    pub const SECRET: Self = Self(1 << 8);
    /// Remote consoles may neither change nor read it.
    pub const LOCAL: Self = Self(1 << 9);
    /// Not in the table: made by a host.
    pub const USER: Self = Self(1 << 10);

    /// Letter and name of each, in the order in which lists show them.
    const NAMES: [(Self, char, &'static str); 11] = [
        (Self::SERVERINFO, 'S', "serverinfo"),
        (Self::SYSTEMINFO, 's', "systeminfo"),
        (Self::USERINFO, 'U', "userinfo"),
        (Self::ROM, 'R', "rom"),
        (Self::INIT, 'I', "init"),
        (Self::ARCHIVE, 'A', "archive"),
        (Self::LATCH, 'L', "latch"),
        (Self::CHEAT, 'C', "cheat"),
        (Self::USER, '?', "user"),
        (Self::SECRET, 'H', "hidden"),
        (Self::LOCAL, 'l', "local"),
    ];

    /// Both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of `other` is in it.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// One column per property, a space where it is not set.
    pub fn letters(self) -> String {
        Self::NAMES.iter().map(|&(flag, letter, _)| if self.has(flag) { letter } else { ' ' }).collect()
    }

    /// The names, comma separated.
    pub fn names(self) -> String {
        let names: Vec<&str> =
            Self::NAMES.iter().filter(|(flag, ..)| self.has(*flag)).map(|(.., name)| *name).collect();
        names.join(", ")
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}
