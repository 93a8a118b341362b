//! The program as a host meets it: exit codes, the ready line, signals, standard input and output.
//!
//! What needs a map runs where OpenArena's data is installed, and says so where it is not.

#![allow(clippy::disallowed_methods, reason = "starts the program and talks to it over loopback")]

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of its own for one test, removed after.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fogline-program-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn fogline(home: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fogline"));
    command.args(["--homepath", &home.path("home")]).args(args).current_dir(&home.0);
    command
}

fn ending(home: &Folder, args: &[&str]) -> (i32, String) {
    let Output { status, stdout, stderr } = fogline(home, args).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.code().expect("an exit code"), text)
}

/// Where OpenArena's maps are installed, if they are.
fn game_data() -> Option<&'static str> {
    let places = ["/usr/lib/openarena-server", "/usr/share/games/openarena"];
    let found = places.into_iter().find(|place| Path::new(place).join("baseoa").is_dir());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI must have OpenArena's data");
        eprintln!("skipped: OpenArena's data is not installed");
    }
    found
}

/// A server that is up.
struct Running {
    child: Child,
    address: SocketAddr,
    lines: mpsc::Receiver<String>,
    home: Folder,
}

impl Running {
    /// On loopback, at a free port, known to no master.
    fn start(data: &str, stdin: Stdio, extra: &[&str]) -> Self {
        Self::start_on("oa_dm1", data, stdin, &[extra, &["+map", "oa_dm1"]].concat())
    }

