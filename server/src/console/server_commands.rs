//! Commands about the match and the players.

use super::status::{Player, StatusStyle, harmless, status_text};
use super::table::Call;
use fogline_common::ids::ClientNum;
use fogline_common::proto::info_string;
use fogline_common::proto::limits::{MAX_COMMAND_TEXT, MAX_INFO_STRING};
use fogline_common::time::Millis;

/// Seconds until a plain `map_restart` happens. Source: the stock engine.
const RESTART_DELAY_S: i32 = 5;

/// `map`.
pub(super) fn map(call: &mut Call<'_>) {
    start_map(call, false);
}

/// `devmap`.
pub(super) fn devmap(call: &mut Call<'_>) {
    start_map(call, true);
}

fn start_map(call: &mut Call<'_>, cheats: bool) {
    let [_, name] = call.args else { return call.usage() };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+.!#@&~='()[]{}".contains(c);
    let name = name.strip_suffix(".bsp").unwrap_or(name);
    if name.is_empty() || name.len() > 56 || name.starts_with('.') || !name.chars().all(plain) {
        let name: String = name.escape_debug().take(80).collect();
        return call.line(format_args!(
            "\"{name}\" is no map name: the name of a file in maps/ is needed, without .bsp"
        ));
    }
    if let Err(sentence) = call.operator.start_map(name, cheats) {
        call.line(sentence);
    }
}

/// `map_restart`.
pub(super) fn map_restart(call: &mut Call<'_>) {
    if !is_running(call) {
        return;
    }
    let seconds = match call.args {
        [_] => RESTART_DELAY_S,
        _ => call.arg(1).parse::<i32>().unwrap_or(0).clamp(0, 3600),
    };
    if let Err(sentence) = call.operator.restart_map(Millis(seconds * 1000)) {
        call.line(sentence);
    }
}

/// `killserver`.
pub(super) fn kill_server(call: &mut Call<'_>) {
    if is_running(call) {
        call.operator.kill_server("killserver");
    }
}

/// `quit`.
pub(super) fn quit(call: &mut Call<'_>) {
    call.operator.quit();
}

/// `heartbeat`.
pub(super) fn heartbeat(call: &mut Call<'_>) {
    call.operator.heartbeat();
}

/// `status`.
pub(super) fn status(call: &mut Call<'_>) {
    if !is_running(call) {
        return;
    }
    let players = call.operator.players();
    let config = call.operator.cvars().config();
    let text = status_text(StatusStyle::from_cvar(config.sv_statusstyle), &config.mapname, &players);
    call.reply.push_str(&text);
}

/// `visstatus`.
pub(super) fn visstatus(call: &mut Call<'_>) {
    if is_running(call) {
        let text = call.operator.filter_status();
        call.reply.push_str(&text);
    }
}

/// `serverinfo`.
pub(super) fn serverinfo(call: &mut Call<'_>) {
    let info = call.operator.cvars().serverinfo();
    call.line("Server info settings:");
    print_info(call, &info);
    call.line(format_args!("serverinfo length: {}/{MAX_INFO_STRING} bytes", info.len() + 1));
}

/// `systeminfo`.
pub(super) fn systeminfo(call: &mut Call<'_>) {
    let info = call.operator.cvars().systeminfo();
    call.line("System info settings:");
    print_info(call, &info);
}

/// `dumpuser`.
pub(super) fn dumpuser(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    let handle = call.rest(1);
    let Some(player) = find_player(call, &handle) else { return };
    let Some(info) = call.operator.userinfo(player.client) else { return };
    call.line("userinfo\n--------");
    print_info(call, &info);
}

/// `shots`.
pub(super) fn shots(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    let handle = call.rest(1);
    let Some(player) = find_player(call, &handle) else { return };
    let shots = call.operator.shots(player.client);
    if shots.is_empty() {
        call.line(format_args!("{} has not fired lately", harmless(&player.name)));
    }
    for shot in shots {
        call.line(shot);
    }
}

/// `kick`: a player by name or slot, or `all`, or `allbots`.
pub(super) fn kick(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    match call.arg(1) {
        "all" => drop_all(call, &call.rest(2), |_| true),
        "allbots" => drop_all(call, &call.rest(2), |player| player.address.is_none()),
        _ if is_running(call) => {
            // Bots send names with spaces unquoted, so the whole rest may be a name.
            let players = call.operator.players();
            let whole = call.rest(1);
            let (found, reason) = match player_by_handle(&players, &whole) {
                Some(player) => (Some(player), String::new()),
                None => (player_by_handle(&players, call.arg(1)), call.rest(2)),
            };
            match found {
                Some(player) => drop_player(call, player, &reason),
                None => call.line(format_args!("Player {} is not on the server", harmless(&whole))),
            }
        }
        _ => {}
    }
}

