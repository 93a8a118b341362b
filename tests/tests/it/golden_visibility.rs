//! The compat profile of the visibility filter against recordings of OpenMoHAA: the classifier, the decision with every ray that
//! it asks, its memory over time, the cluster gate, the far distance and the cadence of snapshots.

use fogline_common::math::Vec3;
use fogline_common::time::ServerTime;
use fogline_server::clients::rate::Pace;
use fogline_server::config::Config;
use fogline_server::visibility::cluster::{ReferenceClusters, reference_passes};
use fogline_server::visibility::far::{Class, Sphere, classify, effective, stored};
use fogline_server::visibility::sight::compat::{Pair, Terms, decide};
use fogline_server::visibility::{Mode, Verdict, horizon};
use fogline_tests::golden;
use fogline_tests::rows::{Row, rows};

fn class_named(name: &str) -> Class {
    match name {
        "IN" => Class::In,
        "CLIP" => Class::Clip,
        "OUT" => Class::Out,
        other => panic!("no class {other:?}"),
    }
}

#[test]
fn golden_visibility_classifier() {
    for (name, least) in [("visibility/a_distcheck.csv.gz", 1000), ("visibility/a_distcheck_edge.csv", 20)] {
        let rows = rows(name);
        assert!(rows.len() >= least || rows.is_empty(), "{name}: only {} rows", rows.len());
        for row in rows {
            let class = classify(&Sphere {
                viewpoint: row.vector("o"),
                forward: row.vector("f"),
                fov: row.float("fov"),
                center: row.vector("c"),
                radius: row.float("radius"),
                is_player: row.flag("is_client"),
                velocity: row.vector("tr"),
                far: row.float("farplane"),
            });
            assert_eq!(class, class_named(row.text("class")), "{row:?}");
        }
    }
}

/// How the recording's two switches are our mode: any other number than 0 and 1 is 2 (quirks.md).
fn mode_of(row: &Row) -> Mode {
    match (row.int("g_netoptimize"), row.int("sv_netoptimize")) {
        (0, _) | (_, 0) => Mode::Off,
        (_, 1) => Mode::FarOnly,
        _ => Mode::Always,
    }
}

fn check_decision(row: &Row) {
    let now = ServerTime(row.int("svs_time"));
    let before = ServerTime(row.int("stored_until"));
    let terms = Terms {
        mode: mode_of(row),
        class: class_named(row.text("dist_class")),
        until: Some(before),
        now,
        horizon: horizon(3, row.float("frame_time")),
    };
    let pair = Pair {
        viewer_eye: row.vector("ve"),
        viewer_velocity: row.vector("vv"),
        forward: row.vector("f"),
        target_eye: row.vector("te"),
        target_velocity: row.vector("tv"),
        target_view_height: row.int("tviewheight"),
    };
    let mut asked: Vec<(Vec3, Vec3)> = Vec::new();
    // What is no player never comes to the decision.
    let is_player = row.int("target_slot") < row.int("num_clients");
    let (visible, until) = if is_player {
        let verdict = decide(&terms, &pair, |from, to| {
            asked.push((from, to));
            row.flag(&format!("ans{}", asked.len()))
        });
        match verdict {
            Verdict::Send(cause) if cause.is_sighting() => (true, now.0 + row.int("vistime")),
            Verdict::Send(_) => (true, before.0),
            Verdict::Withhold(_) => (false, before.0),
            Verdict::Pass => panic!("no verdict: {row:?}"),
        }
    } else {
        (true, before.0)
    };
    assert_eq!((visible, until), (row.flag("visible"), row.int("new_until")), "{row:?}");
    assert_eq!(asked.len() as i32, row.int("n_traces"), "{row:?}");
    for (n, (from, to)) in (1..).zip(&asked) {
        assert_eq!(*from, row.vector(&format!("s{n}")), "start of ray {n}: {row:?}");
        assert_eq!(*to, row.vector(&format!("e{n}")), "end of ray {n}: {row:?}");
    }
}

#[test]
fn golden_visibility_decision_and_its_rays() {
    for (name, least) in [("visibility/b_visible.csv.gz", 1000), ("visibility/b_visible_edge.csv", 20)] {
        let rows = rows(name);
        assert!(rows.len() >= least || rows.is_empty(), "{name}: only {} rows", rows.len());
        rows.iter().for_each(check_decision);
    }
}

