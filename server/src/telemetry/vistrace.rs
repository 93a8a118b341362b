//! The event trace of the visibility filter: one JSON record a line for each viewer, target and frame considered.
//!
//! Records carry server time and the number of the message that the snapshot went out in, so that what a client logs can be
//! joined to them without comparing clocks. Field names follow the essay's section 10.2, server half. The server keeps no more
//! than the facts of a record; the rim takes them out, together with the name of the file that they are for, and a thread of its
//! own puts them into words. A rim that does not keep up loses records, and how many is told in the next line.

use crate::visibility::{Cause, Class, Mode, Pose, Profile, Rules};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Millis, ServerTime};
use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Records kept for a writer that does not keep up; newer ones are lost then, and counted.
const MAX_RECORDS: usize = 16_384;
/// Sounds are counted over this long.
const SOUND_SPAN: Millis = Millis(1000);

/// One target considered for one viewer's snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Name of the map.
    pub map: &'a str,
    /// The moment, as the snapshot carries it.
    pub time: ServerTime,
    /// Frames since the server started.
    pub frame: u64,
    /// Length of a frame.
    pub frame_length: Millis,
    /// Frames of look-ahead.
    pub frames_ahead: i32,
    /// How the filter is set.
    pub rules: &'a Rules,
    /// The message that carries the snapshot.
    pub message: Sequence,
    /// Whose snapshot it is.
    pub client: ClientNum,
    /// Whose eyes it has.
    pub viewer: &'a Pose,
    /// Who was considered.
    pub target: &'a Pose,
    /// How the classifier sorts it.
    pub class: Class,
    /// What was decided.
    pub cause: Cause,
    /// Whether the snapshot has it.
    pub included: bool,
    /// Until when it counts as seen.
    pub until: Option<ServerTime>,
}

/// The facts of one record. Shown, they are its line of JSON, without an end.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceRecord {
    map: Arc<str>,
    time: ServerTime,
    frame: u64,
    frame_length: Millis,
    frames_ahead: i32,
    mode: Mode,
    profile: Profile,
    message: Sequence,
    client: ClientNum,
    target: ClientNum,
    class: Class,
    cause: Cause,
    /// Of viewer and target. Unit: units/s.
    speeds: [f32; 2],
    until: Option<ServerTime>,
    included: bool,
    first: bool,
    sounds: u16,
}

/// A line of the trace. Shown, it is JSON, without an end.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceLine {
    /// A target that was considered.
    Record(TraceRecord),
    /// So many that nobody wrote.
    Lost(u64),
}

/// What is taken out of the trace, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceOutput {
    /// The lines that follow are for this file, below the home path's game folder; an empty name ends the trace.
    File(String),
    /// A line, yet to be put into words.
    Line(TraceLine),
}

/// Keeps the records, while the host wants them.
#[derive(Debug)]
pub struct VisTrace {
    /// Name of the file that lines are for; empty while nothing is recorded.
    file: String,
    /// Name of the map of the last record, shared by all of them.
    map: Arc<str>,
    outputs: VecDeque<TraceOutput>,
    /// Records lost so far.
    pub lost: u64,
    told_lost: u64,
    /// Whom each client was told of in its last snapshot, a bit each.
    included: [u64; MAX_CLIENTS],
    /// Lately heard: client, source, when.
    sounds: VecDeque<(ClientNum, ClientNum, ServerTime)>,
}

impl Default for VisTrace {
    fn default() -> Self {
        Self {
            file: String::new(),
            map: "".into(),
            outputs: VecDeque::new(),
            lost: 0,
            told_lost: 0,
            included: [0; MAX_CLIENTS],
            sounds: VecDeque::new(),
        }
    }
}

impl VisTrace {
    /// Records from now on for this file, or not at all if its name is empty.
    pub fn set_file(&mut self, file: &str) {
        if file == self.file {
            return;
        }
        file.clone_into(&mut self.file);
        self.included = [0; MAX_CLIENTS];
        self.sounds.clear();
        self.outputs.push_back(TraceOutput::File(file.to_owned()));
    }

    /// Whether anything is recorded.
    pub fn is_on(&self) -> bool {
        !self.file.is_empty()
    }

    /// What is recorded, as a line of `visstatus`; empty if nothing is and nothing was lost.
    pub fn status(&self) -> String {
        match (self.file.as_str(), self.lost) {
            ("", 0) => String::new(),
            ("", lost) => format!("trace: none, {lost} records lost\n"),
            (file, lost) => format!("trace: {file}, {lost} records lost\n"),
        }
    }

