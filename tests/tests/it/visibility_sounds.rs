//! What is heard of players out of sight, from the noise to the snapshot: by whom, from where, how often, and when.

use fogline_common::ids::Sequence;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_type, event};
use fogline_common::proto::{EntityState, button};
use fogline_common::time::Millis;
use fogline_common::wire::netchan::Netchan;
use fogline_server::server::Server;
use fogline_server::visibility::hearing;
use fogline_tests::bot::BotConfig;
use fogline_tests::network::LinkPair;
use fogline_tests::parted::{placed, setup};
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::twins::newest;
use fogline_tools::client::Input;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::script::Script;
use std::collections::BTreeSet;

/// Who makes the noise, and who listens.
const SOURCE: usize = 0;
const LISTENER: usize = 1;
const HERE: Vec3 = vec3(-200.0, 0.0, 40.0);
const NEAR: Vec3 = vec3(300.0, 0.0, 40.0);
/// From here up numbers are a client's own, on this map.
const FIRST_PASSING: i32 = 300;
const CELL: f32 = 128.0;

/// Something that the listener was told that it hears.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Noise {
    event: i32,
    told: Vec3,
    /// Where the source was, and where the listener's ear.
    source: Vec3,
    ear: Vec3,
}

/// A match of two on both sides of the wall.
struct Ear {
    sim: Sim<Server>,
    heard: Vec<Noise>,
    known: BTreeSet<i32>,
    /// The listener runs in a small circle, so that its snapshots are not small.
    dances: bool,
    steps: u32,
}

impl Ear {
    fn new(source: Vec3, listener: Vec3) -> Self {
        Self::of(source, listener, ClientConfig::default(), false)
    }

    fn of(source: Vec3, listener: Vec3, client: ClientConfig, from_afar: bool) -> Self {
        let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
        let mut config = SimConfig { from_afar, ..SimConfig::alike(2, &still, LinkPair::default()) };
        config.bots[LISTENER].0.client = client;
        let sim = placed(9, config, &setup(), &[source, listener]);
        Self { sim, heard: Vec::new(), known: BTreeSet::new(), dances: false, steps: 0 }
    }

    fn with(mut self, setting: &str) -> Self {
        self.sim.console(setting);
        self.sim.run(Millis(200));
        self
    }

    /// The source acts for a while; what the listener is told meanwhile is kept.
    fn act(&mut self, hands: Input, span: Millis) {
        let look = vec3(0.0, 90.0, 0.0);
        self.sim.bots[SOURCE].hands = Some(Input { look, ..hands });
        for _ in 0..span.0 / 50 {
            if self.dances {
                self.steps += 1;
                let yaw = self.steps as f32 * 23.0;
                let hands = Input { look: vec3(0.0, yaw, 0.0), forward: 127, ..Input::default() };
                self.sim.bots[LISTENER].hands = Some(hands);
            }
            self.sim.run(Millis(50));
            self.listen();
        }
    }

    fn listen(&mut self) {
        let source = self.sim.bots[SOURCE].client.predicted().expect("it plays").origin;
        let num = self.sim.bots[SOURCE].client.client_num().expect("it plays");
        let snapshot = newest(&self.sim, LISTENER).expect("it is told something");
        assert!(
            snapshot.entities.iter().all(|state| state.num() != Some(num.entity())),
            "it is told of the source"
        );
        // Where a bullet ends is no noise of who shot it.
        let mark = entity_type::EVENTS + event::BULLET_HIT_WALL;
        let is_noise = |state: &&EntityState| {
            state.number >= FIRST_PASSING
                && state.entity_type > entity_type::EVENTS
                && state.entity_type != mark
        };
        let ear = snapshot.player.eye();
        let now: Vec<EntityState> = snapshot.entities.iter().filter(is_noise).copied().collect();
        for state in &now {
            if !self.known.contains(&state.number) {
                let event = state.entity_type - entity_type::EVENTS;
                self.heard.push(Noise { event, told: state.pos.base, source, ear });
            }
        }
        self.known = now.iter().map(|state| state.number).collect();
    }

    /// Jumps once and lands.
    fn jump(&mut self) {
        self.act(Input { up: 127, ..Input::default() }, Millis(200));
        self.act(Input::default(), Millis(1000));
    }

    fn count(&self, event: i32) -> usize {
        self.heard.iter().filter(|noise| noise.event == event).count()
    }
}

/// Runs a little, jumps and shoots.
fn noise(ear: &mut Ear) {
    for forward in [127, -127, 127] {
        ear.act(Input { forward, ..Input::default() }, Millis(600));
    }
    ear.act(Input::default(), Millis(600));
    ear.jump();
    ear.act(Input { buttons: button::ATTACK, ..Input::default() }, Millis(500));
    ear.act(Input::default(), Millis(600));
}

