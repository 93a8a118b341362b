//! Names that mean the same in every Quake III-family game, for when there is no script that says so.

/// Words for materials below `textures/common/` and its like in other games (`system/`, `editor/`).
const TOOLS: [(&str, &[&str]); 24] = [
    ("antiportal", &["antiportal", "nodraw", "nonsolid", "trans", "structural"]),
    ("areaportal", &["areaportal", "nodraw", "nomarks", "nolightmap"]),
    ("botclip", &["botclip", "nodraw", "nomarks", "nolightmap", "trans"]),
    ("caulk", &["nodraw", "nomarks", "nolightmap"]),
    ("clip", &["playerclip", "nodraw", "nomarks", "noimpact", "nolightmap"]),
    ("clusterportal", &["clusterportal", "nodraw", "nomarks", "nolightmap"]),
    ("cushion", &["nodamage", "nodraw", "nomarks", "trans"]),
    ("donotenter", &["donotenter", "nodraw", "nomarks", "nolightmap", "trans"]),
    ("full_clip", &["playerclip", "nodraw", "nomarks", "noimpact", "nolightmap"]),
    ("hint", &["hint", "nodraw", "nonsolid", "structural", "trans", "noimpact"]),
    ("hintskip", &["skip", "nodraw", "nonsolid", "structural", "trans", "noimpact"]),
    ("invisible", &["nolightmap"]),
    ("metalclip", &["nodraw", "trans", "metalsteps"]),
    ("missileclip", &["nodraw", "trans", "nomarks"]),
    ("nodraw", &["nodraw", "nonsolid", "nomarks", "trans"]),
    ("nodrawnonsolid", &["nodraw", "nonsolid"]),
    ("nodrop", &["nodrop", "nodraw", "nomarks", "nolightmap", "trans", "nonsolid"]),
    ("origin", &["origin", "nodraw", "nonsolid"]),
    ("playerclip", &["playerclip", "nodraw", "nomarks", "noimpact", "nolightmap"]),
    ("skip", &["skip", "nodraw", "nonsolid", "structural", "trans", "noimpact"]),
    ("slick", &["slick", "nodraw", "nomarks", "trans"]),
    ("trigger", &["nodraw"]),
    ("waterskip", &["water", "nodraw", "trans"]),
    ("weapclip", &["nodraw", "trans", "nomarks"]),
];

/// Folders in which the tools' names stand.
const TOOL_FOLDERS: [&str; 3] = ["common", "system", "editor"];

const SKY: &[&str] = &["sky", "noimpact", "nomarks", "nolightmap"];

/// The words of a well-known name (`textures/common/clip`, any case), `None` if it is not one.
pub(super) fn words(name: &str) -> Option<&'static [&'static str]> {
    let name = name.to_ascii_lowercase();
    let path = name.strip_prefix("textures/").unwrap_or(&name);
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    if TOOL_FOLDERS.contains(&folder) {
        return TOOLS.iter().find(|(tool, _)| *tool == last).map(|(_, words)| *words);
    }
    match folder.split('/').next().unwrap_or_default() {
        "skies" | "sky" => Some(SKY),
        "liquids" | "liquid" => Some(liquid(last)),
        _ if folder.is_empty() && last == "sky" => Some(SKY),
        _ => None,
    }
}

fn liquid(name: &str) -> &'static [&'static str] {
    if name.contains("lava") {
        &["lava", "noimpact", "nomarks", "trans"]
    } else if name.contains("slime") {
        &["slime", "noimpact", "nomarks", "trans"]
    } else {
        &["water", "noimpact", "nomarks", "trans"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_skies_and_liquids_are_known_by_name() {
        assert!(words("textures/common/Clip").is_some_and(|words| words.contains(&"playerclip")));
        assert!(words("textures/skies/dusk").is_some_and(|words| words.contains(&"sky")));
        assert!(words("textures/liquids/calm_lava2").is_some_and(|words| words.contains(&"lava")));
        assert_eq!(words("textures/base/clip"), None);
    }

    #[test]
    fn tools_are_sorted_and_stand_once() {
        assert!(TOOLS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
