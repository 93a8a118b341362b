//! Odd but harmless input of clients: counted, never refused.

use fogline_common::wire::{Warn, Warning};

/// Counts what the parsers wonder about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// Warnings so far.
    pub count: u64,
    /// The last one.
    pub last: Option<Warning>,
}

impl Warn for Warnings {
    fn warn(&mut self, warning: Warning) {
        self.count += 1;
        self.last = Some(warning);
    }
}
