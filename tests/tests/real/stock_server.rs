//! With the filter off our server and Debian's ioq3ded tell a client of the same entities, at the same places of the same map.
//!
//! `setviewpos` teleports, and a teleport pushes: how far is decided by how the usercmds cut the time. With `pmove_fixed` both
//! games cut it alike, so that whoever is put somewhere comes to rest at the same place on both. What may differ all the same:
//!
//! * powerups: at first they appear after a random time (`FinishSpawningItem`), so they are not compared;
//! * where a door or a platform is: that is a matter of when it was set off, so movers are compared by model;
//! * what a player took is back after a time of the wall's clock, so no place is near an item.

use crate::{alone, deadline};
use fogline_common::collision::ClipMap;
use fogline_common::math::Vec3;
use fogline_common::openarena::{ITEMS, entity_flag, entity_type, item_type};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::Millis;
use fogline_tests::fixture::clip_map;
use fogline_tests::places::standing_places;
use fogline_tests::stock::Deadline;
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::dedicated::Dedicated;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::server::LiveServer;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::events::Event;
use fogline_tools::client::{Client, ClientState, Input};
use fogline_tools::rim::udp;
use std::net::SocketAddr;

const MAP: &str = "oa_dm5";
/// Places that are looked from.
const PLACES: usize = 24;
/// From being put somewhere until the push of it is over, by the clock of the player's own usercmds.
const SETTLES: Millis = Millis(900);
/// Who does not come to rest in so long moves for good: it swims, or rides.
const AT_LAST: Millis = Millis(3000);
/// From an item to a place: the push goes 64 units and then slides. Unit: world units.
const AWAY: f32 = 180.0;
/// Both games put things on the floor alike within this. Unit: world units.
const NEAR: f32 = 2.0;
/// From one snapshot to the next, by which a look may be later. Unit: s.
const SNAPSHOT_S: f32 = 0.05;
/// Longest that a survey may take.
const SURVEY: Millis = Millis(80_000);

/// What a client was told of at one place.
#[derive(Clone, Debug)]
struct Look {
    eye: Vec3,
    /// How fast it still slid. Unit: units per second.
    speed: f32,
    entities: Vec<EntityState>,
}

/// Whether a client draws or plays an entity, and not for a moment only. The stock game links some map entities that have neither
/// model nor sound, of which a client makes nothing (`CG_General`); ours does not have them.
fn is_noticed(state: &EntityState) -> bool {
    let is_nothing =
        state.entity_type == entity_type::GENERAL && state.model_index == 0 && state.loop_sound == 0;
    state.entity_type < entity_type::EVENTS && !is_nothing && !is_powerup(state)
}

/// Whether it is one that is not there from the beginning.
fn is_powerup(state: &EntityState) -> bool {
    let item = usize::try_from(state.model_index).ok().and_then(|index| ITEMS.get(index));
    state.entity_type == entity_type::ITEM && item.is_some_and(|item| item.kind == item_type::POWERUP)
}

/// Places that are near no item.
fn places(map: &ClipMap) -> Vec<Vec3> {
    let mut rng = fastrand::Rng::with_seed(21);
    let items = item_places(map);
    assert!(items.len() > 10, "{} items", items.len());
    let all = standing_places(map, 20 * PLACES, &mut rng);
    let far = all.into_iter().filter(|place| items.iter().all(|item| item.distance(*place) > AWAY));
    let places: Vec<Vec3> = far.take(PLACES + 1).collect();
    assert_eq!(places.len(), PLACES + 1, "the map is full of items");
    places
}

/// Where a map has items, by its own words.
fn item_places(map: &ClipMap) -> Vec<Vec3> {
    let value = |entity: &str, key: &str| {
        let rest = entity.split(&format!("\"{key}\" \"")).nth(1)?;
        rest.split('"').next().map(str::to_owned)
    };
    let place = |entity: &str| {
        let class = value(entity, "classname")?;
        let is_item = ITEMS.iter().any(|item| !class.is_empty() && item.class == class);
        let words = value(entity, "origin").filter(|_| is_item)?;
        let numbers: Vec<f32> = words.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [x, y, z] = numbers[..] else { return None };
        Some(Vec3::new(x, y, z))
    };
    map.entity_text().split('}').filter_map(place).collect()
}

/// Being put somewhere.
#[derive(Clone, Copy)]
struct Put {
    /// The flag that the teleport turns, as it was before.
    flag: i32,
    /// Time of the first usercmd after it.
    since: Option<i32>,
}

/// Whether a player who was put somewhere rests there.
fn has_settled(player: &PlayerState, since: i32) -> bool {
    let age = Millis(player.command_time - since);
    age >= AT_LAST || (age >= SETTLES && player.velocity.length() < 1.0)
}

