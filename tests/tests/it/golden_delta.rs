//! Deltas of entities, players and usercmds against vectors recorded from ioquake3: `golden/delta`.

use fogline_common::proto::{EntityState, PlayerState, UserCmd};
use fogline_common::wire::bits::{BitReader, BitWriter};
use fogline_common::wire::delta;
use fogline_common::wire::fields::{ENTITY_FIELDS, Field, PLAYER_FIELDS};
use fogline_tests::golden::{bytes, jsonl, unhex};
use serde_json::Value;

fn int(value: &Value) -> i32 {
    value.as_i64().unwrap() as i32
}

fn fill(words: &mut [u32], fields: &[Field], values: &Value) {
    let values = values.as_array().unwrap();
    assert_eq!(values.len(), fields.len());
    for (field, value) in fields.iter().zip(values) {
        words[field.word] = int(value) as u32;
    }
}

fn entity(number: &Value, values: &Value) -> EntityState {
    let mut state = EntityState { number: int(number), ..EntityState::default() };
    fill(state.words_mut(), &ENTITY_FIELDS, values);
    state
}

fn player(row: &Value) -> PlayerState {
    let mut state = PlayerState::default();
    fill(state.words_mut(), &PLAYER_FIELDS, &row["f"]);
    let array = |key: &str| std::array::from_fn(|index| int(&row[key][index]));
    state.stats = array("stats");
    state.persistant = array("persistant");
    state.ammo = array("ammo");
    state.powerups = array("powerups");
    state
}

/// serverTime, three angles, forward, right, up, buttons, weapon.
fn usercmd(row: &Value) -> UserCmd {
    let at = |index: usize| int(&row[index]);
    UserCmd {
        server_time: at(0),
        angles: [at(1), at(2), at(3)],
        forward_move: at(4) as i8,
        right_move: at(5) as i8,
        up_move: at(6) as i8,
        buttons: at(7),
        weapon: at(8) as u8,
    }
}

/// A writer that holds the bits 0, 1, 0, 1 ... before the delta of `row`.
fn writer(row: &Value) -> BitWriter {
    let mut w = BitWriter::new();
    (0..int(&row["prebits"])).for_each(|bit| w.write_bits(bit & 1, 1));
    w
}

/// Compares what was written with `row` and answers with its bytes.
fn check_written(row: &Value, w: &BitWriter) -> Vec<u8> {
    let id = &row["id"];
    assert_eq!(w.bit() as i32, int(&row["prebits"]) + int(&row["bits_written"]), "row {id}: bits");
    if w.bit() > 0 {
        assert_eq!(w.bytes(), unhex(row["hex"].as_str().unwrap()), "row {id}: bytes");
    }
    w.bytes().to_vec()
}

fn reader<'a>(row: &Value, data: &'a [u8]) -> BitReader<'a> {
    let mut r = BitReader::new(data);
    (0..int(&row["prebits"])).for_each(|_| _ = r.read_bits(1));
    r
}

#[test]
fn golden_field_tables() {
    let Some(json) = bytes("delta/fields.json") else { return };
    let tables: Value = serde_json::from_slice(&json).unwrap();
    for (key, fields) in [("entityState", &ENTITY_FIELDS[..]), ("playerState", &PLAYER_FIELDS[..])] {
        let ours: Vec<(&str, i32)> = fields.iter().map(|field| (field.name, field.bits)).collect();
        let golden: Vec<(&str, i32)> = tables[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row[0].as_str().unwrap(), int(&row[1])))
            .collect();
        assert_eq!(ours, golden, "{key}");
    }
}

#[test]
fn golden_entity_delta() {
    for row in jsonl("delta/entity.jsonl") {
        let id = &row["id"];
        let from = entity(&row["from_number"], &row["from"]);
        let to = (!row["to"].is_null()).then(|| entity(&row["to_number"], &row["to"]));
        let mut w = writer(&row);
        delta::write_entity(&mut w, Some(&from), to.as_ref(), int(&row["force"]) != 0);
        let data = check_written(&row, &w);
        if int(&row["bits_written"]) == 0 {
            continue;
        }
        let mut r = reader(&row, &data);
        let number = r.read_bits(10);
        let read =
            delta::read_entity(&mut r, number, Some(&from)).unwrap_or_else(|e| panic!("row {id}: {e}"));
        let expected = match &row["read"] {
            Value::String(_) => to,
            values @ Value::Array(_) if to.is_some() => Some(entity(&row["read_number"], values)),
            _ => None,
        };
        assert_eq!(read.map(|state| *state.words()), expected.map(|state| *state.words()), "row {id}");
        assert_eq!(r.bit(), w.bit(), "row {id}");
    }
}

#[test]
fn golden_player_delta() {
    for row in jsonl("delta/player.jsonl") {
        let id = &row["id"];
        let from = (int(&row["from_null"]) == 0).then(|| player(&row["from"]));
        let to = player(&row["to"]);
        let mut w = writer(&row);
        delta::write_player(&mut w, from.as_ref(), &to);
        let data = check_written(&row, &w);
        let mut r = reader(&row, &data);
        let read = delta::read_player(&mut r, from.as_ref()).unwrap_or_else(|e| panic!("row {id}: {e}"));
        let expected = if row["read"].is_string() { to } else { player(&row["read"]) };
        assert_eq!(read.words(), expected.words(), "row {id}");
        assert_eq!(r.bit(), w.bit(), "row {id}");
    }
}

#[test]
fn golden_usercmd_delta() {
    for row in jsonl("delta/usercmd.jsonl") {
        let id = &row["id"];
        let (from, to, key) = (usercmd(&row["from"]), usercmd(&row["to"]), int(&row["key"]));
        let mut w = writer(&row);
        delta::write_usercmd(&mut w, key, &from, &to);
        let data = check_written(&row, &w);
        let mut r = reader(&row, &data);
        let read = delta::read_usercmd(&mut r, key, &from).unwrap_or_else(|e| panic!("row {id}: {e}"));
        assert_eq!(read, usercmd(&row["read"]), "row {id}");
        assert_eq!(r.bit(), w.bit(), "row {id}");
    }
}
