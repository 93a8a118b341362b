//! Faces of a map that show the world from elsewhere: mirrors, and what looks out of a camera.
//!
//! In: the texts of shader scripts and the map. Out: the flat faces that clients draw a second view on, and whether there may be
//! more than that. Which entity a face looks through is not said here: that is one whose place is near the face's plane
//! (`R_GetPortalOrientations`), and the server half knows those.
//!
//! A shader makes a portal if it says `portal`, or `sort` with a number or word that comes to the same (`ParseShader`). If scripts
//! define a name more than once, the one that shows more counts, since clients may have any of them.

use crate::bsp::{Bsp, Surface, SurfaceKind};
use crate::math::{Bounds, Plane, Vec3};
use crate::shader_script::{Words, plain};
use std::collections::BTreeMap;

/// Shaders that make portals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortalShaders {
    names: BTreeMap<String, Shows>,
}

/// How a shader shows the world from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shows {
    /// From no farther than this.
    range: f32,
    /// Its faces do not lie still.
    warps: bool,
}

/// A flat face of the world that shows the world from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct PortalSurface {
    /// Its corners.
    pub corners: Vec<Vec3>,
    /// Box around them.
    pub bounds: Bounds,
    /// The plane that it lies in; it faces its viewers.
    pub plane: Plane,
    /// It is not drawn for anybody behind its plane.
    pub one_sided: bool,
    /// If what it shows is no mirror image, it is not drawn for anybody farther away than this from all of its corners.
    pub range: f32,
}

/// What of a map shows the world from elsewhere. The default is "not known".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortalSurfaces {
    /// All that there are, if that is known.
    known: Option<Vec<PortalSurface>>,
}

/// `alphaGen portal` without a number. Source: `ParseStage`.
const USUAL_RANGE: f32 = 256.0;
/// Corners lie no farther from their plane than this. Unit: world units.
const FLAT: f32 = 0.25;
/// Normals of corners are the plane's up to this.
const ALIKE: f32 = 1e-4;
/// A map with more has none that are known.
const MOST_SURFACES: usize = 256;

impl PortalShaders {
    /// Takes the portals of a script.
    pub fn add_script(&mut self, text: &str) {
        let mut words = Words::of(text);
        while let Some(name) = words.next_definition() {
            let Some(shows) = read_definition(&mut words) else { continue };
            let known = self.names.entry(plain(name)).or_insert(shows);
            known.range = known.range.max(shows.range);
            known.warps |= shows.warps;
        }
    }
}

/// Reads a definition to its end. `None`: it makes no portal.
fn read_definition(words: &mut Words<'_>) -> Option<Shows> {
    let (mut depth, mut is_portal, mut warps) = (1, false, false);
    let mut range: Option<f32> = None;
    while depth > 0 {
        let Some(word) = words.next() else { break };
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        match word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if depth == 1 && is("portal") => is_portal = true,
            _ if depth == 1 && is("deformvertexes") => warps = true,
            _ if depth == 1 && is("sort") => {
                let order = words.next_on_line().unwrap_or_default();
                // Names that mean more than a portal's 1 are no numbers, and what is neither comes to 0.
                let comes_before = |order: &str| order.parse::<f32>().is_ok_and(|order| order <= 1.0);
                is_portal |= order.eq_ignore_ascii_case("portal") || comes_before(order);
            }
            _ if depth > 1 && is("alphagen") => {
                range = range.into_iter().chain(portal_range(words)).reduce(f32::max);
            }
            _ => {}
        }
    }
    is_portal.then_some(Shows { range: range.unwrap_or(f32::INFINITY), warps })
}

/// What follows on `alphaGen`: how far away a portal is drawn, if it is about that.
fn portal_range(words: &mut Words<'_>) -> Option<f32> {
    words.next_on_line().filter(|kind| kind.eq_ignore_ascii_case("portal"))?;
    let said = words.next_on_line().map_or(Ok(USUAL_RANGE), str::parse);
    Some(said.ok().filter(|said| *said >= 0.0).unwrap_or(f32::INFINITY))
}

impl PortalSurfaces {
    /// What of the map shows the world from elsewhere. Not known if any of it is curved, moves or is not flat.
    pub fn of(bsp: &Bsp, shaders: &PortalShaders) -> Self {
        let shows: Vec<Option<Shows>> = bsp
            .shaders
            .iter()
            .map(|shader| {
                let bytes = shader.name.split(|&byte| byte == 0).next().unwrap_or_default();
                shaders.names.get(&plain(&String::from_utf8_lossy(bytes))).copied()
            })
            .collect();
        let world = bsp.models.first().map(|model| model.surfaces.range()).unwrap_or_default();
        let mut found = Vec::new();
        for (number, surface) in bsp.surfaces.iter().enumerate() {
            let Some(shows) = shows.get(surface.shader as usize).copied().flatten() else { continue };
            let face = face(bsp, surface, &shows).filter(|_| world.contains(&number));
            let Some(face) = face.filter(|_| found.len() < MOST_SURFACES) else { return Self::default() };
            found.push(face);
        }
        Self { known: Some(found) }
    }

    /// All that there are. `None`: that is not known.
    pub fn known(&self) -> Option<&[PortalSurface]> {
        self.known.as_deref()
    }
}

impl From<Vec<PortalSurface>> for PortalSurfaces {
    /// A map that has these and no more.
    fn from(all: Vec<PortalSurface>) -> Self {
        Self { known: Some(all) }
    }
}

