//! Which pk3 files clients are told of, and which of them are held ready to be sent.
//!
//! Told of: the file that the map came from, and those of a modification's folder, as the stock server has it; but of these only
//! what somebody could really be given, so that nobody is sent away for want of a stock file that merely differs.

use crate::config::Config;
use crate::files::{Files, Pak};
use fogline_common::stock_paks::is_stock;
use std::sync::Arc;

/// Bit of `sv_allowDownload`: files may be had from here at all. Source: `DLF_ENABLE`.
const ENABLE: i32 = 1;
/// Bit of `sv_allowDownload`: not through the game's own protocol. Source: `DLF_NO_UDP`.
const NO_UDP: i32 = 4;
/// Largest file that is sent: more would take the better part of an hour at usual rates, and old clients count blocks in 16 bits.
const MAX_PAK_BYTES: u64 = 64 << 20;
/// Bytes of all files that are held ready together.
const MAX_HELD_BYTES: u64 = 256 << 20;
/// Files told of: two lists of them must fit into the systeminfo.
const MAX_OFFERS: usize = 64;
/// What the name of a file to be sent ends with.
const ENDING: &str = ".pk3";

/// A pk3 file that the running map offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// As clients name it: game folder, slash, file name without ending.
    pub name: String,
    /// Of its contents, as clients compare it.
    pub checksum: i32,
    /// The whole file, if it can be sent.
    pub bytes: Option<Arc<[u8]>>,
}

/// What a running map offers.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    all: Vec<Offer>,
}

impl Offers {
    /// What the map at a game path offers. What `before` holds of the same files is taken over. Sentences for the host come second.
    pub fn of_map(files: &dyn Files, path: &str, config: &Config, before: &Self) -> (Self, Vec<String>) {
        let mut notes = Vec::new();
        let mut all = Vec::new();
        let mut held_bytes = 0;
        for name in referenced(files, path, config) {
            if all.len() == MAX_OFFERS {
                notes.push(format!(
                    "clients are told of {MAX_OFFERS} pk3 files only; \"{name}\" and others are left out"
                ));
                break;
            }
            match files.pak(&name) {
                Ok(pak) => all.push(before.offer(files, &pak, config, &mut held_bytes, &mut notes)),
                Err(error) => notes.push(format!("{error}; clients are not told of it")),
            }
        }
        (Self { all }, notes)
    }

    fn offer(
        &self,
        files: &dyn Files,
        pak: &Pak,
        config: &Config,
        held_bytes: &mut u64,
        notes: &mut Vec<String>,
    ) -> Offer {
        let mut offer = Offer { name: pak.name.clone(), checksum: pak.checksum, bytes: None };
        if !sends(config) {
            return offer;
        }
        if pak.bytes > MAX_PAK_BYTES || *held_bytes + pak.bytes > MAX_HELD_BYTES {
            if config.sv_dlurl.is_empty() {
                notes.push(format!(
                    "{} has {} MiB, too many to be sent by the server itself: set sv_dlURL to a web server that has it",
                    pak.name,
                    pak.bytes >> 20
                ));
            }
            return offer;
        }
        let known = self.all.iter().find(|known| known.name == pak.name && known.checksum == pak.checksum);
        offer.bytes =
            known.and_then(|known| known.bytes.clone()).filter(|bytes| bytes.len() as u64 == pak.bytes);
        if offer.bytes.is_none() {
            match files.read_pak(&pak.name) {
                Ok(bytes) => offer.bytes = Some(bytes),
                Err(error) => notes.push(format!("{error}; it is not sent to clients")),
            }
        }
        *held_bytes += offer.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        offer
    }

    /// Checksums as `sv_referencedPaks` has them.
    pub fn checksums(&self) -> String {
        self.all.iter().map(|offer| format!("{} ", offer.checksum)).collect()
    }

    /// Names as `sv_referencedPakNames` has them.
    pub fn names(&self) -> String {
        self.all.iter().map(|offer| format!("{} ", offer.name)).collect()
    }

    /// The file that a client asks for by its exact name, such as `baseoa/fogarena1.pk3`.
    ///
    /// # Errors
    /// A sentence for the player, if it is not to be had.
    pub fn find(&self, asked: &str, config: &Config) -> Result<Arc<[u8]>, String> {
        let stem = asked.strip_suffix(ENDING);
        let shown = shown(asked);
        if stem.is_some_and(is_stock) {
            return Err(format!(
                "{shown} belongs to the game itself and is not sent: install or update the game."
            ));
        }
        if !sends(config) {
            return Err(format!("{shown} is not sent: downloads from this server are switched off."));
        }
        let offer = stem.and_then(|stem| self.all.iter().find(|offer| offer.name == stem));
        let offer = offer.ok_or_else(|| format!("{shown} is not sent: the running map does not need it."))?;
        offer.bytes.clone().ok_or_else(|| {
            format!("{shown} is not held ready by this server; its host may say where to get it.")
        })
    }
}

