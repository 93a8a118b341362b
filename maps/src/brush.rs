//! Brushes: planes of the text to corners, bounds and the bevels that boxes slide along.

use crate::diagnostics::{Diagnostic, Site};
use crate::geometry::epsilon::{BEVEL, CORNER, WORLD_REACH};
use crate::geometry::{Box3, DVec3, Face, Plane, PlaneNum, PlaneSet, Volume, Winding};
use crate::map_file::{self, Projection};
use crate::material::{Compile, MaterialNum, Materials};
use fogline_common::proto::contents;

/// A face of a brush.
#[derive(Clone, Debug)]
pub struct Side {
    /// Faces out.
    pub plane: PlaneNum,
    /// What it is made of; `None` for bevels.
    pub material: Option<MaterialNum>,
    /// How the picture lies on it.
    pub projection: Projection,
    /// Its outline; `None` if other faces leave nothing of it, and for bevels.
    pub winding: Option<Winding>,
    /// The part of it that can be seen from where players are; found by [`crate::visible`].
    pub visible: Option<Winding>,
}

/// A convex volume.
#[derive(Clone, Debug)]
pub struct Brush {
    /// Its faces: axial ones first, -x +x -y +y -z +z, then the mapper's others, then bevels.
    pub sides: Vec<Side>,
    /// The box around it.
    pub bounds: Box3,
    /// The material that gives its contents.
    pub material: MaterialNum,
    /// What all its faces together ask of the compiler.
    pub compile: Compile,
    /// Where it comes from.
    pub site: Site,
}

impl Brush {
    /// Cuts a brush out of the planes of the text.
    ///
    /// # Errors
    /// What is wrong with it; the compile goes on without the brush.
    pub fn new(
        source: &map_file::Brush,
        site: Site,
        planes: &mut PlaneSet,
        materials: &mut Materials,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut sides = Vec::with_capacity(source.faces.len() + 6);
        for face in &source.faces {
            let Some(plane) = Plane::through(face.points) else {
                let site = Site { span: face.span, ..site.clone() };
                return Err(Box::new(
                    Diagnostic::warning("flat-face", "the three points of a face lie on one line")
                        .site(&site)
                        .at(face.points[0])
                        .help("rebuild the brush in the editor; it was left out"),
                ));
            };
            let plane = planes.find(plane, &face.points);
            if sides.iter().any(|side: &Side| side.plane == plane) {
                continue;
            }
            let (material, projection) = (Some(materials.of_face(&face.shader)), face.projection);
            sides.push(Side { plane, material, projection, winding: None, visible: None });
        }
        let bounds = cut_outlines(&mut sides, planes);
        let faces = sides.iter().filter(|side| side.winding.is_some()).count();
        if faces < 4 || bounds.is_empty() {
            let near = source.faces.first().map_or(DVec3::ZERO, |face| face.points[0]);
            return Err(Box::new(
                Diagnostic::warning("no-volume", "the brush has no volume")
                    .site(&site)
                    .at(near)
                    .help("delete it, or rebuild it in the editor; it was left out"),
            ));
        }
        let reach = bounds.mins.to_array().into_iter().chain(bounds.maxs.to_array());
        if reach.map(f64::abs).fold(0.0, f64::max) >= WORLD_REACH {
            return Err(Box::new(
                Diagnostic::warning("out-of-bounds", "the brush is open, or reaches out of the world")
                    .site(&site)
                    .at(bounds.mins)
                    .at(bounds.maxs)
                    .help(format!("maps end at {WORLD_REACH} units from the origin; it was left out")),
            ));
        }
        let (material, mut compile) = contents_of(&sides, materials);
        if source.faces.iter().any(|face| face.contents & contents::DETAIL != 0) {
            compile = compile.with(Compile::DETAIL);
        }
        let mut brush = Self { sides, bounds, material, compile, site };
        brush.order_axial_sides(planes);
        brush.add_edge_bevels(planes);
        Ok(brush)
    }

