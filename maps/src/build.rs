//! The order of the stages, from the text of a map to its compiled form.
//!
//! ```text
//! MapFile -> Scene -> tree of all faces -> portals -> leafs -> flood -> fill outside -> visible faces
//!                     -> tree of visible faces -> portals -> leafs -> flood -> fill -> clusters, areas -> vis -> lumps
//! ```

use crate::diagnostics::{Diagnostic, Site};
use crate::emit::{self, Parts};
use crate::flood::{self, Flood, Leak};
use crate::geometry::Box3;
use crate::leafs::{self, Leaf};
use crate::map_file::MapFile;
use crate::material::Materials;
use crate::portals::Portals;
use crate::prt::PortalFile;
use crate::scene::Scene;
use crate::tree::Tree;
use crate::vis::{self, Level, PortalGraph};
use crate::{areas, faces, light, tjunctions, visible};
use fogline_common::bsp::{Bsp, Visibility};

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How far the vis goes; `None` leaves it out, and everything sees everything.
    pub vis: Option<Level>,
    /// Light vertices and the grid from which models are lit; without it all is white.
    pub light: bool,
    /// Only look whether the map leaks.
    pub leak_test: bool,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Built {
    /// The compiled map; `None` if there is none to be had, or none was asked for.
    pub bsp: Option<Bsp>,
    /// The openings between its clusters.
    pub portals: Option<PortalFile>,
    /// The way out, if there is one.
    pub leak: Option<Leak>,
    /// How much there is of what.
    pub counts: Counts,
    /// Where each brush of the world comes from, in the order of the compiled map.
    pub brush_sites: Vec<Site>,
}

/// How much there is of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Brushes of the world.
    pub brushes: usize,
    /// Those of them that are no part of the tree.
    pub detail: usize,
    /// Patches of the world.
    pub patches: usize,
    /// Models of brush entities.
    pub models: usize,
    /// Leafs of the tree.
    pub leafs: usize,
    /// Leafs that are not rock.
    pub clusters: usize,
    /// Openings between those.
    pub portals: usize,
    /// Areas.
    pub areas: usize,
    /// Levels of the tree.
    pub depth: usize,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { brushes, detail, patches, models, leafs, clusters, portals, areas, .. } = self;
        write!(
            f,
            "{brushes} brushes ({detail} detail), {patches} patches, {models} models; {leafs} leafs, {clusters} clusters, \
            {portals} portals, {areas} areas"
        )
    }
}

/// Where a compile is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Planes to corners.
    Brushes,
    /// The tree of all faces.
    Outside,
    /// The tree of visible faces.
    Tree,
    /// What is drawn.
    Faces,
    /// What sees what.
    Vis(vis::Progress),
    /// Lumps.
    Emit,
    /// Light of vertices and models.
    Light,
}

/// The grid that keeps cells small, if the map does not say otherwise. Unit: world units. Source: facts/map-tools.md, section 4.
const BLOCK: f64 = 1024.0;

/// Compiles a map. What has to be said goes to `said`, where the compile is goes to `tell`.
pub fn build(
    map: &MapFile,
    materials: Materials,
    options: &Options,
    said: &mut Vec<Diagnostic>,
    tell: &mut dyn FnMut(Stage),
) -> Built {
    tell(Stage::Brushes);
    let scene = Scene::new(map, materials, said);
    build_scene(map, scene, options, said, tell)
}

/// Compiles a map whose brushes are cut out already.
pub fn build_scene(
    map: &MapFile,
    mut scene: Scene,
    options: &Options,
    said: &mut Vec<Diagnostic>,
    tell: &mut dyn FnMut(Stage),
) -> Built {
    let bounds = scene.world_bounds();
    let block = block_of(map);
    if !scene.models[0].brushes.iter().any(|brush| !brush.is_detail()) {
        let message = "there is no structural brush: nothing keeps the map closed";
        said.push(
            Diagnostic::error("no-structure", message)
                .site(&scene.world_site())
                .help("build walls, floor and ceiling of plain brushes"),
        );
        return Built::default();
    }
    tell(Stage::Outside);
    let mut cut = Cut::new(&mut scene, bounds, block, false);
    let flood = cut.flood(&scene);
    let leak = flood.leak.clone();
    if let Some(leak) = &leak {
        said.push(describe_leak(leak, &scene, &cut));
    } else if !flood.inhabited {
        said.push(
            Diagnostic::warning(
                "nobody-inside",
                "no entity stands in the open, so inside and outside are one",
            )
            .site(&scene.world_site())
            .help("place a spawn point inside the map"),
        );
    }
    let closed = leak.is_none() && flood.inhabited;
    if options.leak_test {
        return Built { leak, ..Built::default() };
    }
    if closed {
        flood::fill_outside(&cut.tree, &mut cut.leafs, &flood);
    }
    visible::find(&cut.tree, &scene.planes, &cut.leafs, &mut scene.models[0].brushes);
    tell(Stage::Tree);
    let mut cut = Cut::new(&mut scene, bounds, block, true);
    if closed {
        let flood = cut.flood(&scene);
        if flood.leak.is_none() {
            flood::fill_outside(&cut.tree, &mut cut.leafs, &flood);
        }
    }
    visible::find(&cut.tree, &scene.planes, &cut.leafs, &mut scene.models[0].brushes);
    let cluster_count = areas::number_clusters(&cut.tree, &mut cut.leafs);
    let area_count = areas::number_areas(&cut.tree, &cut.portals, &mut cut.leafs);
    report_areas(&scene, &cut, area_count, said);
    finish(&scene, &cut, cluster_count, area_count, leak, options, said, tell)
}

