//! What players see through although the map file calls it solid and opaque: grates, glass and force fields whose mapper set no
//! `trans`, and whatever a host names.
//!
//! In: the texts of shader scripts and of one list by hand. Out: whether a face's shader, or a brush that holds a point, is seen
//! through. A shader is if its first stage lets part of what is behind it be seen: it blends, or tests alpha. If scripts define
//! a name more than once, one such definition is enough, since clients may have any of them.
//!
//! ```text
//! textures/base/grate01            a list by hand: a shader, with * for any ending,
//! at 512 -64 128                   or a place inside of a brush
//! ```

use crate::bsp::Bsp;
use crate::math::{Vec3, vec3};
use crate::shader_script::{MOST_NAME, Words, plain};
use std::collections::BTreeSet;

/// What is seen through. Empty, it changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glass {
    /// In small letters, without ending.
    names: BTreeSet<String>,
    /// Beginnings of names, from the list.
    beginnings: Vec<String>,
    places: Vec<Vec3>,
}

/// Most lines of a list by hand.
const MOST_LINES: usize = 1024;

impl Glass {
    /// Takes the see-through shaders of a script. What cannot be understood is passed over, as clients do.
    pub fn add_script(&mut self, text: &str) {
        let mut words = Words::of(text);
        while let Some(name) = words.next_definition() {
            if is_seen_through(&mut words) {
                self.names.insert(plain(name));
            }
        }
    }

    /// Takes a list by hand.
    ///
    /// # Errors
    /// Which line cannot be understood, and what may stand there. What came before it has been taken.
    pub fn add_list(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split("//").next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if number > MOST_LINES {
                return Err(format!(
                    "line {number}: a list has {MOST_LINES} lines at most; name shaders with *"
                ));
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["at", x, y, z] => {
                    let [Ok(x), Ok(y), Ok(z)] = [x, y, z].map(|word| word.parse::<f32>()) else {
                        return Err(format!("line {number}: `{line}` needs three numbers after `at`"));
                    };
                    self.places.push(vec3(x, y, z));
                }
                [name] if name.len() <= MOST_NAME => match name.strip_suffix('*') {
                    Some(beginning) => self.beginnings.push(plain(beginning)),
                    None => {
                        self.names.insert(plain(name));
                    }
                },
                _ => {
                    return Err(format!(
                        "line {number}: `{line}` is neither a shader's name nor `at X Y Z`, a place inside of a brush"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether one sees through faces of this shader.
    pub fn has(&self, shader: &str) -> bool {
        let name = plain(shader);
        self.names.contains(&name) || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }

    /// Which shaders of a map one sees through. Shape: by shader.
    pub(super) fn among(&self, bsp: &Bsp) -> Vec<bool> {
        let name = |shader: &crate::bsp::Shader| {
            let bytes = shader.name.split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        bsp.shaders.iter().map(|shader| self.has(&name(shader))).collect()
    }

    /// Places inside of brushes that one sees through.
    pub(super) fn places(&self) -> &[Vec3] {
        &self.places
    }
}

/// Reads a definition to its end: whether its first stage lets what is behind it be seen.
fn is_seen_through(words: &mut Words<'_>) -> bool {
    let (mut depth, mut stages, mut open) = (1, 0, false);
    while depth > 0 {
        let Some(word) = words.next() else { break };
        match word {
            "{" => {
                depth += 1;
                stages += u32::from(depth == 2);
            }
            "}" => depth -= 1,
            _ if depth == 2 && stages == 1 => {
                if word.eq_ignore_ascii_case("alphafunc") {
                    open = true;
                } else if word.eq_ignore_ascii_case("blendfunc") {
                    let [from, to] = [(); 2].map(|()| words.next_on_line().unwrap_or_default());
                    let covers = from.eq_ignore_ascii_case("gl_one") && to.eq_ignore_ascii_case("gl_zero");
                    open |= !covers;
                }
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glass(script: &str) -> Glass {
        let mut glass = Glass::default();
        glass.add_script(script);
        glass
    }

    #[test]
    fn a_first_stage_that_blends_or_tests_alpha_is_seen_through() {
        for (stages, seen) in [
            ("{ map a.tga\n alphaFunc GE128\n depthWrite }", true),
            ("{ map a.tga\n blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA }", true),
            ("{ map a.tga\n blendfunc add\n }", true),
            ("{ map a.tga\n blendFunc GL_ONE GL_ZERO }", false),
            ("{ map a.tga }", false),
            ("", false),
            // What is blended over an opaque stage is as opaque as that.
            ("{ map $lightmap }\n{ map a.tga\n blendFunc filter }", false),
            ("{ map a.tga }\n{ map b.tga\n alphaFunc GT0 }", false),
        ] {
            let script =
                format!("// a comment\ntextures/x/Grate\n{{\n surfaceparm metalsteps\n {stages}\n}}\n");
            assert_eq!(glass(&script).has("textures/x/grate.tga"), seen, "{stages}");
        }
    }

    #[test]
    fn each_definition_is_read_to_its_end() {
        let two = "a { { blendFunc add } }\nb /* { */ { qer_trans 0.5 { map x } } c{{alphaFunc GT0}}";
        let glass = glass(two);
        assert_eq!(["a", "b", "c"].map(|name| glass.has(name)), [true, false, true]);
    }

    #[test]
    fn broken_scripts_are_passed_over() {
        for script in ["", "{", "}", "a", "a {", "a { { blendFunc", "a { { alphaFunc } ", "/*", "a } { b { {"]
        {
            assert!(!glass(script).has("zzz"), "{script}");
        }
        let seed = 6;
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..2000 {
            let pieces = ["{", "}", "a", "\n", " ", "//", "/*", "*/", "blendFunc", "alphaFunc", "é", "add"];
            let script: String = (0..rng.usize(..30)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
            glass(&script).has("a");
        }
    }

    #[test]
    fn a_list_names_shaders_beginnings_and_places() {
        let mut glass = Glass::default();
        glass.add_list("textures/a/one.tga // why\n\n  textures/b/*\nat 1 -2.5 3\n").unwrap();
        assert!(glass.has("textures/A/one") && glass.has("textures/b/any") && !glass.has("textures/a/two"));
        assert_eq!(glass.places(), [vec3(1.0, -2.5, 3.0)]);
        for (list, error) in [
            (
                "at 1 2",
                "line 1: `at 1 2` is neither a shader's name nor `at X Y Z`, a place inside of a brush",
            ),
            ("x\nat 1 2 z", "line 2: `at 1 2 z` needs three numbers after `at`"),
        ] {
            assert_eq!(Glass::default().add_list(list), Err(error.to_owned()));
        }
        let long: String = (0..2000).map(|n| format!("s{n}*\n")).collect();
        assert!(Glass::default().add_list(&long).is_err());
    }
}
