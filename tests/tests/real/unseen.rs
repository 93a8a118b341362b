//! A real OpenArena client plays the sounds of a player whom it is not told of: steps, jumps, landings, shots and pain.
//!
//! Its cgame names every event that it plays and its mixer every channel that sounds; our side keeps every snapshot that it was
//! sent. So whatever the machine's other work, the judge asks for contents, never for time: nothing was played that was not sent,
//! and everything wanted was played from snapshots that did not tell of the other player.

use crate::scenes::{COMPANION, WALKER, keep_log, photograph};
use crate::{alone, deadline};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, angle_vectors};
use fogline_common::openarena::{entity_flag, entity_type, event, pers, stat, weapon};
use fogline_common::proto::{PlayerState, button, mask};
use fogline_common::trace::TraceRequest;
use fogline_server::visibility::{Cause, hearing};
use fogline_tests::fixture::clip_map;
use fogline_tests::places::{BODY, hidden_places};
use fogline_tests::stage::Stage;
use fogline_tests::stock::Deadline;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::ears::{LOUDEST, ON_SHOW, PlayedEvent, SHOW, beginnings, played_event};
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use fogline_tests::stock::told::Told;
use fogline_tools::client::Input;
use fogline_tools::client::config::{ClientConfig, Engine};
use std::sync::Arc;

const MAP: &str = "oa_dm1";
/// How far the companion runs from where it stands, and how far it may come. Unit: world units.
const RUNS: f32 = 80.0;
const ROAM: f32 = 130.0;
/// Pairs of places that are tried: who is put somewhere is pushed on from there, so only then is it known where it stands.
const PLACES_TRIED: usize = 12;
/// Entities under numbers from here up are of the listener's own numbering, not the game's.
const FIRST_PASSING: i32 = 500;
/// How often each must have been played.
const WANTED: [(i32, usize); 4] =
    [(event::FOOTSTEP, 6), (event::FALL_SHORT, 3), (event::GENERAL_SOUND, 3), (event::FIRE_WEAPON, 6)];
/// Rounds of running, jumping and shooting at most.
const ROUNDS: usize = 12;
/// Each side's loudness is cut to a whole number.
const CUT: f32 = 2.0;

/// Both players, where one is not told of the other.
struct Pair {
    server: LiveServer,
    client: StockClient,
    companion: Companion,
    companion_num: ClientNum,
    map: Arc<ClipMap>,
    deadline: Deadline,
}

impl Pair {
    /// Waits until something is true of the companion.
    fn wait_until(&self, what: &str, done: impl Fn(&PlayerState) -> bool) -> PlayerState {
        let view =
            self.server.wait_until(what, self.deadline, |view| view.state(COMPANION).is_some_and(&done));
        *view.state(COMPANION).expect("it was there")
    }

    /// Puts both at their places. Whether one is hidden from the other where they come to rest.
    fn takes(&mut self, [companion, listener]: [Vec3; 2]) -> bool {
        let put = |at: Vec3| format!("setviewpos {} {} {} 0", at.x, at.y, at.z);
        self.companion.command(&put(companion));
        self.client.order(&format!("{}\nwait 40", put(listener)));
        let listener = self.server.wait_until("the listener rests", self.deadline, |view| {
            view.state(WALKER).is_some_and(|player| player.velocity.length() < 1.0)
        });
        let listener = listener.state(WALKER).expect("it was there").origin;
        is_hidden(&self.map, self.rests().origin, listener)
    }

    /// The companion stands; where.
    fn rests(&self) -> PlayerState {
        self.companion.hands(Input::default());
        self.wait_until("the companion rests", |player| {
            player.velocity.length() < 1.0 && player.ground_entity != EntityNum::NONE_ON_WIRE
        })
    }