/// A tree with its openings and what is in its leafs.
struct Cut {
    tree: Tree,
    portals: Portals,
    leafs: Vec<Leaf>,
}

impl Cut {
    fn new(scene: &mut Scene, bounds: Box3, block: [f64; 3], only_visible: bool) -> Self {
        let brushes = &scene.models[0].brushes;
        let faces = visible::split_faces(brushes, &scene.materials, only_visible);
        let tree = Tree::build(bounds, faces, block, &mut scene.planes);
        let portals = Portals::build(&tree, bounds, &scene.planes);
        let leafs = leafs::fill(&tree, &scene.planes, brushes);
        Self { tree, portals, leafs }
    }

    fn flood(&self, scene: &Scene) -> Flood {
        flood::flood(&self.tree, &scene.planes, &self.portals, &self.leafs, &scene.entities)
    }
}

#[allow(clippy::too_many_arguments, reason = "the last step gathers what all others found")]
fn finish(
    scene: &Scene,
    cut: &Cut,
    cluster_count: u32,
    area_count: u32,
    leak: Option<Leak>,
    options: &Options,
    said: &mut Vec<Diagnostic>,
    tell: &mut dyn FnMut(Stage),
) -> Built {
    tell(Stage::Faces);
    let world = &scene.models[0];
    let mut drawn = vec![faces::of_world(world, &cut.tree, &scene.planes, &cut.leafs, &scene.materials)];
    drawn.extend(
        scene.models[1..].iter().map(|model| faces::of_model(model, &scene.planes, &scene.materials)),
    );
    for drawn in &mut drawn {
        tjunctions::close(drawn);
    }
    let portals = areas::portal_file(&cut.portals, &cut.leafs, cluster_count);
    // With a leak the void is inside too, and the whole flow would only be lost time.
    let level = options.vis.map(|level| if leak.is_some() { Level::Fast } else { level });
    let visibility = level.and_then(|level| visibility(&portals, level, said, tell));
    tell(Stage::Emit);
    let mut bsp = emit::emit(Parts {
        scene,
        tree: &cut.tree,
        portals: &cut.portals,
        leafs: &cut.leafs,
        drawn: &drawn,
        visibility,
    });
    let counts = Counts {
        brushes: world.brushes.len(),
        detail: world.brushes.iter().filter(|brush| brush.is_detail()).count(),
        patches: world.patches.len(),
        models: scene.models.len() - 1,
        leafs: cut.tree.leafs().count(),
        clusters: cluster_count as usize,
        portals: portals.portals.len(),
        areas: area_count as usize,
        depth: cut.tree.depth(),
    };
    if let Err(wrong) = bsp.check() {
        let message = format!("the compiled map would not load: {wrong}");
        said.push(
            Diagnostic::error("limit", message).help("make the map smaller or simpler where this points to"),
        );
        return Built { portals: Some(portals), leak, counts, ..Built::default() };
    }
    if options.light {
        tell(Stage::Light);
        light::light(&mut bsp, scene, &drawn, said);
    }
    let brush_sites = scene.models[0].brushes.iter().map(|brush| brush.site.clone()).collect();
    Built { bsp: Some(bsp), portals: Some(portals), leak, counts, brush_sites }
}

