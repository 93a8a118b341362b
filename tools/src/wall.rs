//! `fogtool wall`: two players, one wall, the same moment with the filter off and on, and what each was sent, as a drawing.
//!
//! Nothing is made up: a server runs a map of six walls and one more in memory, twice from the same seed, two headless clients join
//! it, and what is drawn is what stands in the newest snapshot that each has decoded.

use crate::client::config::ClientConfig;
use crate::client::events::Event;
use crate::client::{Client, ClientState};
use crate::plot::{Anchor, COLOURS, dot, head, line, rectangle, text};
use crate::rim::picture::write_picture;
use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::bsp::{Brush, BrushSide, Bsp, Child, Leaf, Model, Node, Shader, Span};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{AreaNum, ClientNum, ClusterNum};
use fogline_common::math::{Bounds, Plane, Vec3, vec3};
use fogline_common::proto::contents;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Arrival, Millis};
use fogline_server::config::{By, Cvars};
use fogline_server::files::MemoryFiles;
use fogline_server::game::native::NativeGame;
use fogline_server::server::Server;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// What is drawn.
#[derive(Args, Debug)]
pub struct WallArgs {
    /// Where the drawing goes.
    #[arg(long, default_value = "wall.svg")]
    pub out: PathBuf,
    /// Write it as PNG too.
    #[arg(long)]
    pub png: bool,
    /// Decides everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// Half the extent of the room, its height, and the thickness of what closes it.
const HALF: f32 = 512.0;
const HEIGHT: f32 = 256.0;
const THICK: f32 = 32.0;
/// The wall between the two, seen from above: low and high corner.
const WALL: [[f32; 2]; 2] = [[-16.0, -320.0], [16.0, 320.0]];
/// Where the two stand, and their names.
const PLACES: [(&str, Vec3); 2] = [("A", vec3(-280.0, -60.0, 25.0)), ("B", vec3(280.0, 60.0, 25.0))];
/// Until both have joined, and from their being put there until the moment that is drawn.
const JOINS: Millis = Millis(20_000);
const SETTLES: Millis = Millis(3000);

/// What one client was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Players in its snapshot, beside itself: slot and place.
    pub players: Vec<(usize, Vec3)>,
    /// Entities in all.
    pub entities: usize,
    /// Where it is itself.
    pub own: Vec3,
    /// Bytes of all that it was sent in the second before.
    pub bytes: usize,
}

/// Plays both, draws and prints.
///
/// # Errors
/// A sentence, if the players do not get into the game or the drawing cannot be written.
pub fn run(args: &WallArgs) -> Result<bool, String> {
    let scenes = [("0", play(args.seed, "0")?), ("3", play(args.seed, "3")?)];
    write_picture(&args.out, &draw(&scenes), args.png)?;
    let mut table = Table::new(&["sv_netoptimize", "client", "told of", "entities", "bytes_per_s"]);
    for (mode, sent) in &scenes {
        for ((name, _), sent) in PLACES.iter().zip(sent) {
            table.push(vec![
                Cell::Text((*mode).to_owned()),
                Cell::Text((*name).to_owned()),
                Cell::Text(told(sent)),
                Cell::Count(sent.entities as u64),
                Cell::Count(sent.bytes as u64),
            ]);
        }
    }
    show!("{}", table.render(args.output));
    Ok(true)
}

/// Whom a client was told of, in words.
fn told(sent: &Sent) -> String {
    let word = |&(slot, at): &(usize, Vec3)| {
        let name = PLACES.get(slot).map_or("?", |(name, _)| name);
        format!("{name} at {:.0} {:.0} {:.0}", at.x, at.y, at.z)
    };
    match sent.players.as_slice() {
        [] => "nobody".to_owned(),
        players => players.iter().map(word).collect::<Vec<String>>().join(", "),
    }
}

