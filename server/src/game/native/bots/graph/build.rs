//! The graph while it is being built, in shares of a fixed amount of work.

use super::explore::Flood;
use super::prune::{Rows, prune, rows};
use super::regions;
use super::stride::Walker;
use super::times::Filling;
use super::{Graph, NodeNum, Scenery};
use crate::game::{Host, SharedEntity};
use fogline_common::math::Vec3;
use fogline_common::pmove::PmoveSettings;

/// A row of the table of times counts as this many moves.
const ROW_WORK: u64 = 40;

/// The graph while it is being built.
#[derive(Debug)]
pub(in crate::game::native::bots) struct Build {
    scenery: Scenery,
    settings: PmoveSettings,
    gravity: i32,
    speed: i32,
    flood: Flood,
    seeds: Vec<NodeNum>,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// The next seed.
    Seeds(usize),
    /// The next node to set out from, and the first that no lift has been tried from.
    Flood { next: usize, unridden: usize },
    /// Times between regions.
    Times { rows: Vec<(NodeNum, super::Edge)>, filling: Box<Filling> },
}

impl Build {
    /// Nothing done yet.
    pub(in crate::game::native::bots) fn new(
        scenery: Scenery,
        settings: PmoveSettings,
        gravity: i32,
        speed: i32,
    ) -> Self {
        Self {
            scenery,
            settings,
            gravity,
            speed,
            flood: Flood::default(),
            seeds: Vec::new(),
            stage: Stage::Seeds(0),
        }
    }

    /// Does about `share` units of work. The graph, once it is done.
    pub(in crate::game::native::bots) fn advance(&mut self, host: &dyn Host, share: u64) -> Option<Graph> {
        let until = self.flood.work + share;
        while self.flood.work < until {
            match &mut self.stage {
                Stage::Seeds(next) => {
                    let next = *next;
                    self.seed(host, next);
                }
                Stage::Flood { next, unridden } => {
                    let (next, unridden) = (*next, *unridden);
                    self.flood(host, next, unridden);
                }
                Stage::Times { filling, .. } => {
                    self.flood.work += ROW_WORK;
                    if !filling.fill_row() {
                        return self.finish();
                    }
                }
            }
        }
        None
    }

    /// Places found so far.
    pub(in crate::game::native::bots) fn found(&self) -> usize {
        self.flood.nodes.len()
    }

    fn walker<'a>(&'a self, host: &'a dyn Host, solid: &'a [SharedEntity]) -> Walker<'a> {
        Walker {
            host,
            scenery: &self.scenery,
            solid,
            settings: self.settings,
            gravity: self.gravity,
            speed: self.speed,
        }
    }

    fn seed(&mut self, host: &dyn Host, at: usize) {
        let Some(&place) = self.scenery.seeds.get(at) else {
            self.stage = Stage::Flood { next: 0, unridden: 0 };
            return;
        };
        let mut flood = std::mem::take(&mut self.flood);
        let found = flood.seed(&self.walker(host, &self.scenery.solid), place);
        self.flood = flood;
        self.seeds.extend(found);
        self.stage = Stage::Seeds(at + 1);
    }

    fn flood(&mut self, host: &dyn Host, next: usize, unridden: usize) {
        let mut flood = std::mem::take(&mut self.flood);
        if next < flood.nodes.len() {
            flood.explore(&self.walker(host, &self.scenery.solid), NodeNum(next as u32));
            self.stage = Stage::Flood { next: next + 1, unridden };
        } else if unridden < flood.nodes.len() {
            let num = NodeNum(unridden as u32);
            if let Some(at) = flood.nodes[unridden].lift {
                let lift = self.scenery.lifts[usize::from(at)];
                let raised = self.with_lift_up(lift.solid, lift.rise);
                flood.ride(&self.walker(host, &raised), num, at, &lift);
            }
            flood.work += 1;
            self.stage = Stage::Flood { next, unridden: unridden + 1 };
        } else {
            prune(&mut flood, &self.seeds);
            let sorted: Rows = rows(flood.nodes.len(), &flood.edges);
            let hubs = regions::assign(&mut flood.nodes, &sorted);
            let filling = Box::new(Filling::new(&flood.nodes, &sorted, &hubs));
            self.stage = Stage::Times { rows: std::mem::take(&mut flood.edges), filling };
        }
        self.flood = flood;
    }

    fn with_lift_up(&self, solid: usize, rise: Vec3) -> Vec<SharedEntity> {
        let mut raised = self.scenery.solid.clone();
        let link = &mut raised[solid].link;
        link.origin += rise;
        link.abs_bounds = link.abs_bounds.translated(rise);
        raised
    }

    fn finish(&mut self) -> Option<Graph> {
        let stage = std::mem::replace(&mut self.stage, Stage::Seeds(usize::MAX));
        let Stage::Times { rows: edges, filling } = stage else { return None };
        let flood = std::mem::take(&mut self.flood);
        let sorted = rows(flood.nodes.len(), &edges);
        Some(Graph {
            nodes: flood.nodes,
            edges: sorted.edges,
            first_edge: sorted.first,
            cells: flood.cells,
            times: filling.finish(),
            scenery: std::mem::take(&mut self.scenery),
            work: flood.work,
        })
    }
}
