//! Player movement against runs recorded from the original routine of OpenArena 0.8.8 (`tests/golden/pmove/runs.jsonl.gz`:
//! commands, and the state after each, on three real maps without entities).

use fogline_common::collision::MapAlone;
use fogline_common::math::Vec3;
use fogline_common::openarena::{dm_flag, stat};
use fogline_common::pmove::{PmoveInput, PmoveOutput, PmoveSettings, pmove};
use fogline_common::proto::{PlayerState, UserCmd};
use fogline_tests::fixture::installed_map;
use fogline_tests::golden;
use serde_json::Value;
use std::collections::BTreeMap;

/// One recorded run.
struct Run {
    label: String,
    map: String,
    settings: PmoveSettings,
    trace_mask: i32,
    start: PlayerState,
    columns: Vec<String>,
    steps: Vec<Vec<f64>>,
}

impl Run {
    fn read(row: &Value) -> Self {
        let int = |key: &str| row[key].as_i64().unwrap_or_else(|| panic!("{key}")) as i32;
        let footsteps = if int("noFootsteps") == 0 { 0 } else { dm_flag::NO_FOOTSTEPS };
        let floats = |row: &Value| row.as_array().expect("an array").iter().map(number).collect();
        Self {
            label: format!("run {} ({} on {})", int("run"), row["name"], row["map"]),
            map: row["map"].as_str().expect("a map name").to_owned(),
            settings: PmoveSettings {
                fixed_step_ms: (int("pmove_fixed") != 0).then(|| int("pmove_msec")),
                float_velocity: int("pmove_float") != 0,
                dm_flags: (int("pmove_flags") & !dm_flag::NO_FOOTSTEPS) | footsteps,
            },
            trace_mask: int("tracemask"),
            start: start_state(&row["init"]),
            columns: row["columns"]
                .as_array()
                .expect("columns")
                .iter()
                .map(|name| name.as_str().expect("a name").to_owned())
                .collect(),
            steps: row["steps"].as_array().expect("steps").iter().map(floats).collect(),
        }
    }

    fn value(&self, step: usize, column: &str) -> f64 {
        let index = self.columns.iter().position(|name| name == column);
        self.steps[step][index.unwrap_or_else(|| panic!("no column {column}"))]
    }

    /// Runs the command of a step.
    fn advance(&self, ps: &mut PlayerState, step: usize, world: &MapAlone<'_>) -> PmoveOutput {
        let int = |column: &str| self.value(step, column) as i32;
        let cmd = UserCmd {
            server_time: int("cmd.serverTime"),
            angles: [int("cmd.angles0"), int("cmd.angles1"), int("cmd.angles2")],
            forward_move: int("cmd.forwardmove") as i8,
            right_move: int("cmd.rightmove") as i8,
            up_move: int("cmd.upmove") as i8,
            buttons: int("cmd.buttons"),
            weapon: int("cmd.weapon") as u8,
        };
        let input = PmoveInput {
            cmd,
            tracer: world,
            trace_mask: self.trace_mask,
            settings: self.settings,
            gauntlet_hit: int("gauntletHit") != 0,
        };
        pmove(ps, &input)
    }

    /// Columns that differ from the recording by more than `tolerance`, or at all where they are no motion.
    fn differences(&self, step: usize, ps: &PlayerState, out: &PmoveOutput, tolerance: f64) -> Vec<String> {
        let mut found = Vec::new();
        for column in self.columns.iter().skip(10) {
            let (ours, recorded) = (state_value(ps, out, column), self.value(step, column));
            let is_motion = ["origin", "velocity", "viewangles", "out.xyspeed"]
                .iter()
                .any(|name| column.starts_with(name));
            // Nine digits name one f32; the others are integers.
            let (want, allowed) =
                if is_motion { (f64::from(recorded as f32), tolerance) } else { (recorded, 0.0) };
            if (ours - want).abs() > allowed || ours.is_nan() {
                found.push(format!("{} step {step} {column}: {ours}, recorded {want}", self.label));
            }
        }
        found
    }

    /// Puts the recorded state after a step into `ps`. Ammunition is recorded for the weapon in hand only.
    fn seed(&self, ps: &mut PlayerState, step: usize) {
        let int = |column: &str| self.value(step, column) as i32;
        let vector = |column: &str| {
            let axis = |n: usize| self.value(step, &format!("{column}{n}")) as f32;
            Vec3::new(axis(0), axis(1), axis(2))
        };
        ps.origin = vector("origin");
        ps.velocity = vector("velocity");
        ps.view_angles = vector("viewangles");
        ps.delta_angles = [int("delta_angles0"), int("delta_angles1"), int("delta_angles2")];
        ps.command_time = int("commandTime");
        ps.pm_flags = int("pm_flags");
        ps.pm_time = int("pm_time");
        ps.ground_entity = int("groundEntityNum");
        ps.flags = int("eFlags");
        ps.legs_anim = int("legsAnim");
        ps.torso_anim = int("torsoAnim");
        ps.weapon = int("weapon");
        ps.weapon_state = int("weaponstate");
        ps.weapon_time = int("weaponTime");
        ps.ammo[ps.weapon as usize] = int("ammo_of_weapon");
        ps.view_height = int("viewheight");
        ps.events = [int("events0"), int("events1")];
        ps.event_parms = [int("eventParms0"), int("eventParms1")];
        ps.event_sequence = int("eventSequence");
        ps.bob_cycle = int("bobCycle");
        ps.legs_timer = int("legsTimer");
        ps.torso_timer = int("torsoTimer");
        ps.movement_dir = int("movementDir");
        ps.stats[stat::HOLDABLE_ITEM as usize] = int("holdable_item");
        ps.pmove_frame_count = int("pmove_framecount");
    }
}

