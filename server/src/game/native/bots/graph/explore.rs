//! The flood: from every place reached, a leg in each direction; where the legs end are the next places.

use super::cells::{Cells, cell_of};
use super::scenery::Lift;
use super::stride::{Arrival, Carried, Key, Leg, Walker, flat};
use super::{CELL, DIRECTIONS, Edge, Node, NodeNum, Way, neighbour_middle, unit};
use crate::game::native::bots::graph::scenery::Scenery;
use fogline_common::math::{Vec3, vec3};
use fogline_common::proto::contents;
use std::collections::HashSet;

/// Most places of a map; what lies beyond is not explored.
const MAX_NODES: usize = 100_000;
/// Places of one cell that lie within this of each other's height are one floor.
const SAME_FLOOR: f32 = 28.0;
/// Two places of one floor and cell are one if they are this near, or if there are [`MOST_IN_CELL`] already.
const SAME_PLACE: f32 = 20.0;
/// Places of one floor of a cell.
const MOST_IN_CELL: usize = 3;
/// A leg has come to a place if it ends this near.
const HIT: f32 = 14.0;
/// A fall deeper than a step.
const BRINK: f32 = 30.0;
/// Swimmers go up and down this far at a time.
const STROKE: f32 = 48.0;
/// A lift is left within this way.
const LIFT_REACH: f32 = 200.0;
/// How far a leap over a gap is tried.
const LEAP: f32 = 300.0;
/// So far below its start a leap may end.
const LEAP_DROP: f32 = 40.0;
/// A point of damage is worth this detour. Unit: ms.
const MS_PER_POINT: i32 = 150;

/// What has been found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Flood {
    pub(super) nodes: Vec<Node>,
    pub(super) cells: Cells,
    pub(super) edges: Vec<(NodeNum, Edge)>,
    known: HashSet<(NodeNum, NodeNum)>,
    /// Moves so far.
    pub(super) work: u64,
}

impl Flood {
    /// A place to begin at.
    pub(super) fn seed(&mut self, walker: &Walker<'_>, at: Vec3) -> Option<NodeNum> {
        let lifted = [0.0, 9.0, 24.0].map(|up| at + vec3(0.0, 0.0, up));
        let arrival = lifted.into_iter().find_map(|at| walker.settle(at, &mut self.work))?;
        self.place(walker.scenery, &arrival)
    }

    /// Everything that can be reached from a place by one leg.
    pub(super) fn explore(&mut self, walker: &Walker<'_>, num: NodeNum) {
        let node = self.nodes[num.index()];
        for direction in 0..DIRECTIONS.len() as u8 {
            if node.swims {
                self.swim(walker, num, direction);
            } else {
                self.run(walker, num, direction);
            }
        }
        if node.swims {
            for (up, key) in [(STROKE, Key::Held), (-STROKE, Key::Down)] {
                let to = node.origin + vec3(0.0, 0.0, up);
                let leg = Leg { key, ..Leg::run(node.origin, to) };
                if let Some(arrival) = walker.walk(&leg, &mut self.work).filter(|a| a.swims) {
                    self.join(walker.scenery, num, &arrival, Way::Swim);
                }
            }
        }
    }

    /// From a lift at its upper end to wherever that leads. Whether the place is one of the lift.
    pub(super) fn ride(&mut self, walker: &Walker<'_>, num: NodeNum, at: u8, lift: &Lift) {
        let from = self.nodes[num.index()].origin + lift.rise + vec3(0.0, 0.0, 1.0);
        for direction in 0..DIRECTIONS.len() as u8 {
            let to = from.mul_add(LIFT_REACH, unit(direction));
            let leaves = Some(lift.entity.index() as i32);
            let leg = Leg { leaves, ..Leg::run(from, to) };
            let Some(mut arrival) = walker.walk(&leg, &mut self.work) else { continue };
            if arrival.carried == Carried::OnFoot && arrival.origin.z > from.z - BRINK && !arrival.held_up {
                arrival.time += lift.travel_ms + 1000;
                self.join(walker.scenery, num, &arrival, Way::Lift(at));
            }
        }
    }

