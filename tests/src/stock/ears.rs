//! What a stock client says of its ears. With `cg_debugEvents 1` its cgame names each event that it plays, with `s_show 2` its mixer
//! names in every frame each channel that is not silent, and how loud it is on both sides.
//!
//! The mixer is that of `s_useOpenAL 0`: OpenAL says nothing of its channels. Source: `CG_EntityEvent`, `S_Base_Update`.

/// Puts a client's ears on show, as words on its command line.
pub const ON_SHOW: &str = "+set s_useOpenAL 0 +set s_musicvolume 0";
/// The same, as a cfg script for a running client; its server must allow cheats.
pub const SHOW: &str = "set s_show 2\nset cg_debugEvents 1";
/// What a channel has of a sound that is as loud as can be, both sides together. Source: `S_StartSound`, `S_SpatializeOrigin`.
pub const LOUDEST: f32 = 127.0;

/// An event that the cgame played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedEvent {
    /// The entity that had it.
    pub entity: i32,
    /// One of [`fogline_common::openarena::event`].
    pub event: i32,
}

/// A channel in one frame of the mixer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Both sides together.
    pub loudness: i32,
    /// The file.
    pub sound: String,
}

/// The event that a line tells of.
pub fn played_event(line: &str) -> Option<PlayedEvent> {
    let mut words = line.strip_prefix("ent:")?.split_whitespace();
    let entity = words.next()?.parse().ok()?;
    let rest: Vec<&str> = words.collect();
    let number = rest.first()?.strip_prefix("event:")?;
    let number = if number.is_empty() { *rest.get(1)? } else { number };
    Some(PlayedEvent { entity, event: number.parse().ok()? })
}

/// The channel that a line tells of.
pub fn channel(line: &str) -> Option<Channel> {
    let mut words = line.split_whitespace();
    let mut side = || words.next()?.parse::<i32>().ok();
    let loudness = side()? + side()?;
    let sound = words.next().filter(|word| word.starts_with("sound/"))?.to_owned();
    words.next().is_none().then_some(Channel { loudness, sound })
}

/// The loudness of every beginning of a sound whose file holds `part`: of each channel more than the frame before had.
pub fn beginnings(lines: &[String], part: &str) -> Vec<i32> {
    let (mut begun, mut before, mut now) = (Vec::new(), 0, Vec::new());
    for line in lines {
        if line.starts_with("----(") {
            begun.extend(now.iter().skip(before).copied());
            before = now.len();
            now.clear();
        } else if let Some(channel) = channel(line).filter(|channel| channel.sound.contains(part)) {
            now.push(channel.loudness);
        }
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_whatever_their_width() {
        let played = |entity, event| Some(PlayedEvent { entity, event });
        assert_eq!(played_event("ent:1021  event:  1 EV_FOOTSTEP"), played(1021, 1));
        assert_eq!(played_event("ent:  3  event: 23 EV_FIRE_WEAPON"), played(3, 23));
        assert_eq!(played_event("ent: 12  event:123 odd"), played(12, 123));
        assert_eq!(played_event("ent: event"), None);
        assert_eq!(played_event("walker: ent:1 event:1"), None);
    }

    #[test]
    fn a_sound_begins_once_however_many_frames_it_lasts() {
        let lines = [
            "40 60 sound/player/land1.wav",
            "10 10 sound/world/hum.wav",
            "----(2)---- painted: 1000",
            "30 50 sound/player/land1.wav",
            "----(1)---- painted: 2000",
            "----(0)---- painted: 3000",
            "1 2 sound/player/land1.wav",
            "----(1)---- painted: 4000",
        ]
        .map(str::to_owned);
        assert_eq!(beginnings(&lines, "land1"), [100, 3]);
        assert_eq!(channel("63 64 is a score"), None);
    }
}