/// The column of the same name from a state and what its move put out.
fn state_value(ps: &PlayerState, out: &PmoveOutput, column: &str) -> f64 {
    if let Some((name, axis)) = column.split_at_checked(column.len() - 1)
        && let Ok(axis) = axis.parse::<usize>()
    {
        let vector = |v: Vec3| f64::from(v[axis]);
        match name {
            "origin" => return vector(ps.origin),
            "velocity" => return vector(ps.velocity),
            "viewangles" => return vector(ps.view_angles),
            "out.mins" => return vector(out.bounds.mins),
            "out.maxs" => return vector(out.bounds.maxs),
            "delta_angles" => return f64::from(ps.delta_angles[axis]),
            "events" => return f64::from(ps.events[axis]),
            "eventParms" => return f64::from(ps.event_parms[axis]),
            _ => {}
        }
    }
    f64::from(match column {
        "commandTime" => ps.command_time,
        "pm_flags" => ps.pm_flags,
        "pm_time" => ps.pm_time,
        "groundEntityNum" => ps.ground_entity,
        "eFlags" => ps.flags,
        "legsAnim" => ps.legs_anim,
        "torsoAnim" => ps.torso_anim,
        "weapon" => ps.weapon,
        "weaponstate" => ps.weapon_state,
        "weaponTime" => ps.weapon_time,
        "ammo_of_weapon" => ps.ammo[ps.weapon as usize],
        "viewheight" => ps.view_height,
        "eventSequence" => ps.event_sequence,
        "bobCycle" => ps.bob_cycle,
        "legsTimer" => ps.legs_timer,
        "torsoTimer" => ps.torso_timer,
        "movementDir" => ps.movement_dir,
        "holdable_item" => ps.stats[stat::HOLDABLE_ITEM as usize],
        "pmove_framecount" => ps.pmove_frame_count,
        "out.waterlevel" => out.water_level.depth(),
        "out.watertype" => out.water_type,
        "out.numtouch" => out.touched.len() as i32,
        "out.xyspeed" => return f64::from(out.xy_speed),
        _ => panic!("column {column} is not known"),
    })
}

fn start_state(init: &Value) -> PlayerState {
    let int = |key: &str| init[key].as_i64().unwrap_or_else(|| panic!("init.{key}")) as i32;
    let array = |key: &str| init[key].as_array().unwrap_or_else(|| panic!("init.{key}"));
    let floats = |key: &str| Vec3::from([0, 1, 2].map(|n| number(&array(key)[n]) as f32));
    let ints = |key: &str| {
        let mut values = [0; 16];
        for (slot, value) in values.iter_mut().zip(array(key)) {
            *slot = number(value) as i32;
        }
        values
    };
    let delta_angles = ints("delta_angles");
    PlayerState {
        command_time: int("commandTime"),
        pm_type: int("pm_type"),
        pm_flags: int("pm_flags"),
        pm_time: int("pm_time"),
        origin: floats("origin"),
        velocity: floats("velocity"),
        gravity: int("gravity"),
        speed: int("speed"),
        delta_angles: [delta_angles[0], delta_angles[1], delta_angles[2]],
        ground_entity: int("groundEntityNum"),
        legs_anim: int("legsAnim"),
        torso_anim: int("torsoAnim"),
        weapon: int("weapon"),
        weapon_state: int("weaponstate"),
        view_height: int("viewheight"),
        client_num: int("clientNum"),
        grapple_point: floats("grapplePoint"),
        stats: ints("stats"),
        persistant: ints("persistant"),
        ammo: ints("ammo"),
        powerups: ints("powerups"),
        ..PlayerState::default()
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Allowed error of motion. The project's own copy of the recording is met to the last bit; one made with another compiler or
/// mathematical library may differ by `elsewhere`.
fn tolerance(elsewhere: f64) -> f64 {
    if std::env::var_os("FOGLINE_GOLDEN").is_none() { 0.0 } else { elsewhere }
}

/// Calls `check` for each run with its map; nothing if the maps are not installed.
fn for_each_run(mut check: impl FnMut(&Run, &MapAlone<'_>)) {
    let mut maps = BTreeMap::new();
    for row in golden::jsonl("pmove/runs.jsonl.gz") {
        let run = Run::read(&row);
        if !maps.contains_key(&run.map) {
            let Some(map) = installed_map(&run.map) else { return };
            maps.insert(run.map.clone(), map);
        }
        check(&run, &MapAlone(&maps[&run.map]));
    }
}

fn assert_none(differences: &[String], step_count: usize) {
    let shown = differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} differences in {step_count} steps:\n{shown}", differences.len());
}

#[test]
fn golden_pmove_each_step_from_the_recorded_state_before_it() {
    let mut differences = Vec::new();
    let mut step_count = 0;
    for_each_run(|run, world| {
        let mut ps = run.start;
        for step in 0..run.steps.len() {
            let out = run.advance(&mut ps, step, world);
            differences.extend(run.differences(step, &ps, &out, tolerance(1e-3)));
            run.seed(&mut ps, step);
            step_count += 1;
        }
    });
    assert_none(&differences, step_count);
}

#[test]
fn golden_pmove_whole_runs_from_their_start_alone() {
    let mut differences = Vec::new();
    let mut step_count = 0;
    for_each_run(|run, world| {
        let mut ps = run.start;
        for step in 0..run.steps.len() {
            let out = run.advance(&mut ps, step, world);
            let found = run.differences(step, &ps, &out, tolerance(0.05));
            step_count += 1;
            // One parting of ways is one finding.
            if !found.is_empty() {
                differences.extend(found);
                return;
            }
        }
    });
    assert_none(&differences, step_count);
}
