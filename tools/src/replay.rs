//! `fogtool replay`: a recorded run once more, as fast as it goes: whether the same comes out, and how long each frame takes.

use crate::swarm::meter::Spread;
use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::time::Arrival;
use fogline_server::io::replay::{Outcome, replay};
use fogline_server::io::{Clock, Drive};
use fogline_server::program::open_recorded;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Which run, how often.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A journal that `fogline --journal FILE` wrote. The game data must be where it was then.
    pub journal: PathBuf,
    /// How often to run it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub times: u32,
    /// Print what the server wrote to its console too, to the error output.
    #[arg(long)]
    pub log: bool,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// One run.
struct Run {
    outcome: Outcome,
    /// When the recorded run began.
    began: Arrival,
    /// When the frame was due that took longest.
    slowest_at: Arrival,
    /// Time that the recorded run took. Unit: s.
    recorded_s: f64,
    /// Time that this one took. Unit: s.
    took_s: f64,
    /// Time of each advance. Unit: ns.
    frames: Spread,
    /// Time of each datagram's handling. Unit: ns.
    datagrams: Spread,
}

/// Runs it and prints. Whether the same came out each time.
///
/// # Errors
/// A sentence, if the journal or the game data cannot be read.
pub fn run(args: &ReplayArgs) -> Result<bool, String> {
    let mut table = Table::new(&[
        "run",
        "inputs",
        "frames",
        "sent",
        "recorded_s",
        "took_s",
        "frame_us_p50",
        "frame_us_p95",
        "frame_us_p99",
        "frame_us_max",
        "slowest_at_s",
        "datagram_us_p50",
        "datagram_us_p99",
        "same",
    ]);
    let mut all_same = true;
    for number in 1..=args.times {
        let run = once(args)?;
        all_same &= run.outcome.diverged_at.is_none();
        if run.outcome.torn {
            eprintln!(
                "fogtool: the journal ends in a torn record, as after a crash; all before it was replayed"
            );
        }
        table.push(row(number, &run));
    }
    show!("{}", table.render(args.output));
    Ok(all_same)
}

fn once(args: &ReplayArgs) -> Result<Run, String> {
    let (mut server, mut journal) = open_recorded(&args.journal)?;
    let clock = Clock::start();
    let bar = indicatif::ProgressBar::new_spinner();
    bar.set_message("running it again");
    let mut timed = Timed::new(&mut server, bar.clone());
    let outcome = replay(&mut journal, &mut timed, &mut |line| {
        if args.log {
            eprintln!("{line}");
        }
    })
    .map_err(|error| format!("{}: {error}", args.journal.display()))?;
    bar.finish_and_clear();
    let (first, last) = timed.span.unwrap_or_default();
    Ok(Run {
        outcome,
        began: first,
        slowest_at: timed.slowest_at,
        recorded_s: last.micros_since(first) as f64 / 1e6,
        took_s: clock.now().0 as f64 / 1e6,
        frames: timed.frames,
        datagrams: timed.datagrams,
    })
}

fn row(number: u32, run: &Run) -> Vec<Cell> {
    let us = |spread: &Spread, share: f64| match spread.count() {
        0 => Cell::Nothing,
        _ => Cell::Real(spread.quantile(share) as f64 / 1000.0, 1),
    };
    let same = match run.outcome.diverged_at {
        None => "yes".to_owned(),
        Some(at) => format!("not from {} ms on", at.0 / 1000),
    };
    vec![
        Cell::Count(u64::from(number)),
        Cell::Count(run.outcome.calls - run.outcome.advances),
        Cell::Count(run.outcome.advances),
        Cell::Count(run.outcome.datagrams),
        Cell::Real(run.recorded_s, 1),
        Cell::Real(run.took_s, 2),
        us(&run.frames, 0.5),
        us(&run.frames, 0.95),
        us(&run.frames, 0.99),
        us(&run.frames, 1.0),
        Cell::Real(run.slowest_at.micros_since(run.began) as f64 / 1e6, 2),
        us(&run.datagrams, 0.5),
        us(&run.datagrams, 0.99),
        Cell::text(same),
    ]
}

/// A server that is timed call by call. It changes nothing that is passed through.
struct Timed<'a> {
    inner: &'a mut dyn Drive,
    /// First and last moment of the recorded run.
    span: Option<(Arrival, Arrival)>,
    slowest_at: Arrival,
    frames: Spread,
    datagrams: Spread,
    /// Turns with every frame, on a terminal.
    bar: indicatif::ProgressBar,
}

