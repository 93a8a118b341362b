//! Whether any line leads from one box to another through a chain of portals: each chain is followed, and at each portal only the
//! window is kept that lines from the first box can still pass.
//!
//! ```text
//!   eyes  \            A window and a box of eyes are kept apart by planes (cleave.rs). A line that has come from the one through
//!          \  window   the other stays in front of them: what of the next portal is behind is cut away, what of the body's box is
//!   --------|---...    behind cannot be its end. Planes that keep the window and the *body's* box apart bound the eyes in turn.
//!          /           A chain ends where nothing is left of a window or of either box.
//!   eyes  /
//! ```
//!
//! It finds what a flood cannot: cells that touch the hull one after the other, but round corners that no one line passes. It costs
//! many times as much, so it can be stopped after any number of steps and goes on later. The map's own PVS is not asked.

use super::cleave::{ROUNDING, STRAY, cleave, in_front};
use super::flood::{Cells, Shaft, Way};
use fogline_common::math::{Bounds, Plane, Vec3};
use std::ops::Range;

/// What has come of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flowing {
    /// No chain is left: no line joins the two boxes.
    Apart,
    /// A chain leads there, or too many steps were made: nothing is proved.
    Joined,
    /// It may go on.
    Unfinished,
}

/// Portals that one flow passes before it gives up.
pub(super) const MOST_STEPS: u32 = 1500;
/// Portals that lead one to the next; a map has hardly longer lines.
const MOST_DEEP: usize = 128;

/// One cell of the chain that is being followed.
#[derive(Debug)]
struct Link {
    cell: u32,
    /// The next of its ways.
    next: u32,
    /// How it was entered. Of `Flow::points`; empty where the chain begins.
    window: Range<u32>,
    /// In front of them lies whatever lines pass later on. Of `Flow::planes`.
    planes: Range<u32>,
    /// Around the rest of each line.
    ahead: Bounds,
    /// What the ends of lines through here are in.
    eyes: Bounds,
    bodies: Bounds,
}

/// A flow that is under way, and its work space, kept from one to the next.
#[derive(Debug, Default)]
pub struct Flow {
    shaft: Option<Shaft>,
    steps: u32,
    number: u32,
    /// The flow that a cell is on the chain of, or where it began. Shape: by cell.
    taken: Vec<u32>,
    /// The flow that a cell leads to its goal in. Shape: by cell.
    leads: Vec<u32>,
    /// The flow that a cell is a goal of. Shape: by cell.
    goals: Vec<u32>,
    next: Vec<u32>,
    starts: Vec<u32>,
    links: Vec<Link>,
    /// Windows of the chain, each after those before it.
    points: Vec<Vec3>,
    planes: Vec<Plane>,
    /// What of a portal lies in the hull, once it was asked for: the flow, and where in `in_hull`. Shape: by portal.
    hulls: Vec<(u32, Range<u32>)>,
    in_hull: Vec<Vec3>,
    /// A polygon that is being cut, before and after.
    cut: [Vec<Vec3>; 2],
}

impl Flow {
    /// A new flow between boxes. Its starts and goals are to be named.
    pub(super) fn begin(&mut self, cells: &Cells, cell_count: usize, eyes: &Bounds, bodies: &Bounds) {
        if self.number == u32::MAX || self.goals.len() != cell_count || self.hulls.len() != cells.gap_count()
        {
            *self = Self::default();
            for marks in [&mut self.taken, &mut self.leads, &mut self.goals] {
                marks.resize(cell_count, 0);
            }
            self.hulls.resize(cells.gap_count(), (0, 0..0));
        }
        self.number += 1;
        self.steps = 0;
        self.shaft = Some(Shaft::new(&eyes.grown(STRAY), &bodies.grown(STRAY)));
        self.next.clear();
        self.starts.clear();
        self.links.clear();
        self.points.clear();
        self.planes.clear();
        self.in_hull.clear();
        let ahead = eyes.union(*bodies).grown(STRAY);
        let (eyes, bodies) = (*eyes, *bodies);
        // The chain hangs on one link that is no cell: what was asked.
        self.links.push(Link { cell: NO_CELL, next: 0, window: 0..0, planes: 0..0, ahead, eyes, bodies });
    }

    /// Lines may begin in this cell.
    pub(super) fn start(&mut self, cell: u32) {
        if self.taken[cell as usize] != self.number {
            self.taken[cell as usize] = self.number;
            self.starts.push(cell);
        }
    }

