//! The boundary between engine and rules, shaped so that a stock game module can stand where the native rules stand.
//!
//! Engine to game: [`Game`]. Game to engine: [`Host`]. Entities belong to the game; the engine reads them through an
//! [`EntityTable`] and writes only the link data of an entity handed to [`Host::link`]. A game keeps no reference between
//! calls. World queries take the table as an argument, because they are asked while the game is borrowed.

mod host;
pub mod native;
mod record;

pub use record::Record;

use crate::config::Config;
use crate::rewind::cover::Explained;
use crate::telemetry::Phase;
use fogline_common::ids::{ClientNum, ConfigstringNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::{EntityState, PlayerState, UserCmd, mask};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};

/// An entity as game and engine share it: what clients are told, and how it stands in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SharedEntity {
    /// What clients are told. Source: `entityState_t s`.
    pub state: EntityState,
    /// How it stands in the world. Source: `entityShared_t r`.
    pub link: EntityLink,
}

/// How an entity stands in the world. Source: `entityShared_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntityLink {
    /// The engine has it in its sectors. Written by the engine.
    pub linked: bool,
    /// Times linked so far. Written by the engine.
    pub link_count: i32,
    /// Bits of [`sv_flag`](fogline_common::proto::sv_flag).
    pub sv_flags: i32,
    /// The one client meant by the single-client flags.
    pub single_client: i32,
    /// Its box is an inline model of the map (the number is in `state.model_index`).
    pub brush_model: bool,
    /// Box around the origin.
    pub bounds: Bounds,
    /// What it is made of; 0 lets everything through.
    pub contents: i32,
    /// Box in the world, grown by one unit. Written by the engine.
    pub abs_bounds: Bounds,
    /// Where it is now; traces use this, whatever was linked.
    pub origin: Vec3,
    /// How it is turned now; matters to brush models alone.
    pub angles: Vec3,
    /// Who made it: owner and owned never hit each other. 1023 for nobody.
    pub owner: i32,
}

/// Sounds by which players are heard whom a client does not see: any voice but their own, and the flashes of teleporters. A game
/// that wants them heard gives these to its clients as it does all sounds, in the configstrings from `CS_SOUNDS` on.
pub const VOICES: [&str; 4] = [
    "sound/player/sarge/jump1.wav",
    "sound/player/sarge/pain50_1.wav",
    "sound/player/sarge/death1.wav",
    "sound/world/telein.wav",
];

/// The game's entities, wherever their bytes live: a `Vec`, or module memory at the stride that the module announced.
pub trait EntityTable {
    /// Entity numbers in use are below this.
    fn len(&self) -> usize;
    /// The entity, by value. Unused numbers give an unlinked one.
    fn get(&self, num: EntityNum) -> SharedEntity;
    /// No entity at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl EntityTable for Vec<SharedEntity> {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        self[num.index()]
    }
}

/// Engine to game. Source: the calls into a stock game module.
///
/// One value serves from the first map to the last: over `shutdown` and `init` it keeps what players keep over a map (teams, wins).
/// After `init` the engine calls `client_connect` with `first_time` false, then `client_begin`, for every client that it kept.
/// The first `MAX_CLIENTS` entity numbers are the players'.
pub trait Game {
    /// A map begins: read the entity string, spawn everything, set configstrings. `restart` keeps the map (map_restart).
    fn init(&mut self, host: &mut dyn Host, level_time: ServerTime, seed: u32, restart: bool);
    /// The map ends.
    fn shutdown(&mut self, host: &mut dyn Host, restart: bool);
    /// A client wants in. `first_time` is false over a map change.
    ///
    /// # Errors
    /// The sentence that the refused player reads.
    fn client_connect(
        &mut self,
        host: &mut dyn Host,
        client: ClientNum,
        first_time: bool,
        is_bot: bool,
    ) -> Result<(), String>;
    /// The client has the gamestate and enters the world.
    fn client_begin(&mut self, host: &mut dyn Host, client: ClientNum);
    /// The client's userinfo changed.
    fn client_userinfo_changed(&mut self, host: &mut dyn Host, client: ClientNum);
    /// The client is gone.
    fn client_disconnect(&mut self, host: &mut dyn Host, client: ClientNum);
    /// The client said something that is not the engine's; `args[0]` is the command.
    fn client_command(&mut self, host: &mut dyn Host, client: ClientNum, args: &[&str]);
    /// The host said something that is not the engine's. Whether the game knew it.
    fn console_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool;
    /// One usercmd of one client, in the order in which they arrived.
    fn client_think(&mut self, host: &mut dyn Host, client: ClientNum, cmd: &UserCmd);
    /// One frame of the world, to `level_time`.
    fn run_frame(&mut self, host: &mut dyn Host, level_time: ServerTime);
    /// The entities, for snapshots and queries.
    fn entities(&self) -> &dyn EntityTable;
    /// What the client itself is told of its player.
    fn player_state(&self, client: ClientNum) -> PlayerState;
    /// Score shown to server browsers.
    fn score(&self, client: ClientNum) -> i32 {
        self.player_state(client).persistant[0]
    }
}

/// Game to engine. Source: the traps of a stock game module.
pub trait Host {
    /// Plain typed settings.
    fn config(&self) -> &Config;
    /// Changes a setting by the name that hosts use, through the same checks as the console.
    fn set_cvar(&mut self, name: &str, value: &str);
    /// The game begins another part of its work; for whoever measures where time goes.
    fn enter(&mut self, _: Phase) {}
    /// The map's entity text.
    fn entity_string(&self) -> &str;

