//! The pk3 file of a compiled map: the map, and of pictures, scripts, sounds and models what it uses and nobody has by the game
//! itself. The same input gives the same bytes.

mod files;
mod script;
mod uses;

use crate::search_path::SearchPath;
use files::Found;
use fogline_common::bsp::Bsp;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use uses::Use;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// What was packed.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// The pk3 file.
    pub bytes: Vec<u8>,
    /// Game paths in it, in order, and their sizes as they are. Unit: bytes.
    pub files: Vec<(String, usize)>,
    /// What the map uses and every installation of the game has.
    pub stock: Vec<String>,
    /// What the map uses and was found nowhere.
    pub missing: Vec<String>,
}

/// Endings of pictures, in the order in which the engine tries them.
const PICTURES: [&str; 3] = [".tga", ".jpg", ".png"];
/// Sides of a sky box.
const SKY_SIDES: [&str; 6] = ["rt", "bk", "lf", "ft", "up", "dn"];

/// Packs a compiled map, whose file's bytes are `file`, under a name. Everything else comes from `path`.
///
/// # Errors
/// A sentence, if the pk3 file cannot be made.
pub fn pack(name: &str, bsp: &Bsp, file: &[u8], path: &SearchPath) -> Result<Packed, String> {
    let mut gathered = Gathered { path, scripts: script::all(path), ..Gathered::new(path) };
    gathered.files.insert(format!("maps/{name}.bsp"), file.to_vec());
    for used in uses::of_map(bsp) {
        gathered.take(&used);
    }
    for own in [format!("maps/{name}.aas"), format!("scripts/{name}.arena")] {
        gathered.optional(&own);
    }
    PICTURES.iter().any(|ending| gathered.optional(&format!("levelshots/{name}{ending}")));
    let arena = format!("scripts/{name}.arena");
    gathered.files.entry(arena).or_insert_with(|| uses::arena(name, bsp).into_bytes());
    if !gathered.definitions.is_empty() {
        let head = format!("// Materials of {name}.\n");
        let text = gathered.definitions.iter().fold(head, |text, (_, one)| text + "\n" + one + "\n");
        gathered.files.insert(format!("scripts/{name}.shader"), text.into_bytes());
    }
    let bytes = zipped(&gathered.files).map_err(|wrong| format!("{name}.pk3 cannot be made: {wrong}"))?;
    Ok(Packed {
        bytes,
        files: gathered.files.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect(),
        stock: gathered.stock.into_iter().collect(),
        missing: gathered.missing.into_iter().collect(),
    })
}

fn zipped(files: &BTreeMap<String, Vec<u8>>) -> zip::result::ZipResult<Vec<u8>> {
    // No date: the epoch of zip files stands for every day.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(path.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// What was found so far.
struct Gathered<'a> {
    path: &'a SearchPath,
    scripts: BTreeMap<String, script::Written>,
    files: BTreeMap<String, Vec<u8>>,
    /// Definitions of materials, as they were written.
    definitions: BTreeMap<String, String>,
    stock: BTreeSet<String>,
    missing: BTreeSet<String>,
    /// Materials that were looked at already.
    known: BTreeSet<String>,
}

impl<'a> Gathered<'a> {
    fn new(path: &'a SearchPath) -> Self {
        Self {
            path,
            scripts: BTreeMap::new(),
            files: BTreeMap::new(),
            definitions: BTreeMap::new(),
            stock: BTreeSet::new(),
            missing: BTreeSet::new(),
            known: BTreeSet::new(),
        }
    }

    fn take(&mut self, used: &Use) {
        match used {
            Use::Material(name) => self.material(name),
            Use::Sound(name) => {
                let stem = ["", ".wav", ".ogg"].map(|ending| format!("{name}{ending}"));
                self.first_of(name, &stem);
            }
            Use::Model(name) => {
                if let Some(bytes) = self.path.read(name).filter(|_| !self.path.is_stock(name)) {
                    for skin in uses::skins_of_model(&bytes) {
                        self.material(&skin);
                    }
                }
                self.first_of(name, std::slice::from_ref(name));
            }
        }
    }

    /// A material: its definition and what that needs, or the picture of its name.
    fn material(&mut self, name: &str) {
        let key = name.to_ascii_lowercase();
        let key = PICTURES.iter().find_map(|ending| key.strip_suffix(ending)).unwrap_or(&key).to_owned();
        if !self.known.insert(key.clone()) {
            return;
        }
        match self.scripts.get(&key).cloned() {
            Some(written) if self.path.is_stock(&written.script) => {
                self.stock.insert(name.to_owned());
            }
            Some(written) => {
                self.definitions.insert(key, written.text);
                for picture in &written.pictures {
                    self.picture(picture);
                }
                for sky in &written.sky_boxes {
                    SKY_SIDES.iter().for_each(|side| self.picture(&format!("{sky}_{side}")));
                }
            }
            None => self.picture(&key),
        }
    }

    fn picture(&mut self, name: &str) {
        let lower = name.to_ascii_lowercase();
        let stem = PICTURES.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
        self.first_of(name, &PICTURES.map(|ending| format!("{stem}{ending}")));
    }

    /// The first of several paths that is there; if none is, `name` is missing.
    fn first_of(&mut self, name: &str, paths: &[String]) {
        let found = paths.iter().find_map(|path| files::find(self.path, path));
        match found {
            Some(Found::Stock) => drop(self.stock.insert(name.to_owned())),
            Some(Found::Own(path, bytes)) => drop(self.files.insert(path, bytes)),
            None => drop(self.missing.insert(name.to_owned())),
        }
    }

    /// A file that need not be there. Whether it is.
    fn optional(&mut self, path: &str) -> bool {
        match files::find(self.path, path) {
            Some(Found::Own(path, bytes)) => {
                self.files.insert(path, bytes);
                true
            }
            Some(Found::Stock) | None => false,
        }
    }
}
