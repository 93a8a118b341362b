//! Players placed by hand in a map, and what each is told: the whole path from frame to snapshot without a match around it.

use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, pers, trajectory};
use fogline_common::portal_surfaces::PortalSurfaces;
use fogline_common::proto::{EntityState, PlayerState, contents};
use fogline_common::time::{Millis, ServerTime};
use fogline_server::config::Config;
use fogline_server::game::SharedEntity;
use fogline_server::snapshot::build::BuildCounts;
use fogline_server::snapshot::sounds::Sounds;
use fogline_server::snapshot::{Builder, Draft, Seat, Snapshot, StateLog, WorldFrame};
use fogline_server::visibility::proof::Prover;
use fogline_server::visibility::twoclock::clock::Line;
use fogline_server::visibility::{Cause, Pose, Recall, Rules, Scene, Work};
use fogline_server::world::World;
use std::sync::Arc;

/// Height of a standing player's eye above its origin.
pub const EYE: i32 = 26;
/// Entity numbers of the stage.
const NUMBERS: usize = 256;

/// Players placed by hand.
pub struct Stage {
    /// How the filter is set: mode 2 until a test says otherwise.
    pub rules: Rules,
    /// The moment.
    pub now: ServerTime,
    /// What the filter did.
    pub work: Work,
    /// What proves that something is hidden; without it rays alone decide.
    pub prover: Option<Arc<Prover>>,
    /// What was found of each pair before.
    pub recall: Recall,
    /// What builds the snapshots.
    pub builder: Builder,
    /// What each client hears. Shape: by slot.
    pub sounds: Vec<Sounds>,
    world: World,
    table: Vec<SharedEntity>,
    seats: Vec<Seat>,
    frame: WorldFrame,
    snapshot: Snapshot,
    states: StateLog,
}

impl Stage {
    /// An empty map with every area joined.
    pub fn new(map: Arc<ClipMap>) -> Self {
        Self::with_portal_surfaces(map, PortalSurfaces::default())
    }

    /// The same, of which is known what shows it from elsewhere.
    pub fn with_portal_surfaces(map: Arc<ClipMap>, surfaces: PortalSurfaces) -> Self {
        Self {
            rules: Rules::new(&Config { sv_netoptimize: 2, ..Config::default() }, 0, 20),
            now: ServerTime(1000),
            work: Work::default(),
            prover: Some(Arc::new(Prover::build(map.clone()))),
            recall: Recall::default(),
            builder: Builder::default(),
            sounds: (0..64).map(|_| Sounds::default()).collect(),
            world: World::new(map).with_portal_surfaces(surfaces),
            table: vec![SharedEntity::default(); NUMBERS],
            seats: Vec::new(),
            frame: WorldFrame::default(),
            snapshot: Snapshot::default(),
            states: StateLog::for_clients(64),
        }
    }

    /// Puts a player somewhere, standing. Its slot.
    ///
    /// # Panics
    /// If there are 64 already.
    pub fn player(&mut self, origin: Vec3) -> ClientNum {
        let player = ClientNum::new(self.seats.len()).expect("a free slot");
        let state =
            PlayerState { client_num: player.index() as i32, view_height: EYE, ..PlayerState::default() };
        self.seats.push(Seat { player, connection: 1, state, line: Line::default() });
        let entity = &mut self.table[player.index()];
        entity.state.number = player.index() as i32;
        entity.state.entity_type = entity_type::PLAYER;
        entity.state.weapon = 0;
        entity.link.contents = contents::BODY;
        entity.link.bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
        self.place(player, origin);
        player
    }

    /// Moves a player.
    pub fn place(&mut self, player: ClientNum, origin: Vec3) {
        self.seats[player.index()].state.origin = origin;
        let entity = &mut self.table[player.index()];
        entity.link.origin = origin;
        entity.state.pos.base = origin;
        self.world.link(player.entity(), entity);
    }

    /// A player's state, to be changed at will.
    pub fn state(&mut self, player: ClientNum) -> &mut PlayerState {
        &mut self.seats[player.index()].state
    }

