//! The server loop: waits for the next input or the next frame, whichever is first, and carries everything in and out.

use super::journal::Entry;
use super::outputs::Outputs;
use super::recorder::Recorder;
use super::resolver::Resolver;
use super::socket::{Bound, Wire};
use super::{Clock, Datagram, Drive, Input, MAX_WAITING_INPUTS, Signal, lines, signals};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use fogline_common::time::{Arrival, Millis};
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// From the wish to end until the loop ends, whatever the server does.
const LAST_WORDS: Millis = Millis(1_000);
/// How long the last datagrams may take to leave.
const LAST_SEND: Duration = Duration::from_millis(300);
/// How often drops at the sockets are told.
const DROP_REPORT: Millis = Millis(60_000);

/// Everything between the machine and the loop.
pub struct Rim {
    clock: Clock,
    inputs: Receiver<Input>,
    /// For producers; held here so that the channel outlives them all.
    sender: Sender<Input>,
    wire: Wire,
    /// What is written, and where.
    pub outputs: Outputs,
    resolver: Resolver,
    journal: Option<Recorder>,
    reload_lines: Vec<String>,
    told_drops: u64,
    next_drop_report: Arrival,
    last: Arrival,
}

impl Rim {
    /// Starts the threads of the sockets, of the console's output (`console` is written to) and of the resolver.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn start(clock: Clock, bound: &Bound, console: impl io::Write + Send + 'static) -> io::Result<Self> {
        let (sender, inputs) = bounded(MAX_WAITING_INPUTS);
        Ok(Self {
            wire: Wire::start(bound, clock, &sender)?,
            outputs: Outputs::start(console, sender.clone())?,
            resolver: Resolver::start(sender.clone())?,
            journal: None,
            reload_lines: Vec::new(),
            told_drops: 0,
            next_drop_report: Arrival(0),
            last: Arrival(0),
            clock,
            inputs,
            sender,
        })
    }

    /// Where producers of inputs send them.
    pub fn inputs(&self) -> Sender<Input> {
        self.sender.clone()
    }

    /// Takes console lines from standard input.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn watch_stdin(&self) -> io::Result<()> {
        lines::pump_stdin(self.inputs())
    }

    /// Takes signals. At the second one that wants us to quit, `abandon` runs and the process ends.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn watch_signals(&self, abandon: impl FnOnce() + Send + 'static) -> io::Result<()> {
        signals::watch(self.inputs(), abandon)
    }

    /// Records the run from here on.
    pub fn record(&mut self, journal: Recorder) {
        self.journal = Some(journal);
    }

    /// Console lines to run after every [`Drive::reload`].
    pub fn run_at_reload(&mut self, lines: Vec<String>) {
        self.reload_lines = lines;
    }

    /// A reading of the clock that never goes back, though datagrams are stamped on other threads.
    fn now(&mut self, reading: Arrival) -> Arrival {
        self.last = self.last.max(reading);
        self.last
    }

    fn journalled(&mut self, now: Arrival, entry: impl FnOnce() -> Entry) {
        if let Some(journal) = &mut self.journal {
            journal.record(now, &entry());
        }
    }

    fn feed(&mut self, drive: &mut dyn Drive, input: Input) {
        let reading = if let Input::Datagram(datagram) = &input { datagram.at } else { self.clock.now() };
        let now = self.now(reading);
        match input {
            Input::Datagram(Datagram { from, bytes, .. }) => {
                self.journalled(now, || Entry::Datagram { from, bytes: bytes.clone() });
                drive.receive(now, from, &bytes);
                self.wire.recycle(bytes);
            }
            Input::Line(line) => {
                self.journalled(now, || Entry::Line(line.clone()));
                drive.console_line(now, &line);
            }
            Input::Resolved { name, addresses } => {
                self.journalled(now, || Entry::Resolved { name: name.clone(), addresses: addresses.clone() });
                drive.resolved(now, &name, &addresses);
            }
            Input::Signal(Signal::Quit) => {
                self.outputs.print("A signal asks the server to end.");
                self.shut_down(drive, now, "Server was shut down");
            }
            Input::Signal(Signal::Reload) => {
                self.journalled(now, || Entry::Reload);
                drive.reload(now);
                for line in self.reload_lines.clone() {
                    self.feed(drive, Input::Line(line));
                }
            }
            Input::Signal(Signal::Report) => self.feed(drive, Input::Line("status".to_owned())),
            Input::Note(note) => self.outputs.print(&note),
        }
    }

    fn advance(&mut self, drive: &mut dyn Drive) {
        let reading = self.clock.now();
        let now = self.now(reading);
        if now < drive.next_wakeup() {
            return;
        }
        drive.advance(now);
        self.carry(drive);
        if let Some(journal) = &mut self.journal {
            journal.record_advance(now);
        }
        self.report_drops(now);
    }

    fn shut_down(&mut self, drive: &mut dyn Drive, now: Arrival, reason: &str) {
        self.journalled(now, || Entry::Shutdown(reason.to_owned()));
        drive.shutdown(now, reason);
    }

    /// Carries away what the server has to say.
    pub fn carry(&mut self, drive: &mut dyn Drive) {
        loop {
            let mut datagram = self.wire.buffer();
            let Some(to) = drive.poll_transmit(&mut datagram) else {
                self.wire.keep(datagram);
                break;
            };
            if let Some(journal) = &mut self.journal {
                journal.note_sent(to, &datagram);
            }
            self.wire.send(to, datagram);
        }
        self.outputs.carry(drive);
        while let Some(name) = drive.poll_resolve() {
            if let Err(name) = self.resolver.ask(name) {
                // Answered as if it were unknown; the server asks again later.
                self.feed(drive, Input::Resolved { name, addresses: Vec::new() });
            }
        }
        if let Some(line) = self.journal.as_mut().and_then(Recorder::take_ending) {
            self.outputs.print(&line);
        }
    }

    /// Says once a minute how much was lost at the sockets, if anything was.
    fn report_drops(&mut self, now: Arrival) {
        if now < self.next_drop_report {
            return;
        }
        self.next_drop_report = now.after(DROP_REPORT);
        let counts = &self.wire.counts;
        let [inward, outward, unsendable] = [&counts.dropped_in, &counts.dropped_out, &counts.unsendable]
            .map(|counter| counter.load(Ordering::Relaxed));
        let dropped = inward + outward + unsendable;
        if dropped > self.told_drops {
            self.told_drops = dropped;
            self.outputs.print(&format!(
                "datagrams lost at the sockets since the start: {inward} came too fast, {outward} went too fast, \
                 {unsendable} could not be sent"
            ));
        }
    }

    /// Ends the threads, once they have carried out what they hold.
    pub fn finish(self) {
        self.wire.finish(LAST_SEND);
        let ending = self.journal.and_then(Recorder::finish);
        let mut outputs = self.outputs;
        if let Some(line) = ending {
            outputs.print(&line);
        }
        outputs.finish();
    }
}

