//! What a hitscan shot and a shotgun's blast cost with 64 players: rewound with and without the broad phase, against the present,
//! and through the map alone, below which none can come; and the memory that the past takes.
//!
//! What is measured is the time that this thread had a core, so that what else the machine does counts little.
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, criterion_group, criterion_main};
use fogline_common::ids::{ClientNum, EntityNum, Sequence};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{shared, trajectory, weapon};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{UserCmd, contents, mask};
use fogline_common::time::{Arrival, CommandTime, Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};
use fogline_server::config::Config;
use fogline_server::game::SharedEntity;
use fogline_server::rewind::{Packet, Rewind, Rules};
use fogline_server::snapshot::{StateLog, WorldFrame};
use fogline_server::world::World;
use fogline_tests::fixture::{self, Setup};
use std::hint::black_box;
use std::time::Duration;

const FPS: i32 = 40;
const FRAMES: i32 = 200;
const PELLETS: usize = shared::DEFAULT_SHOTGUN_COUNT as usize;

/// 64 players who run about where players can be in the map, and everybody's past.
struct Scene {
    world: World,
    crowd: Vec<SharedEntity>,
    rewind: Rewind,
    rays: Vec<TraceRequest>,
}

fn scene() -> Scene {
    let map = Setup::installed_or_halls("oa_dm5").map;
    let mut world = World::new(fixture::clip_map(&map));
    let mut rng = fastrand::Rng::with_seed(64);
    let body = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
    let size = world.clip_map().model_bounds(0).unwrap_or_default();
    let mut crowd = Vec::<SharedEntity>::new();
    let mut places = Vec::new();
    while crowd.len() < MAX_CLIENTS {
        let at = size.mins
            + Vec3::new(rng.f32() * size.size().x, rng.f32() * size.size().y, rng.f32() * size.size().z);
        let stand = TraceRequest::sweep(at, at, body, mask::PLAYERSOLID, None);
        let map = world.clip_map();
        if map.trace(&stand).start_solid || map.leaf_cluster(map.leaf_at(at)).is_none() {
            continue;
        }
        let mut entity = SharedEntity::default();
        entity.state.number = crowd.len() as i32;
        entity.state.pos.kind = trajectory::INTERPOLATE;
        entity.state.weapon = weapon::RAILGUN;
        entity.link.contents = contents::BODY;
        entity.link.bounds = body;
        entity.link.owner = EntityNum::NONE_ON_WIRE;
        places.push((at, rng.f32() * std::f32::consts::TAU));
        crowd.push(entity);
    }
    let config = Config { sv_fps: FPS, ..Config::default() };
    let mut states = StateLog::for_clients(MAX_CLIENTS);
    let mut rewind = Rewind::new(Rules::of(&config));
    let shooter = ClientNum::new(0).expect("slot 0");
    for frame in 1..=FRAMES {
        let (time, now) = (ServerTime(frame * 25), Arrival::from_millis(frame as u64 * 25));
        for (n, (at, heading)) in places.iter_mut().enumerate() {
            // 320 units a second, until there is a wall.
            let next = *at + vec3(heading.cos(), heading.sin(), 0.0) * 8.0;
            let step = TraceRequest::sweep(*at, next, body, mask::PLAYERSOLID, None);
            if world.clip_map().trace(&step).hit() {
                *heading += 2.0;
            } else {
                *at = next;
            }
            let entity = &mut crowd[n];
            entity.state.pos.base = at.truncated();
            entity.link.origin = *at;
            let num = EntityNum::new(n).expect("a player's number");
            world.link(num, entity);
        }
        let mut captured = WorldFrame::default();
        captured.capture(time, &crowd, &world, &mut states);
        rewind.record(&captured, now, |_| Default::default());
        let others = (1..crowd.len()).map_while(ClientNum::new);
        rewind.sent(shooter, Sequence(frame as u32), others);
        let packet = Packet {
            number: Sequence(frame as u32),
            acknowledged: Sequence(frame as u32),
            round_trip: Some(Millis(60)),
            commands: &[UserCmd { server_time: time.0 - 40, ..UserCmd::default() }],
            snapshot_gap: Millis(25),
        };
        rewind.packet(shooter, &packet, now);
        rewind.command(shooter, CommandTime(time.0 - 40), now);
    }
    let rays = (0..512)
        .map(|_| {
            let (from, to) = (rng.usize(1..MAX_CLIENTS), rng.usize(1..MAX_CLIENTS));
            let (start, aim) =
                (places[from].0, places[to].0 + vec3(rng.f32() * 60.0 - 30.0, rng.f32() * 60.0 - 30.0, 0.0));
            let end = start + (aim - start).normalized() * 8192.0;
            TraceRequest::ray(start, end, mask::SHOT, Some(EntityNum::new(from).expect("a player's number")))
        })
        .collect();
    Scene { world, crowd, rewind, rays }
}

/// Everybody is put where it was, and everybody is tested.
fn naive(scene: &Scene, request: &TraceRequest) -> Trace {
    let shooter = ClientNum::new(0).expect("slot 0");
    let mut best = scene.world.trace_except(&scene.crowd, request, |num| num.index() < MAX_CLIENTS);
    for client in ClientNum::all(MAX_CLIENTS) {
        let Some(then) = scene.rewind.drawn_box(shooter, &scene.crowd, client) else { continue };
        let mut entity = scene.crowd[client.index()];
        entity.link.origin = Vec3::ZERO;
        entity.link.bounds = then;
        scene.world.clip(&scene.crowd, &mut best, &entity, client.entity(), request);
    }
    best
}

