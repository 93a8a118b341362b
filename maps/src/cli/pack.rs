//! `fogmap pack`: the pk3 file of a compiled map.

use crate::disk;
use crate::pack;
use crate::search_path::SearchPath;
use clap::Args;
use fogline_common::bsp::Bsp;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Pack {
    /// Compiled map; its name without ending becomes the map's.
    #[arg(value_name = "FILE.bsp")]
    file: PathBuf,
    /// Where the pack goes; beside the map if not given.
    #[arg(long, value_name = "FILE.pk3")]
    out: Option<PathBuf>,
    /// Folders with pictures, scripts, sounds and pk3 files; of several the first that has a file counts. What the game's own pk3
    /// files have is left out of the pack.
    #[arg(long, value_name = "DIR", required = true)]
    basepath: Vec<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Pack {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let shown = self.file.display();
        let bytes = disk::read(&self.file)?;
        let bsp = Bsp::parse(&bytes).map_err(|wrong| format!("{shown}: {wrong}"))?;
        let name = self.file.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_plain(stem));
        let name = name.ok_or_else(|| {
            format!(
                "{shown}: a map's name has letters, digits, - and _ only, since clients are told it in a list"
            )
        })?;
        let mut path = SearchPath::empty();
        for folder in &self.basepath {
            path.add_below(SearchPath::new(folder)?);
        }
        let packed = pack::pack(name, &bsp, &bytes, &path)?;
        let out = self.out.clone().unwrap_or_else(|| self.file.with_extension("pk3"));
        disk::write(&out, &packed.bytes)?;
        if self.json {
            let files: Vec<_> =
                packed.files.iter().map(|(path, bytes)| serde_json::json!([path, bytes])).collect();
            let report = serde_json::json!({
                "file": out.display().to_string(), "bytes": packed.bytes.len(), "files": files,
                "stock": packed.stock, "missing": packed.missing,
            });
            say!("{report}");
        } else {
            for (path, bytes) in &packed.files {
                say!("{bytes:>10} {path}");
            }
            say!("{:>10} {}", packed.bytes.len(), out.display());
            if !packed.stock.is_empty() {
                say!("left out, since the game has them: {}", packed.stock.join(", "));
            }
            if !packed.missing.is_empty() {
                eprintln!("warning: found nowhere below --basepath: {}", packed.missing.join(", "));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
