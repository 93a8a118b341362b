//! What hosts typed: parsed, clamped, latched or refused, and handed over as a whole [`Config`] at [`Cvars::swap`].

use super::answer::{CvarError, Note};
use super::cvars::{ALIASES, Config, Entry, TABLE};
use super::flags::Flags;
use super::info::Info;
use super::rules;
use std::collections::BTreeMap;

/// Cvars that hosts may make besides the table.
pub(super) const MAX_USER_CVARS: usize = 1024;
/// Bytes of a name.
pub(super) const MAX_NAME_BYTES: usize = 63;
/// Bytes of a value.
const MAX_VALUE_BYTES: usize = 4096;

/// Who changes a cvar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The host's own console, files and command line.
    Host,
    /// A remote console.
    Rcon,
    /// The rules of the game: may write what is read only.
    Game,
    /// The server itself: no protection holds, only the range.
    Engine,
}

/// Which strings that clients hold went stale at a swap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Anything at all changed.
    pub any: bool,
    /// The serverinfo string changed.
    pub serverinfo: bool,
    /// The systeminfo string changed.
    pub systeminfo: bool,
}

/// One cvar as the console sees it.
#[derive(Clone, Debug)]
pub struct Var {
    name: String,
    value: String,
    latched: Option<String>,
    default: String,
    flags: Flags,
    entry: Option<&'static Entry>,
}

impl Var {
    /// The name as it is shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value now, as text.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The value from the next map on, if another one waits.
    pub fn latched(&self) -> Option<&str> {
        self.latched.as_deref()
    }

    /// The value after `reset`.
    pub fn default(&self) -> &str {
        &self.default
    }

    /// Its properties.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Its entry of the table, if it has one.
    pub fn entry(&self) -> Option<&'static Entry> {
        self.entry
    }
}

/// Every cvar, and the [`Config`] that is in force.
///
/// A change is seen by the console at once, and by the server after the next [`Cvars::swap`].
pub struct Cvars {
    vars: BTreeMap<String, Var>,
    user_count: usize,
    config: Config,
    /// What `config` becomes at the next swap.
    next: Config,
    changes: Changes,
    archive_changed: bool,
    /// The command line has been taken; [`Flags::INIT`] holds.
    sealed: bool,
    /// A map is up; [`Flags::LATCH`] and [`Flags::CHEAT`] hold.
    running: bool,
}

impl Default for Cvars {
    fn default() -> Self {
        let vars = TABLE.iter().map(|entry| {
            let default = entry.kind.default_text();
            let var = Var {
                name: entry.name.to_owned(),
                value: default.clone(),
                latched: None,
                default,
                flags: entry.flags,
                entry: Some(entry),
            };
            (entry.name.to_ascii_lowercase(), var)
        });
        Self {
            vars: vars.collect(),
            user_count: 0,
            config: Config::default(),
            next: Config::default(),
            changes: Changes::default(),
            archive_changed: false,
            sealed: false,
            running: false,
        }
    }
}

impl Cvars {
    /// Every cvar at its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Step 1 of a frame: what was set since the last swap becomes true. Costs nothing if nothing was set.
    pub fn swap(&mut self) -> Changes {
        if !self.changes.any {
            return Changes::default();
        }
        self.config.clone_from(&self.next);
        std::mem::take(&mut self.changes)
    }

    /// The command line has been taken: from now on [`Flags::INIT`] protects.
    pub fn seal(&mut self) {
        self.sealed = true;
        self.swap();
    }

    /// A map starts: latched values become true, cheats are as given, and cheat cvars fall back to their defaults without
    /// them. Swaps, so that [`Cvars::config`] is the map's own from here on.
    ///
    /// # Errors
    /// If the map's name cannot travel in serverinfo; nothing is changed then.
    pub fn begin_map(&mut self, mapname: &str, cheats: bool) -> Result<Changes, CvarError> {
        self.set("mapname", mapname, By::Engine)?;
        let latched: Vec<String> =
            self.vars.iter().filter(|(_, var)| var.latched.is_some()).map(|(key, _)| key.clone()).collect();
        for key in latched {
            let value = self.vars.get_mut(&key).and_then(|var| var.latched.take());
            self.apply(&key, value.unwrap_or_default());
        }
        if !cheats {
            let changed = |var: &Var| var.flags.has(Flags::CHEAT) && var.value != var.default;
            let stale: Vec<(String, String)> = self
                .vars
                .iter()
                .filter(|(_, var)| changed(var))
                .map(|(key, var)| (key.clone(), var.default.clone()))
                .collect();
            for (key, default) in stale {
                self.apply(&key, default);
            }
        }
        self.set_engine("sv_cheats", if cheats { "1" } else { "0" });
        self.set_engine("sv_running", "1");
        self.running = true;
        Ok(self.swap())
    }

