//! One entity of the native game: what is shared with the engine, and what only the rules know of it.

use super::grapple::Hook;
use super::kamikaze::Kamikaze;
use super::machines::{Laser, Timer};
use super::mines::Mine;
use super::movers::Mover;
use super::names::Name;
use super::portals::PortalEntry;
use super::shooters::Shooter;
use super::weapons::MissileRow;
use crate::game::SharedEntity;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::time::ServerTime;

/// One entity. Small and `Copy`: texts live in the level's name table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entity {
    /// What the engine reads and, on linking, writes.
    pub(super) shared: SharedEntity,
    /// What it is to the rules.
    pub(super) kind: Kind,
    /// Keys of the map that tie entities together.
    pub(super) ties: Ties,
    /// The map's `spawnflags`.
    pub(super) spawn_flags: i32,
    /// It is a relay whose spawn flags say whom it is for.
    pub(super) for_sides: bool,
    /// What it does by itself, and when.
    pub(super) think: Option<(ServerTime, Think)>,
    /// When its last event began.
    pub(super) event_time: ServerTime,
    /// What happens when its event is over.
    pub(super) after_event: AfterEvent,
    /// Points left. Players: kept in step with `STAT_HEALTH`.
    pub(super) health: i32,
    /// Shots and blasts hurt it.
    pub(super) takes_damage: bool,
    /// When it may cry out again.
    pub(super) pain_debounce: ServerTime,
    /// How deep in liquid it stands, 0..=3, and in which.
    pub(super) water: Water,
    /// When, if it is a body, it began to sink.
    pub(super) sinking_since: Option<ServerTime>,
    /// A kamikaze's shock wave does not hit it again before this.
    pub(super) shocked_until: ServerTime,
    /// Nor its fire.
    pub(super) burnt_until: ServerTime,
    /// Cheats.
    pub(super) god: bool,
    /// Cheats: bots do not see it.
    pub(super) no_target: bool,
}

/// How deep in liquid something is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Water {
    /// 0 dry, 1 feet, 2 waist, 3 head.
    pub(super) level: i32,
    /// Contents of the liquid.
    pub(super) contents: i32,
}

/// Names by which the map ties entities together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ties {
    /// It is called this.
    pub(super) name: Option<Name>,
    /// It fires what is called this.
    pub(super) target: Option<Name>,
    /// It moves, or respawns, with the others of this team.
    pub(super) team: Option<Name>,
    /// The next of its team. Shape: a chain that begins at the master.
    pub(super) team_next: Option<EntityNum>,
    /// First of its team; itself if it is the master. `None` without a team.
    pub(super) team_master: Option<EntityNum>,
}

/// What an entity is to the rules.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Kind {
    /// Stands there: statics, portals, speakers, and players' entities while nobody plays them.
    #[default]
    Inert,
    /// A weapon of the map.
    Shooter(Shooter),
    /// A player.
    Player(ClientNum),
    /// What a player leaves behind at a respawn.
    Body,
    /// An event that lives alone for a short time.
    Event,
    /// Something to pick up.
    Item(Item),
    /// Something thrown by a weapon.
    Missile(Missile),
    /// A proximity mine that has stuck to something.
    Mine(Mine),
    /// The space in which a mine notices somebody.
    MineTrigger {
        /// The mine.
        mine: EntityNum,
    },
    /// A grappling hook.
    Hook(Hook),
    /// A kamikaze that goes off.
    Kamikaze(Kamikaze),
    /// Time until the charge on a body goes off.
    Fuse {
        /// The body.
        body: EntityNum,
    },
    /// Where a personal portal leads.
    PortalExit {
        /// Number of the pair.
        id: i32,
    },
    /// Where a personal portal begins.
    PortalEntry(PortalEntry),
    /// A brush model that moves and pushes.
    Mover(Mover),
    /// The space before a door (or on a plat) that sets it going.
    MoverTrigger {
        /// The door or plat.
        mover: EntityNum,
    },
    /// Throws who enters; `origin2` of its state is the velocity.
    JumpPad,
    /// Moves who enters to a spot.
    Teleporter,
    /// Hurts who is inside.
    Hurt(Hurt),
    /// Fires its targets when touched.
    Multiple(Multiple),
    /// Fires its targets when fired, perhaps later.
    Relay(Relay),
    /// Acts upon who fired it.
    Deed(Deed),
    /// Fires its targets again and again.
    Timer(Timer),
    /// Burns.
    Laser(Laser),
    /// Shows a text when fired.
    Print {
        /// Index of the text.
        message: usize,
    },
    /// Makes a sound, always or when fired.
    Speaker {
        /// Index of the sound.
        noise: i32,
    },
}

