//! Text that waits to be run, and its bounds.

use super::Source;
use super::tokenizer::{next_command, skip_blank};
use std::collections::VecDeque;

/// Bytes that may wait. Source: the stock engine's command buffer.
const MAX_BYTES: usize = 128 * 1024;
/// Texts that may stand inside each other (`vstr` and `exec` that are not the last command of their text).
const MAX_NESTING: usize = 64;
/// Frames that `wait` may ask for.
const MAX_WAIT_FRAMES: u32 = 100_000;

/// Text that waits to be run.
///
/// A stack of texts being run, the innermost last, and a queue of texts for the next frames. A text is taken off as soon as
/// its last command was taken from it, so that one that ends by running itself again does not grow.
#[derive(Debug, Default)]
pub struct CommandBuffer {
    running: Vec<Text>,
    queued: VecDeque<Text>,
    /// Bytes of both.
    bytes: usize,
    wait_frames: u32,
    /// A `wait` was run since [`CommandBuffer::resume`].
    paused: bool,
}

#[derive(Debug)]
struct Text {
    text: String,
    at: usize,
    source: Source,
}

/// Why text was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    Bytes,
    Nesting,
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes => {
                write!(f, "the command buffer is full ({MAX_BYTES} bytes wait); the text was left out")
            }
            Self::Nesting => {
                write!(
                    f,
                    "vstr and exec stand {MAX_NESTING} deep inside each other; the innermost was left out"
                )
            }
        }
    }
}

impl CommandBuffer {
    /// Text to run in the next frame, behind everything that waits. Whether there was room.
    pub fn queue(&mut self, text: &str) -> bool {
        let taken = self.take(text, Source::Local);
        let fits = taken.is_ok();
        self.queued.extend(taken.ok().flatten());
        fits
    }

    /// Text to run next, before everything that waits.
    pub(super) fn insert(&mut self, text: &str, source: Source) -> Result<(), Full> {
        if self.running.len() >= MAX_NESTING {
            return Err(Full::Nesting);
        }
        let taken = self.take(text, source)?;
        self.running.extend(taken);
        Ok(())
    }

    /// Texts that stand inside each other now.
    pub(super) fn nesting(&self) -> usize {
        self.running.len()
    }

    /// Takes the next command off the stack, down to `floor` texts.
    pub(super) fn next(&mut self, floor: usize) -> Option<(String, Source)> {
        if self.running.len() <= floor {
            return None;
        }
        let text = self.running.last_mut()?;
        let rest = &text.text[text.at..];
        let (command, after) = next_command(rest);
        let left = skip_blank(after).len();
        let found = (command.to_owned(), text.source);
        text.at = text.text.len() - left;
        if left == 0 {
            self.pop();
        }
        Some(found)
    }

    /// Moves the oldest queued text to the stack, if nothing runs. Whether anything is left to run.
    pub(super) fn refill(&mut self) -> bool {
        if self.running.is_empty() {
            self.running.extend(self.queued.pop_front());
        }
        !self.running.is_empty()
    }

    /// A frame begins: whether waiting is over.
    pub(super) fn begin_frame(&mut self) -> bool {
        self.paused = false;
        self.wait_frames = self.wait_frames.saturating_sub(1);
        self.wait_frames == 0
    }

    /// A text that somebody typed runs at once, whatever else waits.
    pub(super) fn resume(&mut self) {
        self.paused = false;
    }

    /// Leaves what follows for `frames` frames later.
    pub(super) fn wait(&mut self, frames: u32) {
        self.wait_frames = frames.clamp(1, MAX_WAIT_FRAMES);
        self.paused = true;
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Drops texts down to `floor`, and their number of bytes.
    pub(super) fn drop_down_to(&mut self, floor: usize) -> usize {
        let before = self.bytes;
        while self.running.len() > floor {
            self.pop();
        }
        before - self.bytes
    }

    fn take(&mut self, text: &str, source: Source) -> Result<Option<Text>, Full> {
        let text = skip_blank(text);
        if text.is_empty() {
            return Ok(None);
        }
        if self.bytes + text.len() > MAX_BYTES {
            return Err(Full::Bytes);
        }
        self.bytes += text.len();
        Ok(Some(Text { text: text.to_owned(), at: 0, source }))
    }

    fn pop(&mut self) {
        if let Some(text) = self.running.pop() {
            self.bytes -= text.text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_gone_when_its_last_command_was_taken() {
        let mut buffer = CommandBuffer::default();
        buffer.insert("a; b // end\n", Source::Local).unwrap();
        assert_eq!(buffer.next(0).unwrap().0, "a");
        assert_eq!(buffer.nesting(), 1);
        assert_eq!(buffer.next(0).unwrap().0.trim(), "b // end");
        assert_eq!((buffer.nesting(), buffer.bytes), (0, 0));
        assert!(buffer.next(0).is_none());
    }

    #[test]
    fn inner_text_comes_first_and_keeps_its_source() {
        let mut buffer = CommandBuffer::default();
        buffer.insert("outer; tail", Source::Local).unwrap();
        buffer.next(0);
        buffer.insert("inner", Source::Rcon).unwrap();
        assert_eq!(buffer.next(0), Some(("inner".to_owned(), Source::Rcon)));
        assert_eq!(buffer.next(0), Some(("tail".to_owned(), Source::Local)));
    }

    #[test]
    fn bytes_and_nesting_are_bounded() {
        let mut buffer = CommandBuffer::default();
        assert!(!buffer.queue(&"x".repeat(MAX_BYTES + 1)));
        assert!(buffer.queue(&"x".repeat(MAX_BYTES)));
        assert_eq!(buffer.insert("y", Source::Local), Err(Full::Bytes));
        let mut buffer = CommandBuffer::default();
        for _ in 0..MAX_NESTING {
            buffer.insert("a; b", Source::Local).unwrap();
        }
        assert_eq!(buffer.insert("a; b", Source::Local), Err(Full::Nesting));
    }
}
