//! Which changes of a map leave its geometry, vis and light as they were, so that the entity lump alone is written anew.
//!
//! Two hashes are kept beside the compiled map: one of everything that shapes it, one of the lumps that came of it. If both still
//! hold, only what the game reads of entities can have changed. Where entities stand matters to the compile too, by the flood that
//! tells inside from outside; [`is_still_closed`] asks the finished map for that.

use crate::compiled::Compiled;
use crate::geometry::DVec3;
use crate::lump;
use crate::map_file::{Entity, MapFile};
use crate::scene::Scene;
use fogline_common::bsp::{Bsp, Lump};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::fmt::Write as _;
use std::hash::Hasher;

/// What is remembered of a compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Of all that shapes the map.
    pub source: u128,
    /// Of all lumps but the entities.
    pub lumps: u128,
}

/// Keys of the world that only the game reads.
const WORDS_FOR_THE_GAME: [&str; 9] = [
    "classname",
    "message",
    "music",
    "gravity",
    "author",
    "comment",
    "enableDust",
    "enableBreath",
    "songtype",
];
/// The first line of the file.
const HEAD: &str = "fogmap cache 1";

impl Memory {
    /// Of a compile. `options` and `tool` stand for the command line and the program.
    pub fn new(map: &MapFile, scene: &Scene, options: &str, tool: &str, file: &[u8]) -> Self {
        Self { source: hash_of_source(map, scene, options, tool), lumps: hash_of_lumps(file) }
    }

    /// The same source, and the lumps of a compiled map.
    #[must_use]
    pub fn with_lumps_of(self, file: &[u8]) -> Self {
        Self { lumps: hash_of_lumps(file), ..self }
    }

    /// From its file.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != HEAD {
            return None;
        }
        let mut number = || u128::from_str_radix(lines.next()?, 16).ok();
        Some(Self { source: number()?, lumps: number()? })
    }

    /// Its file.
    pub fn emit(&self) -> String {
        format!("{HEAD}\n{:032x}\n{:032x}\n", self.source, self.lumps)
    }
}

/// All lumps but the entities.
fn hash_of_lumps(file: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    for lump in Lump::ALL.into_iter().filter(|&lump| lump != Lump::Entities) {
        let content = lump::content(file, lump);
        hasher.write_usize(content.len());
        hasher.write(content);
    }
    hasher.finish128().as_u128()
}

/// Brushes, patches, materials, lights and all that says how to compile.
fn hash_of_source(map: &MapFile, scene: &Scene, options: &str, tool: &str) -> u128 {
    let mut text = format!("{tool}\n{options}\n{:?}\n", scene.materials.all());
    let aims: Vec<&str> =
        map.entities.iter().filter(|entity| is_light(entity)).filter_map(|e| e.value("target")).collect();
    for (number, entity) in map.entities.iter().enumerate() {
        let shapes = !entity.brushes.is_empty() || !entity.patches.is_empty();
        let aimed_at = entity.value("targetname").is_some_and(|name| aims.contains(&name));
        let whole = is_light(entity) || crate::scene::is_for_the_compiler(entity.class());
        for (key, value) in &entity.pairs {
            let lower = key.to_ascii_lowercase();
            let counts = match number {
                0 => !WORDS_FOR_THE_GAME.iter().any(|known| known.eq_ignore_ascii_case(key)),
                _ if whole => true,
                _ => {
                    lower.starts_with('_')
                        || (shapes && matches!(lower.as_str(), "classname" | "origin" | "model"))
                        || (aimed_at && matches!(lower.as_str(), "origin" | "targetname"))
                }
            };
            if counts {
                let _ = writeln!(text, "{lower} {value}");
            }
        }
        for brush in &entity.brushes {
            text.push_str("brush\n");
            for face in &brush.faces {
                let _ = writeln!(
                    text,
                    "{:?} {} {:?} {}",
                    face.points, face.shader, face.projection, face.contents
                );
            }
        }
        for patch in &entity.patches {
            let _ = writeln!(
                text,
                "patch {} {:?} {:?} {:?}",
                patch.shader, patch.size, patch.subdivisions, patch.points
            );
        }
    }
    // Files of models may have changed without the source.
    for mesh in scene.models.iter().flat_map(|model| &model.meshes) {
        let _ = writeln!(text, "mesh {:?} {:?}", mesh.vertices, mesh.triangles);
    }
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish128().as_u128()
}