    /// No part of the tree. Source: q3map2's behaviour: what is translucent and not structural is detail.
    pub fn is_detail(&self) -> bool {
        let splits = [Compile::HINT, Compile::AREAPORTAL, Compile::ANTIPORTAL, Compile::STRUCTURAL];
        if splits.iter().any(|&flag| self.compile.has(flag)) {
            return false;
        }
        self.compile.has(Compile::DETAIL) || self.compile.has(Compile::TRANSLUCENT)
    }

    /// Nothing is seen through it. Source: q3map2's behaviour: whatever is not translucent, solid or not, keeps a map closed.
    pub fn is_opaque(&self) -> bool {
        let open = [Compile::TRANSLUCENT, Compile::FOG, Compile::LIQUID, Compile::HINT, Compile::AREAPORTAL];
        !open.iter().any(|&flag| self.compile.has(flag))
    }

    /// Its shape.
    pub fn volume(&self) -> Option<Volume> {
        let faces = self.sides.iter().filter_map(|side| {
            let winding = side.winding.clone()?;
            Some(Face { plane: side.plane, winding })
        });
        Volume::new(faces.collect())
    }

    /// Moved by `-origin`, into the frame of an entity that stands there.
    pub fn move_into_frame(&mut self, origin: DVec3, planes: &mut PlaneSet) {
        for side in &mut self.sides {
            let Plane { normal, dist } = planes[side.plane];
            side.winding = side.winding.take().map(|winding| winding.translated(-origin));
            let points = side.winding.as_ref().map_or(&[][..], Winding::points);
            side.plane = planes.find(Plane { normal, dist: dist - normal.dot(origin) }, points);
        }
        self.bounds = Box3 { mins: self.bounds.mins - origin, maxs: self.bounds.maxs - origin };
    }

    fn bevel(plane: PlaneNum) -> Side {
        let projection = Projection::Classic { shift: [0.0; 2], rotate: 0.0, scale: [1.0; 2] };
        Side { plane, material: None, projection, winding: None, visible: None }
    }

    /// The engine takes a brush's box from its first six sides. Source: facts/map-tools.md, section 6.
    fn order_axial_sides(&mut self, planes: &mut PlaneSet) {
        for place in 0..6 {
            let (axis, up) = (place / 2, place % 2 == 1);
            let normal = DVec3::axis(axis) * if up { 1.0 } else { -1.0 };
            let found = self.sides.iter().position(|side| planes[side.plane].normal == normal);
            let found = found.unwrap_or_else(|| {
                let dist = if up { self.bounds.maxs[axis] } else { -self.bounds.mins[axis] };
                self.sides.push(Self::bevel(planes.find(Plane { normal, dist }, &[])));
                self.sides.len() - 1
            });
            let side = self.sides.remove(found);
            self.sides.insert(place, side);
        }
    }

    /// Planes through slanted edges, along an axis: without them a box would be stopped short of the edge.
    /// Source: `AddBrushBevels`, behaviour.
    fn add_edge_bevels(&mut self, planes: &mut PlaneSet) {
        if self.sides.len() == 6 {
            return;
        }
        let edges: Vec<(DVec3, DVec3)> =
            self.sides.iter().filter_map(|side| side.winding.as_ref()).flat_map(Winding::edges).collect();
        for (from, to) in edges {
            let along = to - from;
            if along.length() < 0.5 {
                continue;
            }
            let along = along.normalized();
            if along.to_array().iter().any(|part| part.abs() > 1.0 - 1e-5) {
                continue;
            }
            for way in 0..6 {
                let axis = DVec3::axis(way / 2) * if way % 2 == 0 { -1.0 } else { 1.0 };
                let normal = along.cross(axis);
                if normal.length() < 0.5 {
                    continue;
                }
                let normal = normal.normalized();
                let plane = Plane { normal, dist: from.dot(normal) };
                if self.is_bevel(&plane, planes) {
                    let number = planes.find(plane, &[from, to]);
                    if !self.sides.iter().any(|side| side.plane == number) {
                        self.sides.push(Self::bevel(number));
                    }
                }
            }
        }
    }

