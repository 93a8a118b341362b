//! Regions: places of one block of the grid that hang together by foot. Few enough that times between all of them fit a table.

use super::cells::cell_of;
use super::prune::Rows;
use super::{Node, NodeNum, Way};
use fogline_common::math::Vec3;

/// Most regions of a map.
pub(super) const MAX_REGIONS: usize = 1024;
/// Smallest block. Unit: cells.
const LEAST_BLOCK: i32 = 8;

/// Gives each node its region. The node in the middle of each region, by region.
pub(super) fn assign(nodes: &mut [Node], rows: &Rows) -> Vec<NodeNum> {
    let mut block = LEAST_BLOCK;
    loop {
        let parents = join(nodes, rows, block);
        let count = parents.iter().enumerate().filter(|&(at, &parent)| at as u32 == parent).count();
        if count <= MAX_REGIONS || block > 1 << 16 {
            return number(nodes, &parents);
        }
        block *= 2;
    }
}

/// Union of what hangs together. Shape: by node, the lowest node of its set.
fn join(nodes: &[Node], rows: &Rows, block: i32) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..nodes.len() as u32).collect();
    let block_of = |node: &Node| {
        let (x, y) = cell_of(node.origin);
        (x.div_euclid(block), y.div_euclid(block))
    };
    for (at, node) in nodes.iter().enumerate() {
        let range = rows.first[at] as usize..rows.first[at + 1] as usize;
        for edge in &rows.edges[range] {
            let on_foot = matches!(edge.way, Way::Walk | Way::Swim);
            if on_foot && block_of(node) == block_of(&nodes[edge.to.index()]) {
                let (a, b) = (find(&mut parents, at as u32), find(&mut parents, edge.to.0));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
    }
    for at in 0..parents.len() as u32 {
        parents[at as usize] = find(&mut parents, at);
    }
    parents
}

fn find(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

/// Numbers the sets in the order of their lowest nodes. What exceeds the most shares the last number.
fn number(nodes: &mut [Node], parents: &[u32]) -> Vec<NodeNum> {
    let mut numbers = vec![u16::MAX; nodes.len()];
    let mut sums: Vec<(Vec3, u32)> = Vec::new();
    for (at, &parent) in parents.iter().enumerate() {
        if at as u32 == parent {
            numbers[at] = sums.len().min(MAX_REGIONS - 1) as u16;
            if sums.len() < MAX_REGIONS {
                sums.push((Vec3::ZERO, 0));
            }
        }
        nodes[at].region = numbers[parent as usize];
        let (sum, count) = &mut sums[usize::from(nodes[at].region)];
        *sum += nodes[at].origin;
        *count += 1;
    }
    let middles: Vec<Vec3> = sums.iter().map(|&(sum, count)| sum * (1.0 / count.max(1) as f32)).collect();
    let mut hubs: Vec<Option<(NodeNum, f32)>> = vec![None; middles.len()];
    for (at, node) in nodes.iter().enumerate() {
        let region = usize::from(node.region);
        let distance = node.origin.distance(middles[region]);
        if hubs[region].is_none_or(|(_, least)| distance < least) {
            hubs[region] = Some((NodeNum(at as u32), distance));
        }
    }
    hubs.into_iter().map(|hub| hub.map_or(NodeNum(0), |(num, _)| num)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sketch;
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn a_floor_above_another_is_a_region_of_its_own_and_so_is_the_next_block() {
        let places = [(0.0, 0.0), (40.0, 0.0), (0.0, 200.0), (40.0, 200.0), (400.0, 0.0)];
        let places = places.map(|(x, z)| vec3(x + 8.0, 8.0, z));
        let ways = [(0, 1), (1, 0), (2, 3), (3, 2), (1, 4), (3, 1)];
        // From 3 one drops to 1: that does not make them one region.
        let ways = ways.map(|(a, b)| (a, b, if (a, b) == (3, 1) { Way::Drop(0) } else { Way::Walk }));
        let graph = sketch::graph(&places, &ways);
        let region = |num: u32| graph.node(NodeNum(num)).region;
        assert_eq!((region(0), region(2)), (region(1), region(3)));
        assert!(region(0) != region(2) && region(4) != region(0) && region(4) != region(2));
        assert_eq!(graph.region_count(), 3);
    }
}
