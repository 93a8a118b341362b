//! Demos that the server records itself: what a player lives through, with everybody in the picture.
//!
//! A recorder is told everything: the filter is not asked about it, nothing is redacted for it, and what it writes is sent to
//! nobody. [`demo`] is one that runs, [`Recordings`] are all of them and what waits to be written. The files are as stock
//! clients record them. The rim writes them; this folder knows no disk and no clock.

mod demo;

pub use demo::Demo;

use crate::clients::{Clients, Session};
use crate::level::Level;
use crate::server::Server;
use crate::snapshot::{StateLog, WorldFrame};
use demo::Picture;
use fogline_common::ids::ClientNum;
use fogline_common::wire::bits::BitWriter;
use std::collections::VecDeque;

/// Bytes that may wait for a rim that does not take them; one more message ends every demo, since one with a gap cannot be played.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// Where a demo ends by itself: some hours.
pub const MAX_DEMO_BYTES: u64 = 1 << 30;
/// Folder below the home path's game folder in which stock clients look for demos.
const FOLDER: &str = "demos";
/// Longest name of a demo.
pub const MAX_NAME_CHARS: usize = 48;

/// What is taken out of the recordings, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemoOutput {
    /// A demo begins, to be written to this file below the home path's game folder, or one of a similar name if it is there.
    Begin {
        /// By which the rest of it is known.
        id: u32,
        /// Name without its ending.
        stem: String,
        /// The ending.
        ending: String,
    },
    /// More of it.
    Bytes {
        /// Of which.
        id: u32,
        /// To be added as they are.
        bytes: Vec<u8>,
    },
    /// It is whole.
    End {
        /// Which.
        id: u32,
    },
}

/// The demos that run.
#[derive(Debug, Default)]
pub struct Recordings {
    /// By slot, each slot once.
    demos: Vec<Demo>,
    outputs: VecDeque<DemoOutput>,
    waiting_bytes: usize,
    next_id: u32,
    writer: BitWriter,
}

impl Recordings {
    /// Begins a demo of a player at the next frame. `name` is for the file, without folder and ending. The file as it is meant.
    ///
    /// # Errors
    /// The sentence for the host.
    pub fn begin(&mut self, player: ClientNum, name: &str, protocol: i32) -> Result<String, String> {
        if self.demo(player).is_some() {
            return Err(format!("slot {player} is being recorded already"));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
            return Err(format!(
                "\"{}\" is no name for a demo: up to {MAX_NAME_CHARS} letters, digits, - and _",
                name.escape_debug().take(80).collect::<String>()
            ));
        }
        let (id, stem, ending) = (self.next_id, format!("{FOLDER}/{name}"), format!("dm_{protocol}"));
        let file = format!("{stem}.{ending}");
        self.next_id = self.next_id.wrapping_add(1);
        self.push(DemoOutput::Begin { id, stem, ending });
        self.demos.push(Demo::new(id, player, &file));
        self.demos.sort_by_key(|demo| demo.player);
        Ok(file)
    }

    /// Ends a player's demo. Whether there was one.
    pub fn end(&mut self, player: ClientNum) -> bool {
        let Some(at) = self.demos.iter().position(|demo| demo.player == player) else { return false };
        let id = self.demos.remove(at).id;
        self.push(DemoOutput::Bytes { id, bytes: demo::END.to_vec() });
        self.push(DemoOutput::End { id });
        true
    }

    /// Ends every demo.
    pub fn end_all(&mut self) {
        while let Some(demo) = self.demos.first() {
            self.end(demo.player);
        }
    }

    /// The player's demo, if it is being recorded.
    pub fn demo(&self, player: ClientNum) -> Option<&Demo> {
        self.demos.iter().find(|demo| demo.player == player)
    }

    /// Every demo that runs, by slot.
    pub fn demos(&self) -> &[Demo] {
        &self.demos
    }

    /// A server command goes to one client or to all.
    pub(crate) fn hear(&mut self, to: Option<ClientNum>, text: &[u8]) {
        self.demos
            .iter_mut()
            .filter(|demo| to.is_none_or(|to| to == demo.player))
            .for_each(|demo| demo.hear(text));
    }

    /// What is to be written next.
    pub fn poll(&mut self) -> Option<DemoOutput> {
        let output = self.outputs.pop_front()?;
        if let DemoOutput::Bytes { bytes, .. } = &output {
            self.waiting_bytes -= bytes.len();
        }
        Some(output)
    }

