//! Commands about demos that the server records itself.

use super::server_commands::{find_player, is_running, plain_name};
use super::status::Player;
use super::table::Call;

/// `startserverdemo`.
pub(super) fn start(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        call.usage();
        let running = call.operator.demos();
        running.iter().for_each(|line| call.line(line));
        return;
    }
    for player in players(call) {
        let wanted = call.arg(2);
        let name = match wanted {
            "" => default_name(call, &player),
            // One name for many: each has its slot behind it.
            _ if call.arg(1) == "all" => format!("{wanted}-{}", player.client),
            _ => wanted.to_owned(),
        };
        match call.operator.start_demo(player.client, &name) {
            Ok(file) => call.line(format_args!("recording slot {} to {file}", player.client)),
            Err(sentence) => call.line(sentence),
        }
    }
}

/// `stopserverdemo`.
pub(super) fn stop(call: &mut Call<'_>) {
    if call.args.len() < 2 {
        return call.usage();
    }
    for player in players(call) {
        if call.operator.stop_demo(player.client) {
            call.line(format_args!("slot {} is recorded no longer", player.client));
        } else if call.arg(1) != "all" {
            call.line(format_args!("slot {} is not being recorded", player.client));
        }
    }
}

/// Whom the first argument names.
fn players(call: &mut Call<'_>) -> Vec<Player> {
    if call.arg(1) != "all" {
        let handle = call.arg(1);
        return find_player(call, handle).into_iter().collect();
    }
    if is_running(call) { call.operator.players() } else { Vec::new() }
}

/// Map and player, as far as they are plain.
fn default_name(call: &mut Call<'_>, player: &Player) -> String {
    let map = call.operator.cvars().config().mapname.clone();
    let plain = |text: &str, most: usize| -> String {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || "_-".contains(*c);
        text.chars().filter(is_plain).take(most).collect()
    };
    format!("{}-{}-{}", plain(&map, 20), player.client, plain(&plain_name(&player.name), 20))
}
