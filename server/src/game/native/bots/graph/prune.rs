//! Ways into places from which nobody comes back are taken out.

use super::explore::Flood;
use super::{Edge, NodeNum};

/// Seeds that are asked which of them most places lead back to.
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

/// Takes out every edge from a place that leads home to one that does not. Home is the seed to which most places lead.
pub(super) fn prune(flood: &mut Flood, seeds: &[NodeNum]) {
    let backwards: Vec<(NodeNum, Edge)> =
        flood.edges.iter().map(|(from, edge)| (edge.to, Edge { to: *from, ..*edge })).collect();
    let back = rows(flood.nodes.len(), &backwards);
    let mut best: Vec<bool> = Vec::new();
    let mut most = 0;
    let step = seeds.len().div_ceil(MOST_ASKED).max(1);
    for &seed in seeds.iter().step_by(step) {
        let (leads, count) = reached(&back, flood.nodes.len(), seed);
        if count > most {
            (best, most) = (leads, count);
        }
    }
    if most > 0 {
        flood.edges.retain(|(from, edge)| !best[from.index()] || best[edge.to.index()]);
    }
}

fn reached(rows: &Rows, node_count: usize, from: NodeNum) -> (Vec<bool>, usize) {
    let mut seen = vec![false; node_count];
    let mut open = vec![from];
    let mut count = 0;
    seen[from.index()] = true;
    while let Some(num) = open.pop() {
        count += 1;
        let range = rows.first[num.index()] as usize..rows.first[num.index() + 1] as usize;
        for edge in &rows.edges[range] {
            if !std::mem::replace(&mut seen[edge.to.index()], true) {
                open.push(edge.to);
            }
        }
    }
    (seen, count)
}