    /// Whether the brush lies behind the plane, and more than a line of it away from it.
    fn is_bevel(&self, plane: &Plane, planes: &PlaneSet) -> bool {
        let known = self.sides.iter().any(|side| {
            let other = &planes[side.plane];
            (other.dist - plane.dist).abs() < 0.01 && (other.normal - plane.normal).length() < 1e-4
        });
        !known
            && self.sides.iter().filter_map(|side| side.winding.as_ref()).all(|winding| {
                let (low, high) = winding.range(plane);
                high <= BEVEL && low < -BEVEL
            })
    }
}

/// Cuts each face by the planes of all others; the box around what is left.
fn cut_outlines(sides: &mut [Side], planes: &PlaneSet) -> Box3 {
    let mut bounds = Box3::EMPTY;
    for index in 0..sides.len() {
        let own = sides[index].plane;
        let mut winding = Some(Winding::square(&planes[own], WORLD_REACH * 2.0));
        for (other, side) in sides.iter().enumerate() {
            if other != index {
                winding = winding.and_then(|winding| winding.behind(&planes[side.plane], CORNER));
            }
        }
        let winding = winding.filter(|winding| winding.area() > CORNER);
        if let Some(winding) = &winding {
            bounds = bounds.union(winding.bounds());
        }
        sides[index].winding = winding;
    }
    bounds
}

