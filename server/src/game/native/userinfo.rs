//! What players say about themselves: cleaned names, models and handicap, and what the others are told of it.

use super::NativeGame;
use super::client::is_team_game;
use super::level::set_configstring;
use super::number::leading_int;
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{configstring, powerup, stat};
use fogline_common::pmove::carried_powerup;
use fogline_common::proto::info_string;
use fogline_common::proto::limits::MAX_NAME_LENGTH;

/// Bytes of a model name or another field that is passed on. Source: `MAX_QPATH`.
const MAX_FIELD_BYTES: usize = 63;
/// Blanks in a row that a name may have.
const MAX_BLANKS: usize = 3;

impl NativeGame {
    /// Reads the userinfo again and tells everybody. Source: `ClientUserinfoChanged`.
    pub(super) fn read_userinfo(&mut self, host: &mut dyn Host, num: ClientNum) {
        let info = host.userinfo(num).to_owned();
        let value = |key| info_string::value(&info, key);
        let team_game = is_team_game(host.config().g_gametype);
        // Clients mark a player that has a skill on their scoreboards.
        let skill =
            if self.is_bot(num) { format!("\\skill\\{}", field(value("skill"))) } else { String::new() };
        let client = &mut self.clients[num.index()];

        client.player.local = value("ip") == "localhost";
        client.player.predicts_items = leading_int(value("cg_predictItems")) != 0;
        // Who does not say is told, as in the original.
        let overlay = value("teamoverlay");
        client.player.wants_overlay = overlay.is_empty() || leading_int(overlay) != 0;
        let old_name = std::mem::replace(&mut client.player.name, clean_name(value("name"), num));
        client.player.handicap = match leading_int(value("handicap")) {
            health @ 1..=100 => health,
            _ => 100,
        };
        let guarded = carried_powerup(&client.ps) == powerup::GUARD;
        client.player.max_health = client.player.handicap * if guarded { 2 } else { 1 };
        client.ps.stats[stat::MAX_HEALTH as usize] = client.player.max_health;

        let (model, head) = if team_game { ("team_model", "team_headmodel") } else { ("model", "headmodel") };
        let text = format!(
            "n\\{}\\t\\{}\\model\\{}\\hmodel\\{}\\g_redteam\\{}\\g_blueteam\\{}\\c1\\{}\\c2\\{}\\hc\\{}\\w\\{}\\l\\{}{skill}\\tt\\{}\\tl\\{}",
            client.player.name,
            client.session.team,
            field(value(model)),
            field(value(head)),
            field(value("g_redteam")),
            field(value("g_blueteam")),
            field(value("color1")),
            field(value("color2")),
            client.player.max_health,
            client.session.wins,
            client.session.losses,
            leading_int(value("teamtask")),
            i32::from(client.session.leader),
        );
        if client.playing() && client.player.name != old_name {
            let line = format!("print \"{old_name}^7 renamed to {}\n\"", client.player.name);
            host.send_server_command(None, &line);
        }
        set_configstring(host, configstring::PLAYERS + num.index() as u16, &text);
        let guid = field(value("cl_guid"));
        host.log_game(
            &Record::new("client_userinfo", format!("ClientUserinfoChanged: {num} {text}\\id\\{guid}"))
                .int("client", num.index() as i32)
                .text("name", &self.clients[num.index()].player.name)
                .text("guid", &guid)
                .int("team", self.clients[num.index()].session.team),
        );
    }
}

/// A field as others may see it: printable ASCII without what would end an info string or a command.
fn field(text: &str) -> String {
    let harmless = |c: &char| matches!(c, ' '..='~') && !matches!(c, '\\' | '"' | ';' | '%');
    text.chars().filter(harmless).take(MAX_FIELD_BYTES).collect()
}

/// A name that others can live with: at most 31 bytes of printable ASCII, no blank at the beginning and few in a row, not all in
/// black, and something to see. Source: `ClientCleanName`. Two players may have the same name.
pub(super) fn clean_name(raw: &str, num: ClientNum) -> String {
    let mut name = String::with_capacity(MAX_NAME_LENGTH);
    let mut blanks = 0;
    for c in field(raw).trim_start().chars() {
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        if blanks <= MAX_BLANKS && name.len() < MAX_NAME_LENGTH - 1 {
            name.push(c);
        }
    }
    let mut shown = 0;
    let mut shown_in_colour = 0;
    let mut black = false;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('^', Some(&code)) if code.is_ascii_alphanumeric() => {
                // Colours repeat after eight; 0 and 8 are black.
                black = (u32::from(code) - u32::from('0')) & 7 == 0;
                chars.next();
            }
            (' ', _) => {}
            _ => {
                shown += 1;
                shown_in_colour += usize::from(!black && c.is_ascii_alphanumeric());
            }
        }
    }
    if shown == 0 {
        return format!("Nameless{num}");
    }
    if shown_in_colour == 0 { without_colours(&name) } else { name }
}

/// The text without its colour codes.
pub(super) fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '^' && chars.peek().is_some_and(char::is_ascii_alphanumeric) {
            chars.next();
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned() {
        let check = |raw: &str, clean: &str| assert_eq!(clean_name(raw, ClientNum::new(3).unwrap()), clean);
        check("Sarge", "Sarge");
        check("  Sarge", "Sarge");
        check("a      b", "a   b");
        check("", "Nameless3");
        check("   ", "Nameless3");
        check("^1^2^3", "Nameless3");
        check("^1Red", "^1Red");
        check("^0Ghost", "Ghost");
        check("^0Gh^1ost", "^0Gh^1ost");
        check("x\u{1}\n\"y;z\\%", "xyz");
        check("0123456789012345678901234567890123456789", "0123456789012345678901234567890");
        check("é", "Nameless3");
    }

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("^1a^^2b^"), "a^b^");
    }
}
