//! A game module that never heard of rewinding: its entities are bytes at a stride, and its weapon is a plain trace.
//!
//! It stands where a stock module would, and calls one trap for every trace; what is behind that trap decides which of them go to
//! the world that the shooter drew.

use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, angle_vectors, vec3};
use fogline_common::openarena::{entity_flag, pers, stat, trajectory, weapon};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{EntityState, PlayerState, UserCmd, button, contents, mask};
use fogline_common::time::ServerTime;
use fogline_common::trace::{Trace, TraceRequest};
use fogline_server::game::{EntityLink, EntityTable, Game, Host, SharedEntity};
use std::sync::{Arc, Mutex};

/// Bytes from one entity to the next; more than is used, as in a module.
const STRIDE: usize = 512;
const STATE_BYTES: usize = size_of::<EntityState>();
const BODY: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));

/// What became of the module's shots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shots {
    /// Fired.
    pub fired: u32,
    /// Those that hit a player.
    pub hits: u32,
    /// Those that would have hit one in the present.
    pub hits_in_present: u32,
    /// Those after which the module's memory was not as before.
    pub disturbed: u32,
    /// Other traces along the same rays that were not answered by the present.
    pub strays: u32,
}

/// The module's memory.
#[derive(Debug)]
struct Memory(Vec<u8>);

impl EntityTable for Memory {
    fn len(&self) -> usize {
        self.0.len() / STRIDE
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        let bytes = &self.0[num.index() * STRIDE..][..STRIDE];
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut entity = SharedEntity::default();
        for (n, value) in entity.state.words_mut().iter_mut().enumerate() {
            *value = word(n * 4);
        }
        let link = |n: usize| word(STATE_BYTES + n * 4);
        let vector = |n: usize| Vec3::from([0, 1, 2].map(|axis| f32::from_bits(link(n + axis))));
        entity.link = EntityLink {
            linked: link(0) != 0,
            link_count: link(1) as i32,
            contents: link(2) as i32,
            owner: link(3) as i32,
            origin: vector(4),
            bounds: Bounds::new(vector(7), vector(10)),
            abs_bounds: Bounds::new(vector(13), vector(16)),
            ..EntityLink::default()
        };
        entity
    }
}

