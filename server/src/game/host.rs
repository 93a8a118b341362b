//! The engine as a game sees it: every trap of [`Host`], each a line or two of what the engine does anyway.

use super::{EntityTable, Host, Record, SharedEntity};
use crate::clients::Session;
use crate::clients::bans::end_of;
use crate::clients::rate::Pace;
use crate::config::{By, Config};
use crate::engine::Engine;
use crate::json::quote;
use crate::level::Level;
use crate::rewind::cover::Explained;
use crate::telemetry::Phase;
use fogline_common::ids::{ClientNum, ConfigstringNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::UserCmd;
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};
use std::net::{Ipv4Addr, SocketAddr};

/// Bytes of a file that the game may read.
const MAX_TEXT_BYTES: usize = 64 * 1024;

impl Engine {
    /// The running map. The game exists only while there is one.
    fn running(&self) -> &Level {
        self.level.as_ref().expect("the game is called only while a map runs")
    }

    fn running_mut(&mut self) -> &mut Level {
        self.level.as_mut().expect("the game is called only while a map runs")
    }
}

impl Host for Engine {
    fn config(&self) -> &Config {
        self.cvars.config()
    }

    fn set_cvar(&mut self, name: &str, value: &str) {
        match self.cvars.set(name, value, By::Game) {
            Ok(notes) => notes.iter().for_each(|note| self.log.line(note.to_string())),
            Err(error) => self.log.line(error.to_string()),
        }
    }

    fn enter(&mut self, phase: Phase) {
        Self::enter(self, phase);
    }

    fn entity_string(&self) -> &str {
        self.running().world.clip_map().entity_text()
    }

    fn trace(&self, entities: &dyn EntityTable, request: &TraceRequest) -> Trace {
        self.running().world.trace(entities, request)
    }

    fn trace_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        request: &TraceRequest,
    ) -> Trace {
        self.rewind.trace(&self.running().world, shooter, entities, request)
    }

    fn trace_all_as_seen_by(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        rays: &[TraceRequest],
        traces: &mut [Trace],
    ) {
        self.rewind.trace_all(&self.running().world, shooter, entities, rays, traces);
    }

    fn explain_shot(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        victim: ClientNum,
    ) -> Option<Explained> {
        self.rewind.explain(&self.running().world, shooter, entities, victim)
    }

    fn fired_before(&self, shooter: ClientNum, moment: ServerTime) -> bool {
        self.rewind.was_drawn_before(shooter, moment)
    }

    fn age_of_command(&self, client: ClientNum) -> Millis {
        self.rewind.age_of_command(client)
    }

    fn trace_still(&self, request: &TraceRequest, solid: &[SharedEntity]) -> Trace {
        self.running().world.trace_still(request, solid)
    }

    fn point_contents(&self, entities: &dyn EntityTable, point: Vec3, pass: Option<EntityNum>) -> i32 {
        self.running().world.point_contents(entities, point, pass)
    }

    fn link(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.running_mut().world.link(num, entity);
    }

    fn unlink(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.running_mut().world.unlink(num, entity);
    }

    fn set_brush_model(&self, entity: &mut SharedEntity, model: usize) -> Result<(), String> {
        self.running().world.set_brush_model(entity, model)
    }

    fn entities_in_box(&self, entities: &dyn EntityTable, bounds: &Bounds, found: &mut Vec<EntityNum>) {
        self.running().world.entities_in_box(entities, bounds, found);
    }

    fn touches(&self, entity: &SharedEntity, bounds: &Bounds) -> bool {
        self.running().world.touches(entity, bounds)
    }

    fn in_pvs(&self, a: Vec3, b: Vec3, through_doors: bool) -> bool {
        self.running().world.in_pvs(a, b, through_doors)
    }

    fn adjust_area_portal(&mut self, num: EntityNum, open: bool) {
        self.running_mut().world.adjust_area_portal(num, open);
    }

    fn configstring(&self, num: ConfigstringNum) -> &str {
        self.running().configstrings.get(num)
    }

    fn set_configstring(&mut self, num: ConfigstringNum, text: &str) {
        Self::set_configstring(self, num, text);
    }

    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str) {
        self.send_command(to, text);
    }

    fn ban_address(&mut self, address: &str, minutes: i32, reason: &str) {
        let ip = address.parse::<SocketAddr>().map(|address| address.ip()).or_else(|_| address.parse());
        if let Ok(ip) = ip {
            self.bans.add(ip, end_of(self.now, minutes), reason, self.now);
        }
    }

    fn read_text(&self, path: &str) -> Option<String> {
        let bytes = self.files.read(path).ok().filter(|bytes| bytes.len() <= MAX_TEXT_BYTES)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn maps(&self) -> Vec<String> {
        let name = |path: &String| path.strip_prefix("maps/")?.strip_suffix(".bsp").map(str::to_owned);
        self.files.list("maps", ".bsp").iter().filter_map(name).collect()
    }

    fn add_bot(&mut self, userinfo: &str) -> Result<ClientNum, String> {
        let config = self.cvars.config();
        let private = config.sv_privateclients.clamp(0, config.sv_maxclients).unsigned_abs() as usize;
        let free = self
            .clients
            .free_slot(private)
            .ok_or_else(|| format!("Every slot is taken: sv_maxclients is {}.", self.clients.capacity()))?;
        self.rewind.forget(free);
        let pace = Pace::from_userinfo(userinfo, Ipv4Addr::UNSPECIFIED.into(), config);
        self.clients.insert(Session::bot(free, userinfo.to_owned(), pace, self.now));
        Ok(free)
    }

    fn drop_client(&mut self, client: ClientNum, reason: &str) {
        self.drops.push((client, reason.to_owned()));
    }

    fn userinfo(&self, client: ClientNum) -> &str {
        self.clients.get(client).map_or("", |session| &session.userinfo)
    }

    fn set_userinfo(&mut self, client: ClientNum, info: &str) {
        if let Some(session) = self.clients.get_mut(client) {
            info.clone_into(&mut session.userinfo);
        }
    }

    fn last_usercmd(&self, client: ClientNum) -> UserCmd {
        self.clients.get(client).map(|session| session.last_usercmd).unwrap_or_default()
    }

    fn ping(&self, client: ClientNum) -> i32 {
        self.clients.get(client).map_or(0, Session::shown_ping)
    }

    fn queue_console(&mut self, text: &str) {
        self.commands.queue(text);
    }

    fn print(&mut self, line: &str) {
        self.log.line(line);
    }

    fn log_game(&mut self, record: &Record) {
        let level = self.running();
        let (passed, map) = (level.time - level.started, &level.name);
        let seconds = passed.0 / 1000;
        let stamped = format!("{:3}:{:02} {}", seconds / 60, seconds % 60, record.line());
        if !self.cvars.config().g_logjson.is_empty()
            && let Some(fields) = record.fields()
        {
            let mut text = format!("{{\"time_ms\":{},\"map\":", passed.0);
            quote(&mut text, map);
            text.extend([",", fields, "}"]);
            self.game_log_json.line(text);
        }
        self.log.line(record.line());
        self.game_log.line(stamped);
    }
}