    /// The companion runs to and fro, first this way along its line, jumps and shoots.
    fn makes_noise(&self, first: i8) {
        let home = self.rests().origin;
        let yaw = free_way(&self.map, home).expect("the companion stands in the open");
        let look = Vec3::new(0.0, yaw, 0.0);
        let along = angle_vectors(look).forward;
        for way in [first, -first, first, -first, first] {
            self.companion.hands(Input { look, forward: 127 * way, ..Input::default() });
            self.wait_until("the companion runs", |player| {
                (player.origin - home).dot(along) * f32::from(way) > RUNS / 2.0
            });
        }
        self.companion.hands(Input { look, ..Input::default() });
        self.rests();
        // On a machine that is held up the whole jump may lie between two looks, so its events are counted.
        let before = self.rests().event_sequence;
        self.companion.hands(Input { up: 127, ..Input::default() });
        self.wait_until("the companion jumps", |player| player.event_sequence > before);
        self.companion.hands(Input::default());
        self.wait_until("the companion lands", |player| player.event_sequence > before + 1);
        let rounds = self.rests().ammo[weapon::MACHINEGUN as usize];
        let armed = Input { weapon: u8::try_from(weapon::MACHINEGUN).ok(), ..Input::default() };
        self.companion.hands(armed);
        self.wait_until("the companion has its gun in hand", |player| player.weapon == weapon::MACHINEGUN);
        self.companion.hands(Input { buttons: button::ATTACK, ..armed });
        self.wait_until("the companion shoots", |player| {
            player.ammo[weapon::MACHINEGUN as usize] <= rounds - 3
        });
        self.rests();
    }

    /// The companion shoots a rocket at its feet.
    fn hurts_itself(&self) {
        self.companion.command("give all");
        let look = Vec3::new(88.0, 0.0, 0.0);
        let aims = Input { look, weapon: u8::try_from(weapon::ROCKET_LAUNCHER).ok(), ..Input::default() };
        self.companion.hands(aims);
        let ready = self.wait_until("the companion aims", |player| {
            player.weapon == weapon::ROCKET_LAUNCHER && player.weapon_time == 0
        });
        self.companion.hands(Input { buttons: button::ATTACK, ..aims });
        let health = ready.stats[stat::HEALTH as usize];
        self.wait_until("the companion hurts itself", |player| player.stats[stat::HEALTH as usize] < health);
        self.rests();
    }
}

/// A direction in which one can run to and fro on a floor. Unit: degrees.
fn free_way(map: &ClipMap, home: Vec3) -> Option<f32> {
    let is_free = |yaw: &f32| {
        let along = angle_vectors(Vec3::new(0.0, *yaw, 0.0)).forward;
        [RUNS, -RUNS].into_iter().all(|far| {
            let lifted = home + Vec3::new(0.0, 0.0, 2.0);
            let end = lifted.mul_add(far, along);
            let run = map.trace(&TraceRequest::sweep(lifted, end, BODY, mask::PLAYERSOLID, None));
            let down = end - Vec3::new(0.0, 0.0, 20.0);
            let floor = map.trace(&TraceRequest::sweep(end, down, BODY, mask::PLAYERSOLID, None));
            run.fraction == 1.0 && floor.fraction < 1.0
        })
    };
    (0..12).map(|n| n as f32 * 15.0).find(is_free)
}

/// Places for the companion and for the listener who is not told of it there.
fn places(map: &Arc<ClipMap>) -> impl Iterator<Item = [Vec3; 2]> {
    (0..200).filter_map(|seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let found = hidden_places(map, 1, 250.0..600.0, ROAM, &mut rng)?;
        free_way(map, found[0]).map(|_| [found[0], found[1]])
    })
}

/// Whether the companion is withheld for want of sight wherever its runs from there lead it.
fn is_hidden(map: &Arc<ClipMap>, companion: Vec3, listener: Vec3) -> bool {
    let Some(yaw) = free_way(map, companion) else { return false };
    let along = angle_vectors(Vec3::new(0.0, yaw, 0.0)).forward;
    let mut stage = Stage::new(map.clone());
    let (watcher, hidden) = (stage.player(listener), stage.player(companion));
    (-8..=8).all(|n| {
        stage.place(hidden, companion.mul_add(n as f32 * RUNS / 4.0, along));
        // Nothing lingers: each look is in another life.
        stage.state(hidden).persistant[pers::SPAWN_COUNT as usize] += 1;
        stage.look(watcher, hidden) == Cause::OutOfSight
    })
}