    /// Makes of a player somebody who goes some way at random, in another life: nothing is remembered of the scene before.
    pub fn rush(&mut self, player: ClientNum, rng: &mut fastrand::Rng) {
        let mut part = || (rng.f32() - 0.5) * 640.0;
        let velocity = vec3(part(), part(), part() * 0.5);
        let state = self.state(player);
        (state.speed, state.gravity, state.velocity) = (320, 800, velocity);
        state.persistant[pers::SPAWN_COUNT as usize] += 1;
    }

    /// How a player stood when the world was frozen last.
    pub fn pose(&self, player: ClientNum) -> Option<&Pose> {
        self.frame.pose(player)
    }

    /// What is known of a player's line, to be changed at will.
    pub fn line(&mut self, player: ClientNum) -> &mut Line {
        &mut self.seats[player.index()].line
    }

    /// An entity, to be changed at will; [`link`](Self::link) it after.
    pub fn entity(&mut self, number: usize) -> &mut SharedEntity {
        &mut self.table[number]
    }

    /// Puts an entity where it says that it is.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn link(&mut self, number: usize) {
        let num = EntityNum::new(number).expect("an entity number");
        let entity = &mut self.table[number];
        entity.state.number = number as i32;
        self.world.link(num, entity);
    }

    /// Puts an inline model of the map somewhere, at rest.
    ///
    /// # Panics
    /// If the map has no such model.
    pub fn model(&mut self, number: usize, model: usize, origin: Vec3) {
        let entity = &mut self.table[number];
        *entity = SharedEntity::default();
        self.world.set_brush_model(entity, model).unwrap_or_else(|error| panic!("{error}"));
        entity.link.contents = contents::SOLID;
        entity.link.origin = origin;
        entity.state.entity_type = entity_type::MOVER;
        entity.state.pos.kind = trajectory::STATIONARY;
        self.link(number);
    }

    /// Time goes on: who moves is elsewhere.
    pub fn step(&mut self, span: Millis) {
        self.now += span;
        for index in 0..self.seats.len() {
            let Seat { player, state, .. } = self.seats[index];
            self.place(player, state.origin.mul_add(span.0 as f32 / 1000.0, state.velocity));
        }
    }

    /// Freezes the world, as a frame does, and lets every client hear of it.
    pub fn freeze(&mut self) {
        self.frame.capture(self.now, &self.table, &self.world, &mut self.states);
        let clip = self.world.clip_map().clone();
        self.frame.observe(self.seats.iter().copied(), &clip, &self.rules);
        self.recall.begin_frame(self.rules.budget_us, self.now);
        for sounds in &mut self.sounds {
            sounds.queue(self.frame.heard());
        }
    }

    /// Builds the snapshot of a client from the frozen world.
    pub fn build(&mut self, client: ClientNum) -> BuildCounts {
        let scene = Scene {
            clip: self.world.clip_map(),
            portals: self.world.area_portals(),
            rules: &self.rules,
            now: self.now,
            movers: self.frame.movers(),
            prover: self.prover.as_deref(),
            recall: &self.recall,
            work: &self.work,
        };
        let state = self.seats[client.index()].state;
        let sounds = &mut self.sounds[client.index()];
        let mut draft = Draft { snapshot: &mut self.snapshot, sounds, states: &mut self.states };
        self.builder.build(client, &state, &self.frame, &scene, &mut draft)
    }

    /// What the client that was built for last is told.
    pub fn told(&self) -> impl Iterator<Item = &EntityState> {
        self.states.of(&self.snapshot).expect("it was just built")
    }

    /// Freezes the world and says what is found of `target` for `viewer`.
    ///
    /// # Panics
    /// If the snapshot and the verdict do not agree.
    pub fn look(&mut self, viewer: ClientNum, target: ClientNum) -> Cause {
        self.freeze();
        self.build(viewer);
        let cause = self.builder.cause(target).expect("the target was asked about");
        let told = self.told().any(|state| state.number == target.index() as i32);
        let withheld = matches!(
            cause,
            Cause::OutOfSight | Cause::TooFar | Cause::NotInPvs | Cause::ClosedArea | Cause::NoCluster
        );
        assert_eq!(told, !withheld, "{cause:?}");
        cause
    }
}