    fn push(&mut self, output: DemoOutput) {
        if let DemoOutput::Bytes { bytes, .. } = &output {
            self.waiting_bytes += bytes.len();
        }
        self.outputs.push_back(output);
    }

    /// Adds this frame to every demo. Sentences about those that end by it.
    fn record(&mut self, level: &Level, clients: &Clients, view: &Frame<'_>) -> Vec<String> {
        let mut endings: Vec<(ClientNum, String)> = Vec::new();
        for demo in &mut self.demos {
            // Who has not entered the world yet has nothing to show.
            if !clients.get(demo.player).is_some_and(Session::is_active) {
                continue;
            }
            let picture = Picture {
                level,
                frame: view.frame,
                states: view.states,
                server_count: view.server_count,
                player: (view.player_state)(demo.player),
            };
            match demo.record(&picture, &mut self.writer) {
                Ok(bytes) => {
                    self.waiting_bytes += bytes.len();
                    self.outputs.push_back(DemoOutput::Bytes { id: demo.id, bytes });
                }
                Err(sentence) => endings.push((demo.player, sentence.to_owned())),
            }
        }
        if self.waiting_bytes > MAX_WAITING_BYTES {
            let late = |demo: &Demo| (demo.player, "it is not written as fast as it comes".to_owned());
            endings = self.demos.iter().map(late).collect();
        }
        let mut sentences = Vec::new();
        for (player, why) in endings {
            let file = self.demo(player).map(|demo| demo.file.clone()).unwrap_or_default();
            self.end(player);
            sentences.push(format!("{file} ends here: {why}"));
        }
        sentences
    }
}

/// What a demo is made from.
struct Frame<'a> {
    frame: &'a WorldFrame,
    states: &'a StateLog,
    server_count: bool,
    player_state: &'a dyn Fn(ClientNum) -> fogline_common::proto::PlayerState,
}

impl Server {
    /// Adds the frame that was just sent to the demos that run.
    pub(crate) fn record_demos(&mut self) {
        if self.engine.recordings.demos.is_empty() {
            return;
        }
        let Some(level) = &self.engine.level else { return };
        let game = &self.game;
        let view = Frame {
            frame: &self.frame,
            states: &self.states,
            server_count: self.server_count,
            player_state: &|player| game.player_state(player),
        };
        let sentences = self.engine.recordings.record(level, &self.engine.clients, &view);
        sentences.iter().for_each(|sentence| self.engine.log.line(sentence));
    }

    /// The next part of a demo to be written.
    pub fn poll_demo(&mut self) -> Option<DemoOutput> {
        self.engine.recordings.poll()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(n: usize) -> ClientNum {
        ClientNum::new(n).unwrap()
    }

    #[test]
    fn a_demo_begins_and_ends_with_its_marks() {
        let mut recordings = Recordings::default();
        assert_eq!(recordings.begin(player(3), "final-1", 71).as_deref(), Ok("demos/final-1.dm_71"));
        assert!(recordings.begin(player(3), "again", 71).is_err());
        assert!(recordings.end(player(3)) && !recordings.end(player(3)));
        let outputs: Vec<DemoOutput> = std::iter::from_fn(|| recordings.poll()).collect();
        let begin = DemoOutput::Begin { id: 0, stem: "demos/final-1".into(), ending: "dm_71".into() };
        let bytes = DemoOutput::Bytes { id: 0, bytes: vec![255; 8] };
        assert_eq!(outputs, [begin, bytes, DemoOutput::End { id: 0 }]);
    }

    #[test]
    fn a_name_stays_in_its_folder() {
        for name in ["", "../a", "a/b", "a.b", "a b", &"a".repeat(MAX_NAME_CHARS + 1)] {
            assert!(Recordings::default().begin(player(0), name, 71).is_err(), "{name}");
        }
    }

    #[test]
    fn each_demo_hears_what_its_player_is_told() {
        let mut recordings = Recordings::default();
        (0..2).for_each(|n| assert!(recordings.begin(player(n), "a", 71).is_ok()));
        recordings.hear(None, b"print \"all\"");
        recordings.hear(Some(player(1)), b"print \"one\"");
        recordings.hear(Some(player(2)), b"print \"none\"");
        let counts: Vec<usize> = recordings.demos().iter().map(Demo::commands_waiting).collect();
        assert_eq!(counts, [1, 2]);
        recordings.end_all();
        assert!(recordings.demos().is_empty());
    }
}