    /// The match is over and no map is up: latched values are set directly again.
    pub fn end_map(&mut self) {
        self.running = false;
        self.set_engine("sv_running", "0");
        self.swap();
    }

    /// The cvar, or `None` if nobody made it.
    pub fn get(&self, name: &str) -> Option<&Var> {
        self.vars.get(&key_of(name))
    }

    /// Every cvar by name.
    pub fn iter(&self) -> impl Iterator<Item = &Var> {
        self.vars.values()
    }

    /// Sets a cvar of the server's own to a value that cannot be refused.
    fn set_engine(&mut self, name: &str, value: &str) {
        let done = self.set(name, value, By::Engine);
        assert!(done.is_ok(), "{name}: {done:?}");
    }

    /// Sets a cvar, or makes it.
    ///
    /// # Errors
    /// [`CvarError`]; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str, by: By) -> Result<Vec<Note>, CvarError> {
        self.set_flagged(name, value, Flags::NONE, by)
    }

    /// [`Cvars::set`], and marks the cvar with `mark` (archive, serverinfo, userinfo).
    ///
    /// # Errors
    /// [`CvarError`]; nothing is changed then.
    pub fn set_flagged(
        &mut self,
        name: &str,
        value: &str,
        mark: Flags,
        by: By,
    ) -> Result<Vec<Note>, CvarError> {
        check_name(name)?;
        check_value(name, value)?;
        let key = key_of(name);
        let Some(var) = self.vars.get(&key) else {
            return self.make(key, name, value, mark).map(|()| Vec::new());
        };
        let flags = var.flags.union(mark);
        let name = var.name.clone();
        let (value, mut notes) = accept(var, value)?;
        // Stays what it is: nothing to protect, and a waiting value is given up.
        if value == var.value {
            self.mark(&key, flags)?;
            if let Some(var) = self.vars.get_mut(&key) {
                var.latched = None;
            }
            return Ok(notes);
        }
        if let Some(why) = self.protection(var.flags, by) {
            return Err(CvarError::Protected { name, why });
        }
        if let Some(sentence) = var.entry.and_then(|entry| rules::refusal(entry.name, &value)) {
            return Err(CvarError::Refused(sentence));
        }
        self.check_info(&name, &value, flags)?;
        notes.extend(rules::advice(&name, &value).map(Note::Advice));
        self.mark(&key, flags)?;
        if flags.has(Flags::LATCH) && self.running && by != By::Engine {
            notes.push(Note::Latched { name, value: value.clone() });
            self.archive_changed |= flags.has(Flags::ARCHIVE);
            if let Some(var) = self.vars.get_mut(&key) {
                var.latched = Some(value);
            }
        } else {
            self.apply(&key, value);
        }
        Ok(notes)
    }

    /// Takes back a cvar that a host made.
    ///
    /// # Errors
    /// If there is none, or if it is of the table.
    pub fn unset(&mut self, name: &str) -> Result<(), CvarError> {
        let key = key_of(name);
        let var = self.vars.get(&key).ok_or_else(|| CvarError::Unknown(name.to_owned()))?;
        if var.entry.is_some() {
            let why = "belongs to the server and can only be reset";
            return Err(CvarError::Protected { name: var.name.clone(), why });
        }
        self.note_change(var.flags);
        self.vars.remove(&key);
        self.user_count -= 1;
        Ok(())
    }

    /// The archive file: every cvar marked for it that is not at its default. Reading it back sets the same values.
    pub fn archive(&self) -> String {
        let mut text =
            String::from("// Written by Fogline when it ends; your own lines belong into autoexec.cfg.\n");
        // What a file cannot set stays out, even if somebody marked it with seta.
        let kept = |var: &&Var| var.flags.has(Flags::ARCHIVE) && !var.flags.has(Flags::ROM | Flags::INIT);
        for var in self.vars.values().filter(kept) {
            let value = var.latched.as_ref().unwrap_or(&var.value);
            if var.entry.is_none() || *value != var.default {
                text.extend(["seta ", &var.name, " \"", value, "\"\n"]);
            }
        }
        text
    }

    /// Whether the archive changed since this was last asked.
    pub fn take_archive_changed(&mut self) -> bool {
        std::mem::take(&mut self.archive_changed)
    }

    fn make(&mut self, key: String, name: &str, value: &str, mark: Flags) -> Result<(), CvarError> {
        if self.user_count >= MAX_USER_CVARS {
            return Err(CvarError::TooMany(name.to_owned()));
        }
        self.check_info(name, value, mark)?;
        let flags = mark.union(Flags::USER);
        self.note_change(flags);
        self.user_count += 1;
        let var = Var {
            name: name.to_owned(),
            value: value.to_owned(),
            latched: None,
            default: value.to_owned(),
            flags,
            entry: None,
        };
        self.vars.insert(key, var);
        Ok(())
    }

    fn mark(&mut self, key: &str, flags: Flags) -> Result<(), CvarError> {
        let Some(var) = self.vars.get(key).filter(|var| var.flags != flags) else { return Ok(()) };
        self.check_info(&var.name, &var.value, flags)?;
        self.note_change(flags);
        if let Some(var) = self.vars.get_mut(key) {
            var.flags = flags;
        }
        Ok(())
    }

    /// What keeps `by` from changing a cvar of these flags, if anything does.
    fn protection(&self, flags: Flags, by: By) -> Option<&'static str> {
        if matches!(by, By::Engine | By::Game) {
            return None;
        }
        if flags.has(Flags::ROM) {
            Some("is read only")
        } else if flags.has(Flags::LOCAL) && by == By::Rcon {
            Some("can be changed at the host's own console only")
        } else if flags.has(Flags::INIT) && self.sealed {
            Some("can be given on the command line only")
        } else if flags.has(Flags::CHEAT) && self.running && !self.next.sv_cheats {
            Some("is a cheat: start the map with devmap")
        } else {
            None
        }
    }

    fn check_info(&self, name: &str, value: &str, flags: Flags) -> Result<(), CvarError> {
        for info in Info::BOTH.into_iter().filter(|info| flags.has(info.flag())) {
            if value.contains(['\\', ';']) {
                let why = format!("{name} travels in {} and may hold neither \\ nor ;", info.name());
                return Err(CvarError::BadValue(why));
            }
            let (bytes, limit) = (self.info_bytes_with(info, name, value), info.limit());
            if bytes > limit {
                return Err(CvarError::InfoFull { name: name.to_owned(), info: info.name(), bytes, limit });
            }
        }
        Ok(())
    }

    fn apply(&mut self, key: &str, value: String) {
        let Some(var) = self.vars.get_mut(key) else { return };
        if let Some(entry) = var.entry {
            entry.kind.store(&mut self.next, &value);
        }
        var.value = value;
        var.latched = None;
        let flags = var.flags;
        self.note_change(flags);
    }

    fn note_change(&mut self, flags: Flags) {
        self.changes.any = true;
        self.changes.serverinfo |= flags.has(Flags::SERVERINFO);
        self.changes.systeminfo |= flags.has(Flags::SYSTEMINFO);
        self.archive_changed |= flags.has(Flags::ARCHIVE);
    }
}

