//! One bot: it looks, decides, goes and fights, and says it all in a usercmd.

use super::fight::Fight;
use super::flag_goals::Tidings;
use super::goals::{self, AVOID_FOR, Avoided, Goal, THINK_OVER, What};
use super::graph::{Graph, Search};
use super::route::{Progress, Route, in_flight, landing};
use super::sense::Senses;
use super::skill::Skill;
use super::thought::{Body, Scene, Steering};
use super::{arms, unstick::Unstick};
use crate::game::native::entity::Kind;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{PITCH, Vec3, YAW, angle_normalize_180, angle_to_short, vec3, vector_to_angles};
use fogline_common::openarena::{ITEMS, holdable, item_type, pers, stat};
use fogline_common::proto::{UserCmd, button};
use fogline_common::time::{Millis, ServerTime};

/// Bots look around this often.
const SENSE_PAUSE: Millis = Millis(100);
/// What is nearer than this and not there is noticed to be gone. Unit: units.
const NOTICES_ABSENCE: f32 = 350.0;
/// The dead come back after this, and up to this later.
const DEAD_FOR: (i32, i32) = (1000, 2500);
/// One that got nowhere for so long ends its life.
const HOPELESS: Millis = Millis(20_000);
/// Who finds no way to where it should be does something else for so long.
const OFF_DUTY: Millis = Millis(3000);
/// On duty it goes where so many have died on the way, if there is no other; for nothing else.
const DARES_ON_DUTY: u32 = 6;
/// A runner comes to rest within this. Unit: s.
const BRAKING_S: f32 = 0.14;
/// A medkit is used below this health.
const USES_MEDKIT: i32 = 35;

/// One bot.
#[derive(Clone, Debug)]
pub(super) struct Mind {
    /// Its slot.
    pub(super) num: ClientNum,
    /// What it can do.
    pub(super) skill: Skill,
    /// Its own lots.
    pub(super) rng: fastrand::Rng,
    /// What it knows of the others.
    pub(super) senses: Senses,
    /// What it is after.
    pub(super) goal: Option<Goal>,
    /// What it does not look for.
    pub(super) avoided: Avoided,
    /// How it gets there.
    pub(super) route: Route,
    fight: Fight,
    unstick: Unstick,
    sense_at: ServerTime,
    decide_at: ServerTime,
    tidings: Tidings,
    /// It has found no way to where it should be, and does something else for a while.
    pub(super) off_duty_until: ServerTime,
    rise_at: Option<ServerTime>,
    life: i32,
    weapon: i32,
}

/// What a bot has decided.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deed {
    /// What it does.
    pub(super) cmd: UserCmd,
    /// It sees no way on, and ends its life.
    pub(super) despairs: bool,
}

impl Mind {
    /// A bot that has just come.
    pub(super) fn new(num: ClientNum, skill: f32, seed: u64) -> Self {
        Self {
            num,
            skill: Skill::of(skill),
            rng: fastrand::Rng::with_seed(seed),
            senses: Senses::default(),
            goal: None,
            avoided: Avoided::default(),
            route: Route::default(),
            fight: Fight::default(),
            unstick: Unstick::default(),
            sense_at: ServerTime(0),
            decide_at: ServerTime(0),
            tidings: Tidings::default(),
            off_duty_until: ServerTime(0),
            rise_at: None,
            life: -1,
            weapon: 0,
        }
    }

    /// Another level: nothing of the old one holds.
    pub(super) fn begin_level(&mut self) {
        self.life = -1;
        self.route.reset();
        (self.sense_at, self.decide_at, self.off_duty_until) = (ServerTime(0), ServerTime(0), ServerTime(0));
    }

