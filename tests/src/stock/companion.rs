//! A second player: a headless client on a thread of its own, told what to do through a channel.

use super::Deadline;
use fogline_common::time::Millis;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::events::{ClientCounts, Event};
use fogline_tools::client::{Client, Input};
use fogline_tools::rim::udp;
use fogline_tools::script::Mind;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// It leaves by itself after so long: longer than any test.
const STAYS: Millis = Millis(600_000);
/// The longest wait for a text.
const STEP: Duration = Duration::from_secs(30);

enum Order {
    Command(String),
    Input(Input),
}

/// A headless player in a match.
pub struct Companion {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<ClientCounts>>,
    texts: Receiver<String>,
}

impl Companion {
    /// One that joins now.
    pub fn join(server: SocketAddr, config: ClientConfig) -> Self {
        let (orders, taken) = channel();
        let (heard, texts) = channel();
        let thread = thread::spawn(move || live(server, config, None, &taken, &heard));
        Self { orders: Some(orders), thread: Some(thread), texts }
    }

    /// One that joins now and does by itself what the mind wants.
    pub fn with_mind(server: SocketAddr, config: ClientConfig, mind: Mind) -> Self {
        let (orders, taken) = channel();
        let (heard, texts) = channel();
        let thread = thread::spawn(move || live(server, config, Some(mind), &taken, &heard));
        Self { orders: Some(orders), thread: Some(thread), texts }
    }

    /// Sends a client command, as from its console.
    pub fn command(&self, text: &str) {
        self.tell(Order::Command(text.to_owned()));
    }

    /// What its hands do from now on.
    pub fn hands(&self, input: Input) {
        self.tell(Order::Input(input));
    }

    fn tell(&self, order: Order) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }

    /// Waits until it is shown a text that holds these words.
    ///
    /// # Panics
    /// If it is not in time, with what it was shown.
    pub fn wait_for_text(&self, words: &str, deadline: Deadline) {
        let mut shown = Vec::new();
        while let Ok(text) = self.texts.recv_timeout(deadline.within(STEP).left()) {
            if text.contains(words) {
                return;
            }
            shown.push(text);
        }
        panic!("the companion was not shown {words:?} but {shown:?}");
    }

    /// Leaves. What it counted.
    ///
    /// # Panics
    /// If its thread has.
    pub fn leave(mut self) -> ClientCounts {
        self.orders = None;
        let counts = self.thread.take().map(|thread| thread.join().expect("the companion's thread panicked"));
        counts.unwrap_or_default()
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn live(
    server: SocketAddr,
    config: ClientConfig,
    mut mind: Option<Mind>,
    orders: &Receiver<Order>,
    heard: &Sender<String>,
) -> ClientCounts {
    let mut client = Client::new(config);
    let mut leaving = false;
    let ended = udp::drive(&mut client, server, STAYS, |now, client| {
        if leaving {
            // What it said last has gone out.
            return false;
        }
        while let Some(event) = client.poll_event() {
            if let Event::Print(text) | Event::Chat(text) = event {
                let _ = heard.send(text);
            }
        }
        if let Some(mind) = &mut mind {
            client.input = mind.input(now, client);
        }
        loop {
            match orders.try_recv() {
                Ok(Order::Command(text)) => {
                    if let Err(error) = client.command(&text) {
                        let _ = heard.send(format!("not sent: {text}: {error}"));
                    }
                }
                Ok(Order::Input(input)) => client.input = input,
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => {
                    client.disconnect(now);
                    leaving = true;
                    return true;
                }
            }
        }
    });
    if let Err(error) = ended {
        let _ = heard.send(format!("its socket failed: {error}"));
    }
    client.counts()
}