#[test]
fn every_kind_of_noise_is_heard_from_a_cell() {
    let mut ear = Ear::new(NEAR, HERE);
    noise(&mut ear);
    for kind in [event::FOOTSTEP, event::FALL_SHORT, event::GENERAL_SOUND, event::FIRE_WEAPON] {
        assert!(ear.count(kind) > 0, "event {kind} in {:?}", ear.heard);
    }
    for noise in &ear.heard {
        // The source has moved on by a frame at most, at 320 units a second; a jump is 270 at its beginning.
        let off = noise.told.distance(noise.source);
        assert!(off <= CELL + 20.0, "{off} units off: {noise:?}");
        let loudness = hearing::difference(noise.told.distance(noise.ear), noise.source.distance(noise.ear));
        assert!(loudness <= 1.5, "{loudness} dB off: {noise:?}");
    }
}

#[test]
fn who_stays_in_a_cell_is_heard_from_one_place_however_long_one_listens() {
    let mut ear = Ear::new(NEAR, HERE);
    let mut places = BTreeSet::new();
    for _ in 0..10 {
        ear.jump();
    }
    for noise in &ear.heard {
        places.insert(noise.told.to_array().map(|part| part as i32));
    }
    assert!(ear.heard.len() >= 20, "{:?}", ear.heard);
    // From the floor it begins, and there it ends.
    assert_eq!(places.len(), 1, "{places:?}");
    let [told] = places.into_iter().collect::<Vec<_>>()[..] else { return };
    let at = ear.heard[0].source;
    let exact = at.to_array().map(|part| part as i32);
    assert_ne!(told, exact, "it is not told where it stands");
}

#[test]
fn the_host_chooses_between_nothing_a_cell_and_the_very_place() {
    let mut nothing = Ear::new(NEAR, HERE).with("set sv_netoptimize_sounds 0");
    noise(&mut nothing);
    assert_eq!(nothing.heard, []);

    let mut exact = Ear::new(NEAR, HERE).with("set sv_netoptimize_sounds 2");
    noise(&mut exact);
    assert!(exact.heard.len() > 6, "{:?}", exact.heard);
    for noise in &exact.heard {
        let off = noise.told.distance(noise.source);
        assert!(off <= 20.0, "{off} units off: {noise:?}");
    }

    // It may be changed while the match runs.
    exact.heard.clear();
    exact.sim.console("set sv_netoptimize_sounds 0");
    exact.sim.run(Millis(500));
    noise(&mut exact);
    assert_eq!(exact.heard, []);
}

#[test]
fn nothing_is_heard_from_beyond_hearing() {
    let far = vec3(900.0, 0.0, 40.0);
    let mut ear = Ear::new(far, vec3(-900.0, 0.0, 40.0));
    noise(&mut ear);
    assert_eq!(ear.heard, []);
}

/// A client that is sent a snapshot now and then only hears all the same, and nothing twice.
#[test]
fn noises_wait_for_the_next_snapshot_that_is_really_sent() {
    let snaps = ClientConfig { snaps: 4, ..ClientConfig::default() };
    let slow = ClientConfig { rate: 1000, ..ClientConfig::default() };
    for (client, from_afar) in [(snaps, false), (slow, true)] {
        let mut ear = Ear::of(NEAR, HERE, client, from_afar);
        ear.dances = true;
        let before = (sent(&ear), ear.sim.server.metrics().rate_delays);
        for _ in 0..6 {
            ear.jump();
        }
        let frames = 6 * 1200 / 50;
        let (snapshots, delays) = (sent(&ear) - before.0, ear.sim.server.metrics().rate_delays - before.1);
        assert!(snapshots * 4 < frames * 3, "{snapshots} snapshots in {frames} frames");
        assert_eq!(delays > 0, from_afar, "{delays} delays");
        assert_eq!(
            (ear.count(event::GENERAL_SOUND), ear.count(event::FALL_SHORT)),
            (6, 6),
            "{:?}",
            ear.heard
        );
    }
}

/// Messages that the listener was sent.
fn sent(ear: &Ear) -> u32 {
    let num = ear.sim.bots[LISTENER].client.client_num().expect("it plays");
    let session = ear.sim.server.clients().get(num).expect("it plays");
    session.channel.as_ref().map_or(Sequence(0), Netchan::outgoing).0
}

#[test]
fn a_bot_of_the_servers_own_is_heard_too() {
    let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let mut sim =
        placed(9, SimConfig::alike(1, &still, LinkPair::default()), &setup(), &[vec3(-200.0, 0.0, 40.0)]);
    sim.console("addbot sarge 3");
    let (mut steps, mut told, mut known) = (0, 0, BTreeSet::new());
    for _ in 0..400 {
        sim.run(Millis(50));
        let snapshot = newest(&sim, 0).expect("it is told something");
        told += snapshot.entities.iter().filter(|state| state.entity_type == entity_type::PLAYER).count();
        let is_step = |state: &&EntityState| state.entity_type == entity_type::EVENTS + event::FOOTSTEP;
        let now: BTreeSet<i32> = snapshot.entities.iter().filter(is_step).map(|state| state.number).collect();
        steps += now.difference(&known).count();
        known = now;
    }
    let bots = sim.server.clients().iter().filter(|session| session.is_bot).count();
    assert_eq!((bots, told), (1, 0), "a bot, never in sight");
    assert!(steps > 10, "{steps} steps");
}
