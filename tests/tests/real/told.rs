//! What a server's log tells of a match, and whether the client told its player the same: obituaries and things taken.

use crate::scenes::WALKER;
use std::collections::BTreeMap;

/// Words by which the client tells of a kill, by the log's name of its means. Source: `CG_Obituary` of the 0.8.8 client, as it prints.
const WORDS: [(&str, &str); 22] = [
    ("MOD_GAUNTLET", "pummeled"),
    ("MOD_MACHINEGUN", "machinegunned"),
    ("MOD_SHOTGUN", "gunned down"),
    ("MOD_GRENADE", "grenade"),
    ("MOD_GRENADE_SPLASH", "shrapnel"),
    ("MOD_ROCKET", "rocket"),
    ("MOD_ROCKET_SPLASH", "rocket"),
    ("MOD_PLASMA", "plasmagun"),
    ("MOD_PLASMA_SPLASH", "plasmagun"),
    ("MOD_RAILGUN", "railed"),
    ("MOD_LIGHTNING", "electrocuted"),
    ("MOD_BFG", "BFG"),
    ("MOD_BFG_SPLASH", "BFG"),
    ("MOD_NAIL", "nailed"),
    ("MOD_CHAINGUN", "Chaingun"),
    ("MOD_TELEFRAG", "personal space"),
    ("MOD_WATER", "sank"),
    ("MOD_SLIME", "melted"),
    ("MOD_LAVA", "lava"),
    ("MOD_FALLING", "cratered"),
    ("MOD_SUICIDE", "suicides"),
    ("MOD_TRIGGER_HURT", "wrong place"),
];

/// A kill, as a server's log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kill {
    pub(crate) killer: String,
    pub(crate) victim: String,
    pub(crate) means: String,
}

/// A `Kill:` line of a log.
pub(crate) fn kill(line: &str) -> Option<Kill> {
    let (_, words) = line.split_once("Kill: ")?.1.split_once(": ")?;
    let (killer, rest) = words.split_once(" killed ")?;
    let (victim, means) = rest.rsplit_once(" by ")?;
    Some(Kill { killer: killer.to_owned(), victim: victim.to_owned(), means: means.trim().to_owned() })
}

/// Whether a line of the client's console tells of a kill.
fn tells_of(line: &str, kill: &Kill) -> bool {
    let Some(rest) = line.strip_prefix(kill.victim.as_str()).and_then(|rest| rest.strip_prefix(' ')) else {
        return false;
    };
    if kill.killer == kill.victim {
        return true;
    }
    let words = WORDS.iter().find(|(means, _)| *means == kill.means).map_or("", |&(_, words)| words);
    (kill.killer.starts_with('<') || rest.contains(kill.killer.as_str())) && rest.contains(words)
}

/// Kills of a log that the client does not tell of. Each line tells of one kill; those of one frame come in any order.
pub(crate) fn untold<'a>(kills: &'a [Kill], client: &[String]) -> Vec<&'a Kill> {
    let mut is_used = vec![false; client.len()];
    let mut tells = |kill: &Kill| {
        let fits = |&at: &usize| !is_used[at] && tells_of(&client[at], kill);
        let Some(at) = (0..client.len()).find(fits) else { return false };
        is_used[at] = true;
        true
    };
    kills.iter().filter(|kill| !tells(kill)).collect()
}

/// Things that the walker took, as a log has them.
pub(crate) fn taken(log: &[String], slot: i32) -> usize {
    log.iter().filter(|line| line.contains(&format!("Item: {slot} "))).count()
}

/// Things that the client played a pickup of, by `cg_debugEvents`.
pub(crate) fn played_pickups(client: &[String], slot: i32) -> usize {
    let own = |line: &&String| {
        let number = line.strip_prefix("ent:").and_then(|rest| rest.trim_start().split(' ').next());
        number.and_then(|text| text.parse::<i32>().ok()) == Some(slot)
    };
    client.iter().filter(|line| line.ends_with("EV_ITEM_PICKUP")).filter(own).count()
}

/// Scores by slot of a scoreboard that the server sent.
pub(crate) fn board(command: &str) -> Option<BTreeMap<usize, i32>> {
    /// Numbers before the first player: how many there are, the sides' scores, when the round began.
    const HEAD: usize = 4;
    let numbers: Vec<i32> =
        command.strip_prefix("scores ")?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let count = usize::try_from(*numbers.first()?).ok()?;
    let rows = numbers.get(HEAD..)?;
    let width = rows.len().checked_div(count)?;
    let row = |row: &[i32]| Some((usize::try_from(*row.first()?).ok()?, *row.get(1)?));
    if width < 2 { None } else { rows.chunks_exact(width).map(row).collect() }
}

/// Scores in the order of slots, as `quakestat` lists players.
pub(crate) fn listed_scores(listed: &str) -> Vec<i32> {
    let score = |line: &str| line.split_once(" frags")?.0.trim().parse().ok();
    listed.lines().filter_map(score).collect()
}

#[test]
fn scores_are_read_off_a_scoreboard_and_off_a_query() {
    let command = "scores 2 5 3 0 4 12 48 3 0 0 10 0 0 0 0 0 0 0 0 1 -1 0 3 0 0 20 0 0 0 0 0 0 0 0\n";
    assert_eq!(board(command), Some(BTreeMap::from([(4, 12), (1, -1)])));
    assert_eq!(board("scores 0 0 0 0"), None);
    assert_eq!(board("print \"scores\""), None);
    let listed = "127.0.0.1:1 2/16 oa_dm1\n\t-1 frags  0ms  Sarge\n\t12 frags  48ms  walker\n";
    assert_eq!(listed_scores(listed), [-1, 12]);
}

#[test]
fn a_kill_is_told_by_victim_killer_and_means() {
    let log = [
        "Kill: 0 1 10: walker killed Sarge by MOD_RAILGUN",
        "Kill: 1022 0 19: <world> killed walker by MOD_FALLING",
        "Kill: 1 0 6: Sarge killed walker by MOD_ROCKET",
    ];
    let kills: Vec<Kill> = log.iter().filter_map(|line| kill(line)).collect();
    assert_eq!(kills.len(), 3);
    let said = |lines: [&str; 3]| lines.map(str::to_owned).to_vec();
    let right = said(["Sarge was railed by walker", "walker cratered", "walker ate Sarge's rocket"]);
    assert!(untold(&kills, &right).is_empty());
    let wrong = said(["Sarge was railed by Liz", "walker cratered", "walker was railed by Sarge"]);
    assert_eq!(untold(&kills, &wrong), [&kills[0], &kills[2]]);
    let twice = [kills[0].clone(), kills[0].clone()];
    assert_eq!(untold(&twice, &right), [&kills[0]], "a line tells of one kill");
    assert!(WORDS.iter().all(|(means, _)| means.starts_with("MOD_")) && WALKER == "walker");
}

#[test]
fn pickups_are_counted_of_the_own_player_alone() {
    let client = [
        "ent:  3  event: 19 EV_ITEM_PICKUP",
        "ent: 13  event: 19 EV_ITEM_PICKUP",
        "ent:  3  event:  1 EV_FOOTSTEP",
    ];
    assert_eq!(played_pickups(&client.map(str::to_owned), 3), 1);
    let log = ["Item: 3 weapon_railgun", "Item: 33 weapon_railgun", "Item: 3 item_health"];
    assert_eq!(taken(&log.map(str::to_owned), 3), 2);
}
