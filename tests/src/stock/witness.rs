//! A spectator who follows a player and keeps what the server tells of it, by the clock of the machine: the same witness for our
//! server and for a stock one.

use super::Deadline;
use fogline_common::ids::{ClientNum, ConfigstringNum};
use fogline_common::openarena::{configstring, entity_type};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{PlayerState, info_string};
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::events::{ClientCounts, Event};
use fogline_tools::client::{Client, ClientState};
use fogline_tools::rim::udp;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// It leaves by itself after so long: longer than any test.
const STAYS: Millis = Millis(900_000);
/// It asks again to follow after so long.
const ASKS_AGAIN: Millis = Millis(2000);
/// What else it heard is kept to be told of, this much.
const HEARD_KEPT: usize = 60;
/// Between two looks at what it knows.
const LOOK: Duration = Duration::from_millis(100);

/// What one snapshot told of the player.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// When it came.
    pub at: Instant,
    /// What it shows.
    pub time: ServerTime,
    /// The player.
    pub player: PlayerState,
    /// From the player to the nearest other: the larger of both distances in the plane, if they are on about one floor.
    pub nearest: Option<f32>,
}

/// The spectator, on a thread of its own.
pub struct Witness {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<ClientCounts>>,
    told: Arc<Mutex<Vec<Told>>>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Witness {
    /// One that joins now and follows the player of that name once it is there.
    pub fn follow(server: SocketAddr, name: &str) -> Self {
        let (stop, stopped) = channel();
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (name, kept, texts) = (name.to_owned(), told.clone(), heard.clone());
        let thread = thread::spawn(move || live(server, &name, &stopped, &kept, &texts));
        Self { stop: Some(stop), thread: Some(thread), told, heard }
    }

    /// All that was told so far.
    pub fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until it follows.
    ///
    /// # Panics
    /// If it does not in time, with what it heard.
    pub fn wait(&self, deadline: Deadline) {
        while self.told().is_empty() {
            if deadline.left().is_zero() {
                let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
                panic!("the witness does not come to follow; it heard {heard:#?}");
            }
            thread::park_timeout(LOOK);
        }
    }

    /// Leaves. What it counted.
    ///
    /// # Panics
    /// If its thread has.
    pub fn leave(mut self) -> ClientCounts {
        self.stop = None;
        let counts = self.thread.take().map(|thread| thread.join().expect("the witness's thread panicked"));
        counts.unwrap_or_default()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn live(
    server: SocketAddr,
    name: &str,
    stopped: &Receiver<()>,
    kept: &Mutex<Vec<Told>>,
    heard: &Mutex<Vec<String>>,
) -> ClientCounts {
    let mut client = Client::new(ClientConfig {
        name: "witness".to_owned(),
        qport: 99,
        guid: "E".repeat(32),
        seed: 99,
        ..ClientConfig::default()
    });
    let mut ask_at = Arrival::default();
    let mut leaving = false;
    let _ = udp::drive(&mut client, server, STAYS, |now, client| {
        if leaving {
            // What it said last has gone out.
            return false;
        }
        if matches!(stopped.try_recv(), Err(TryRecvError::Disconnected)) {
            client.disconnect(now);
            leaving = true;
            return true;
        }
        let followed = called(client, name);
        while let Some(event) = client.poll_event() {
            let Event::Snapshot { message, .. } = event else {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                if heard.len() < HEARD_KEPT {
                    heard.push(format!("{event:?}"));
                }
                continue;
            };
            if let Some(told) = followed.and_then(|followed| look(client, message, followed)) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(told);
                ask_at = now.after(ASKS_AGAIN);
            }
        }
        if let Some(followed) = followed.filter(|_| *client.state() == ClientState::Active && now >= ask_at) {
            ask_at = now.after(ASKS_AGAIN);
            let _ = client.command(&format!("follow {}", followed.index()));
        }
        true
    });
    client.counts()
}

/// The slot of the player of that name.
fn called(client: &Client, name: &str) -> Option<ClientNum> {
    ClientNum::all(MAX_CLIENTS).find(|num| {
        let index = configstring::PLAYERS + num.index() as u16;
        let text = ConfigstringNum::new(usize::from(index)).map(|num| client.configstrings().text(num));
        text.is_some_and(|text| info_string::value(text, "n") == name)
    })
}

/// What a snapshot tells of the player, if it is one of following it.
fn look(client: &Client, message: u32, followed: ClientNum) -> Option<Told> {
    let snapshot = client.snapshots().get(message)?;
    let player = snapshot.player;
    if player.client_num != followed.index() as i32 {
        return None;
    }
    let others = snapshot.entities.iter().filter(|state| state.entity_type == entity_type::PLAYER);
    let gaps = others.filter_map(|state| {
        let offset = (state.pos.base - player.origin).abs();
        (offset.z < 90.0).then_some(offset.x.max(offset.y))
    });
    Some(Told { at: Instant::now(), time: snapshot.time, player, nearest: gaps.min_by(f32::total_cmp) })
}
