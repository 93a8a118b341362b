//! A server that only writes down what the console asked of it, for the tests of this folder.

use super::{CommandBuffer, Operator, Player};
use crate::config::Cvars;
use crate::files::{Files, MemoryFiles};
use crate::rotation::Rotation;
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use std::net::IpAddr;

#[derive(Default)]
pub(super) struct FakeServer {
    pub(super) cvars: Cvars,
    pub(super) files: MemoryFiles,
    pub(super) buffer: CommandBuffer,
    pub(super) players: Vec<Player>,
    pub(super) rotation: Rotation,
    /// What was asked, one line each.
    pub(super) asked: Vec<String>,
}

impl FakeServer {
    pub(super) fn with_map() -> Self {
        let mut server = Self::default();
        server.cvars.seal();
        server.cvars.begin_map("oa_dm1", false).unwrap();
        server
    }
}

impl Operator for FakeServer {
    fn cvars(&mut self) -> &mut Cvars {
        &mut self.cvars
    }
    fn files(&mut self) -> &mut dyn Files {
        &mut self.files
    }
    fn command_buffer(&mut self) -> &mut CommandBuffer {
        &mut self.buffer
    }
    fn players(&self) -> Vec<Player> {
        self.players.clone()
    }
    fn filter_status(&self) -> String {
        "filter: off\n".to_owned()
    }
    fn userinfo(&self, client: ClientNum) -> Option<String> {
        let player = self.players.iter().find(|player| player.client == client)?;
        Some(format!("\\name\\{}\\cl_guid\\0A33", player.name))
    }
    fn start_map(&mut self, name: &str, cheats: bool) -> Result<(), String> {
        if name == "missing" {
            return Err("maps/missing.bsp was not found".to_owned());
        }
        self.asked.push(format!("map {name}{}", if cheats { " cheats" } else { "" }));
        self.cvars.begin_map(name, cheats).map(|_| ()).map_err(|error| error.to_string())
    }
    fn restart_map(&mut self, delay: Millis) -> Result<(), String> {
        self.asked.push(format!("restart {}", delay.0));
        Ok(())
    }
    fn kill_server(&mut self, reason: &str) {
        self.asked.push(format!("killserver {reason}"));
        self.cvars.end_map();
    }
    fn rotation(&mut self) -> &mut Rotation {
        &mut self.rotation
    }
    fn quit(&mut self) {
        self.asked.push("quit".to_owned());
    }
    fn heartbeat(&mut self) {
        self.asked.push("heartbeat".to_owned());
    }
    fn shots(&self, client: ClientNum) -> Vec<String> {
        if client.index() == 0 { vec!["a shot".to_owned()] } else { Vec::new() }
    }
    fn start_demo(&mut self, client: ClientNum, name: &str) -> Result<String, String> {
        self.asked.push(format!("record {client} as {name}"));
        Ok(format!("demos/{name}.dm_71"))
    }
    fn stop_demo(&mut self, client: ClientNum) -> bool {
        self.asked.push(format!("record {client} no more"));
        true
    }
    fn demos(&self) -> Vec<String> {
        Vec::new()
    }
    fn ban(&mut self, address: IpAddr, minutes: i32, reason: &str) {
        self.asked.push(format!("ban {address} {minutes} {reason}"));
    }
    fn unban(&mut self, address: IpAddr) -> bool {
        self.asked.push(format!("unban {address}"));
        true
    }
    fn bans(&mut self) -> Vec<String> {
        Vec::new()
    }
    fn drop_client(&mut self, client: ClientNum, reason: &str) {
        self.players.retain(|player| player.client != client);
        self.asked.push(format!("drop {client} {reason}"));
    }
    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str) {
        let to = to.map_or("all".to_owned(), |client| client.to_string());
        self.asked.push(format!("to {to}: {text}"));
    }
    fn game_command(&mut self, args: &[&str], reply: &mut String) -> bool {
        let known = args[0] == "entitylist";
        if known {
            reply.push_str("0 worldspawn\n");
        }
        known
    }
}
