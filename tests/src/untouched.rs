//! A game that is watched while it shoots: whether judging a shot in the past leaves the present as it was.
//!
//! It passes every call on, and compares the whole world before and after each question about what a shooter saw: all entities,
//! what is linked where, and what sweeps through the present meet.

use fogline_common::ids::{ClientNum, ConfigstringNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::{PlayerState, UserCmd, mask};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};
use fogline_server::config::Config;
use fogline_server::game::{EntityTable, Game, Host, Record, SharedEntity};
use fogline_server::rewind::cover::Explained;
use fogline_server::telemetry::Phase;
use std::sync::{Arc, Mutex};

/// Probes reach this far from the muzzle. Unit: world units.
const PROBE_REACH: f32 = 2000.0;
/// Weapons, by number.
const WEAPONS: usize = 16;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Shots judged, by weapon number.
    pub shots: [u32; WEAPONS],
    /// Those after which the world was another.
    pub disturbed: u32,
    /// Those to which the same question, asked again and backwards, got another answer.
    pub fickle: u32,
}

/// A game whose shots are watched.
#[derive(Debug)]
pub struct Untouched<G> {
    inner: G,
    looks: Arc<Mutex<Looks>>,
}

impl<G: Game> Untouched<G> {
    /// Around a game, and where it is counted.
    pub fn new(inner: G) -> (Self, Arc<Mutex<Looks>>) {
        let looks = Arc::new(Mutex::new(Looks::default()));
        (Self { inner, looks: looks.clone() }, looks)
    }
}

/// The engine, with an eye on it.
struct Looking<'a> {
    inner: &'a mut dyn Host,
    looks: &'a Mutex<Looks>,
}

/// Everything that a shot could have moved.
#[derive(PartialEq)]
struct Present {
    entities: Vec<SharedEntity>,
    linked: Vec<EntityNum>,
    probes: Vec<Trace>,
}

impl Looking<'_> {
    fn present(&self, entities: &dyn EntityTable, from: Vec3) -> Present {
        let everywhere = Bounds::new(Vec3::splat(-65536.0), Vec3::splat(65536.0));
        let mut linked = Vec::new();
        self.inner.entities_in_box(entities, &everywhere, &mut linked);
        let ways = [-1.0, 0.0, 1.0].into_iter().flat_map(|x| [-1.0, 1.0].map(|y| vec3(x, y, 0.1 * x - 0.05)));
        let probe = |way: Vec3| TraceRequest::ray(from, from + way * PROBE_REACH, mask::SHOT, None);
        Present {
            entities: (0..entities.len()).map_while(EntityNum::new).map(|num| entities.get(num)).collect(),
            linked,
            probes: ways.map(|way| self.inner.trace(entities, &probe(way))).collect(),
        }
    }

    fn ask(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        rays: &[TraceRequest],
        traces: &mut [Trace],
    ) {
        let Some(first) = rays.first() else { return };
        let before = self.present(entities, first.start);
        self.inner.trace_all_as_seen_by(shooter, entities, rays, traces);
        let disturbed = before != self.present(entities, first.start);
        let again = rays
            .iter()
            .zip(&*traces)
            .rev()
            .filter(|(ray, trace)| self.inner.trace_as_seen_by(shooter, entities, ray) != **trace);
        let fickle = again.count() > 0;
        let weapon = entities.get(shooter.entity()).state.weapon as usize % WEAPONS;
        let mut looks = self.looks.lock().expect("nobody panics with it");
        looks.shots[weapon] += 1;
        looks.disturbed += u32::from(disturbed);
        looks.fickle += u32::from(fickle);
    }
}

