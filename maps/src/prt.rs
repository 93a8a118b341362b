//! Portal files: bytes to [`PortalFile`] and back, in the shapes that Quake I/II and Quake III tools know.
//!
//! ```text
//! PRT1
//! 58                                      clusters
//! 121                                     portals
//! 145                                     solid faces (Quake III only)
//! 4 0 6 0 (1024 1216 640 ) (…) (…) (…)    points, cluster A, cluster B, flags (Quake III only), winding
//! 4 17 (64 0 0 ) (…) (…) (…)              points, cluster, winding of a solid face
//! ```
//!
//! The winding runs counter-clockwise about a normal that points from cluster A into cluster B. Nothing is allocated on the word
//! of the header: it only says where to stop. Source: facts/map-tools.md, section 3.

use std::fmt;

/// Most clusters that a file may name. Unit: clusters. Source: the .bsp format's limit of leafs.
pub const MAX_CLUSTERS: u32 = 0x20000;
/// Most portals that a file may hold. Unit: portals.
pub const MAX_PORTALS: u32 = 0x40000;
/// Most solid faces that a file may hold. Unit: faces.
pub const MAX_FACES: u32 = 0x80000;
/// Most points of one winding. Unit: points. Source: the limit of the tools that write such files.
pub const MAX_WINDING_POINTS: usize = 64;
/// Largest coordinate, either sign. Unit: world units. Twice what the game can address.
pub const MAX_COORDINATE: f64 = 262_144.0;
/// A portal that a hint brush made.
pub const FLAG_HINT: u32 = 1;
/// A portal that lies in a sky face.
pub const FLAG_SKY: u32 = 2;

/// A point of a winding. Unit: world units.
pub type Point = [f64; 3];

/// All that a portal file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortalFile {
    /// Clusters are numbered from zero to one less than this.
    pub cluster_count: u32,
    /// In file order.
    pub portals: Vec<FilePortal>,
    /// Solid faces of clusters, or None for the three-line header that has none.
    pub faces: Option<Vec<FileFace>>,
}

/// One portal line.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePortal {
    /// The clusters it joins; the winding's normal points from the first into the second.
    pub clusters: [u32; 2],
    /// [`FLAG_HINT`] and [`FLAG_SKY`]; zero where the file has no such column.
    pub flags: u32,
    /// Three points or more.
    pub winding: Vec<Point>,
}

/// One solid face line.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFace {
    /// The cluster that it bounds.
    pub cluster: u32,
    /// Three points or more.
    pub winding: Vec<Point>,
}

/// Which tools a file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Three header lines, no flags, no faces: what Quake I and II tools and most editors read.
    Quake2,
    /// Four header lines, flags, faces.
    Quake3,
}

/// Why a portal file cannot be used. Display is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrtError {
    /// Counted from one.
    pub line: usize,
    /// What is wrong there.
    pub cause: PrtCause,
}

/// What is wrong with a line of a portal file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrtCause {
    /// The first line is not `PRT1`.
    NotAPortalFile,
    /// A dialect that splits clusters in two kinds.
    OtherDialect(String),
    /// The file stops before what it promised.
    Ended(&'static str),
    /// A number was wanted.
    NotANumber(&'static str),
    /// A number larger than the limit that stands beside it.
    TooLarge(&'static str, u64, u64),
    /// A winding needs three points or more.
    TooFewPoints(u64),
    /// A portal joins a cluster with itself.
    OneCluster(u32),
    /// Portals in a file that has no clusters.
    NoClusters,
    /// `(x y z )` was wanted.
    BadPoint(usize),
    /// Words after the last point.
    Trailing,
    /// Lines after the last promised one.
    MoreThanPromised,
}

impl fmt::Display for PrtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.cause {
            PrtCause::NotAPortalFile => write!(f, "this is no portal file, the first line should be PRT1"),
            PrtCause::OtherDialect(name) => {
                write!(f, "portal files of kind {name} (with detail clusters) are not read, write PRT1")
            }
            PrtCause::Ended(what) => write!(f, "the file ends where {what} should follow"),
            PrtCause::NotANumber(what) => write!(f, "{what} should be a whole number"),
            PrtCause::TooLarge(what, value, limit) => write!(f, "{what} is {value}, the largest is {limit}"),
            PrtCause::TooFewPoints(count) => write!(f, "a winding of {count} points, three are the fewest"),
            PrtCause::OneCluster(cluster) => write!(f, "a portal from cluster {cluster} to itself"),
            PrtCause::NoClusters => write!(f, "the file promises portals between no clusters at all"),
            PrtCause::BadPoint(index) => {
                write!(f, "point {index} should read (x y z ) with three numbers within {MAX_COORDINATE}")
            }
            PrtCause::Trailing => write!(f, "words after the last point"),
            PrtCause::MoreThanPromised => write!(f, "more lines than the header promises"),
        }
    }
}