    /// A client was given a sound of a player that it is not told of.
    pub fn record_sound(&mut self, client: ClientNum, source: ClientNum, at: ServerTime) {
        let old = |&(_, _, heard): &(ClientNum, ClientNum, ServerTime)| at - heard > SOUND_SPAN || heard > at;
        while self.sounds.front().is_some_and(old) {
            self.sounds.pop_front();
        }
        self.sounds.push_back((client, source, at));
    }

    /// A target was considered.
    pub fn record(&mut self, candidate: &Candidate<'_>) {
        let bit = 1u64 << candidate.target.player.index();
        let told = &mut self.included[candidate.client.index()];
        let first = candidate.included && *told & bit == 0;
        *told = if candidate.included { *told | bit } else { *told & !bit };
        if self.outputs.len() >= MAX_RECORDS {
            self.lost += 1;
            return;
        }
        let span = |&&(client, source, at): &&(ClientNum, ClientNum, ServerTime)| {
            client == candidate.client
                && source == candidate.target.player
                && candidate.time - at <= SOUND_SPAN
        };
        let sounds = self.sounds.iter().filter(span).count() as u16;
        if *self.map != *candidate.map {
            self.map = candidate.map.into();
        }
        let record = TraceRecord::of(candidate, self.map.clone(), first, sounds);
        self.outputs.push_back(TraceOutput::Line(TraceLine::Record(record)));
    }

    /// The next line, or the file for those that follow.
    pub fn poll(&mut self) -> Option<TraceOutput> {
        // What was lost came after all that waits.
        if self.outputs.is_empty() && self.lost > self.told_lost {
            let lost = self.lost - self.told_lost;
            self.told_lost = self.lost;
            return Some(TraceOutput::Line(TraceLine::Lost(lost)));
        }
        self.outputs.pop_front()
    }
}

/// The line that stands for records that nobody wrote.
pub fn lost_records(count: u64) -> String {
    format!("{{\"lost_records\":{count}}}")
}

impl Display for TraceLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(record) => record.fmt(f),
            Self::Lost(count) => f.write_str(&lost_records(*count)),
        }
    }
}

impl TraceRecord {
    fn of(candidate: &Candidate<'_>, map: Arc<str>, first: bool, sounds: u16) -> Self {
        let c = candidate;
        Self {
            map,
            time: c.time,
            frame: c.frame,
            frame_length: c.frame_length,
            frames_ahead: c.frames_ahead,
            mode: c.rules.mode,
            profile: c.rules.profile,
            message: c.message,
            client: c.client,
            target: c.target.player,
            class: c.class,
            cause: c.cause,
            speeds: [c.viewer, c.target].map(|pose| pose.velocity.length()),
            until: c.until,
            included: c.included,
            first,
            sounds,
        }
    }

    fn mode_name(&self) -> &'static str {
        match (self.mode, self.profile) {
            (Mode::Off, _) => "off",
            (Mode::FarOnly, Profile::Meant) => "1",
            (Mode::Always, Profile::Meant) => "2",
            (Mode::Proved, _) => "3",
            (Mode::FarOnly, Profile::Compat) => "1_compat",
            (Mode::Always, Profile::Compat) => "2_compat",
        }
    }

    /// What the present or the projected lines said; null where they were not asked.
    fn traced(&self, what: Cause) -> &'static str {
        match self.cause {
            cause if cause == what => "true",
            Cause::InSight => "null",
            Cause::Ahead | Cause::OutOfSight => "false",
            Cause::Held if self.profile == Profile::Meant => "false",
            _ => "null",
        }
    }
}