    /// Sweeps through the map and the linked entities.
    fn trace(&self, entities: &dyn EntityTable, request: &TraceRequest) -> Trace;
    /// The same in the world that `shooter` was shown when it fired.
    fn trace_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        request: &TraceRequest,
    ) -> Trace;
    /// The same for all rays of one shot, as of now; `traces` has one place for each. A host may look at the world once for all.
    fn trace_all_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        rays: &[TraceRequest],
        traces: &mut [Trace],
    ) {
        for (ray, trace) in rays.iter().zip(traces) {
            *trace = self.trace_as_seen_by(shooter, entities, ray);
        }
    }
    /// The shot that `shooter` is firing now, as its victim is told of it; `None` if it was not judged in the past.
    fn explain_shot(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        victim: ClientNum,
    ) -> Option<Explained>;
    /// Whether the usercmd that is being executed was made before `moment`, as its client drew the world, and is to count as if
    /// it had come then.
    fn fired_before(&self, shooter: ClientNum, moment: ServerTime) -> bool;
    /// How much older than the newest frame the world is in which the usercmd that is being executed was made: as far as that is
    /// believed, and at most what the host allows. Zero for a bot.
    fn age_of_command(&self, client: ClientNum) -> Millis;
    /// A trace as a game module asks for it that knows no other, by the trap that it calls for every trace. `acting`: the client
    /// whose usercmd the module is executing.
    ///
    /// Every instant hit of a stock module is a ray with `MASK_SHOT` that passes its shooter, cast within client think: it goes
    /// to the world that the shooter was shown. Everything else goes to the present: moves are boxes and have another mask, and
    /// missiles fly in the frame.
    fn trap_trace(
        &self,
        acting: Option<ClientNum>,
        entities: &dyn EntityTable,
        request: &TraceRequest,
    ) -> Trace {
        let is_shot = |shooter: &ClientNum| {
            request.bounds == Bounds::POINT
                && request.mask == mask::SHOT
                && request.pass == Some(shooter.entity())
        };
        match acting.filter(is_shot) {
            Some(shooter) => self.trace_as_seen_by(shooter, entities, request),
            None => self.trace(entities, request),
        }
    }
    /// How far a sweep comes through the map and these entities, taken as they are handed in, wherever they are linked.
    fn trace_still(&self, request: &TraceRequest, solid: &[SharedEntity]) -> Trace;
    /// Contents at a point, of the map and of linked brush models.
    fn point_contents(&self, entities: &dyn EntityTable, point: Vec3, pass: Option<EntityNum>) -> i32;
    /// Puts an entity into the world, or moves it there, and writes its link data.
    fn link(&mut self, num: EntityNum, entity: &mut SharedEntity);
    /// Takes an entity out of the world.
    fn unlink(&mut self, num: EntityNum, entity: &mut SharedEntity);
    /// Makes an entity an inline model of the map: bounds, contents, flags. `model` counts from 1.
    ///
    /// # Errors
    /// The sentence to log, if the map has no such model.
    fn set_brush_model(&self, entity: &mut SharedEntity, model: usize) -> Result<(), String>;
    /// Linked entities whose box in the world touches `bounds`, ascending, appended to `found`.
    fn entities_in_box(&self, entities: &dyn EntityTable, bounds: &Bounds, found: &mut Vec<EntityNum>);
    /// Whether a box in the world really touches the entity's shape (brush models are not boxes).
    fn touches(&self, entity: &SharedEntity, bounds: &Bounds) -> bool;
    /// Whether the two points can see each other by PVS and, unless `through_doors`, by areas.
    fn in_pvs(&self, a: Vec3, b: Vec3, through_doors: bool) -> bool;
    /// A door opened or closed: joins or parts the two areas that the entity touches.
    fn adjust_area_portal(&mut self, num: EntityNum, open: bool);

    /// A configstring's text, or `""`.
    fn configstring(&self, num: ConfigstringNum) -> &str;
    /// Changes a configstring; clients in the world are told.
    fn set_configstring(&mut self, num: ConfigstringNum, text: &str);
    /// Sends a reliable command to one client, or to all in the world.
    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str);
    /// Keeps an address (as in the userinfo's key `ip`) out for so many minutes.
    fn ban_address(&mut self, address: &str, minutes: i32, reason: &str);
    /// A file of the host as text, of at most 64 KiB; `None` if there is none.
    fn read_text(&self, path: &str) -> Option<String>;
    /// Names of the maps that can be started, sorted.
    fn maps(&self) -> Vec<String>;
    /// Gives a slot to a player of the server's own, in the world from now on: nothing is sent to it, and the game moves it.
    /// Source: `trap_BotAllocateClient`.
    ///
    /// # Errors
    /// The sentence for the host, if every slot is taken.
    fn add_bot(&mut self, userinfo: &str) -> Result<ClientNum, String>;
    /// Drops a client with a reason that it and the others read.
    fn drop_client(&mut self, client: ClientNum, reason: &str);
    /// The client's userinfo as the engine holds it.
    fn userinfo(&self, client: ClientNum) -> &str;
    /// Replaces the client's userinfo.
    fn set_userinfo(&mut self, client: ClientNum, info: &str);
    /// The client's latest usercmd.
    fn last_usercmd(&self, client: ClientNum) -> UserCmd;
    /// Ping. Unit: ms; 999 for not yet known, 0 for bots.
    fn ping(&self, client: ClientNum) -> i32;
    /// Queues console text to run before the next frame.
    fn queue_console(&mut self, text: &str);
    /// A line for the host's console.
    fn print(&mut self, line: &str);
    /// An event for the log of games, without time stamp; the host's console shows its line too.
    fn log_game(&mut self, record: &Record);
}