/// Something to pick up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    /// Index into the item list.
    pub(super) index: usize,
    /// The map's own amount; 0 for the usual, below 0 for nothing at all.
    pub(super) count: i32,
    /// The map's own respawn time. Unit: s; 0 for the usual, below 0 for never.
    pub(super) wait_s: f32,
    /// Spread of that time. Unit: s.
    pub(super) random_s: f32,
    /// The map's `spawnflags`, which say for which side it is.
    pub(super) side_flags: i32,
    /// A player dropped it: it does not come back.
    pub(super) dropped: bool,
    /// It may be seen and taken.
    pub(super) present: bool,
}

/// Something thrown by a weapon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missile {
    /// What it is.
    pub(super) row: &'static MissileRow,
    /// Who threw it.
    pub(super) owner: EntityNum,
    /// Factor on damage.
    pub(super) factor: f32,
    /// Whose shell threw it back; that player is not in its way any more.
    pub(super) thrown_back_by: Option<EntityNum>,
    /// It has left the body of who threw it, and may come back to it.
    pub(super) has_left: bool,
}

impl Missile {
    /// Points of the row as this missile does them.
    pub(super) fn points(&self, of_row: i32) -> i32 {
        (of_row as f32 * self.factor) as i32
    }
}

/// A space that hurts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hurt {
    /// Points each time.
    pub(super) damage: i32,
    /// It hurts nobody before this moment.
    pub(super) ready_at: ServerTime,
    /// Off until fired.
    pub(super) off: bool,
}

/// A space that fires its targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiple {
    /// Time before it fires again. Unit: s; below 0 for never.
    pub(super) wait_s: f32,
    /// Spread of that time. Unit: s.
    pub(super) random_s: f32,
    /// It fires for nobody before this moment.
    pub(super) ready_at: ServerTime,
}

/// Passes a signal on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relay {
    /// Delay. Unit: s.
    pub(super) wait_s: f32,
    /// Spread of the delay. Unit: s.
    pub(super) random_s: f32,
    /// Who set it going.
    pub(super) activator: Option<EntityNum>,
}

/// Something done to the player who fired it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// To the spot that its target names.
    Teleport,
    /// Thrown with this velocity.
    Push(Vec3),
    /// Powerups are gone.
    RemovePowerups,
    /// Killed.
    Kill,
    /// Given all items that its target names.
    Give,
    /// Given points.
    Score(i32),
}

/// What an entity does by itself at its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Think {
    /// Leaves the game.
    Free,
    /// An item falls to the floor for the first time.
    DropToFloor,
    /// An item comes back.
    RespawnItem,
    /// A door or plat goes back.
    ReturnMover,
    /// A door makes the space before it.
    MakeDoorTrigger,
    /// A relay fires.
    FireRelay,
    /// A jump pad (or push) learns its velocity from its target.
    AimPush,
    /// A body sinks into the ground.
    SinkBody,
    /// A portal learns where its camera is.
    LocateCamera,
    /// A flag that lies about goes home.
    ReturnFlag,
    /// A train learns its path from its target.
    FindPath,
    /// A train leaves a corner at which it stopped.
    StartTrain,
    /// A shooter learns its direction from its target.
    AimShooter,
    /// A missile bursts without having hit anything.
    Burst,
    /// A timer fires.
    FireTimer,
    /// A laser burns.
    BurnLaser,
    /// A mine begins to lie in wait.
    ArmMine,
    /// A mine bursts.
    BurstMine,
    /// A hook comes back.
    FreeHook,
    /// A hook goes where the player goes that it holds.
    FollowWithHook,
    /// A kamikaze grows.
    StepKamikaze,
    /// The charge on a body goes off.
    EndFuse,
    /// The entry of a personal portal opens.
    OpenPortal,
}

/// What happens when an entity's event is over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum AfterEvent {
    /// It stays.
    #[default]
    Stay,
    /// It leaves the game.
    Free,
    /// It leaves the world until it is linked again.
    Unlink,
}
