//! What can be wrong with a map source, in sentences for the mapper.

use super::Span;
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct MapError {
    /// Where.
    pub span: Span,
    /// Number of the entity, from zero, if it is in one.
    pub entity: Option<usize>,
    /// Number of the brush or patch in that entity, if it is in one.
    pub brush: Option<usize>,
    /// What.
    pub kind: MapErrorKind,
}

/// What is wrong with a map source.
#[derive(Clone, Debug, PartialEq)]
pub enum MapErrorKind {
    /// A file of another game or tool.
    OtherGame(&'static str),
    /// Something else stands where this should.
    Expected {
        /// What should stand there.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// The text ends within something.
    Ended(&'static str),
    /// Not a number, or infinite.
    BadNumber {
        /// What the number is for.
        what: &'static str,
        /// What stands there.
        found: String,
    },
    /// A coordinate that no map can hold.
    TooFar {
        /// The number.
        value: f64,
    },
    /// A patch of a size that no curve has.
    PatchSize {
        /// Across and down, as written.
        size: [f64; 2],
    },
    /// A kind of primitive that is not read.
    UnknownPrimitive(String),
    /// There is no entity in the file.
    Empty,
    /// The first entity is not the world.
    NoWorld(String),
}

/// Control points across or down a patch. Source: the editors' and the engine's `MAX_PATCH_SIZE`-like limits; one above.
pub(super) const MAX_PATCH_SIDE: f64 = 129.0;

impl fmt::Display for MapErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherGame(what) => write!(f, "this is {what}, not a map source of a Quake III-family game"),
            Self::Expected { wanted, found } => write!(f, "{wanted} should stand here, but `{found}` does"),
            Self::Ended(within) => write!(f, "the file ends within {within}"),
            Self::BadNumber { what, found } => write!(f, "{what} should be a number, but `{found}` is none"),
            Self::TooFar { value } => write!(f, "the coordinate {value} is out of every map's bounds"),
            Self::PatchSize { size: [across, down] } => write!(
                f,
                "a patch of {across} by {down} control points: both must be odd and from 3 to {MAX_PATCH_SIDE}"
            ),
            Self::UnknownPrimitive(name) => write!(f, "`{name}` is no kind of brush or patch that is read"),
            Self::Empty => write!(f, "there is no entity in the file"),
            Self::NoWorld(class) => write!(f, "the first entity is a `{class}`, it should be the worldspawn"),
        }
    }
}

impl MapErrorKind {
    /// What a mapper can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::OtherGame(_) => "save it for Quake III in the editor, or choose the .map of the right game",
            Self::Expected { .. } | Self::BadNumber { .. } => {
                "look at this line in a text editor, or save the map anew"
            }
            Self::Ended(_) | Self::Empty => "the file was cut off; take the editor's last backup (.bak)",
            Self::TooFar { .. } => "delete the brush, or move it back into the map",
            Self::PatchSize { .. } => "cap or redisperse the patch in the editor",
            Self::UnknownPrimitive(_) => "brushDef, patchDef2, patchDef3 and plain brushes are read",
            Self::NoWorld(_) => "the worldspawn entity must come first; save the map anew",
        }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.span.line)?;
        if let Some(entity) = self.entity {
            write!(f, ", entity {entity}")?;
        }
        if let Some(brush) = self.brush {
            write!(f, ", brush {brush}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for MapError {}