fn shots(c: &mut Criterion<CoreTime>) {
    let scene = scene();
    let shooter = ClientNum::new(0).expect("slot 0");
    let mut hits = 0;
    let mut rng = fastrand::Rng::with_seed(11);
    for ray in &scene.rays {
        let judged = scene.rewind.trace(&scene.world, shooter, &scene.crowd, ray);
        assert_eq!(judged.entity, naive(&scene, ray).entity, "the broad phase changes nothing");
        hits += u32::from(judged.entity.is_some_and(|num| num.index() < MAX_CLIENTS));
    }
    let blasts: Vec<[TraceRequest; PELLETS]> = scene.rays.iter().map(|ray| blast(ray, &mut rng)).collect();
    let mut traces = [Trace::clear(Vec3::ZERO); PELLETS];
    let single = scene.rewind.counts();
    for rays in &blasts {
        scene.rewind.trace_all(&scene.world, shooter, &scene.crowd, rays, &mut traces);
        for (ray, trace) in rays.iter().zip(&traces) {
            assert_eq!(trace.entity, naive(&scene, ray).entity, "nor does the cone");
        }
    }
    let both = scene.rewind.counts();
    println!(
        "{} rays, {hits} hit a player, {:.2} candidates of {} after the broad phase; {:.2} after the cone of a blast; the past takes \
         {:.3} MB",
        single.rays,
        single.candidates as f64 / single.looks as f64,
        MAX_CLIENTS - 1,
        (both.candidates - single.candidates) as f64 / (both.looks - single.looks) as f64,
        scene.rewind.memory_bytes() as f64 / 1e6
    );
    let mut next = 0;
    let mut turn = || {
        next = (next + 1) % scene.rays.len();
        next
    };
    let trace = |ray: &TraceRequest| scene.rewind.trace(&scene.world, shooter, &scene.crowd, ray);
    assert!(scene.rewind.memory_bytes() <= 300_000, "{} bytes", scene.rewind.memory_bytes());
    let map = |ray: &TraceRequest| scene.world.trace_map(ray);
    let mut of_shots = c.benchmark_group("shot");
    of_shots.bench_function("rewound", |b| b.iter(|| black_box(trace(&scene.rays[turn()]))));
    of_shots.bench_function("map_alone", |b| b.iter(|| black_box(map(&scene.rays[turn()]))));
    of_shots.bench_function("rewound_without_broad_phase", |b| {
        b.iter(|| black_box(naive(&scene, &scene.rays[turn()])));
    });
    of_shots.bench_function("present", |b| {
        b.iter(|| black_box(scene.world.trace(&scene.crowd, &scene.rays[turn()])));
    });
    of_shots.finish();
    let mut of_blasts = c.benchmark_group("blast");
    of_blasts.bench_function("rewound", |b| {
        b.iter(|| {
            scene.rewind.trace_all(&scene.world, shooter, &scene.crowd, &blasts[turn()], &mut traces);
            black_box(&traces);
        });
    });
    of_blasts.bench_function("map_alone", |b| b.iter(|| black_box(blasts[turn()].map(|ray| map(&ray)))));
    of_blasts.bench_function("map_at_once", |b| {
        b.iter(|| {
            scene.world.trace_map_all(&blasts[turn()], &mut traces);
            black_box(&traces);
        });
    });
    of_blasts.bench_function("ray_by_ray", |b| b.iter(|| black_box(blasts[turn()].map(|ray| trace(&ray)))));
    of_blasts.bench_function("rewound_without_broad_phase", |b| {
        b.iter(|| black_box(blasts[turn()].map(|ray| naive(&scene, &ray))));
    });
    of_blasts.finish();
}

/// The pellets around a ray, in the cone that the game gives them.
fn blast(ray: &TraceRequest, rng: &mut fastrand::Rng) -> [TraceRequest; PELLETS] {
    let range = 8192.0 * 16.0;
    let forward = (ray.end - ray.start).normalized();
    let right = forward.cross(vec3(0.0, 0.0, 1.0)).normalized();
    let up = right.cross(forward);
    let width = (shared::DEFAULT_SHOTGUN_SPREAD * 16) as f32;
    std::array::from_fn(|_| {
        let (sideways, upward) = ((rng.f32() * 2.0 - 1.0) * width, (rng.f32() * 2.0 - 1.0) * width);
        let end = ray.start.mul_add(range, forward).mul_add(sideways, right).mul_add(upward, up);
        TraceRequest { end, ..*ray }
    })
}

/// Time on a core, as the system counts it.
struct CoreTime;

impl CoreTime {
    fn now() -> Duration {
        // The count is brought up to date when the thread lets others pass.
        std::thread::yield_now();
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the system counts");
        let nanos = text.split(' ').next().and_then(|first| first.parse().ok());
        Duration::from_nanos(nanos.expect("it counts in nanoseconds"))
    }
}

impl Measurement for CoreTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        Self::now()
    }

    fn end(&self, begun: Duration) -> Duration {
        Self::now().saturating_sub(begun).max(Duration::from_nanos(1))
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CoreTime);
    targets = shots
}
criterion_main!(benches);