impl Memory {
    fn put(&mut self, num: EntityNum, entity: &SharedEntity) {
        let bytes = &mut self.0[num.index() * STRIDE..][..STRIDE];
        let link = &entity.link;
        let head = [u32::from(link.linked), link.link_count as u32, link.contents as u32, link.owner as u32];
        let vectors =
            [link.origin, link.bounds.mins, link.bounds.maxs, link.abs_bounds.mins, link.abs_bounds.maxs];
        let floats = vectors.into_iter().flat_map(|v| v.to_array().map(f32::to_bits));
        let words = entity.state.words().iter().copied().chain(head).chain(floats);
        for (slot, word) in bytes.chunks_exact_mut(4).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// The module: player 0 stands and shoots, player 1 runs across its view by itself, again and again.
#[derive(Debug)]
pub struct StandIn {
    memory: Memory,
    players: Vec<PlayerState>,
    /// The player whose command is being executed.
    acting: Option<ClientNum>,
    reloaded_at: i32,
    /// Laps of player 1.
    lap: i32,
    shots: Arc<Mutex<Shots>>,
}

impl StandIn {
    /// A module, and where it counts its shots.
    pub fn new() -> (Self, Arc<Mutex<Shots>>) {
        let shots = Arc::new(Mutex::new(Shots::default()));
        let module = Self {
            memory: Memory(vec![0; STRIDE * MAX_CLIENTS]),
            players: vec![PlayerState::default(); MAX_CLIENTS],
            acting: None,
            reloaded_at: 0,
            lap: 0,
            shots: shots.clone(),
        };
        (module, shots)
    }

    /// The trap that a stock module calls for every trace.
    fn trap_trace(&self, host: &dyn Host, request: &TraceRequest) -> Trace {
        host.trap_trace(self.acting, &self.memory, request)
    }

    /// Of traces that are no shot of the acting client, those that are not answered as the present is.
    fn strays(&self, host: &dyn Host, shot: &TraceRequest) -> u32 {
        let thick = Bounds::POINT.grown(1.0);
        let others = [
            TraceRequest { mask: mask::PLAYERSOLID, ..*shot },
            TraceRequest { mask: mask::SOLID, ..*shot },
            TraceRequest { bounds: thick, ..*shot },
            TraceRequest { pass: None, ..*shot },
            TraceRequest { pass: ClientNum::new(5).map(ClientNum::entity), ..*shot },
        ];
        let strays = others.iter().filter(|&it| self.trap_trace(host, it) != host.trace(&self.memory, it));
        let in_frame = host.trap_trace(None, &self.memory, shot) != host.trace(&self.memory, shot);
        strays.count() as u32 + u32::from(in_frame)
    }

    fn stand(&mut self, host: &mut dyn Host, num: ClientNum, origin: Vec3) {
        let ps = &mut self.players[num.index()];
        ps.client_num = num.index() as i32;
        ps.origin = origin;
        ps.view_height = 26;
        ps.ground_entity = EntityNum::to_wire(Some(EntityNum::WORLD));
        ps.stats[stat::HEALTH as usize] = 100;
        ps.persistant[pers::SPAWN_COUNT as usize] = 1;
        let mut entity = self.memory.get(num.entity());
        entity.state.number = num.index() as i32;
        entity.state.weapon = weapon::RAILGUN;
        entity.state.entity_type = fogline_common::openarena::entity_type::PLAYER;
        entity.state.pos.kind = trajectory::INTERPOLATE;
        entity.state.pos.base = origin.truncated();
        let is_odd = num.index() > 0 && self.lap % 2 == 1;
        entity.state.flags = if is_odd { entity_flag::TELEPORT_BIT } else { 0 };
        entity.link.origin = origin;
        entity.link.bounds = BODY;
        entity.link.contents = contents::BODY;
        entity.link.owner = EntityNum::NONE_ON_WIRE;
        host.link(num.entity(), &mut entity);
        self.memory.put(num.entity(), &entity);
    }

    fn shoot(&mut self, host: &dyn Host, num: ClientNum) {
        let ps = &self.players[num.index()];
        let (eye, forward) = (ps.eye(), angle_vectors(ps.view_angles).forward);
        let request = TraceRequest::ray(eye, eye + forward * 8192.0, mask::SHOT, Some(num.entity()));
        let before = self.memory.0.clone();
        let hit = self.trap_trace(host, &request).entity;
        let in_present = host.trace(&self.memory, &request).entity;
        let strays = self.strays(host, &request);
        let is_player = |hit: Option<EntityNum>| hit.is_some_and(|num| num.index() < MAX_CLIENTS);
        let mut shots = self.shots.lock().expect("nobody panics with it");
        shots.fired += 1;
        shots.hits += u32::from(is_player(hit));
        shots.hits_in_present += u32::from(is_player(in_present));
        shots.strays += strays;
        shots.disturbed += u32::from(before != self.memory.0);
    }
}

impl Game for StandIn {
    fn init(&mut self, _: &mut dyn Host, _: ServerTime, _: u32, _: bool) {
        self.memory.0.fill(0);
    }

    fn shutdown(&mut self, _: &mut dyn Host, _: bool) {}

    fn client_connect(&mut self, _: &mut dyn Host, _: ClientNum, _: bool, _: bool) -> Result<(), String> {
        Ok(())
    }

    fn client_begin(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.stand(host, client, if client.index() == 0 { vec3(-600.0, 0.0, 24.125) } else { place(0) });
    }

    fn client_userinfo_changed(&mut self, _: &mut dyn Host, _: ClientNum) {}
    fn client_disconnect(&mut self, _: &mut dyn Host, _: ClientNum) {}
    fn client_command(&mut self, _: &mut dyn Host, _: ClientNum, _: &[&str]) {}

    fn console_command(&mut self, _: &mut dyn Host, _: &[&str]) -> bool {
        false
    }

    fn client_think(&mut self, host: &mut dyn Host, client: ClientNum, cmd: &UserCmd) {
        self.acting = Some(client);
        let ps = &mut self.players[client.index()];
        ps.command_time = cmd.server_time;
        ps.view_angles = Vec3::from([0, 1, 2].map(|axis| cmd.angles[axis] as f32 * (360.0 / 65536.0)));
        let fires = client.index() == 0 && cmd.buttons & button::ATTACK != 0;
        if fires && cmd.server_time >= self.reloaded_at {
            self.reloaded_at = cmd.server_time + 100;
            self.shoot(host, client);
        }
        self.acting = None;
    }

    fn run_frame(&mut self, host: &mut dyn Host, level_time: ServerTime) {
        if let Some(target) = ClientNum::new(1).filter(|num| self.memory.get(num.entity()).link.linked) {
            self.lap = level_time.0 / LAP_MS;
            self.stand(host, target, place(level_time.0));
        }
    }

    fn entities(&self) -> &dyn EntityTable {
        &self.memory
    }

    fn player_state(&self, client: ClientNum) -> PlayerState {
        self.players[client.index()]
    }
}

/// Time from one side of the shooter's view to the other; then it is back at the first. Unit: ms.
const LAP_MS: i32 = 2000;
/// Units a second.
const SPEED: f32 = 400.0;

/// Where player 1 is.
fn place(time: i32) -> Vec3 {
    let way = (time % LAP_MS) as f32 * SPEED / 1000.0;
    vec3(0.0, way - SPEED * LAP_MS as f32 / 2000.0, 24.125)
}
