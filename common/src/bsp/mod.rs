//! The .bsp file (IBSP 46): typed lumps, one reader, one writer.
//!
//! Bytes come in, a [`Bsp`] or a [`BspError`] goes out. Every index of a parsed file points at something that is there, the
//! tree is a tree, and nothing was allocated beyond a small multiple of the file's own size. Drawing lumps are kept too, so
//! that what was read can be written again; [`crate::collision`] uses what is solid.
//!
//! ```text
//! "IBSP" i32 version=46 | 17 x { i32 offset, i32 length } | lumps in any order, at any place
//! ```
//!
//! Source: facts page "map-tools", section 6.

mod check;
mod checksum;
mod error;
mod fields;
mod records;
#[cfg(test)]
pub(crate) mod testing;

pub use checksum::block_checksum;
pub use error::{BspError, Lump};
pub use records::{
    Brush, BrushSide, Child, DrawVert, Fog, Leaf, Model, Node, Shader, Span, Surface, SurfaceKind,
};

use crate::math::Plane;
use byteorder::{ByteOrder, LE};
use fields::{Fields, Record};

/// The version that every Quake III-family engine reads.
const VERSION: i32 = 46;
/// Bytes before the first lump may begin: magic, version and the directory.
const HEADER_BYTES: usize = 8 + Lump::COUNT * 8;
/// Bytes of the visibility lump before its rows.
const VISIBILITY_HEADER_BYTES: usize = 8;

/// A map file, lump by lump.
///
/// Two are equal if their lumps are: the checksum tells from which bytes one was read and takes no part.
#[derive(Clone, Debug, Default)]
pub struct Bsp {
    /// Entity text, as it stands in the file; usually ends with a NUL.
    pub entities: Vec<u8>,
    /// Materials: what a face or brush is made of.
    pub shaders: Vec<Shader>,
    /// Planes, in opposite pairs (`index ^ 1`).
    pub planes: Vec<Plane>,
    /// The tree; the root is the first.
    pub nodes: Vec<Node>,
    /// Convex pieces that the tree ends in.
    pub leafs: Vec<Leaf>,
    /// Surface numbers, in spans that leafs own.
    pub leaf_surfaces: Vec<u32>,
    /// Brush numbers, in spans that leafs own.
    pub leaf_brushes: Vec<u32>,
    /// The world, then the inline models of doors, platforms and triggers.
    pub models: Vec<Model>,
    /// Solid convex volumes.
    pub brushes: Vec<Brush>,
    /// Faces of brushes, in spans that brushes own; the first six of a brush are axial: -x +x -y +y -z +z.
    pub brush_sides: Vec<BrushSide>,
    /// Vertices of surfaces; control points of patches.
    pub draw_verts: Vec<DrawVert>,
    /// Vertex numbers relative to a surface's first vertex.
    pub draw_indexes: Vec<u32>,
    /// Fog volumes.
    pub fogs: Vec<Fog>,
    /// Faces, patches, triangle meshes and flares. Patches collide too.
    pub surfaces: Vec<Surface>,
    /// Lightmap pages, 128x128x3 bytes each.
    pub lightmaps: Vec<u8>,
    /// Light of models, 8 bytes a cell.
    pub light_grid: Vec<u8>,
    /// Which cluster may see which; `None` if the lump is empty, then all see all.
    pub visibility: Option<Visibility>,
    /// [`block_checksum`] of the file that this was read from, 0 if it was not read from one.
    pub checksum: u32,
}

/// The potentially visible set: one row of bits a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    /// Number of rows.
    pub cluster_count: u32,
    /// Length of a row.
    pub row_bytes: u32,
    /// Bit `j % 8` of byte `i * row_bytes + j / 8`: cluster i may see cluster j. Some files carry bytes after the last row.
    pub rows: Vec<u8>,
}

