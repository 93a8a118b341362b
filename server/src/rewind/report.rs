//! A shot in words: a line for the host's console, a line of JSON for the log.

use super::shots::Shot;
use crate::json::quote;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::weapon;
use std::fmt::Write as _;

/// Who fired, as logs name it.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    /// Name as the player writes it.
    pub name: &'a str,
    /// `cl_guid`.
    pub guid: &'a str,
}

/// One shot as one line of JSON.
///
/// Times are ms of server time. `time`: when it was judged; `claim`: what the client says it was drawing; `oldest`: the oldest
/// claim that would have been believed; `at`: the moment it was judged by, null for the present. `sure`: its client can have drawn
/// that moment from no other two snapshots than those that it was judged by. `hit` is an entity number, 1022 the
/// world; `hit_in_present` what the ray would have hit without compensation. A box is its two corners.
pub fn json(shot: &Shot, who: &Who<'_>) -> String {
    let mut text = String::with_capacity(512);
    let client = shot.shooter.map_or(-1, |num| num.index() as i32);
    // Writing to a string cannot fail.
    let _ = write!(text, "{{\"shot\":{},\"client\":{client},\"name\":", shot.number);
    quote(&mut text, who.name);
    text.push_str(",\"guid\":");
    quote(&mut text, who.guid);
    let at = shot.moment.map_or("null".to_owned(), |moment| moment.at.0.to_string());
    let fault = shot.fault.map_or("null".to_owned(), |fault| format!("\"{}\"", fault.word()));
    let _ = write!(
        text,
        ",\"weapon\":{},\"time\":{},\"claim\":{},\"oldest\":{},\"at\":{at},\"fault\":{fault},\"capped\":{},\"sure\":{},\"rays\":[",
        shot.weapon,
        shot.now.0,
        shot.claim.0,
        shot.oldest.0.max(0),
        shot.is_capped(),
        shot.sure,
    );
    for (n, ray) in shot.rays.iter().enumerate() {
        text.push_str(if n == 0 { "{\"start\":" } else { ",{\"start\":" });
        vector(&mut text, ray.start);
        text.push_str(",\"end\":");
        vector(&mut text, ray.end);
        text.push_str(",\"came\":");
        vector(&mut text, ray.came);
        let _ = write!(text, ",\"hit\":{},\"candidates\":{}", number(ray.hit), ray.candidates);
        if let Some(hit) = ray.hit_in_present {
            let _ = write!(text, ",\"hit_in_present\":{}", number(hit));
        }
        text.push('}');
    }
    text.push_str("],\"boxes\":[");
    for (n, boxes) in shot.boxes.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{{\"client\":{},\"then\":", boxes.client.index());
        match &boxes.then {
            Some(then) => corners(&mut text, then),
            None => text.push_str("null"),
        }
        text.push_str(",\"now\":");
        corners(&mut text, &boxes.now);
        text.push('}');
    }
    text.push_str("]}");
    text
}

/// One shot as a line of the console.
pub fn line(shot: &Shot) -> String {
    let mut text = format!("{:>9.3} s  {:<11}", f64::from(shot.now.0) / 1000.0, weapon_name(shot.weapon));
    let mut hits: Vec<usize> = shot.hits().map(ClientNum::index).collect();
    hits.sort_unstable();
    hits.dedup();
    let hits: Vec<String> = hits.iter().map(ToString::to_string).collect();
    let hit = if hits.is_empty() { "nobody".to_owned() } else { hits.join(" ") };
    let _ = write!(text, " saw {:>4} ms ago, judged {:>4} ms ago", shot.delay().0, shot.rewound().0);
    let _ = write!(text, ", {} rays, hit {hit}", shot.rays.len());
    if shot.is_capped() {
        text.push_str(", at the cap");
    }
    if let Some(fault) = shot.fault {
        let _ = write!(text, ", not believed: {fault}");
    }
    text
}

/// A weapon that hits at once; `other` for the rest.
pub fn weapon_name(number: i32) -> &'static str {
    match number {
        weapon::GAUNTLET => "gauntlet",
        weapon::MACHINEGUN => "machinegun",
        weapon::SHOTGUN => "shotgun",
        weapon::LIGHTNING => "lightning",
        weapon::RAILGUN => "railgun",
        _ => "other",
    }
}

fn number(hit: Option<EntityNum>) -> String {
    hit.map_or("null".to_owned(), |num| num.index().to_string())
}

fn vector(text: &mut String, v: Vec3) {
    let _ = write!(text, "[{},{},{}]", v.x, v.y, v.z);
}

fn corners(text: &mut String, bounds: &Bounds) {
    let (low, high) = (bounds.mins, bounds.maxs);
    let _ = write!(text, "[{},{},{},{},{},{}]", low.x, low.y, low.z, high.x, high.y, high.z);
}

#[cfg(test)]
mod tests {
    use super::super::shots::{Boxes, Ray};
    use super::super::validate::Fault;
    use super::*;
    use fogline_common::math::vec3;
    use fogline_common::time::ServerTime;

    fn shot() -> Shot {
        let client = ClientNum::new(1).unwrap();
        Shot {
            number: 7,
            shooter: ClientNum::new(0),
            weapon: weapon::RAILGUN,
            now: ServerTime(1500),
            claim: ServerTime(1366),
            oldest: ServerTime(1300),
            fault: Some(Fault::Line),
            rays: vec![Ray {
                start: vec3(0.0, 0.5, 1.0),
                end: vec3(8192.0, 0.0, 0.0),
                came: vec3(100.0, 0.0, 0.0),
                hit: EntityNum::new(1),
                hit_in_present: Some(None),
                candidates: 1,
            }],
            boxes: vec![Boxes { client, then: None, now: Bounds::POINT }],
            ..Shot::default()
        }
    }

    #[test]
    fn a_name_cannot_break_a_line_of_json() {
        let who = Who { name: "a\"b\\\n", guid: "00FF" };
        assert_eq!(
            json(&shot(), &who),
            "{\"shot\":7,\"client\":0,\"name\":\"a\\\"b\\\\\\u000a\",\"guid\":\"00FF\",\"weapon\":7,\"time\":1500,\
             \"claim\":1366,\"oldest\":1300,\"at\":null,\"fault\":\"line\",\"capped\":false,\"sure\":false,\"rays\":[{\"start\":[0,0.5,1],\
             \"end\":[8192,0,0],\"came\":[100,0,0],\"hit\":1,\"candidates\":1,\"hit_in_present\":null}],\
             \"boxes\":[{\"client\":1,\"then\":null,\"now\":[0,0,0,0,0,0]}]}"
        );
    }

    #[test]
    fn the_console_reads_when_it_was_seen_and_whom_it_hit() {
        assert_eq!(
            line(&shot()),
            "    1.500 s  railgun     saw  134 ms ago, judged    0 ms ago, 1 rays, hit 1, not believed: older than the client's \
             round trips explain"
        );
    }
}