    /// Lines may end in this cell. False if they may begin there as well.
    pub(super) fn end(&mut self, cell: u32) -> bool {
        if self.goals[cell as usize] != self.number {
            self.goals[cell as usize] = self.number;
            self.leads[cell as usize] = self.number;
            self.next.push(cell);
        }
        self.taken[cell as usize] != self.number
    }

    /// Portals passed since it began.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Goes on for so many steps.
    pub(super) fn run(&mut self, cells: &Cells, steps: u32) -> Flowing {
        let Some(shaft) = self.shaft.take() else { return Flowing::Joined };
        self.lead_back(cells, &shaft);
        let until = self.steps.saturating_add(steps);
        let found = loop {
            if self.steps >= until.min(MOST_STEPS) {
                break if self.steps >= MOST_STEPS { Flowing::Joined } else { Flowing::Unfinished };
            }
            match self.links.last() {
                None => break Flowing::Apart,
                Some(link) if link.cell == NO_CELL => {
                    let Some(start) = self.starts.pop() else { break Flowing::Apart };
                    let Link { ahead, eyes, bodies, .. } = *link;
                    let link = Link { cell: start, next: 0, window: 0..0, planes: 0..0, ahead, eyes, bodies };
                    self.links.push(link);
                }
                Some(_) => {
                    if self.follow(cells, &shaft) {
                        break Flowing::Joined;
                    }
                }
            }
        };
        self.shaft = (found == Flowing::Unfinished).then_some(shaft);
        found
    }

    /// Marks the cells from which portals in the hull lead to a goal. Done once.
    fn lead_back(&mut self, cells: &Cells, shaft: &Shaft) {
        while let Some(cell) = self.next.pop() {
            for way in cells.ways_of(cell) {
                if self.leads[way.to as usize] != self.number && !cells.misses(shaft, way) {
                    self.leads[way.to as usize] = self.number;
                    self.next.push(way.to);
                }
            }
        }
    }

    /// Looks at one way of the last cell, and goes there if lines do. True if that is a goal.
    fn follow(&mut self, cells: &Cells, shaft: &Shaft) -> bool {
        let number = self.number;
        let last = self.links.len() - 1;
        let link = &mut self.links[last];
        let ways = &cells.ways_of(link.cell)[link.next as usize..];
        let ahead = link.ahead;
        let leads = |way: &Way| {
            let to = way.to as usize;
            self.leads[to] == number && self.taken[to] != number && way.bounds.touches(&ahead)
        };
        let Some(skipped) = ways.iter().position(leads) else {
            self.leave();
            return false;
        };
        link.next += skipped as u32 + 1;
        let Way { to, gap, .. } = ways[skipped];
        self.steps += 1;
        let window = self.window(cells, shaft, gap);
        if window.is_empty() || !self.enter(to, window) {
            return false;
        }
        self.goals[to as usize] == number || self.links.len() > MOST_DEEP
    }

    /// Goes back from the last cell. Those that lines begin in stay taken: of a line it is asked how it goes on from the last of them.
    fn leave(&mut self) {
        let Some(link) = self.links.pop() else { return };
        if !link.window.is_empty() {
            self.taken[link.cell as usize] = 0;
            self.points.truncate(link.window.start as usize);
            self.planes.truncate(link.planes.start as usize);
        }
    }

    /// What of a portal lines through the last link may pass, put behind the windows of the chain.
    fn window(&mut self, cells: &Cells, shaft: &Shaft, gap: u32) -> Range<u32> {
        let whole = self.hull_of(cells, shaft, gap);
        let Some(link) = self.links.last() else { return 0..0 };
        let [now, cut] = &mut self.cut;
        now.clear();
        now.extend_from_slice(&self.in_hull[whole.start as usize..whole.end as usize]);
        for plane in &self.planes[link.planes.start as usize..link.planes.end as usize] {
            cut_behind(now, cut, &Plane { dist: plane.dist - 2.0 * STRAY - ROUNDING, ..*plane });
        }
        let start = self.points.len() as u32;
        self.points.extend_from_slice(now);
        start..self.points.len() as u32
    }

    /// What of a portal lies in the hull.
    fn hull_of(&mut self, cells: &Cells, shaft: &Shaft, gap: u32) -> Range<u32> {
        let (number, known) = &self.hulls[gap as usize];
        if *number == self.number {
            return known.clone();
        }
        let [now, cut] = &mut self.cut;
        now.clear();
        now.extend_from_slice(cells.points_of(gap));
        shaft.each_face(|face| cut_behind(now, cut, &Plane { normal: -face.normal, dist: -face.dist }));
        let start = self.in_hull.len() as u32;
        self.in_hull.extend_from_slice(now);
        let range = start..self.in_hull.len() as u32;
        self.hulls[gap as usize] = (self.number, range.clone());
        range
    }