impl std::error::Error for PrtError {}

impl PortalFile {
    /// Reads either shape.
    pub fn parse(bytes: &[u8]) -> Result<Self, PrtError> {
        let mut lines = Lines { rest: bytes, line: 0 };
        match lines.next("PRT1")?.trim() {
            "PRT1" => {}
            other if other.starts_with("PRT") && other.len() < 16 => {
                return Err(lines.fail(PrtCause::OtherDialect(other.to_owned())));
            }
            _ => return Err(lines.fail(PrtCause::NotAPortalFile)),
        }
        let cluster_count = lines.count("the number of clusters", MAX_CLUSTERS)?;
        let portal_count = lines.count("the number of portals", MAX_PORTALS)?;
        if cluster_count == 0 && portal_count > 0 {
            return Err(lines.fail(PrtCause::NoClusters));
        }
        let face_count = lines.face_count()?;
        let mut file = Self { cluster_count, ..Self::default() };
        for _ in 0..portal_count {
            let line = lines.next("a portal")?;
            file.portals.push(parse_portal(line, cluster_count).map_err(|cause| lines.fail(cause))?);
        }
        if let Some(count) = face_count {
            let mut faces = Vec::new();
            for _ in 0..count {
                let line = lines.next("a solid face")?;
                faces.push(parse_face(line, cluster_count).map_err(|cause| lines.fail(cause))?);
            }
            file.faces = Some(faces);
        }
        match lines.next("") {
            Ok(_) => Err(lines.fail(PrtCause::MoreThanPromised)),
            Err(_) => Ok(file),
        }
    }

    /// Writes the shape asked for. Coordinates within 0.001 of a whole number become that, others get six decimals.
    pub fn emit(&self, shape: Shape) -> String {
        let mut out = format!("PRT1\n{}\n{}\n", self.cluster_count, self.portals.len());
        let faces = self.faces.as_deref().unwrap_or_default();
        if shape == Shape::Quake3 {
            out.push_str(&format!("{}\n", faces.len()));
        }
        for portal in &self.portals {
            let [a, b] = portal.clusters;
            out.push_str(&format!("{} {a} {b} ", portal.winding.len()));
            if shape == Shape::Quake3 {
                out.push_str(&format!("{} ", portal.flags));
            }
            emit_winding(&mut out, &portal.winding);
        }
        if shape == Shape::Quake3 {
            for face in faces {
                out.push_str(&format!("{} {} ", face.winding.len(), face.cluster));
                emit_winding(&mut out, &face.winding);
            }
        }
        out
    }
}

/// Lines that are not blank, with their numbers.
struct Lines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Lines<'a> {
    fn fail(&self, cause: PrtCause) -> PrtError {
        PrtError { line: self.line, cause }
    }

    fn next(&mut self, what: &'static str) -> Result<&'a str, PrtError> {
        loop {
            if self.rest.is_empty() {
                self.line += 1;
                return Err(self.fail(PrtCause::Ended(what)));
            }
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = &self.rest[(end + 1).min(self.rest.len())..];
            self.line += 1;
            let text =
                std::str::from_utf8(line).map_err(|_| self.fail(PrtCause::NotANumber("what stands here")))?;
            if !text.trim().is_empty() {
                return Ok(text);
            }
        }
    }

    fn count(&mut self, what: &'static str, limit: u32) -> Result<u32, PrtError> {
        let line = self.next(what)?;
        number(Some(line.trim()), what, limit).map_err(|cause| self.fail(cause))
    }

    /// The fourth header line, if there is one: a line of one word. Leaves the reader before a portal line.
    fn face_count(&mut self) -> Result<Option<u32>, PrtError> {
        let (rest, line) = (self.rest, self.line);
        match self.next("") {
            Ok(text) if text.split_whitespace().nth(1).is_none() => {
                let what = "the number of solid faces";
                number(Some(text.trim()), what, MAX_FACES).map(Some).map_err(|cause| self.fail(cause))
            }
            _ => {
                (self.rest, self.line) = (rest, line);
                Ok(None)
            }
        }
    }
}

