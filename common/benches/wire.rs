//! What a message costs to write and to read. Run: `cargo bench -p fogline-common --bench wire`.
//!
//! The states move as players do: a running player changes place, velocity, view and animation from one snapshot to the next.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fogline_common::ids::Sequence;
use fogline_common::math::vec3;
use fogline_common::proto::{EntityState, PlayerState, UserCmd};
use fogline_common::time::ServerTime;
use fogline_common::wire::bits::{BitReader, BitWriter};
use fogline_common::wire::messages::{
    ClientContext, ClientMessage, SnapshotHead, SnapshotRef, write_client_head, write_move, write_snapshot,
};
use fogline_common::wire::netchan::{Netchan, Side, WireKind};
use fogline_common::wire::{IgnoreWarnings, adaptive, delta};
use std::hint::black_box;

const PLAYERS: usize = 64;

/// Player `number` after `frame` frames of running.
fn runner(number: usize, frame: usize) -> EntityState {
    let (n, t) = (number as f32, frame as f32 * 0.05);
    let mut state = EntityState {
        number: number as i32,
        entity_type: 1,
        client_num: number as i32,
        ..Default::default()
    };
    state.pos.kind = 1;
    state.pos.base = vec3(n * 37.5 + (320.0 * t).trunc(), n * -11.25, 24.125);
    state.pos.delta = vec3(320.0 * (n + t).cos(), 320.0 * (n + t).sin(), 0.0);
    state.apos.kind = 1;
    state.apos.base = vec3((3.0 * t + n).sin() * 20.0, (n * 60.0 + 90.0 * t) % 360.0, 0.0);
    state.angles2.y = (frame % 8) as f32;
    state.legs_anim = 15 + (frame as i32 / 8) % 2 * 128;
    state.torso_anim = 11;
    state.weapon = 2;
    state.ground_entity = 1022;
    state.solid = 0x38_180f;
    state
}

fn player(frame: usize) -> PlayerState {
    let moving = runner(3, frame);
    let mut state = PlayerState {
        command_time: 10_000 + frame as i32 * 50,
        bob_cycle: (frame as i32 * 20) & 255,
        origin: moving.pos.base,
        velocity: moving.pos.delta,
        view_angles: moving.apos.base,
        weapon_time: (100 - frame as i32 * 50).rem_euclid(150),
        gravity: 800,
        speed: 320,
        ground_entity: 1022,
        legs_anim: moving.legs_anim,
        view_height: 26,
        ..Default::default()
    };
    state.stats[0] = 100;
    state.ammo[2] = 100 - frame as i32;
    state
}

fn deltas(c: &mut Criterion) {
    let mut group = c.benchmark_group("delta");
    let mut w = BitWriter::new();
    let (from, to) = (runner(5, 10), runner(5, 11));
    group.bench_function("entity_unchanged", |b| {
        b.iter(|| {
            w.clear();
            delta::write_entity(&mut w, black_box(Some(&from)), black_box(Some(&from)), false);
        });
    });
    group.bench_function("entity_running", |b| {
        b.iter(|| {
            w.clear();
            delta::write_entity(&mut w, black_box(Some(&from)), black_box(Some(&to)), false);
        });
    });
    group.bench_function("entity_new", |b| {
        b.iter(|| {
            w.clear();
            delta::write_entity(&mut w, None, black_box(Some(&to)), true);
        });
    });
    w.clear();
    delta::write_entity(&mut w, Some(&from), Some(&to), false);
    let bytes = w.bytes().to_vec();
    group.bench_function("entity_running_read", |b| {
        b.iter(|| {
            let mut r = BitReader::new(black_box(&bytes));
            let number = r.read_bits(10);
            delta::read_entity(&mut r, number, Some(&from))
        });
    });
    let (from, to) = (player(10), player(11));
    group.bench_function("player_running", |b| {
        b.iter(|| {
            w.clear();
            delta::write_player(&mut w, black_box(Some(&from)), black_box(&to));
        });
    });
    group.finish();
}

fn huffman(c: &mut Criterion) {
    // Bytes as messages have them: many small, some large.
    let data: Vec<u8> = (0..8192u32)
        .map(|n| if n % 3 == 0 { 0 } else { (n.wrapping_mul(2_654_435_761) >> 24) as u8 })
        .collect();
    let mut w = BitWriter::new();
    w.write_data(&data);
    let bytes = w.bytes().to_vec();
    let mut group = c.benchmark_group("huffman");
    group.throughput(Throughput::Bytes(data.len() as u64));
    group.bench_function("write", |b| {
        b.iter(|| {
            w.clear();
            w.write_data(black_box(&data));
        });
    });
    let mut into = vec![0; data.len()];
    group.bench_function("read", |b| {
        b.iter(|| BitReader::new(black_box(&bytes)).read_data(&mut into));
    });
    let userinfo = b"\"\\ip\\10.0.0.1\\name\\UnnamedPlayer\\rate\\25000\\snaps\\40\\model\\sarge\\headmodel\\sarge\\handicap\\100\\color1\\4\\color2\\5\\sex\\male\\cl_anonymous\\0\\cg_predictItems\\1\\protocol\\71\\qport\\30087\\challenge\\-1703217753\"";
    let packed = adaptive::compress(userinfo);
    group.throughput(Throughput::Bytes(userinfo.len() as u64));
    group.bench_function("connect_unpack", |b| {
        b.iter(|| adaptive::decompress(black_box(&packed), 1024, &mut into));
    });
    group.finish();
}

fn messages(c: &mut Criterion) {
    let mut group = c.benchmark_group("message");
    let mut w = BitWriter::new();
    let entities = |frame| (0..PLAYERS).map(|n| runner(n, frame)).collect::<Vec<_>>();
    let (from, to) = (entities(10), entities(11));
    let (player_from, player_to) = (player(10), player(11));
    let head = SnapshotHead { server_time: ServerTime(50), delta_num: 1, flags: 0, area_mask: &[0; 4] };
    let base = SnapshotRef { player: &player_from, entities: &from };
    let next = SnapshotRef { player: &player_to, entities: &to };
    group.bench_function("snapshot_of_64_running", |b| {
        b.iter(|| {
            w.clear();
            write_snapshot(&mut w, &head, black_box(Some(base)), black_box(next), &[]);
        });
    });

    let mut netchan = Netchan::new(Side::Server, WireKind::Legacy, 12345, 1);
    let mut out = Vec::new();
    let payload = [7; 600];
    group.bench_function("send_600_bytes_scrambled", |b| {
        b.iter(|| {
            w.clear();
            w.write_data(&payload);
            netchan.send(&mut w, b"userinfo \"\\name\\x\"").ok();
            netchan.poll_transmit(&mut out)
        });
    });

    let cmds: Vec<UserCmd> = (0..4)
        .map(|n| UserCmd {
            server_time: 1000 + n * 8,
            angles: [n * 10, n * 30, 0],
            forward_move: 127,
            ..Default::default()
        })
        .collect();
    w.clear();
    write_client_head(&mut w, 576, 100, 12);
    write_move(&mut w, true, 77, &cmds);
    w.write_byte(5);
    let context =
        ClientContext { wire: WireKind::Legacy, checksum_feed: 77, command_text: &|_| b"print \"x\"" };
    let mut message = ClientMessage::default();
    group.bench_function("client_message_of_4_usercmds", |b| {
        b.iter(|| message.parse_into(black_box(w.bytes()), &context, &mut IgnoreWarnings));
    });
    assert_eq!(netchan.incoming(), Sequence(0));
    group.finish();
}

criterion_group!(benches, deltas, huffman, messages);
criterion_main!(benches);
