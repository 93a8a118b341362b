//! Travel times between all regions: one search a region, over the graph of regions.

use super::prune::Rows;
use super::{MS_PER_UNIT, Node, NodeNum};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;

/// Unit of the table. Unit: ms.
const UNIT_MS: u32 = 20;
/// There is no way.
const NEVER: u16 = u16::MAX;

/// Travel times. Shape: row by region of departure.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    count: usize,
    table: Vec<u16>,
}

impl Times {
    /// How many regions.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// From the middle of one region to that of another. Unit: ms; `None` if there is no way.
    pub(super) fn between(&self, from: u16, to: u16) -> Option<u32> {
        let time = self.table[usize::from(from) * self.count + usize::from(to)];
        (time != NEVER).then(|| u32::from(time) * UNIT_MS)
    }
}

/// The table while it is being filled.
#[derive(Clone, Debug)]
pub(super) struct Filling {
    times: Times,
    /// Shape: by region, the regions next to it and the time to their middles. Unit: ms.
    links: Vec<Vec<(u16, u32)>>,
    next: usize,
}

impl Filling {
    /// Works out which regions lie next to each other. `hubs` are the nodes in their middles.
    pub(super) fn new(nodes: &[Node], rows: &Rows, hubs: &[NodeNum]) -> Self {
        let mut best: BTreeMap<(u16, u16), u32> = BTreeMap::new();
        let to_hub = |at: usize| {
            let node = &nodes[at];
            let hub = &nodes[hubs[usize::from(node.region)].index()];
            (node.origin.distance(hub.origin) * MS_PER_UNIT) as u32
        };
        for (at, node) in nodes.iter().enumerate() {
            let range = rows.first[at] as usize..rows.first[at + 1] as usize;
            for edge in &rows.edges[range] {
                let to = edge.to.index();
                if nodes[to].region != node.region {
                    let time = to_hub(at) + u32::from(edge.time) + to_hub(to);
                    let least = best.entry((node.region, nodes[to].region)).or_insert(time);
                    *least = (*least).min(time);
                }
            }
        }
        let mut links = vec![Vec::new(); hubs.len()];
        for ((from, to), time) in best {
            links[usize::from(from)].push((to, time));
        }
        let count = hubs.len();
        Self { times: Times { count, table: vec![NEVER; count * count] }, links, next: 0 }
    }

    /// Fills one row. Whether there are more.
    pub(super) fn fill_row(&mut self) -> bool {
        let Some(from) = Some(self.next).filter(|&next| next < self.times.count) else { return false };
        self.next += 1;
        let mut reached = vec![u32::MAX; self.times.count];
        reached[from] = 0;
        let mut open = BinaryHeap::from([Reverse((0_u32, from as u16))]);
        while let Some(Reverse((time, at))) = open.pop() {
            if time > reached[usize::from(at)] {
                continue;
            }
            for &(to, step) in &self.links[usize::from(at)] {
                let there = time + step;
                if there < reached[usize::from(to)] {
                    reached[usize::from(to)] = there;
                    open.push(Reverse((there, to)));
                }
            }
        }
        let row = &mut self.times.table[from * self.times.count..(from + 1) * self.times.count];
        for (entry, &time) in row.iter_mut().zip(&reached) {
            if time != u32::MAX {
                *entry = (time / UNIT_MS).min(u32::from(NEVER - 1)) as u16;
            }
        }
        self.next < self.times.count
    }

    /// The table.
    pub(super) fn finish(self) -> Times {
        self.times
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Way, sketch};
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn times_add_up_over_regions_and_what_cannot_be_reached_has_none() {
        let places = [0.0, 640.0, 1280.0, 9000.0].map(|x| vec3(x + 8.0, 8.0, 24.0));
        let graph = sketch::graph(&places, &[(0, 1, Way::Walk), (1, 2, Way::Walk)]);
        let time = |from: u32, to: u32| graph.travel_ms(NodeNum(from), NodeNum(to));
        let (one, two) = (time(0, 1).expect("a way"), time(0, 2).expect("a way"));
        assert!((1980..=2000).contains(&one) && (3960..=4000).contains(&two), "{one} {two}");
        assert_eq!((time(2, 0), time(0, 3)), (None, None));
        assert_eq!(time(3, 3), Some(0));
    }
}
