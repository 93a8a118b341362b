//! The info strings that follow from the flags: serverinfo and systeminfo, and their guard.

use super::flags::Flags;
use super::store::{Cvars, Var};
use fogline_common::proto::limits::{BIG_INFO_STRING, MAX_INFO_STRING};

/// Which of the two strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Info {
    Server,
    System,
}

impl Info {
    pub(super) const BOTH: [Self; 2] = [Self::Server, Self::System];

    pub(super) const fn flag(self) -> Flags {
        match self {
            Self::Server => Flags::SERVERINFO,
            Self::System => Flags::SYSTEMINFO,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Server => "serverinfo",
            Self::System => "systeminfo",
        }
    }

    /// Bytes that clients take, the terminator included.
    pub(super) const fn limit(self) -> usize {
        match self {
            Self::Server => MAX_INFO_STRING,
            Self::System => BIG_INFO_STRING,
        }
    }

    /// Bytes of one pair. An empty value is left out of serverinfo and kept in systeminfo, as the stock server does.
    pub(super) fn pair_len(self, name: &str, value: &str) -> usize {
        if self == Self::Server && value.is_empty() { 0 } else { name.len() + value.len() + 2 }
    }
}

impl Cvars {
    /// `\key\value` of everything flagged serverinfo, by name. Below 1024 bytes, since the setter refuses more.
    pub fn serverinfo(&self) -> String {
        self.info(Info::Server)
    }

    /// `\key\value` of everything flagged systeminfo, by name.
    pub fn systeminfo(&self) -> String {
        self.info(Info::System)
    }

    fn info(&self, which: Info) -> String {
        let mut text = String::new();
        for var in self.iter().filter(|var| var.flags().has(which.flag())) {
            if which.pair_len(var.name(), var.value()) > 0 {
                text.extend(["\\", var.name(), "\\", var.value()]);
            }
        }
        text
    }

    /// Bytes with terminator that the string would have, latched values counted, if `name` had `value`.
    pub(super) fn info_bytes_with(&self, which: Info, name: &str, value: &str) -> usize {
        let others =
            self.iter().filter(|v| v.flags().has(which.flag()) && !v.name().eq_ignore_ascii_case(name));
        let longest = |v: &Var| {
            let now = which.pair_len(v.name(), v.value());
            v.latched().map_or(now, |l| now.max(which.pair_len(v.name(), l)))
        };
        others.map(longest).sum::<usize>() + which.pair_len(name, value) + 1
    }
}
