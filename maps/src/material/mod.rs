//! Materials: what a face's name means for collision, for the tree and for light.
//!
//! A name is looked up in the shader scripts of the search path, then among the names that every mapper knows
//! ([`builtin`]); what is found nowhere is a plain solid wall, and is listed in one warning.

mod builtin;
mod flags;
mod library;
mod picture;
mod script;

pub use flags::{Compile, Flags};
pub use library::{MaterialNum, Materials};
pub use picture::size_of_picture;
pub use script::{Definition, Sun};

/// A material as the compiler uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Path in the game data: `textures/base/wall`.
    pub name: String,
    /// Contents, surface flags and what the compiler does with it.
    pub flags: Flags,
    /// Width and height of its picture. Unit: pixels.
    pub picture: [f64; 2],
    /// Light that a unit of its area gives, 0 for none. Source: `q3map_surfacelight`.
    pub surface_light: f64,
    /// The light that a sky sends, if it has a sun.
    pub suns: Vec<Sun>,
    /// Colour of its light.
    pub light_color: [f64; 3],
    /// What its script asks of the compiler that would show and is not done.
    pub not_done: Vec<&'static str>,
}

impl Material {
    /// Whether a flag of the compiler is set.
    pub fn is(&self, flag: Compile) -> bool {
        self.flags.compile.has(flag)
    }
}
