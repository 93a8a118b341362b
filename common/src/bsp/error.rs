//! What can be wrong with a .bsp file, in sentences for the host who installed it.

use std::fmt;

/// The parts of the file, in directory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lump {
    /// Entity text.
    Entities,
    /// Materials.
    Shaders,
    /// Planes.
    Planes,
    /// Inner nodes of the tree.
    Nodes,
    /// Leafs of the tree.
    Leafs,
    /// Surface numbers of leafs.
    LeafSurfaces,
    /// Brush numbers of leafs.
    LeafBrushes,
    /// World and inline models.
    Models,
    /// Brushes.
    Brushes,
    /// Faces of brushes.
    BrushSides,
    /// Vertices.
    DrawVerts,
    /// Vertex numbers of triangles.
    DrawIndexes,
    /// Fog volumes.
    Fogs,
    /// Faces, patches, meshes, flares.
    Surfaces,
    /// Lightmap pages.
    Lightmaps,
    /// Light of models.
    LightGrid,
    /// Potentially visible set.
    Visibility,
}

impl Lump {
    /// Number of lumps.
    pub const COUNT: usize = 17;

    /// All, in directory order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Entities,
        Self::Shaders,
        Self::Planes,
        Self::Nodes,
        Self::Leafs,
        Self::LeafSurfaces,
        Self::LeafBrushes,
        Self::Models,
        Self::Brushes,
        Self::BrushSides,
        Self::DrawVerts,
        Self::DrawIndexes,
        Self::Fogs,
        Self::Surfaces,
        Self::Lightmaps,
        Self::LightGrid,
        Self::Visibility,
    ];

    /// Bytes of one record; 1 for text, pictures and bits. Source: facts page "map-tools", section 6.
    pub const fn record_bytes(self) -> usize {
        match self {
            Self::Entities | Self::Lightmaps | Self::LightGrid | Self::Visibility => 1,
            Self::LeafSurfaces | Self::LeafBrushes | Self::DrawIndexes => 4,
            Self::BrushSides => 8,
            Self::Brushes => 12,
            Self::Planes => 16,
            Self::Nodes => 36,
            Self::Models => 40,
            Self::DrawVerts => 44,
            Self::Leafs => 48,
            Self::Shaders | Self::Fogs => 72,
            Self::Surfaces => 104,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Shaders => "shaders",
            Self::Planes => "planes",
            Self::Nodes => "nodes",
            Self::Leafs => "leafs",
            Self::LeafSurfaces => "leaf surfaces",
            Self::LeafBrushes => "leaf brushes",
            Self::Models => "models",
            Self::Brushes => "brushes",
            Self::BrushSides => "brush sides",
            Self::DrawVerts => "draw verts",
            Self::DrawIndexes => "draw indexes",
            Self::Fogs => "fogs",
            Self::Surfaces => "surfaces",
            Self::Lightmaps => "lightmaps",
            Self::LightGrid => "light grid",
            Self::Visibility => "visibility",
        }
    }
}

impl fmt::Display for Lump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a map file cannot be used. Displays as one sentence that names the lump and the byte.
///
/// `record` counts from the start of the lump; the byte shown is that of the record, also from the start of the lump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BspError {
    /// Too short for a directory.
    Header {
        /// Length of the file.
        file_bytes: usize,
        /// Length of magic, version and directory.
        header_bytes: usize,
    },
    /// Not a Quake III map.
    Magic {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// A map for another engine.
    Version {
        /// Version in the file.
        found: i32,
        /// Version that can be read.
        wanted: i32,
    },
    /// A lump that reaches beyond the end of the file.
    Outside {
        /// Which.
        lump: Lump,
        /// Its first byte, from the start of the file.
        offset: i32,
        /// Its length.
        length: i32,
        /// Length of the file.
        file_bytes: usize,
    },
    /// A lump that does not hold whole records.
    Size {
        /// Which.
        lump: Lump,
        /// Its length.
        length: usize,
        /// Bytes of one record.
        record_bytes: usize,
    },
    /// A lump that must not be empty, and is.
    Empty {
        /// Which.
        lump: Lump,
    },
    /// A lump with more records than the protocol can name.
    TooMany {
        /// Which.
        lump: Lump,
        /// Records in the file.
        found: usize,
        /// Most that may be.
        limit: usize,
    },
    /// A number that points at nothing, or says too much.
    OutOfRange {
        /// In which lump.
        lump: Lump,
        /// In which record of it.
        record: usize,
        /// Which number.
        field: &'static str,
        /// What it says.
        value: i64,
        /// It must be below this, and not negative.
        limit: u64,
    },
    /// A record that breaks a rule of its kind.
    Broken {
        /// In which lump.
        lump: Lump,
        /// Which record of it.
        record: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl fmt::Display for BspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Header { file_bytes, header_bytes } => {
                write!(
                    f,
                    "the file has {file_bytes} bytes and is shorter than its directory ({header_bytes})"
                )
            }
            Self::Magic { found } => {
                write!(f, "byte 0: the file is no Quake III map: it begins with \"{}\"", found.escape_ascii())
            }
            Self::Version { found, wanted } => {
                write!(f, "byte 4: the map has version {found}, only {wanted} can be read")
            }
            Self::Outside { lump, offset, length, file_bytes } => write!(
                f,
                "lump {lump} (offset {offset}, length {length}) is not inside the file of {file_bytes} bytes"
            ),
            Self::Size { lump, length, record_bytes } => {
                write!(f, "lump {lump}: {length} bytes are not whole records of {record_bytes}")
            }
            Self::Empty { lump } => write!(f, "lump {lump} is empty"),
            Self::TooMany { lump, found, limit } => {
                write!(f, "lump {lump} has {found} records, at most {limit} may be")
            }
            Self::OutOfRange { lump, record, field, value, limit } => {
                let byte = record * lump.record_bytes();
                write!(f, "lump {lump}, byte {byte} (record {record}): {field} is {value}, not in 0..{limit}")
            }
            Self::Broken { lump, record, reason } => {
                let byte = record * lump.record_bytes();
                write!(f, "lump {lump}, byte {byte} (record {record}): {reason}")
            }
        }
    }
}

impl std::error::Error for BspError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_lump_and_byte() {
        let error =
            BspError::OutOfRange { lump: Lump::Nodes, record: 2, field: "plane", value: 900, limit: 500 };
        assert_eq!(error.to_string(), "lump nodes, byte 72 (record 2): plane is 900, not in 0..500");
    }
}