    /// One frame of thought.
    pub(super) fn think(&mut self, scene: &Scene<'_>, search: &mut Search) -> Deed {
        let client = &scene.game.clients[self.num.index()];
        let body = Body {
            ps: client.ps,
            on_ground: client.ps.ground_entity != EntityNum::NONE_ON_WIRE,
            water: scene.game.entities[self.num.entity()].water.level,
            now: scene.game.level.time,
        };
        if client.spectating() || scene.game.level.stage.is_intermission() {
            return Deed::default();
        }
        if client.health() <= 0 {
            return self.lie_dead(scene, search, &body);
        }
        self.begin_life(&body);
        if body.now >= self.sense_at {
            // Not all in one frame.
            self.sense_at = body.now + SENSE_PAUSE;
            self.senses.update(scene, self.num, &self.skill);
            self.fight.choose_enemy(scene, &self.senses, &body);
            self.choose_weapon(scene, &body);
        }
        let mut steering = self.travel(scene, search, &body);
        let on_duty = self.goal.is_some_and(|goal| matches!(goal.what, What::Flag(_)));
        if !steering.strict
            && let Some(dance) = self.fight.dance(
                scene,
                &self.senses,
                &body,
                &self.skill,
                &mut self.rng,
                (steering.wish, on_duty),
            )
        {
            steering = dance;
        }
        self.catch_itself(scene, &body, &mut steering);
        let has_floor = |place: Vec3| scene.graph.is_none_or(|graph| graph.has_floor(place));
        if let Some(wriggle) = self.unstick.watch(&body, &steering, &mut self.rng, has_floor) {
            steering = wriggle;
        }
        if self.unstick.is_hopeless_edge() {
            self.unstick.try_anew();
            self.route.give_up_edge(body.now);
            self.give_up_goal(body.now);
        }
        let despairs = self.unstick.stuck_for(body.now) > HOPELESS;
        Deed { cmd: self.command(scene, &body, &steering), despairs }
    }