fn is_light(entity: &Entity) -> bool {
    entity.class().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("light"))
}

/// Whether the flood from the entities would find what it found before: each of them stands in the open of the finished map, and no
/// part of the open is without one.
pub fn is_still_closed(bsp: &Bsp, scene: &Scene) -> bool {
    let Ok(compiled) = Compiled::open(bsp) else { return false };
    let mut reached = vec![false; compiled.cluster_count as usize];
    let mut pending = Vec::new();
    for entity in scene.entities.iter().filter(|entity| entity.model.is_none()) {
        let Some(origin) = entity.entity.vector("origin").filter(|&origin| origin != DVec3::ZERO) else {
            continue;
        };
        match compiled.cluster_at(origin + DVec3::axis(2)) {
            Some(cluster) => pending.push(cluster),
            None => return false,
        }
    }
    let mut beside = vec![Vec::new(); reached.len()];
    for (number, [a, b]) in compiled.openings().filter(|(number, _)| !compiled.portals.all[*number].tiny) {
        debug_assert!(number < compiled.portals.all.len());
        beside[a as usize].push(b);
        beside[b as usize].push(a);
    }
    while let Some(cluster) = pending.pop() {
        if !std::mem::replace(&mut reached[cluster as usize], true) {
            pending.extend(&beside[cluster as usize]);
        }
    }
    reached.into_iter().all(|one| one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Options, build_scene};
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    const MAP: &str = include_str!("../../tests/maps/two_rooms.map");

    fn remembered(text: &str) -> (Memory, Bsp, bool) {
        let map = MapFile::parse(text.as_bytes()).expect("a map");
        let scene = || Scene::new(&map, Materials::new(SearchPath::empty()), &mut Vec::new());
        let first = MapFile::parse(MAP.as_bytes()).expect("a map");
        let first_scene = Scene::new(&first, Materials::new(SearchPath::empty()), &mut Vec::new());
        let bsp = build_scene(&first, first_scene, &Options::default(), &mut Vec::new(), &mut |_| {}).bsp;
        let bsp = bsp.expect("a compiled map");
        let closed = is_still_closed(&bsp, &scene());
        (Memory::new(&map, &scene(), "", "", &bsp.emit()), bsp, closed)
    }

    #[test]
    fn words_for_the_game_change_nothing_and_brushes_do() {
        let (before, _, closed) = remembered(MAP);
        assert!(closed);
        assert_eq!(Memory::parse(&before.emit()), Some(before.clone()));
        let world = "\"classname\" \"worldspawn\"";
        let named = MAP.replacen(world, &format!("{world}\n\"message\" \"a name\""), 1);
        assert_eq!(remembered(&named).0, before);
        let grid = MAP.replacen(world, &format!("{world}\n\"_blocksize\" \"512\""), 1);
        assert_ne!(remembered(&grid).0.source, before.source);
        let line = MAP.lines().find(|line| line.starts_with("( ")).expect("a face");
        let moved = line.replacen("base/wall", "base/other", 1);
        if moved != line {
            assert_ne!(remembered(&MAP.replacen(line, &moved, 1)).0.source, before.source);
        }
        let item = format!("{MAP}\n{{\n\"classname\" \"item_quad\"\n\"origin\" \"90000 0 0\"\n}}\n");
        let (after, _, closed) = remembered(&item);
        assert_eq!(after, before);
        assert!(!closed, "an entity in the void asks for a compile");
        let lamp = format!("{MAP}\n{{\n\"classname\" \"light\"\n\"origin\" \"0 0 64\"\n}}\n");
        assert_ne!(remembered(&lamp).0.source, before.source);
    }
}