fn number(word: Option<&str>, what: &'static str, limit: u32) -> Result<u32, PrtCause> {
    let value: u64 = word.and_then(|w| w.parse().ok()).ok_or(PrtCause::NotANumber(what))?;
    match u32::try_from(value) {
        Ok(small) if small <= limit => Ok(small),
        _ => Err(PrtCause::TooLarge(what, value, u64::from(limit))),
    }
}

fn parse_portal(line: &str, cluster_count: u32) -> Result<FilePortal, PrtCause> {
    let (head, points) = line.split_at(line.find('(').unwrap_or(line.len()));
    let mut words = head.split_whitespace();
    let count = point_count(words.next())?;
    let last = cluster_count.saturating_sub(1);
    let a = number(words.next(), "the first cluster", last)?;
    let b = number(words.next(), "the second cluster", last)?;
    let flags = words.next().map_or(Ok(0), |word| number(Some(word), "the flags", u32::MAX))?;
    if words.next().is_some() {
        return Err(PrtCause::BadPoint(0));
    }
    if a == b {
        return Err(PrtCause::OneCluster(a));
    }
    Ok(FilePortal { clusters: [a, b], flags, winding: parse_winding(points, count)? })
}

fn parse_face(line: &str, cluster_count: u32) -> Result<FileFace, PrtCause> {
    let (head, points) = line.split_at(line.find('(').unwrap_or(line.len()));
    let mut words = head.split_whitespace();
    let count = point_count(words.next())?;
    let cluster = number(words.next(), "the cluster", cluster_count.saturating_sub(1))?;
    if words.next().is_some() {
        return Err(PrtCause::BadPoint(0));
    }
    Ok(FileFace { cluster, winding: parse_winding(points, count)? })
}

fn point_count(word: Option<&str>) -> Result<usize, PrtCause> {
    let count = number(word, "the number of points", MAX_WINDING_POINTS as u32)? as usize;
    if count < 3 {
        return Err(PrtCause::TooFewPoints(count as u64));
    }
    Ok(count)
}

fn parse_winding(text: &str, count: usize) -> Result<Vec<Point>, PrtCause> {
    let mut rest = text;
    let mut winding = Vec::with_capacity(count);
    for index in 0..count {
        let point = parse_point(&mut rest).ok_or(PrtCause::BadPoint(index))?;
        winding.push(point);
    }
    if rest.trim().is_empty() { Ok(winding) } else { Err(PrtCause::Trailing) }
}

fn parse_point(rest: &mut &str) -> Option<Point> {
    let (inside, after) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    *rest = after;
    let mut words = inside.split_whitespace();
    let mut point = [0.0; 3];
    for axis in &mut point {
        *axis = words.next()?.parse().ok()?;
        if !(-MAX_COORDINATE..=MAX_COORDINATE).contains(axis) {
            return None;
        }
    }
    words.next().is_none().then_some(point)
}

