//! Framing, fragments, checksum and scramble against vectors recorded from ioquake3: `golden/netchan`.

use fogline_common::ids::Sequence;
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::netchan::{Netchan, Side, WireKind, detect_wire};
use fogline_tests::golden::{jsonl, unhex};
use serde_json::Value;

fn number(row: &Value, key: &str) -> i64 {
    row[key].as_i64().unwrap_or_else(|| panic!("row {}: no {key}", row["id"]))
}

fn hex(row: &Value, key: &str) -> Vec<u8> {
    unhex(row[key].as_str().unwrap())
}

/// The message of a row (or of one of several sends), bit by bit, before its end mark.
fn message(row: &Value) -> BitWriter {
    let bytes = hex(row, "message");
    let mut w = BitWriter::new();
    for bit in 0..number(row, "message_bits") as usize {
        w.write_bits(i32::from(bytes[bit / 8] >> (bit % 8)), 1);
    }
    assert_eq!(w.bytes(), bytes);
    w
}

/// Sender and receiver of a row, just before its message.
fn ends(row: &Value) -> (Netchan, Netchan) {
    let wire = if number(row, "legacy") == 0 { WireKind::Ioq3 } else { WireKind::Legacy };
    let sequence = Sequence(number(row, "sequence") as u32);
    let before = Sequence(sequence.0 - 1);
    let end = |side| {
        let qport = row["qport"].as_u64().unwrap_or(0) as u16;
        Netchan::new(side, wire, number(row, "challenge") as i32, qport).taken_up_at(before, sequence)
    };
    let (server, client) = (end(Side::Server), end(Side::Client));
    if row["dir"] == "c2s" { (client, server) } else { (server, client) }
}

#[test]
fn golden_netchan_both_ways() {
    for row in jsonl("netchan/netchan.jsonl") {
        let id = &row["id"];
        let (mut from, mut to) = ends(&row);
        let packets: Vec<Vec<u8>> =
            row["packets"].as_array().unwrap().iter().map(|hex| unhex(hex.as_str().unwrap())).collect();

        let alone = [row.clone()];
        let sends: &[Value] = row["sends"].as_array().map_or(&alone, |sends| &sends[..]);
        let mut texts = Vec::new();
        let mut plain = Vec::new();
        for send in sends {
            let mut w = message(send);
            texts.push(hex(send, "key_string_hex"));
            from.send(&mut w, &texts[texts.len() - 1]).unwrap_or_else(|e| panic!("row {id}: {e}"));
            plain.push(w.bytes().to_vec());
        }

        let mut out = Vec::new();
        for (n, packet) in packets.iter().enumerate() {
            assert!(from.poll_transmit(&mut out), "row {id}: packet {n} is missing");
            assert_eq!(out, *packet, "row {id}: packet {n}");
            if row["dir"] == "c2s" {
                assert_eq!(detect_wire(packet, from.challenge()), from.wire(), "row {id}");
            }
        }
        assert!(!from.poll_transmit(&mut out), "row {id}: a packet too many");

        let mut arrived = 0;
        let mut into = Vec::new();
        for packet in &packets {
            let received = to.receive(packet, &mut into, |_| &texts[arrived]);
            if received.unwrap_or_else(|e| panic!("row {id}: {e}")).is_some() {
                assert_eq!(into, plain[arrived], "row {id}: message {arrived}");
                arrived += 1;
            }
        }
        assert_eq!(arrived, sends.len(), "row {id}");
    }
}
