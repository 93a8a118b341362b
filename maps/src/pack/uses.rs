//! What a compiled map names: materials of what is drawn, sounds, models and music of its entities.

use fogline_common::bsp::Bsp;
use fogline_common::proto::surface;
use std::collections::BTreeSet;

/// Something that a map needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Material(String),
    Sound(String),
    Model(String),
}

/// Keys of entities that name sounds. Source: the game's spawn functions.
const SOUND_KEYS: [&str; 2] = ["noise", "music"];
/// Keys that name models; a number with a star is one of the map's own.
const MODEL_KEYS: [&str; 2] = ["model", "model2"];
/// Keys that name a material to be drawn in place of another.
const MATERIAL_KEYS: [&str; 1] = ["targetshadernewname"];

/// Everything that a map names, each once, in order.
pub(super) fn of_map(bsp: &Bsp) -> BTreeSet<Use> {
    let mut uses = BTreeSet::new();
    for drawn in &bsp.surfaces {
        let Some(shader) = bsp.shaders.get(drawn.shader as usize) else { continue };
        let name = String::from_utf8_lossy(shader.name.split(|&byte| byte == 0).next().unwrap_or_default());
        if shader.surface_flags & surface::NODRAW == 0 && name != "noshader" {
            uses.insert(Use::Material(name.into_owned()));
        }
    }
    for (key, value) in pairs(&bsp.entity_text()) {
        let key = key.to_ascii_lowercase();
        let value = value.replace('\\', "/");
        if value.is_empty() || value.starts_with('*') {
            continue;
        }
        if SOUND_KEYS.contains(&key.as_str()) {
            // Music has an intro and a loop.
            uses.extend(value.split_whitespace().map(|name| Use::Sound(name.to_owned())));
        } else if MODEL_KEYS.contains(&key.as_str()) {
            uses.insert(Use::Model(value));
        } else if MATERIAL_KEYS.contains(&key.as_str()) {
            uses.insert(Use::Material(value));
        }
    }
    uses
}

/// Keys and values of an entity text.
fn pairs(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let mut quoted = line.split('"').skip(1).step_by(2);
            Some((quoted.next()?.to_owned(), quoted.next()?.to_owned()))
        })
        .collect()
}

/// The text by which menus and `g_spSkill` lists know a map that has none of its own.
pub(super) fn arena(name: &str, bsp: &Bsp) -> String {
    let text = bsp.entity_text();
    let pairs = pairs(&text);
    let message = pairs.iter().find(|(key, _)| key.eq_ignore_ascii_case("message"));
    let title = message.map_or(name, |(_, value)| value.as_str());
    let has = |class: &str| pairs.iter().any(|(key, value)| key == "classname" && value == class);
    let mut kinds = vec!["ffa", "tourney", "team"];
    if has("team_CTF_redflag") && has("team_CTF_blueflag") {
        kinds.push("ctf");
    }
    format!("{{\nmap \"{name}\"\nlongname \"{title}\"\ntype \"{}\"\n}}\n", kinds.join(" "))
}

/// Materials that an MD3 model names. Of a damaged one as many as can be read. Source: the original's `qfiles.h`.
pub(super) fn skins_of_model(bytes: &[u8]) -> Vec<String> {
    const MAX_SURFACES: u32 = 32;
    const MAX_SKINS: u32 = 256;
    const NAME_BYTES: usize = 64;
    const SKIN_BYTES: usize = 68;
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let mut skins = Vec::new();
    let mut read = || -> Option<()> {
        if !bytes.starts_with(b"IDP3") {
            return None;
        }
        let mut surface = word(100)? as usize;
        for _ in 0..word(84)?.min(MAX_SURFACES) {
            let first = surface.checked_add(word(surface.checked_add(92)?)? as usize)?;
            for skin in 0..word(surface.checked_add(76)?)?.min(MAX_SKINS) as usize {
                let at = first.checked_add(skin * SKIN_BYTES)?;
                let name = bytes.get(at..at.checked_add(NAME_BYTES)?)?;
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                skins.push(String::from_utf8_lossy(name).into_owned());
            }
            surface = surface.checked_add(word(surface.checked_add(104)?)? as usize)?;
        }
        Some(())
    };
    let _ = read();
    skins.retain(|skin| !skin.is_empty());
    skins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Vec<u8> {
        let mut bytes = vec![0; 108 + 108 + 68];
        bytes[..4].copy_from_slice(b"IDP3");
        let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(84, 1);
        put(100, 108);
        put(108 + 76, 1);
        put(108 + 92, 108);
        put(108 + 104, 176);
        bytes[216..216 + 11].copy_from_slice(b"models/skin");
        bytes
    }

    #[test]
    fn a_model_names_its_skins_and_a_damaged_one_does_no_harm() {
        assert_eq!(skins_of_model(&model()), ["models/skin"]);
        for length in 0..model().len() {
            skins_of_model(&model()[..length]);
        }
        let mut huge = model();
        huge[100..104].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(skins_of_model(&huge).is_empty());
    }

    #[test]
    fn entities_name_sounds_models_and_materials() {
        let entities =
            b"{\n\"classname\" \"worldspawn\"\n\"music\" \"music/a music/b\"\n\"message\" \"Title\"\n}\n{\n\
            \"model\" \"*1\"\n\"model2\" \"models/x.md3\"\n\"noise\" \"sound\\y.wav\"\n}\n\0";
        let bsp = Bsp { entities: entities.to_vec(), ..Bsp::default() };
        let uses: Vec<Use> = of_map(&bsp).into_iter().collect();
        let sound = |name: &str| Use::Sound(name.to_owned());
        let wanted =
            [sound("music/a"), sound("music/b"), sound("sound/y.wav"), Use::Model("models/x.md3".to_owned())];
        assert_eq!(uses, wanted);
        assert_eq!(arena("m", &bsp), "{\nmap \"m\"\nlongname \"Title\"\ntype \"ffa tourney team\"\n}\n");
    }
}
