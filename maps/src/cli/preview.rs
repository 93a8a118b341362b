//! `fogmap preview`: a finished map from above.

use crate::compiled::Compiled;
use crate::disk;
use crate::geometry::{DVec3, dvec3};
use crate::preview::{self, View};
use clap::Args;
use fogline_common::bsp::Bsp;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Preview {
    /// Compiled map.
    #[arg(value_name = "FILE.bsp")]
    file: PathBuf,
    /// Where the picture goes; beside the map if not given.
    #[arg(long, value_name = "FILE.svg")]
    out: Option<PathBuf>,
    /// Colour what this point may see, and leave all else grey.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    from: Option<DVec3>,
    /// Only what lies between two heights.
    #[arg(long, value_name = "LOW,HIGH", value_parser = parse_heights, allow_hyphen_values = true)]
    heights: Option<[f64; 2]>,
}

impl Preview {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let located = |e: &dyn std::fmt::Display| format!("{}: {e}", self.file.display());
        let bsp = Bsp::parse(&disk::read(&self.file)?).map_err(|e| located(&e))?;
        let compiled = Compiled::open(&bsp).map_err(|e| located(&e))?;
        let out = self.out.clone().unwrap_or_else(|| self.file.with_extension("svg"));
        if out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("svg")) {
            return Err(format!("{}: the picture is an SVG; its name must end with .svg", out.display()));
        }
        let view = View { from: self.from, heights: self.heights };
        let svg = preview::draw(&bsp, &compiled, &view).map_err(|e| located(&e))?;
        disk::write(&out, svg.as_bytes())?;
        say!("{}", out.display());
        Ok(ExitCode::SUCCESS)
    }
}

fn parse_point(text: &str) -> Result<DVec3, String> {
    match numbers(text)[..] {
        [x, y, z] => Ok(dvec3(x, y, z)),
        _ => Err("three numbers are wanted: X,Y,Z".to_owned()),
    }
}

fn parse_heights(text: &str) -> Result<[f64; 2], String> {
    match numbers(text)[..] {
        [low, high] if low <= high => Ok([low, high]),
        _ => Err("two rising numbers are wanted: LOW,HIGH".to_owned()),
    }
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words
        .map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(f64::NAN))
        .collect()
}
