//! The rim of the tools: addresses, sockets, processes. Only here do the tools ask the machine for anything but the time, which
//! is [`fogline_server::io::Clock`]'s.
#![allow(clippy::disallowed_methods, reason = "here the tools open sockets and start processes")]

pub mod ask;
pub mod maps;
pub mod picture;
pub mod process;
pub mod sockets;
pub mod udp;

use std::io::Read;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;

/// Where a server listens if an address names no port.
const DEFAULT_PORT: u16 = 27_960;

/// The address that a word of the command line stands for: `host`, `host:port`, `1.2.3.4`, `::1`, `[::1]:port`. A name with
/// addresses of both families stands for the older one, as it does for a stock client.
///
/// # Errors
/// A sentence, if there is none.
pub fn resolve(address: &str) -> Result<SocketAddr, String> {
    if let Ok(whole) = address.parse::<SocketAddr>() {
        return Ok(whole);
    }
    if let Ok(ip) = address.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, DEFAULT_PORT));
    }
    let found = if address.contains(':') {
        address.to_socket_addrs()
    } else {
        (address, DEFAULT_PORT).to_socket_addrs()
    };
    let found: Vec<SocketAddr> = found.map_err(|error| format!("{address}: {error}"))?.collect();
    let chosen = found.iter().find(|at| at.is_ipv4()).or(found.first());
    chosen.copied().ok_or_else(|| format!("{address} has no address"))
}

/// The bytes of a file that the command line names.
///
/// # Errors
/// A sentence that names the file, if it cannot be read or is larger than `max_bytes`.
pub fn read_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>, String> {
    let say = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|error| say(&error))?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| say(&error))?;
    if bytes.len() as u64 > max_bytes {
        return Err(say(&format!("it is larger than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Writes a file that the command line names, and the folder that it lies in.
///
/// # Errors
/// A sentence that names the file.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, bytes))
        .map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_may_be_left_out() {
        let cases = [
            ("127.0.0.1", "127.0.0.1:27960"),
            ("127.0.0.1:5", "127.0.0.1:5"),
            ("::1", "[::1]:27960"),
            ("[::1]", "[::1]:27960"),
            ("[::1]:5", "[::1]:5"),
        ];
        for (word, address) in cases {
            assert_eq!(resolve(word).unwrap().to_string(), address);
        }
        assert!(resolve("127.0.0.1:70000").is_err() && resolve("").is_err());
    }
}