impl Bsp {
    /// Reads a map file.
    ///
    /// # Errors
    /// What is wrong, with lump and byte. Nothing that a file can hold makes this panic.
    pub fn parse(bytes: &[u8]) -> Result<Self, BspError> {
        let directory = Directory::parse(bytes)?;
        let bsp = Self {
            entities: directory.bytes(Lump::Entities).to_vec(),
            shaders: directory.records(Lump::Shaders)?,
            planes: directory.records(Lump::Planes)?,
            nodes: directory.records(Lump::Nodes)?,
            leafs: directory.records(Lump::Leafs)?,
            leaf_surfaces: directory.records(Lump::LeafSurfaces)?,
            leaf_brushes: directory.records(Lump::LeafBrushes)?,
            models: directory.records(Lump::Models)?,
            brushes: directory.records(Lump::Brushes)?,
            brush_sides: directory.records(Lump::BrushSides)?,
            draw_verts: directory.records(Lump::DrawVerts)?,
            draw_indexes: directory.records(Lump::DrawIndexes)?,
            fogs: directory.records(Lump::Fogs)?,
            surfaces: directory.records(Lump::Surfaces)?,
            lightmaps: directory.bytes(Lump::Lightmaps).to_vec(),
            light_grid: directory.bytes(Lump::LightGrid).to_vec(),
            visibility: parse_visibility(directory.bytes(Lump::Visibility))?,
            checksum: block_checksum(bytes),
        };
        bsp.check()?;
        Ok(bsp)
    }

    /// Writes the map file: lumps in directory order, each beginning at a multiple of four.
    ///
    /// `parse(emit(x)) == x` for every map that [`Bsp::check`] accepts.
    pub fn emit(&self) -> Vec<u8> {
        let mut file = FileWriter::new();
        file.bytes(Lump::Entities, &self.entities);
        file.records(Lump::Shaders, &self.shaders);
        file.records(Lump::Planes, &self.planes);
        file.records(Lump::Nodes, &self.nodes);
        file.records(Lump::Leafs, &self.leafs);
        file.records(Lump::LeafSurfaces, &self.leaf_surfaces);
        file.records(Lump::LeafBrushes, &self.leaf_brushes);
        file.records(Lump::Models, &self.models);
        file.records(Lump::Brushes, &self.brushes);
        file.records(Lump::BrushSides, &self.brush_sides);
        file.records(Lump::DrawVerts, &self.draw_verts);
        file.records(Lump::DrawIndexes, &self.draw_indexes);
        file.records(Lump::Fogs, &self.fogs);
        file.records(Lump::Surfaces, &self.surfaces);
        file.bytes(Lump::Lightmaps, &self.lightmaps);
        file.bytes(Lump::LightGrid, &self.light_grid);
        if let Some(visibility) = &self.visibility {
            let mut lump = Vec::with_capacity(VISIBILITY_HEADER_BYTES + visibility.rows.len());
            lump.extend_from_slice(&visibility.cluster_count.to_le_bytes());
            lump.extend_from_slice(&visibility.row_bytes.to_le_bytes());
            lump.extend_from_slice(&visibility.rows);
            file.bytes(Lump::Visibility, &lump);
        }
        file.out
    }

    /// Entity text without what follows its NUL. Bytes that are not UTF-8 become replacement marks.
    pub fn entity_text(&self) -> String {
        let end = self.entities.iter().position(|&byte| byte == 0).unwrap_or(self.entities.len());
        String::from_utf8_lossy(&self.entities[..end]).into_owned()
    }

    fn solid_lumps(&self) -> impl PartialEq + '_ {
        (
            (&self.entities, &self.shaders, &self.planes, &self.nodes, &self.leafs, &self.leaf_surfaces),
            (&self.leaf_brushes, &self.models, &self.brushes, &self.brush_sides, &self.visibility),
        )
    }

    fn drawing_lumps(&self) -> impl PartialEq + '_ {
        (
            (&self.draw_verts, &self.draw_indexes, &self.fogs, &self.surfaces),
            (&self.lightmaps, &self.light_grid),
        )
    }
}