/// Events that name nobody, under numbers of the listener's own, each once, with the snapshot that had it first.
fn sent(told: &[Told]) -> Vec<(PlayedEvent, &Told)> {
    let mut sent = Vec::new();
    let mut before: Vec<i32> = Vec::new();
    for snapshot in told {
        let passing = snapshot.entities.iter().filter(|state| {
            state.number >= FIRST_PASSING
                && state.entity_type > entity_type::EVENTS
                && state.flags & entity_flag::PLAYER_EVENT == 0
        });
        let now: Vec<i32> = passing.clone().map(|state| state.number).collect();
        let new = passing.filter(|state| !before.contains(&state.number));
        sent.extend(new.map(|state| {
            let event = state.entity_type - entity_type::EVENTS;
            (PlayedEvent { entity: state.number, event }, snapshot)
        }));
        before = now;
    }
    sent
}

/// What the client played of it, by its own words.
fn played(lines: &[String]) -> Vec<PlayedEvent> {
    lines
        .iter()
        .filter_map(|line| played_event(line))
        .filter(|played| played.entity >= FIRST_PASSING)
        .collect()
}

fn count(played: &[PlayedEvent], kind: i32) -> usize {
    played.iter().filter(|played| played.event == kind).count()
}

/// Checks that landings are as loud in the client's mixer as they truly are, within a decibel.
fn check_loudness(lines: &[String], sent: &[(PlayedEvent, &Told)]) {
    let landings = sent.iter().filter(|(event, _)| event.event == event::FALL_SHORT);
    let distances: Vec<f32> = landings
        .filter_map(|(_, told)| Some(told.player(COMPANION)?.origin.distance(told.player(WALKER)?.eye())))
        .collect();
    let decibel = 10.0_f32.powf(1.0 / 20.0);
    let fits = |(&loudness, &distance): (&i32, &f32)| {
        let truly = LOUDEST * hearing::mixed(distance);
        (truly / decibel - CUT..=truly * decibel).contains(&(loudness as f32))
    };
    let heard = beginnings(lines, "player/land1");
    eprintln!("landings from {distances:.0?} units have the loudness {heard:?} of {LOUDEST}");
    assert!(heard.len() >= 3, "heard {heard:?}");
    // One by one, unless the client was so slow that it missed one.
    let all_fit = if heard.len() == distances.len() {
        heard.iter().zip(&distances).all(fits)
    } else {
        heard.iter().all(|one| distances.iter().any(|distance| fits((one, distance))))
    };
    assert!(all_fit, "landings from {distances:?} units have the loudness {heard:?}");
}

#[test]
fn an_openarena_client_plays_the_sounds_of_a_player_whom_it_is_not_told_of() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = deadline();
    let clip = clip_map(MAP);
    let map = format!("devmap {MAP}");
    // The places are those that mode 2 finds hidden.
    let settings =
        ["set sv_netoptimize 2", "set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", &map];
    let server = LiveServer::start(&base, &settings);
    let screen = Screen::start(deadline);
    let mut client =
        StockClient::start_with(ON_SHOW, Kind::OpenArena, WALKER, &base, &screen, server.address, deadline);
    let config = ClientConfig {
        engine: Engine::Ioquake3,
        name: COMPANION.to_owned(),
        qport: 7,
        ..ClientConfig::default()
    };
    let companion = Companion::join(server.address, config);
    client.wait_for("to enter the game", 0, |line| line == format!("{WALKER} entered the game"));
    let view = server.wait_until("both play", deadline, |view| {
        [WALKER, COMPANION].iter().all(|name| view.player(name).is_some_and(|seen| seen.is_active))
    });
    let companion_num = view.player(COMPANION).expect("it plays").num;
    client.order(SHOW);
    let mut pair = Pair { server, client, companion, companion_num, map: clip, deadline };
    assert!(
        places(&pair.map.clone()).take(PLACES_TRIED).any(|places| pair.takes(places)),
        "all were in sight"
    );
    hears(&mut pair, &screen);
    hears_nothing_if_the_host_says_so(&mut pair);

    let Pair { mut server, mut client, companion, .. } = pair;
    let counts = companion.leave();
    assert_eq!((counts.parse_errors, counts.warnings), (0, 0));
    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log("unseen", &mut client);
    assert_eq!(client.complaints(), Vec::<String>::new());
}

