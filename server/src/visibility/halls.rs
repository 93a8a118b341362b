//! A map for tests: four halls in a row along x, a cluster each, walls without thickness between them.
//!
//! ```text
//!   x   -200     -100       0        100      200
//!        | hall 0 | hall 1 | hall 2 | hall 3 |
//!   area |        0        |        1        |      joined by an area portal at x = 0
//!   sees |  0 1   | 0 1 2  | 1 2 3  |  2 3   |
//! ```

use crate::game::{EntityTable, SharedEntity};
use crate::visibility::{Gate, Recall, Rules, Scene, Target, Verdict, View, Work};
use crate::world::World;
use fogline_common::bsp::{Bsp, Child, Leaf, Model, Node, Shader, Span, Visibility};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{AreaNum, ClientNum, ClusterNum, EntityNum};
use fogline_common::math::{Bounds, Plane, Vec3, vec3};
use fogline_common::time::ServerTime;
use std::sync::Arc;

/// The halls, and what was put into them.
pub(crate) struct Halls {
    pub(crate) world: World,
    pub(crate) entities: Vec<SharedEntity>,
    pub(crate) rules: Rules,
    work: Work,
    recall: Recall,
}

/// A point in the middle of a hall.
pub(crate) fn middle(hall: usize) -> Vec3 {
    vec3(hall as f32 * 100.0 - 150.0, 0.0, 0.0)
}

impl Halls {
    /// Empty halls, the portal between them open.
    pub(crate) fn new() -> Self {
        let world = World::new(Arc::new(ClipMap::build(&bsp()).expect("the halls are sound")));
        let entities = vec![SharedEntity::default(); 400];
        let mut halls = Self {
            world,
            entities,
            rules: Rules::default(),
            work: Work::default(),
            recall: Recall::default(),
        };
        halls.set_portal(true);
        halls
    }

    /// Opens or closes the door between hall 1 and hall 2.
    pub(crate) fn set_portal(&mut self, open: bool) {
        let door = EntityNum::new(399).expect("in range");
        let slab = Bounds::new(vec3(-4.0, -8.0, -8.0), vec3(4.0, 8.0, 8.0));
        let mut entity = SharedEntity::default();
        entity.link.bounds = slab;
        self.world.link(door, &mut entity);
        self.world.adjust_area_portal(door, open);
        self.world.unlink(door, &mut entity);
    }

    /// Puts a player-sized entity somewhere.
    pub(crate) fn put(&mut self, raw: usize, at: Vec3, sv_flags: i32, single_client: i32) -> EntityNum {
        let num = EntityNum::new(raw).expect("in range");
        let entity = &mut self.entities[raw];
        entity.state.number = raw as i32;
        entity.link.bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
        entity.link.origin = at;
        entity.link.sv_flags = sv_flags;
        entity.link.single_client = single_client;
        self.world.link(num, entity);
        num
    }

    /// What one gate says of an entity, seen from a point.
    pub(crate) fn ask(&self, gate: Gate, client: ClientNum, from: Vec3, num: EntityNum) -> Verdict {
        let record = self.world.record(num).expect("it is linked");
        let target = Target { entity: &self.entities[num.index()], record, pose: None, seen_until: None };
        gate.1(&View::new(client, from, self.world.clip_map()), &target, &self.scene())
    }

    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            clip: self.world.clip_map(),
            portals: self.world.area_portals(),
            rules: &self.rules,
            now: ServerTime(0),
            movers: &[],
            prover: None,
            recall: &self.recall,
            work: &self.work,
        }
    }
}

impl EntityTable for Halls {
    fn len(&self) -> usize {
        self.entities.len()
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        self.entities[num.index()]
    }
}

fn bsp() -> Bsp {
    let none = Span { first: 0, count: 0 };
    let hall = |n: u32| Leaf {
        cluster: Some(ClusterNum::new(n)),
        area: Some(AreaNum::new(n / 2)),
        mins: [-200, -100, -100],
        maxs: [200, 100, 100],
        surfaces: none,
        brushes: none,
    };
    // Planes come in opposite pairs; the even ones face +x.
    let planes = [0.0f32, -100.0, 100.0]
        .iter()
        .flat_map(|&dist| {
            [Plane { normal: vec3(1.0, 0.0, 0.0), dist }, Plane { normal: vec3(-1.0, 0.0, 0.0), dist: -dist }]
        })
        .collect();
    let node = |plane, front, back| Node {
        plane,
        children: [front, back],
        mins: [-200, -100, -100],
        maxs: [200, 100, 100],
    };
    let leaf = |n| Child::Leaf(n);
    Bsp {
        entities: b"{\n\"classname\" \"worldspawn\"\n}\n\0".to_vec(),
        shaders: vec![Shader { name: [0; 64], surface_flags: 0, contents: 1 }],
        planes,
        nodes: vec![
            node(0, Child::Node(2), Child::Node(1)),
            node(2, leaf(1), leaf(0)),
            node(4, leaf(3), leaf(2)),
        ],
        leafs: (0..4).map(hall).collect(),
        models: vec![Model {
            bounds: Bounds::new(vec3(-200.0, -100.0, -100.0), vec3(200.0, 100.0, 100.0)),
            surfaces: none,
            brushes: none,
        }],
        visibility: Some(Visibility {
            cluster_count: 4,
            row_bytes: 1,
            rows: vec![0b0011, 0b0111, 0b1110, 0b1100],
        }),
        ..Bsp::default()
    }
}