impl PartialEq for Bsp {
    fn eq(&self, other: &Self) -> bool {
        self.solid_lumps() == other.solid_lumps() && self.drawing_lumps() == other.drawing_lumps()
    }
}

/// The lumps of a file, each known to lie inside it.
struct Directory<'a> {
    lumps: [&'a [u8]; Lump::COUNT],
}

impl<'a> Directory<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, BspError> {
        if bytes.len() < HEADER_BYTES {
            return Err(BspError::Header { file_bytes: bytes.len(), header_bytes: HEADER_BYTES });
        }
        if &bytes[..4] != b"IBSP" {
            return Err(BspError::Magic { found: [bytes[0], bytes[1], bytes[2], bytes[3]] });
        }
        let version = LE::read_i32(&bytes[4..]);
        if version != VERSION {
            return Err(BspError::Version { found: version, wanted: VERSION });
        }
        let mut lumps: [&[u8]; Lump::COUNT] = [&[]; Lump::COUNT];
        for lump in Lump::ALL {
            let entry = 8 + lump as usize * 8;
            let (offset, length) = (LE::read_i32(&bytes[entry..]), LE::read_i32(&bytes[entry + 4..]));
            let outside = BspError::Outside { lump, offset, length, file_bytes: bytes.len() };
            let range = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
            let Some((start, length)) = range else { return Err(outside) };
            let end = start.checked_add(length);
            let Some(part) = end.and_then(|end| bytes.get(start..end)) else { return Err(outside) };
            lumps[lump as usize] = part;
        }
        Ok(Self { lumps })
    }

    fn bytes(&self, lump: Lump) -> &'a [u8] {
        self.lumps[lump as usize]
    }

    fn records<R: Record>(&self, lump: Lump) -> Result<Vec<R>, BspError> {
        let bytes = self.bytes(lump);
        if !bytes.len().is_multiple_of(R::SIZE) {
            return Err(BspError::Size { lump, length: bytes.len(), record_bytes: R::SIZE });
        }
        let mut records = Vec::with_capacity(bytes.len() / R::SIZE);
        for (record, raw) in bytes.chunks_exact(R::SIZE).enumerate() {
            let mut fields = Fields::new(lump, record, raw);
            records.push(R::read(&mut fields)?);
        }
        Ok(records)
    }
}

fn parse_visibility(lump: &[u8]) -> Result<Option<Visibility>, BspError> {
    if lump.is_empty() {
        return Ok(None);
    }
    if lump.len() < VISIBILITY_HEADER_BYTES {
        let (length, record_bytes) = (lump.len(), VISIBILITY_HEADER_BYTES);
        return Err(BspError::Size { lump: Lump::Visibility, length, record_bytes });
    }
    let (header, rows) = lump.split_at(VISIBILITY_HEADER_BYTES);
    let mut fields = Fields::new(Lump::Visibility, 0, header);
    let cluster_count = fields.index("cluster count")?;
    let row_bytes = fields.index("row length")?;
    Ok(Some(Visibility { cluster_count, row_bytes, rows: rows.to_vec() }))
}

/// A file under construction; the directory is filled in as lumps are appended.
struct FileWriter {
    out: Vec<u8>,
}

impl FileWriter {
    fn new() -> Self {
        let mut out = vec![0; HEADER_BYTES];
        out[..4].copy_from_slice(b"IBSP");
        LE::write_i32(&mut out[4..], VERSION);
        let mut file = Self { out };
        for lump in Lump::ALL {
            file.bytes(lump, &[]);
        }
        file
    }

    fn bytes(&mut self, lump: Lump, bytes: &[u8]) {
        let start = self.out.len();
        self.out.extend_from_slice(bytes);
        self.close(lump, start);
    }

    fn records<R: Record>(&mut self, lump: Lump, records: &[R]) {
        let start = self.out.len();
        for record in records {
            record.write(&mut self.out);
        }
        self.close(lump, start);
    }