/// The scene with the filter set so: what each client has been sent, in the order of [`PLACES`].
///
/// # Errors
/// A sentence, if the players do not get into the game.
pub fn play(seed: u64, mode: &str) -> Result<Vec<Sent>, String> {
    let file = map_file();
    let bsp = Bsp::parse(&file).map_err(|error| error.to_string())?;
    let clip = Arc::new(ClipMap::build(&bsp).map_err(|error| error.to_string())?);
    let mut cvars = Cvars::new();
    for (name, value) in [("sv_netoptimize", mode), ("sv_floodProtect", "0")] {
        cvars.set(name, value, By::Host).map_err(|error| error.to_string())?;
    }
    cvars.seal();
    let mut files = MemoryFiles::default();
    files.insert("maps/wall.bsp", file);
    let start = Arrival::default();
    let mut server = Server::new(cvars, Box::new(files), Box::new(NativeGame::new()), seed, start);
    server.console_line(start, "devmap wall");
    let clients = PLACES.iter().enumerate().map(|(index, (name, _))| {
        let config = ClientConfig {
            name: (*name).to_owned(),
            qport: 1000 + index as u16,
            seed: seed + index as u64,
            ..ClientConfig::default()
        };
        let mut client = Client::new(config);
        client.set_map(Some(clip.clone()));
        client
    });
    let mut scene = Scene { server, clients: clients.collect(), sent: vec![0; PLACES.len()], now: start };
    scene.run_until(JOINS, |scene| scene.clients.iter().all(|client| *client.state() == ClientState::Active));
    if scene.clients.iter().any(|client| *client.state() != ClientState::Active) {
        return Err("the two players do not get into the game".to_owned());
    }
    for (client, (_, at)) in scene.clients.iter_mut().zip(PLACES) {
        let command = format!("setviewpos {} {} {} 0", at.x, at.y, at.z);
        client.command(&command).map_err(|error| error.to_string())?;
    }
    scene.run_until(SETTLES, |_| false);
    scene.sent.fill(0);
    scene.run_until(Millis(1000), |_| false);
    scene.found()
}

/// A server and its clients, joined by lines that take no time.
struct Scene {
    server: Server,
    clients: Vec<Client>,
    /// Bytes sent to each.
    sent: Vec<usize>,
    now: Arrival,
}

fn address(index: usize) -> SocketAddr {
    SocketAddr::from(([10, 1, 0, index as u8 + 1], 27_960))
}

impl Scene {
    /// A millisecond at a time, at most for `span`, until something is true.
    fn run_until(&mut self, span: Millis, done: impl Fn(&Self) -> bool) {
        let end = self.now.after(span);
        let mut buffer = Vec::new();
        while self.now < end && !done(self) {
            self.now = self.now.after(Millis(1));
            let now = self.now;
            for (index, client) in self.clients.iter_mut().enumerate() {
                client.advance(now);
                while client.poll_event().is_some_and(|event: Event| !matches!(event, Event::Active)) {}
                while client.poll_transmit(&mut buffer) {
                    self.server.receive(now, address(index), &buffer);
                }
            }
            self.server.advance(now);
            while let Some(to) = self.server.poll_transmit(&mut buffer) {
                if let Some(index) = (0..self.clients.len()).find(|&index| address(index) == to) {
                    self.sent[index] += buffer.len();
                    self.clients[index].receive(now, &buffer);
                }
            }
            while self.server.poll_log().is_some() || self.server.poll_game_log().is_some() {}
        }
    }

    /// What the newest snapshot of each client holds. Clients are in slots as they came.
    fn found(&self) -> Result<Vec<Sent>, String> {
        let of = |(client, bytes): (&Client, &usize)| {
            let scene = client.scene();
            let snapshot = scene.next().or(scene.current())?;
            let player = |number: i32| usize::try_from(number).ok().filter(|&number| number < MAX_CLIENTS);
            let others =
                snapshot.entities.iter().filter_map(|state| Some((player(state.number)?, state.pos.base)));
            Some(Sent {
                players: others.filter(|&(slot, _)| ClientNum::new(slot) != client.client_num()).collect(),
                entities: snapshot.entities.len(),
                own: snapshot.player.origin,
                bytes: *bytes,
            })
        };
        let all: Option<Vec<Sent>> = self.clients.iter().zip(&self.sent).map(of).collect();
        all.ok_or_else(|| "a client has no snapshot".to_owned())
    }
}

