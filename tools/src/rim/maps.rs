//! Maps from the search path that servers read: home, base and game folders and their pk3 files, and the arena of the program.

use crate::rim::ask::{Patience, ask};
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::proto::info_string;
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::files::Files;
use fogline_server::io::files::{DiskFiles, SearchPath};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// How long a server may take to say which map it runs.
const PATIENCE: Patience = Patience { timeout: Millis(1000), tries: 3, quiet: None };

/// A map, as its file has it and as what is solid in it.
#[derive(Clone)]
pub struct LoadedMap {
    /// Its name.
    pub name: String,
    /// The file as it is.
    pub file: Arc<[u8]>,
    /// The file, lump by lump.
    pub bsp: Arc<Bsp>,
    /// What is solid, and what stops light.
    pub clip: Arc<ClipMap>,
}

impl LoadedMap {
    /// From a map file.
    ///
    /// # Errors
    /// A sentence that names the map, if the file is damaged.
    pub fn parse(name: &str, file: &[u8]) -> Result<Self, String> {
        let bsp = Bsp::parse(file).map_err(|error| format!("{name}: {error}"))?;
        let clip = ClipMap::build(&bsp).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self { name: name.to_owned(), file: file.into(), bsp: Arc::new(bsp), clip: Arc::new(clip) })
    }
}

/// The search path.
pub struct Maps {
    files: DiskFiles,
}

impl Maps {
    /// The search path of a server that is given `basepath`, or of one that is given none.
    pub fn open(basepath: Option<&Path>) -> Self {
        let fs_basepath = basepath.map_or(String::new(), |path| path.to_string_lossy().into_owned());
        let config = Config { fs_basepath, ..Config::default() };
        Self { files: DiskFiles::open_with_arena(SearchPath::from_config(&config)).0 }
    }

    /// A map by its name.
    ///
    /// # Errors
    /// A sentence that says where was looked, or what is damaged.
    pub fn load(&self, name: &str) -> Result<LoadedMap, String> {
        let file = self.files.read(&format!("maps/{name}.bsp")).map_err(|error| error.to_string())?;
        LoadedMap::parse(name, &file)
    }
}

/// The name of the map that a server runs. `None` if it does not answer or does not say.
///
/// # Errors
/// A sentence, if it could not even be asked.
pub fn running_map(server: SocketAddr) -> Result<Option<String>, String> {
    let answer = ask(server, b"getinfo fogtool", "infoResponse", &PATIENCE)
        .map_err(|error| format!("{server}: {error}"))?;
    let text = answer.and_then(|answer| answer.texts.into_iter().next()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let name = info_string::value(text.lines().next().unwrap_or(""), "mapname");
    Ok(Some(name.to_owned()).filter(|name| !name.is_empty()))
}
