//! The search path on a real disk, in folders that are gone afterwards.

use super::*;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

struct Disk {
    root: TempDir,
}

impl Disk {
    fn new() -> Self {
        Self { root: TempDir::new().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn pack(&self, path: &str, entries: &[(&str, &[u8])]) {
        let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        let bytes = zip.finish().unwrap().into_inner();
        self.put(path, &bytes);
    }

    fn config(&self, game: &str) -> Config {
        let text = |path: &str| self.path(path).display().to_string();
        Config {
            fs_homepath: text("home"),
            fs_basepath: text("base"),
            fs_game: game.to_owned(),
            ..Config::default()
        }
    }

    fn open(&self, game: &str) -> (DiskFiles, Vec<String>) {
        DiskFiles::open(SearchPath::from_config(&self.config(game)))
    }

    fn read(&self, game: &str, path: &str) -> String {
        let bytes = self.open(game).0.read(path).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn higher_places_win() {
    let disk = Disk::new();
    let steps: [(&str, bool); 8] = [
        ("base/baseoa/pak0.pk3", true),
        ("base/baseoa/pak1.pk3", true),
        ("base/baseoa", false),
        ("home/baseoa/a.pk3", true),
        ("home/baseoa", false),
        ("base/mod/zz.pk3", true),
        ("base/mod", false),
        ("home/mod/0.pk3", true),
    ];
    for (place, packed) in steps {
        if packed {
            disk.pack(place, &[("maps/x.bsp", place.as_bytes())]);
        } else {
            disk.put(&format!("{place}/maps/x.bsp"), place.as_bytes());
        }
        assert_eq!(disk.read("mod", "maps/x.bsp"), place);
    }
}

#[test]
fn later_paks_win_in_the_stock_engine_s_order() {
    let disk = Disk::new();
    for name in ["pak0.pk3", "pak2-players-mature.pk3", "pak2-players.pk3", "PAK1.pk3"] {
        disk.pack(&format!("base/baseoa/{name}"), &[("who.txt", name.as_bytes())]);
    }
    assert_eq!(disk.read("", "who.txt"), "pak2-players.pk3");
    let places = disk.open("").0.places();
    let order: Vec<&str> = places[2..].iter().filter_map(|place| place.rsplit('/').next()).collect();
    assert_eq!(
        order,
        [
            "pak2-players.pk3 (1 files)",
            "pak2-players-mature.pk3 (1 files)",
            "PAK1.pk3 (1 files)",
            "pak0.pk3 (1 files)"
        ]
    );
}

#[test]
fn names_are_compared_without_regard_to_case() {
    let disk = Disk::new();
    disk.pack("base/baseoa/pak0.pk3", &[("Maps/OA_dm1.BSP", b"packed")]);
    disk.put("home/baseoa/Scripts/Arena.txt", b"loose");
    assert_eq!(disk.read("", "maps/oa_dm1.bsp"), "packed");
    assert_eq!(disk.read("", "scripts/ARENA.txt"), "loose");
    let files = disk.open("").0;
    assert_eq!(files.list("maps", ".bsp"), ["Maps/OA_dm1.BSP"]);
    assert_eq!(files.list("", ".txt"), ["Scripts/Arena.txt"]);
    assert_eq!(files.list("../..", ""), [] as [&str; 0]);
}

#[test]
fn a_damaged_pk3_is_named_and_skipped() {
    let disk = Disk::new();
    disk.pack("base/baseoa/pak0.pk3", &[("a.txt", b"good")]);
    disk.put("base/baseoa/pak1.pk3", b"this is no zip");
    let whole = fs::read(disk.path("base/baseoa/pak0.pk3")).unwrap();
    disk.put("base/baseoa/pak2.pk3", &whole[..whole.len() - 30]);
    disk.put("base/baseoa/pak3.pk3", b"");
    let (mut files, notes) = disk.open("");
    for (note, name) in notes.iter().zip(["pak3.pk3", "pak2.pk3", "pak1.pk3"]) {
        assert!(note.contains(name) && note.contains("was skipped: "), "{note}");
    }
    assert_eq!(notes.len(), 3);
    assert_eq!(files.read("a.txt").unwrap(), b"good");
    assert_eq!(files.rescan(), [] as [&str; 0], "each is told once");
}

#[test]
fn damage_inside_a_pk3_is_an_error_that_names_both() {
    let disk = Disk::new();
    let text = b"a line of text that packs well, a line of text that packs well".repeat(20);
    disk.pack("base/baseoa/pak0.pk3", &[("a.txt", &text)]);
    let mut bytes = fs::read(disk.path("base/baseoa/pak0.pk3")).unwrap();
    bytes[40] ^= 0xff;
    disk.put("base/baseoa/pak0.pk3", &bytes);
    let error = disk.open("").0.read("a.txt").unwrap_err();
    assert!(matches!(error, FileError::Damaged { .. }));
    assert!(error.to_string().contains("a.txt in ") && error.to_string().contains("pak0.pk3"), "{error}");
}

#[test]
fn any_damage_to_a_pk3_is_survived() {
    let disk = Disk::new();
    disk.pack("base/baseoa/pak0.pk3", &[("a.txt", &b"text ".repeat(30)), ("b/c.txt", b"more")]);
    let whole = fs::read(disk.path("base/baseoa/pak0.pk3")).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xa5;
        disk.put("base/baseoa/pak0.pk3", &bytes);
        let (files, _) = disk.open("");
        for path in files.list("", "") {
            // Either is fine; a panic or a hang is not.
            let _ = files.read(&path);
        }
    }
}

#[test]
fn a_small_pk3_cannot_fill_the_memory() {
    let disk = Disk::new();
    let zeros = vec![0; usize::try_from(MAX_FILE_BYTES).unwrap() + 1];
    disk.pack("base/baseoa/bomb.pk3", &[("a.bsp", &zeros)]);
    assert!(fs::metadata(disk.path("base/baseoa/bomb.pk3")).unwrap().len() < 1 << 20);
    let error = disk.open("").0.read("a.bsp").unwrap_err().to_string();
    assert!(error.ends_with("more than 64 MiB unpacked"), "{error}");
}

#[test]
fn paths_in_a_pk3_cannot_lead_out() {
    let disk = Disk::new();
    disk.pack("base/baseoa/pak0.pk3", &[("../../evil.cfg", b"x"), ("/etc/evil", b"x"), ("good.cfg", b"x")]);
    let files = disk.open("").0;
    assert_eq!(files.list("", ""), ["good.cfg", "pak0.pk3"]);
    disk.put("secret.txt", b"outside");
    for path in ["../secret.txt", "../../secret.txt", "/etc/passwd", "a/../../../secret.txt"] {
        assert!(matches!(files.read(path), Err(FileError::NotFound { .. })), "{path}");
    }
}

#[test]
fn what_is_written_is_whole_below_the_home_path_and_read_back() {
    let disk = Disk::new();
    let (mut files, _) = disk.open("mod");
    files.write("q3config_server.cfg", b"first").unwrap();
    files.write("q3config_server.cfg", b"second").unwrap();
    files.write("logs/deep/a.cfg", b"x").unwrap();
    assert_eq!(fs::read(disk.path("home/mod/q3config_server.cfg")).unwrap(), b"second");
    assert_eq!(files.read("q3config_server.cfg").unwrap(), b"second");
    assert_eq!(fs::read_dir(disk.path("home/mod")).unwrap().count(), 2, "nothing unfinished is left");
    assert!(!disk.path("base").exists());
}

#[test]
fn writes_cannot_leave_the_home_path() {
    let disk = Disk::new();
    disk.put("outside/keep.cfg", b"kept");
    fs::create_dir_all(disk.path("home/baseoa")).unwrap();
    std::os::unix::fs::symlink(disk.path("outside"), disk.path("home/baseoa/link")).unwrap();
    std::os::unix::fs::symlink(disk.path("outside/keep.cfg"), disk.path("home/baseoa/own.cfg")).unwrap();
    std::os::unix::fs::symlink(disk.path("outside"), disk.path("home/linked")).unwrap();
    let (mut files, _) = disk.open("");
    for path in [
        "../x.cfg",
        "/x.cfg",
        "link/x.cfg",
        "link/keep.cfg",
        "a/../../../x.cfg",
        "x.pk3",
        "vm/qagame.QVM",
        "",
    ] {
        assert!(matches!(files.write(path, b"evil"), Err(FileError::Refused { .. })), "{path}");
    }
    files.write("own.cfg", b"new").unwrap();
    assert!(disk.open("linked").0.write("x.cfg", b"evil").is_err());
    assert_eq!(fs::read(disk.path("outside/keep.cfg")).unwrap(), b"kept");
    assert_eq!(fs::read_dir(disk.path("outside")).unwrap().count(), 1);
}

#[test]
fn a_rescan_finds_what_came_and_forgets_what_went() {
    let disk = Disk::new();
    disk.pack("base/baseoa/pak0.pk3", &[("a.txt", b"0")]);
    let (mut files, _) = disk.open("");
    disk.pack("home/baseoa/new.pk3", &[("maps/new.bsp", b"n")]);
    assert!(files.read("maps/new.bsp").is_err());
    files.rescan();
    assert_eq!(files.read("maps/new.bsp").unwrap(), b"n");
    fs::remove_file(disk.path("base/baseoa/pak0.pk3")).unwrap();
    files.rescan();
    assert!(files.read("a.txt").is_err());
}

#[test]
fn the_environment_fills_in_what_is_not_set() {
    let home = |config: &Config, names: &[(&str, &str)]| {
        let find = |name: &str| {
            names.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        SearchPath::from_settings(config, &find).home
    };
    let plain = Config::default();
    assert_eq!(home(&plain, &[("HOME", "/h")]), Some(PathBuf::from("/h/.local/share/fogline")));
    assert_eq!(home(&plain, &[("HOME", "/h"), ("XDG_DATA_HOME", "/d")]), Some(PathBuf::from("/d/fogline")));
    assert_eq!(
        home(&plain, &[("HOME", "/h"), ("XDG_DATA_HOME", "d")]),
        Some(PathBuf::from("/h/.local/share/fogline"))
    );
    assert_eq!(home(&plain, &[]), None);
    let arena = Config { com_homepath: ".openarena".to_owned(), ..Config::default() };
    assert_eq!(home(&arena, &[("HOME", "/h")]), Some(PathBuf::from("/h/.openarena")));
    let given = Config { fs_homepath: "/given".to_owned(), ..arena };
    assert_eq!(home(&given, &[("HOME", "/h")]), Some(PathBuf::from("/given")));
}

#[test]
fn a_game_that_is_no_folder_name_is_left_out_and_named() {
    let disk = Disk::new();
    disk.put("base/baseoa/readme", b"");
    let (files, notes) = disk.open("../base");
    assert_eq!(files.search_path().games, ["baseoa"]);
    assert_eq!(notes, ["fs_game \"../base\" was left out: it must be the name of one folder"]);
    let mut homeless = DiskFiles::open(SearchPath { home: None, ..files.search_path().clone() }).0;
    let error = homeless.write("a.cfg", b"").unwrap_err().to_string();
    assert!(error.contains("+set fs_homepath"), "{error}");
}

#[test]
fn a_pk3_is_known_to_clients_by_folder_name_and_the_checksums_in_it() {
    let disk = Disk::new();
    disk.pack("base/baseoa/own map.pk3", &[("maps/a.bsp", b"map"), ("empty.txt", b""), ("b.txt", b"text")]);
    disk.pack("home/mod/rules.PK3", &[("c.txt", b"rules")]);
    disk.put("home/baseoa/maps/loose.bsp", b"loose");
    let files = disk.open("mod").0;
    assert_eq!(files.paks(), ["mod/rules", "baseoa/own map"]);
    assert_eq!(files.pak_of("MAPS/A.bsp").as_deref(), Some("baseoa/own map"));
    assert_eq!(files.pak_of("maps/loose.bsp"), None);
    assert_eq!(files.pak_of("../mod/rules.PK3"), None);
    let pak = files.pak("baseoa/own map").unwrap();
    // CRC-32 of "map" and of "text"; the empty file counts for nothing.
    let sums = [0x93ad_aabb_u32, 0x3b8b_a7c7].map(u32::to_le_bytes).concat();
    assert_eq!(pak.checksum, fogline_common::bsp::block_checksum(&sums).cast_signed());
    let whole = files.read_pak("baseoa/own map").unwrap();
    assert_eq!(*whole, *fs::read(disk.path("base/baseoa/own map.pk3")).unwrap());
    assert_eq!(pak.bytes, whole.len() as u64);
    for unknown in ["baseoa/own", "own map", "baseoa/own map.pk3", "../base/baseoa/own map", ""] {
        assert!(files.pak(unknown).is_err() && files.read_pak(unknown).is_err(), "{unknown}");
    }
}

#[test]
fn the_arena_of_the_program_lies_below_everything_else() {
    let disk = Disk::new();
    disk.put("base/baseoa/readme", b"");
    let open = || DiskFiles::open_with_arena(SearchPath::from_config(&disk.config("")));
    let (mut files, notes) = open();
    assert_eq!(notes, Vec::<String>::new());
    let map = format!("maps/{}.bsp", arena::NAME);
    let name = format!("baseoa/{}", arena::NAME);
    assert!(files.read(&map).unwrap().starts_with(b"IBSP"));
    assert_eq!(files.pak_of(&map), Some(name.clone()));
    assert_eq!(*files.read_pak(&name).unwrap(), *arena::PAK);
    files.rescan();
    assert_eq!(files.paks(), [name]);
    disk.put(&format!("home/baseoa/{map}"), b"own");
    assert_eq!(files.read(&map).unwrap(), b"own");
}

#[test]
fn a_basepath_that_cannot_be_meant_is_said_so() {
    let disk = Disk::new();
    let said = |base: &str| {
        let config = Config { fs_basepath: disk.path(base).display().to_string(), ..disk.config("") };
        SearchPath::from_config(&config).wrong_base.unwrap_or_default()
    };
    assert!(
        said("base").contains("base: there is no such folder; Debian's package openarena-server"),
        "{}",
        said("base")
    );
    disk.put("base/other/readme", b"");
    assert!(said("base").contains("holds no folder baseoa"), "{}", said("base"));
    disk.put("base/baseoa/readme", b"");
    assert_eq!(said("base"), "");
    assert!(said("base/baseoa").contains("is the game folder itself"), "{}", said("base/baseoa"));
}