/// Drives `drive` until it has finished: by its own will, or because a signal asks for it.
///
/// An input is handled at once when it comes. Whatever waits when a frame is due is handled before the frame, but no more than
/// that, so that a flood cannot put a frame off for ever. The loop sleeps until exactly [`Drive::next_wakeup`].
pub fn run(mut rim: Rim, drive: &mut dyn Drive) {
    let mut end_by: Option<Arrival> = None;
    loop {
        for _ in 0..rim.inputs.len() {
            let Ok(input) = rim.inputs.try_recv() else { break };
            take(&mut rim, drive, input, &mut end_by);
        }
        rim.carry(drive);
        if drive.is_finished() || end_by.is_some_and(|end| rim.clock.now() >= end) {
            break;
        }
        rim.advance(drive);
        if drive.is_finished() {
            break;
        }
        let wakeup = drive.next_wakeup().min(end_by.unwrap_or(Arrival(u64::MAX)));
        match rim.inputs.recv_deadline(rim.clock.instant(wakeup)) {
            Ok(input) => {
                take(&mut rim, drive, input, &mut end_by);
                rim.carry(drive);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the rim holds a sender itself"),
        }
    }
    rim.carry(drive);
    rim.finish();
}

fn take(rim: &mut Rim, drive: &mut dyn Drive, input: Input, end_by: &mut Option<Arrival>) {
    let quits = matches!(input, Input::Signal(Signal::Quit));
    rim.feed(drive, input);
    if quits {
        end_by.get_or_insert(rim.last.after(LAST_WORDS));
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::{Header, Reader};
    use super::super::replay::{Outcome, replay};
    use super::super::socket::{Listen, bind};
    use super::*;
    use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
    use std::sync::mpsc;
    use std::thread;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// Sends back what it hears, with a stamp; says what happened to it.
    struct Echo {
        salt: u8,
        frame: Option<Millis>,
        due: Arrival,
        frames: Vec<(Arrival, Arrival)>,
        outbox: Vec<(SocketAddr, Vec<u8>)>,
        events: Vec<String>,
        wanted: Option<String>,
        last_frame: usize,
        stubborn: bool,
        finished: bool,
    }

    impl Echo {
        fn new() -> Self {
            Self {
                salt: 0,
                frame: None,
                due: Arrival(u64::MAX),
                frames: Vec::new(),
                outbox: Vec::new(),
                events: Vec::new(),
                wanted: None,
                last_frame: usize::MAX,
                stubborn: false,
                finished: false,
            }
        }

        fn with_frames(clock: Clock, frame: Millis, last_frame: usize) -> Self {
            Self { frame: Some(frame), due: clock.now().after(frame), last_frame, ..Self::new() }
        }
    }

    impl Drive for Echo {
        fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
            let mut reply = datagram.to_vec();
            reply.push(self.salt);
            reply.extend(now.0.to_le_bytes());
            self.outbox.push((from, reply));
        }
        fn console_line(&mut self, _: Arrival, line: &str) {
            self.finished |= line == "quit";
            self.events.push(line.to_owned());
        }
        fn resolved(&mut self, _: Arrival, name: &str, addresses: &[SocketAddr]) {
            self.events.push(format!("{name} is {addresses:?}"));
            self.finished = true;
        }
        fn reload(&mut self, _: Arrival) {
            self.events.push("reload".to_owned());
        }
        fn advance(&mut self, now: Arrival) {
            self.frames.push((self.due, now));
            self.due = self.due.after(self.frame.expect("frames"));
            self.finished |= self.frames.len() >= self.last_frame;
        }
        fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
            let (to, datagram) = if self.outbox.is_empty() { return None } else { self.outbox.remove(0) };
            out.extend(datagram);
            Some(to)
        }
        fn poll_log(&mut self) -> Option<String> {
            None
        }
        fn poll_resolve(&mut self) -> Option<String> {
            self.wanted.take()
        }
        fn next_wakeup(&self) -> Arrival {
            self.due
        }
        fn shutdown(&mut self, _: Arrival, reason: &str) {
            self.events.push(format!("shutdown: {reason}"));
            self.finished = !self.stubborn;
        }
        fn is_finished(&self) -> bool {
            self.finished
        }
    }

    fn rim() -> (Rim, SocketAddr) {
        let listen = Listen { v4: Some(Ipv4Addr::LOCALHOST), v6: None, port: 0, strict: false };
        let bound = bind(&listen).unwrap();
        (Rim::start(Clock::start(), &bound, io::sink()).unwrap(), bound.addresses[0])
    }

    /// A peer on its own thread: asks `count` times, then has the loop end.
    fn ask_and_quit(to: SocketAddr, inputs: Sender<Input>, count: u8) -> thread::JoinHandle<usize> {
        thread::spawn(move || {
            let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
            peer.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut heard = [0; 64];
            let answers = (0..count).filter(|&n| {
                peer.send_to(&[n; 3], to).unwrap();
                peer.recv(&mut heard).is_ok_and(|length| length == 3 + 1 + 8 && heard[0] == n)
            });
            let answered = answers.count();
            inputs.send(Input::Line("quit".to_owned())).unwrap();
            answered
        })
    }

    #[test]
    fn a_datagram_is_answered_at_once_though_no_frame_is_due() {
        let (rim, address) = rim();
        let peer = ask_and_quit(address, rim.inputs(), 20);
        let mut echo = Echo::new();
        run(rim, &mut echo);
        assert_eq!(peer.join().unwrap(), 20);
        assert!(echo.frames.is_empty());
    }

    #[test]
    fn frames_come_when_they_are_due_and_never_before() {
        let (rim, _) = rim();
        let mut echo = Echo::with_frames(rim.clock, Millis(4), 25);
        let first = echo.due;
        run(rim, &mut echo);
        assert_eq!(echo.frames.len(), 25);
        assert!(echo.frames.iter().all(|(due, now)| now >= due), "{:?}", echo.frames);
        assert_eq!(echo.frames[24].0, first.after(Millis(24 * 4)));
    }

    #[test]
    fn a_flood_does_not_put_frames_off() {
        let (rim, _) = rim();
        let inputs = rim.inputs();
        let (stop, stopped) = mpsc::channel::<()>();
        let flood = thread::spawn(move || {
            while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
                let _ = inputs.try_send(Input::Line("flood".to_owned()));
            }
        });
        let mut echo = Echo::with_frames(rim.clock, Millis(4), 10);
        run(rim, &mut echo);
        drop(stop);
        flood.join().unwrap();
        assert_eq!(echo.frames.len(), 10);
    }

    #[test]
    fn a_signal_ends_the_loop_even_if_the_server_does_not() {
        for stubborn in [false, true] {
            let (mut rim, _) = rim();
            let inputs = rim.inputs();
            for signal in [Signal::Report, Signal::Reload, Signal::Quit] {
                inputs.send(Input::Signal(signal)).unwrap();
            }
            rim.run_at_reload(vec!["exec mine.cfg".to_owned()]);
            let mut echo = Echo { stubborn, ..Echo::new() };
            run(rim, &mut echo);
            let expected = ["status", "reload", "exec mine.cfg", "shutdown: Server was shut down"];
            assert_eq!(echo.events, expected);
        }
    }

    #[test]
    fn a_name_is_looked_up_without_being_waited_for() {
        let (rim, _) = rim();
        let mut echo = Echo { wanted: Some("127.0.0.1:27950".to_owned()), ..Echo::new() };
        run(rim, &mut echo);
        assert_eq!(echo.events, ["127.0.0.1:27950 is [127.0.0.1:27950]"]);
    }

    #[test]
    fn a_recorded_run_replays_and_a_changed_server_is_noticed() {
        let path = std::env::temp_dir().join(format!("fogline-replay-{}", std::process::id()));
        let (mut rim, address) = rim();
        rim.record(Recorder::start(&path, &Header::default()).unwrap());
        let peer = ask_and_quit(address, rim.inputs(), 30);
        let mut echo = Echo::with_frames(rim.clock, Millis(2), usize::MAX);
        rim.inputs().send(Input::Line("map oa_dm1".to_owned())).unwrap();
        run(rim, &mut echo);
        assert_eq!(peer.join().unwrap(), 30);

        let again = |salt| -> Outcome {
            let (_, mut journal) = Reader::open(&path).unwrap();
            let mut echo = Echo { salt, ..Echo::with_frames(Clock::start(), Millis(2), usize::MAX) };
            let outcome = replay(&mut journal, &mut echo, &mut |_| {}).unwrap();
            assert_eq!(echo.events, ["map oa_dm1", "quit"]);
            outcome
        };
        let same = again(0);
        assert_eq!((same.datagrams, same.diverged_at, same.torn), (30, None, false));
        assert_eq!(same.advances, echo.frames.len() as u64);
        assert_eq!(same.calls, 2 + 30 + same.advances);
        if same.advances > 0 {
            assert!(again(1).diverged_at.is_some());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