/// A client goes from place to place and says what it is told of there.
fn survey(server: SocketAddr, places: &[Vec3]) -> Vec<Look> {
    let mut client = Client::new(ClientConfig {
        name: "surveyor".to_owned(),
        qport: 8,
        guid: "F".repeat(32),
        seed: 8,
        ..ClientConfig::default()
    });
    let mut looks = Vec::new();
    let mut dropped = None;
    let mut put: Option<Put> = None;
    let mut began = None;
    let ended = udp::drive(&mut client, server, SURVEY, |_, client| {
        while let Some(event) = client.poll_event() {
            if let Event::Dropped(reason) = event {
                dropped = Some(reason);
            }
        }
        client.input = Input::default();
        if *client.state() != ClientState::Active {
            return true;
        }
        let Some(snapshot) = client.scene().current() else { return true };
        let (player, at) = (&snapshot.player, places[looks.len()]);
        let begun = *began.get_or_insert(player.command_time);
        match put {
            // Only the first usercmd of a life cuts the time elsewhere.
            None if Millis(player.command_time - begun) < SETTLES => {}
            None => {
                put = Some(Put { flag: player.flags & entity_flag::TELEPORT_BIT, since: None });
                client.command(&format!("setviewpos {} {} {} 0", at.x, at.y, at.z)).expect("a short command");
            }
            Some(Put { flag, since: None }) if player.flags & entity_flag::TELEPORT_BIT != flag => {
                put = Some(Put { flag, since: Some(player.command_time) });
            }
            Some(Put { since: Some(since), .. }) if has_settled(player, since) => {
                let entities = snapshot.entities.iter().filter(|state| is_noticed(state)).copied().collect();
                looks.push(Look { eye: player.eye(), speed: player.velocity.length(), entities });
                put = None;
            }
            Some(_) => {}
        }
        looks.len() < places.len()
    });
    ended.expect("loopback works");
    let state = client.state();
    assert_eq!(looks.len(), places.len(), "the surveyor is {state:?}, dropped: {dropped:?}");
    looks
}

/// Somebody to be seen, who stands at a place.
fn target(server: SocketAddr, at: Vec3, deadline: Deadline) -> Companion {
    let config = ClientConfig { name: "target".to_owned(), qport: 7, ..ClientConfig::default() };
    let target = Companion::join(server, config);
    target.wait_for_text("target", deadline);
    target.command(&format!("setviewpos {} {} {} 0", at.x, at.y, at.z));
    target
}

/// Entities of one list that the other has not.
fn missing(from: &[EntityState], list: &[EntityState]) -> Vec<String> {
    let same = |a: &EntityState, b: &EntityState| {
        (a.entity_type, a.model_index) == (b.entity_type, b.model_index)
            && (a.entity_type == entity_type::MOVER || a.pos.base.distance(b.pos.base) < NEAR)
    };
    let lacks = list.iter().filter(|state| !from.iter().any(|other| same(state, other)));
    lacks
        .map(|state| {
            format!("type {} model {} at {:?}", state.entity_type, state.model_index, state.pos.base)
        })
        .collect()
}

#[test]
fn with_the_filter_off_a_client_is_told_of_what_the_stock_server_tells_it() {
    let Some(base) = installed().filter(|_| Dedicated::is_installed()) else { return };
    let _alone = alone();
    let deadline = deadline();
    let places = places(&clip_map(MAP));
    let settings = [("bot_enable", "0"), ("g_gametype", "0"), ("pmove_fixed", "1"), ("pmove_msec", "8")];
    let stock = Dedicated::start(&base, &settings, &[&["devmap", MAP]], deadline);
    let commands = [
        "set sv_netoptimize 0",
        "set sv_floodProtect 0",
        "set pmove_fixed 1",
        "set pmove_msec 8",
        "set fraglimit 0",
        "set timelimit 0",
        &format!("devmap {MAP}"),
    ];
    let mut ours = LiveServer::start(&base, &commands);
    let [theirs, mine] = [stock.address, ours.address].map(|server| {
        let target = target(server, places[PLACES], deadline);
        let looks = survey(server, &places[..PLACES]);
        target.leave();
        looks
    });
    ours.end();
    let (mut compared, mut entities, mut players) = (0, 0, 0);
    let mut differences = Vec::new();
    for (place, (theirs, mine)) in theirs.iter().zip(&mine).enumerate() {
        let apart = theirs.eye.distance(mine.eye);
        let (lacks, extra) =
            (missing(&mine.entities, &theirs.entities), missing(&theirs.entities, &mine.entities));
        // Who still slides down a slope is looked at a snapshot earlier or later.
        let near = NEAR + theirs.speed.max(mine.speed) * SNAPSHOT_S;
        if apart > near || !lacks.is_empty() || !extra.is_empty() {
            differences.push(format!(
                "place {place}, eyes at {:?} and, {apart} off, at {:?}: only the stock server tells of {lacks:#?}, only ours \
                 of {extra:#?}",
                theirs.eye, mine.eye
            ));
            continue;
        }
        compared += 1;
        entities += mine.entities.len();
        players += mine.entities.iter().filter(|state| state.entity_type == entity_type::PLAYER).count();
    }
    eprintln!("{compared} places compared, {entities} entities the same, {players} of them players");
    assert!(differences.is_empty(), "{} places differ: {}", differences.len(), differences.join("\n"));
    assert!(players > 0 && players < compared, "the target was seen at {players} of {compared} places");
}
