//! What a bot is after: things by worth and way, whom it fights, and flags.

use super::arms;
use super::flag_goals;
use super::goods;
use super::graph::{Graph, NodeNum};
use super::mind::Mind;
use super::route::stand;
use super::thought::{Body, Scene};
use crate::game::native::entity::Kind;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::openarena::{ITEMS, item_type, stat};
use fogline_common::time::{Millis, ServerTime};

/// Seconds that any way takes at least, so that what lies underfoot is not worth everything.
const LEAST_WAY_S: f32 = 1.5;
/// A goal is thought over this often.
pub(super) const THINK_OVER: Millis = Millis(1500);
/// Whoever was noticed within this is hunted.
const FRESH: Millis = Millis(6000);
/// Below this health one runs from a fight.
pub(super) const WEAK: i32 = 40;
/// Another goal must be better than the present one by this factor.
const BETTER: f32 = 1.4;
/// Things that are avoided, and for how long.
const MOST_AVOIDED: usize = 24;
/// Where nothing was, nothing is looked for for so long.
pub(super) const AVOID_FOR: Millis = Millis(12_000);

/// What a bot is after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Goal {
    /// Where it goes.
    pub(super) node: NodeNum,
    /// What for.
    pub(super) what: What,
    /// How much it wants it.
    pub(super) worth: f32,
}

/// What a goal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A thing, of the map or dropped.
    Thing(EntityNum),
    /// Somebody to fight.
    Foe(ClientNum),
    /// A flag or a base.
    Flag,
    /// Somewhere.
    Roam,
}

/// Things not to be looked for, until when.
#[derive(Clone, Debug, Default)]
pub(super) struct Avoided(Vec<(EntityNum, ServerTime)>);

impl Avoided {
    /// Do not look for it before `until`.
    pub(super) fn add(&mut self, thing: EntityNum, until: ServerTime) {
        self.0.retain(|&(other, _)| other != thing);
        if self.0.len() == MOST_AVOIDED {
            self.0.remove(0);
        }
        self.0.push((thing, until));
    }

    fn holds(&self, thing: EntityNum, now: ServerTime) -> bool {
        self.0.iter().any(|&(other, until)| other == thing && until > now)
    }

    /// Another life.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The best goal of the moment.
pub(super) fn choose(mind: &mut Mind, scene: &Scene<'_>, graph: &Graph, body: &Body) -> Option<Goal> {
    let here = stand(graph, body)?;
    let mut best = flag_goals::choose(mind, scene, graph, body, here);
    let mut offer = |goal: Option<Goal>| {
        if let Some(goal) = goal
            && best.is_none_or(|best: Goal| goal.worth > best.worth)
        {
            best = Some(goal);
        }
    };
    let held = mind.goal.map(|goal| goal.what);
    for good in scene.goods {
        if mind.avoided.holds(good.entity, body.now) {
            continue;
        }
        let what = What::Thing(good.entity);
        let stays = if held == Some(what) { BETTER } else { 1.0 };
        let worth = goods::worth(&body.ps, good.item) * stays;
        offer(weighed(graph, here, good.node, what, worth));
    }
    for (thing, node, item) in dropped(scene, graph, mind, body) {
        offer(weighed(graph, here, node, What::Thing(thing), goods::worth(&body.ps, item)));
    }
    offer(hunt(mind, scene, graph, body, here));
    best.or_else(|| roam(mind, graph, here))
}

fn weighed(graph: &Graph, from: NodeNum, to: NodeNum, what: What, worth: f32) -> Option<Goal> {
    if worth <= 0.0 {
        return None;
    }
    let way_s = graph.travel_ms(from, to)? as f32 * 0.001;
    Some(Goal { node: to, what, worth: worth / (way_s + LEAST_WAY_S) })
}

/// What the dead left, near enough to be seen.
fn dropped<'a>(
    scene: &'a Scene<'_>,
    graph: &'a Graph,
    mind: &'a Mind,
    body: &'a Body,
) -> impl Iterator<Item = (EntityNum, NodeNum, usize)> + 'a {
    scene.game.entities.numbers().filter_map(move |num| {
        let entity = &scene.game.entities[num];
        let Kind::Item(item) = entity.kind else { return None };
        let place = entity.shared.link.origin;
        let wanted = item.dropped && item.present && ITEMS[item.index].kind != item_type::TEAM;
        let near = wanted && place.distance(body.ps.origin) < 900.0;
        if !near || mind.avoided.holds(num, body.now) || !scene.host.in_pvs(body.ps.origin, place, false) {
            return None;
        }
        Some((num, goods::node_at(graph, place)?, item.index))
    })
}

/// Whoever was noticed lately, if one feels strong enough.
fn hunt(mind: &Mind, scene: &Scene<'_>, graph: &Graph, body: &Body, here: NodeNum) -> Option<Goal> {
    if body.ps.stats[stat::HEALTH as usize] < WEAK {
        return None;
    }
    let fresh = |num: &ClientNum| {
        mind.senses.of(*num).noticed.is_some_and(|at| body.now - at < FRESH) && *num != mind.num
    };
    let strength = arms::strength(&body.ps);
    let candidates = scene.game.slots().filter(fresh).filter_map(|num| {
        let contact = mind.senses.of(num);
        let node = graph.nearest(contact.place, 100.0)?;
        weighed(graph, here, node, What::Foe(num), 22.0 * strength)
    });
    candidates.max_by(|a, b| a.worth.total_cmp(&b.worth))
}

/// Somewhere else.
fn roam(mind: &mut Mind, graph: &Graph, here: NodeNum) -> Option<Goal> {
    for _ in 0..12 {
        let node = NodeNum(mind.rng.u32(0..graph.len() as u32));
        if graph.travel_ms(here, node).is_some_and(|ms| ms > 1500) {
            return Some(Goal { node, what: What::Roam, worth: 0.1 });
        }
    }
    None
}
