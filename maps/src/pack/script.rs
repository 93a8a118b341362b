//! Definitions of materials as they stand in shader scripts, and the pictures that they draw.

use crate::search_path::SearchPath;
use std::collections::BTreeMap;

/// A definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The script that it stands in.
    pub(super) script: String,
    /// Its text, from the name to the last brace.
    pub(super) text: String,
    /// Pictures that it draws.
    pub(super) pictures: Vec<String>,
    /// Sky boxes, without the names of their sides.
    pub(super) sky_boxes: Vec<String>,
}

/// All definitions of a search path by name in lower case. Of two with a name the first counts, scripts taken by name.
pub(super) fn all(path: &SearchPath) -> BTreeMap<String, Written> {
    let mut all = BTreeMap::new();
    for script in path.names_below("scripts/", ".shader") {
        let text = path.read(&script).unwrap_or_default();
        for (name, written) in parse(&String::from_utf8_lossy(&text), &script) {
            all.entry(name).or_insert(written);
        }
    }
    all
}

/// The definitions of one script. Braces count wherever they stand, as for the engine; a comment goes to the end of its line.
fn parse(text: &str, script: &str) -> Vec<(String, Written)> {
    let mut found = Vec::new();
    let mut current: Option<(String, Written)> = None;
    let mut depth = 0_usize;
    for line in text.lines() {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        let spaced = code.replace('{', " { ").replace('}', " } ");
        let mut command: Vec<&str> = Vec::new();
        for word in spaced.split_whitespace() {
            match word {
                "{" => {
                    note(&mut current, &command);
                    command.clear();
                    depth += 1;
                    push(&mut current, "{", depth - 1);
                }
                "}" => {
                    note(&mut current, &command);
                    command.clear();
                    depth = depth.saturating_sub(1);
                    push(&mut current, "}", depth);
                    if depth == 0 {
                        found.extend(current.take());
                    }
                }
                name if depth == 0 => {
                    let written = Written {
                        script: script.to_owned(),
                        text: format!("{name}\n"),
                        ..Written::default()
                    };
                    current = Some((name.replace('\\', "/").to_ascii_lowercase(), written));
                }
                word => command.push(word),
            }
        }
        note(&mut current, &command);
        if depth > 0 && !command.is_empty() {
            push(&mut current, &command.join(" "), depth);
        }
    }
    found
}

/// Adds a line of the definition.
fn push(current: &mut Option<(String, Written)>, line: &str, depth: usize) {
    if let Some((_, written)) = current {
        written.text.push_str(&"\t".repeat(depth));
        written.text.push_str(line);
        // The last brace ends the text.
        if depth > 0 || line != "}" {
            written.text.push('\n');
        }
    }
}

/// What a line of a definition draws.
fn note(current: &mut Option<(String, Written)>, command: &[&str]) {
    let (Some((_, written)), [first, values @ ..]) = (current.as_mut(), command) else { return };
    let pictures = |names: &[&str]| -> Vec<String> {
        let drawn = names.iter().filter(|name| !name.starts_with(['$', '*']) && **name != "-");
        drawn.map(|name| (*name).to_owned()).collect()
    };
    match first.to_ascii_lowercase().as_str() {
        "map" | "clampmap" | "videomap" => written.pictures.extend(pictures(&values[..values.len().min(1)])),
        "animmap" => written.pictures.extend(pictures(values.get(1..).unwrap_or_default())),
        "skyparms" => {
            written.sky_boxes.extend(pictures(&values[..values.len().min(1)]));
            written.sky_boxes.extend(pictures(values.get(2..3).unwrap_or_default()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_comes_with_its_text_and_what_it_draws() {
        let text = "// head\ntextures/a/sky\n{\n surfaceparm sky // note\n skyparms env/dusk 512 -\n { map $lightmap }\n\
                    {\nanimMap 4 textures/a/one.tga textures/a/two.tga\nrgbGen identity\n}\n}\nTextures/B{clampmap b.jpg}\n";
        let found = parse(text, "scripts/x.shader");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["textures/a/sky", "textures/b"]);
        let sky = &found[0].1;
        assert_eq!(sky.pictures, ["textures/a/one.tga", "textures/a/two.tga"]);
        assert_eq!(sky.sky_boxes, ["env/dusk"]);
        assert!(sky.text.starts_with("textures/a/sky\n{\n\tsurfaceparm sky\n"), "{}", sky.text);
        assert!(sky.text.ends_with("\t}\n}"), "{}", sky.text);
        assert_eq!(found[1].1.pictures, ["b.jpg"]);
        // What was written is read again as the same.
        let again = parse(&sky.text, "scripts/x.shader");
        assert_eq!(
            (again[0].1.pictures.clone(), again[0].1.text.clone()),
            (sky.pictures.clone(), sky.text.clone())
        );
    }

    #[test]
    fn a_script_cut_short_gives_what_is_whole() {
        assert_eq!(parse("a { map x.tga } b { map", "s").len(), 1);
        assert_eq!(parse("} } }", "s").len(), 0);
    }
}