fn visibility(
    portals: &PortalFile,
    level: Level,
    said: &mut Vec<Diagnostic>,
    tell: &mut dyn FnMut(Stage),
) -> Option<Visibility> {
    if portals.cluster_count == 0 {
        return None;
    }
    let graph = match PortalGraph::from_file(portals) {
        Ok(graph) => graph,
        Err(wrong) => {
            let message = format!("no visibility is computed, so everything sees everything: {wrong}");
            let help =
                "make brushes that nobody hides behind detail, so that there are fewer clusters and portals";
            said.push(Diagnostic::warning("no-vis", message).help(help));
            return None;
        }
    };
    let (table, _) = vis::compute(&graph, level, &mut |progress| tell(Stage::Vis(progress)));
    let lump = table.to_lump();
    let row_bytes = u32::from_le_bytes([lump[4], lump[5], lump[6], lump[7]]);
    Some(Visibility { cluster_count: portals.cluster_count, row_bytes, rows: lump[8..].to_vec() })
}

/// `_blocksize` of the world: one number or three, 0 for no grid.
fn block_of(map: &MapFile) -> [f64; 3] {
    let world = &map.entities[0];
    let text = ["_blocksize", "blocksize", "chopsize"].iter().find_map(|key| world.value(key)).unwrap_or("");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let usable = |size: f64| if size <= 0.0 { 0.0 } else { size.max(64.0) };
    match numbers[..] {
        [x, y, z, ..] => [x, y, z].map(usable),
        [size, ..] => [usable(size); 3],
        [] => [BLOCK; 3],
    }
}

/// Brushes beside a hole are at most so far from it. Unit: world units.
const BESIDE: f64 = 2.0;

fn describe_leak(leak: &Leak, scene: &Scene, cut: &Cut) -> Diagnostic {
    let around = cut.portals.all[leak.portal].winding.bounds().grown(BESIDE);
    let walls = scene.models[0].brushes.iter().filter(|brush| !brush.is_detail() && brush.is_opaque());
    let mut beside: Vec<(f64, &Site)> = walls
        .filter(|brush| brush.bounds.touches(&around))
        .map(|brush| {
            let near = leak.hole.max(brush.bounds.mins).min(brush.bounds.maxs);
            ((near - leak.hole).length(), &brush.site)
        })
        .collect();
    beside.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named: Vec<String> = beside.iter().take(2).map(|(_, site)| site.in_list()).collect();
    let leaking = scene.entities.iter().find(|entity| entity.site == leak.entity);
    let own = leaking.and_then(|leaking| leaking.entity.vector("origin"));
    let origin = own.or(leak.path.last().copied()).unwrap_or_default();
    let message = format!(
        "the map leaks: {} at {} reaches the outside",
        leak.entity.class,
        crate::diagnostics::spell(origin)
    );
    let beside =
        if named.is_empty() { String::new() } else { format!(", beside it {}", named.join(" and ")) };
    let help = format!(
        "close the hole near {}{beside}; the .lin and .pts files lead there. Until then vis is fast and the void is inside",
        crate::diagnostics::spell(leak.hole)
    );
    Diagnostic::error("leak", message).site(&leak.entity).at(leak.hole).help(help)
}

/// Area portals that part nothing, and more areas than a snapshot can name.
fn report_areas(scene: &Scene, cut: &Cut, area_count: u32, said: &mut Vec<Diagnostic>) {
    const MAX_AREAS: u32 = fogline_common::proto::limits::MAX_MAP_AREA_BYTES as u32 * 8;
    if area_count > MAX_AREAS {
        let message = format!("{area_count} areas, the engine's limit is {MAX_AREAS}");
        said.push(Diagnostic::error("limit", message).help("remove area portals"));
    }
    let portals = scene.models[0].brushes.iter().enumerate();
    for (number, brush) in
        portals.filter(|(_, brush)| brush.compile.has(crate::material::Compile::AREAPORTAL))
    {
        let own = cut.tree.leafs().filter(|&cell| {
            cut.leafs[cell].areaportal && cut.leafs[cell].brushes.binary_search(&(number as u32)).is_ok()
        });
        let mut touched: Vec<u32> = own
            .flat_map(|cell| cut.portals.neighbours(cell).map(|(_, other)| other))
            .filter(|&other| other != cut.portals.outside && !cut.leafs[other].areaportal)
            .filter_map(|other| cut.leafs[other].area)
            .collect();
        touched.sort_unstable();
        touched.dedup();
        if touched.len() < 2 {
            let message = "the area portal does not part two areas";
            let help = "it must fill its doorway, and every other way between the two sides needs one too";
            let said_here = Diagnostic::warning("idle-areaportal", message).site(&brush.site);
            said.push(said_here.at(brush.bounds.center()).help(help));
        }
    }
}
