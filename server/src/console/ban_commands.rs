//! Addresses that may not come in for a while, as the host lists, adds and removes them.

use super::server_commands::find_player;
use super::status::harmless;
use super::table::Call;
use std::net::IpAddr;

/// Length of a ban that names none. Unit: minutes.
const USUAL_MINUTES: i32 = 10;

/// `tempban`: sends a player away and keeps its address out.
pub(super) fn tempban(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    let minutes = match call.arg(2) {
        "" => USUAL_MINUTES,
        text => match text.parse::<i32>() {
            Ok(minutes) if minutes > 0 => minutes,
            _ => return call.usage(),
        },
    };
    let handle = call.arg(1);
    let Some(player) = find_player(call, handle) else { return };
    let Some(address) = player.address else { return call.line("a bot has no address; kick it") };
    let reason = match call.rest(3) {
        reason if reason.is_empty() => "sent away by the host".to_owned(),
        reason => harmless(&reason).replace('"', "'"),
    };
    call.operator.ban(address.ip(), minutes, &reason);
    call.operator.drop_client(player.client, &format!("was banned for {minutes} minutes: {reason}"));
    call.line(format_args!("{} is banned for {minutes} minutes.", harmless(&player.name)));
}

/// `bans`.
pub(super) fn bans(call: &mut Call<'_>) {
    let lines = call.operator.bans();
    if lines.is_empty() {
        return call.line("nobody is banned");
    }
    for line in lines {
        call.line(harmless(&line));
    }
}

/// `unban`.
pub(super) fn unban(call: &mut Call<'_>) {
    let [_, text] = call.args else { return call.usage() };
    let Ok(address) = text.parse::<IpAddr>() else {
        return call.line(format_args!("{} is no address", harmless(text)));
    };
    let known = call.operator.unban(address);
    call.line(if known { "it may come in again" } else { "it was not banned" });
}
