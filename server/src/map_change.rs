//! Loading a map, restarting it, ending it.

use crate::config::By;
use crate::downloads::offer::Offers;
use crate::level::Level;
use crate::map_shaders;
use crate::server::Server;
use crate::snapshot::sounds::Voices;
use crate::world::World;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ConfigstringNum, EntityNum};
use fogline_common::openarena::configstring;
use fogline_common::portal_surfaces::PortalSurfaces;
use fogline_common::time::{Millis, ServerTime};
use std::sync::Arc;

/// Frames that run before anybody is told of the new world, so that movers and dropped items have come to rest.
const SETTLE_FRAMES: i32 = 3;
/// Server time of one of them.
const SETTLE_STEP: Millis = Millis(100);
/// Numbers of maps stay below this, so that the scramble of a client's packets stays decodable (facts page, section 4).
const MAX_SERVER_ID: i32 = 1 << 24;

impl Server {
    /// Changes to another map. On any error the running match goes on.
    ///
    /// # Errors
    /// The sentence for the host: which file, and what is wrong with it.
    pub fn load_map(&mut self, name: &str, cheats: bool) -> Result<(), String> {
        let path = format!("maps/{name}.bsp");
        let bytes = self.engine.files.read(&path).map_err(|error| error.to_string())?;
        let bsp = Bsp::parse(&bytes).map_err(|error| format!("{path}: {error}"))?;
        let (glass, portals, unread) = map_shaders::of_map(self.engine.files.as_ref(), name);
        let clip = ClipMap::build_with(&bsp, &glass).map_err(|error| format!("{path}: {error}"))?;
        self.engine.cvars.begin_map(name, cheats).map_err(|error| error.to_string())?;
        let before = self.engine.level.as_ref().map(|level| level.offers.clone()).unwrap_or_default();
        let (offers, notes) =
            Offers::of_map(self.engine.files.as_ref(), &path, self.engine.cvars.config(), &before);
        notes.iter().chain(&unread).for_each(|note| self.engine.log.line(note));
        if clip.glass_count() > 0 {
            let (count, list) = (clip.glass_count(), map_shaders::list_of(name));
            self.engine.log.line(format!(
                "{name}: {count} solids are seen through, so they hide nobody (shader scripts, {list})"
            ));
        }
        let world = World::new(Arc::new(clip)).with_portal_surfaces(PortalSurfaces::of(&bsp, &portals));
        self.start_level(name, world, offers);
        Ok(())
    }

    fn start_level(&mut self, name: &str, world: World, offers: Offers) {
        let old_time = self.end_level();
        self.resize_clients();
        // Before anything of the new map is set: a client that still plays the old one must not be told of it piece by piece,
        // the new server id least of all, by which we know who has the new gamestate.
        for num in self.engine.clients.nums() {
            if let Some(session) = self.engine.clients.get_mut(num).filter(|session| !session.is_zombie()) {
                session.begin_map(old_time);
            }
        }
        let server_id = self.next_server_id();
        let feed = self.rng.i32(1..i32::MAX);
        let fps = self.engine.cvars.config().sv_fps;
        for (name, value) in
            [("sv_referencedPaks", offers.checksums()), ("sv_referencedPakNames", offers.names())]
        {
            if let Err(error) = self.engine.cvars.set(name, &value, By::Engine) {
                self.engine.log.line(error.to_string());
            }
        }
        let level = Level::new(name, world, server_id, feed, fps);
        self.engine.level = Some(Level { offers, ..level });
        self.builder.linger.clear();
        self.recall.clear();
        // The veto is the map's own.
        if let Err(error) = self.engine.cvars.set("g_netoptimize", "1", By::Engine) {
            self.engine.log.line(error.to_string());
        }
        self.pacer_restart();
        self.engine.rewind.begin_match();
        self.publish_info();
        let seed = self.rng.u32(..);
        self.game.init(&mut self.engine, ServerTime(0), seed, false);
        self.learn_voices();
        self.run_settle_frames();
        self.make_baselines();
        for num in self.engine.clients.nums() {
            let Some(session) = self.engine.clients.get(num).filter(|session| !session.is_zombie()) else {
                continue;
            };
            let is_bot = session.is_bot;
            if let Err(reason) = self.game.client_connect(&mut self.engine, num, false, is_bot) {
                self.drop_client(num, &reason);
            } else if is_bot {
                // It has nothing to load.
                self.enter_world(num, None);
            }
        }
        self.settle();
        self.run_one_settle_frame();
        self.publish_info();
        if let Some(warning) = self.engine.level.as_ref().and_then(|level| level.configstrings.size_warning())
        {
            self.engine.log.line(warning);
        }
        self.server_count ^= true;
        self.engine.log.line(format!("map {name} is running"));
    }

