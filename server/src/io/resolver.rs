//! Looks names up on a thread of its own: a name server that does not answer takes half a minute, and no frame waits for it.

use super::Input;
use crossbeam_channel::{Sender, bounded};
use std::net::ToSocketAddrs;

/// Names that may wait.
const MAX_WAITING: usize = 16;

/// Asks the system's resolver.
pub(super) struct Resolver {
    names: Sender<String>,
}

impl Resolver {
    pub(super) fn start(inputs: Sender<Input>) -> std::io::Result<Self> {
        let (names, wanted) = bounded::<String>(MAX_WAITING);
        super::start_thread("resolver", move || {
            for name in wanted {
                let addresses = name.to_socket_addrs().map(Iterator::collect).unwrap_or_default();
                if inputs.send(Input::Resolved { name, addresses }).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { names })
    }

    /// Wants `name` (`host:port`) looked up. Gives it back if too many wait.
    pub(super) fn ask(&self, name: String) -> Result<(), String> {
        self.names.try_send(name).map_err(crossbeam_channel::TrySendError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_no_name_is_answered_with_no_address() {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let resolver = Resolver::start(sender).unwrap();
        for (name, count) in [("127.0.0.1:27950", 1), ("[::1]:1", 1), ("no port", 0)] {
            resolver.ask(name.to_owned()).unwrap();
            match receiver.recv_timeout(Duration::from_secs(10)) {
                Ok(Input::Resolved { name: asked, addresses }) => {
                    assert_eq!((asked.as_str(), addresses.len()), (name, count));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