fn key_of(name: &str) -> String {
    let key = name.to_ascii_lowercase();
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, target)| (*target).to_owned())
}

fn check_name(name: &str) -> Result<(), CvarError> {
    let fits = (1..=MAX_NAME_BYTES).contains(&name.len());
    let plain = name.bytes().all(|b| b.is_ascii_graphic() && !b"\\\";/".contains(&b));
    if fits && plain { Ok(()) } else { Err(CvarError::BadName(name.escape_debug().take(80).collect())) }
}

fn check_value(name: &str, value: &str) -> Result<(), CvarError> {
    if value.len() > MAX_VALUE_BYTES {
        let why = format!("{name} may have {MAX_VALUE_BYTES} bytes, this would be {}", value.len());
        return Err(CvarError::BadValue(why));
    }
    if value.contains(|c: char| c.is_control() || c == '"') {
        let why = format!("{name} may hold no quote and no control character");
        return Err(CvarError::BadValue(why));
    }
    Ok(())
}

/// The value in the form in which it is kept.
fn accept(var: &Var, asked: &str) -> Result<(String, Vec<Note>), CvarError> {
    let Some(entry) = var.entry else { return Ok((asked.to_owned(), Vec::new())) };
    let Some(canonical) = entry.kind.canonical(asked) else {
        let (name, asked, kept) = (var.name.clone(), asked.to_owned(), var.value.clone());
        return Err(CvarError::NotANumber { name, asked, kept });
    };
    let note = canonical.clamped.then(|| Note::Clamped {
        name: var.name.clone(),
        asked: asked.to_owned(),
        range: entry.kind.range_text(),
        kept: canonical.text.clone(),
    });
    Ok((canonical.text, note.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::value::Kind;

    fn host(cvars: &mut Cvars, name: &str, value: &str) -> Result<Vec<Note>, CvarError> {
        cvars.set(name, value, By::Host)
    }

    /// Values worth trying on a cvar of this kind, in canonical form.
    fn samples(kind: &Kind) -> Vec<String> {
        match *kind {
            Kind::Bool { .. } => vec!["0".to_owned(), "1".to_owned()],
            Kind::Int { default, min, max, .. } => {
                [min, default, max].iter().map(ToString::to_string).collect()
            }
            Kind::Float { default, min, max, .. } => {
                [min, default, max].iter().map(ToString::to_string).collect()
            }
            Kind::Text { default, .. } => vec![default.to_owned(), "two words".to_owned(), String::new()],
        }
    }

    #[test]
    fn every_cvar_keeps_what_it_is_set_to_and_its_field_follows() {
        for entry in TABLE {
            for value in samples(&entry.kind) {
                if rules::refusal(entry.name, &value).is_some() {
                    continue;
                }
                let mut cvars = Cvars::new();
                let notes = cvars.set(&entry.name.to_ascii_uppercase(), &value, By::Engine).unwrap();
                assert_eq!(notes, [], "{} {value}", entry.name);
                assert_eq!(cvars.get(entry.name).unwrap().value(), value, "{}", entry.name);
                cvars.swap();
                let mut config = cvars.config().clone();
                let field = match entry.kind {
                    Kind::Bool { field, .. } => i32::from(*field(&mut config)).to_string(),
                    Kind::Int { field, .. } => field(&mut config).to_string(),
                    Kind::Float { field, .. } => field(&mut config).to_string(),
                    Kind::Text { field, .. } => field(&mut config).clone(),
                };
                assert_eq!(field, value, "{}", entry.name);
            }
        }
    }

    #[test]
    fn a_change_is_true_after_the_swap_and_not_before() {
        let mut cvars = Cvars::new();
        assert_eq!(cvars.swap(), Changes::default());
        host(&mut cvars, "fraglimit", "5").unwrap();
        assert_eq!((cvars.config().fraglimit, cvars.get("fraglimit").unwrap().value()), (20, "5"));
        assert_eq!(cvars.swap(), Changes { any: true, serverinfo: true, systeminfo: false });
        assert_eq!(cvars.config().fraglimit, 5);
        host(&mut cvars, "fraglimit", "5").unwrap();
        assert_eq!(cvars.swap(), Changes::default(), "the same value is no change");
    }

    #[test]
    fn a_value_out_of_range_is_clamped_with_one_message() {
        let mut cvars = Cvars::new();
        let notes = host(&mut cvars, "sv_fps", "1e50").unwrap();
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].to_string(), "sv_fps cannot be 1e50, the range is 10..250; it is 250 now");
        let error = host(&mut cvars, "sv_fps", "nan").unwrap_err().to_string();
        assert_eq!(error, "sv_fps cannot be \"nan\", which is not a number; it stays 250");
    }

    #[test]
    fn a_latched_value_waits_for_the_next_map() {
        let mut cvars = Cvars::new();
        host(&mut cvars, "sv_maxclients", "12").unwrap();
        cvars.begin_map("oa_dm1", false).unwrap();
        assert_eq!((cvars.config().sv_maxclients, cvars.config().mapname.as_str()), (12, "oa_dm1"));
        let notes = host(&mut cvars, "sv_maxclients", "8").unwrap();
        assert_eq!(notes[0].to_string(), "sv_maxclients will be \"8\" from the next map on");
        cvars.swap();
        assert_eq!(cvars.config().sv_maxclients, 12);
        assert_eq!(cvars.get("sv_maxclients").unwrap().latched(), Some("8"));
        assert!(cvars.begin_map("oa_dm2", false).unwrap().serverinfo);
        assert_eq!(cvars.config().sv_maxclients, 8);
    }

    #[test]
    fn setting_the_present_value_gives_up_a_waiting_one() {
        let mut cvars = Cvars::new();
        cvars.begin_map("a", false).unwrap();
        host(&mut cvars, "g_gametype", "4").unwrap();
        host(&mut cvars, "g_gametype", "0").unwrap();
        cvars.begin_map("b", false).unwrap();
        assert_eq!(cvars.config().g_gametype, 0);
    }

    #[test]
    fn cheats_need_devmap_and_end_with_it() {
        let mut cvars = Cvars::new();
        cvars.begin_map("a", false).unwrap();
        assert!(matches!(host(&mut cvars, "timescale", "2"), Err(CvarError::Protected { .. })));
        cvars.begin_map("a", true).unwrap();
        host(&mut cvars, "timescale", "2").unwrap();
        assert!(cvars.begin_map("a", false).unwrap().systeminfo);
        assert_eq!(cvars.config().timescale, 1.0);
        assert!(!cvars.config().sv_cheats);
    }

    #[test]
    fn protection_depends_on_who_asks() {
        let mut cvars = Cvars::new();
        host(&mut cvars, "fs_basepath", "/data").unwrap();
        cvars.seal();
        let check =
            |cvars: &mut Cvars, name: &str, by: By| cvars.set(name, "1", by).map_err(|e| e.to_string());
        assert_eq!(
            check(&mut cvars, "fs_basepath", By::Host),
            Err("fs_basepath can be given on the command line only".to_owned())
        );
        assert_eq!(check(&mut cvars, "g_needpass", By::Host), Err("g_needpass is read only".to_owned()));
        assert!(check(&mut cvars, "g_needpass", By::Game).is_ok());
        assert!(check(&mut cvars, "rconPassword", By::Rcon).is_err());
        assert!(check(&mut cvars, "sv_rconPassword", By::Rcon).is_err(), "by its other name neither");
        assert!(check(&mut cvars, "rconPassword", By::Host).is_ok());
    }

    #[test]
    fn a_map_whose_name_cannot_travel_does_not_begin() {
        let mut cvars = Cvars::new();
        cvars.begin_map("a", false).unwrap();
        host(&mut cvars, "g_gametype", "4").unwrap();
        assert!(cvars.begin_map(&"m".repeat(1000), false).is_err());
        cvars.swap();
        assert_eq!((cvars.config().mapname.as_str(), cvars.config().g_gametype), ("a", 0));
    }

    #[test]
    fn pure_is_not_offered_and_says_so() {
        let mut cvars = Cvars::new();
        let error = host(&mut cvars, "sv_pure", "1").unwrap_err().to_string();
        assert!(error.contains("not offered yet"), "{error}");
        assert_eq!(host(&mut cvars, "sv_pure", "0"), Ok(Vec::new()));
    }

    #[test]
    fn weak_remote_passwords_draw_a_warning() {
        for (password, warned) in
            [("short", true), ("ChangeMe", true), ("", false), ("tr0ub4dor-and-3", false)]
        {
            let mut cvars = Cvars::new();
            assert_eq!(
                host(&mut cvars, "rconpassword", password).unwrap().len(),
                usize::from(warned),
                "{password}"
            );
        }
    }

    #[test]
    fn serverinfo_never_grows_beyond_its_limit() {
        let mut cvars = Cvars::new();
        let mut refused = 0;
        for n in 0..40 {
            let made = cvars.set_flagged(&format!(".note{n}"), &"x".repeat(30), Flags::SERVERINFO, By::Host);
            refused += usize::from(made.is_err());
            assert!(cvars.serverinfo().len() < 1024);
        }
        assert!(refused > 0);
        let before = cvars.serverinfo();
        let error = host(&mut cvars, "sv_hostname", &"h".repeat(900)).unwrap_err().to_string();
        assert!(error.contains("/1024 bytes"), "{error}");
        assert_eq!(cvars.serverinfo(), before);
        assert!(host(&mut cvars, "sv_hostname", "a;b").is_err());
    }

    #[test]
    fn what_latches_counts_towards_the_limit_already() {
        let mut cvars = Cvars::new();
        cvars.begin_map("a", false).unwrap();
        cvars.set_flagged("big", &"b".repeat(10), Flags::SERVERINFO | Flags::LATCH, By::Host).unwrap();
        let room = 1024 - cvars.serverinfo().len();
        host(&mut cvars, "big", &"b".repeat(room)).unwrap();
        assert!(host(&mut cvars, "sv_hostname", "a rather longer name").is_err());
    }

    #[test]
    fn the_client_half_finds_its_keys() {
        let cvars = Cvars::new();
        let keys = |info: &str| -> Vec<String> {
            fogline_common::proto::info_string::pairs(info).map(|(key, _)| key.to_owned()).collect()
        };
        let server = keys(&cvars.serverinfo());
        for key in [
            "g_gametype",
            "dmflags",
            "videoflags",
            "elimflags",
            "teamflags",
            "fraglimit",
            "capturelimit",
            "timelimit",
            "sv_maxclients",
            "elimination_roundtime",
            "g_rockets",
            "g_instantgib",
            "g_elimination",
            "g_lms_mode",
            "g_altExcellent",
            "g_redTeam",
            "g_blueTeam",
            "g_delagHitscan",
            "voteflags",
        ] {
            assert!(server.iter().any(|k| k == key), "{key}");
        }
        let system = keys(&cvars.systeminfo());
        for key in [
            "sv_serverid",
            "sv_pure",
            "sv_cheats",
            "sv_paks",
            "sv_pakNames",
            "sv_referencedPaks",
            "sv_referencedPakNames",
            "g_synchronousClients",
            "pmove_fixed",
            "pmove_msec",
            "pmove_float",
            "sv_fps",
            "fs_game",
            "timescale",
        ] {
            assert!(system.iter().any(|k| k == key), "{key}");
        }
    }

    #[test]
    fn hosts_make_and_unmake_cvars_of_their_own() {
        let mut cvars = Cvars::new();
        host(&mut cvars, "d1", "map q3dm7 ; set nextmap vstr d2").unwrap();
        assert_eq!(cvars.get("D1").unwrap().value(), "map q3dm7 ; set nextmap vstr d2");
        cvars.unset("d1").unwrap();
        assert!(cvars.get("d1").is_none());
        assert!(matches!(cvars.unset("d1"), Err(CvarError::Unknown(_))));
        assert!(matches!(cvars.unset("sv_fps"), Err(CvarError::Protected { .. })));
        for name in ["", "a b", "a\"b", "a\\b", "a//b", "ä", &"n".repeat(64)] {
            assert!(matches!(host(&mut cvars, name, "1"), Err(CvarError::BadName(_))), "{name}");
        }
    }

    #[test]
    fn the_number_of_cvars_is_bounded() {
        let mut cvars = Cvars::new();
        let made = (0..5000).filter(|n| host(&mut cvars, &format!("u{n}"), "1").is_ok()).count();
        assert_eq!(made, MAX_USER_CVARS);
        cvars.unset("u0").unwrap();
        host(&mut cvars, "another", "1").unwrap();
    }

    #[test]
    fn the_archive_holds_what_differs_and_what_waits() {
        let mut cvars = Cvars::new();
        cvars.begin_map("a", false).unwrap();
        assert!(!cvars.take_archive_changed());
        host(&mut cvars, "sv_maxclients", "8").unwrap();
        host(&mut cvars, "g_motd", "not archived").unwrap();
        cvars.set_flagged("mine", "a b", Flags::ARCHIVE, By::Host).unwrap();
        let lines: Vec<String> = cvars.archive().lines().skip(1).map(str::to_owned).collect();
        assert_eq!(lines, ["seta mine \"a b\"", "seta sv_maxclients \"8\""]);
        assert!(cvars.take_archive_changed() && !cvars.take_archive_changed());
    }
}