    /// The same with a command line of one's own, until it says that it plays on `map`.
    fn start_on(map: &str, data: &str, stdin: Stdio, extra: &[&str]) -> Self {
        let home = Folder::new();
        let args = [
            &["--basepath", data, "--bind", "127.0.0.1", "--port", "0"][..],
            extra,
            &["+set", "dedicated", "1", "+set", "rconpassword", "open sesame"],
        ];
        let mut child = fogline(&home, &args.concat())
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let ready = wait_for(&lines, |line| line.starts_with(&format!("Ready: {map} at ")));
        let address = ready.rsplit_once(" at ").unwrap().1.parse().unwrap();
        Self { child, address, lines, home }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end: exit code and how long it took.
    fn end(&mut self) -> (Option<i32>, Duration) {
        let since = Instant::now();
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        let status = self.child.wait().unwrap();
        (status.code(), since.elapsed())
    }

    fn ask(&self, text: &str) -> String {
        self.ask_within(text, PATIENCE).unwrap()
    }

    /// The answer, if one comes in time: who asks too often is not answered for a while.
    fn ask_within(&self, text: &str, patience: Duration) -> Option<String> {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(patience)).unwrap();
        socket.send_to(&[b"\xff\xff\xff\xff", text.as_bytes()].concat(), self.address).unwrap();
        let mut reply = [0; 8192];
        let length = socket.recv(&mut reply).ok()?;
        Some(String::from_utf8_lossy(&reply[4..length]).into_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn wait_for(lines: &mpsc::Receiver<String>, wanted: impl Fn(&str) -> bool) -> String {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if wanted(&line) => return line,
            Ok(line) => seen.push(line),
            Err(_) => panic!("not said; before that: {seen:#?}"),
        }
    }
}

#[test]
fn without_game_data_one_sentence_says_how_to_get_it() {
    let home = Folder::new();
    let (code, text) = ending(&home, &["--basepath", &home.path("nothing"), "+map", "oa_dm1"]);
    assert_eq!(code, 72, "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.contains("fs_basepath") && text.contains("openarena-server"), "{text}");
}

#[test]
fn without_game_data_and_without_a_map_it_plays_on_its_own_arena() {
    let nothing = Folder::new();
    let mut server = Running::start_on("fogarena1", &nothing.path("nothing"), Stdio::null(), &[]);
    let status = server.ask("getstatus");
    for part in ["\\mapname\\fogarena1\\", "\\sv_allowDownload\\1\\"] {
        assert!(status.contains(part), "{part} is not in {status}");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn wrong_flags_are_usage_errors_and_help_is_none() {
    let home = Folder::new();
    assert_eq!(ending(&home, &["--bogus"]).0, 2);
    assert_eq!(ending(&home, &["oa_dm1"]).0, 2);
    let (code, text) = ending(&home, &["--help"]);
    assert!(code == 0 && text.contains("--check-config") && text.contains("+map"), "{text}");
    let (code, text) = ending(&home, &["--version"]);
    assert!(code == 0 && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
}

#[test]
fn the_dump_of_cvars_shows_what_was_set_and_no_password() {
    let home = Folder::new();
    let args = ["--dump-cvars", "+set", "sv_hostname", "my place", "+set", "rconpassword", "open sesame"];
    let (code, text) = ending(&home, &args);
    assert_eq!(code, 0);
    assert!(text.contains("\nset sv_hostname \"my place\"\n"), "{text}");
    assert!(!text.contains("open sesame"));
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let Some(data) = game_data() else { return };
    let home = Folder::new();
    let (code, text) = ending(&home, &["--basepath", data, "+set", "net_ip", "nowhere", "+map", "oa_dm1"]);
    assert!(code == 78 && text.contains("net_ip \"nowhere\""), "{code}: {text}");
    let (code, text) = ending(&home, &["--basepath", data, "--check-config", "+map", "no_such_map"]);
    assert!(code == 72 && text.contains("no_such_map"), "{code}: {text}");
    let (code, text) = ending(&home, &["--basepath", data, "--check-config", "+map", "oa_dm1"]);
    assert!(code == 0 && text.contains("Everything could be read"), "{code}: {text}");
    assert!(!Path::new(&home.path("home")).exists(), "a check writes nothing");
}

#[test]
fn a_taken_port_is_refused_if_strict() {
    let Some(data) = game_data() else { return };
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let home = Folder::new();
    let args = [
        "--basepath",
        data,
        "--bind",
        "127.0.0.1",
        "--port",
        &port,
        "+set",
        "net_portStrict",
        "1",
        "+map",
        "oa_dm1",
    ];
    let (code, text) = ending(&home, &args);
    assert!(code == 1 && text.contains(&port), "{code}: {text}");
}

#[test]
fn term_and_int_end_it_cleanly_and_soon() {
    let Some(data) = game_data() else { return };
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Running::start(data, Stdio::null(), &[]);
        server.signal(signal);
        let (code, took) = server.end();
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn quit_on_standard_input_ends_it_and_what_it_kept_is_kept() {
    let Some(data) = game_data() else { return };
    let mut server = Running::start(data, Stdio::piped(), &[]);
    let mut stdin = server.child.stdin.take().unwrap();
    stdin.write_all(b"seta sv_hostname \"my place\"\nquit\n").unwrap();
    assert_eq!(server.end().0, Some(0));
    let archive = fs::read_to_string(server.home.path("home/baseoa/q3config_server.cfg")).unwrap();
    assert!(archive.contains("my place"), "{archive}");
}

#[test]
fn it_answers_queries_and_rcon_and_reports_on_a_signal() {
    let Some(data) = game_data() else { return };
    let mut server = Running::start(data, Stdio::null(), &[]);
    let info = server.ask("getinfo abc");
    assert!(info.starts_with("infoResponse\n") && info.contains("\\challenge\\abc"), "{info}");
    assert!(info.contains("\\protocol\\71") && info.contains("\\mapname\\oa_dm1"), "{info}");
    assert!(server.ask("getstatus").starts_with("statusResponse\n"));
    assert!(server.ask("rcon \"open sesame\" status").contains("oa_dm1"));
    assert_eq!(server.ask("rcon wrong status"), "print\nBad rconpassword.\n");
    server.signal(Signal::USR1);
    wait_for(&server.lines, |line| line.starts_with("map: oa_dm1"));
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_hangup_reads_the_configuration_again() {
    let Some(data) = game_data() else { return };
    let mut server = Running::start(data, Stdio::null(), &[]);
    fs::create_dir_all(server.home.path("home/baseoa")).unwrap();
    fs::write(server.home.path("home/baseoa/server.cfg"), "set sv_hostname \"after the reload\"\n").unwrap();
    server.signal(Signal::HUP);
    wait_for(&server.lines, |line| line.contains("configuration"));
    // A cvar is true from the next frame on, so ask until it is.
    let deadline = Instant::now() + PATIENCE;
    let renamed = |answer: Option<String>| answer.is_some_and(|answer| answer.contains("after the reload"));
    while !renamed(server.ask_within("getinfo", Duration::from_millis(500))) {
        assert!(Instant::now() < deadline, "the reload did nothing");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_fifo_takes_console_lines_and_goes_away() {
    let Some(data) = game_data() else { return };
    let mut server = Running::start(data, Stdio::null(), &["+set", "com_pipefile", "console"]);
    let path = server.home.path("home/baseoa/console");
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all(b"echo heard by the fifo\nquit\n")
        .unwrap();
    wait_for(&server.lines, |line| line == "heard by the fifo");
    assert_eq!(server.end().0, Some(0));
    assert!(!Path::new(&path).exists());
}

#[test]
fn a_closed_standard_output_ends_nothing() {
    let Some(data) = game_data() else { return };
    let home = Folder::new();
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let args = [
        "--basepath",
        data,
        "--bind",
        "127.0.0.1",
        "--port",
        &port,
        "+set",
        "dedicated",
        "1",
        "+map",
        "oa_dm1",
    ];
    let mut child = fogline(&home, &args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 8];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"status\nstatus\nquit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_recorded_run_replays_to_the_same_bytes() {
    let Some(data) = game_data() else { return };
    let folder = Folder::new();
    let journal = folder.path("run.journal");
    let mut server = Running::start(data, Stdio::piped(), &["--journal", &journal]);
    for n in 0..5 {
        server.ask(&format!("getinfo {n}"));
    }
    let mut stdin = server.child.stdin.take().unwrap();
    stdin.write_all(b"say hello\nquit\n").unwrap();
    assert_eq!(server.end().0, Some(0));
    let (code, text) = ending(&folder, &["--replay", &journal]);
    assert!(code == 0 && text.contains("replayed 7 inputs"), "{code}: {text}");
}

/// Unit: clock ticks of user and system time, a hundred a second.
#[cfg(target_os = "linux")]
fn cpu_ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn an_empty_server_idles_with_standard_input_at_its_end() {
    let Some(data) = game_data() else { return };
    let server = Running::start(data, Stdio::null(), &[]);
    let before = cpu_ticks(&server.child);
    let span = Duration::from_secs(4);
    assert!(server.lines.recv_timeout(span).is_err(), "nothing should be said");
    let ticks = cpu_ticks(&server.child) - before;
    // One hundredth of a core would be four ticks; a debug build and a busy machine get some slack.
    assert!(ticks <= 8, "{ticks} ticks of CPU in {span:?}");
}
