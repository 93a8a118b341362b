//! On the way: a bot follows the steps of a search, edge by edge, and notices when it gets nowhere.

use super::graph::{Edge, Graph, Node, NodeNum, Search, Step, Way, neighbour_middle, unit};
use super::thought::{Body, Scene, Steering};
use crate::game::native::entity::Kind;
use crate::game::native::movers::MoverState;
use fogline_common::math::{Vec3, vec3};
use fogline_common::time::{Millis, ServerTime};

/// A node is passed within this. Unit: units in the plane.
const PASSED: f32 = 22.0;
/// Nodes ahead that it may cut corners to.
const AHEAD: usize = 7;
/// Corners are looked for this often.
const LOOK_PAUSE: Millis = Millis(150);
/// Edges that did not work are remembered, this many and this long.
const MOST_BLOCKED: usize = 8;
const BLOCKED_FOR: Millis = Millis(25_000);
/// A blocked edge costs this much more. Unit: ms.
const BLOCKED_COST: u32 = 30_000;
/// Patience with an edge beyond thrice its time.
const PATIENCE: Millis = Millis(2500);
/// A leap over a gap needs this speed, and so long a run-up.
const RUN_UP_SPEED: f32 = 235.0;
const RUN_UP: f32 = 72.0;
/// A lift may be waited for.
const LIFT_PATIENCE: Millis = Millis(9000);

/// A way being followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    goal: Option<NodeNum>,
    steps: Vec<Step>,
    at: usize,
    /// The steps end where it leads; else the search ended on the way.
    is_whole: bool,
    /// The step whose end it heads for.
    heads_for: usize,
    look_at: ServerTime,
    since: ServerTime,
    blocked: Vec<(u32, ServerTime)>,
    /// Edges that did not work, since the level began.
    pub(super) failures: u32,
}

/// How the way goes on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress {
    /// This way.
    Going(Steering),
    /// It has arrived.
    There,
    /// It does not know how.
    Lost,
}

impl Route {
    /// Where it leads.
    pub(super) fn goal(&self) -> Option<NodeNum> {
        self.goal
    }

    /// Forgets the way.
    pub(super) fn clear(&mut self) {
        self.goal = None;
        self.steps.clear();
        self.at = 0;
    }

    /// Forgets everything: another level, another graph.
    pub(super) fn reset(&mut self) {
        self.clear();
        self.blocked.clear();
        self.failures = 0;
    }

    /// Looks for the way to a node. Whether there is one.
    pub(super) fn plan(&mut self, graph: &Graph, search: &mut Search, body: &Body, goal: NodeNum) -> bool {
        self.clear();
        let Some(from) = stand(graph, body) else { return false };
        let now = body.now;
        self.blocked.retain(|&(_, until)| until > now);
        let blocked = &self.blocked;
        let extra = |edge: u32| if blocked.iter().any(|&(at, _)| at == edge) { BLOCKED_COST } else { 0 };
        let found = search.find(graph, from, goal, extra, &mut self.steps);
        if !found && self.steps.is_empty() && from != goal {
            return false;
        }
        self.goal = Some(goal);
        self.is_whole = found;
        self.heads_for = 0;
        self.since = now;
        self.look_at = now;
        true
    }

    /// The edge that it is on.
    pub(super) fn edge(&self) -> Option<u32> {
        self.steps.get(self.at).map(|step| step.edge)
    }

    /// How often bots died on the edges of the way.
    pub(super) fn deaths(&self, search: &Search) -> u32 {
        self.steps.iter().map(|step| search.deaths_on(step.edge)).sum()
    }

    /// The edge underfoot does not work: it is avoided for a while.
    pub(super) fn give_up_edge(&mut self, now: ServerTime) {
        if let Some(step) = self.steps.get(self.at) {
            if self.blocked.len() == MOST_BLOCKED {
                self.blocked.remove(0);
            }
            self.blocked.push((step.edge, now + BLOCKED_FOR));
            self.failures += 1;
        }
        self.clear();
    }

