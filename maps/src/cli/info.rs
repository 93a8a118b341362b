//! `fogmap info`: what is in a map, how near it is to the engines' limits, how much its clusters see, and what makes its portals.

use crate::build::{Options, build};
use crate::causes;
use crate::compiled::Compiled;
use crate::diagnostics::{Diagnostic, Site, spell};
use crate::disk;
use crate::map_file::MapFile;
use crate::material::Materials;
use crate::search_path::SearchPath;
use crate::vis::Level;
use clap::Args;
use fogline_common::bsp::Bsp;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Info {
    /// Compiled map; or a source, and brushes are named as the editor counts them.
    #[arg(value_name = "FILE.bsp|FILE.map")]
    file: PathBuf,
    /// How many of the brushes that make the most portals are named.
    #[arg(long, value_name = "N", default_value_t = 10)]
    brushes: usize,
    /// For a source, the game's folder: materials are looked up there.
    #[arg(long, value_name = "DIR")]
    basepath: Option<PathBuf>,
}

/// A count and the limit that engines of the family have for it. Source: the original's `qfiles.h`.
pub(super) type Line = (&'static str, usize, Option<usize>);

/// A page of 128 by 128 luxels of three bytes. Source: `LIGHTMAP_SIZE`.
const LIGHTMAP_PAGE_BYTES: usize = 128 * 128 * 3;

pub(super) fn lines(bsp: &Bsp) -> [Line; 19] {
    let clusters = bsp.leafs.iter().filter_map(|leaf| leaf.cluster).map(|number| number.index() + 1).max();
    let areas = bsp.leafs.iter().filter_map(|leaf| leaf.area).map(|number| number.index() + 1).max();
    let entities = bsp.entity_text().matches('{').count();
    [
        ("entities", entities, Some(2048)),
        ("bytes of entities", bsp.entities.len(), Some(0x40000)),
        ("shaders", bsp.shaders.len(), Some(0x400)),
        ("planes", bsp.planes.len(), Some(0x20000)),
        ("nodes", bsp.nodes.len(), Some(0x20000)),
        ("leafs", bsp.leafs.len(), Some(0x20000)),
        ("clusters", clusters.unwrap_or(0), None),
        ("areas", areas.unwrap_or(0), Some(256)),
        ("leaf surfaces", bsp.leaf_surfaces.len(), Some(0x20000)),
        ("leaf brushes", bsp.leaf_brushes.len(), Some(0x40000)),
        ("models", bsp.models.len(), Some(0x400)),
        ("brushes", bsp.brushes.len(), Some(0x8000)),
        ("brush sides", bsp.brush_sides.len(), Some(0x20000)),
        ("vertices", bsp.draw_verts.len(), Some(0x80000)),
        ("draw indexes", bsp.draw_indexes.len(), Some(0x80000)),
        ("surfaces", bsp.surfaces.len(), Some(0x20000)),
        ("bytes of visibility", bsp.visibility.as_ref().map_or(0, |vis| vis.rows.len()), Some(0x200_000)),
        ("pages of light maps", bsp.lightmaps.len() / LIGHTMAP_PAGE_BYTES, Some(256)),
        ("bytes of light grid", bsp.light_grid.len(), Some(0x80_0000)),
    ]
}

/// What there is to look at.
struct Subject {
    bsp: Bsp,
    /// Where the brushes of the world come from, if the source was given.
    sites: Vec<Site>,
}

impl Info {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let source = self.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("map"));
        let Subject { bsp, sites } = if source { self.compile()? } else { self.load()? };
        for (name, count, limit) in lines(&bsp) {
            let share = limit
                .map_or(String::new(), |limit| format!("{:>6.1} %", 100.0 * count as f64 / limit as f64));
            say!("{name:<20}{count:>9}{share}");
        }
        density(&bsp);
        self.print_causes(&bsp, &sites);
        Ok(ExitCode::SUCCESS)
    }

    fn load(&self) -> Result<Subject, String> {
        Ok(Subject { bsp: super::inspect::load(&self.file)?, sites: Vec::new() })
    }

    /// Compiles a source as far as its portals and fast vis, so that brushes can be named as the editor names them.
    fn compile(&self) -> Result<Subject, String> {
        let name = self.file.display().to_string();
        let text = disk::read(&self.file)?;
        let map = MapFile::parse(&text).map_err(|wrong| Diagnostic::from(&wrong).to_text(&name))?;
        let path = self.basepath.as_deref().map_or_else(|| Ok(SearchPath::empty()), SearchPath::new)?;
        let options = Options { vis: Some(Level::Fast), ..Options::default() };
        let built = build(&map, Materials::new(path), &options, &mut Vec::new(), &mut |_| {});
        let bsp = built.bsp.ok_or_else(|| format!("{name} does not compile; `fogmap build` says why"))?;
        Ok(Subject { bsp, sites: built.brush_sites })
    }

    fn print_causes(&self, bsp: &Bsp, sites: &[Site]) {
        let Ok(compiled) = Compiled::open(bsp) else { return };
        let (causes, grid) = causes::find(&compiled, bsp);
        let all: usize = causes.iter().map(|cause| cause.portals).sum::<usize>() + grid;
        say!("portals              {all:>8}, of them {grid} by the block grid");
        let mut sum = 0;
        for cause in causes.iter().take(self.brushes) {
            sum += cause.portals;
            let name = sites
                .get(cause.brush)
                .map_or_else(|| format!("brush {} of the compiled map", cause.brush), Site::in_list);
            say!("  {:>5} by {name}, about {}", cause.portals, spell(cause.bounds.center()));
        }
        if sum > 0 {
            let share = 100.0 * sum as f64 / all as f64;
            say!("  these make {share:.0} % of all portals; what nobody hides behind may as well be detail");
        }
    }
}

/// How much clusters see: a histogram in tenths, and the five that see most.
fn density(bsp: &Bsp) {
    let Some(vis) = &bsp.visibility else {
        say!("no visibility: everything sees everything");
        return;
    };
    let rows = vis.rows.chunks_exact(vis.row_bytes.max(1) as usize).take(vis.cluster_count as usize);
    let counts: Vec<u32> = rows.map(|row| row.iter().map(|byte| byte.count_ones()).sum()).collect();
    let all = vis.cluster_count.max(1);
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    say!(
        "visible              {sum:>8} pairs, {:.1} %",
        100.0 * sum as f64 / (f64::from(all) * f64::from(all))
    );
    let mut histogram = [0_u32; 10];
    for &count in &counts {
        histogram[(u64::from(count) * 10 / u64::from(all)).min(9) as usize] += 1;
    }
    for (tenth, clusters) in histogram.into_iter().enumerate() {
        say!("  see {:>3}..{:>3} %      {clusters:>8} clusters", tenth * 10, tenth * 10 + 10);
    }
    let mut worst: Vec<(u32, usize)> =
        counts.into_iter().enumerate().map(|(number, count)| (count, number)).collect();
    worst.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (count, number) in worst.into_iter().take(5) {
        if let Some(leaf) =
            bsp.leafs.iter().find(|leaf| leaf.cluster.is_some_and(|own| own.index() == number))
        {
            let middle = [0, 1, 2].map(|axis| (leaf.mins[axis] + leaf.maxs[axis]) / 2);
            say!("  cluster {number} sees {count}, near {} {} {}", middle[0], middle[1], middle[2]);
        }
    }
}
