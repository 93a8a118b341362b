//! One step better than the base bound: what each pair of neighbouring portals lets through.
//!
//! A line through portal p runs on through one of the next cluster's portals q, and everything behind q that it can meet lies
//! in front of the planes that separate p from q. The union over all q bounds what p sees.

use super::bits::{self, BitTable};
use super::counters::Counters;
use super::graph::PortalGraph;
use super::polygon::{Clip, Polygon};
use super::separators::Separators;
use rayon::prelude::*;

/// Rows that are computed from one state of the table. Fixed, so that threads do not show in the answer.
const ROUND: usize = 256;

/// Narrows a facing table in place; it stays symmetric.
pub fn tighten(graph: &PortalGraph, might: &mut BitTable, counters: &mut Counters) {
    let count = graph.portal_count();
    for start in (0..count).step_by(ROUND) {
        let table = &*might;
        let found: Vec<(Vec<u64>, Counters)> = (start..count.min(start + ROUND))
            .into_par_iter()
            .map_init(Passes::default, |passes, portal| passes.run(graph, table, portal))
            .collect();
        for (index, (row, work)) in found.iter().enumerate() {
            let hidden: Vec<u64> = row.iter().map(|w| !w).collect();
            super::rounds::hide(might, start + index, &hidden);
            counters.add(work);
        }
    }
}

#[derive(Default)]
struct Passes {
    source: Polygon,
    pass: Polygon,
    spare: Polygon,
    planes: Separators,
}

impl Passes {
    fn run(&mut self, graph: &PortalGraph, might: &BitTable, portal: usize) -> (Vec<u64>, Counters) {
        let mut counters = Counters::default();
        let mut row = vec![0; might.words_per_row()];
        let source = graph.portal(portal);
        let own = might.row(portal);
        bits::set(&mut row, source.twin as usize);
        for next in graph.leaving(source.to as usize) {
            let pass = graph.portal(next);
            if !bits::has(own, pass.twin as usize) {
                continue;
            }
            bits::set(&mut row, pass.twin as usize);
            graph.winding(portal, &mut self.source);
            graph.winding(next, &mut self.pass);
            if self.source.clip(&pass.plane.flipped(), &mut self.spare) == Clip::Part {
                std::mem::swap(&mut self.source, &mut self.spare);
            }
            if self.pass.clip(&source.plane, &mut self.spare) == Clip::Part {
                std::mem::swap(&mut self.pass, &mut self.spare);
            }
            self.planes.find(&self.source, &source.plane, &self.pass, &pass.plane);
            counters.chains += 1;
            for (word, (a, b)) in own.iter().zip(might.row(next)).enumerate() {
                let targets = a & b & !row[word];
                if targets != 0 {
                    row[word] |= targets & !self.planes.hidden(graph, word, targets, &mut counters);
                }
            }
        }
        (row, counters)
    }
}
