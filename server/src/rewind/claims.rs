//! Claims that were not believed, as they are told: which of a client's deserve a line of their own, and the line.
//!
//! A client that lies with every command would fill any file, so each client has an allowance of lines. A claim beyond it is
//! counted, and the client's next line says how many there were: nothing is left out in silence.

use super::report::Who;
use super::validate::Judged;
use crate::json::quote;
use fogline_common::ids::ClientNum;
use fogline_common::time::{Arrival, Millis, ServerTime};
use std::fmt::Write as _;

/// Lines that a client may have at once.
const BURST: u64 = 32;
/// Time in which it earns another.
const LINE_EARNED_IN: Millis = Millis(250);
/// Time between two reports on the host's console.
const REPORT_GAP: Millis = Millis(10_000);

/// One client's claims that were not believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// All of them since it connected.
    pub refused: u64,
    /// Those since its last line of the file.
    unwritten: u64,
    /// When its allowance of lines is whole again.
    whole_at: Arrival,
    next_report: Arrival,
}

/// Where one claim is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telling {
    /// On the host's console.
    pub console: bool,
    /// In the file: how many claims before it were counted without a line.
    pub file: Option<u64>,
}

impl Ledger {
    /// One more.
    pub fn note(&mut self, now: Arrival) -> Telling {
        self.refused += 1;
        let console = now >= self.next_report;
        if console {
            self.next_report = now.after(REPORT_GAP);
        }
        let earned_us = u64::from(LINE_EARNED_IN.0.unsigned_abs()) * 1000;
        if self.whole_at.0 > now.0 + (BURST - 1) * earned_us {
            self.unwritten += 1;
            return Telling { console, file: None };
        }
        self.whole_at = Arrival(self.whole_at.0.max(now.0) + earned_us);
        Telling { console, file: Some(std::mem::take(&mut self.unwritten)) }
    }

    /// The client goes: claims that no line has told of, if there are any.
    pub fn close(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.unwritten)).filter(|&count| count > 0)
    }
}

/// One claim as one line of JSON.
///
/// Times are ms of server time. `time`: when the command came; `claim`: what the client says it was drawing; `oldest`: the oldest
/// claim that would have been believed; `judged`: the moment taken in its place, null for the present; `fault`: why; `refused`: claims
/// of this client so far; `unwritten`: those before this one that had no line.
pub fn line(client: ClientNum, who: &Who<'_>, entry: &Entry) -> String {
    let mut text = String::with_capacity(256);
    // Writing to a string cannot fail.
    let _ = write!(text, "{{\"time\":{},", entry.now.0);
    name(&mut text, client, who);
    let judged = if entry.by_present { "null".to_owned() } else { entry.judged.at.0.to_string() };
    let fault = entry.judged.fault.map_or("none", super::validate::Fault::word);
    let _ = write!(
        text,
        ",\"claim\":{},\"oldest\":{},\"judged\":{judged},\"fault\":\"{fault}\",\"refused\":{},\"unwritten\":{}}}",
        entry.claim.0, entry.judged.oldest.0, entry.refused, entry.unwritten
    );
    text
}

/// The last line of a client that goes: how many claims there were, and how many of the last had no line.
pub fn closing_line(
    client: ClientNum,
    who: &Who<'_>,
    now: ServerTime,
    refused: u64,
    unwritten: u64,
) -> String {
    let mut text = String::with_capacity(128);
    let _ = write!(text, "{{\"time\":{},", now.0);
    name(&mut text, client, who);
    let _ = write!(text, ",\"left\":true,\"refused\":{refused},\"unwritten\":{unwritten}}}");
    text
}

/// What one line tells.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Newest frame of the world.
    pub now: ServerTime,
    /// What the client says it was drawing.
    pub claim: ServerTime,
    /// What was made of it.
    pub judged: Judged,
    /// A shot of it is judged by the present.
    pub by_present: bool,
    /// Claims of this client that were not believed, this one included.
    pub refused: u64,
    /// Those before it that had no line.
    pub unwritten: u64,
}

fn name(text: &mut String, client: ClientNum, who: &Who<'_>) {
    let _ = write!(text, "\"client\":{},\"name\":", client.index());
    quote(text, who.name);
    text.push_str(",\"guid\":");
    quote(text, who.guid);
}

#[cfg(test)]
mod tests {
    use super::super::validate::Fault;
    use super::*;

    #[test]
    fn a_liar_has_a_burst_of_lines_and_then_four_a_second() {
        let mut ledger = Ledger::default();
        let (mut lines, mut told) = (0, 0);
        // Two minutes of a lie with every command, 125 a second.
        for n in 0..15_000 {
            let telling = ledger.note(Arrival::from_millis(n * 8));
            lines += u64::from(telling.file.is_some());
            told += telling.file.map_or(0, |before| before + 1);
            assert_eq!(telling.console, n % 1250 == 0, "{n}");
        }
        assert_eq!(ledger.refused, 15_000);
        assert!((BURST + 470..BURST + 490).contains(&lines), "{lines}");
        assert_eq!(told + ledger.close().unwrap_or(0), 15_000);
        assert_eq!(ledger.close(), None);
    }

    #[test]
    fn rare_claims_have_a_line_each() {
        let mut ledger = Ledger::default();
        for n in 0..1000 {
            assert_eq!(ledger.note(Arrival::from_millis(n * 300)).file, Some(0));
        }
    }

    #[test]
    fn a_line_says_who_what_and_why() {
        let who = Who { name: "a\"b", guid: "00FF" };
        let client = ClientNum::new(3).unwrap();
        let judged = Judged { at: ServerTime(1410), oldest: ServerTime(1400), fault: Some(Fault::Line) };
        let entry = Entry {
            now: ServerTime(1500),
            claim: ServerTime(1100),
            judged,
            by_present: false,
            refused: 9,
            unwritten: 2,
        };
        assert_eq!(
            line(client, &who, &entry),
            "{\"time\":1500,\"client\":3,\"name\":\"a\\\"b\",\"guid\":\"00FF\",\"claim\":1100,\"oldest\":1400,\"judged\":1410,\
             \"fault\":\"line\",\"refused\":9,\"unwritten\":2}"
        );
        let by_present = line(client, &who, &Entry { by_present: true, ..entry });
        assert!(by_present.contains("\"judged\":null,\"fault\":\"line\""), "{by_present}");
        assert_eq!(
            closing_line(client, &who, ServerTime(1500), 9, 2),
            "{\"time\":1500,\"client\":3,\"name\":\"a\\\"b\",\"guid\":\"00FF\",\"left\":true,\"refused\":9,\"unwritten\":2}"
        );
    }
}