#[test]
fn golden_visibility_timeline() {
    let rows = rows("visibility/e_grace_timeline.csv.gz");
    let (mut script, mut until) = (String::new(), None);
    for row in &rows {
        if script != row.text("script") {
            script = row.text("script").to_owned();
            until = None;
        }
        let now = ServerTime(row.int("svs_time"));
        let terms = Terms {
            mode: if row.int("mode") == 1 { Mode::FarOnly } else { Mode::Always },
            class: class_named(row.text("dist_class")),
            until,
            now,
            horizon: horizon(3, row.int("frame_msec") as f32 / 1000.0),
        };
        let moves = if row.flag("target_moving") { 100.0 } else { 0.0 };
        let pair = Pair {
            viewer_eye: Vec3::ZERO,
            viewer_velocity: Vec3::ZERO,
            forward: Vec3::new(1.0, 0.0, 0.0),
            target_eye: Vec3::new(1000.0, 0.0, 0.0),
            target_velocity: Vec3::new(0.0, moves, 0.0),
            target_view_height: 82,
        };
        let mut asked = 0;
        let verdict = decide(&terms, &pair, |_, to| {
            asked += 1;
            let (lowered, ahead) = (to.z != 0.0, to.y != 0.0);
            !lowered && row.flag(if ahead { "los_ahead" } else { "los_now" })
        });
        if let Verdict::Send(cause) = verdict
            && cause.is_sighting()
        {
            until = Some(ServerTime(now.0 + row.int("vistime")));
        }
        let visible = matches!(verdict, Verdict::Send(_));
        assert_eq!(visible, row.flag("visible"), "{row:?}");
        assert_eq!(until.map_or(0, |until| until.0), row.int("until"), "{row:?}");
        assert_eq!(asked, row.int("n_traces"), "{row:?}");
    }
}

#[test]
fn golden_visibility_cluster_gate() {
    for row in rows("visibility/f_cluster_gate.csv") {
        let (listed, seen) = (row.ints("check_clusters"), row.ints("pvs_set"));
        assert_eq!(listed.len() as i32, row.int("check_num_clusters"));
        let clusters = ReferenceClusters {
            own_count: row.int("own_num_clusters") as usize,
            listed: &listed,
            last: row.int("last_cluster"),
        };
        let passes = reference_passes(&clusters, |cluster| seen.contains(&cluster));
        assert_eq!(passes, row.flag("pass"), "{row:?}");
    }
}

#[test]
fn golden_visibility_far_distance() {
    for row in rows("visibility/f_farplane.csv") {
        let far = stored(row.int("game_farplane"));
        assert_eq!(far, row.int("stored"), "{row:?}");
        assert_eq!(effective(far), row.float("effective"), "{row:?}");
    }
}

#[test]
fn golden_visibility_cadence() {
    let (header, all) = golden::csv("visibility/f_cadence.csv");
    assert!(header.is_empty() || header[0] == "sv_fps");
    for row in all {
        let [fps, snaps, gap, frame, times] = &row[..] else { panic!("{row:?}") };
        let number = |text: &str| -> i32 { text.parse().unwrap_or_else(|e| panic!("{row:?}: {e}")) };
        let config = Config { sv_fps: number(fps), ..Config::default() };
        let userinfo = if snaps.is_empty() { String::new() } else { format!("\\snaps\\{snaps}") };
        let pace = Pace::from_userinfo(&userinfo, [10, 0, 0, 1].into(), &config);
        assert_eq!(pace.snapshot_gap.0, number(gap), "{row:?}");

        let (frame, mut last) = (number(frame), None);
        let mut sent = Vec::new();
        for time in (1..).map(|n| n * frame).take(2000) {
            if last.is_none_or(|last| time - last >= pace.snapshot_gap.0) {
                sent.push(time);
                last = Some(time);
            }
        }
        let expected: Vec<i32> = times.split_ascii_whitespace().map(number).collect();
        assert_eq!(sent[..expected.len()], expected, "{row:?}");
    }
}
