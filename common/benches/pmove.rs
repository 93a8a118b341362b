//! Cost of one player's move on oa_dm5: by what the player does, in time and in traces. Skipped where the map is not installed.
#![allow(missing_docs, reason = "the macro of criterion makes undocumented functions")]

use criterion::{Criterion, criterion_group, criterion_main};
use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, MapAlone};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{stat, weapon};
use fogline_common::pmove::{PmoveInput, PmoveSettings, pmove};
use fogline_common::proto::{PlayerState, UserCmd, button, mask};
use fogline_common::trace::{Trace, TraceRequest, Tracer};
use std::cell::Cell;
use std::hint::black_box;

#[path = "../../tests/src/gamedata.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests, a library that others use more of")]
mod gamedata;

/// A map that counts what is asked of it.
struct Counted {
    clip_map: ClipMap,
    traces: Cell<u32>,
    points: Cell<u32>,
}

impl Tracer for Counted {
    fn trace(&self, request: &TraceRequest) -> Trace {
        self.traces.set(self.traces.get() + 1);
        MapAlone(&self.clip_map).trace(request)
    }

    fn point_contents(&self, point: Vec3, _pass: Option<EntityNum>) -> i32 {
        self.points.set(self.points.get() + 1);
        self.clip_map.contents_at(point)
    }
}

/// A player in the hall of the map, well above its floor.
fn player() -> PlayerState {
    let mut ps = PlayerState {
        origin: vec3(1096.0, -432.0, 225.0),
        gravity: 800,
        speed: 320,
        ground_entity: EntityNum::NONE_ON_WIRE,
        weapon: weapon::MACHINEGUN,
        ..PlayerState::default()
    };
    ps.stats[stat::HEALTH as usize] = 100;
    ps.stats[stat::WEAPONS as usize] = 1 << weapon::MACHINEGUN;
    ps.ammo[weapon::MACHINEGUN as usize] = -1;
    ps
}

/// The hands of somebody who turns all the time and, if it `moves`, runs, strafes and jumps.
fn command(frame: i32, moves: bool) -> UserCmd {
    let cmd = UserCmd {
        angles: [1000, (frame * 97) & 0xffff, 0],
        buttons: button::ATTACK,
        weapon: weapon::MACHINEGUN as u8,
        ..UserCmd::default()
    };
    if !moves {
        return cmd;
    }
    let side = if frame / 60 % 2 == 0 { 127 } else { -127 };
    UserCmd { forward_move: 127, right_move: side, up_move: if frame % 90 < 5 { 127 } else { 0 }, ..cmd }
}

/// Twenty seconds of one player, commands of `msec`; the number of moves.
fn play(world: &Counted, moves: bool, msec: i32) -> u32 {
    let mut ps = player();
    let frames = 20_000 / msec;
    for frame in 0..frames {
        let cmd = UserCmd { server_time: (frame + 1) * msec, ..command(frame, moves) };
        let input = PmoveInput {
            cmd,
            tracer: world,
            trace_mask: mask::PLAYERSOLID,
            settings: PmoveSettings { float_velocity: true, ..PmoveSettings::default() },
            gauntlet_hit: false,
        };
        black_box(pmove(&mut ps, &input));
    }
    frames.unsigned_abs()
}

fn bench(criterion: &mut Criterion) {
    let Some(bytes) = gamedata::map("oa_dm5") else { return };
    let clip_map = ClipMap::build(&Bsp::parse(&bytes).expect("a sound map")).expect("a sound map");
    let world = Counted { clip_map, traces: Cell::new(0), points: Cell::new(0) };
    let mut group = criterion.benchmark_group("pmove_oa_dm5");
    for (name, moves, msec) in
        [("standing_8ms", false, 8), ("running_8ms", true, 8), ("running_50ms", true, 50)]
    {
        world.traces.set(0);
        world.points.set(0);
        let count = play(&world, moves, msec);
        let per_move = |total: &Cell<u32>| f64::from(total.get()) / f64::from(count);
        println!(
            "{name}: {:.2} traces, {:.2} points a move",
            per_move(&world.traces),
            per_move(&world.points)
        );
        group.throughput(criterion::Throughput::Elements(u64::from(count)));
        group.bench_function(name, |b| b.iter(|| play(&world, moves, msec)));
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