/// The room as a map file: one area, one PVS, so that only the wall can hide anybody.
fn map_file() -> Vec<u8> {
    let (far, low) = (HALF + THICK, -THICK);
    let [[x0, y0], [x1, y1]] = WALL;
    let boxes = [
        (vec3(-far, -far, low), vec3(far, far, 0.0)),
        (vec3(-far, -far, HEIGHT), vec3(far, far, HEIGHT + THICK)),
        (vec3(-far, -far, 0.0), vec3(-HALF, far, HEIGHT)),
        (vec3(HALF, -far, 0.0), vec3(far, far, HEIGHT)),
        (vec3(-HALF, -far, 0.0), vec3(HALF, -HALF, HEIGHT)),
        (vec3(-HALF, HALF, 0.0), vec3(HALF, far, HEIGHT)),
        (vec3(x0, y0, 0.0), vec3(x1, y1, HEIGHT)),
    ];
    let mut bsp = Bsp::default();
    bsp.shaders.push(Shader::new("textures/wall", 0, contents::SOLID));
    for (mins, maxs) in boxes {
        let first = bsp.brush_sides.len() as u32;
        for axis in 0..3 {
            for (sign, dist) in [(-1.0, -mins[axis]), (1.0, maxs[axis])] {
                let mut normal = Vec3::ZERO;
                normal[axis] = sign;
                let plane = bsp.planes.len() as u32;
                // A plane and its other side, as map files have them.
                bsp.planes.push(Plane { normal, dist });
                bsp.planes.push(Plane { normal: -normal, dist: -dist });
                bsp.brush_sides.push(BrushSide { plane, shader: 0 });
            }
        }
        bsp.brushes.push(Brush { sides: Span { first, count: 6 }, shader: 0 });
    }
    let count = boxes.len() as u32;
    let bounds = Bounds::new(vec3(-far, -far, low), vec3(far, far, HEIGHT + THICK));
    bsp.models.push(Model { bounds, surfaces: Span::default(), brushes: Span { first: 0, count } });
    let plane = bsp.planes.len() as u32;
    bsp.planes.push(Plane { normal: vec3(1.0, 0.0, 0.0), dist: 0.0 });
    bsp.planes.push(Plane { normal: vec3(-1.0, 0.0, 0.0), dist: 0.0 });
    let (mins, maxs) = ([-4096; 3], [4096; 3]);
    bsp.nodes.push(Node { plane, children: [Child::Leaf(0), Child::Leaf(1)], mins, maxs });
    bsp.leaf_brushes = (0..count).collect();
    for side in 0..2 {
        bsp.leafs.push(Leaf {
            cluster: Some(ClusterNum::new(side)),
            area: Some(AreaNum::new(0)),
            mins,
            maxs,
            surfaces: Span::default(),
            brushes: Span { first: 0, count },
        });
    }
    let spot =
        |x: i32| format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} -400 32\"\n}}\n");
    bsp.entities = format!("{{\n\"classname\" \"worldspawn\"\n}}\n{}{}", spot(-400), spot(400)).into_bytes();
    bsp.emit()
}

const WIDTH: f64 = 920.0;
const PAGE_HEIGHT: f64 = 640.0;
/// Side of a drawn room.
const SIDE: f64 = 400.0;
const TOP: f64 = 92.0;

