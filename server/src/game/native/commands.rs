//! What players type, or their clients type for them. Source: `ClientCommand`.

use super::NativeGame;
use super::chat::Audience;
use super::combat::Damage;
use super::number::leading_int;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{means_of_death, stat};
use fogline_common::proto::info_string;

impl NativeGame {
    /// One command of a client; `args[0]` is its name.
    pub(super) fn command(&mut self, host: &mut dyn Host, num: ClientNum, args: &[&str]) {
        let Some((name, rest)) = args.split_first() else { return };
        if !self.clients[num.index()].playing() {
            return;
        }
        let name = name.to_ascii_lowercase();
        if self.talk(host, num, &name, rest) {
            return;
        }
        match name.as_str() {
            "score" => return self.send_scores(host, num),
            "acc" => return self.send_accuracy(host, num),
            "stats" => return self.send_statistics(host, num),
            _ => {}
        }
        if self.level.stage.is_intermission() {
            // At the scores there is nothing else to do, so words that are no command are meant for the others.
            if !COMMANDS.contains(&name.as_str()) {
                self.say(host, num, Audience::All, args);
            }
            return;
        }
        match name.as_str() {
            "give" | "god" | "notarget" | "noclip" | "setviewpos" => {
                let mut lower = vec![name.as_str()];
                lower.extend(rest);
                self.cheat(host, num, &lower);
            }
            "kill" => self.kill_oneself(host, num),
            "team" => self.team_command(host, num, rest.first().copied()),
            "follow" => self.follow(host, num, rest.first().copied()),
            "follownext" => self.follow_next(host, num, 1),
            "followprev" => self.follow_next(host, num, -1),
            "where" => self.tell_where(host, num),
            "callvote" => self.call_vote(host, num, rest),
            "vote" => self.cast_vote(host, num, rest.first().copied()),
            "callteamvote" => self.call_team_vote(host, num, rest),
            "teamvote" => self.cast_team_vote(host, num, rest.first().copied()),
            "teamtask" => self.take_task(host, num, rest),
            "getmappage" => self.send_map_page(host, num, rest.first().copied()),
            // Known words of the client that need no answer here.
            "levelshot" | "gc" => {}
            _ => {
                let shown: String =
                    name.chars().filter(|c| !matches!(c, '"' | '%') && !c.is_control()).take(40).collect();
                host.send_server_command(Some(num), &format!("print \"unknown cmd {shown}\n\""));
            }
        }
    }

    /// The commands that talk, which work at all times. Whether this was one.
    fn talk(&mut self, host: &mut dyn Host, num: ClientNum, name: &str, rest: &[&str]) -> bool {
        let to_one = |game: &Self, host: &mut dyn Host| match rest.first().map(|who| game.find_client(who)) {
            Some(Ok(other)) => Some(Audience::One(other)),
            Some(Err(reason)) => {
                host.send_server_command(Some(num), &format!("print \"{reason}\n\""));
                None
            }
            None => None,
        };
        let rest_of_tell = rest.get(1..).unwrap_or(&[]);
        match name {
            "say" => self.say(host, num, Audience::All, rest),
            "say_team" => self.say(host, num, Audience::Team, rest),
            "tell" => {
                if let Some(to) = to_one(self, host) {
                    self.say(host, num, to, rest_of_tell);
                }
            }
            "vsay" => self.voice(host, num, Audience::All, false, rest),
            "vsay_team" => self.voice(host, num, Audience::Team, false, rest),
            "vsay_local" => self.voice(host, num, Audience::All, false, rest),
            "vosay_local" => self.voice(host, num, Audience::All, true, rest),
            "vosay" => self.voice(host, num, Audience::All, true, rest),
            "vosay_team" => self.voice(host, num, Audience::Team, true, rest),
            "vtell" | "votell" => {
                if let Some(to) = to_one(self, host) {
                    self.voice(host, num, to, name == "votell", rest_of_tell);
                }
            }
            "vtaunt" => self.voice(host, num, Audience::All, false, &["taunt"]),
            _ => return false,
        }
        true
    }

    /// `teamtask`: what a player does for its team, as its mates' overlays show it.
    fn take_task(&mut self, host: &mut dyn Host, num: ClientNum, rest: &[&str]) {
        let [task] = rest else { return };
        let mut info = host.userinfo(num).to_owned();
        if info_string::set(&mut info, "teamtask", &leading_int(task).clamp(0, 7).to_string()).is_ok() {
            host.set_userinfo(num, &info);
            self.read_userinfo(host, num);
        }
    }

    /// `getmappage`: ten maps for the vote menu of the client; behind the last page comes the first.
    fn send_map_page(&mut self, host: &mut dyn Host, num: ClientNum, page: Option<&str>) {
        let maps = host.maps();
        let asked = usize::try_from(leading_int(page.unwrap_or("0"))).unwrap_or(0);
        let page = if asked * MAPS_PER_PAGE < maps.len() { asked } else { 0 };
        let mut text = format!("mappage {page}");
        for name in maps.iter().skip(page * MAPS_PER_PAGE).take(MAPS_PER_PAGE) {
            text.push(' ');
            text.push_str(name);
        }
        host.send_server_command(Some(num), &text);
    }

    /// The `kill` command.
    pub(super) fn kill_oneself(&mut self, host: &mut dyn Host, num: ClientNum) {
        if self.clients[num.index()].spectating() || self.entities[num.entity()].health <= 0 {
            return;
        }
        self.entities[num.entity()].god = false;
        self.entities[num.entity()].health = 0;
        self.clients[num.index()].ps.stats[stat::HEALTH as usize] = 0;
        let hit = Damage::new(num.entity(), 0, means_of_death::SUICIDE).by(num.entity());
        self.die(host, num, &hit);
    }
}

/// Maps of one page. Source: `MAPS_PER_PAGE`.
const MAPS_PER_PAGE: usize = 10;

/// Commands that do nothing at the scores. Talking and `score` work there.
const COMMANDS: [&str; 19] = [
    "give",
    "god",
    "notarget",
    "noclip",
    "setviewpos",
    "kill",
    "team",
    "follow",
    "follownext",
    "followprev",
    "where",
    "callvote",
    "vote",
    "callteamvote",
    "teamvote",
    "teamtask",
    "levelshot",
    "gc",
    "stats",
];
