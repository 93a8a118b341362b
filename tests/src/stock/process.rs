//! A program that was started: its lines through a channel, its end with the value that stands for it.

use super::Deadline;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program that was asked to end may take, before it is ended.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// A running program.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
    /// What it wrote to both of its outputs, line by line; closed when it has closed them.
    lines: Receiver<(Instant, String)>,
    ends_at_once: bool,
}

impl Process {
    /// Starts a program. It dies with the thread that started it, should the test be killed before it can end what it started.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(program: &str, arguments: &[String], environment: &[(&str, String)]) -> Self {
        let mut child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", program])
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            pump(stdout, sender.clone());
        }
        if let Some(stderr) = child.stderr.take() {
            pump(stderr, sender);
        }
        Self { child, name: program.to_owned(), lines, ends_at_once: false }
    }

    /// It is not asked to end but ended: there is nothing that it would have to put in order.
    #[must_use]
    pub fn ends_at_once(mut self) -> Self {
        self.ends_at_once = true;
        self
    }

    /// The next line, colour codes and all.
    ///
    /// # Errors
    /// When the time is over, or the program is.
    pub fn next_line(&self, deadline: Deadline) -> Result<String, String> {
        self.next_stamped(deadline).map(|(_, line)| line)
    }

    /// The next line, and when it was written.
    ///
    /// # Errors
    /// When the time is over, or the program is.
    pub fn next_stamped(&self, deadline: Deadline) -> Result<(Instant, String), String> {
        self.lines.recv_timeout(deadline.left()).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("{}: no word in time", self.name),
            RecvTimeoutError::Disconnected => format!("{}: has ended", self.name),
        })
    }

    /// A line that has come already.
    pub fn try_line(&self) -> Option<String> {
        self.try_stamped().map(|(_, line)| line)
    }

    /// A line that has come already, and when it was written.
    pub fn try_stamped(&self) -> Option<(Instant, String)> {
        self.lines.try_recv().ok()
    }

    /// Processor time that it used so far, or `None` if the system does not say.
    pub fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // After the name, which may hold anything: user and system time are the 12th and 13th number. Unit: 1/100 s.
        let numbers = stat.rsplit_once(')')?.1;
        let ticks = numbers.split_whitespace().skip(11).take(2).map(|word| word.parse::<u64>().unwrap_or(0));
        Some(Duration::from_millis(ticks.sum::<u64>() * 10))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ends_at_once {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let end_by = Instant::now() + LAST_WORDS;
            // Its outputs close when it ends.
            while self.lines.recv_timeout(end_by.saturating_duration_since(Instant::now())).is_ok() {}
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends on what comes, line by line, until the other end closes. Bytes that are no text are kept as question marks.
fn pump(from: impl Read + Send + 'static, to: Sender<(Instant, String)>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(from);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if to.send((Instant::now(), text)).is_err() {
                return;
            }
            line.clear();
        }
    });
}

/// Runs a program to its end and gives back what it wrote to its standard output.
///
/// # Panics
/// If it cannot be started or fails.
pub fn output(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let [said, complained] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{program} {arguments:?}: {}\n{said}{complained}", output.status);
    said
}
