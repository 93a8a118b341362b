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
use fogline_common::openarena::{ITEMS, item_type, stat, team};
use fogline_common::time::{Millis, ServerTime};

/// Seconds that any way takes at least, so that what lies underfoot is not worth everything.
const LEAST_WAY_S: f32 = 1.5;
/// A goal is thought over this often.
pub(super) const THINK_OVER: Millis = Millis(1500);
/// Whoever was noticed within this is hunted.
const FRESH: Millis = Millis(6000);
/// How much one wants to meet somebody.
const HUNT: f32 = 22.0;
/// Who has our flag is hunted that much more.
const THIEF: f32 = 6.0;
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
    /// What the flags ask for: to touch this one, or only to be there.
    Flag(Option<EntityNum>),
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
    let duty = flag_goals::choose(mind, scene, graph, body, here);
    let ways = Ways { graph, here, duty: duty.filter(|duty| duty.worth >= flag_goals::PRESSING) };
    let mut best = duty;
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
        offer(ways.weighed(good.node, what, worth));
    }
    for (thing, node, item) in dropped(scene, graph, mind, body) {
        offer(ways.weighed(node, What::Thing(thing), goods::worth(&body.ps, item)));
    }
    offer(hunt(mind, scene, &ways, body));
    best.or_else(|| roam(mind, graph, here))
}

/// From where goals are weighed.
struct Ways<'a> {
    graph: &'a Graph,
    here: NodeNum,
    /// Where the bot has to be, if it has to: other goals cost what they lead aside from the way there.
    duty: Option<Goal>,
}

impl Ways<'_> {
    fn weighed(&self, to: NodeNum, what: What, worth: f32) -> Option<Goal> {
        if worth <= 0.0 {
            return None;
        }
        let mut way = self.graph.travel_ms(self.here, to)?;
        if let Some(duty) = self.duty {
            let straight = self.graph.travel_ms(self.here, duty.node)?;
            way = (way + self.graph.travel_ms(to, duty.node)?).saturating_sub(straight);
        }
        Some(Goal { node: to, what, worth: worth / (way as f32 * 0.001 + LEAST_WAY_S) })
    }
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
fn hunt(mind: &Mind, scene: &Scene<'_>, ways: &Ways<'_>, body: &Body) -> Option<Goal> {
    if body.ps.stats[stat::HEALTH as usize] < WEAK {
        return None;
    }
    let fresh = |num: &ClientNum| {
        mind.senses.of(*num).noticed.is_some_and(|at| body.now - at < FRESH) && *num != mind.num
    };
    let strength = arms::strength(&body.ps);
    let candidates = scene.game.slots().filter(fresh).filter_map(|num| {
        let contact = mind.senses.of(num);
        let node = ways.graph.nearest(contact.place, 100.0)?;
        let ps = &scene.game.clients[num.index()].ps;
        let has_flag = [team::RED, team::BLUE].iter().any(|&team| flag_goals::carries(ps, team));
        let worth = if has_flag { HUNT * THIEF } else { HUNT } * strength;
        ways.weighed(node, What::Foe(num), worth)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::native::bots::graph::sketch;
    use crate::game::native::bots::graph::{NodeNum, Way};
    use fogline_common::math::vec3;

    #[test]
    fn what_is_avoided_is_looked_for_again_when_its_time_is_over() {
        let thing = EntityNum::new(80).expect("a number");
        let mut avoided = Avoided::default();
        avoided.add(thing, ServerTime(5000));
        assert!(avoided.holds(thing, ServerTime(4999)) && !avoided.holds(thing, ServerTime(5000)));
        avoided.add(thing, ServerTime(9000));
        assert!(avoided.holds(thing, ServerTime(8000)));
        for other in 100..100 + MOST_AVOIDED {
            avoided.add(EntityNum::new(other).expect("a number"), ServerTime(9000));
        }
        assert!(!avoided.holds(thing, ServerTime(8000)), "the oldest makes room");
        assert_eq!(avoided.0.len(), MOST_AVOIDED);
    }

    #[test]
    fn of_like_things_the_nearer_is_worth_more_and_what_cannot_be_reached_nothing() {
        let places = [0.0, 600.0, 3000.0, 9000.0].map(|x| vec3(x, 0.0, 24.0));
        let graph = sketch::graph(&places, &[(0, 1, Way::Walk), (1, 2, Way::Walk)]);
        let ways = Ways { graph: &graph, here: NodeNum(0), duty: None };
        let offer = |to: u32| ways.weighed(NodeNum(to), What::Roam, 50.0).map(|goal| goal.worth);
        let (near, far) = (offer(1).expect("a way"), offer(2).expect("a way"));
        assert!(near > far * 2.0, "{near} {far}");
        assert_eq!(offer(3), None);
        assert_eq!(ways.weighed(NodeNum(1), What::Roam, 0.0), None);
    }

    #[test]
    fn on_duty_what_lies_by_the_way_costs_nothing_and_what_lies_behind_twice() {
        let places = [0.0, 960.0, 1920.0, -960.0].map(|x| vec3(x, 0.0, 24.0));
        let ways = [(0, 1), (1, 2), (0, 3), (3, 0)].map(|(a, b)| (a, b, Way::Walk));
        let graph = sketch::graph(&places, &ways);
        let duty = Goal { node: NodeNum(2), what: What::Flag(None), worth: 30.0 };
        let on_duty = Ways { graph: &graph, here: NodeNum(0), duty: Some(duty) };
        let free = Ways { graph: &graph, here: NodeNum(0), duty: None };
        let worth =
            |ways: &Ways<'_>, to: u32| ways.weighed(NodeNum(to), What::Roam, 45.0).expect("a way").worth;
        assert!((worth(&on_duty, 1) - 30.0).abs() < 1.0, "{}", worth(&on_duty, 1));
        assert!((worth(&on_duty, 3) - 6.0).abs() < 0.5, "{}", worth(&on_duty, 3));
        assert!((worth(&free, 1) - 10.0).abs() < 0.5 && (worth(&free, 3) - 10.0).abs() < 0.5);
    }
}
