//! The names by which a map ties its entities together, each held once.

use super::entity_string::MAX_SPAWNED;

/// A name of the current map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name(u16);

/// Every name of the current map, in order of appearance. Compared without regard to case.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Box<str>>,
}

impl Names {
    /// The name for `text`; `None` for an empty text, and if a map has more names than it can have entities with them.
    pub(super) fn intern(&mut self, text: &str) -> Option<Name> {
        if text.is_empty() {
            return None;
        }
        if let Some(at) = self.texts.iter().position(|known| known.eq_ignore_ascii_case(text)) {
            return Some(Name(at as u16));
        }
        if self.texts.len() == 3 * MAX_SPAWNED {
            return None;
        }
        self.texts.push(text.into());
        Some(Name((self.texts.len() - 1) as u16))
    }

    /// Forgets all: a new map begins.
    pub(super) fn clear(&mut self) {
        self.texts.clear();
    }
}

const _: () = assert!(3 * MAX_SPAWNED <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_held_once() {
        let mut names = Names::default();
        let door = names.intern("door1");
        assert_eq!(names.intern("DOOR1"), door);
        assert_ne!(names.intern("door2"), door);
        assert_eq!(names.intern(""), None);
    }
}