    fn run(&mut self, walker: &Walker<'_>, num: NodeNum, direction: u8) {
        let from = self.nodes[num.index()].origin;
        let middle = neighbour_middle(from, direction);
        if let Some(known) = self.same_floor(middle)
            && self.run_to(walker, num, known)
        {
            return;
        }
        let Some(arrival) = walker.walk(&Leg::run(from, middle), &mut self.work) else {
            self.leap(walker, num, direction);
            return;
        };
        match arrival.carried {
            Carried::ByPad => self.fly(walker, num, direction, &arrival),
            Carried::ByTeleporter => {
                self.join(walker.scenery, num, &arrival, Way::Teleport(direction));
            }
            Carried::OnFoot => {
                let fell = from.z - arrival.origin.z;
                let way = if arrival.airborne > 2 && fell > BRINK { Way::Drop(direction) } else { Way::Walk };
                let got_away = cell_of(arrival.origin) != cell_of(from);
                if got_away {
                    self.join(walker.scenery, num, &arrival, way);
                }
                if !got_away || arrival.held_up {
                    self.hop(walker, num, direction);
                } else if matches!(way, Way::Drop(_)) {
                    self.leap(walker, num, direction);
                }
            }
        }
    }

    /// To a place that is known already. Whether there is a way now.
    fn run_to(&mut self, walker: &Walker<'_>, num: NodeNum, known: NodeNum) -> bool {
        if self.known.contains(&(num, known)) {
            return true;
        }
        let (from, to) = (self.nodes[num.index()], self.nodes[known.index()]);
        let Some(arrival) = walker.walk(&Leg::run(from.origin, to.origin), &mut self.work) else {
            return false;
        };
        let miss = arrival.origin - to.origin;
        let hit = arrival.carried == Carried::OnFoot
            && !arrival.held_up
            && flat(miss).length() <= HIT
            && miss.z.abs() <= SAME_FLOOR;
        if hit {
            self.add(num, known, &arrival, Way::Walk);
            let level = (from.origin.z - to.origin.z).abs() < 1.0 && arrival.airborne == 0;
            if level && !arrival.swims && !to.swims && from.lift.is_none() && to.lift.is_none() {
                // On the level the way back is the same way.
                self.add(known, num, &arrival, Way::Walk);
            }
        }
        hit
    }

    /// Onto what is in the way.
    fn hop(&mut self, walker: &Walker<'_>, num: NodeNum, direction: u8) {
        let from = self.nodes[num.index()].origin;
        let to = from.mul_add(CELL * 2.0, unit(direction));
        let leg = Leg { key: Key::Tapped, ..Leg::run(from, to) };
        let Some(arrival) = walker.walk(&leg, &mut self.work) else { return };
        let higher = arrival.origin.z > from.z + 1.0;
        if arrival.carried == Carried::OnFoot && higher && cell_of(arrival.origin) != cell_of(from) {
            self.join(walker.scenery, num, &arrival, Way::Jump(direction));
        }
    }

    /// Over the gap behind a brink, at full speed.
    fn leap(&mut self, walker: &Walker<'_>, num: NodeNum, direction: u8) {
        let from = self.nodes[num.index()].origin;
        let to = from.mul_add(LEAP, unit(direction));
        let lowest = from.z - LEAP_DROP;
        let leg = Leg { key: Key::Tapped, at_speed: true, lowest, ..Leg::run(from, to) };
        let Some(arrival) = walker.walk(&leg, &mut self.work) else { return };
        let lands = |arrival: &Arrival| {
            let far = flat(arrival.origin - from).length() > CELL * 2.0;
            arrival.carried == Carried::OnFoot && far && arrival.hurt == 0 && !arrival.held_up
        };
        // With a worse run-up too, so that it is no matter of luck.
        let slower = Leg { at_speed: false, ..leg };
        if lands(&arrival) && walker.walk(&slower, &mut self.work).is_some_and(|slow| lands(&slow)) {
            self.join(walker.scenery, num, &arrival, Way::Jump(direction));
        }
    }

