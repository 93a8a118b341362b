//! The event trace of the visibility filter in a match: what it records, when, and that it changes nothing.

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_server::telemetry::TraceOutput;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{Setup, sim};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use serde_json::Value;

const PLAYERS: usize = 4;

fn match_of(seed: u64) -> Sim<Server> {
    let bots = SimConfig::alike(PLAYERS, &BotConfig::default(), LinkPair::default());
    let mut sim = sim(seed, bots, &Setup::installed_or_halls("oa_dm5"));
    sim.run_until_all_active();
    sim
}

/// What the trace has by now: files and records.
fn outputs(sim: &mut Sim<Server>) -> (Vec<String>, Vec<Value>) {
    let (mut files, mut records) = (Vec::new(), Vec::new());
    while let Some(output) = sim.server.poll_vistrace() {
        match output {
            TraceOutput::File(name) => files.push(name),
            TraceOutput::Line(line) => {
                let line = line.to_string();
                let record = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                records.push(record);
            }
        }
    }
    (files, records)
}

#[test]
fn the_trace_is_turned_on_and_off_while_the_match_runs() {
    let mut sim = match_of(71);
    assert_eq!(outputs(&mut sim), (vec![], vec![]));
    sim.console("set sv_vistrace traces/one.jsonl");
    sim.run(Millis(2000));
    let (files, records) = outputs(&mut sim);
    assert_eq!(files, ["traces/one.jsonl"]);
    // Every other player for each client and frame, at 20 frames a second; the change counts from the next frame on.
    let a_second = 20 * PLAYERS * (PLAYERS - 1);
    assert!((a_second * 2 - a_second / 10..=a_second * 2).contains(&records.len()), "{}", records.len());
    sim.console("set sv_vistrace \"\"");
    sim.run(Millis(500));
    let (files, rest) = outputs(&mut sim);
    assert_eq!((files.as_slice(), rest.as_slice()), (["".to_owned()].as_slice(), [].as_slice()));
}

#[test]
fn a_record_has_the_server_half_of_the_essay_and_says_what_was_sent() {
    let mut sim = match_of(72);
    sim.console("set sv_vistrace one.jsonl");
    sim.run(Millis(3000));
    let (_, records) = outputs(&mut sim);
    let (mut included, mut first, mut withheld) = (0, 0, 0);
    for record in &records {
        let server = &record["server"];
        for (field, of_type) in [
            ("svs_time_ms", Value::is_i64 as fn(&Value) -> bool),
            ("frame_ms", Value::is_i64),
            ("k", Value::is_i64),
            ("mode", Value::is_string),
            ("check", Value::is_string),
            ("gate", Value::is_string),
            ("cause", Value::is_string),
            ("viewer_speed", Value::is_f64),
            ("target_speed", Value::is_f64),
            ("snapshot_seq", Value::is_i64),
            ("included", Value::is_boolean),
            ("first_inclusion", Value::is_boolean),
            ("nonpvs_sounds_last_1s", Value::is_i64),
        ] {
            assert!(of_type(&server[field]), "{field} of {record}");
        }
        for field in ["trace_present", "trace_projected"] {
            assert!(server[field].is_boolean() || server[field].is_null(), "{field} of {record}");
        }
        assert!(server["grace_until_ms"].is_i64() || server["grace_until_ms"].is_null(), "{record}");
        let told = server["included"] == true;
        let by = server["cause"].as_str().unwrap_or_default();
        let is_kept = matches!(by, "out_of_sight" | "too_far" | "not_in_pvs" | "closed_area" | "no_client");
        assert_eq!(told, !is_kept, "{record}");
        included += u32::from(told);
        first += u32::from(server["first_inclusion"] == true);
        withheld += u32::from(!told);
    }
    assert!(included > 0 && first > 0 && withheld > 0 && first < included, "{included} {first} {withheld}");
}

#[test]
fn tracing_changes_nothing_that_is_sent() {
    let hash = |trace: bool| {
        let mut sim = match_of(73);
        if trace {
            sim.console("set sv_vistrace one.jsonl");
        }
        sim.run(Millis(2000));
        sim.sent_hash
    };
    assert_eq!(hash(true), hash(false));
}