fn hears(pair: &mut Pair, screen: &Screen) {
    // What is over by now is not judged: the flashes of being placed.
    pair.client.order("wait 30");
    let from = pair.client.log().len();
    let withheld = pair.server.view().metrics.players_withheld;
    pair.server.follow(WALKER);
    for round in 0..ROUNDS {
        // Each round ends on the side where it began, so every other one brings it back.
        pair.makes_noise(if round % 2 == 0 { 1 } else { -1 });
        pair.client.order("wait 10");
        let played = played(&pair.client.log()[from..]);
        if WANTED.iter().all(|&(kind, wanted)| count(&played, kind) >= wanted) {
            break;
        }
    }
    pair.client.order("wait 20");
    photograph("unseen", screen, &pair.client);
    let lines = pair.client.log()[from..].to_vec();
    let told = pair.server.told();
    check_loudness(&lines, &sent(&told));
    pair.hurts_itself();
    pair.client.order("wait 20");
    let lines = pair.client.log()[from..].to_vec();
    let told = pair.server.told();

    let seen = told.iter().filter(|told| told.tells_of(pair.companion_num)).count();
    // Who falls behind may overshoot and be seen for a moment: what it does then does not count.
    assert!(seen * 10 <= told.len(), "{seen} of {} snapshots told of the companion", told.len());
    let withheld = pair.server.view().metrics.players_withheld - withheld;
    assert!(withheld as usize * 10 >= told.len() * 9, "{withheld} withheld in {} snapshots", told.len());
    let (sent, played) = (sent(&told), played(&lines));
    let of_unseen = |one: &&PlayedEvent| {
        sent.iter().any(|(event, told)| event == *one && !told.tells_of(pair.companion_num))
    };
    let unseen: Vec<PlayedEvent> = played.iter().filter(of_unseen).copied().collect();
    let numbers = WANTED.map(|(kind, _)| (kind, count(&unseen, kind)));
    eprintln!(
        "{} snapshots, {seen} with the companion; {} events sent, {} played: {numbers:?}",
        told.len(),
        sent.len(),
        played.len()
    );
    for (kind, wanted) in WANTED {
        assert!(count(&unseen, kind) >= wanted, "event {kind} was played {} times", count(&unseen, kind));
    }
    for one in &played {
        let [asked, had] = [
            played.iter().filter(|other| *other == one).count(),
            sent.iter().filter(|(other, _)| other == one).count(),
        ];
        assert!(asked <= had, "{one:?} was played {asked} times and sent {had} times");
    }
    for (sound, wanted) in
        [("player/sarge/jump1", 3), ("weapons/machinegun/", 6), ("footsteps/", 6), ("pain50", 1)]
    {
        let heard = beginnings(&lines, sound);
        assert!(heard.len() >= wanted, "{sound} was heard {heard:?}");
    }
    let odd: Vec<&String> =
        lines.iter().filter(|line| line.contains("WARNING") || line.contains("CG_")).collect();
    assert_eq!(odd, Vec::<&String>::new());
}

/// Without them it hears nothing, so it was these.
fn hears_nothing_if_the_host_says_so(pair: &mut Pair) {
    pair.server.console("set sv_netoptimize_sounds 0");
    pair.client.order("wait 60");
    let from = pair.client.log().len();
    pair.makes_noise(1);
    pair.client.order("wait 30");
    let played = played(&pair.client.log()[from..]);
    for (kind, _) in WANTED {
        assert_eq!(count(&played, kind), 0, "event {kind}");
    }
}