impl Display for TraceRecord {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("{\"event_id\":\"")?;
        // Map names are file names; whatever JSON would trip over is left out.
        for part in self.map.split(|ch: char| ch.is_control() || matches!(ch, '"' | '\\')) {
            f.write_str(part)?;
        }
        write!(
            f,
            ":viewer{}:target{}:frame{}\",\"server\":{{\"svs_time_ms\":{},\"frame_ms\":{},\"k\":{},\"mode\":\"{}\"",
            self.client.index(),
            self.target.index(),
            self.frame,
            self.time.0,
            self.frame_length.0,
            self.frames_ahead,
            self.mode_name(),
        )?;
        write!(
            f,
            ",\"check\":\"{}\",\"gate\":\"{}\",\"cause\":\"{}\",\"trace_present\":{},\"trace_projected\":{}",
            match self.class {
                Class::In => "IN",
                Class::Clip => "CLIP",
                Class::Out => "OUT",
            },
            self.cause.gate(),
            self.cause.name(),
            self.traced(Cause::InSight),
            self.traced(Cause::Ahead),
        )?;
        let [viewer, target] = self.speeds;
        write!(f, ",\"viewer_speed\":{viewer:.1},\"target_speed\":{target:.1},\"grace_until_ms\":")?;
        match self.until {
            Some(until) => write!(f, "{}", until.0)?,
            None => f.write_str("null")?,
        }
        write!(
            f,
            ",\"snapshot_seq\":{},\"included\":{},\"first_inclusion\":{},\"nonpvs_sounds_last_1s\":{}}}}}",
            self.message.0, self.included, self.first, self.sounds,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use fogline_common::math::Vec3;

    fn next_line(trace: &mut VisTrace) -> String {
        match trace.poll() {
            Some(TraceOutput::Line(line)) => line.to_string(),
            other => panic!("no line but {other:?}"),
        }
    }

    fn record(trace: &mut VisTrace, cause: Cause, included: bool) {
        let pose = |n| Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO);
        let (viewer, target) = (pose(7), pose(3));
        let rules = Rules::new(&Config { sv_netoptimize: 2, ..Config::default() }, 0, 20);
        trace.record(&Candidate {
            map: "oa_dm5",
            time: ServerTime(182_930),
            frame: 9181,
            frame_length: Millis(50),
            frames_ahead: 3,
            rules: &rules,
            message: Sequence(4412),
            client: viewer.player,
            viewer: &viewer,
            target: &target,
            class: Class::Clip,
            cause,
            included,
            until: Some(ServerTime(183_130)),
        });
    }

    #[test]
    fn a_record_is_laid_out_as_the_essay_has_it() {
        let mut trace = VisTrace::default();
        record(&mut trace, Cause::Ahead, true);
        let expected = concat!(
            r#"{"event_id":"oa_dm5:viewer7:target3:frame9181","server":{"svs_time_ms":182930,"frame_ms":50,"k":3,"#,
            r#""mode":"2","check":"CLIP","gate":"sight","cause":"ahead","trace_present":false,"trace_projected":true,"#,
            r#""viewer_speed":0.0,"target_speed":0.0,"grace_until_ms":183130,"snapshot_seq":4412,"included":true,"#,
            r#""first_inclusion":true,"nonpvs_sounds_last_1s":0}}"#,
        );
        assert_eq!(next_line(&mut trace), expected);
    }

    #[test]
    fn the_first_inclusion_is_the_first_after_an_absence() {
        let mut trace = VisTrace::default();
        let mut firsts = Vec::new();
        for (cause, included) in [
            (Cause::OutOfSight, false),
            (Cause::Ahead, true),
            (Cause::InSight, true),
            (Cause::OutOfSight, false),
            (Cause::InSight, true),
        ] {
            record(&mut trace, cause, included);
            firsts.push(next_line(&mut trace).contains("\"first_inclusion\":true"));
        }
        assert_eq!(firsts, [false, true, false, false, true]);
    }

    #[test]
    fn lost_records_are_counted_and_told() {
        let mut trace = VisTrace::default();
        (0..MAX_RECORDS + 5).for_each(|_| record(&mut trace, Cause::InSight, true));
        assert_eq!(trace.lost, 5);
        assert_eq!(trace.status(), "trace: none, 5 records lost\n");
        let outputs: Vec<TraceOutput> = std::iter::from_fn(|| trace.poll()).collect();
        assert_eq!(outputs.len(), MAX_RECORDS + 1);
        assert_eq!(outputs.last(), Some(&TraceOutput::Line(TraceLine::Lost(5))));
        assert_eq!(trace.poll(), None);
    }

    #[test]
    fn sounds_count_for_a_second() {
        let mut trace = VisTrace::default();
        let [client, source] = [7, 3].map(|n| ClientNum::new(n).unwrap());
        for at in [181_000, 182_000, 182_900] {
            trace.record_sound(client, source, ServerTime(at));
        }
        record(&mut trace, Cause::OutOfSight, false);
        assert!(next_line(&mut trace).contains("\"nonpvs_sounds_last_1s\":2"));
    }

    #[test]
    fn lines_are_for_the_file_that_was_named_before_them() {
        let file = |name: &str| Some(TraceOutput::File(name.to_owned()));
        let mut trace = VisTrace::default();
        assert!(!trace.is_on());
        trace.set_file("a.jsonl");
        trace.set_file("a.jsonl");
        record(&mut trace, Cause::InSight, true);
        trace.set_file("b.jsonl");
        record(&mut trace, Cause::InSight, true);
        trace.set_file("");
        assert!(!trace.is_on());
        assert_eq!(trace.poll(), file("a.jsonl"));
        assert!(next_line(&mut trace).contains("\"first_inclusion\":true"));
        assert_eq!(trace.poll(), file("b.jsonl"));
        assert!(next_line(&mut trace).contains("\"first_inclusion\":true"));
        assert_eq!((trace.poll(), trace.poll()), (file(""), None));
    }
}
