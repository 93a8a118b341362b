//! Ways into places from which nobody comes back are taken out.

use super::explore::Flood;
use super::{Edge, NodeNum};

/// Seeds that are asked around which of them one can go farthest and come back.
const MOST_ASKED: usize = 6;

/// Edges by node. Shape: those of node n are `first[n]..first[n + 1]`.
pub(super) struct Rows {
    pub(super) edges: Vec<Edge>,
    pub(super) first: Vec<u32>,
}

/// Sorts edges by the node that they leave, in the order in which they were found.
pub(super) fn rows(node_count: usize, edges: &[(NodeNum, Edge)]) -> Rows {
    let mut first = vec![0_u32; node_count + 1];
    for (from, _) in edges {
        first[from.index() + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut next = first.clone();
    let blank = Edge { to: NodeNum(0), time: 0, way: super::Way::Walk };
    let mut sorted = vec![blank; edges.len()];
    for (from, edge) in edges {
        let at = &mut next[from.index()];
        sorted[*at as usize] = *edge;
        *at += 1;
    }
    Rows { edges: sorted, first }
}

/// Takes out every edge from a place that leads home to one that does not. Home is the seed from which one can get to most places
/// that lead back to it: not a pit, to which everything leads.
pub(super) fn prune(flood: &mut Flood, seeds: &[NodeNum]) {
    let backwards: Vec<(NodeNum, Edge)> =
        flood.edges.iter().map(|(from, edge)| (edge.to, Edge { to: *from, ..*edge })).collect();
    let back = rows(flood.nodes.len(), &backwards);
    let ahead = rows(flood.nodes.len(), &flood.edges);
    let mut best: Vec<bool> = Vec::new();
    let mut most = 0;
    let step = seeds.len().div_ceil(MOST_ASKED).max(1);
    for &seed in seeds.iter().step_by(step) {
        let leads = reached(&back, flood.nodes.len(), seed);
        let gets = reached(&ahead, flood.nodes.len(), seed);
        let count = leads.iter().zip(&gets).filter(|&(&leads, &gets)| leads && gets).count();
        if count > most {
            (best, most) = (leads, count);
        }
    }
    if most > 0 {
        flood.edges.retain(|(from, edge)| !best[from.index()] || best[edge.to.index()]);
    }
}

fn reached(rows: &Rows, node_count: usize, from: NodeNum) -> Vec<bool> {
    let mut seen = vec![false; node_count];
    let mut open = vec![from];
    seen[from.index()] = true;
    while let Some(num) = open.pop() {
        let range = rows.first[num.index()] as usize..rows.first[num.index() + 1] as usize;
        for edge in &rows.edges[range] {
            if !std::mem::replace(&mut seen[edge.to.index()], true) {
                open.push(edge.to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::super::Way;
    use super::*;

    #[test]
    fn a_pit_without_a_way_out_is_not_gone_into_but_come_out_of_what_has_one() {
        let edge = |from: u32, to: u32| (NodeNum(from), Edge { to: NodeNum(to), time: 10, way: Way::Walk });
        let mut flood = Flood::default();
        // 0, 1 and 2 go round; 3 is a pit; from 4 one only comes.
        flood.edges = vec![edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 3), edge(4, 0)];
        flood.nodes = vec![sketch_node(); 5];
        prune(&mut flood, &[NodeNum(0), NodeNum(3)]);
        let left: Vec<(u32, u32)> = flood.edges.iter().map(|(from, edge)| (from.0, edge.to.0)).collect();
        assert_eq!(left, [(0, 1), (1, 2), (2, 0), (4, 0)]);
    }

    fn sketch_node() -> super::super::Node {
        let origin = fogline_common::math::Vec3::ZERO;
        super::super::Node { origin, region: 0, lift: None, swims: false }
    }
}