    /// Why it is where it is, for the host.
    pub(super) fn report(&self) -> &'static str {
        match (self.fight.enemy, self.goal.map(|goal| goal.what)) {
            (Some(_), _) => "fights",
            (_, Some(What::Thing(_))) => "fetches",
            (_, Some(What::Foe(_))) => "hunts",
            (_, Some(What::Flag(_))) => "flag",
            (_, Some(What::Roam)) => "roams",
            (_, None) => "thinks",
        }
    }

    /// Waits until it comes back. What killed it without a fight is remembered for all.
    fn lie_dead(&mut self, scene: &Scene<'_>, search: &mut Search, body: &Body) -> Deed {
        let by_nobody = scene.game.clients[self.num.index()].life.last_hurt_by.is_none();
        if self.rise_at.is_none()
            && by_nobody
            && self.fight.enemy.is_none()
            && let Some(edge) = self.route.edge()
        {
            search.dread(edge);
        }
        let pause = self.rng.i32(DEAD_FOR.0..DEAD_FOR.1);
        let rise_at = *self.rise_at.get_or_insert(body.now + Millis(pause));
        let mut deed = Deed::default();
        if body.now >= rise_at {
            deed.cmd.buttons = button::ATTACK;
        }
        deed
    }

    fn begin_life(&mut self, body: &Body) {
        let life = body.ps.persistant[pers::SPAWN_COUNT as usize];
        if life == self.life {
            return;
        }
        self.life = life;
        self.rise_at = None;
        self.goal = None;
        self.route.clear();
        self.avoided.clear();
        self.senses = Senses::default();
        self.fight = Fight::default();
        self.unstick = Unstick::default();
        self.sense_at = body.now + Millis(self.num.index() as i32 * 13 % SENSE_PAUSE.0);
    }

    fn choose_weapon(&mut self, scene: &Scene<'_>, body: &Body) {
        let distance = match self.fight.enemy {
            Some(enemy) => scene.game.clients[enemy.index()].ps.origin.distance(body.ps.origin),
            None => 500.0,
        };
        self.weapon = arms::choose(&body.ps, distance);
    }

    /// Where to go, by the goal.
    fn travel(&mut self, scene: &Scene<'_>, search: &mut Search, body: &Body) -> Steering {
        let Some(graph) = scene.graph.filter(|graph| graph.len() > 0) else { return Steering::default() };
        self.check_goal(scene, body);
        let tidings = Tidings::of(scene, body);
        let is_news = std::mem::replace(&mut self.tidings, tidings) != tidings;
        if self.goal.is_none() || is_news || body.now >= self.decide_at {
            self.decide(scene, graph, search, body);
        }
        match self.route.follow(scene, graph, body) {
            Progress::Going(steering) => steering,
            Progress::There => self.arrive(scene, body),
            Progress::Lost => {
                if body.on_ground || body.water >= 2 {
                    self.plan(graph, search, body);
                }
                Steering::default()
            }
        }
    }

    /// Thrown into the air without wanting to, it steers to where there is floor; on foot it brakes what drifts aside.
    fn catch_itself(&self, scene: &Scene<'_>, body: &Body, steering: &mut Steering) {
        if body.water >= 2 {
            return;
        }
        if body.on_ground {
            let drift_ahead = body.ps.origin.mul_add(BRAKING_S, body.ps.velocity);
            let goes_over = |graph: &Graph| !steering.strict && !graph.catches(drift_ahead);
            if scene.graph.is_some_and(goes_over) {
                steering.wish = -vec3(body.ps.velocity.x, body.ps.velocity.y, 0.0).normalized();
                steering.jump = false;
                return;
            }
            let drift = vec3(body.ps.velocity.x, body.ps.velocity.y, 0.0);
            let aside = drift - steering.wish * drift.dot(steering.wish);
            if steering.wish != Vec3::ZERO {
                let corrected = steering.wish.mul_add(-1.2 / body.ps.speed.max(1) as f32, aside);
                steering.wish = corrected.normalized();
            }
            return;
        }
        let Some(graph) = scene.graph.filter(|_| !steering.strict) else { return };
        let Some(landing) = landing(body, body.ps.origin.z - 8.0) else { return };
        if !graph.has_floor(landing)
            && let Some(node) = graph.nearest(landing, 140.0)
            && let Some(wish) = in_flight(body, graph.node(node).origin)
        {
            steering.wish = wish;
        }
    }

    fn decide(&mut self, scene: &Scene<'_>, graph: &Graph, search: &mut Search, body: &Body) {
        // While it flies it cannot change its mind.
        if !body.on_ground && body.water < 2 {
            return;
        }
        let pause = self.rng.i32(THINK_OVER.0 / 2..THINK_OVER.0 * 3 / 2);
        self.decide_at = body.now + Millis(pause);
        let goal = goals::choose(self, scene, graph, body);
        let same = goal.map(|goal| goal.node) == self.route.goal() && goal.is_some();
        self.goal = goal;
        if goal.is_some() && !same {
            self.plan(graph, search, body);
        }
    }

    /// Looks for the way to the goal; without one that it dares to go it gives the goal up.
    fn plan(&mut self, graph: &Graph, search: &mut Search, body: &Body) {
        let planned = self.goal.is_some_and(|goal| {
            let dares = if matches!(goal.what, What::Flag(_)) { DARES_ON_DUTY } else { 0 };
            self.route.plan(graph, search, body, goal.node) && self.route.deaths(search) <= dares
        });
        if !planned {
            self.give_up_goal(body.now);
        }
    }

    /// Notices what is not there any more.
    fn check_goal(&mut self, scene: &Scene<'_>, body: &Body) {
        let Some(Goal { what: What::Thing(thing), .. }) = self.goal else { return };
        let entity = &scene.game.entities[thing];
        let gone = match entity.kind {
            Kind::Item(item) => !item.present,
            _ => true,
        };
        let place = entity.shared.link.origin;
        let near = place.distance(body.ps.origin) < NOTICES_ABSENCE;
        let dropped_and_gone = gone && !matches!(entity.kind, Kind::Item(_));
        if gone && (dropped_and_gone || near && scene.host.in_pvs(body.ps.origin, place, false)) {
            self.avoided.add(thing, body.now + AVOID_FOR);
            self.goal = None;
            self.route.clear();
        }
    }

    /// At the end of the way.
    fn arrive(&mut self, scene: &Scene<'_>, body: &Body) -> Steering {
        let wish = match self.goal.map(|goal| goal.what) {
            Some(What::Thing(thing) | What::Flag(Some(thing))) => {
                // The last steps onto it.
                let offset = scene.game.entities[thing].shared.link.origin - body.ps.origin;
                vec3(offset.x, offset.y, 0.0)
            }
            _ => Vec3::ZERO,
        };
        if wish.length() < 12.0 || self.unstick.stuck_for(body.now) > Millis(1200) {
            self.drop_goal(body.now);
        }
        Steering { wish: wish.normalized(), ..Steering::default() }
    }

    /// It does not get there.
    fn give_up_goal(&mut self, now: ServerTime) {
        if self.goal.is_some_and(|goal| matches!(goal.what, What::Flag(_))) {
            self.off_duty_until = now + OFF_DUTY;
        }
        self.drop_goal(now);
    }

    fn drop_goal(&mut self, now: ServerTime) {
        if let Some(Goal { what: What::Thing(thing), .. }) = self.goal {
            self.avoided.add(thing, now + AVOID_FOR);
        }
        self.goal = None;
        self.route.clear();
    }

    /// The usercmd of this frame.
    fn command(&mut self, scene: &Scene<'_>, body: &Body, steering: &Steering) -> UserCmd {
        let step_s = (scene.game.level.time - scene.game.level.previous_time).0.clamp(1, 200) as f32 * 0.001;
        let straight_on = if steering.wish == Vec3::ZERO {
            vec3(0.0, body.ps.view_angles[YAW], 0.0)
        } else {
            vec3(0.0, vector_to_angles(steering.wish)[YAW], 0.0)
        };
        let look = self.fight.look(scene, &self.senses, body, &self.skill, &mut self.rng);
        let angles = self.turned(body.ps.view_angles, look.unwrap_or(straight_on), step_s);
        let fires = self.fight.fires(scene, &self.senses, body, &self.skill, angles);
        let mut cmd = UserCmd {
            server_time: body.now.0,
            weapon: self.weapon as u8,
            buttons: if fires { button::ATTACK } else { 0 },
            ..UserCmd::default()
        };
        for axis in [PITCH, YAW] {
            cmd.angles[axis] = (angle_to_short(angles[axis]) - body.ps.delta_angles[axis]) & 0xffff;
        }
        let yaw = angles[YAW].to_radians();
        let (forward, right) = (vec3(yaw.cos(), yaw.sin(), 0.0), vec3(yaw.sin(), -yaw.cos(), 0.0));
        let (ahead, aside) = (steering.wish.dot(forward), steering.wish.dot(right));
        let scale = 127.0 / ahead.abs().max(aside.abs()).max(0.01);
        if steering.wish != Vec3::ZERO {
            cmd.forward_move = (ahead * scale) as i8;
            cmd.right_move = (aside * scale) as i8;
        }
        cmd.up_move = match (steering.jump, steering.crouch) {
            (true, _) => 127,
            (_, true) => -127,
            _ => 0,
        };
        if self.wants_medkit(body) {
            cmd.buttons |= button::USE_HOLDABLE;
        }
        cmd
    }

    fn turned(&self, from: Vec3, to: Vec3, step_s: f32) -> Vec3 {
        let mut angles = from;
        for axis in [PITCH, YAW] {
            let left = angle_normalize_180(to[axis] - from[axis]);
            let most = self.skill.turn_speed * step_s;
            let turn = left * (self.skill.turn_gain * step_s).min(1.0);
            angles[axis] = angle_normalize_180(from[axis] + turn.clamp(-most, most));
        }
        angles[PITCH] = angles[PITCH].clamp(-85.0, 85.0);
        angles
    }

    fn wants_medkit(&self, body: &Body) -> bool {
        let held = body.ps.stats[stat::HOLDABLE_ITEM as usize];
        let item = usize::try_from(held).ok().and_then(|at| ITEMS.get(at));
        let is_medkit = item.is_some_and(|i| i.kind == item_type::HOLDABLE && i.tag == holdable::MEDKIT);
        is_medkit && body.ps.stats[stat::HEALTH as usize] < USES_MEDKIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_turns_no_faster_than_its_skill_and_comes_to_rest_where_it_looks() {
        for skill in [1.0, 3.0, 5.0] {
            let mind = Mind::new(ClientNum::new(0).expect("a slot"), skill, 1);
            let (mut angles, to) = (vec3(0.0, 170.0, 0.0), vec3(-20.0, -60.0, 0.0));
            for _ in 0..100 {
                let next = mind.turned(angles, to, 0.05);
                let turned = angle_normalize_180(next[YAW] - angles[YAW]);
                assert!((-0.01..=mind.skill.turn_speed * 0.05 + 0.01).contains(&turned), "{turned}");
                angles = next;
            }
            assert!(angle_normalize_180(angles[YAW] - to[YAW]).abs() < 0.5, "{angles:?}");
            assert!((angles[PITCH] - to[PITCH]).abs() < 0.5, "{angles:?}");
        }
        let mind = Mind::new(ClientNum::new(0).expect("a slot"), 5.0, 1);
        let up =
            (0..100).fold(vec3(0.0, 0.0, 0.0), |angles, _| mind.turned(angles, vec3(-90.0, 0.0, 0.0), 0.05));
        assert_eq!(up[PITCH], -85.0);
    }
}