/// The material that gives the contents, and what all faces together ask of the compiler.
///
/// Faces that disagree: liquid goes before fog, fog before clip, so that one caulked face does not turn a pool into rock; else the
/// first face decides, as it did in the compiler that the stock maps were made with.
fn contents_of(sides: &[Side], materials: &Materials) -> (MaterialNum, Compile) {
    let rank = |number: MaterialNum| {
        let flags = materials[number].flags;
        match () {
            () if flags.compile.has(Compile::LIQUID) => 3,
            () if flags.compile.has(Compile::FOG) => 2,
            () if flags.contents & contents::PLAYERCLIP != 0 => 1,
            () => 0,
        }
    };
    let numbers = || sides.iter().filter_map(|side| side.material);
    let first = numbers().next();
    let best = numbers().fold(first, |best, number| match best {
        Some(best) if rank(number) <= rank(best) => Some(best),
        _ => Some(number),
    });
    let best = best.unwrap_or_else(|| unreachable!("a brush has a face that the mapper drew"));
    let all = numbers().fold(Compile::NONE, |all, number| all.with(materials[number].flags.compile));
    (best, all)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::map_file::MapFile;
    use crate::search_path::SearchPath;

    /// A box as three points a face.
    pub(crate) fn box_text(mins: [i32; 3], maxs: [i32; 3], shader: &str) -> String {
        let ([a, b, c], [x, y, z]) = (mins, maxs);
        let faces = [
            format!("( {a} {y} {z} ) ( {a} {b} {z} ) ( {a} {b} {c} )"),
            format!("( {x} {y} {z} ) ( {x} {y} {c} ) ( {x} {b} {c} )"),
            format!("( {x} {b} {z} ) ( {x} {b} {c} ) ( {a} {b} {c} )"),
            format!("( {x} {y} {z} ) ( {a} {y} {z} ) ( {a} {y} {c} )"),
            format!("( {x} {y} {c} ) ( {a} {y} {c} ) ( {a} {b} {c} )"),
            format!("( {x} {y} {z} ) ( {x} {b} {z} ) ( {a} {b} {z} )"),
        ];
        let faces: Vec<String> =
            faces.iter().map(|points| format!("{points} {shader} 0 0 0 1 1\n")).collect();
        format!("{{\n{}}}\n", faces.concat())
    }

    fn build(text: &str) -> (Result<Brush, Box<Diagnostic>>, PlaneSet, Materials) {
        let map =
            MapFile::parse(format!("{{ \"classname\" \"worldspawn\" {text} }}").as_bytes()).expect("a map");
        let (mut planes, mut materials) = (PlaneSet::default(), Materials::new(SearchPath::empty()));
        let source = &map.entities[0].brushes[0];
        (Brush::new(source, Site::default(), &mut planes, &mut materials), planes, materials)
    }

    #[test]
    fn a_box_has_six_sides_in_the_engines_order() {
        let (brush, planes, _) = build(&box_text([-8, -16, 0], [8, 16, 64], "a"));
        let brush = brush.expect("a box");
        assert_eq!(
            brush.bounds,
            Box3 { mins: DVec3 { x: -8.0, y: -16.0, z: 0.0 }, maxs: DVec3 { x: 8.0, y: 16.0, z: 64.0 } }
        );
        let normals: Vec<DVec3> = brush.sides.iter().map(|side| planes[side.plane].normal).collect();
        let axes = [-1.0, 1.0].map(|sign| [0, 1, 2].map(|axis| DVec3::axis(axis) * sign));
        let wanted: Vec<DVec3> = (0..6).map(|place| axes[place % 2][place / 2]).collect();
        assert_eq!(normals, wanted);
        assert!((brush.volume().expect("a volume").size() - 16.0 * 32.0 * 64.0).abs() < 1e-6);
    }

    #[test]
    fn a_wedge_gets_axial_sides_and_bevels() {
        let wedge = "{ ( 64 64 0 ) ( 0 64 0 ) ( 0 0 0 ) a 0 0 0 1 1\n( 64 0 64 ) ( 64 0 0 ) ( 0 0 0 ) a 0 0 0 1 1\n\
            ( 64 64 64 ) ( 0 64 64 ) ( 0 64 0 ) a 0 0 0 1 1\n( 64 64 64 ) ( 64 64 0 ) ( 64 0 0 ) a 0 0 0 1 1\n\
            ( 64 64 64 ) ( 64 0 64 ) ( 0 0 0 ) a 0 0 0 1 1 }";
        let (brush, planes, _) = build(wedge);
        let brush = brush.expect("a wedge");
        assert!((brush.bounds.maxs - DVec3::splat(64.0)).length() < 1e-9);
        assert_eq!(planes[brush.sides[0].plane], Plane { normal: -DVec3::axis(0), dist: 0.0 });
        assert!(brush.sides[0].material.is_none() && brush.sides[1].material.is_some());
        for side in &brush.sides {
            for other in brush.sides.iter().filter_map(|side| side.winding.as_ref()) {
                assert!(other.range(&planes[side.plane]).1 <= BEVEL, "every side lies outside");
            }
        }
    }

    #[test]
    fn brushes_without_volume_and_open_ones_are_named() {
        let inside_out = box_text([0, 0, 64], [64, 64, 0], "a");
        assert_eq!(build(&inside_out).0.expect_err("inside out").code, "no-volume");
        let flat = box_text([0, 0, 0], [64, 64, 0], "a");
        assert_eq!(build(&flat).0.expect_err("flat").code, "flat-face");
        let open = "{ ( 64 64 0 ) ( 0 64 0 ) ( 0 0 0 ) a 0 0 0 1 1\n( 64 0 64 ) ( 64 0 0 ) ( 0 0 0 ) a 0 0 0 1 1\n\
            ( 64 64 64 ) ( 0 64 64 ) ( 0 64 0 ) a 0 0 0 1 1\n( 64 64 64 ) ( 64 64 0 ) ( 64 0 0 ) a 0 0 0 1 1 }";
        assert!(build(open).0.is_err());
    }

    #[test]
    fn one_caulked_face_leaves_a_pool_a_pool() {
        let pool =
            box_text([0, 0, 0], [8, 8, 8], "liquids/water").replacen("liquids/water", "common/caulk", 1);
        let (brush, _, materials) = build(&pool);
        let brush = brush.expect("a pool");
        assert_eq!(materials[brush.material].name, "textures/liquids/water");
        assert!(brush.is_detail() && !brush.is_opaque());
    }
}