    /// Starts the same map again without a new gamestate: nobody loads anything.
    pub fn restart_map(&mut self) {
        let Some(level) = &self.engine.level else { return };
        let time = level.time;
        self.restart_at = None;
        let server_id = self.next_server_id();
        self.game.shutdown(&mut self.engine, true);
        self.engine.cvars.swap();
        let Some(level) = &mut self.engine.level else { return };
        level.server_id = server_id;
        level.started = time;
        level.world.clear();
        self.engine.rewind.begin_match();
        self.server_count ^= true;
        self.publish_info();
        let seed = self.rng.u32(..);
        self.game.init(&mut self.engine, time, seed, true);
        self.learn_voices();
        self.run_settle_frames();
        for num in self.engine.clients.nums() {
            let Some(session) = self.engine.clients.get(num).filter(|session| !session.is_zombie()) else {
                continue;
            };
            let (active, is_bot, last) = (session.is_active(), session.is_bot, session.last_usercmd);
            self.engine.send_command(Some(num), "map_restart\n");
            if let Err(reason) = self.game.client_connect(&mut self.engine, num, false, is_bot) {
                self.drop_client(num, &reason);
            } else if active {
                self.enter_world(num, Some(&last));
            }
        }
        self.settle();
        self.run_one_settle_frame();
    }

    /// Restarts the map at once, or when `delay` has passed; clients are shown when.
    ///
    /// # Errors
    /// If no map is running.
    pub(crate) fn schedule_restart(&mut self, delay: Millis) -> Result<(), String> {
        let Some(level) = &self.engine.level else { return Err("No map is running.".to_owned()) };
        if delay <= Millis(0) {
            self.restart_map();
            return Ok(());
        }
        let at = level.time + delay;
        self.restart_at = Some(at);
        if let Some(warmup) = ConfigstringNum::new(usize::from(configstring::WARMUP)) {
            self.engine.set_configstring(warmup, &at.0.to_string());
        }
        self.settle();
        Ok(())
    }

    /// Whether the delay of a `map_restart` is over.
    pub(crate) fn restart_is_due(&self) -> bool {
        let level = self.engine.level.as_ref();
        level.zip(self.restart_at).is_some_and(|(level, at)| level.time >= at)
    }

    /// Sends everybody away and ends the running map; the program stays.
    pub(crate) fn end_match(&mut self, reason: &str) {
        self.say_goodbye(reason);
        for num in self.engine.clients.nums() {
            if self.engine.clients.get(num).is_some_and(|session| !session.is_zombie()) {
                self.game.client_disconnect(&mut self.engine, num);
            }
            self.engine.clients.free(num);
        }
        self.engine.drops.clear();
        self.end_level();
        self.engine.cvars.end_map();
    }

    /// Ends the running map; clients stay connected. Returns the time it had reached.
    pub(crate) fn end_level(&mut self) -> ServerTime {
        let Some(level) = &self.engine.level else { return ServerTime(0) };
        let time = level.time;
        self.engine.recordings.end_all();
        self.game.shutdown(&mut self.engine, false);
        self.engine.level = None;
        self.restart_at = None;
        time
    }

    /// Which sounds the game has given to its clients.
    fn learn_voices(&mut self) {
        let Some(level) = &self.engine.level else { return };
        let sound = |index: u8| {
            let num = ConfigstringNum::new(usize::from(configstring::SOUNDS) + usize::from(index))?;
            Some((index, level.configstrings.get(num)))
        };
        self.builder.voices = Voices::among((1..=u8::MAX).filter_map(sound));
    }

    fn run_settle_frames(&mut self) {
        for _ in 0..SETTLE_FRAMES {
            self.run_one_settle_frame();
        }
    }

    fn run_one_settle_frame(&mut self) {
        let Some(level) = &mut self.engine.level else { return };
        let time = level.time;
        level.time += SETTLE_STEP;
        self.game.run_frame(&mut self.engine, time);
        self.settle();
    }

    /// The states that deltas of new entities start from: whatever is linked now, players aside. Source: `SV_CreateBaseline`.
    fn make_baselines(&mut self) {
        let Some(level) = &mut self.engine.level else { return };
        let entities = self.game.entities();
        for raw in self.engine.clients.capacity()..entities.len() {
            let Some(num) = EntityNum::new(raw) else { break };
            if level.world.record(num).is_some() {
                level.baselines[raw] = entities.get(num).state;
            }
        }
    }

    /// A number that no client can hold from before, not even from an earlier run of the server.
    fn next_server_id(&mut self) -> i32 {
        self.last_server_id =
            if self.last_server_id + 1 >= MAX_SERVER_ID { 1 } else { self.last_server_id + 1 };
        self.last_server_id
    }

    /// Brings the serverinfo and systeminfo configstrings up to date, where they changed.
    pub(crate) fn publish_info(&mut self) {
        let Some(level) = &self.engine.level else { return };
        let server_id = level.server_id;
        if let Err(error) = self.engine.cvars.set("sv_serverid", &server_id.to_string(), By::Engine) {
            self.engine.log.line(error.to_string());
        }
        self.engine.cvars.swap();
        let serverinfo = self.engine.cvars.serverinfo();
        let systeminfo = self.engine.cvars.systeminfo();
        self.engine.set_configstring(ConfigstringNum::SERVERINFO, &serverinfo);
        self.engine.set_configstring(ConfigstringNum::SYSTEMINFO, &systeminfo);
    }
}
