//! `fogmap build --watch`: a map is compiled again whenever it is saved, and a running server told to load it.
#![allow(
    clippy::disallowed_methods,
    reason = "it waits for the mapper, and speaks to a server: both are the rim of the map tool"
)]

use std::net::{ToSocketAddrs, UdpSocket};
use std::path::Path;
use std::time::Duration;

/// How often the source is looked at.
pub(super) const PAUSE: Duration = Duration::from_millis(200);
/// How long a server may take to answer: it loads the map first.
const PATIENCE: Duration = Duration::from_secs(3);
/// Marks what belongs to no connection.
const MARK: &[u8] = b"\xff\xff\xff\xff";

/// The server that is to load what was compiled.
pub(super) struct Server {
    /// Address and port.
    pub(super) address: String,
    /// Its `rconPassword`.
    pub(super) password: String,
}

impl Server {
    /// Sends a console command; the answer, empty if there was none in time.
    pub(super) fn command(&self, command: &str) -> Result<String, String> {
        let located = |e: std::io::Error| format!("{}: the server cannot be asked: {e}", self.address);
        let to = self.address.to_socket_addrs().map_err(located)?.next();
        let to = to.ok_or_else(|| format!("{}: no such address", self.address))?;
        let here = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let socket = UdpSocket::bind(here).map_err(located)?;
        socket.connect(to).map_err(located)?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(located)?;
        socket.send(&datagram(&self.password, command)?).map_err(located)?;
        let mut answer = [0; 4096];
        let length = socket.recv(&mut answer).unwrap_or(0);
        let text = answer[..length].strip_prefix(MARK).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        Ok(text.strip_prefix("print\n").unwrap_or(&text).trim().to_owned())
    }
}

fn datagram(password: &str, command: &str) -> Result<Vec<u8>, String> {
    if password.contains(['"', '\n', ';']) || command.contains(['\n']) {
        return Err("a password with quotes, semicolons or line ends cannot be sent".to_owned());
    }
    Ok([MARK, format!("rcon \"{password}\" {command}").as_bytes()].concat())
}

/// Waits until the file differs from what it was; what it is then. A file that is being written is waited for. It is looked at after
/// each `pause`.
pub(super) fn wait_for_change(path: &Path, before: &[u8], pause: Duration) -> Vec<u8> {
    loop {
        std::thread::sleep(pause);
        match std::fs::read(path) {
            Ok(now) if now != before && !now.is_empty() => {
                std::thread::sleep(pause);
                if std::fs::read(path).is_ok_and(|again| again == now) {
                    return now;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_datagram_and_odd_passwords_are_refused() {
        assert_eq!(
            datagram("se cret", "map x").as_deref(),
            Ok(&b"\xff\xff\xff\xffrcon \"se cret\" map x"[..])
        );
        assert!(datagram("a\"b", "map x").is_err());
        assert!(datagram("a", "map x\nquit").is_err());
    }

    #[test]
    fn a_save_is_noticed_and_one_that_changes_nothing_is_not() {
        let name = format!("fogmap-watch-{}.map", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "a").expect("a file of ours");
        std::thread::scope(|scope| {
            let (pause, watched) = (Duration::from_micros(50), path.clone());
            let waiting = scope.spawn(move || wait_for_change(&watched, b"a", pause));
            // As editors save: emptied, then written; the same once more, then another.
            for text in ["", "a", "", "b"] {
                std::fs::write(&path, text).expect("a file of ours");
            }
            assert_eq!(waiting.join().expect("it ends"), b"b");
        });
        std::fs::remove_file(&path).expect("a file of ours");
    }

    #[test]
    fn a_server_is_asked_and_its_answer_read() {
        let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address").to_string();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut bytes = [0; 256];
                let (length, from) = server.recv_from(&mut bytes).expect("a question");
                assert_eq!(&bytes[..length], b"\xff\xff\xff\xffrcon \"pw\" map two");
                server.send_to(b"\xff\xff\xff\xffprint\nloading two\n", from).expect("an answer");
            });
            let asked = Server { address, password: "pw".to_owned() };
            assert_eq!(asked.command("map two").as_deref(), Ok("loading two"));
        });
    }
}
