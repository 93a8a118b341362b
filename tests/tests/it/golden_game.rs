//! What the native game makes of a map, against the gamestates that the stock game sent of it: `golden/live`.

use fogline_common::openarena::{configstring, entity_type};
use fogline_common::proto::{EntityState, info_string};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::fixture::installed_map;
use fogline_tests::game_host::Match;
use fogline_tests::golden::{jsonl, names};
use serde_json::Value;
use std::collections::BTreeMap;

/// A baseline without what differs from run to run: numbers, times, and sounds by index instead of name.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
struct Thing {
    kind: i32,
    position: [f32; 3],
    angles: [f32; 3],
    turned: [f32; 3],
    moves: [i32; 3],
    solid: i32,
    model: i32,
    sound: String,
    loop_sound: String,
    flags: i32,
    frame: i32,
    light: i32,
}

fn thing(state: &EntityState, sound: impl Fn(i32) -> String) -> Thing {
    let is_speaker = state.entity_type == entity_type::SPEAKER;
    Thing {
        kind: state.entity_type,
        position: state.pos.base.to_array(),
        angles: state.angles.to_array(),
        turned: state.apos.base.to_array(),
        moves: [state.pos.kind, state.pos.duration, state.apos.kind],
        solid: state.solid,
        model: state.model_index,
        sound: if is_speaker { sound(state.event_parm) } else { String::new() },
        loop_sound: sound(state.loop_sound),
        flags: state.flags,
        frame: state.frame,
        light: state.constant_light,
    }
}

/// An entity state from the noted fields, which are in wire order.
fn state_of(row: &Value) -> EntityState {
    let mut state = EntityState::default();
    let fields = row[1].as_array().expect("a list of fields");
    for (field, value) in fogline_common::wire::fields::ENTITY_FIELDS.iter().zip(fields) {
        state.words_mut()[field.word] = value.as_i64().expect("a number") as i32 as u32;
    }
    state
}

#[test]
fn golden_the_map_comes_to_life_as_in_the_stock_game() {
    for file in names("live") {
        let rows = jsonl(&file);
        let Some(gamestate) = rows.iter().find_map(|row| row.get("gamestate")) else { continue };
        let text =
            |index: u16| gamestate["configstrings"][index.to_string()].as_str().unwrap_or("").to_owned();
        let serverinfo = text(0);
        if info_string::value(&serverinfo, "g_gametype") != "0" {
            eprintln!("{file}: other game types are not played yet");
            continue;
        }
        let map_name = info_string::value(&serverinfo, "mapname").to_owned();
        let Some(map) = installed_map(&map_name) else { return };
        let run = Match::new(map, Config::default());

        for index in
            [configstring::MUSIC, configstring::MESSAGE, configstring::GAME_VERSION, configstring::ITEMS]
        {
            assert_eq!(run.configstring(index), text(index), "{file}: configstring {index}");
        }
        let named = |index: i32, lookup: &dyn Fn(u16) -> String| match index {
            0 => String::new(),
            index => lookup(configstring::SOUNDS + index as u16),
        };
        let stock = gamestate["baselines"].as_array().expect("baselines").iter().map(state_of);
        let mut stock: Vec<Thing> = stock.map(|state| thing(&state, |index| named(index, &text))).collect();
        let ours = run.find(|entity| entity.state.number >= 64);
        let own = |index: u16| run.configstring(index).to_owned();
        let mut ours: Vec<Thing> = ours
            .iter()
            .map(|&num| thing(&run.game.entities().get(num).state, |index| named(index, &own)))
            .collect();
        // Effects of the moment are not the map's, and the stock game also sends its cameras, which show nothing.
        let passing = |thing: &Thing| {
            let invisible = thing.kind == entity_type::GENERAL && (thing.solid, thing.model) == (0, 0);
            thing.kind >= entity_type::EVENTS || thing.kind == entity_type::PLAYER || invisible
        };
        stock.retain(|thing| !passing(thing));
        ours.retain(|thing| !passing(thing));
        let key = |thing: &Thing| format!("{thing:?}");
        let mut tally: BTreeMap<String, i32> = BTreeMap::new();
        for thing in &stock {
            *tally.entry(key(thing)).or_default() += 1;
        }
        for thing in &ours {
            *tally.entry(key(thing)).or_default() -= 1;
        }
        let differing: Vec<String> = tally
            .into_iter()
            .filter(|&(_, count)| count != 0)
            .map(|(thing, count)| {
                format!("{} {thing}", if count > 0 { "only stock:" } else { "only ours: " })
            })
            .collect();
        assert!(differing.is_empty(), "{file} on {map_name}:\n{}", differing.join("\n"));
    }
}
