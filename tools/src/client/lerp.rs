//! Where a client draws another entity: between two snapshots if it may, else as far as the current one carries.
//!
//! In: the entity in the current snapshot, in the next one if blending to it is allowed, and the moment to draw. Out: position
//! and angles, and which way they came about. Sources: `CG_CalcEntityLerpPositions` of OpenArena's cgame; for
//! [`Style::OpenMohaa`] the facts page "visibility-openmohaa", section 10.

use fogline_common::math::{PITCH, ROLL, Vec3, YAW, vec3};
use fogline_common::openarena::trajectory;
use fogline_common::proto::EntityState;
use fogline_common::time::{Millis, ServerTime};

/// Whose client draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// OpenArena's and ioquake3's cgame.
    Ioquake3 {
        /// Draw players past the newest snapshot along their velocity, where the server sent one to follow. Source:
        /// `cg_smoothClients`.
        smooth_clients: bool,
    },
    /// OpenMoHAA's cgame: players move on from the time of their last command, at most `cap` of it.
    OpenMohaa {
        /// `cg_smoothClientsTime`, or `None` for `cg_smoothClients 0`.
        cap: Option<Millis>,
    },
}

/// The moment to draw, and the snapshots around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The server time that is drawn.
    pub now: ServerTime,
    /// Time of the current snapshot.
    pub current: ServerTime,
    /// Time of the next snapshot, if there is one.
    pub next: Option<ServerTime>,
    /// Share of the way from current to next; see [`Moment::new`].
    pub fraction: f32,
}

impl Moment {
    /// With the blend fraction that a stock client computes: 0 without a next snapshot, or if both have the same time, or if
    /// models are not blended (`r_lerpmodels 0`).
    pub fn new(now: ServerTime, current: ServerTime, next: Option<ServerTime>, lerp_models: bool) -> Self {
        let fraction = match next {
            Some(next) if lerp_models && next != current => {
                (now - current).0 as f32 / (next - current).0 as f32
            }
            _ => 0.0,
        };
        Self { now, current, next, fraction }
    }
}

/// The entity as a client keeps it between two snapshots.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// In the current snapshot.
    pub current: &'a EntityState,
    /// In the next one, if blending to it is allowed: it is in both and did not teleport.
    pub next: Option<&'a EntityState>,
    /// It is a player.
    pub is_player: bool,
}

/// Which way a position came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// Blend of the two plain positions.
    Linear,
    /// Blend of the two motions, each evaluated at its snapshot's time.
    TrajectoryLerp,
    /// The current motion carried on to the drawn moment.
    Extrapolate,
    /// The current position as it is.
    Hold,
}

/// Where an entity is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Position.
    pub origin: Vec3,
    /// Pitch, yaw, roll in degrees, not brought into any range.
    pub angles: Vec3,
    /// How they came about.
    pub branch: Branch,
}

/// Where a client of this style draws the entity.
pub fn draw(style: Style, moment: &Moment, subject: &Subject<'_>) -> Drawn {
    match style {
        Style::Ioquake3 { smooth_clients } => draw_ioquake3(smooth_clients, moment, subject),
        Style::OpenMohaa { cap } => draw_openmohaa(cap, moment, subject),
    }
}

/// Angles of one's own body: each angle on its own, the short way round. Source: `LerpAngle`.
pub fn blend_angles(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    let blend = |from: f32, mut to: f32| {
        if to - from > 180.0 {
            to -= 360.0;
        }
        if to - from < -180.0 {
            to += 360.0;
        }
        from + fraction * (to - from)
    };
    vec3(blend(from.x, to.x), blend(from.y, to.y), blend(from.z, to.z))
}

fn blend(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    vec3(
        from.x + fraction * (to.x - from.x),
        from.y + fraction * (to.y - from.y),
        from.z + fraction * (to.z - from.z),
    )
}

fn draw_ioquake3(smooth_clients: bool, moment: &Moment, subject: &Subject<'_>) -> Drawn {
    let (mut pos, mut next_pos) = (subject.current.pos, subject.next.map(|next| next.pos));
    if subject.is_player && !smooth_clients {
        pos.kind = trajectory::INTERPOLATE;
        if let Some(next) = &mut next_pos {
            next.kind = trajectory::INTERPOLATE;
        }
    }
    let blends =
        pos.kind == trajectory::INTERPOLATE || (pos.kind == trajectory::LINEAR_STOP && subject.is_player);
    if let (true, Some(next), Some(next_pos), Some(next_time)) = (blends, subject.next, next_pos, moment.next)
    {
        let angles = (subject.current.apos.at(moment.current), next.apos.at(next_time));
        return Drawn {
            origin: blend(pos.at(moment.current), next_pos.at(next_time), moment.fraction),
            angles: blend_angles(angles.0, angles.1, moment.fraction),
            branch: if pos.kind == trajectory::INTERPOLATE { Branch::Linear } else { Branch::TrajectoryLerp },
        };
    }
    let still = matches!(pos.kind, trajectory::STATIONARY | trajectory::INTERPOLATE);
    Drawn {
        origin: pos.at(moment.now),
        angles: subject.current.apos.at(moment.now),
        branch: if still { Branch::Hold } else { Branch::Extrapolate },
    }
}

