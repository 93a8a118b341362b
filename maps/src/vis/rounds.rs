//! The order of work: rounds of clusters, cheap ones first. A round reads only what earlier rounds found.

use super::bits::{self, BitTable};
use super::counters::Counters;
use super::flow::{Chains, Known};
use super::graph::PortalGraph;
use super::rays::{self, RayPlan};
use super::table::VisTable;
use rayon::prelude::*;
use std::sync::Mutex;

/// Clusters of one round. Fixed, so that threads do not show in the answer; few, so that the next round knows more.
const ROUND: usize = 16;

/// In so many parts the rounds are divided; between two of them what was found is spread through the table.
const TIGHTENINGS: usize = 4;

/// Lines that are shot beforehand, for each cluster. A pair that one proves need not be looked for behind portals through which
/// it cannot be seen.
const RAYS: u64 = 48;
/// Their distance from the edges of portals: far more than rounding could make up. Unit: world units.
const CLEARANCE: f64 = 0.02;

/// Decides every pair of clusters.
pub fn decide(
    graph: &PortalGraph,
    might: &mut BitTable,
    counters: &mut Counters,
    tell: &mut dyn FnMut(super::Progress),
) -> VisTable {
    let clusters = graph.cluster_count();
    let mut sees = BitTable::new(clusters, clusters);
    seed(graph, &mut sees);
    let plan = RayPlan { rays: RAYS * clusters as u64, seed: 1, clearance: CLEARANCE };
    sees.or_with(&rays::prove(graph, &plan));
    let mut finished = vec![false; clusters];
    let weights: Vec<u64> = (0..clusters).map(|cluster| weight(graph, might, cluster)).collect();
    let whole: u64 = weights.iter().sum();
    tell(super::Progress::Ahead(super::Forecast { open_pairs: whole, tests_made: counters.targets }));
    let (mut done, mut lifted) = (0, 0);
    // Room for as many chains as threads ever work at once, kept from round to round.
    let rooms: Mutex<Vec<Chains>> = Mutex::default();
    while done < clusters {
        tell(super::Progress::Flow(lifted as f64 / whole.max(1) as f64));
        let mut open: Vec<(u64, usize)> =
            (0..clusters).filter(|&c| !finished[c]).map(|c| (weight(graph, might, c), c)).collect();
        open.sort_unstable();
        open.truncate(ROUND);
        let known = Known { graph, might, sees: &sees, finished: &finished };
        let found: Vec<_> = open
            .par_iter()
            .map(|&(_, cluster)| {
                let mut chains = lock(&rooms).pop().unwrap_or_default();
                let found = chains.run(&known, cluster);
                lock(&rooms).push(chains);
                found
            })
            .collect();
        for found in &found {
            counters.add(&found.counters);
            finished[found.cluster] = true;
            lifted += weights[found.cluster];
            for other in bits::ones(&found.sees) {
                sees.set(found.cluster, other);
                sees.set(other, found.cluster);
            }
            for (portal, hidden) in &found.hidden {
                hide(might, *portal, hidden);
            }
        }
        let before = done * TIGHTENINGS / clusters;
        done += found.len();
        if done * TIGHTENINGS / clusters != before && done < clusters {
            super::medium::tighten(graph, might, counters);
        }
    }
    VisTable::new(sees)
}

/// A thread that panicked has taken its room with it.
fn lock(rooms: &Mutex<Vec<Chains>>) -> std::sync::MutexGuard<'_, Vec<Chains>> {
    rooms.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Takes columns, and their mirror image, out of a row.
pub(super) fn hide(might: &mut BitTable, portal: usize, columns: &[u64]) {
    for (word, columns) in columns.iter().enumerate() {
        let mut gone = might.row(portal)[word] & columns;
        might.row_mut(portal)[word] &= !columns;
        while gone != 0 {
            let column = word * 64 + gone.trailing_zeros() as usize;
            gone &= gone - 1;
            might.clear(column, portal);
        }
    }
}

fn weight(graph: &PortalGraph, might: &BitTable, cluster: usize) -> u64 {
    graph.leaving(cluster).flat_map(|p| might.row(p)).map(|w| u64::from(w.count_ones())).sum()
}

/// A cluster sees itself and its neighbours.
fn seed(graph: &PortalGraph, sees: &mut BitTable) {
    for cluster in 0..graph.cluster_count() {
        sees.set(cluster, cluster);
        for portal in graph.leaving(cluster) {
            sees.set(cluster, graph.portal(portal).to as usize);
        }
    }
    for &[a, b] in graph.touching() {
        sees.set(a as usize, b as usize);
        sees.set(b as usize, a as usize);
    }
}

/// What clusters see if portals see what a table says.
pub fn clusters_of(graph: &PortalGraph, might: &BitTable) -> VisTable {
    let clusters = graph.cluster_count();
    let mut sees = BitTable::new(clusters, clusters);
    seed(graph, &mut sees);
    for cluster in 0..clusters {
        for portal in graph.leaving(cluster) {
            for column in bits::ones(might.row(portal)) {
                sees.set(cluster, graph.portal(column).from as usize);
            }
        }
    }
    VisTable::new(sees)
}
