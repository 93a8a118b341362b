//! What of the map's entities a walker meets, as it stands while nobody is there.

use crate::game::native::NativeGame;
use crate::game::native::entity::Kind;
use crate::game::native::level::View;
use crate::game::native::movers::{MoverKind, MoverState};
use crate::game::native::spots::{PLAYER_BOUNDS, Role};
use crate::game::native::triggers::TELEPORT_SPECTATORS;
use crate::game::{Host, SharedEntity};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::mask;
use fogline_common::trace::TraceRequest;

/// A mover lifts if it goes up at least this far, more than a player jumps.
const LEAST_RISE: f32 = 40.0;

/// What a walker meets.
#[derive(Clone, Debug, Default)]
pub(in crate::game::native::bots) struct Scenery {
    /// Brush models that stop it, lifts below. Doors are left out, since they open.
    pub(super) solid: Vec<SharedEntity>,
    /// Jump pads.
    pub(super) pads: Vec<SharedEntity>,
    /// Teleporters, and where each leads.
    pub(super) teleporters: Vec<(SharedEntity, View)>,
    /// Spaces that hurt.
    pub(super) hurts: Vec<SharedEntity>,
    /// What carries it up.
    pub(in crate::game::native::bots) lifts: Vec<Lift>,
    /// Numbers of brush models that never rest: nobody waits on them.
    pub(super) restless: Vec<i32>,
    /// Where players appear and things lie: the flood begins there.
    pub(super) seeds: Vec<Vec3>,
    /// Lower than this is out of the world.
    pub(super) floor: f32,
}

/// A mover that carries up.
#[derive(Clone, Copy, Debug)]
pub(in crate::game::native::bots) struct Lift {
    /// The mover.
    pub(in crate::game::native::bots) entity: EntityNum,
    /// Its place among the solid.
    pub(super) solid: usize,
    /// How far it goes.
    pub(super) rise: Vec3,
    /// The middle of its top, below.
    pub(in crate::game::native::bots) top: Vec3,
    /// How long it takes. Unit: ms.
    pub(super) travel_ms: i32,
}

impl Scenery {
    /// Brush models that stop a walker.
    pub(in crate::game::native::bots) fn solid(&self) -> &[SharedEntity] {
        &self.solid
    }
}

impl NativeGame {
    /// What a walker meets on the running map. To be asked once items and movers have come to rest.
    pub(in crate::game::native::bots) fn scenery(&self, host: &dyn Host) -> Scenery {
        let mut scenery = Scenery { floor: f32::MAX, ..Scenery::default() };
        for spot in &self.spots {
            if !matches!(spot.role, Role::Intermission) {
                scenery.seeds.push(spot.origin + vec3(0.0, 0.0, 1.0));
            }
        }
        for num in self.entities.numbers() {
            let entity = &self.entities[num];
            let shared = entity.shared;
            match entity.kind {
                Kind::Item(_) => scenery.seeds.push(shared.link.origin + vec3(0.0, 0.0, 9.0)),
                Kind::JumpPad => scenery.pads.push(shared),
                Kind::Teleporter if entity.spawn_flags & TELEPORT_SPECTATORS == 0 => {
                    let spot = entity
                        .ties
                        .target
                        .and_then(|name| self.spots.iter().find(|spot| spot.name == Some(name)).copied());
                    if let Some(spot) = spot {
                        let view = View { origin: spot.origin, angles: spot.angles };
                        scenery.teleporters.push((shared, view));
                    }
                }
                Kind::Hurt(hurt) if !hurt.off => scenery.hurts.push(shared),
                Kind::Mover(_) | Kind::Inert if shared.link.brush_model && shared.link.linked => {
                    self.add_brush_model(host, num, &mut scenery);
                }
                _ => {}
            }
        }
        let lowest = scenery.seeds.iter().map(|seed| seed.z).fold(0.0, f32::min);
        scenery.floor = lowest - 8192.0;
        scenery
    }

    fn add_brush_model(&self, host: &dyn Host, num: EntityNum, scenery: &mut Scenery) {
        let mut shared = self.entities[num].shared;
        shared.state.number = num.index() as i32;
        let Kind::Mover(mover) = self.entities[num].kind else {
            scenery.solid.push(shared);
            return;
        };
        let at_rest = mover.start - shared.link.origin;
        match mover.kind {
            MoverKind::Engine | MoverKind::Train => {
                scenery.restless.push(num.index() as i32);
                scenery.solid.push(shared);
            }
            MoverKind::Button => scenery.solid.push(shared),
            MoverKind::Plat | MoverKind::Door => {
                if mover.state != MoverState::AtStart {
                    shared.link.origin = mover.start;
                    shared.link.abs_bounds = shared.link.abs_bounds.translated(at_rest);
                }
                let rise = mover.end - mover.start;
                let carries = rise.z >= LEAST_RISE && has_headroom(host, &shared.link.abs_bounds);
                if !carries && mover.kind == MoverKind::Door {
                    return;
                }
                if carries {
                    let bounds = shared.link.abs_bounds;
                    let middle = bounds.center();
                    scenery.lifts.push(Lift {
                        entity: num,
                        solid: scenery.solid.len(),
                        rise,
                        top: vec3(middle.x, middle.y, bounds.maxs.z + 24.0),
                        travel_ms: shared.state.pos.duration,
                    });
                }
                scenery.solid.push(shared);
            }
        }
    }
}

/// Whether a player fits on top of a box, so that it is no door in its frame.
fn has_headroom(host: &dyn Host, bounds: &Bounds) -> bool {
    let middle = bounds.center();
    let size = bounds.size();
    let stand = vec3(middle.x, middle.y, bounds.maxs.z + 26.0);
    let request = TraceRequest::sweep(stand, stand, PLAYER_BOUNDS, mask::PLAYERSOLID, None);
    size.x.min(size.y) >= 30.0 && !host.trace_still(&request, &[]).start_solid
}
