//! The table: one entry per cvar. Console, serverinfo, help, archive and `docs/cvars.md` follow from it.
//!
//! An entry is: one line of documentation, the name that hosts use, the field of [`Config`] (the same name in lower
//! case), type with default and range, flags. To add a cvar, add an entry; nothing else needs to know.

use super::flags::Flags;
use super::value::Kind;

/// One cvar of the table.
#[derive(Debug)]
pub struct Entry {
    /// The name as it is shown. Compared without regard to case.
    pub name: &'static str,
    doc: &'static str,
    /// Who may change it, and who is told.
    pub flags: Flags,
    /// Type, default, range and field.
    pub kind: Kind,
}

impl Entry {
    /// What it does, in one line.
    pub fn doc(&self) -> &'static str {
        self.doc.trim()
    }
}

/// Names that other servers use for a cvar of the table.
pub(super) const ALIASES: [(&str, &str); 2] =
    [("com_gamename", "sv_gamename"), ("sv_rconpassword", "rconpassword")];

macro_rules! kind_type {
    (bool) => {
        bool
    };
    (int) => {
        i32
    };
    (float) => {
        f32
    };
    (text) => {
        String
    };
}

macro_rules! kind_default {
    (bool, $default:expr) => {
        $default
    };
    (int, $default:expr, $min:expr, $max:expr) => {
        $default
    };
    (float, $default:expr, $min:expr, $max:expr) => {
        $default
    };
    (text, $default:expr) => {
        String::from($default)
    };
}

macro_rules! kind_value {
    ($field:ident, bool, $default:expr) => {
        Kind::Bool { default: $default, field: |config| &mut config.$field }
    };
    ($field:ident, int, $default:expr, $min:expr, $max:expr) => {
        Kind::Int { default: $default, min: $min, max: $max, field: |config| &mut config.$field }
    };
    ($field:ident, float, $default:expr, $min:expr, $max:expr) => {
        Kind::Float { default: $default, min: $min, max: $max, field: |config| &mut config.$field }
    };
    ($field:ident, text, $default:expr) => {
        Kind::Text { default: $default, field: |config| &mut config.$field }
    };
}

macro_rules! cvars {
    ($( #[doc = $doc:literal] $name:literal $field:ident: $kind:ident($($arg:expr),*) $($flag:ident)*; )*) => {
        /// The settings as they are in force. A field is named for its cvar, in lower case.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $( #[doc = $doc] pub $field: kind_type!($kind), )*
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $( $field: kind_default!($kind, $($arg),*), )* }
            }
        }

        /// Every cvar that the server knows.
        pub static TABLE: &[Entry] = &[
            $( Entry {
                name: $name,
                doc: $doc,
                flags: Flags::NONE $( .union(Flags::$flag) )*,
                kind: kind_value!($field, $kind, $($arg),*),
            }, )*
        ];

        #[cfg(test)]
        const FIELDS: &[&str] = &[ $( stringify!($field), )* ];
    };
}