    /// Which way now.
    pub(super) fn follow(&mut self, scene: &Scene<'_>, graph: &Graph, body: &Body) -> Progress {
        if self.goal.is_none() {
            return Progress::Lost;
        }
        while let Some(&step) = self.steps.get(self.at) {
            let edge = graph.edge(step.edge);
            if !passed(graph, &step, edge, body) {
                break;
            }
            self.at += 1;
            self.since = body.now;
        }
        let Some(&step) = self.steps.get(self.at) else {
            return if self.is_whole { Progress::There } else { Progress::Lost };
        };
        let edge = *graph.edge(step.edge);
        let patience = if matches!(edge.way, Way::Lift(_)) { LIFT_PATIENCE } else { PATIENCE };
        if body.now - self.since > Millis(i32::from(edge.time) * 3) + patience {
            self.give_up_edge(body.now);
            return Progress::Lost;
        }
        if body.on_ground && is_off(graph, &step, &edge, body) {
            self.clear();
            return Progress::Lost;
        }
        let from = *graph.node(step.from);
        let to = *graph.node(edge.to);
        let steering = match edge.way {
            Way::Walk => self.walk(scene, graph, body, &to),
            Way::Swim => swim(body, to.origin),
            Way::Climb(direction) => Steering { jump: true, ..strict(unit(direction)) },
            Way::Drop(direction) => drop_down(body, &from, &to, direction),
            Way::Jump(direction) => leap(body, &from, &to, direction),
            Way::Pad(direction, held) => fly(body, &from, &to, direction, held),
            Way::Teleport(direction) => {
                strict(flat(neighbour_middle(from.origin, direction) - body.ps.origin).normalized())
            }
            Way::Lift(at) => ride(graph, body, &to, at),
        };
        Progress::Going(steering)
    }

    fn walk(&mut self, scene: &Scene<'_>, graph: &Graph, body: &Body, to: &Node) -> Steering {
        if body.now >= self.look_at || self.heads_for < self.at {
            self.look_at = body.now + LOOK_PAUSE;
            self.heads_for = self.cut_corners(scene, graph, body);
        }
        let target = self
            .steps
            .get(self.heads_for)
            .map_or(to.origin, |step| graph.node(graph.edge(step.edge).to).origin);
        if self.waits_for_lift(scene, graph, body) {
            self.since = self.since.max(body.now - PATIENCE);
            return Steering { strict: true, ..Steering::default() };
        }
        let offset = target - body.ps.origin;
        Steering { wish: flat(offset).normalized(), ..Steering::default() }
    }

    /// The farthest of the next steps to whose end it can run straight.
    fn cut_corners(&self, scene: &Scene<'_>, graph: &Graph, body: &Body) -> usize {
        let mut farthest = self.at;
        for at in self.at..(self.at + AHEAD).min(self.steps.len()) {
            let edge = graph.edge(self.steps[at].edge);
            if edge.way != Way::Walk || graph.node(edge.to).lift.is_some() {
                break;
            }
            if at > self.at && !is_straight(scene, graph, body, graph.node(edge.to).origin) {
                break;
            }
            farthest = at;
        }
        farthest
    }

    /// Whether the next node is a lift that is not below.
    fn waits_for_lift(&self, scene: &Scene<'_>, graph: &Graph, body: &Body) -> bool {
        let Some(step) = self.steps.get(self.at) else { return false };
        let to = graph.node(graph.edge(step.edge).to);
        let Some(lift) = to.lift.filter(|_| graph.node(step.from).lift.is_none()) else { return false };
        let entity = graph.scenery.lifts[usize::from(lift)].entity;
        let near = flat(to.origin - body.ps.origin).length() < 80.0;
        let below = matches!(scene.game.entities[entity].kind, Kind::Mover(mover) if mover.state == MoverState::AtStart);
        near && !below && body.now - self.since < LIFT_PATIENCE
    }
}

/// The node where a body stands.
pub(super) fn stand(graph: &Graph, body: &Body) -> Option<NodeNum> {
    graph.nearest(body.ps.origin, 60.0).or_else(|| graph.nearest(body.ps.origin, 140.0))
}

fn strict(wish: Vec3) -> Steering {
    Steering { wish, strict: true, ..Steering::default() }
}

fn flat(vector: Vec3) -> Vec3 {
    vec3(vector.x, vector.y, 0.0)
}

/// Whether an edge lies behind.
fn passed(graph: &Graph, step: &Step, edge: &Edge, body: &Body) -> bool {
    let (from, to) = (graph.node(step.from), graph.node(edge.to));
    let offset = to.origin - body.ps.origin;
    let near = flat(offset).length();
    match edge.way {
        Way::Walk => {
            let over = flat(offset).dot(flat(to.origin - from.origin)) <= 0.0 && near < 48.0;
            (near < PASSED || over) && offset.z.abs() < 48.0
        }
        Way::Swim => near < 28.0 && offset.z.abs() < 28.0,
        Way::Climb(_) | Way::Drop(_) | Way::Jump(_) => {
            (body.on_ground || body.water >= 2) && near < 48.0 && offset.z.abs() < 36.0
        }
        Way::Pad(..) => body.on_ground && near < 72.0 && offset.z.abs() < 40.0,
        Way::Teleport(_) => near < 96.0 && offset.z.abs() < 64.0,
        Way::Lift(_) => near < PASSED && offset.z.abs() < 40.0,
    }
}