    fn close(&mut self, lump: Lump, start: usize) {
        let entry = 8 + lump as usize * 8;
        let length = self.out.len() - start;
        LE::write_u32(&mut self.out[entry..], start as u32);
        LE::write_u32(&mut self.out[entry + 4..], length as u32);
        self.out.resize(self.out.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::testing::room;
    use super::*;

    #[test]
    fn a_map_comes_back_from_its_file() {
        let bsp = room();
        let file = bsp.emit();
        let back = Bsp::parse(&file).unwrap();
        assert_eq!(back, bsp);
        assert_eq!(back.checksum, block_checksum(&file));
        assert_eq!(
            Bsp { visibility: None, ..back.clone() },
            Bsp::parse(&Bsp { visibility: None, ..back }.emit()).unwrap()
        );
    }

    #[test]
    fn a_file_cut_short_anywhere_is_refused() {
        let file = room().emit();
        for length in 0..file.len() {
            // The last lump is followed by up to three bytes of padding, which nobody misses.
            let cut = Bsp::parse(&file[..length]);
            assert!(cut.is_err() || length + 3 >= file.len(), "cut to {length} of {} bytes", file.len());
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_lump_and_byte() {
        let file = room().emit();
        let check = |at: usize, value: i32, text: &str| {
            let mut damaged = file.clone();
            LE::write_i32(&mut damaged[at..], value);
            assert_eq!(Bsp::parse(&damaged).unwrap_err().to_string(), text);
        };
        let start = |lump: Lump| LE::read_u32(&file[8 + lump as usize * 8..]) as usize;
        check(0, 0x5053_4256, "byte 0: the file is no Quake III map: it begins with \"VBSP\"");
        check(4, 47, "byte 4: the map has version 47, only 46 can be read");
        let text = format!(
            "lump planes (offset 2147483647, length 672) is not inside the file of {} bytes",
            file.len()
        );
        check(8 + 16, i32::MAX, &text);
        check(8 + 16 + 4, 20, "lump planes: 20 bytes are not whole records of 16");
        check(8 + 24 + 4, 0, "lump nodes is empty");
        check(start(Lump::Nodes) + 36, 42, "lump nodes, byte 36 (record 1): plane is 42, not in 0..42");
        check(start(Lump::Nodes) + 4, -4, "lump nodes, byte 0 (record 0): leaf is 3, not in 0..3");
        let text = "lump nodes, byte 36 (record 1): a child has two parents: the tree is no tree";
        check(start(Lump::Nodes) + 36 + 4, 1, text);
        check(start(Lump::Leafs) + 48, 2, "lump leafs, byte 48 (record 1): cluster is 2, not in 0..2");
        check(start(Lump::Leafs), -2, "lump leafs, byte 0 (record 0): cluster is -2, not in 0..2147483648");
        check(
            start(Lump::Brushes) + 4,
            5,
            "lump brushes, byte 0 (record 0): the brush has fewer than six sides",
        );
        let text = "lump planes, byte 16 (record 1): the plane is not finite";
        check(start(Lump::Planes) + 16, f32::NAN.to_bits() as i32, text);
        let text = "lump visibility, byte 0 (record 0): the rows do not fit into the lump";
        check(start(Lump::Visibility), 3, text);
    }

    #[test]
    fn a_tree_of_endless_depth_is_refused() {
        let mut bsp = room();
        let plane = bsp.nodes[0].plane;
        let count = 5000;
        bsp.nodes = (1..=count)
            .map(|next| {
                let deeper = if next < count { Child::Node(next) } else { Child::Leaf(1) };
                Node { plane, children: [deeper, Child::Leaf(0)], mins: [0; 3], maxs: [0; 3] }
            })
            .collect();
        let error = bsp.check().unwrap_err();
        assert!(matches!(error, BspError::Broken { lump: Lump::Nodes, record: 1024, .. }), "{error}");
    }

    /// Fuzzing and the tests of damage begin with this file.
    #[test]
    fn the_corpus_has_this_room() {
        assert!(include_bytes!("../../fuzz/corpus/bsp/room.bsp")[..] == room().emit()[..]);
    }
}
