//! Who comes and who goes: what the host types, and `bot_minplayers`.

use super::roster::{Character, ROSTER, named};
use super::skill::SKILLS;
use super::{Bots, Ground, flag_goals};
use crate::game::Host;
use crate::game::native::NativeGame;
use crate::game::native::client::{Connection, is_team_game};
use crate::game::native::number::{leading_float, leading_int};
use crate::game::native::userinfo::without_colours;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{game_type, team};
use fogline_common::proto::info_string;
use fogline_common::time::{Millis, ServerTime};

/// Players are counted this often.
const COUNT_PAUSE: Millis = Millis(500);
/// Bots that wait for the delay of their `addbot`.
const MOST_WAITING: usize = 64;
/// How `addbot` is used.
const ADD_USAGE: &str = "usage: addbot [name] [skill 1-5] [red|blue|free|spectator] [delay in ms]";

/// A bot that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    /// Its name; empty for any.
    name: String,
    /// Its skill.
    skill: f32,
    /// The team that it joins, as the `team` command has it; empty for the weaker one.
    team: String,
}

/// Who is awaited, and when players are counted next.
#[derive(Clone, Debug, Default)]
pub(super) struct Manager {
    waiting: Vec<(ServerTime, Wish)>,
    count_at: Option<ServerTime>,
}

impl Manager {
    /// The clock of another level.
    pub(super) fn begin_level(&mut self) {
        self.count_at = None;
        for (at, _) in &mut self.waiting {
            *at = ServerTime(0);
        }
    }
}

/// The skill that a bot's userinfo tells.
pub(super) fn skill_of(userinfo: &str) -> f32 {
    leading_float(info_string::value(userinfo, "skill")).clamp(SKILLS.0, SKILLS.1)
}

impl Bots {
    /// Lets those come whose time it is, and keeps the number of players that the host wants.
    pub(super) fn manage(&mut self, game: &mut NativeGame, host: &mut dyn Host) {
        let now = game.level.time;
        while let Some(at) = self.manager.waiting.iter().position(|&(at, _)| at <= now) {
            let (_, wish) = self.manager.waiting.remove(at);
            self.add(game, host, &wish);
        }
        let count_at = *self.manager.count_at.get_or_insert(now + COUNT_PAUSE);
        if now < count_at {
            return;
        }
        self.manager.count_at = Some(now + COUNT_PAUSE);
        if game.level.stage.is_intermission() {
            return;
        }
        self.seat_onlookers(game, host);
        if host.config().bot_enable && host.config().bot_minplayers > 0 {
            self.keep_number(game, host);
        }
    }

    /// A bot that looks on joins; in a tournament it waits for its turn.
    fn seat_onlookers(&self, game: &mut NativeGame, host: &mut dyn Host) {
        if host.config().g_gametype == game_type::TOURNAMENT {
            return;
        }
        for mind in &self.minds {
            let client = &game.clients[mind.num.index()];
            let wish = info_string::value(host.userinfo(mind.num), "team").to_owned();
            if client.playing() && client.spectating() && !matches!(wish.as_str(), "spectator" | "s") {
                game.set_team(host, mind.num, &wish);
            }
        }
    }

    /// One bot more or less, in each team or at all.
    fn keep_number(&mut self, game: &mut NativeGame, host: &mut dyn Host) {
        let config = host.config();
        let wanted = config.bot_minplayers.max(0) as usize;
        let skill = config.g_spskill;
        let slots = config.sv_maxclients.max(1) as usize;
        let wish = |team: &str| Wish { name: String::new(), skill, team: team.to_owned() };
        if is_team_game(config.g_gametype) {
            let wanted = wanted.min((slots / 2).saturating_sub(1).max(1));
            for (team, name) in [(team::RED, "red"), (team::BLUE, "blue")] {
                self.balance(game, host, game.team_size(team, None), wanted, Some(team), &wish(name));
            }
            return;
        }
        let wanted = wanted.min(slots.saturating_sub(1).max(1));
        let count = if config.g_gametype == game_type::TOURNAMENT {
            game.slots().filter(|num| game.clients[num.index()].connection != Connection::Absent).count()
        } else {
            game.playing_number(None)
        };
        self.balance(game, host, count, wanted, None, &wish(""));
    }

    fn balance(
        &mut self,
        game: &mut NativeGame,
        host: &mut dyn Host,
        count: usize,
        wanted: usize,
        team: Option<i32>,
        wish: &Wish,
    ) {
        if count < wanted {
            self.add(game, host, wish);
        } else if count > wanted {
            let of_team = |num: &ClientNum| {
                let client = &game.clients[num.index()];
                game.is_bot(*num)
                    && client.connection != Connection::Absent
                    && team.is_none_or(|team| client.session.team == team)
            };
            let weakest = game.slots().filter(of_team).min_by_key(|num| game.clients[num.index()].score());
            if let Some(num) = weakest {
                host.drop_client(num, "makes room");
            }
        }
    }

    /// A bot comes.
    fn add(&mut self, game: &mut NativeGame, host: &mut dyn Host, wish: &Wish) {
        let character = self.character(game, &wish.name);
        let name = match (&character, wish.name.as_str()) {
            (Some(character), _) => character.name.to_owned(),
            (None, name) => name.to_owned(),
        };
        let model = character.map_or_else(|| ROSTER[self.rng.usize(0..ROSTER.len())].model, |c| c.model);
        let userinfo = userinfo(&name, model, wish);
        let num = match host.add_bot(&userinfo) {
            Ok(num) => num,
            Err(sentence) => return host.print(&format!("No bot was added. {sentence}")),
        };
        if let Err(sentence) = game.connect(host, num, true, true) {
            return host.drop_client(num, &sentence);
        }
        game.begin(host, num);
        let looks_on = game.clients[num.index()].spectating();
        if looks_on
            && host.config().g_gametype != game_type::TOURNAMENT
            && !matches!(wish.team.as_str(), "spectator" | "s")
        {
            game.set_team(host, num, &wish.team);
        }
    }

