//! Map sources as editors write them: bytes to [`MapFile`].
//!
//! Read are classic brushes (Quake, Quake III), brush primitives (GtkRadiant, NetRadiant), Valve 220 (Hammer, TrenchBroom),
//! `patchDef2` and `patchDef3`, each face and brush on its own terms, so that a file may mix them. Everything keeps its place in the
//! text, and brushes keep the number that the editor's own list of an entity gives them: brushes and patches counted together, from
//! zero. Source: facts/map-tools.md, sections 1 and 8.

mod error;
mod lexer;
mod parse;
mod projection;

pub use error::{MapError, MapErrorKind};
pub use projection::Projection;

use crate::geometry::DVec3;

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Byte at which it begins.
    pub start: usize,
    /// Bytes.
    pub len: usize,
    /// Line at which it begins, counted from one.
    pub line: usize,
    /// Column at which it begins, counted from one. Unit: bytes.
    pub column: usize,
}

/// A map source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFile {
    /// In file order; the first is the world.
    pub entities: Vec<Entity>,
}

/// An entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    /// Keys and values in file order. Of a key that stands twice the last counts.
    pub pairs: Vec<(String, String)>,
    /// Its brushes.
    pub brushes: Vec<Brush>,
    /// Its patches.
    pub patches: Vec<Patch>,
    /// Its opening brace.
    pub span: Span,
}

impl Entity {
    /// The value of a key, case ignored.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .rev()
            .find(|(known, _)| known.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.as_str())
    }

    /// The class; empty if it has none.
    pub fn class(&self) -> &str {
        self.value("classname").unwrap_or("")
    }

    /// Three numbers.
    pub fn vector(&self, key: &str) -> Option<DVec3> {
        let mut parts = self.value(key)?.split_whitespace().map(str::parse::<f64>);
        let mut next = || parts.next()?.ok().filter(|number| number.is_finite());
        Some(DVec3 { x: next()?, y: next()?, z: next()? })
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Sets a key, in place or at the end.
    pub fn set(&mut self, key: &str, value: String) {
        match self.pairs.iter_mut().rev().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
            Some(pair) => pair.1 = value,
            None => self.pairs.push((key.to_owned(), value)),
        }
    }
}

/// A convex volume as the planes that cut it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Brush {
    /// Its faces.
    pub faces: Vec<Face>,
    /// Counted in its entity, patches included, from zero.
    pub number: usize,
    /// Its opening brace.
    pub span: Span,
}

/// A face of a brush.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Three points on the plane, clockwise seen from outside.
    pub points: [DVec3; 3],
    /// Name of the material below `textures/`.
    pub shader: String,
    /// How the picture lies on it.
    pub projection: Projection,
    /// The first of the three numbers at the end of the line; 0 if they are not there.
    pub contents: i32,
    /// The whole line.
    pub span: Span,
}

/// A grid of control points of a quadratic curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Name of the material below `textures/`.
    pub shader: String,
    /// Control points across and down, both odd and three or more.
    pub size: [usize; 2],
    /// Rows one after the other.
    pub points: Vec<ControlPoint>,
    /// Subdivisions that a `patchDef3` asks for.
    pub subdivisions: Option<[u32; 2]>,
    /// Counted in its entity, brushes included, from zero.
    pub number: usize,
    /// Its keyword.
    pub span: Span,
}

/// A control point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlPoint {
    /// Where it is.
    pub position: DVec3,
    /// Texture coordinates.
    pub texture: [f64; 2],
}

impl MapFile {
    /// Reads a map source.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place. A file of another game is named as such. Nothing that a file can hold makes
    /// this panic, and what it allocates is a small multiple of the file.
    pub fn parse(bytes: &[u8]) -> Result<Self, MapError> {
        parse::parse(bytes)
    }
}