cvars! {
    /// World frames per second, and the most snapshots that a client gets.
    "sv_fps" sv_fps: int(20, 10, 250) ARCHIVE SYSTEMINFO;
    /// Name of the server in browsers.
    "sv_hostname" sv_hostname: text("Fogline") ARCHIVE SERVERINFO;
    /// Player slots, private ones included.
    "sv_maxclients" sv_maxclients: int(16, 1, 64) ARCHIVE SERVERINFO LATCH;
    /// Slots kept for players who know sv_privatePassword.
    "sv_privateClients" sv_privateclients: int(0, 0, 63) SERVERINFO;
    /// Password of the private slots.
    "sv_privatePassword" sv_privatepassword: text("") SECRET;
    /// Seconds of silence after which a player is dropped.
    "sv_timeout" sv_timeout: int(200, 5, 86_400);
    /// Seconds that a dropped player's slot stays closed, so that late packets find nobody.
    "sv_zombietime" sv_zombietime: int(2, 0, 60);
    /// Seconds before the same address and port may connect again.
    "sv_reconnectlimit" sv_reconnectlimit: int(3, 0, 12);
    /// Lets each player send one text command per second.
    "sv_floodProtect" sv_floodprotect: bool(true) ARCHIVE SERVERINFO;
    /// Lowest rate in bytes per second that a player gets, 0 for the player's own.
    "sv_minRate" sv_minrate: int(0, 0, 1_000_000) ARCHIVE SERVERINFO;
    /// Highest rate in bytes per second that a player gets, 0 for the player's own.
    "sv_maxRate" sv_maxrate: int(0, 0, 1_000_000) ARCHIVE SERVERINFO;
    /// Gives players of the local network full rate, unless the server is public (dedicated 2).
    "sv_lanForceRate" sv_lanforcerate: bool(true) ARCHIVE;
    /// Lowest ping in ms that may join, 0 for any.
    "sv_minPing" sv_minping: int(0, 0, 999) ARCHIVE SERVERINFO;
    /// Highest ping in ms that may join, 0 for any.
    "sv_maxPing" sv_maxping: int(0, 0, 999) ARCHIVE SERVERINFO;
    /// Players that may come from one address.
    "sv_maxClientsPerIP" sv_maxclientsperip: int(4, 1, 64) ARCHIVE;
    /// Whether clients may use the server's pk3 files only. Not offered yet.
    "sv_pure" sv_pure: bool(false) SYSTEMINFO LATCH;
    /// Whether cheats are allowed: on after devmap, off after map.
    "sv_cheats" sv_cheats: bool(false) SYSTEMINFO ROM;
    /// Files for clients that lack them, summed: 1 offered, 2 not by sv_dlURL, 4 not by the server itself, 8 stay connected.
    "sv_allowDownload" sv_allowdownload: int(1, 0, 15) ARCHIVE SERVERINFO;
    /// KiB per second that the server itself sends of files, to all clients together. 0 for no bound.
    "sv_dlRate" sv_dlrate: int(100, 0, 1_000_000) ARCHIVE SERVERINFO;
    /// Address of a web folder that has the pk3 files, in which clients look first. Quote it: two slashes begin a comment.
    "sv_dlURL" sv_dlurl: text("") ARCHIVE SERVERINFO;
    /// Game that clients and master servers are told, also called com_gamename.
    "sv_gamename" sv_gamename: text("Quake3Arena") INIT;
    /// Words for browsers to filter by.
    "sv_keywords" sv_keywords: text("") SERVERINFO;
    /// First master server that is told of this one while dedicated is 2.
    "sv_master1" sv_master1: text("dpmaster.deathmask.net") ARCHIVE;
    /// Second master server.
    "sv_master2" sv_master2: text("master.ioquake3.org") ARCHIVE;
    /// Third master server.
    "sv_master3" sv_master3: text("") ARCHIVE;
    /// Fourth master server.
    "sv_master4" sv_master4: text("") ARCHIVE;
    /// Fifth master server.
    "sv_master5" sv_master5: text("") ARCHIVE;
    /// Columns of status: 0 as OpenArena (address without port), 1 as Quake III 1.32 (with port), 2 as ioquake3.
    "sv_statusStyle" sv_statusstyle: int(0, 0, 2) ARCHIVE;
    /// Whether a map is up.
    "sv_running" sv_running: bool(false) ROM;
    /// Number of the running match, new at every map and restart.
    "sv_serverid" sv_serverid: int(0, 0, 0xff_ffff) SYSTEMINFO ROM;
    /// Checksums of the pk3 files that clients may use. Empty while sv_pure is 0.
    "sv_paks" sv_paks: text("") SYSTEMINFO ROM;
    /// Names of the pk3 files that clients may use. Empty while sv_pure is 0.
    "sv_pakNames" sv_paknames: text("") SYSTEMINFO ROM;
    /// Checksums of the pk3 files that the match uses.
    "sv_referencedPaks" sv_referencedpaks: text("") SYSTEMINFO ROM;
    /// Names of the pk3 files that the match uses.
    "sv_referencedPakNames" sv_referencedpaknames: text("") SYSTEMINFO ROM;
    /// Password of remote consoles. Empty turns them off.
    "rconPassword" rconpassword: text("") SECRET LOCAL;
    /// 1 for a server of the local network, 2 to be told to the master servers.
    "dedicated" dedicated: int(1, 1, 2) LATCH;
    /// Program and version.
    "version" version: text(concat!("Fogline ", env!("CARGO_PKG_VERSION"))) SERVERINFO ROM;
    /// Protocol that browsers are told. Clients of both wires join whatever it says.
    "com_protocol" com_protocol: int(71, 1, 9_999) SERVERINFO INIT;
    /// Protocol of the wire without checksums.
    "com_legacyprotocol" com_legacyprotocol: int(68, 0, 9_999) INIT;
    /// Game folder that every other one builds on.
    "com_basegame" com_basegame: text("baseoa") INIT;
    /// Folder below $HOME that is taken as fs_homepath, such as .openarena. Empty for the usual place.
    "com_homepath" com_homepath: text("") INIT;
    /// Name of a FIFO in the home path that takes console lines. Empty for none.
    "com_pipefile" com_pipefile: text("") INIT LOCAL;
    /// Folder that holds the game folders and is only read.
    "fs_basepath" fs_basepath: text("") INIT;
    /// One more folder that holds game folders and is only read.
    "fs_cdpath" fs_cdpath: text("") INIT;
    /// Folder that holds the game folders of this host and is the only one ever written.
    "fs_homepath" fs_homepath: text("") INIT;
    /// Game folder of a modification. Empty for none.
    "fs_game" fs_game: text("") SYSTEMINFO INIT;
    /// Address to listen at.
    "net_ip" net_ip: text("0.0.0.0") INIT;
    /// UDP port to listen at, 0 for any free one.
    "net_port" net_port: int(27_960, 0, 65_535) INIT;
    /// IPv6 address to listen at.
    "net_ip6" net_ip6: text("::") INIT;
    /// 1 for IPv4, 2 for IPv6, 3 for both.
    "net_enabled" net_enabled: int(3, 1, 3) INIT;
    /// Refuses to start if net_port is taken, in place of trying the next nine.
    "net_portStrict" net_portstrict: bool(false) INIT;
    /// Writes the console to qconsole.log: 0 off, 1 or 2 a new file each start, 3 or 4 appended to.
    "logfile" logfile: int(0, 0, 4) ARCHIVE;
    /// Withholds players whom a client cannot see: 0 never, 1 unless they are near, 2 always, 3 if it is proved whatever both do.
    "sv_netoptimize" sv_netoptimize: int(3, 0, 3) ARCHIVE;
    /// Ms that a player stays told of after it was last in sight.
    "sv_netoptimize_vistime" sv_netoptimize_vistime: int(200, 0, 5_000) ARCHIVE;
    /// World frames that the filter looks ahead along the movement of both players.
    "sv_netoptimize_frames" sv_netoptimize_frames: int(3, 0, 20) ARCHIVE;
    /// Decides about players exactly as OpenMoHAA does, its oddities included.
    "sv_netoptimize_compat" sv_netoptimize_compat: bool(false) ARCHIVE;
    /// Always tells team mates of one another, in games of teams.
    "sv_netoptimize_teammates" sv_netoptimize_teammates: bool(false) ARCHIVE;
    /// Sounds of withheld players nearby: 0 none, 1 from about where they are, 2 from exactly there.
    "sv_netoptimize_sounds" sv_netoptimize_sounds: int(1, 0, 2) ARCHIVE;
    /// Longest time, in ms, that sv_netoptimize 3 looks ahead of what it knows of a client, whatever the client claims.
    "sv_netoptimize_maxhorizon" sv_netoptimize_maxhorizon: int(400, 50, 1_000) ARCHIVE;
    /// Shortest time, in ms, that it looks ahead.
    "sv_netoptimize_minhorizon" sv_netoptimize_minhorizon: int(0, 0, 1_000) ARCHIVE;
    /// Time in µs a frame that sv_netoptimize 3 may spend on searching for proofs; who is not reached in it counts as in sight.
    "sv_netoptimize_budget" sv_netoptimize_budget: int(1_000, 0, 100_000) ARCHIVE;
    /// Per cent of a client's commands and snapshots that what is measured of its line must cover.
    "sv_netoptimize_quantile" sv_netoptimize_quantile: float(99.0, 50.0, 100.0) ARCHIVE;
    /// Lets the game or map veto the filter with 0. Back to 1 at each map.
    "g_netoptimize" g_netoptimize: bool(true);
    /// Distance beyond which players are withheld, 0 for the map's own (key farplane of its worldspawn), if it has one.
    "sv_farplane" sv_farplane: int(0, 0, 40_000) ARCHIVE;
    /// File in the home path that every decision of the visibility filter is added to, one JSON record a line. Empty for none.
    "sv_vistrace" sv_vistrace: text("") LOCAL;
    /// Size in units of the cells that the places of withheld players' sounds are rounded to.
    "sv_soundcell" sv_soundcell: int(128, 16, 1_024) ARCHIVE;
    /// Speed of the world; 1 is real time.
    "timescale" timescale: float(1.0, 0.01, 100.0) SYSTEMINFO CHEAT;
    /// Map that is running.
    "mapname" mapname: text("") SERVERINFO ROM;
    /// What runs when a match ends, such as "vstr d2". Empty plays the same map again.
    "nextmap" nextmap: text("");
    /// File with the order of maps, one on each line and settings behind it. Empty to go by nextmap.
    "sv_mapRotation" sv_maprotation: text("") ARCHIVE;
    /// Rules of the game, as the client half names them.
    "gamename" gamename: text("baseoa") SERVERINFO ROM;
    /// 0 free for all, 1 tournament, 3 team deathmatch, 4 capture the flag.
    "g_gametype" g_gametype: int(0, 0, 12) SERVERINFO LATCH;
    /// Password that players need to join. Empty or "none" for no password.
    "g_password" g_password: text("") SECRET;
    /// Whether players need a password.
    "g_needpass" g_needpass: bool(false) SERVERINFO ROM;
    /// Gravity in units/s².
    "g_gravity" g_gravity: float(800.0, -32_000.0, 32_000.0);
    /// Running speed of players in units/s.
    "g_speed" g_speed: float(320.0, 0.0, 32_000.0);
    /// Push of damage; 1000 is usual.
    "g_knockback" g_knockback: float(1000.0, -100_000.0, 100_000.0);
    /// Message of the day, shown while a player connects.
    "g_motd" g_motd: text("");
    /// Seconds without input after which a player is dropped, 0 for never.
    "g_inactivity" g_inactivity: int(0, 0, 86_400);
    /// Seconds after which the dead are revived without asking, 0 for never.
    "g_forcerespawn" g_forcerespawn: int(20, 0, 86_400);
    /// Whether team mates can be hurt.
    "g_friendlyFire" g_friendlyfire: bool(false) ARCHIVE;
    /// Whether a match begins with a warm-up, in which points do not count.
    "g_doWarmup" g_dowarmup: bool(false) ARCHIVE SERVERINFO;
    /// Seconds from the moment when enough have come until the match begins.
    "g_warmup" g_warmup: int(20, 0, 3_600) ARCHIVE;
    /// Minutes by which a match that is tied at the time limit goes on. 0 plays on until somebody leads.
    "g_overtime" g_overtime: int(0, 0, 60) ARCHIVE;
    /// Puts newcomers of team games into the smaller team, in place of letting them choose.
    "g_teamAutoJoin" g_teamautojoin: bool(false) ARCHIVE;
    /// Refuses whoever would make a team larger than the other by more than one.
    "g_teamForceBalance" g_teamforcebalance: bool(false) ARCHIVE;
    /// Factor on damage of who carries quad damage.
    "g_quadfactor" g_quadfactor: float(3.0, 0.0, 100.0);
    /// Ms for which nobody can hurt the freshly spawned, unless they fire.
    "g_spawnprotect" g_spawnprotect: int(500, 0, 60_000) ARCHIVE;
    /// Seconds after which a taken weapon is there again.
    "g_weaponRespawn" g_weaponrespawn: int(5, 0, 3_600);
    /// The same in team deathmatch.
    "g_weaponTeamRespawn" g_weaponteamrespawn: int(30, 0, 3_600);
    /// The dead come back in waves of this many seconds, 0 for whenever they like.
    "g_respawntime" g_respawntime: int(0, 0, 600) ARCHIVE;
    /// Ms that a proximity mine lies in wait before it bursts by itself.
    "g_proxMineTimeout" g_proxminetimeout: int(20_000, 1_000, 3_600_000);
    /// Whether scout, guard, doubler and ammo regeneration lie where the map has them.
    "g_runes" g_runes: bool(false) ARCHIVE LATCH;
    /// Whether players may call votes.
    "g_allowVote" g_allowvote: bool(true) ARCHIVE SERVERINFO;
    /// Votes that may be called, each between slashes; "*" for all.
    "g_voteNames" g_votenames: text("/map_restart/nextmap/map/g_gametype/kick/clientkick/g_doWarmup/timelimit/fraglimit/shuffle/") ARCHIVE;
    /// Game types that may be voted for, each between slashes; "*" for all that are played.
    "g_voteGametypes" g_votegametypes: text("/0/1/3/4/") ARCHIVE SERVERINFO;
    /// File of the maps that may be voted for, between blanks. All may where there is no such file.
    "g_voteMapsFile" g_votemapsfile: text("votemaps.cfg");
    /// File of votes of the host's own, for callvote custom.
    "g_voteCustomFile" g_votecustomfile: text("votecustom.cfg");
    /// Votes that a player may call on one map.
    "g_maxVotes" g_maxvotes: int(3, 0, 1_000) ARCHIVE;
    /// Seconds until a player whose vote failed may call another.
    "g_voteCooldown" g_votecooldown: int(60, 0, 3_600) ARCHIVE;
    /// Minutes for which a player that was voted away is kept out, 0 for not at all.
    "g_voteBan" g_voteban: int(2, 0, 1_440) ARCHIVE;
    /// Lowest time limit that may be voted for.
    "g_voteMinTimelimit" g_votemintimelimit: int(0, 0, 35_791) ARCHIVE;
    /// Highest time limit that may be voted for, 0 for any.
    "g_voteMaxTimelimit" g_votemaxtimelimit: int(1_000, 0, 35_791) ARCHIVE;
    /// Lowest frag limit that may be voted for.
    "g_voteMinFraglimit" g_voteminfraglimit: int(0, 0, 9_999) ARCHIVE;
    /// Highest frag limit that may be voted for, 0 for any.
    "g_voteMaxFraglimit" g_votemaxfraglimit: int(0, 0, 9_999) ARCHIVE;
    /// Moves players once per frame in place of once per packet.
    "g_synchronousClients" g_synchronousclients: bool(false) SYSTEMINFO;
    /// Players that may be in the game at once, the rest watch. 0 for all.
    "g_maxGameClients" g_maxgameclients: int(0, 0, 64) ARCHIVE SERVERINFO LATCH;
    /// File of game events in the home path. Empty for none.
    "g_log" g_log: text("games.log") ARCHIVE;
    /// File of the same events in the home path, one line of JSON for each. Empty for none.
    "g_logJson" g_logjson: text("") ARCHIVE;
    /// Known to admin tools, which set it; every game event is written at once whatever it says.
    "g_logSync" g_logsync: bool(false) ARCHIVE;
    /// Bits: 8 no falling damage, 16 fixed field of view, 32 no footsteps.
    "dmflags" dmflags: int(0, 0, i32::MAX) ARCHIVE SERVERINFO;
    /// Bits of client video settings that OpenArena clients keep fixed. 0 leaves them alone.
    "videoflags" videoflags: int(0, 0, i32::MAX) ARCHIVE SERVERINFO;
    /// Frags that end a match, 0 for none.
    "fraglimit" fraglimit: int(20, 0, 9_999) ARCHIVE SERVERINFO;
    /// Minutes that end a match, 0 for none.
    "timelimit" timelimit: int(0, 0, 35_791) ARCHIVE SERVERINFO;
    /// Captures that end a match, 0 for none.
    "capturelimit" capturelimit: int(8, 0, 9_999) ARCHIVE SERVERINFO;
    /// Whether bots may play.
    "bot_enable" bot_enable: bool(true);
    /// Players that there are to be, bots filling up and making room; in team games in each team. 0 for no such bots.
    "bot_minplayers" bot_minplayers: int(0, 0, 64) SERVERINFO;
    /// Skill of bots that are added without one, from 1 to 5.
    "g_spSkill" g_spskill: float(2.0, 1.0, 5.0) ARCHIVE;
    /// Moves every player in equal steps of pmove_msec, whatever the frame rate of the client.
    "pmove_fixed" pmove_fixed: bool(false) ARCHIVE SYSTEMINFO;
    /// Step of pmove_fixed in ms.
    "pmove_msec" pmove_msec: int(8, 8, 33) ARCHIVE SYSTEMINFO;
    /// Keeps fractions of the velocity after a move, as OpenArena does; 0 rounds as Quake III does.
    "pmove_float" pmove_float: bool(true) ARCHIVE SYSTEMINFO;
    /// Name of the red team.
    "g_redTeam" g_redteam: text("Stroggs") ARCHIVE SERVERINFO;
    /// Name of the blue team.
    "g_blueTeam" g_blueteam: text("Pagans") ARCHIVE SERVERINFO;
    /// Bits of the elimination rules, for the client half. Those rules are not offered yet.
    "elimflags" elimflags: int(0, 0, i32::MAX) SERVERINFO ROM;
    /// Bits of the team rules, for the client half.
    "teamflags" teamflags: int(0, 0, i32::MAX) SERVERINFO ROM;
    /// Bits of the votes that players may call, for the client half.
    "voteflags" voteflags: int(0, 0, i32::MAX) SERVERINFO ROM;
    /// Seconds of an elimination round, for the client half. Those rules are not offered yet.
    "elimination_roundtime" elimination_roundtime: int(120, 0, 86_400) SERVERINFO ROM;
    /// Whether everybody has rockets only, for the client half. Not offered yet.
    "g_rockets" g_rockets: bool(false) SERVERINFO ROM;
    /// Whether every hit kills, for the client half. Not offered yet.
    "g_instantgib" g_instantgib: bool(false) SERVERINFO ROM;
    /// Whether the dead wait for the next round, for the client half. Not offered yet.
    "g_elimination" g_elimination: bool(false) SERVERINFO ROM;
    /// Kind of last man standing, for the client half. Not offered yet.
    "g_lms_mode" g_lms_mode: int(0, 0, 3) SERVERINFO ROM;
    /// Whether excellent awards follow the other count, for the client half. Not offered yet.
    "g_altExcellent" g_altexcellent: bool(false) SERVERINFO ROM;
    /// Whether instant-hit weapons are judged as the shooter saw it, also for the client half.
    "g_delagHitscan" g_delaghitscan: bool(true) ARCHIVE SERVERINFO;
    /// How far back a shot is judged at most, in ms. Shooters who see an older world must lead again.
    "sv_maxunlag" sv_maxunlag: int(200, 0, 1000) ARCHIVE;
    /// Weapons that g_delagHitscan is about: the sum of 2 for each weapon's number as a power, -1 for all.
    "sv_unlag_weapons" sv_unlag_weapons: int(-1, i32::MIN, i32::MAX) ARCHIVE SERVERINFO;
    /// Whether a shot may hit a player that its shooter had not been shown.
    "sv_unlag_unseen" sv_unlag_unseen: bool(false) ARCHIVE;
    /// Whether a shot counts that was fired, as its shooter saw it, before the shooter died.
    "sv_unlag_afterdeath" sv_unlag_afterdeath: bool(true) ARCHIVE;
    /// Checks of a client's clock, summed: 1 acknowledged snapshots, 2 its own mean, 4 round trips.
    "sv_unlag_validate" sv_unlag_validate: int(7, 0, 7) ARCHIVE;
    /// Judges a shot of a client whose clock is not believed by the present, in place of the oldest moment allowed.
    "sv_unlag_refuse" sv_unlag_refuse: bool(false) ARCHIVE;
    /// File in the home path of clocks that were not believed, one line of JSON for each. Empty for none.
    "sv_claimlog" sv_claimlog: text("claims.jsonl") ARCHIVE;
    /// Size in KiB at which that file is put aside as FILE.1 and begun anew.
    "sv_claimlogSize" sv_claimlogsize: int(1024, 16, 1_048_576) ARCHIVE;
    /// File of shots in the home path, one line of JSON for each. Empty for none.
    "sv_shotlog" sv_shotlog: text("") ARCHIVE;
    /// Starts missiles where they would be if they had set off when their shooter saw it, at most sv_maxunlag ms ahead.
    "g_projectileNudge" g_projectilenudge: bool(false) ARCHIVE SERVERINFO;
    /// Whether the dead read how late their killer saw them, and for how long they had been behind cover.
    "g_deathReport" g_deathreport: bool(true) ARCHIVE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_named_for_its_cvar() {
        for (entry, field) in TABLE.iter().zip(FIELDS) {
            assert_eq!(entry.name.to_ascii_lowercase(), *field);
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<&str> = FIELDS.to_vec();
        names.extend(ALIASES.map(|(alias, _)| alias));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(ALIASES.iter().all(|(_, target)| FIELDS.contains(target)));
    }

    #[test]
    fn what_cannot_be_set_from_a_file_is_not_archived() {
        for entry in TABLE.iter().filter(|entry| entry.flags.has(Flags::ROM | Flags::INIT)) {
            assert!(!entry.flags.has(Flags::ARCHIVE), "{}", entry.name);
        }
    }

    #[test]
    fn every_entry_has_one_line_and_a_default_in_range() {
        for entry in TABLE {
            let doc = entry.doc();
            assert!(doc.ends_with('.') && doc.len() < 125 && !doc.contains('|'), "{}: {doc}", entry.name);
            let default = entry.kind.default_text();
            let kept = entry.kind.canonical(&default).unwrap();
            assert!(!kept.clamped && kept.text == default, "{}: {default}", entry.name);
        }
    }
}