/// Whether the body stands somewhere that has nothing to do with the edge.
fn is_off(graph: &Graph, step: &Step, edge: &Edge, body: &Body) -> bool {
    let (from, to) = (graph.node(step.from), graph.node(edge.to));
    let off = |node: &Node| {
        let offset = node.origin - body.ps.origin;
        flat(offset).length() > 110.0 || offset.z.abs() > 90.0
    };
    off(from) && off(to) && !matches!(edge.way, Way::Lift(_))
}

/// Whether it can run straight to a place: nothing in the way, and known floor all along.
fn is_straight(scene: &Scene<'_>, graph: &Graph, body: &Body, to: Vec3) -> bool {
    use crate::game::native::spots::PLAYER_BOUNDS;
    use fogline_common::math::Bounds;
    use fogline_common::proto::{contents, mask};
    use fogline_common::trace::TraceRequest;
    let from = body.ps.origin;
    let way = to - from;
    let count = (flat(way).length() / 16.0).ceil().max(1.0) as i32;
    for at in 1..count {
        let point = from.mul_add(at as f32 / count as f32, way);
        if !graph.has_floor(point) {
            return false;
        }
    }
    let above_steps = Bounds::new(PLAYER_BOUNDS.mins + vec3(0.0, 0.0, 19.0), PLAYER_BOUNDS.maxs);
    let stops = (mask::PLAYERSOLID | contents::BOTCLIP) & !contents::BODY;
    let request = TraceRequest::sweep(from, to, above_steps, stops, None);
    !scene.host.trace_still(&request, graph.scenery.solid()).hit()
}

fn swim(body: &Body, to: Vec3) -> Steering {
    let offset = to - body.ps.origin;
    let far = flat(offset).length() > 6.0;
    Steering {
        wish: if far { flat(offset).normalized() } else { Vec3::ZERO },
        jump: offset.z > 6.0,
        crouch: offset.z < -6.0,
        strict: true,
    }
}

fn drop_down(body: &Body, from: &Node, to: &Node, direction: u8) -> Steering {
    let above = body.on_ground && body.ps.origin.z > to.origin.z + 30.0;
    if above {
        let via = neighbour_middle(from.origin, direction).mul_add(24.0, unit(direction));
        return strict(flat(via - body.ps.origin).normalized());
    }
    if body.on_ground {
        return strict(flat(to.origin - body.ps.origin).normalized());
    }
    strict(in_flight(body, to.origin).unwrap_or_default())
}

/// Which way to steer in the air to come down at a place; `None` if it flies too low for that.
pub(super) fn in_flight(body: &Body, to: Vec3) -> Option<Vec3> {
    let off = landing(body, to.z)? - to;
    let off = flat(off);
    Some(if off.length() > 8.0 { -off.normalized() } else { Vec3::ZERO })
}

/// Where a flight comes down to a height, if nobody steers; `None` if it does not come up to it.
pub(super) fn landing(body: &Body, height: f32) -> Option<Vec3> {
    let gravity = body.ps.gravity.max(1) as f32;
    let (rise, drop) = (body.ps.velocity.z, body.ps.origin.z - height);
    let root = rise * rise + 2.0 * gravity * drop;
    let seconds = (root >= 0.0).then(|| (rise + root.sqrt()) / gravity)?.max(0.0);
    Some(body.ps.origin.mul_add(seconds, flat(body.ps.velocity)))
}

fn leap(body: &Body, from: &Node, to: &Node, direction: u8) -> Steering {
    let heading = unit(direction);
    if !body.on_ground {
        return strict(in_flight(body, to.origin).unwrap_or(heading));
    }
    let behind = (from.origin - body.ps.origin).dot(heading);
    let aside = flat(from.origin - body.ps.origin) - heading * behind;
    let near_takeoff = behind < 14.0 && aside.length() < 20.0;
    let beyond = flat(body.ps.origin - from.origin).dot(heading) > 28.0;
    if beyond && body.ps.origin.z > to.origin.z - 20.0 {
        // Landed short of the node, but up there.
        return strict(flat(to.origin - body.ps.origin).normalized());
    }
    let speed = body.ps.velocity.dot(heading);
    let is_gap = to.origin.z <= from.origin.z + 8.0;
    if is_gap && speed < RUN_UP_SPEED && (behind < 14.0 || speed < -20.0) && behind < RUN_UP {
        // Back, for a run-up.
        return strict(-heading);
    }
    let wish = if near_takeoff || is_gap && behind > 0.0 && aside.length() < 20.0 {
        heading
    } else {
        flat(from.origin - body.ps.origin).normalized()
    };
    Steering { jump: near_takeoff && (!is_gap || speed >= RUN_UP_SPEED), ..strict(wish) }
}

