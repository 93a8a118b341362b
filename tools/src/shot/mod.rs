//! `fogtool shot`: draws a shot of the server's shot log as an SVG: the ray, and everybody near it as drawn and as it was.
//!
//! In: a file of `sv_shotlog`, a line of JSON for each shot. Out: what came of it in words, and [`draw`]'s drawing.

mod draw;

pub use draw::draw;

use crate::rim::picture::write_picture;
use clap::Args;
use fogline_server::rewind::report::weapon_name;
use serde_json::Value;
use std::path::PathBuf;

/// Which shot, and where to.
#[derive(Args, Debug)]
pub struct ShotArgs {
    /// The file of sv_shotlog.
    pub log: PathBuf,
    /// Number of the shot; the last one that hit differently than the present would have, or else the last, if left out.
    #[arg(long)]
    pub number: Option<u64>,
    /// Only shots of this client.
    #[arg(long)]
    pub client: Option<i64>,
    /// Where the drawing goes.
    #[arg(long, default_value = "shot.svg")]
    pub out: PathBuf,
    /// Write it as PNG too.
    #[arg(long)]
    pub png: bool,
}

/// Draws it. Whether there was such a shot.
///
/// # Errors
/// A sentence, if the log cannot be read or the drawing not be written.
pub fn run(args: &ShotArgs) -> Result<bool, String> {
    let say = |path: &PathBuf, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    #[allow(clippy::disallowed_methods, reason = "the log is named on the command line")]
    let text = std::fs::read_to_string(&args.log).map_err(|error| say(&args.log, &error))?;
    let Some(shot) = choose(&text, args.number, args.client) else {
        say!("no such shot in {}", args.log.display());
        return Ok(false);
    };
    let drawing =
        draw(&shot).ok_or_else(|| say(&args.log, &"the shot's line is not as this program writes it"))?;
    write_picture(&args.out, &drawing, args.png)?;
    say!("{}: {}", args.out.display(), headline(&shot).join("; "));
    Ok(true)
}

/// The shot that is asked for. Lines that are no JSON are passed over.
pub fn choose(log: &str, number: Option<u64>, client: Option<i64>) -> Option<Value> {
    let shots = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut shots: Vec<Value> =
        shots.filter(|shot| client.is_none_or(|client| shot["client"].as_i64() == Some(client))).collect();
    match number {
        Some(number) => shots.into_iter().find(|shot| shot["shot"].as_u64() == Some(number)),
        None => {
            let differs = shots.iter().rposition(|shot| {
                shot["rays"].as_array().is_some_and(|rays| {
                    rays.iter().any(|ray| ray.get("hit_in_present").is_some_and(|hit| *hit != ray["hit"]))
                })
            });
            differs.map(|at| shots.swap_remove(at)).or_else(|| shots.pop())
        }
    }
}

/// The shot in words: who, how late, and what its rays hit, then and by the present.
pub fn headline(shot: &Value) -> [String; 3] {
    let (time, claim) = (shot["time"].as_i64().unwrap_or(0), shot["claim"].as_i64().unwrap_or(0));
    let name = shot["name"].as_str().unwrap_or_default();
    let weapon = weapon_name(shot["weapon"].as_i64().and_then(|num| i32::try_from(num).ok()).unwrap_or(0));
    let judged = match shot["at"].as_i64() {
        Some(at) => format!("judged {} ms back", time - at),
        None => "judged in the present".to_owned(),
    };
    let capped = if shot["capped"] == true { ", which is as far as the host allows" } else { "" };
    let fault = shot["fault"]
        .as_str()
        .map_or(String::new(), |fault| format!("; the claim was not believed ({fault})"));
    [
        format!("shot {} of client {} ({name}), {weapon}", shot["shot"], shot["client"]),
        format!("its shooter drew a world {} ms old; {judged}{capped}{fault}", time - claim),
        hits_in_words(shot),
    ]
}

fn hits_in_words(shot: &Value) -> String {
    let rays: Vec<&Value> = shot["rays"].as_array().into_iter().flatten().collect();
    let judged = tally(rays.iter().map(|ray| &ray["hit"]));
    if rays.iter().all(|ray| ray.get("hit_in_present").is_none()) {
        return format!("hit {judged}");
    }
    format!(
        "hit {judged}; in the present it would have hit {}",
        tally(rays.iter().map(|ray| &ray["hit_in_present"]))
    )
}