/// A surface as a flat face, if it is one.
fn face(bsp: &Bsp, surface: &Surface, shows: &Shows) -> Option<PortalSurface> {
    let verts = bsp.draw_verts.get(surface.verts.range())?;
    let normal = surface.lightmap_vectors[2];
    let first = verts.first()?.position;
    let plane = Plane { normal, dist: first.dot(normal) };
    let corners: Vec<Vec3> = verts.iter().map(|vert| vert.position).collect();
    let is_unit = (normal.length_squared() - 1.0).abs() < ALIKE;
    let is_flat = corners.iter().all(|&corner| plane.distance_to(corner).abs() < FLAT);
    let finite = corners.iter().all(|corner| corner.is_finite());
    (surface.kind == SurfaceKind::Planar && !shows.warps && is_unit && is_flat && finite).then(|| {
        PortalSurface {
            bounds: corners.iter().fold(Bounds::EMPTY, |bounds, &corner| bounds.including(corner)),
            one_sided: verts.iter().all(|vert| vert.normal.distance(normal) < ALIKE),
            corners,
            plane,
            range: shows.range,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsp::{DrawVert, Span, testing};
    use crate::math::vec3;

    fn shows(body: &str) -> Option<Shows> {
        let mut shaders = PortalShaders::default();
        shaders.add_script(&format!("textures/a/Glass.tga\n{{\n{body}\n}}\n"));
        shaders.names.get("textures/a/glass").copied()
    }

    #[test]
    fn a_shader_that_sorts_as_a_portal_is_one() {
        let still = |range| Some(Shows { range, warps: false });
        for (body, expected) in [
            ("portal", still(f32::INFINITY)),
            ("surfaceparm nolightmap\n Portal // a comment\n { map x\n alphaGen portal 512 }", still(512.0)),
            ("portal { alphagen Portal\n map x } { alphagen portal 64 }", still(256.0)),
            ("portal { alphagen portal far }", still(f32::INFINITY)),
            ("sort portal", still(f32::INFINITY)),
            ("sort 1", still(f32::INFINITY)),
            ("sort additive", None),
            ("sort 5\n { alphagen portal 512 }", None),
            ("{ portal }", None),
            (
                "portal\n deformVertexes wave 25 sin 3 2 .5 3",
                Some(Shows { range: f32::INFINITY, warps: true }),
            ),
        ] {
            assert_eq!(shows(body), expected, "{body}");
        }
    }

    #[test]
    fn of_several_definitions_the_one_that_shows_most_counts() {
        let mut shaders = PortalShaders::default();
        for range in [128, 1024, 512] {
            shaders.add_script(&format!("a {{ portal {{ alphagen portal {range} }} }} a {{ map }}"));
        }
        assert_eq!(shaders.names["a"].range, 1024.0);
    }

    /// The room with a square of its first shader.
    fn square(change: impl Fn(&mut Surface, &mut Vec<DrawVert>)) -> PortalSurfaces {
        let mut bsp = testing::room();
        let mut surface = bsp.surfaces[0];
        let mut verts: Vec<DrawVert> = [(0.0, 0.0), (64.0, 0.0), (64.0, 32.0), (0.0, 32.0)]
            .map(|(y, z)| DrawVert {
                position: vec3(8.0, y, z),
                normal: vec3(1.0, 0.0, 0.0),
                ..bsp.draw_verts[0]
            })
            .to_vec();
        surface.kind = SurfaceKind::Planar;
        surface.lightmap_vectors[2] = vec3(1.0, 0.0, 0.0);
        change(&mut surface, &mut verts);
        surface.verts = Span { first: bsp.draw_verts.len() as u32, count: verts.len() as u32 };
        bsp.draw_verts.extend(verts);
        bsp.surfaces = vec![surface];
        let mut shaders = PortalShaders::default();
        let name = &bsp.shaders[surface.shader as usize].name;
        let name = String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap()).into_owned();
        shaders.add_script(&format!("{name} {{ portal {{ alphaGen portal 300 }} }}"));
        PortalSurfaces::of(&bsp, &shaders)
    }

    #[test]
    fn a_flat_face_is_known_and_nothing_else_is() {
        let found = square(|_, _| ());
        let [face] = found.known().unwrap() else { panic!("{found:?}") };
        assert_eq!((face.bounds.mins, face.bounds.maxs), (vec3(8.0, 0.0, 0.0), vec3(8.0, 64.0, 32.0)));
        assert_eq!((face.plane.dist, face.one_sided, face.range), (8.0, true, 300.0));
        let bent = square(|_, verts| verts[1].normal = vec3(0.8, 0.6, 0.0));
        assert!(!bent.known().unwrap()[0].one_sided);
        for unknown in [
            square(|surface, _| surface.kind = SurfaceKind::Patch),
            square(|surface, _| surface.kind = SurfaceKind::Triangles),
            square(|_, verts| verts[2].position.x += 1.0),
            square(|surface, _| surface.lightmap_vectors[2] = Vec3::ZERO),
            square(|_, verts| verts.clear()),
        ] {
            assert_eq!(unknown.known(), None);
        }
    }

    #[test]
    fn a_map_without_any_is_known_to_have_none() {
        assert_eq!(PortalSurfaces::of(&testing::room(), &PortalShaders::default()).known(), Some(&[][..]));
        assert_eq!(PortalSurfaces::default().known(), None);
    }
}
