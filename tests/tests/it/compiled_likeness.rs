//! What `fogmap` makes of a real source against the file that the game installs, made of the same source by the stock compiler:
//! how pictures lie on faces, and where models stand. Sources: see [`fogline_tests::compiled`].

use fogline_common::bsp::{Bsp, Surface, SurfaceKind};
use fogline_common::math::Vec3;
use fogline_maps::texture;
use fogline_tests::{compiled, gamedata};

/// Pictures that lie this much off are another: a pixel of a large one. Unit: pictures.
const SAME_PICTURE: f32 = 1.0 / 256.0;
/// Likewise corners of models. Unit: world units.
const SAME_PLACE: f32 = 0.05;

/// Ours and the stock file, or `None` where there is no source or no game data.
fn both(map: &str) -> Option<[Bsp; 2]> {
    let base = gamedata::base_path()?;
    let sources = compiled::sources();
    let (_, source) = sources.iter().find(|(name, _)| name == map)?;
    let files = [compiled::compile(source, Some(&base), false), gamedata::map(map)?];
    Some(files.map(|file| Bsp::parse(&file).unwrap_or_else(|error| panic!("{map}: {error}"))))
}

fn material(bsp: &Bsp, surface: &Surface) -> String {
    let name = bsp.shaders[surface.shader as usize].name;
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).to_ascii_lowercase()
}

/// Corners of the stock file's flat faces that lie on a face of ours of the same material and side, and how many of those have
/// the picture where ours has it.
fn alike_pictures(ours: &Bsp, stock: &Bsp) -> (usize, usize) {
    let flat = |bsp: &Bsp| -> Vec<(String, Surface)> {
        let flat = bsp.surfaces.iter().filter(|one| one.kind == SurfaceKind::Planar);
        flat.map(|one| (material(bsp, one), *one)).collect()
    };
    let (own, theirs) = (flat(ours), flat(stock));
    let (mut found, mut alike) = (0, 0);
    for (name, surface) in &theirs {
        let normal = surface.lightmap_vectors[2];
        let same: Vec<&Surface> = own
            .iter()
            .filter(|(known, one)| known == name && one.lightmap_vectors[2].distance(normal) < 1e-3)
            .map(|(_, one)| one)
            .collect();
        for corner in &stock.draw_verts[surface.verts.range()] {
            let here = same.iter().filter_map(|one| texture::at(ours, one, corner.position));
            let off = |at: [f32; 2]| {
                // Each compiler takes whole pictures away.
                (0..2).map(move |part| at[part] - corner.texture[part]).map(|off| (off - off.round()).abs())
            };
            let nearest = here.map(|at| off(at).fold(0.0, f32::max)).reduce(f32::min);
            found += usize::from(nearest.is_some());
            alike += usize::from(nearest.is_some_and(|off| off < SAME_PICTURE));
        }
    }
    (found, alike)
}

fn check_pictures(map: &str, least: usize) {
    let Some([ours, stock]) = both(map) else { return };
    let (found, alike) = alike_pictures(&ours, &stock);
    eprintln!("{map}: of {found} corners {alike} have the picture where the stock file has it");
    assert!(found >= least, "{map}: only {found} corners lie on faces of ours");
    assert!(alike * 100 >= found * 99, "{map}: of {found} corners only {alike} have the picture in place");
}

#[test]
fn pictures_lie_where_the_stock_compiler_put_them() {
    // The classic form, then brush primitives.
    check_pictures("oa_dm1", 2000);
    check_pictures("kaos", 2000);
}

#[test]
fn models_stand_where_the_stock_compiler_put_them() {
    for (map, models) in
        [("oa_dm1", "models/mapobjects/torch/torch"), ("am_galmevish", "textures/e7/e7walldesign01b")]
    {
        let Some([ours, stock]) = both(map) else { return };
        let corners = |bsp: &Bsp| -> Vec<(Vec3, [f32; 2])> {
            let mesh = bsp
                .surfaces
                .iter()
                .filter(|one| one.kind == SurfaceKind::Triangles && material(bsp, one) == models);
            mesh.flat_map(|one| &bsp.draw_verts[one.verts.range()])
                .map(|vert| (vert.position, vert.texture))
                .collect()
        };
        let (own, theirs) = (corners(&ours), corners(&stock));
        assert!(own.len() > 100 && theirs.len() > 100, "{map}: {} and {} corners", own.len(), theirs.len());
        let lost = own.iter().filter(|(place, at)| {
            !theirs.iter().any(|(other, theirs)| {
                let off =
                    (0..2).map(move |part| at[part] - theirs[part]).map(|off| (off - off.round()).abs());
                other.distance(*place) < SAME_PLACE && off.fold(0.0, f32::max) < SAME_PICTURE
            })
        });
        let lost = lost.count();
        assert!(
            lost * 100 <= own.len(),
            "{map}: {lost} of {} corners stand elsewhere in the stock file",
            own.len()
        );
        for (whose, bsp) in [("ours", &ours), ("the stock file", &stock)] {
            let (with, against) = fronts(bsp, models);
            assert!(with > 100, "{map}, {whose}: {with} triangles");
            // Models of the game have a few whose normals were smoothed over an edge.
            assert!(
                against * 20 < with,
                "{map}, {whose}: {against} triangles face away from their normals, {with} do not"
            );
        }
    }
}

/// How many triangles of a material face the way of their corners' normals, and how many face the other way.
fn fronts(bsp: &Bsp, name: &str) -> (usize, usize) {
    let mesh =
        bsp.surfaces.iter().filter(|one| one.kind == SurfaceKind::Triangles && material(bsp, one) == name);
    let (mut with, mut against) = (0, 0);
    for surface in mesh {
        let corners = &bsp.draw_verts[surface.verts.range()];
        for triangle in bsp.draw_indexes[surface.indexes.range()].chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|at| &corners[triangle[at] as usize]);
            let front = (c.position - a.position).cross(b.position - a.position);
            let sum = front.dot(a.normal + b.normal + c.normal);
            with += usize::from(sum > 0.0);
            against += usize::from(sum < 0.0);
        }
    }
    (with, against)
}
