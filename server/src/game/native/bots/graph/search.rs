//! The way from node to node: A* that is led by the table of times between regions.

use super::{Graph, MS_PER_UNIT, NodeNum};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes that one search may look at. Beyond it, the way to the best of them is given.
const MOST_LOOKED_AT: usize = 6000;
/// Times of the table go from middle to middle: so much of one is not relied upon. Unit: ms.
const SLACK_MS: u32 = 400;
/// Edges on which somebody died that are remembered.
const MOST_DREADED: usize = 48;
/// A death makes an edge so much longer. Unit: ms.
const DREAD_MS: u32 = 8000;

/// Work space of searches.
#[derive(Debug, Default)]
pub(in crate::game::native::bots) struct Search {
    /// Shape: by node. Of this search only where the stamp is the present one.
    reached: Vec<Reached>,
    open: BinaryHeap<Reverse<(u32, u32, NodeNum)>>,
    stamp: u32,
    /// Edges on which bots died without a fight, and how often.
    dreaded: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    stamp: u32,
    time: u32,
    /// The edge by which it was reached, and from where.
    from: u32,
    edge: u32,
}

/// One step of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::game::native::bots) struct Step {
    /// From here.
    pub(in crate::game::native::bots) from: NodeNum,
    /// By the edge with this place in the list of edges.
    pub(in crate::game::native::bots) edge: u32,
}

impl Search {
    /// Another graph: nothing is known of its edges.
    pub(in crate::game::native::bots) fn forget(&mut self) {
        self.dreaded.clear();
    }

    /// A bot died on an edge, and nobody was to blame.
    pub(in crate::game::native::bots) fn dread(&mut self, edge: u32) {
        match self.dreaded.iter_mut().find(|(other, _)| *other == edge) {
            Some((_, deaths)) => *deaths += 1,
            None => {
                if self.dreaded.len() == MOST_DREADED {
                    self.dreaded.remove(0);
                }
                self.dreaded.push((edge, 1));
            }
        }
    }

    /// How often bots died on an edge.
    pub(in crate::game::native::bots) fn deaths_on(&self, edge: u32) -> u32 {
        self.dreaded.iter().find(|(other, _)| *other == edge).map_or(0, |&(_, deaths)| deaths)
    }

    /// Writes the quickest way into `steps`. Whether it leads to `to`; if not, it leads as near as was found. `extra` is
    /// added to an edge's time: what the walker knows against it. Unit: ms.
    pub(in crate::game::native::bots) fn find(
        &mut self,
        graph: &Graph,
        from: NodeNum,
        to: NodeNum,
        extra: impl Fn(u32) -> u32,
        steps: &mut Vec<Step>,
    ) -> bool {
        steps.clear();
        self.reached.resize(graph.len(), Reached::default());
        self.stamp = self.stamp.wrapping_add(1).max(1);
        self.open.clear();
        let guess = |num: NodeNum| guess_ms(graph, num, to);
        let Some(first) = guess(from) else { return false };
        self.reached[from.index()] = Reached { stamp: self.stamp, ..Reached::default() };
        self.open.push(Reverse((first, 0, from)));
        let mut nearest = (first, from);
        let mut looked_at = 0;
        while let Some(Reverse((_, time, num))) = self.open.pop() {
            if time > self.reached[num.index()].time {
                continue;
            }
            looked_at += 1;
            if num == to || looked_at > MOST_LOOKED_AT {
                break;
            }
            let first_edge = graph.first_edge[num.index()];
            for (at, edge) in graph.edges(num).iter().enumerate() {
                let edge_num = first_edge + at as u32;
                let there =
                    time + u32::from(edge.time) + extra(edge_num) + self.deaths_on(edge_num) * DREAD_MS;
                let reached = &mut self.reached[edge.to.index()];
                if reached.stamp == self.stamp && reached.time <= there {
                    continue;
                }
                let Some(left) = guess(edge.to) else { continue };
                *reached = Reached { stamp: self.stamp, time: there, from: num.0, edge: edge_num };
                if left < nearest.0 {
                    nearest = (left, edge.to);
                }
                self.open.push(Reverse((there + left, there, edge.to)));
            }
        }
        let found = self.reached[to.index()].stamp == self.stamp;
        self.trace_back(from, if found { to } else { nearest.1 }, steps);
        found
    }

