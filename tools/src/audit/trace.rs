//! The server's half: its visibility trace, brought together with what the clients received, by message number and server time.

use crate::audit::record::{Received, Record, Stand};
use fogline_common::ids::ClientNum;
use fogline_common::time::ServerTime;
use serde_json::Value;
use std::collections::BTreeMap;

/// Sounds are counted over a second in each line, so a line a second counts each once. Unit: ms.
const SOUND_SPAN_MS: i32 = 1000;

/// What was decided for one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The moment that it shows.
    pub time: ServerTime,
    /// Players that were looked at, a bit for each slot.
    pub considered: u64,
    /// Of those, told of.
    pub told: u64,
    /// Of those, told of by a server without a filter.
    pub without: u64,
}

/// The sounds of one pair.
#[derive(Clone, Copy, Debug)]
struct Heard {
    counted: ServerTime,
    sounds: u64,
}

/// A trace, by client and message.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// How the filter was set in the last line.
    pub mode: String,
    /// Lines that the server could not write, as it says itself.
    pub lost: u64,
    /// Lines taken in.
    pub lines: u64,
    decided: BTreeMap<(usize, u32), Decided>,
    heard: BTreeMap<(usize, usize), Heard>,
}

/// How well the two halves fit together. Unit: snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Received, and in the trace.
    pub joined: u64,
    /// Received, and not in the trace.
    pub untraced: u64,
    /// In the trace, and never received.
    pub not_received: u64,
    /// In both, but of another moment or with other players.
    pub disagree: u64,
}

impl Fit {
    /// Of two records together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            joined: self.joined + other.joined,
            untraced: self.untraced + other.untraced,
            not_received: self.not_received + other.not_received,
            disagree: self.disagree + other.disagree,
        }
    }
}

/// A record with every snapshot that was sent to it, and whom each told of with and without the filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The record, what never came included.
    pub record: Record,
    /// With the filter. Shape: by index of the record's snapshots.
    pub with: Vec<u64>,
    /// Without. Shape: the same.
    pub without: Vec<u64>,
    /// How the halves fit.
    pub fit: Fit,
}

impl Trace {
    /// Takes a line in; those of another map are passed over.
    ///
    /// # Errors
    /// A sentence, if it is no line of a trace.
    pub fn take_line(&mut self, line: &str, map: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
        if let Some(lost) = value["lost_records"].as_u64() {
            self.lost += lost;
            return Ok(());
        }
        self.take(&value, map).ok_or_else(|| "it lacks what a line of the trace has".to_owned())
    }

    /// Takes a whole file in.
    ///
    /// # Errors
    /// A sentence with the number of the first line that is none of a trace's. A torn last line is passed over: the server may
    /// still be writing.
    pub fn read(text: &str, map: &str) -> Result<Self, String> {
        let mut trace = Self::default();
        let lines = text.lines().count();
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            match trace.take_line(line, map) {
                Err(sentence) if n + 1 < lines => return Err(format!("line {}: {sentence}", n + 1)),
                _ => (),
            }
        }
        Ok(trace)
    }

    fn take(&mut self, value: &Value, map: &str) -> Option<()> {
        let server = &value["server"];
        // "map:viewer7:target3:frame9181", from behind, since a map's name may hold anything.
        let mut parts = value["event_id"].as_str()?.rsplitn(4, ':');
        let slot = |part: &str, word: &str| -> Option<usize> {
            Some(ClientNum::new(part.strip_prefix(word)?.parse().ok()?)?.index())
        };
        parts.next()?.strip_prefix("frame")?;
        let target = slot(parts.next()?, "target")?;
        let viewer = slot(parts.next()?, "viewer")?;
        if parts.next()? != map {
            return Some(());
        }
        let time = ServerTime(i32::try_from(server["svs_time_ms"].as_i64()?).ok()?);
        let message = u32::try_from(server["snapshot_seq"].as_u64()?).ok()?;
        let included = server["included"].as_bool()?;
        let sounds = server["nonpvs_sounds_last_1s"].as_u64()?;
        let cause = server["cause"].as_str()?;
        server["mode"].as_str()?.clone_into(&mut self.mode);
        self.lines += 1;
        let fresh = Decided { time, considered: 0, told: 0, without: 0 };
        let decided = self.decided.entry((viewer, message)).or_insert(fresh);
        let bit = 1u64 << target;
        decided.considered |= bit;
        if included {
            decided.told |= bit;
        }
        if included || matches!(cause, "out_of_sight" | "too_far") {
            decided.without |= bit;
        }
        let heard = self.heard.entry((viewer, target)).or_insert(Heard { counted: time, sounds });
        if (time - heard.counted).0 >= SOUND_SPAN_MS {
            *heard = Heard { counted: time, sounds: heard.sounds + sounds };
        }
        Some(())
    }

    /// Sounds of players out of sight that a client was given. A second may be counted a frame too long or too short.
    pub fn sounds(&self, viewer: ClientNum) -> u64 {
        let own = self.heard.range((viewer.index(), 0)..=(viewer.index(), usize::MAX));
        own.map(|(_, heard)| heard.sounds).sum()
    }

    /// Brings a record together with what was decided for it.
    pub fn join(&self, record: &Record) -> Joined {
        let slot = record.client.index();
        let mut received = record.snapshots.iter().copied().peekable();
        let mut joined = Joined {
            record: Record { snapshots: Vec::new(), ..record.clone() },
            with: Vec::new(),
            without: Vec::new(),
            fit: Fit::default(),
        };
        let ends = record.snapshots.first().zip(record.snapshots.last());
        let Some((first, last)) = ends.map(|(first, last)| (first.message, last.message)) else {
            return joined;
        };
        for (&(_, message), decided) in self.decided.range((slot, first)..=(slot, last)) {
            while let Some(untraced) = received.next_if(|snap| snap.message < message) {
                joined.push_untraced(untraced);
            }
            let snap = received.next_if(|snap| snap.message == message);
            joined.push(message, decided, snap);
        }
        received.for_each(|untraced| joined.push_untraced(untraced));
        joined
    }
}