    /// With a jump pad: straight, and held to each side.
    fn fly(&mut self, walker: &Walker<'_>, num: NodeNum, direction: u8, straight: &Arrival) {
        let from = self.nodes[num.index()].origin;
        self.join(walker.scenery, num, straight, Way::Pad(direction, None));
        let middle = neighbour_middle(from, direction);
        for held in 0..DIRECTIONS.len() as u8 {
            let leg = Leg { steer: Some(unit(held)), ..Leg::run(from, middle) };
            if let Some(arrival) =
                walker.walk(&leg, &mut self.work).filter(|arrival| arrival.carried == Carried::ByPad)
            {
                self.join(walker.scenery, num, &arrival, Way::Pad(direction, Some(held)));
            }
        }
    }

    fn swim(&mut self, walker: &Walker<'_>, num: NodeNum, direction: u8) {
        let from = self.nodes[num.index()].origin;
        let middle = neighbour_middle(from, direction);
        let swum = walker.walk(&Leg::run(from, middle), &mut self.work);
        if let Some(arrival) = swum.filter(|a| a.carried == Carried::OnFoot) {
            let way = if arrival.swims { Way::Swim } else { Way::Walk };
            self.join(walker.scenery, num, &arrival, way);
        }
        let above = walker.host_contents(from + vec3(0.0, 0.0, STROKE));
        if above & contents::WATER == 0 {
            let leg = Leg { key: Key::Held, ..Leg::run(from, from.mul_add(CELL * 2.0, unit(direction))) };
            let climbed = walker.walk(&leg, &mut self.work);
            if let Some(arrival) = climbed.filter(|a| a.carried == Carried::OnFoot && !a.swims) {
                self.join(walker.scenery, num, &arrival, Way::Climb(direction));
            }
        }
    }

    /// A way from a node to where a leg ended.
    fn join(&mut self, scenery: &Scenery, from: NodeNum, arrival: &Arrival, way: Way) {
        if let Some(to) = self.place(scenery, arrival)
            && to != from
        {
            self.add(from, to, arrival, way);
        }
    }

    fn add(&mut self, from: NodeNum, to: NodeNum, arrival: &Arrival, way: Way) {
        if self.known.insert((from, to)) {
            let wet = if arrival.swims { arrival.time / 2 } else { 0 };
            let time = arrival.time + wet + arrival.hurt * MS_PER_POINT;
            self.edges.push((from, Edge { to, time: time.clamp(1, 60_000) as u16, way }));
        }
    }

    /// The node for where a leg ended: one that is there, or a new one. `None` for what gives no hold.
    fn place(&mut self, scenery: &Scenery, arrival: &Arrival) -> Option<NodeNum> {
        if scenery.restless.contains(&arrival.ground) {
            return None;
        }
        let (x, y) = cell_of(arrival.origin);
        let mut nearest: Option<(NodeNum, f32)> = None;
        let mut here = 0;
        for num in self.cells.in_cell(x, y) {
            let node = &self.nodes[num.index()];
            let offset = node.origin - arrival.origin;
            if node.swims != arrival.swims || offset.z.abs() >= SAME_FLOOR {
                continue;
            }
            here += 1;
            let distance = flat(offset).length();
            if nearest.is_none_or(|(_, least)| distance < least) {
                nearest = Some((num, distance));
            }
        }
        let merges =
            |&(_, distance): &(NodeNum, f32)| distance <= SAME_PLACE || here >= MOST_IN_CELL || arrival.swims;
        if let Some((num, _)) = nearest.filter(merges) {
            return Some(num);
        }
        if self.nodes.len() >= MAX_NODES {
            return nearest.map(|(num, _)| num);
        }
        let on_lift = |lift: &Lift| lift.entity.index() as i32 == arrival.ground;
        self.nodes.push(Node {
            origin: arrival.origin,
            region: 0,
            lift: scenery.lifts.iter().position(on_lift).map(|at| at as u8),
            swims: arrival.swims,
        });
        self.cells.push(arrival.origin);
        Some(NodeNum(self.nodes.len() as u32 - 1))
    }

    /// A node on about the same floor in the cell of a place, the nearest in height.
    fn same_floor(&self, place: Vec3) -> Option<NodeNum> {
        let (x, y) = cell_of(place);
        let height = |num: &NodeNum| (self.nodes[num.index()].origin.z - place.z).abs();
        let near = self.cells.in_cell(x, y).filter(|num| height(num) < SAME_FLOOR);
        near.min_by(|a, b| height(a).total_cmp(&height(b)))
    }
}
