//! Shader scripts: what a compiler needs of them.
//!
//! ```text
//! textures/liquids/pool
//! {
//!     surfaceparm water            words of the outer block count
//!     q3map_surfacelight 100
//!     { map textures/liquids/pool.tga }        the first picture gives the size
//! }
//! ```
//!
//! Scripts of the wild are full of slips, and the engine forgives them; so does this reader: what it does not understand it
//! passes over to the end of the line or of the block.

/// What a script says of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// Path in the game data, lower case.
    pub name: String,
    /// Words of its `surfaceparm` lines.
    pub words: Vec<String>,
    /// Pictures that can tell its size, in the order in which they are asked.
    pub pictures: Vec<String>,
    /// Width and height, if the script says them itself. Unit: pixels.
    pub size: Option<[f64; 2]>,
    /// Light that a unit of area gives.
    pub surface_light: f64,
    /// Suns of a sky.
    pub suns: Vec<Sun>,
    /// Colour of its light, if the script says it.
    pub light_color: Option<[f64; 3]>,
    /// What it asks of the compiler that would show and is not done: words of [`NOT_DONE`], each once.
    pub not_done: Vec<&'static str>,
}

/// Words of the compiler that change what is drawn, and that this one does not know.
const NOT_DONE: [&str; 9] = [
    "q3map_alphamod",
    "q3map_colormod",
    "q3map_foliage",
    "q3map_indexed",
    "q3map_skylight",
    "q3map_surfacemodel",
    "q3map_tcgen",
    "q3map_tcmod",
    "q3map_terrain",
];

/// A sun of a sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Red, green, blue.
    pub color: [f64; 3],
    /// Strength, as the script has it.
    pub intensity: f64,
    /// Compass direction of the sun, counter-clockwise from east. Unit: degrees.
    pub yaw: f64,
    /// Height of the sun above the horizon. Unit: degrees.
    pub pitch: f64,
}

/// Material definitions of one script, in order.
pub(super) fn parse(text: &[u8]) -> Vec<Definition> {
    let text = String::from_utf8_lossy(text);
    let mut definitions = Vec::new();
    let mut current: Option<Definition> = None;
    let mut depth = 0_usize;
    for line in text.lines() {
        let words = Words { rest: without_comment(line) };
        let mut command: Vec<&str> = Vec::new();
        for word in words {
            match word {
                "{" => {
                    obey(&mut current, depth, &command);
                    command.clear();
                    depth += 1;
                }
                "}" => {
                    obey(&mut current, depth, &command);
                    command.clear();
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        definitions.extend(current.take());
                    }
                }
                word if depth == 0 => {
                    let name = word.replace('\\', "/").to_ascii_lowercase();
                    current = Some(Definition { name, ..Definition::default() });
                }
                word => command.push(word),
            }
        }
        obey(&mut current, depth, &command);
    }
    definitions
}

fn without_comment(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// Words of a line; braces stand for themselves even if they touch others.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest =
            self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '(' || c == ')');
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '"' | '(' | ')');
        let end = if rest.starts_with(['{', '}']) { 1 } else { rest.find(ends).unwrap_or(rest.len()) };
        let (word, after) = rest.split_at(end);
        self.rest = after;
        Some(word)
    }
}

fn obey(current: &mut Option<Definition>, depth: usize, command: &[&str]) {
    let (Some(definition), [first, values @ ..]) = (current.as_mut(), command) else { return };
    let first = first.to_ascii_lowercase();
    if depth >= 2 {
        if let ("map" | "clampmap" | "animmap", [.., picture]) =
            (first.as_str(), &values[..values.len().min(2)])
        {
            definition.pictures.push((*picture).to_owned());
        }
        return;
    }
    let numbers: Vec<f64> = values.iter().map_while(|word| word.parse().ok()).collect();
    match (first.as_str(), values) {
        ("surfaceparm", [word, ..]) => definition.words.push(word.to_ascii_lowercase()),
        ("qer_editorimage", [picture, ..]) => definition.pictures.insert(0, (*picture).to_owned()),
        ("q3map_texturesize", _) => {
            definition.size =
                numbers.first_chunk::<2>().copied().filter(|size| size.iter().all(|&side| side >= 1.0));
        }
        ("q3map_surfacelight", _) => definition.surface_light = numbers.first().copied().unwrap_or(0.0),
        ("q3map_lightrgb", _) => definition.light_color = numbers.first_chunk::<3>().copied(),
        ("q3map_sun" | "q3map_sunext" | "sun", _) => {
            if let [red, green, blue, intensity, yaw, pitch, ..] = numbers[..] {
                definition.suns.push(Sun { color: [red, green, blue], intensity, yaw, pitch });
            }
        }
        (word, _) => {
            let word = NOT_DONE.iter().find(|known| **known == word);
            definition.not_done.extend(word.filter(|word| !definition.not_done.contains(word)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_block_counts_and_stages_give_pictures() {
        let text =
            b"// note\ntextures\\Liquids/pool\n{\n\tsurfaceparm Water // wet\n q3map_surfacelight 150\n\
            { map $lightmap }\n{\nclampmap textures/liquids/pool.tga\nrgbGen identity\n}\n}\n\
            textures/skies/dusk { surfaceparm sky\n q3map_sun 1 0.5 0.25 90 45 60\n}\n";
        let [pool, dusk] = &parse(text)[..] else { panic!("two materials") };
        assert_eq!(
            (pool.name.as_str(), &pool.words[..]),
            ("textures/liquids/pool", &["water".to_owned()][..])
        );
        assert_eq!(pool.pictures, ["$lightmap", "textures/liquids/pool.tga"]);
        assert_eq!(pool.surface_light, 150.0);
        let sun = Sun { color: [1.0, 0.5, 0.25], intensity: 90.0, yaw: 45.0, pitch: 60.0 };
        assert_eq!((&dusk.words[..], &dusk.suns[..]), (&["sky".to_owned()][..], &[sun][..]));
    }

    #[test]
    fn what_is_not_done_is_remembered_once() {
        let text = b"a\n{\nq3map_alphaMod volume\nq3map_alphamod set 1\nq3map_bounce 0.5\nq3map_tcGen ivector ( 1 0 0 )\n}\n";
        assert_eq!(parse(text)[0].not_done, ["q3map_alphamod", "q3map_tcgen"]);
    }

    #[test]
    fn slips_do_not_swallow_the_next_material() {
        let text = b"} }\na\n{\nsurfaceparm\nsurfaceparm lava }\nb { surfaceparm water }";
        let found = parse(text);
        assert_eq!(found.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(found[0].words, ["lava"]);
    }
}