/// Both rooms side by side.
pub fn draw(scenes: &[(&str, Vec<Sent>)]) -> String {
    let mut svg = head(WIDTH, PAGE_HEIGHT);
    text(
        &mut svg,
        [40.0, 30.0],
        Anchor::Start,
        17.0,
        "#111",
        "Two players, one wall, the same moment: what each was sent",
    );
    let about = "filled: where the player is; ring: where the other's client was told that it is";
    text(&mut svg, [40.0, 52.0], Anchor::Start, 12.5, "#555", about);
    for (n, (mode, sent)) in scenes.iter().enumerate() {
        room(&mut svg, 40.0 + n as f64 * (SIDE + 40.0), mode, sent);
    }
    svg.push_str("</svg>\n");
    svg
}

fn room(svg: &mut String, left: f64, mode: &str, sent: &[Sent]) {
    let scale = SIDE / f64::from(2.0 * (HALF + THICK));
    let page = |x: f32, y: f32| {
        [left + f64::from(x + HALF + THICK) * scale, TOP + f64::from(HALF + THICK - y) * scale]
    };
    let title =
        if mode == "0" { "sv_netoptimize 0, as a stock server" } else { "sv_netoptimize 3, the default" };
    text(svg, [left, TOP - 12.0], Anchor::Start, 14.0, "#111", title);
    rectangle(svg, [left, TOP], [left + SIDE, TOP + SIDE], "#777777", 1.0);
    rectangle(svg, page(-HALF, HALF), page(HALF, -HALF), "#f6f3ea", 1.0);
    let [[x0, y0], [x1, y1]] = WALL;
    rectangle(svg, page(x0, y1), page(x1, y0), "#777777", 1.0);
    for (index, (viewer, (name, _))) in sent.iter().zip(PLACES).enumerate() {
        let (at, colour) = (page(viewer.own.x, viewer.own.y), COLOURS[index]);
        for &(slot, place) in &viewer.players {
            let told_at = page(place.x, place.y);
            line(svg, at, told_at, colour, 1.0);
            ring(svg, told_at, COLOURS[slot % COLOURS.len()]);
        }
        dot(svg, at, 8.0, colour, 1.0);
        text(svg, [at[0], at[1] - 18.0], Anchor::Middle, 14.0, "#111", name);
        let words = format!("{name} was told of {}", told(viewer));
        let y = TOP + SIDE + 28.0 + index as f64 * 44.0;
        text(svg, [left, y], Anchor::Start, 14.0, colour, &words);
        let rest = format!(
            "{} entities in its snapshot, {} bytes in the last second",
            viewer.entities, viewer.bytes
        );
        text(svg, [left, y + 18.0], Anchor::Start, 12.0, "#555", &rest);
    }
}

fn ring(svg: &mut String, [x, y]: [f64; 2], colour: &str) {
    use std::fmt::Write as _;
    let _ = writeln!(
        svg,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"13\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_wall_the_filter_leaves_out_the_other_and_a_stock_server_does_not() {
        let near = |sent: &Sent, slot: usize| {
            let (other, place) = sent.players.first().copied().unwrap_or((usize::MAX, Vec3::ZERO));
            sent.players.len() == 1 && other == slot && place.distance(PLACES[slot].1) < 200.0
        };
        let off = play(1, "0").unwrap();
        assert!(near(&off[0], 1) && near(&off[1], 0), "{off:?}");
        let on = play(1, "3").unwrap();
        assert!(on.iter().all(|sent| sent.players.is_empty()), "{on:?}");
        assert_eq!([on[0].own, on[1].own], [off[0].own, off[1].own]);
    }

    #[test]
    fn what_was_sent_is_drawn_and_said() {
        let sent = |players: &[(usize, Vec3)]| Sent {
            players: players.to_vec(),
            entities: 3,
            own: Vec3::ZERO,
            bytes: 9,
        };
        let svg = draw(&[("0", vec![sent(&[(1, vec3(280.0, 60.0, 25.0))]), sent(&[])])]);
        assert!(svg.contains("A was told of B at 280 60 25") && svg.contains("B was told of nobody"));
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
