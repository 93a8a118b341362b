//! Where a client draws remote entities, against recordings of OpenMoHAA's client.

use fogline_common::math::{Vec3, vec3};
use fogline_common::proto::{EntityState, Trajectory};
use fogline_common::time::{Millis, ServerTime};
use fogline_tests::golden;
use fogline_tools::client::lerp::{Branch, Drawn, Moment, Style, Subject, blend_angles, draw};
use std::collections::HashMap;

struct Row(HashMap<String, String>);

impl Row {
    fn int(&self, column: &str) -> i32 {
        self.0[column].parse().unwrap_or_else(|e| panic!("{column}: {:?}: {e}", self.0[column]))
    }

    fn flag(&self, column: &str) -> bool {
        self.int(column) != 0
    }

    fn vector(&self, columns: [&str; 3]) -> Vec3 {
        let float = |c: &str| -> f32 { self.0[c].parse().unwrap_or_else(|e| panic!("{c}: {e}")) };
        vec3(float(columns[0]), float(columns[1]), float(columns[2]))
    }

    fn state(&self, c: char) -> EntityState {
        let name = |suffix: &str| format!("{c}{suffix}");
        let vector = |suffixes: [&str; 3]| {
            let names = suffixes.map(name);
            self.vector([&names[0], &names[1], &names[2]])
        };
        EntityState {
            pos: Trajectory {
                time: self.int(&name("_tr_time")),
                base: vector(["ox", "oy", "oz"]),
                delta: vector(["vx", "vy", "vz"]),
                ..Trajectory::default()
            },
            apos: Trajectory { base: vector(["apitch", "ayaw", "aroll"]), ..Trajectory::default() },
            ..EntityState::default()
        }
    }
}

/// Degrees between two angles, the short way round.
fn apart(a: f32, b: f32) -> f32 {
    let turn = (a - b).rem_euclid(360.0);
    turn.min(360.0 - turn)
}

fn check(row: &Row) {
    let label = format!("id {}", row.0["id"]);
    let (current, next) = (row.state('c'), row.state('n'));
    let next_time = row.flag("has_next").then(|| ServerTime(row.int("next_time")));
    let times = (ServerTime(row.int("cg_time")), ServerTime(row.int("snap_time")));
    let moment = Moment::new(times.0, times.1, next_time, row.flag("r_lerpmodels"));
    let frac: f32 = row.0["frac"].parse().unwrap();
    assert_eq!(moment.fraction.to_bits(), frac.to_bits(), "fraction, {label}");

    let (origin, angles) = (row.vector(["lox", "loy", "loz"]), row.vector(["lapitch", "layaw", "laroll"]));
    if row.flag("is_self") && row.flag("is_player") {
        let to = if moment.next.is_some() { next.apos.base } else { current.apos.base };
        let own = blend_angles(current.apos.base, to, moment.fraction);
        assert_eq!(row.0["branch"], "self");
        assert_eq!(own, angles, "own angles, {label}");
        return;
    }
    let cap = row.flag("cg_smoothClients").then(|| Millis(row.int("cg_smoothClientsTime")));
    let subject = Subject {
        current: &current,
        next: row.flag("interpolate").then_some(&next),
        is_player: row.flag("is_player"),
    };
    let drawn = draw(Style::OpenMohaa { cap }, &moment, &subject);
    check_drawn(&drawn, origin, angles, &row.0["branch"], &label);
}

fn check_drawn(drawn: &Drawn, origin: Vec3, angles: Vec3, branch: &str, label: &str) {
    let name = match drawn.branch {
        Branch::Linear => "linear",
        Branch::TrajectoryLerp => "trajectory_lerp",
        Branch::Extrapolate => "extrapolate",
        Branch::Hold => "hold",
    };
    assert_eq!(name, branch, "branch, {label}");
    assert_eq!(drawn.origin, origin, "origin, {label}");
    for axis in 0..3 {
        let off = apart(drawn.angles[axis], angles[axis]);
        assert!(off <= 1e-3, "angle {axis}, {label}: {:?} against {angles:?}", drawn.angles);
    }
}

#[test]
fn golden_client_lerp() {
    for name in ["visibility/d_lerp.csv", "visibility/d_lerp_edge.csv"] {
        let (header, rows) = golden::csv(name);
        assert!(rows.len() >= 10, "{name}: only {} rows", rows.len());
        for row in rows {
            check(&Row(header.iter().cloned().zip(row).collect()));
        }
    }
}
