//! Plain typed settings. Everything in the server reads a field of [`Config`]; nothing else parses a cvar string.

/// The settings as they are in force. A field is named for its cvar, in lower case.
macro_rules! config_fields {
    ($($name:ident: $kind:ty = $default:expr;)*) => {
        /// The settings as they are in force. A field is named for its cvar, in lower case.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the table of cvars documents each field")]
        pub struct Config { $(pub $name: $kind,)* }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}

config_fields! {
    sv_fps: i32 = 20;
    sv_hostname: String = "Fogline".to_owned();
    sv_maxclients: i32 = 16;
    sv_privateclients: i32 = 0;
    sv_privatepassword: String = String::new();
    sv_timeout: i32 = 200;
    sv_zombietime: i32 = 2;
    sv_reconnectlimit: i32 = 3;
    sv_floodprotect: bool = true;
    sv_minrate: i32 = 0;
    sv_maxrate: i32 = 0;
    sv_lanforcerate: bool = true;
    sv_minping: i32 = 0;
    sv_maxping: i32 = 0;
    sv_maxclientsperip: i32 = 4;
    sv_pure: bool = false;
    sv_cheats: bool = false;
    sv_allowdownload: bool = false;
    sv_gamename: String = "Quake3Arena".to_owned();
    rconpassword: String = String::new();
    dedicated: i32 = 2;
    com_protocol: i32 = 71;
    com_legacyprotocol: i32 = 68;
    net_ip: String = "0.0.0.0".to_owned();
    net_port: i32 = 27960;
    mapname: String = String::new();
    nextmap: String = String::new();
    g_gametype: i32 = 0;
    g_password: String = String::new();
    g_needpass: bool = false;
    g_gravity: f32 = 800.0;
    g_speed: f32 = 320.0;
    g_knockback: f32 = 1000.0;
    g_motd: String = String::new();
    g_inactivity: i32 = 0;
    g_forcerespawn: i32 = 20;
    g_friendlyfire: bool = false;
    g_synchronousclients: bool = false;
    g_maxgameclients: i32 = 0;
    g_log: String = "games.log".to_owned();
    dmflags: i32 = 0;
    videoflags: i32 = 0;
    fraglimit: i32 = 20;
    timelimit: i32 = 0;
    capturelimit: i32 = 8;
    pmove_fixed: bool = false;
    pmove_msec: i32 = 8;
    pmove_float: bool = true;
    timescale: f32 = 1.0;
}
