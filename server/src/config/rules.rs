//! Rules about single cvars that a range cannot say.

/// Passwords that everybody tries first.
const WELL_KNOWN_PASSWORDS: [&str; 12] = [
    "password",
    "rconpassword",
    "changeme",
    "secret",
    "admin",
    "quake3",
    "openarena",
    "12345678",
    "qwerty",
    "letmein",
    "fogline",
    "rcon1234",
];

/// Shortest remote password that draws no warning. Unit: characters.
const SHORTEST_PASSWORD: usize = 8;

/// A sentence saying why this value is not offered, if it is not.
pub(super) fn refusal(name: &str, value: &str) -> Option<String> {
    match name {
        "sv_pure" if value == "1" => Some(
            "sv_pure 1 (clients may use the server's pk3 files only) is not offered yet; it stays 0"
                .to_owned(),
        ),
        "g_gametype" => unplayed_game_type(value).map(|name| {
            format!(
                "g_gametype {value} ({name}) is not offered until somebody asks for it; 0 (free for all), 1 (tournament), \
                 3 (team deathmatch) and 4 (capture the flag) are"
            )
        }),
        "g_log" | "g_logJson" | "sv_mapRotation" | "g_voteMapsFile" | "g_voteCustomFile" | "com_pipefile" | "sv_vistrace" if !is_plain_relative(value) => Some(format!(
            "{name} must be a file name below the home path, without \"..\"; it stays as it was"
        )),
        _ => None,
    }
}

/// The name of a game type that clients know and these rules do not play.
fn unplayed_game_type(value: &str) -> Option<&'static str> {
    Some(match value {
        "2" => "single player",
        "5" => "one flag",
        "6" => "overload",
        "7" => "harvester",
        "8" => "elimination",
        "9" => "CTF elimination",
        "10" => "last man standing",
        "11" => "double domination",
        "12" => "domination",
        _ => return None,
    })
}

/// A sentence of advice about a value that is accepted, if it deserves one.
pub(super) fn advice(name: &str, value: &str) -> Option<String> {
    match name {
        "rconPassword" if !value.is_empty() => {
            let lower = value.to_ascii_lowercase();
            let weak =
                value.chars().count() < SHORTEST_PASSWORD || WELL_KNOWN_PASSWORDS.contains(&lower.as_str());
            weak.then(|| {
                format!(
                    "rconPassword is easy to guess: take {SHORTEST_PASSWORD} characters or more that no word list has"
                )
            })
        }
        _ if matches!(value, "http:" | "https:") => {
            Some(format!("{name} is only \"{value}\": put the address in quotes, \"//\" begins a comment"))
        }
        _ => None,
    }
}

fn is_plain_relative(path: &str) -> bool {
    !path.starts_with(['/', '\\']) && !path.contains(':') && !path.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_types_that_are_not_played_are_refused_by_name_and_say_which_are() {
        for (value, name) in [
            ("5", "one flag"),
            ("6", "overload"),
            ("7", "harvester"),
            ("8", "elimination"),
            ("9", "CTF elimination"),
            ("10", "last man standing"),
            ("11", "double domination"),
            ("12", "domination"),
        ] {
            let sentence = refusal("g_gametype", value).expect("it is refused");
            assert!(sentence.contains(&format!("{value} ({name}) is not offered")), "{sentence}");
            assert!(sentence.contains("4 (capture the flag)"), "{sentence}");
        }
        for value in ["0", "1", "3", "4"] {
            assert_eq!(refusal("g_gametype", value), None);
        }
    }
}