    fn trace_back(&self, from: NodeNum, to: NodeNum, steps: &mut Vec<Step>) {
        let mut at = to;
        while at != from {
            let reached = &self.reached[at.index()];
            steps.push(Step { from: NodeNum(reached.from), edge: reached.edge });
            at = NodeNum(reached.from);
        }
        steps.reverse();
    }
}

/// A guess at the time from a node to the goal. Unit: ms; `None` if there is no way.
fn guess_ms(graph: &Graph, from: NodeNum, to: NodeNum) -> Option<u32> {
    let (a, b) = (graph.node(from), graph.node(to));
    if a.region == b.region {
        return Some((a.origin.distance(b.origin) * MS_PER_UNIT) as u32);
    }
    Some(graph.travel_ms(from, to)?.saturating_sub(SLACK_MS))
}

#[cfg(test)]
mod tests {
    use super::super::{Way, sketch};
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn the_quickest_way_is_found_and_what_is_known_against_an_edge_counts() {
        let places = [(0.0, 0.0), (300.0, 0.0), (150.0, 50.0), (0.0, 500.0), (300.0, 500.0)];
        let places = places.map(|(x, y)| vec3(x, y, 24.0));
        let ways =
            [(0, 2, Way::Walk), (2, 1, Way::Walk), (0, 3, Way::Walk), (3, 4, Way::Walk), (4, 1, Way::Walk)];
        let graph = sketch::graph(&places, &ways);
        let mut search = Search::default();
        let mut steps = Vec::new();
        assert!(search.find(&graph, NodeNum(0), NodeNum(1), |_| 0, &mut steps));
        let ends = |steps: &[Step]| steps.iter().map(|step| graph.edge(step.edge).to.0).collect::<Vec<_>>();
        assert_eq!(ends(&steps), [2, 1]);
        let dear = steps[1].edge;
        assert!(search.find(
            &graph,
            NodeNum(0),
            NodeNum(1),
            |edge| if edge == dear { 9000 } else { 0 },
            &mut steps
        ));
        assert_eq!(ends(&steps), [3, 4, 1]);
    }

    #[test]
    fn an_edge_that_killed_is_gone_round_and_taken_only_if_there_is_no_other() {
        let places = [(0.0, 0.0), (300.0, 0.0), (150.0, 400.0)].map(|(x, y)| vec3(x, y, 24.0));
        let graph = sketch::graph(&places, &[(0, 1, Way::Walk), (0, 2, Way::Walk), (2, 1, Way::Walk)]);
        let mut search = Search::default();
        let mut steps = Vec::new();
        let mut count = |search: &mut Search| {
            assert!(search.find(&graph, NodeNum(0), NodeNum(1), |_| 0, &mut steps));
            (steps.len(), steps.iter().map(|step| search.deaths_on(step.edge)).sum::<u32>())
        };
        assert_eq!(count(&mut search), (1, 0));
        search.dread(0);
        assert_eq!(count(&mut search), (2, 0));
        (0..3).for_each(|_| search.dread(2));
        assert_eq!(count(&mut search), (1, 1));
        search.forget();
        assert_eq!(count(&mut search), (1, 0));
    }

    #[test]
    fn edges_lead_one_way_and_where_there_is_none_it_says_so() {
        let places = [0.0, 400.0, 5000.0].map(|x| vec3(x, 0.0, 24.0));
        let graph = sketch::graph(&places, &[(0, 1, Way::Drop(0))]);
        let mut search = Search::default();
        let mut steps = Vec::new();
        assert!(search.find(&graph, NodeNum(0), NodeNum(1), |_| 0, &mut steps));
        assert!(!search.find(&graph, NodeNum(1), NodeNum(0), |_| 0, &mut steps));
        assert!(!search.find(&graph, NodeNum(0), NodeNum(2), |_| 0, &mut steps) && steps.is_empty());
        assert!(search.find(&graph, NodeNum(2), NodeNum(2), |_| 0, &mut steps) && steps.is_empty());
    }
}