/// `kickall`.
pub(super) fn kick_all(call: &mut Call<'_>) {
    drop_all(call, &call.rest(1), |_| true);
}

/// `kickbots`.
pub(super) fn kick_bots(call: &mut Call<'_>) {
    drop_all(call, &call.rest(1), |player| player.address.is_none());
}

/// `clientkick` and `kicknum`.
pub(super) fn kick_slot(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    if !is_running(call) {
        return;
    }
    let slot = call.arg(1).parse::<usize>().ok().and_then(ClientNum::new);
    let players = call.operator.players();
    match players.iter().find(|player| Some(player.client) == slot) {
        Some(player) => drop_player(call, player, &call.rest(2)),
        None => call.line(format_args!("there is nobody in slot {}", harmless(call.arg(1)))),
    }
}

/// `say`.
pub(super) fn say(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    if is_running(call) {
        let text = chat_line("console", &call.rest(1));
        call.operator.send_server_command(None, &format!("chat \"{text}\""));
        call.line(text);
    }
}

/// `tell` and `sayto`.
pub(super) fn tell(call: &mut Call<'_>) {
    if call.args.len() < 3 {
        return call.usage();
    }
    let handle = call.arg(1);
    let Some(player) = find_player(call, handle) else { return };
    let text = chat_line("console_tell", &call.rest(2));
    call.operator.send_server_command(Some(player.client), &format!("chat \"{text}\""));
    call.line(format_args!("{text} (to {})", harmless(&player.name)));
}

/// What is read in the chat: one line that fits a reliable command.
fn chat_line(speaker: &str, text: &str) -> String {
    let mut line = format!("{speaker}: {}", harmless(text).replace('"', "'"));
    // The command around it takes 7 bytes more.
    while line.len() > MAX_COMMAND_TEXT - 7 {
        line.pop();
    }
    line
}

pub(super) fn is_running(call: &mut Call<'_>) -> bool {
    let running = call.operator.cvars().config().sv_running;
    if !running {
        call.line("Server is not running: start a map first.");
    }
    running
}

pub(super) fn find_player(call: &mut Call<'_>, handle: &str) -> Option<Player> {
    if !is_running(call) {
        return None;
    }
    let players = call.operator.players();
    let found = player_by_handle(&players, handle).cloned();
    if found.is_none() {
        call.line(format_args!("Player {} is not on the server", harmless(handle)));
    }
    found
}

/// By slot number, then by whole name, with or without its colours.
fn player_by_handle<'a>(players: &'a [Player], handle: &str) -> Option<&'a Player> {
    if let Ok(slot) = handle.parse::<usize>() {
        return players.iter().find(|player| player.client.index() == slot);
    }
    let same = |player: &&Player| {
        player.name.eq_ignore_ascii_case(handle)
            || plain_name(&player.name).eq_ignore_ascii_case(&plain_name(handle))
    };
    players.iter().find(same)
}

/// A name without colour codes: `^` and what follows it, unless that is another `^`.
pub(super) fn plain_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '^' && chars.peek().is_some_and(|next| *next != '^') {
            chars.next();
        } else {
            plain.push(c);
        }
    }
    plain
}

fn drop_player(call: &mut Call<'_>, player: &Player, reason: &str) {
    let mut sentence = String::from("was kicked");
    if !reason.is_empty() {
        sentence.extend([": ", &harmless(reason).replace('"', "'")]);
        sentence.truncate(sentence.floor_char_boundary(200));
    }
    call.operator.drop_client(player.client, &sentence);
    call.line(format_args!("{} was kicked.", harmless(&player.name)));
}

fn drop_all(call: &mut Call<'_>, reason: &str, chosen: impl Fn(&Player) -> bool) {
    if !is_running(call) {
        return;
    }
    let players = call.operator.players();
    let mut count = 0;
    for player in players.iter().filter(|player| chosen(player)) {
        drop_player(call, player, reason);
        count += 1;
    }
    if count == 0 {
        call.line("nobody to kick");
    }
}

/// One pair per line, the key in 20 columns. Admin bots cut there.
fn print_info(call: &mut Call<'_>, info: &str) {
    for (key, value) in info_string::pairs(info) {
        call.line(format_args!("{:<20} {}", harmless(key), harmless(value)));
    }
}