    /// Adds a cell to the chain. False if no line comes so far.
    fn enter(&mut self, cell: u32, window: Range<u32>) -> bool {
        let Some(Link { eyes, bodies, window: before, .. }) = self.links.last() else { return false };
        let (mut eyes, mut bodies) = (*eyes, *bodies);
        let through = &self.points[window.start as usize..window.end as usize];
        let before = &self.points[before.start as usize..before.end as usize];
        let first = self.planes.len();
        // What lines come from, looked back at from the body.
        cleave(&bodies, through, &mut self.planes);
        for plane in self.planes.drain(first..) {
            eyes = in_front(&eyes, &plane, STRAY + ROUNDING);
        }
        // And where they go.
        if !is_empty(&eyes) {
            cleave(&eyes, through, &mut self.planes);
            if !before.is_empty() {
                cleave(&around(before), through, &mut self.planes);
            }
            for plane in &self.planes[first..] {
                bodies = in_front(&bodies, plane, STRAY + ROUNDING);
            }
        }
        if is_empty(&eyes) || is_empty(&bodies) {
            self.points.truncate(window.start as usize);
            self.planes.truncate(first);
            return false;
        }
        let ahead = bodies.union(around(through)).grown(STRAY);
        let planes = first as u32..self.planes.len() as u32;
        self.taken[cell as usize] = self.number;
        self.links.push(Link { cell, next: 0, window, planes, ahead, eyes, bodies });
        true
    }
}

/// The box that lines through a window pass.
fn around(window: &[Vec3]) -> Bounds {
    window.iter().fold(Bounds::EMPTY, |around, &point| around.including(point)).grown(STRAY)
}

/// Stands for the link that the chain hangs on.
const NO_CELL: u32 = u32::MAX;

fn is_empty(bounds: &Bounds) -> bool {
    (0..3).any(|axis| bounds.mins[axis] > bounds.maxs[axis])
}

/// Takes away what of a convex polygon lies behind a plane. A point that is left counts.
fn cut_behind(polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>, plane: &Plane) {
    if polygon.iter().all(|&point| plane.distance_to(point) >= 0.0) {
        return;
    }
    spare.clear();
    for (index, &point) in polygon.iter().enumerate() {
        let next = polygon[(index + 1) % polygon.len()];
        let (here, there) = (plane.distance_to(point), plane.distance_to(next));
        if here >= 0.0 {
            spare.push(point);
        }
        if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
            spare.push(point.mul_add(here / (here - there), next - point));
        }
    }
    std::mem::swap(polygon, spare);
}

#[cfg(test)]
mod tests {
    use super::super::winding::{Cut, Winding};
    use super::*;
    use fogline_common::math::vec3;

    /// Halls in a row along x, the walls between them without thickness and with doorways: y and z of two corners of each.
    struct Row {
        walls: Vec<(f32, Vec<[f32; 4]>)>,
    }

    impl Row {
        fn cells(&self) -> Cells {
            let mut cells = Cells::default();
            for (hall, (x, doorways)) in self.walls.iter().enumerate() {
                for &[y, z, y2, z2] in doorways {
                    let points = [[y, z], [y2, z], [y2, z2], [y, z2]];
                    let points = points.map(|[y, z]| [f64::from(*x), f64::from(y), f64::from(z)]).to_vec();
                    let plane = Cut { normal: [1.0, 0.0, 0.0], dist: f64::from(*x) };
                    cells.join([hall as u32 + 1, hall as u32], &plane, &Winding { points });
                }
            }
            cells.settle(self.walls.len() + 1);
            cells
        }

        /// Whether a line passes a doorway in every wall.
        fn is_open(&self, from: Vec3, to: Vec3) -> bool {
            self.walls.iter().all(|(x, doorways)| {
                let at = from.mul_add((x - from.x) / (to.x - from.x), to - from);
                let within =
                    |&[y, z, y2, z2]: &[f32; 4]| (y..=y2).contains(&at.y) && (z..=z2).contains(&at.z);
                doorways.iter().any(within)
            })
        }

