//! The rim of the remote console: the password, the lock after wrong tries, and the reply in pieces.

use super::buckets::{Account, Prefix, PrefixTable};
use fogline_common::time::{Arrival, Millis};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;
use subtle::ConstantTimeEq;

/// Wrong passwords within [`MEMORY`] that lock an address.
pub const MAX_WRONG_TRIES: u8 = 5;
/// How long an address is locked, for the right password too.
pub const LOCK: Millis = Millis(60_000);
/// Wrong tries are forgotten after so long without another.
pub const MEMORY: Millis = Millis(300_000);
/// Text in one reply datagram. Source: `SV_OUTPUTBUF_LENGTH`, the stock server's redirect buffer.
pub const CHUNK_BYTES: usize = 1008;
/// Reply datagrams of one command; what would need more is cut.
pub const MAX_CHUNKS: usize = 64;

/// What became of one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The right password.
    Pass,
    /// No password is set, so nobody may.
    Off,
    /// The wrong password.
    Wrong,
    /// The wrong password once too often: locked from now on.
    NowLocked,
    /// Locked since an earlier try; the password was not even looked at.
    Locked,
}

#[derive(Clone, Copy, Default)]
struct Tries {
    wrong: u8,
    forget_at: Arrival,
    locked_until: Arrival,
}

impl Account for Tries {
    fn settled_at(&self) -> Arrival {
        self.forget_at.max(self.locked_until)
    }
}

/// Judges passwords and remembers who was wrong, in fixed memory.
pub struct RconGuard {
    tries: PrefixTable<Tries>,
    key: [u8; 16],
}

impl RconGuard {
    /// `key` must be unknown outside.
    pub fn new(key: [u8; 16]) -> Self {
        Self { tries: PrefixTable::new(128, key), key }
    }

    /// Judges one try of `claimed` against the `password` in force.
    pub fn judge(&mut self, now: Arrival, from: Prefix, password: &str, claimed: &[u8]) -> Verdict {
        if password.is_empty() {
            return Verdict::Off;
        }
        if self.tries.find(from).is_some_and(|tries| tries.locked_until > now) {
            return Verdict::Locked;
        }
        if self.same(password.as_bytes(), claimed) {
            return Verdict::Pass;
        }
        let tries = self.tries.open(from);
        if tries.forget_at <= now {
            tries.wrong = 0;
        }
        tries.wrong += 1;
        tries.forget_at = now.after(MEMORY);
        if tries.wrong < MAX_WRONG_TRIES {
            return Verdict::Wrong;
        }
        *tries = Tries { locked_until: now.after(LOCK), ..Tries::default() };
        Verdict::NowLocked
    }

    /// Compares keyed digests, so that the time taken tells neither the first difference nor the length.
    fn same(&self, password: &[u8], claimed: &[u8]) -> bool {
        let digest = |text: &[u8]| {
            let mut hasher = SipHasher13::new_with_key(&self.key);
            hasher.write(text);
            hasher.finish128().as_bytes()
        };
        digest(password).ct_eq(&digest(claimed)).into()
    }
}

/// Sends a command's output as `print` datagrams of at most [`CHUNK_BYTES`] text each, broken at line ends where there are
/// any, at most [`MAX_CHUNKS`] of them. Empty output sends one empty `print`, so that the asker knows that it was heard.
pub fn send_output(output: &str, reply: &mut dyn FnMut(&[u8])) {
    let mut rest = output;
    let mut datagram = Vec::with_capacity(CHUNK_BYTES + 16);
    for chunk_index in 0..MAX_CHUNKS {
        let last = chunk_index == MAX_CHUNKS - 1;
        let (chunk, after) = rest.split_at(chunk_end(rest));
        datagram.clear();
        datagram.extend_from_slice(b"\xff\xff\xff\xffprint\n");
        datagram.extend_from_slice(if last && !after.is_empty() {
            b"(the rest is cut)\n"
        } else {
            chunk.as_bytes()
        });
        reply(&datagram);
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

fn chunk_end(text: &str) -> usize {
    if text.len() <= CHUNK_BYTES {
        return text.len();
    }
    let most = text.floor_char_boundary(CHUNK_BYTES);
    text[..most].rfind('\n').map_or(most, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::IpAddr;

    fn prefix(last: u8) -> Prefix {
        Prefix::of(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn an_empty_password_admits_nobody() {
        let mut guard = RconGuard::new([3; 16]);
        assert_eq!(guard.judge(Arrival::from_millis(1), prefix(1), "", b""), Verdict::Off);
    }

    #[test]
    fn wrong_tries_lock_the_address_for_the_right_password_too() {
        let mut guard = RconGuard::new([3; 16]);
        let now = Arrival::from_millis(1);
        for _ in 1..MAX_WRONG_TRIES {
            assert_eq!(guard.judge(now, prefix(1), "secret", b"guess"), Verdict::Wrong);
        }
        assert_eq!(guard.judge(now, prefix(1), "secret", b"guess"), Verdict::NowLocked);
        assert_eq!(guard.judge(now, prefix(1), "secret", b"secret"), Verdict::Locked);
        assert_eq!(guard.judge(now, prefix(2), "secret", b"secret"), Verdict::Pass);
        assert_eq!(guard.judge(now.after(LOCK), prefix(1), "secret", b"secret"), Verdict::Pass);
    }

    #[test]
    fn old_mistakes_are_forgotten() {
        let mut guard = RconGuard::new([3; 16]);
        for n in 0..20 {
            let now = Arrival::from_millis(n * (MEMORY.0 as u64 + 1));
            assert_eq!(guard.judge(now, prefix(1), "secret", b"guess"), Verdict::Wrong);
        }
    }

    #[test]
    fn neither_a_prefix_nor_more_than_the_password_passes() {
        let mut guard = RconGuard::new([3; 16]);
        for claimed in [&b"secre"[..], b"secrets", b"Secret", b""] {
            assert_eq!(guard.judge(Arrival::from_millis(1), prefix(1), "secret", claimed), Verdict::Wrong);
        }
    }

    fn chunks(output: &str) -> Vec<String> {
        let mut sent = Vec::new();
        send_output(output, &mut |datagram: &[u8]| {
            let text = datagram.strip_prefix(b"\xff\xff\xff\xffprint\n").expect("a print");
            sent.push(String::from_utf8(text.to_vec()).unwrap());
        });
        sent
    }

    #[test]
    fn output_breaks_at_line_ends() {
        let line = format!("{}\n", "x".repeat(600));
        assert_eq!(chunks(&line.repeat(3)), [line.clone(), line.clone(), line]);
        assert_eq!(chunks(""), [""]);
    }

    #[test]
    fn endless_output_is_cut_with_a_word() {
        let sent = chunks(&"y".repeat(1_000_000));
        assert_eq!(sent.len(), MAX_CHUNKS);
        assert_eq!(sent[MAX_CHUNKS - 1], "(the rest is cut)\n");
    }

    proptest! {
        #[test]
        fn chunks_join_to_the_output(output in "[a-z\n\u{e9}]{0,5000}") {
            let sent = chunks(&output);
            prop_assert!(sent.iter().all(|chunk| chunk.len() <= CHUNK_BYTES));
            prop_assert_eq!(sent.concat(), output);
        }
    }
}
