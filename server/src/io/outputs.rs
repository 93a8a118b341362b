//! Everything that the server writes: its console and log files, each by a thread of its own, so that no frame waits for one.

use super::demos::DemoFiles;
use super::rotating::Rotating;
use super::stdout::LineWriter;
use super::{Drive, Input, logs};
use crate::recording::DemoOutput;
use crate::telemetry::{TraceLine, TraceOutput};
use crossbeam_channel::Sender;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The console, and whatever else the host wants to have written.
pub struct Outputs {
    console: LineWriter,
    transcript: Option<LineWriter>,
    games: Option<LineWriter>,
    games_json: Option<LineWriter>,
    shots: Option<LineWriter>,
    claims: Option<LineWriter>,
    /// The home path's game folder: what begins while the server runs is written below it.
    folder: Option<PathBuf>,
    vistrace: Option<LineWriter<TraceLine>>,
    demos: Option<DemoFiles>,
    /// Where threads tell what went wrong.
    notes: Sender<Input>,
}

impl Outputs {
    /// With nothing but a console. `notes`: where threads tell what went wrong.
    pub(super) fn start(console: impl io::Write + Send + 'static, notes: Sender<Input>) -> io::Result<Self> {
        Ok(Self {
            console: LineWriter::start(console)?,
            transcript: None,
            games: None,
            games_json: None,
            shots: None,
            claims: None,
            folder: None,
            vistrace: None,
            demos: None,
            notes,
        })
    }

    /// Writes a line to the console, and to its transcript.
    pub fn print(&mut self, line: &str) {
        self.console.line(line);
        if let Some(transcript) = &mut self.transcript {
            transcript.line(line);
        }
    }

    /// Writes to `file` from here on what the console is told.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn keep_transcript(&mut self, file: File) -> io::Result<()> {
        self.transcript = Some(LineWriter::start(file)?);
        Ok(())
    }

    /// Writes demos and traces of the visibility filter below a folder, when the host wants them.
    pub fn keep_files_in(&mut self, folder: &Path) {
        self.folder = Some(folder.to_owned());
    }

    /// Hands a part of a demo to the thread that writes it, which the first one starts.
    fn keep_demo(&mut self, part: DemoOutput) {
        if self.demos.is_none() && matches!(part, DemoOutput::Begin { .. }) {
            let Some(folder) = self.folder.clone() else {
                return self
                    .print("demos are not written: there is no home path; give one with --homepath DIR");
            };
            match DemoFiles::start(folder, self.notes.clone()) {
                Ok(demos) => self.demos = Some(demos),
                Err(error) => return self.print(&format!("demos are not written: {error}")),
            }
        }
        if let Some(sentence) = self.demos.as_mut().and_then(|demos| demos.take(part)) {
            self.print(&sentence);
        }
    }

    /// Writes the trace to another file from here on, or to none. What was written before is added to.
    ///
    /// The thread opens the file too, so that a slow disk holds up nothing; the one before ends once it has written what it holds.
    fn turn_vistrace_to(&mut self, name: String) {
        self.vistrace = None;
        if name.is_empty() {
            return;
        }
        let Some(folder) = self.folder.clone() else {
            return self.print("sv_vistrace: there is no home path; give one with --homepath DIR");
        };
        let open = move || logs::open(&folder, &name, true);
        match LineWriter::start_trace_of(open, self.notes.clone(), TraceLine::Lost) {
            Ok(writer) => self.vistrace = Some(writer),
            Err(error) => self.print(&format!("sv_vistrace: {error}")),
        }
    }

    /// Writes to `file` from here on what happens in the game.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn keep_games(&mut self, file: File) -> io::Result<()> {
        self.games = Some(LineWriter::start(file)?);
        Ok(())
    }

    /// Writes the log of games to `file` from here on once more, as JSON.
    ///
    /// # Errors
    /// If no thread can be started for it.
    pub fn keep_games_json(&mut self, file: File) -> io::Result<()> {
        self.games_json = Some(LineWriter::start_records(file)?);
        Ok(())
    }

    /// Writes to `file` from here on how shots were judged.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn keep_shots(&mut self, file: File) -> io::Result<()> {
        self.shots = Some(LineWriter::start_records(file)?);
        Ok(())
    }

    /// Writes claims that were not believed to a file below a folder from here on, of at most `limit_bytes`; a full one is put
    /// aside in the place of the one before. The thread opens the file.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn keep_claims(&mut self, folder: &Path, name: &str, limit_bytes: u64) -> io::Result<()> {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        let open = move || Rotating::open(&folder, &name, limit_bytes);
        self.claims = Some(LineWriter::start_trace(open, self.notes.clone())?);
        Ok(())
    }

    /// Carries away what there is to be written.
    pub(super) fn carry(&mut self, drive: &mut dyn Drive) {
        while let Some(line) = drive.poll_log() {
            self.print(&line);
        }
        while let Some(line) = drive.poll_game_log() {
            if let Some(games) = &mut self.games {
                games.line(&line);
            }
        }
        while let Some(line) = drive.poll_game_log_json() {
            if let Some(games) = &mut self.games_json {
                games.line(&line);
            }
        }
        while let Some(line) = drive.poll_shot_log() {
            if let Some(shots) = &mut self.shots {
                shots.line(&line);
            }
        }
        while let Some(line) = drive.poll_claim_log() {
            if let Some(claims) = &mut self.claims {
                claims.line(&line);
            }
        }
        while let Some(output) = drive.poll_vistrace() {
            match (output, &mut self.vistrace) {
                (TraceOutput::File(name), _) => self.turn_vistrace_to(name),
                (TraceOutput::Line(line), Some(vistrace)) => vistrace.item(line),
                (TraceOutput::Line(_), None) => {}
            }
        }
        while let Some(part) = drive.poll_demo() {
            self.keep_demo(part);
        }
    }

    /// Ends the threads, once they have written what they hold.
    pub(super) fn finish(self) {
        self.console.finish();
        let games = self.games.into_iter().chain(self.games_json);
        let records = self.shots.into_iter().chain(self.claims);
        let logs = self.transcript.into_iter().chain(games).chain(records);
        logs.for_each(LineWriter::finish);
        if let Some(vistrace) = self.vistrace {
            vistrace.finish();
        }
        if let Some(demos) = self.demos {
            demos.finish();
        }
    }
}