/// Makes a call and records how long it took, in ns, finer than [`Clock`].
#[allow(clippy::disallowed_methods, reason = "measuring how long a call takes is what this tool is for")]
fn time(into: &mut Spread, call: impl FnOnce()) {
    let begin = std::time::Instant::now();
    call();
    into.record(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
}

impl<'a> Timed<'a> {
    fn new(inner: &'a mut dyn Drive, bar: indicatif::ProgressBar) -> Self {
        Self {
            inner,
            bar,
            span: None,
            slowest_at: Arrival(0),
            frames: Spread::default(),
            datagrams: Spread::default(),
        }
    }

    fn note(&mut self, now: Arrival) {
        self.span = Some((self.span.map_or(now, |(first, _)| first), now));
    }
}

impl Drive for Timed<'_> {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        self.note(now);
        time(&mut self.datagrams, || self.inner.receive(now, from, datagram));
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        self.note(now);
        self.inner.console_line(now, line);
    }

    fn resolved(&mut self, now: Arrival, name: &str, addresses: &[SocketAddr]) {
        self.inner.resolved(now, name, addresses);
    }

    fn reload(&mut self, now: Arrival) {
        self.inner.reload(now);
    }

    fn advance(&mut self, now: Arrival) {
        self.note(now);
        self.bar.inc(1);
        let slowest = self.frames.max();
        time(&mut self.frames, || self.inner.advance(now));
        if self.frames.max() > slowest {
            self.slowest_at = now;
        }
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        self.inner.poll_transmit(out)
    }

    fn poll_log(&mut self) -> Option<String> {
        self.inner.poll_log()
    }

    fn poll_game_log(&mut self) -> Option<String> {
        self.inner.poll_game_log()
    }

    fn poll_resolve(&mut self) -> Option<String> {
        self.inner.poll_resolve()
    }

    fn next_wakeup(&self) -> Arrival {
        self.inner.next_wakeup()
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        self.inner.shutdown(now, reason);
    }

    fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_server::io::journal::{Digest, Entry, Header, Reader, write_entry, write_header};

    /// Answers each datagram with itself at the next advance.
    #[derive(Default)]
    struct Echo(Vec<(SocketAddr, Vec<u8>)>, bool);

    impl Drive for Echo {
        fn receive(&mut self, _: Arrival, from: SocketAddr, datagram: &[u8]) {
            self.0.push((from, datagram.to_vec()));
        }
        fn console_line(&mut self, _: Arrival, _: &str) {}
        fn resolved(&mut self, _: Arrival, _: &str, _: &[SocketAddr]) {}
        fn reload(&mut self, _: Arrival) {}
        fn advance(&mut self, _: Arrival) {
            self.1 = true;
        }
        fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
            let (to, bytes) = self.1.then(|| self.0.pop()).flatten()?;
            out.extend(bytes);
            Some(to)
        }
        fn poll_log(&mut self) -> Option<String> {
            None
        }
        fn poll_resolve(&mut self) -> Option<String> {
            None
        }
        fn next_wakeup(&self) -> Arrival {
            Arrival(0)
        }
        fn shutdown(&mut self, _: Arrival, _: &str) {}
        fn is_finished(&self) -> bool {
            false
        }
    }

    /// A journal of one datagram and one advance, whose digest is of a datagram `answered`.
    fn replayed(answered: &[u8]) -> (Outcome, u64, u64, Option<(Arrival, Arrival)>) {
        let from = SocketAddr::from(([127, 0, 0, 1], 5));
        let mut digest = Digest::default();
        digest.add(from, answered);
        let mut bytes = Vec::new();
        write_header(&mut bytes, &Header::default());
        let at = Arrival::from_millis;
        write_entry(&mut bytes, at(10), &Entry::Datagram { from, bytes: b"hello".to_vec() });
        write_entry(&mut bytes, at(50), &Entry::Advance { digest: digest.value() });
        let (_, mut journal) = Reader::new(&bytes[..]).unwrap();
        let mut echo = Echo::default();
        let mut timed = Timed::new(&mut echo, indicatif::ProgressBar::hidden());
        let outcome = replay(&mut journal, &mut timed, &mut |_| ()).unwrap();
        (outcome, timed.frames.count(), timed.datagrams.count(), timed.span)
    }

    #[test]
    fn timing_passes_everything_through_and_measures_each_call() {
        let (outcome, frames, datagrams, span) = replayed(b"hello");
        assert_eq!((outcome.diverged_at, outcome.datagrams), (None, 1));
        assert_eq!((frames, datagrams), (1, 1));
        assert_eq!(span, Some((Arrival::from_millis(10), Arrival::from_millis(50))));
    }

    #[test]
    fn another_outcome_is_told_with_its_moment() {
        let (outcome, ..) = replayed(b"other");
        assert_eq!(outcome.diverged_at, Some(Arrival::from_millis(50)));
        let run = Run {
            outcome,
            began: Arrival(0),
            slowest_at: Arrival(0),
            recorded_s: 1.0,
            took_s: 0.5,
            frames: Spread::default(),
            datagrams: Spread::default(),
        };
        assert_eq!(row(1, &run).last(), Some(&Cell::text("not from 50 ms on")));
    }
}