fn draw_openmohaa(cap: Option<Millis>, moment: &Moment, subject: &Subject<'_>) -> Drawn {
    let angles = |fraction| match subject.next {
        Some(next) => blend_turns(subject.current.apos.base, next.apos.base, fraction),
        None => subject.current.apos.base,
    };
    match (subject.next, moment.next, cap.filter(|_| subject.is_player)) {
        (Some(next), Some(next_time), Some(cap)) => Drawn {
            origin: blend(
                advanced(subject.current, moment.current, cap),
                advanced(next, next_time, cap),
                moment.fraction,
            ),
            angles: angles(moment.fraction),
            branch: Branch::TrajectoryLerp,
        },
        (Some(next), _, None) => Drawn {
            origin: blend(subject.current.pos.base, next.pos.base, moment.fraction),
            angles: angles(moment.fraction),
            branch: Branch::Linear,
        },
        (_, _, Some(cap)) => Drawn {
            origin: advanced(subject.current, moment.now, cap),
            angles: subject.current.apos.base,
            branch: Branch::Extrapolate,
        },
        (None, _, None) => Drawn {
            origin: subject.current.pos.base,
            angles: subject.current.apos.base,
            branch: Branch::Hold,
        },
    }
}

/// The position moved along its velocity from its command time to `time`, but at most `cap` of that. No lower bound: a command
/// time ahead moves it backward.
fn advanced(state: &EntityState, time: ServerTime, cap: Millis) -> Vec3 {
    let from = ServerTime(state.pos.time);
    let elapsed = (time.min(from + cap) - from).0;
    state.pos.base.mul_add((f64::from(elapsed) * 0.001) as f32, state.pos.delta)
}

/// Angles blended as a rotation along the great circle; equal angles are kept bit for bit.
fn blend_turns(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    if from.to_array().map(f32::to_bits) == to.to_array().map(f32::to_bits) {
        return from;
    }
    Turn::from_angles(from).slerp(&Turn::from_angles(to), f64::from(fraction)).angles()
}

/// A rotation as a unit quaternion: w, then x, y, z.
struct Turn([f64; 4]);

impl Turn {
    fn from_angles(angles: Vec3) -> Self {
        let half = |axis: usize| (f64::from(angles[axis]).to_radians() / 2.0).sin_cos();
        let ((sp, cp), (sy, cy), (sr, cr)) = (half(PITCH), half(YAW), half(ROLL));
        Self([
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ])
    }

    fn slerp(&self, to: &Self, fraction: f64) -> Self {
        let dot: f64 = self.0.iter().zip(&to.0).map(|(a, b)| a * b).sum();
        let (dot, sign) = if dot < 0.0 { (-dot, -1.0) } else { (dot, 1.0) };
        let (from_share, to_share) = if dot > 1.0 - 1e-9 {
            (1.0 - fraction, fraction)
        } else {
            let angle = dot.acos();
            (((1.0 - fraction) * angle).sin() / angle.sin(), (fraction * angle).sin() / angle.sin())
        };
        Self(std::array::from_fn(|i| self.0[i] * from_share + to.0[i] * to_share * sign))
    }

    fn angles(&self) -> Vec3 {
        let [w, x, y, z] = self.0;
        let pitch = (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin();
        let yaw = (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
        let roll = (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y));
        vec3(pitch.to_degrees() as f32, yaw.to_degrees() as f32, roll.to_degrees() as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::proto::Trajectory;

    fn player(kind: i32, x: f32, time: i32) -> EntityState {
        let pos =
            Trajectory { kind, time, duration: 50, base: vec3(x, 0.0, 0.0), delta: vec3(100.0, 0.0, 0.0) };
        EntityState { pos, ..EntityState::default() }
    }

    #[test]
    fn a_player_in_both_snapshots_is_blended_and_a_new_one_held() {
        let (current, next) =
            (player(trajectory::INTERPOLATE, 0.0, 0), player(trajectory::INTERPOLATE, 10.0, 0));
        let moment = Moment::new(ServerTime(1025), ServerTime(1000), Some(ServerTime(1050)), true);
        let style = Style::Ioquake3 { smooth_clients: false };
        let mut subject = Subject { current: &current, next: Some(&next), is_player: true };
        assert_eq!(draw(style, &moment, &subject).origin.x, 5.0);
        subject.next = None;
        let held = draw(style, &moment, &subject);
        assert_eq!((held.origin.x, held.branch), (0.0, Branch::Hold));
    }

    #[test]
    fn a_smoothed_player_goes_on_until_its_motion_ends() {
        let current = player(trajectory::LINEAR_STOP, 0.0, 1000);
        let subject = Subject { current: &current, next: None, is_player: true };
        let at = |now, smooth_clients| {
            let moment = Moment::new(ServerTime(now), ServerTime(1000), None, true);
            draw(Style::Ioquake3 { smooth_clients }, &moment, &subject).origin.x
        };
        assert_eq!((at(1030, true), at(1080, true), at(1030, false)), (3.0, 5.0, 0.0));
    }

    #[test]
    fn angles_take_the_short_way() {
        let blended = blend_angles(vec3(0.0, 350.0, 0.0), vec3(0.0, 10.0, 0.0), 0.5);
        assert_eq!(blended.y, 360.0);
    }
}