/// Whether files are sent through the game's own protocol.
fn sends(config: &Config) -> bool {
    config.sv_allowdownload & ENABLE != 0 && config.sv_allowdownload & NO_UDP == 0
}

/// Names of the pk3 files that the match uses, the map's first. Blanks part names in the list that clients are told, so none has any.
fn referenced(files: &dyn Files, path: &str, config: &Config) -> Vec<String> {
    let mut names: Vec<String> = files.pak_of(path).into_iter().collect();
    let of_mod = |name: &String| {
        let folder = name.split('/').next().unwrap_or_default();
        !config.fs_game.is_empty()
            && folder.eq_ignore_ascii_case(&config.fs_game)
            && !folder.eq_ignore_ascii_case(&config.com_basegame)
    };
    names.extend(files.paks().into_iter().filter(of_mod));
    let mut known = std::collections::BTreeSet::new();
    names.retain(|name| {
        !is_stock(name)
            && !name.contains(|c: char| c.is_whitespace() || c.is_control())
            && known.insert(name.clone())
    });
    names
}

/// What a client asked for, fit for a sentence.
fn shown(asked: &str) -> String {
    const LONGEST: usize = 64;
    let mut text: String = asked.chars().filter(char::is_ascii_graphic).take(LONGEST).collect();
    if text.is_empty() {
        text.push_str("A file without a name");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn files() -> MemoryFiles {
        let mut files = MemoryFiles::default();
        let map: &[u8] = b"map";
        files.insert_pak("baseoa/own", -5, &b"own"[..], &[("maps/own.bsp", map)]);
        files.insert_pak("baseoa/pak1-maps", 7, &b"stock"[..], &[("maps/oa_dm1.bsp", map)]);
        files.insert_pak("baseoa/other", 8, &b"other"[..], &[("maps/other.bsp", map)]);
        files.insert_pak("amod/rules", 9, &b"rules"[..], &[]);
        files.insert_pak("baseoa/with blank", 10, &b"x"[..], &[("maps/blank.bsp", map)]);
        files
    }

    fn config() -> Config {
        Config { sv_allowdownload: 1, com_basegame: "baseoa".to_owned(), ..Config::default() }
    }

    fn offers(path: &str, config: &Config) -> Offers {
        let (offers, notes) = Offers::of_map(&files(), path, config, &Offers::default());
        assert_eq!(notes, Vec::<String>::new());
        offers
    }

    #[test]
    fn the_pak_of_the_map_is_offered_by_its_exact_name() {
        let offers = offers("maps/own.bsp", &config());
        assert_eq!((offers.checksums().as_str(), offers.names().as_str()), ("-5 ", "baseoa/own "));
        assert_eq!(&*offers.find("baseoa/own.pk3", &config()).unwrap(), b"own");
        for asked in [
            "baseoa/own",
            "own.pk3",
            "BASEOA/own.pk3",
            "baseoa//own.pk3",
            "baseoa/../baseoa/own.pk3",
            "../baseoa/own.pk3",
            "/baseoa/own.pk3",
            "baseoa\\own.pk3",
            "baseoa/own.pk3 ",
            "baseoa/own.pk3.pk3",
            "baseoa/other.pk3",
            "baseoa/server.cfg",
            "baseoa/pak1-maps.pk3",
            "baseq3/pak0.pk3",
            "",
            ".pk3",
        ] {
            assert!(offers.find(asked, &config()).is_err(), "{asked}");
        }
    }

    #[test]
    fn stock_files_are_neither_told_of_nor_sent() {
        let offers = offers("maps/oa_dm1.bsp", &config());
        assert_eq!((offers.checksums(), offers.names()), (String::new(), String::new()));
        let why = offers.find("baseoa/pak1-maps.pk3", &config()).unwrap_err();
        assert!(why.contains("belongs to the game"), "{why}");
    }

    #[test]
    fn every_file_of_a_modification_is_offered() {
        let config = Config { fs_game: "amod".to_owned(), ..config() };
        assert_eq!(offers("maps/own.bsp", &config).names(), "baseoa/own amod/rules ");
    }

    #[test]
    fn a_name_with_a_blank_cannot_be_told() {
        assert_eq!(offers("maps/blank.bsp", &config()).names(), "");
    }

    #[test]
    fn switched_off_means_told_of_and_not_sent() {
        for sv_allowdownload in [0, 4, 5] {
            let config = Config { sv_allowdownload, ..config() };
            let offers = offers("maps/own.bsp", &config);
            assert_eq!(offers.names(), "baseoa/own ");
            let why = offers.find("baseoa/own.pk3", &config).unwrap_err();
            assert!(why.contains("switched off"), "{why}");
        }
    }

    #[test]
    fn the_next_map_takes_over_what_is_held() {
        let first = offers("maps/own.bsp", &config());
        let (again, _) = Offers::of_map(&files(), "maps/own.bsp", &config(), &first);
        let held = |offers: &Offers| offers.find("baseoa/own.pk3", &config()).unwrap();
        assert!(Arc::ptr_eq(&held(&first), &held(&again)));
    }
}