/// What rays ended at, each once, with how many if there are several.
fn tally<'a>(hits: impl Iterator<Item = &'a Value>) -> String {
    let mut counts: Vec<(String, u32)> = Vec::new();
    for hit in hits {
        let what = match hit.as_i64() {
            Some(num) if num < 64 => format!("client {num}"),
            Some(1022) => "the world".to_owned(),
            Some(num) => format!("entity {num}"),
            None => "nothing".to_owned(),
        };
        match counts.iter_mut().find(|(known, _)| *known == what) {
            Some((_, count)) => *count += 1,
            None => counts.push((what, 1)),
        }
    }
    counts.sort();
    let several = counts.iter().map(|(_, count)| count).sum::<u32>() > 1;
    let words =
        counts.iter().map(|(what, count)| if several { format!("{what} x{count}") } else { what.clone() });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"{"shot":1,"client":0,"name":"a","guid":"","weapon":7,"time":1500,"claim":1380,"oldest":1200,"at":1380,"fault":null,"capped":false,"rays":[{"start":[0,0,50],"end":[8192,0,50],"came":[285,0,50],"hit":1,"candidates":1,"hit_in_present":1022}],"boxes":[{"client":1,"then":[285,-15,0,315,15,56],"now":[285,25,0,315,55,56]}]}
no json
{"shot":2,"client":3,"name":"b","guid":"","weapon":2,"time":1600,"claim":1600,"oldest":0,"at":null,"fault":"line","capped":false,"rays":[{"start":[0,0,50],"end":[8192,0,50],"came":[500,0,50],"hit":1022,"candidates":0}],"boxes":[]}
{"shot":3,"client":0,"name":"a","guid":"","weapon":3,"time":1700,"claim":1400,"oldest":1200,"at":1500,"fault":null,"capped":true,"rays":[{"start":[0,0,50],"end":[8192,0,50],"came":[285,0,50],"hit":1,"candidates":1,"hit_in_present":1022},{"start":[0,0,50],"end":[8192,0,50],"came":[285,0,50],"hit":1,"candidates":1,"hit_in_present":1},{"start":[0,0,50],"end":[8192,0,50],"came":[8192,0,50],"hit":null,"candidates":1,"hit_in_present":1022}],"boxes":[]}"#;

    #[test]
    fn the_shot_that_compensation_changed_is_chosen_first() {
        let number = |number, client| choose(LOG, number, client).and_then(|shot| shot["shot"].as_u64());
        assert_eq!(
            (number(None, None), number(Some(2), None), number(None, Some(3))),
            (Some(3), Some(2), Some(2))
        );
        assert_eq!(number(Some(9), None), None);
    }

    #[test]
    fn a_shot_in_words_counts_its_rays() {
        let words = |number| headline(&choose(LOG, Some(number), None).unwrap()).join(" / ");
        assert_eq!(
            words(1),
            "shot 1 of client 0 (a), railgun / its shooter drew a world 120 ms old; judged 120 ms back / \
             hit client 1; in the present it would have hit the world"
        );
        assert_eq!(
            words(2),
            "shot 2 of client 3 (b), machinegun / its shooter drew a world 0 ms old; judged in the present; \
             the claim was not believed (line) / hit the world"
        );
        assert_eq!(
            words(3),
            "shot 3 of client 0 (a), shotgun / its shooter drew a world 300 ms old; judged 200 ms back, \
             which is as far as the host allows / hit client 1 x2, nothing x1; in the present it would have hit client 1 x1, the world x2"
        );
    }

    #[test]
    fn a_drawing_has_both_boxes_in_both_views() {
        let svg = draw(&choose(LOG, Some(1), None).unwrap()).unwrap();
        assert_eq!((svg.matches("class=\"then\"").count(), svg.matches("class=\"now\"").count()), (2, 2));
        assert!(svg.contains("a world 120 ms old") && svg.contains("would have hit the world"), "{svg}");
        assert!(draw(&choose(LOG, Some(2), None).unwrap()).is_some());
        assert!(draw(&Value::Null).is_none());
        assert!(crate::rim::picture::png(&svg).is_ok());
    }
}