impl Joined {
    /// A record without a trace: what came is all that is known, and a server without a filter tells of everybody.
    pub fn untraced(record: &Record) -> Self {
        Trace::default().join(record)
    }

    fn push_untraced(&mut self, snap: Received) {
        self.record.snapshots.push(snap);
        self.with.push(snap.told);
        self.without.push(!0);
        self.fit.untraced += 1;
    }

    fn push(&mut self, message: u32, decided: &Decided, snap: Option<Received>) {
        match snap {
            Some(snap) => {
                let agrees =
                    snap.time == decided.time && (snap.told ^ decided.told) & decided.considered == 0;
                self.fit.joined += 1;
                self.fit.disagree += u64::from(!agrees);
                self.record.snapshots.push(snap);
            }
            None => {
                self.fit.not_received += 1;
                self.record.snapshots.push(Received {
                    message,
                    time: decided.time,
                    arrival_us: None,
                    told: decided.told,
                    own: Stand::default(),
                });
            }
        }
        self.with.push(decided.told);
        self.without.push(decided.without);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(viewer: usize, target: usize, time: i32, message: u32, cause: &str, sounds: u32) -> String {
        let included = cause == "in_sight";
        format!(
            r#"{{"event_id":"odd:name:viewer{viewer}:target{target}:frame9","server":{{"svs_time_ms":{time},"mode":"2","cause":"{cause}","snapshot_seq":{message},"included":{included},"nonpvs_sounds_last_1s":{sounds}}}}}"#
        )
    }

    fn received(message: u32, told: u64) -> Received {
        let time = ServerTime(1000 + message as i32 * 50);
        Received { message, time, arrival_us: Some(1), told, own: Stand::default() }
    }

    #[test]
    fn both_halves_meet_by_message_and_tell_where_they_do_not_fit() {
        let mut trace = Trace::default();
        for (message, cause) in [(10, "in_sight"), (11, "out_of_sight"), (12, "not_in_pvs"), (13, "in_sight")]
        {
            let time = 1000 + message as i32 * 50;
            trace.take_line(&line(7, 3, time, message, cause, 0), "odd:name").unwrap();
        }
        trace.take_line(&line(7, 3, 1600, 12, "in_sight", 0), "another").unwrap();
        let mut record = Record::new(ClientNum::new(7).unwrap(), "a", "odd:name", None);
        // The eleventh never came; the thirteenth has another player than was sent; the fourteenth is not in the trace.
        record.snapshots = vec![received(10, 8), received(12, 0), received(13, 0), received(14, 8)];
        let joined = trace.join(&record);
        assert_eq!(joined.with, [8, 0, 0, 8, 8]);
        assert_eq!(joined.without, [8, 8, 0, 8, !0]);
        assert_eq!(joined.fit, Fit { joined: 3, untraced: 1, not_received: 1, disagree: 1 });
        assert_eq!(joined.record.snapshots[1].arrival_us, None);
        assert_eq!((trace.mode.as_str(), trace.lines), ("2", 4));
        assert_eq!(Joined::untraced(&record).with, [8, 0, 0, 8]);
    }

    #[test]
    fn sounds_are_counted_once_a_second() {
        let mut trace = Trace::default();
        for frame in 0..60 {
            let text = line(1, 2, 1000 + frame * 50, frame as u32, "out_of_sight", 4);
            trace.take_line(&text, "odd:name").unwrap();
        }
        assert_eq!(trace.sounds(ClientNum::new(1).unwrap()), 12);
        assert_eq!(trace.sounds(ClientNum::new(2).unwrap()), 0);
    }

    #[test]
    fn a_torn_end_is_passed_over_and_a_torn_middle_is_told() {
        let whole = line(1, 2, 1000, 5, "in_sight", 0);
        assert_eq!(Trace::read(&format!("{whole}\n{}", &whole[..40]), "odd:name").unwrap().lines, 1);
        assert_eq!(Trace::read("{\"lost_records\":7}\n", "x").unwrap().lost, 7);
        let error = Trace::read(&format!("{}\n{whole}\n", &whole[..40]), "odd:name").unwrap_err();
        assert!(error.starts_with("line 1: "), "{error}");
        assert!(Trace::read("{}\n{}\n", "x").is_err());
    }
}
