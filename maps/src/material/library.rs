//! All materials of a map, each looked up once.

use super::script::{self, Definition};
use super::{Flags, Material, builtin, size_of_picture};
use crate::search_path::SearchPath;
use std::collections::BTreeMap;

/// Number of a material in [`Materials`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialNum(u32);

impl MaterialNum {
    /// For indexing.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A picture that is not found is taken to be as large as this. Unit: pixels. Source: q3map2's behaviour.
const UNKNOWN_PICTURE: [f64; 2] = [64.0, 64.0];

/// The head of a picture, in which its size stands. Unit: bytes.
const PICTURE_HEAD_BYTES: u64 = 1 << 18;

/// Endings with which the engine looks for a picture.
const PICTURE_ENDINGS: [&str; 3] = [".tga", ".jpg", ".png"];

/// The materials of a map, by number and by name.
pub struct Materials {
    path: SearchPath,
    definitions: BTreeMap<String, Definition>,
    all: Vec<Material>,
    numbers: BTreeMap<String, MaterialNum>,
    missing: Vec<String>,
}

impl Materials {
    /// Reads the scripts of a search path. Of two definitions of a name the first counts, scripts taken by name.
    pub fn new(path: SearchPath) -> Self {
        let mut definitions = BTreeMap::new();
        for script in path.names_below("scripts/", ".shader") {
            let text = path.read(&script).unwrap_or_default();
            for definition in script::parse(&text) {
                definitions.entry(definition.name.clone()).or_insert(definition);
            }
        }
        Self { path, definitions, all: Vec::new(), numbers: BTreeMap::new(), missing: Vec::new() }
    }

    /// The material of a face, whose name is given as map sources have it, without `textures/`.
    pub fn of_face(&mut self, name: &str) -> MaterialNum {
        let name = name.replace('\\', "/");
        let below = name.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("textures/"));
        self.find(&if below { name } else { format!("textures/{name}") })
    }

    /// The material with this path. Case is kept for the file and ignored for the lookup.
    pub fn find(&mut self, name: &str) -> MaterialNum {
        let key = name.to_ascii_lowercase();
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let material = self.look_up(name, &key);
        let number = MaterialNum(self.all.len() as u32);
        self.all.push(material);
        self.numbers.insert(key, number);
        number
    }

    fn look_up(&mut self, name: &str, key: &str) -> Material {
        let definition = self.definitions.get(key).cloned();
        let picture = self.picture(key, definition.as_ref());
        let known_name = builtin::words(key);
        let flags = match (&definition, known_name) {
            (Some(definition), _) => Flags::of_words(definition.words.iter().map(String::as_str)),
            (None, Some(words)) if picture.is_none() || !key.starts_with("textures/liquid") => {
                Flags::of_words(words.iter().copied())
            }
            _ => Flags::WALL,
        };
        if definition.is_none() && known_name.is_none() && picture.is_none() {
            self.missing.push(name.to_owned());
        }
        let definition = definition.unwrap_or_default();
        Material {
            name: name.to_owned(),
            flags,
            picture: picture.unwrap_or(UNKNOWN_PICTURE),
            surface_light: definition.surface_light,
            suns: definition.suns,
            light_color: definition.light_color.unwrap_or([1.0; 3]),
            not_done: definition.not_done,
        }
    }

    fn picture(&self, key: &str, definition: Option<&Definition>) -> Option<[f64; 2]> {
        if let Some(size) = definition.and_then(|definition| definition.size) {
            return Some(size);
        }
        let listed = definition.map_or(&[][..], |definition| &definition.pictures);
        let names = listed.iter().map(String::as_str).filter(|name| !name.starts_with(['$', '*']));
        names.chain([key]).find_map(|name| {
            let stem = PICTURE_ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
            PICTURE_ENDINGS.iter().find_map(|ending| {
                let path = format!("{stem}{ending}");
                size_of_picture(&path, &self.path.read_start(&path, PICTURE_HEAD_BYTES)?)
            })
        })
    }

    /// The bytes of a file of the search path, such as a model's.
    pub fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.path.read(path)
    }

    /// Whether there is a game folder to look in.
    pub fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Names that neither a script nor a picture nor the list of well-known names has.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// All that were asked for, by number.
    pub fn all(&self) -> &[Material] {
        &self.all
    }
}

impl std::ops::Index<MaterialNum> for Materials {
    type Output = Material;
    fn index(&self, number: MaterialNum) -> &Material {
        &self.all[number.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Compile;
    use super::*;

    #[test]
    fn names_are_found_once_whatever_their_case() {
        let mut materials = Materials::new(SearchPath::empty());
        let a = materials.of_face("common/Caulk");
        let b = materials.of_face("textures/common/caulk");
        assert_eq!(a, b);
        assert_eq!(materials[a].name, "textures/common/Caulk");
        assert!(materials[a].is(Compile::NODRAW) && materials[a].is(Compile::SOLID));
        assert!(materials.missing().is_empty());
    }
}