impl Host for Looking<'_> {
    fn trace_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        request: &TraceRequest,
    ) -> Trace {
        let mut trace = [Trace::clear(request.end)];
        self.ask(shooter, entities, std::slice::from_ref(request), &mut trace);
        trace[0]
    }
    fn trace_all_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        rays: &[TraceRequest],
        traces: &mut [Trace],
    ) {
        self.ask(shooter, entities, rays, traces);
    }
    fn config(&self) -> &Config {
        self.inner.config()
    }
    fn set_cvar(&mut self, name: &str, value: &str) {
        self.inner.set_cvar(name, value);
    }
    fn enter(&mut self, phase: Phase) {
        self.inner.enter(phase);
    }
    fn entity_string(&self) -> &str {
        self.inner.entity_string()
    }
    fn trace(&self, entities: &dyn EntityTable, request: &TraceRequest) -> Trace {
        self.inner.trace(entities, request)
    }
    fn explain_shot(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        victim: ClientNum,
    ) -> Option<Explained> {
        self.inner.explain_shot(shooter, entities, victim)
    }
    fn fired_before(&self, shooter: ClientNum, moment: ServerTime) -> bool {
        self.inner.fired_before(shooter, moment)
    }
    fn age_of_command(&self, client: ClientNum) -> Millis {
        self.inner.age_of_command(client)
    }
    fn trace_still(&self, request: &TraceRequest, solid: &[SharedEntity]) -> Trace {
        self.inner.trace_still(request, solid)
    }
    fn point_contents(&self, entities: &dyn EntityTable, point: Vec3, pass: Option<EntityNum>) -> i32 {
        self.inner.point_contents(entities, point, pass)
    }
    fn link(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.inner.link(num, entity);
    }
    fn unlink(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.inner.unlink(num, entity);
    }
    fn set_brush_model(&self, entity: &mut SharedEntity, model: usize) -> Result<(), String> {
        self.inner.set_brush_model(entity, model)
    }
    fn entities_in_box(&self, entities: &dyn EntityTable, bounds: &Bounds, found: &mut Vec<EntityNum>) {
        self.inner.entities_in_box(entities, bounds, found);
    }
    fn touches(&self, entity: &SharedEntity, bounds: &Bounds) -> bool {
        self.inner.touches(entity, bounds)
    }
    fn in_pvs(&self, a: Vec3, b: Vec3, through_doors: bool) -> bool {
        self.inner.in_pvs(a, b, through_doors)
    }
    fn adjust_area_portal(&mut self, num: EntityNum, open: bool) {
        self.inner.adjust_area_portal(num, open);
    }
    fn configstring(&self, num: ConfigstringNum) -> &str {
        self.inner.configstring(num)
    }
    fn set_configstring(&mut self, num: ConfigstringNum, text: &str) {
        self.inner.set_configstring(num, text);
    }
    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str) {
        self.inner.send_server_command(to, text);
    }
    fn ban_address(&mut self, address: &str, minutes: i32, reason: &str) {
        self.inner.ban_address(address, minutes, reason);
    }
    fn read_text(&self, path: &str) -> Option<String> {
        self.inner.read_text(path)
    }
    fn maps(&self) -> Vec<String> {
        self.inner.maps()
    }
    fn add_bot(&mut self, userinfo: &str) -> Result<ClientNum, String> {
        self.inner.add_bot(userinfo)
    }
    fn drop_client(&mut self, client: ClientNum, reason: &str) {
        self.inner.drop_client(client, reason);
    }
    fn userinfo(&self, client: ClientNum) -> &str {
        self.inner.userinfo(client)
    }
    fn set_userinfo(&mut self, client: ClientNum, info: &str) {
        self.inner.set_userinfo(client, info);
    }
    fn last_usercmd(&self, client: ClientNum) -> UserCmd {
        self.inner.last_usercmd(client)
    }
    fn ping(&self, client: ClientNum) -> i32 {
        self.inner.ping(client)
    }
    fn queue_console(&mut self, text: &str) {
        self.inner.queue_console(text);
    }
    fn print(&mut self, line: &str) {
        self.inner.print(line);
    }
    fn log_game(&mut self, record: &Record) {
        self.inner.log_game(record);
    }
}

impl<G: Game> Game for Untouched<G> {
    fn init(&mut self, host: &mut dyn Host, level_time: ServerTime, seed: u32, restart: bool) {
        self.inner.init(host, level_time, seed, restart);
    }
    fn shutdown(&mut self, host: &mut dyn Host, restart: bool) {
        self.inner.shutdown(host, restart);
    }
    fn client_connect(
        &mut self,
        host: &mut dyn Host,
        client: ClientNum,
        first_time: bool,
        is_bot: bool,
    ) -> Result<(), String> {
        self.inner.client_connect(host, client, first_time, is_bot)
    }
    fn client_begin(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.inner.client_begin(host, client);
    }
    fn client_userinfo_changed(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.inner.client_userinfo_changed(host, client);
    }
    fn client_disconnect(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.inner.client_disconnect(host, client);
    }
    fn client_command(&mut self, host: &mut dyn Host, client: ClientNum, args: &[&str]) {
        self.inner.client_command(host, client, args);
    }
    fn console_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool {
        self.inner.console_command(host, args)
    }
    fn client_think(&mut self, host: &mut dyn Host, client: ClientNum, cmd: &UserCmd) {
        self.inner.client_think(&mut Looking { inner: host, looks: &self.looks }, client, cmd);
    }
    fn run_frame(&mut self, host: &mut dyn Host, level_time: ServerTime) {
        self.inner.run_frame(&mut Looking { inner: host, looks: &self.looks }, level_time);
    }
    fn entities(&self) -> &dyn EntityTable {
        self.inner.entities()
    }
    fn player_state(&self, client: ClientNum) -> PlayerState {
        self.inner.player_state(client)
    }
}