fn emit_winding(out: &mut String, winding: &[Point]) {
    for point in winding {
        out.push('(');
        for &axis in point {
            let whole = axis.round();
            if (axis - whole).abs() < 0.001 {
                out.push_str(&format!("{} ", whole as i64));
            } else {
                out.push_str(&format!("{axis:.6} "));
            }
        }
        out.push_str(") ");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUAKE3: &str = "PRT1\n3\n2\n1\n4 0 1 2 (0 0 0 ) (0 8 0 ) (0 8 8.500000 ) (0 0 8 ) \n\
        3 1 2 0 (64 0 0 ) (64 8 0 ) (64 8 8 ) \n3 1 (0 0 0 ) (8 0 0 ) (8 8 0 ) \n";
    const QUAKE2: &str = "PRT1\n3\n2\n4 0 1 (0 0 0 ) (0 8 0 ) (0 8 8.500000 ) (0 0 8 ) \n\
        3 1 2 (64 0 0 ) (64 8 0 ) (64 8 8 ) \n";

    #[test]
    fn both_shapes_are_read_and_written_back_to_the_byte() {
        let full = PortalFile::parse(QUAKE3.as_bytes()).expect("Quake III shape");
        assert_eq!(full.portals[0].flags, FLAG_SKY);
        assert_eq!(full.faces.as_ref().map(Vec::len), Some(1));
        assert_eq!(full.emit(Shape::Quake3), QUAKE3);
        assert_eq!(full.emit(Shape::Quake2), QUAKE2);
        let short = PortalFile::parse(QUAKE2.as_bytes()).expect("Quake II shape");
        assert_eq!(short.faces, None);
        assert_eq!(short.emit(Shape::Quake2), QUAKE2);
    }

    #[test]
    fn errors_name_the_line_and_the_reason() {
        let check = |text: &str, message: &str| {
            let error = PortalFile::parse(text.as_bytes()).expect_err(text);
            assert!(error.to_string().contains(message), "{error} should say {message}");
        };
        check("", "line 1: the file ends where PRT1");
        check("IBSP", "line 1: this is no portal file");
        check("PRT2\n1\n1\n1\n", "kind PRT2");
        check("PRT1\n4294967299\n", "line 2: the number of clusters is 4294967299, the largest is 131072");
        check("PRT1\n0\n1\n", "line 3: the file promises portals between no clusters");
        check("PRT1\n2\nmany\n", "line 3: the number of portals should be a whole number");
        check(
            "PRT1\n2\n1\n0\n3 0 2 0 (0 0 0 ) (1 0 0 ) (1 1 0 )",
            "line 5: the second cluster is 2, the largest is 1",
        );
        check(
            "PRT1\n2\n1\n0\n3 0 0 0 (0 0 0 ) (1 0 0 ) (1 1 0 )",
            "line 5: a portal from cluster 0 to itself",
        );
        check("PRT1\n2\n1\n0\n3 0 1 0 (0 0 0 ) (1 0 ) (1 1 0 )", "line 5: point 1 should read");
        check("PRT1\n2\n1\n0\n3 0 1 0 (0 0 0 ) (1 0 nan ) (1 1 0 )", "line 5: point 1 should read");
        check("PRT1\n2\n1\n0\n2 0 1 0 (0 0 0 ) (1 0 0 )", "line 5: a winding of 2 points");
        check("PRT1\n2\n1\n0\n99 0 1 0 (0 0 0 )", "line 5: the number of points is 99, the largest is 64");
        check("PRT1\n2\n1\n0\n3 0 1 0 (0 0 0 ) (1 0 0 ) (1 1 0 ) 7", "line 5: words after the last point");
        check("PRT1\n2\n2\n0\n3 0 1 0 (0 0 0 ) (1 0 0 ) (1 1 0 )\n", "line 6: the file ends where a portal");
        check(
            "PRT1\n2\n0\n0\n3 0 1 0 (0 0 0 ) (1 0 0 ) (1 1 0 )\n",
            "line 5: more lines than the header promises",
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn damaged_files_give_a_value(cut in 0..QUAKE3.len(), at in 0..QUAKE3.len(), byte: u8) {
            let mut bytes = QUAKE3.as_bytes()[..cut].to_vec();
            if let Some(place) = bytes.get_mut(at) { *place = byte; }
            if let Ok(file) = PortalFile::parse(&bytes) {
                prop_assert!(PortalFile::parse(file.emit(Shape::Quake3).as_bytes()).is_ok());
            }
        }

        #[test]
        fn noise_gives_a_value(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut file = b"PRT1\n9\n9\n".to_vec();
            file.extend(bytes);
            let _ = PortalFile::parse(&file);
        }
    }
}
