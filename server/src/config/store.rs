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

    /// Whether the archive changed since it was last saved.
    pub fn archive_changed(&self) -> bool {
        self.archive_changed
    }

    /// The archive as it is now is on disk.
    pub fn archive_saved(&mut self) {
        self.archive_changed = false;
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
mod tests;
