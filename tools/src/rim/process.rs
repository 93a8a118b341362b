//! Other processes: what they cost, by Linux' `/proc`.

use std::fs;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What is shown of a program's output when it fails.
const LAST_WORDS_BYTES: usize = 600;

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time that its living threads spent on a CPU.
    pub cpu_nanos: u64,
    /// Memory that it has in RAM now.
    pub resident_bytes: u64,
}

/// What the process `pid` has used so far.
///
/// # Errors
/// A sentence, if there is no such process, or the system has no `/proc`.
pub fn usage(pid: u32) -> Result<Usage, String> {
    let say = |what: &str, error: &dyn std::fmt::Display| format!("process {pid}: {what}: {error}");
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).map_err(|error| say("its threads", &error))?;
    let mut cpu_nanos = 0;
    for task in tasks.flatten() {
        // A thread that ended meanwhile is no error.
        let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else { continue };
        cpu_nanos += parse_schedstat(&text).ok_or_else(|| say("schedstat", &"it has no number"))?;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).map_err(|error| say("status", &error))?;
    let resident_bytes = parse_resident(&status).ok_or_else(|| say("status", &"it has ended"))?;
    Ok(Usage { cpu_nanos, resident_bytes })
}

/// Time on a CPU, the first of three numbers. Unit: ns. Source: Linux' `sched-stats`.
fn parse_schedstat(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// `VmRSS` in bytes. A process that has ended and is not yet forgotten has none.
fn parse_resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// What this machine is, for the head of a report: its processor, how many of them, its kernel.
pub fn host() -> String {
    let first = |path: &str, prefix: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(prefix))?;
        Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
    };
    let processor = first("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let count = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let kernel = first("/proc/sys/kernel/osrelease", "").unwrap_or_else(|| "unknown".to_owned());
    // What stands behind the second number names a build, or the machine.
    let kernel = kernel.split(['.', '-']).take(2).collect::<Vec<_>>().join(".");
    format!("{processor}, {count} cores, Linux {kernel}")
}

/// The commit that the folder we are in is at, and whether its files differ from it, as far as git can tell.
pub fn commit() -> String {
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).stderr(Stdio::null()).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let source = ["common", "server", "maps", "tools/src", "Cargo.lock"];
    let changed = git(&[&["status", "--porcelain", "--"][..], &source].concat());
    if changed.is_some_and(|changed| changed.is_empty()) { commit } else { format!("{commit} and changes") }
}

/// Runs this very program with other arguments: what it printed, and its exit code.
///
/// # Errors
/// A sentence, if it cannot be started or was killed.
pub fn run_self(args: &[String]) -> Result<(String, i32), String> {
    let say = |error: &dyn std::fmt::Display| format!("{}: {error}", args.join(" "));
    let us = std::env::current_exe().map_err(|error| say(&error))?;
    let done = Command::new(us)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| say(&error))?;
    let code = done.status.code().ok_or_else(|| say(&"it was killed"))?;
    Ok((String::from_utf8_lossy(&done.stdout).into_owned(), code))
}

/// How many processes want a core, on average over the last minute.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_ascii_whitespace().next()?.parse().ok()
}

/// A port that nobody uses now.
///
/// # Errors
/// If there is none.
pub fn free_port() -> io::Result<u16> {
    Ok(UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?.local_addr()?.port())
}

/// A process that we started. It ends with this value.
#[derive(Debug)]
pub struct Owned(pub Child);

impl Owned {
    /// Its number.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// The end of what it wrote to the file that it was [started](start) with.
    pub fn last_words(&self, log: &Path) -> String {
        let bytes = fs::read(log).unwrap_or_default();
        let text =
            String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(LAST_WORDS_BYTES)..]).into_owned();
        text.trim_end().to_owned()
    }
}

/// Starts a program that reads nothing and writes to the file `log`.
///
/// # Errors
/// If the file cannot be made or the program not be started.
pub fn start(command: &mut Command, log: &Path) -> io::Result<Owned> {
    let out = fs::File::create(log)?;
    let errors = out.try_clone()?;
    command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().map(Owned)
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_files_are_read_and_nonsense_is_not() {
        assert_eq!(parse_schedstat("110588504 532715189 43\n"), Some(110_588_504));
        assert_eq!(parse_schedstat(""), None);
        assert_eq!(parse_resident("Name:\tx\nVmRSS:\t    5120 kB\n"), Some(5 << 20));
        assert_eq!(parse_resident("Name:\tx\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn our_own_usage_grows_and_a_stranger_has_none() {
        let before = usage(std::process::id()).unwrap();
        let mut sum = 0_u64;
        let mut after = before;
        // Work until the system says that it was work; it counts in steps.
        for n in 0..100_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(n));
            if n % 1_000_000 == 0 {
                after = usage(std::process::id()).unwrap();
                if after.cpu_nanos > before.cpu_nanos {
                    break;
                }
            }
        }
        assert!(after.cpu_nanos > before.cpu_nanos && after.resident_bytes > 0);
        assert!(usage(u32::MAX).is_err());
    }
}
