//! Drawings on the disk: as SVG, and as PNG for whoever cannot show that.

use crate::rim::write_file;
use clap::Args;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::path::{Path, PathBuf};

/// Pixels of a PNG for each of the drawing's, so that small letters stay sharp.
const SCALE: f32 = 2.0;

/// Where a command puts its drawings.
#[derive(Args, Clone, Debug, Default)]
pub struct Drawings {
    /// Write the drawings into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
    /// Write them as PNG too.
    #[arg(long, requires = "plots")]
    pub png: bool,
}

impl Drawings {
    /// Whether any are wanted.
    pub fn are_wanted(&self) -> bool {
        self.plots.is_some()
    }

    /// Writes one, if they are wanted; `name` is without ending.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn write(&self, name: &str, svg: &str) -> Result<(), String> {
        self.plots
            .as_ref()
            .map_or(Ok(()), |folder| write_picture(&folder.join(format!("{name}.svg")), svg, self.png))
    }
}

/// Writes a drawing to `path`, whose name ends in .svg, and if `with_png` the same as .png beside it.
///
/// # Errors
/// A sentence that names the file.
pub fn write_picture(path: &Path, svg: &str, with_png: bool) -> Result<(), String> {
    write_file(path, svg.as_bytes())?;
    if !with_png {
        return Ok(());
    }
    let path = path.with_extension("png");
    let bytes = png(svg).map_err(|error| format!("{}: {error}", path.display()))?;
    write_file(&path, &bytes)
}

/// A drawing as PNG, with the fonts of this machine.
///
/// # Errors
/// A sentence, if it is no SVG or too large.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|side| (side * SCALE).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("the drawing has no size")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_becomes_a_png_of_twice_its_size() {
        let svg = crate::plot::head(30.0, 20.0) + "</svg>\n";
        let bytes = png(&svg).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        // Width and height stand in the first chunk.
        assert_eq!((bytes[19], bytes[23]), (60, 40));
        assert!(png("no drawing").is_err());
    }
}