        /// From the first hall to the last, `steps` at a time.
        fn flow(&self, eyes: &Bounds, bodies: &Bounds, steps: u32, flow: &mut Flow) -> Flowing {
            let cells = self.cells();
            flow.begin(&cells, self.walls.len() + 1, eyes, bodies);
            flow.start(0);
            assert!(flow.end(self.walls.len() as u32));
            loop {
                match flow.run(&cells, steps) {
                    Flowing::Unfinished => {}
                    done => return done,
                }
            }
        }
    }

    fn hall(x: f32, half: f32) -> Bounds {
        Bounds::POINT.grown(half).translated(vec3(x, 0.0, 0.0))
    }

    #[test]
    fn no_line_passes_doorways_that_do_not_line_up() {
        let row = |third: f32| Row {
            walls: [(0.0, 60.0), (50.0, -60.0), (100.0, third)]
                .map(|(x, y)| (x, vec![[y - 10.0, -10.0, y + 10.0, 10.0]]))
                .to_vec(),
        };
        let (eyes, bodies) = (hall(-300.0, 250.0), hall(400.0, 250.0).translated(vec3(0.0, -200.0, 0.0)));
        let mut flow = Flow::default();
        assert_eq!(row(60.0).flow(&eyes, &bodies, 1000, &mut flow), Flowing::Apart);
        assert_eq!(row(-180.0).flow(&eyes, &bodies, 1000, &mut flow), Flowing::Joined);
        // On the edge: what a line may stray is not taken for hidden.
        let (eyes, bodies) = (hall(-100.0, 10.0), hall(200.0, 10.0));
        let edge = |y: f32| Row { walls: vec![(0.0, vec![[y, -10.0, 90.0, 10.0]])] };
        assert_eq!(edge(10.5).flow(&eyes, &bodies, 1000, &mut flow), Flowing::Joined);
        assert_eq!(edge(13.0).flow(&eyes, &bodies, 1000, &mut flow), Flowing::Apart);
    }

    #[test]
    fn a_doorway_without_any_width_lets_light_through() {
        let row =
            Row { walls: vec![(0.0, vec![[3.0, -10.0, 3.0, 10.0]]), (50.0, vec![[5.0, 2.0, 5.0, 2.0]])] };
        let mut flow = Flow::default();
        assert_eq!(row.flow(&hall(-100.0, 10.0), &hall(200.0, 40.0), 1000, &mut flow), Flowing::Joined);
        assert_eq!(row.flow(&hall(-100.0, 0.1), &hall(200.0, 0.1), 1000, &mut flow), Flowing::Apart);
    }

    #[test]
    fn no_open_line_is_lost_and_it_does_not_matter_in_how_many_parts_it_is_looked_for() {
        let mut rng = fastrand::Rng::with_seed(8);
        let (mut flow, mut parts) = (Flow::default(), Flow::default());
        let (mut apart, mut crooked) = (0, 0);
        for round in 0..3000 {
            let walls = 1 + rng.usize(..4);
            let mut any = |reach: f32| (rng.f32() - 0.5) * reach;
            let walls = (0..walls).map(|wall| {
                let mut doorway = || {
                    let (y, z) = (any(300.0), any(120.0));
                    [y, z, y + any(60.0).abs(), z + any(60.0).abs()]
                };
                let doorways = vec![doorway(), doorway(), doorway()];
                (wall as f32 * 40.0 + any(30.0), doorways)
            });
            let row = Row { walls: walls.collect() };
            let mut at = |x: f32| {
                let half = 2.0 + rng.f32() * 30.0;
                hall(x, half).translated(vec3(0.0, (rng.f32() - 0.5) * 200.0, (rng.f32() - 0.5) * 80.0))
            };
            let (eyes, bodies) = (at(-70.0), at(240.0));
            let found = row.flow(&eyes, &bodies, u32::MAX, &mut flow);
            assert_eq!(found, row.flow(&eyes, &bodies, 1 + round % 3, &mut parts), "seed 8, round {round}");
            assert_eq!(flow.steps(), parts.steps(), "seed 8, round {round}");
            apart += u32::from(found == Flowing::Apart);
            let mut open = 0;
            for _ in 0..400 {
                let [from, to] = [eyes, bodies].map(|bounds| {
                    let mut part = |axis: usize| bounds.mins[axis] + rng.f32() * bounds.size()[axis];
                    vec3(part(0), part(1), part(2))
                });
                open += u32::from(row.is_open(from, to));
            }
            assert!(open == 0 || found == Flowing::Joined, "seed 8, round {round}: {open} lines are open");
            crooked += u32::from(open == 0);
        }
        assert!(apart > 1000 && apart * 10 > crooked * 6, "{apart} of about {crooked} are proved");
    }
}