fn fly(body: &Body, from: &Node, to: &Node, direction: u8, held: Option<u8>) -> Steering {
    let launched =
        flat(body.ps.origin - from.origin).length() > 64.0 || body.ps.origin.z > from.origin.z + 48.0;
    if !launched {
        return strict(flat(neighbour_middle(from.origin, direction) - body.ps.origin).normalized());
    }
    if body.on_ground {
        return strict(flat(to.origin - body.ps.origin).normalized());
    }
    let steered = in_flight(body, to.origin).filter(|_| body.ps.velocity.z < 0.0 || held.is_none());
    strict(steered.or_else(|| held.map(unit)).unwrap_or_default())
}

fn ride(graph: &Graph, body: &Body, to: &Node, at: u8) -> Steering {
    let lift = &graph.scenery.lifts[usize::from(at)];
    let up = body.ps.origin.z > to.origin.z - 20.0;
    let target = if up { to.origin } else { lift.top };
    let offset = flat(target - body.ps.origin);
    strict(if offset.length() > 10.0 { offset.normalized() } else { Vec3::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::native::bots::graph::sketch;
    use fogline_common::proto::PlayerState;

    fn body(origin: Vec3, velocity: Vec3, on_ground: bool) -> Body {
        let ps = PlayerState { origin, velocity, gravity: 800, speed: 320, ..PlayerState::default() };
        Body { ps, on_ground, water: 0, now: ServerTime(1000) }
    }

    #[test]
    fn a_flight_ends_where_gravity_says() {
        // 100 units of fall take half a second.
        let falls = body(vec3(0.0, 0.0, 100.0), vec3(320.0, 0.0, 0.0), false);
        let end = landing(&falls, 0.0).expect("it comes down");
        assert!((end.x - 160.0).abs() < 0.1 && end.y == 0.0, "{end:?}");
        let jumps = body(Vec3::ZERO, vec3(0.0, 0.0, 270.0), false);
        assert!(
            landing(&jumps, 40.0).is_some() && landing(&jumps, 50.0).is_none(),
            "a jump is 45 units high"
        );
    }

    #[test]
    fn in_flight_it_steers_against_what_it_would_miss_by() {
        let falls = body(vec3(0.0, 0.0, 100.0), vec3(320.0, 0.0, 0.0), false);
        let steer = |x: f32| in_flight(&falls, vec3(x, 0.0, 0.0)).expect("it comes down").x;
        assert_eq!((steer(300.0), steer(20.0), steer(162.0)), (1.0, -1.0, 0.0));
    }

    #[test]
    fn a_way_over_an_edge_that_failed_is_given_up_for_another_until_that_is_forgotten() {
        let places = [(0.0, 0.0), (200.0, 0.0), (0.0, 400.0), (200.0, 400.0)].map(|(x, y)| vec3(x, y, 24.0));
        let ways = [(0, 1, Way::Walk), (0, 2, Way::Walk), (2, 3, Way::Walk), (3, 1, Way::Walk)];
        let graph = sketch::graph(&places, &ways);
        let mut search = Search::default();
        let mut route = Route::default();
        let mut stands = body(places[0], Vec3::ZERO, true);
        let goal = NodeNum(1);
        assert!(route.plan(&graph, &mut search, &stands, goal));
        assert_eq!(route.steps.len(), 1);
        route.give_up_edge(stands.now);
        assert_eq!((route.failures, route.goal()), (1, None));
        assert!(route.plan(&graph, &mut search, &stands, goal));
        assert_eq!(route.steps.len(), 3, "the long way round");
        stands.now += BLOCKED_FOR + Millis(1);
        assert!(route.plan(&graph, &mut search, &stands, goal));
        assert_eq!(route.steps.len(), 1, "tried again");
    }

    #[test]
    fn a_step_is_passed_at_its_end_and_not_a_floor_below_it() {
        let places = [vec3(0.0, 0.0, 24.0), vec3(100.0, 0.0, 24.0)];
        let graph = sketch::graph(&places, &[(0, 1, Way::Walk)]);
        let step = Step { from: NodeNum(0), edge: 0 };
        let at = |place: Vec3| passed(&graph, &step, graph.edge(0), &body(place, Vec3::ZERO, true));
        assert!(!at(vec3(50.0, 0.0, 24.0)) && at(vec3(95.0, 0.0, 24.0)) && at(vec3(120.0, 0.0, 24.0)));
        assert!(!at(vec3(95.0, 0.0, 124.0)));
    }

    #[test]
    fn nobody_plans_from_where_no_place_is() {
        let graph = sketch::graph(&[vec3(0.0, 0.0, 24.0)], &[]);
        let lost = body(vec3(2000.0, 0.0, 24.0), Vec3::ZERO, true);
        assert!(!Route::default().plan(&graph, &mut Search::default(), &lost, NodeNum(0)));
    }
}