    /// The character of a name, or one by lot that does not play yet. `None` for a name that nobody of the roster has.
    fn character(&mut self, game: &NativeGame, name: &str) -> Option<Character> {
        if !name.is_empty() && !name.eq_ignore_ascii_case("random") {
            return named(name).copied();
        }
        let taken = |character: &Character| {
            game.slots().any(|num| {
                let client = &game.clients[num.index()];
                client.connection != Connection::Absent
                    && without_colours(&client.player.name).eq_ignore_ascii_case(character.name)
            })
        };
        let free: Vec<&Character> = ROSTER.iter().filter(|character| !taken(character)).collect();
        let all: Vec<&Character> = ROSTER.iter().collect();
        let choice = if free.is_empty() { all } else { free };
        Some(*choice[self.rng.usize(0..choice.len())])
    }

    /// A console word of the host. Whether it was about bots.
    pub(super) fn command(&mut self, game: &mut NativeGame, host: &mut dyn Host, args: &[&str]) -> bool {
        match args {
            ["addbot", rest @ ..] => self.addbot(game, host, rest),
            ["removebot", rest @ ..] => self.removebot(game, host, rest),
            ["botlist", ..] => self.list(game, host),
            _ => return false,
        }
        true
    }

    fn addbot(&mut self, game: &NativeGame, host: &mut dyn Host, args: &[&str]) {
        if !host.config().bot_enable {
            return host.print("Bots are not allowed here: bot_enable is 0.");
        }
        let arg = |at: usize| args.get(at).copied().unwrap_or("");
        let team = arg(2).to_ascii_lowercase();
        if !matches!(team.as_str(), "" | "red" | "r" | "blue" | "b" | "free" | "spectator" | "s" | "auto") {
            return host.print(&format!("There is no team {team:?}. {ADD_USAGE}"));
        }
        let skill = if arg(1).is_empty() { host.config().g_spskill } else { leading_float(arg(1)) };
        if !(SKILLS.0..=SKILLS.1).contains(&skill) {
            return host.print(&format!("Skills go from 1 to 5; {:?} is none. {ADD_USAGE}", arg(1)));
        }
        if self.manager.waiting.len() == MOST_WAITING {
            return host.print("Too many bots are on their way already.");
        }
        let delay = Millis(leading_int(arg(3)).clamp(0, 3_600_000));
        let wish = Wish { name: arg(0).to_owned(), skill, team };
        self.manager.waiting.push((game.level.time + delay, wish));
    }

    fn removebot(&mut self, game: &NativeGame, host: &mut dyn Host, args: &[&str]) {
        let bots = || game.slots().filter(|&num| self.minds.iter().any(|mind| mind.num == num));
        let reason = "was removed";
        match args.first() {
            None => match bots().next_back() {
                Some(num) => host.drop_client(num, reason),
                None => host.print("There is no bot."),
            },
            Some(&"all") => bots().for_each(|num| host.drop_client(num, reason)),
            Some(who) => match game.find_client(who) {
                Ok(num) if game.is_bot(num) => host.drop_client(num, reason),
                Ok(num) => host.print(&format!("Client {num} is no bot; kick sends players away.")),
                Err(sentence) => host.print(&sentence),
            },
        }
    }

    fn list(&self, game: &NativeGame, host: &mut dyn Host) {
        let ground = match &self.ground {
            Ground::Unknown => "the ways of the map are not known yet".to_owned(),
            Ground::Surveyed(build) => format!("the ways are being found: {} places", build.found()),
            Ground::Known(graph) => format!(
                "ways: {} places, {} edges, {} regions, {} things, {} moves",
                graph.len(),
                graph.edge_count(),
                graph.region_count(),
                self.goods.len(),
                graph.work
            ),
        };
        host.print(&ground);
        if let (Ground::Known(graph), game_type::CTF) = (&self.ground, host.config().g_gametype) {
            host.print(&flags_line(flag_goals::ways_between_stands(game, graph)));
        }
        for mind in &self.minds {
            let client = &game.clients[mind.num.index()];
            host.print(&format!(
                "{:2} {:5} {:8} {:3} {}",
                mind.num.index(),
                client.score(),
                mind.report(),
                mind.route.failures,
                client.player.name
            ));
        }
    }
}

/// How the stands of both flags hang together.
fn flags_line(ways: Option<[Option<u32>; 2]>) -> String {
    let way = |ms: Option<u32>| ms.map_or("no way".to_owned(), |ms| format!("{:.1} s", ms as f32 * 0.001));
    match ways {
        Some([there, back]) => format!("flags: red to blue {}, blue to red {}", way(there), way(back)),
        None => "flags: one is missing".to_owned(),
    }
}

/// What a bot says of itself.
fn userinfo(name: &str, model: &str, wish: &Wish) -> String {
    let mut info = String::new();
    let skill = wish.skill.to_string();
    let pairs = [
        ("name", name),
        ("rate", "25000"),
        ("snaps", "20"),
        ("model", model),
        ("headmodel", model),
        ("team_model", model),
        ("team_headmodel", model),
        ("color1", "4"),
        ("color2", "5"),
        ("handicap", "100"),
        ("skill", &skill),
        ("team", &wish.team),
    ];
    for (key, value) in pairs {
        // A name that no info string can hold is left out; the game then calls the bot nameless.
        let _ = info_string::set(&mut info, key, value);
    }
    info
}
