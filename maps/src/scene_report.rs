//! What a scene asks for and does not get: materials that are nowhere, fog, height maps, what scripts ask of compilers in vain.
//!
//! Each is one warning with its list, and stands at the first place in the text that asks for it.

use crate::diagnostics::{Diagnostic, Site};
use crate::geometry::DVec3;
use crate::map_file::{Entity, MapFile, Span};
use crate::material::Compile;
use crate::scene::Scene;
use std::collections::BTreeMap;

/// Keys by which entities name the height maps of terrain, which say where one material turns into the next.
const TERRAIN_KEYS: [&str; 3] = ["_indexmap", "indexmap", "alphamap"];

/// Says all of it.
pub(crate) fn report(map: &MapFile, scene: &Scene, said: &mut Vec<Diagnostic>) {
    let uses = Uses::of(map);
    said.extend(missing(scene, &uses));
    said.extend(fog(scene));
    said.extend(not_done(scene, &uses));
    said.extend(terrain(map));
}

/// The first face or patch of each material, by its path in lower case.
struct Uses(BTreeMap<String, (Site, DVec3)>);

impl Uses {
    fn of(map: &MapFile) -> Self {
        let mut first = BTreeMap::new();
        for (number, entity) in map.entities.iter().enumerate() {
            let faces =
                entity.brushes.iter().flat_map(|brush| brush.faces.iter().map(|face| (brush.number, face)));
            let faces = faces.map(|(brush, face)| (&face.shader, face.span, brush, face.points[0]));
            let patches = entity.patches.iter();
            let patches = patches.map(|patch| {
                let corner = patch.points.first().map_or(DVec3::ZERO, |point| point.position);
                (&patch.shader, patch.span, patch.number, corner)
            });
            let mut all: Vec<(&String, Span, usize, DVec3)> = faces.chain(patches).collect();
            all.sort_by_key(|(_, span, ..)| span.start);
            for (shader, span, brush, place) in all {
                first.entry(key(shader)).or_insert_with(|| (site(number, entity, span, Some(brush)), place));
            }
        }
        Self(first)
    }

    /// `textures/base/wall (entity 0 brush 31 (line 1032))`; the name alone if only a model's file uses it.
    fn spell(&self, name: &str) -> String {
        let known = self.0.get(&key(name));
        known.map_or_else(|| name.to_owned(), |(site, _)| format!("{name}, first at {}", site.in_list()))
    }

    /// At the use that comes first in the text.
    fn place<'a>(&self, said: Diagnostic, names: impl Iterator<Item = &'a str>) -> Diagnostic {
        let found = names.filter_map(|name| self.0.get(&key(name)));
        match found.min_by_key(|(site, _)| site.span.start) {
            Some((site, place)) => said.site(site).at(*place),
            None => said,
        }
    }
}

fn key(name: &str) -> String {
    let path = name.replace('\\', "/").to_ascii_lowercase();
    path.strip_prefix("textures/").unwrap_or(&path).to_owned()
}

fn site(number: usize, entity: &Entity, span: Span, brush: Option<usize>) -> Site {
    Site { span, entity: Some(number), class: entity.class().to_owned(), brush }
}

/// One warning for all materials that neither a script nor a picture has.
fn missing(scene: &Scene, uses: &Uses) -> Option<Diagnostic> {
    let names = scene.materials.missing();
    if names.is_empty() {
        return None;
    }
    let (code, what, help) = if scene.materials.has_path() {
        let help = "they are taken to be solid walls; put their pictures or scripts into the game's folder, correct the \
            names in the editor, or give the right folder with --basepath";
        ("missing-materials", "were not found", help)
    } else {
        let help = "water, glass and grates among them are solid walls in this map; say where their scripts and pictures \
            are: --basepath DIR";
        ("no-basepath", "were looked up nowhere, since no game folder was given", help)
    };
    let listed: Vec<String> = names.iter().map(|name| uses.spell(name)).collect();
    let message = format!("{} materials {what}: {}", names.len(), listed.join("; "));
    let said = Diagnostic::warning(code, message).help(help);
    Some(uses.place(said, names.iter().map(String::as_str)))
}

fn fog(scene: &Scene) -> impl Iterator<Item = Diagnostic> {
    let brushes = scene.models.iter().flat_map(|model| &model.brushes);
    brushes.filter(|brush| scene.materials[brush.material].is(Compile::FOG)).map(|brush| {
        let name = &scene.materials[brush.material].name;
        let message = format!("fog ({name}) is not supported: the brush is compiled, but not drawn as fog");
        Diagnostic::warning("not-supported", message).site(&brush.site).at(brush.bounds.center()).help(
            "delete the brush if the map should look the same everywhere; players pass through it either way",
        )
    })
}

/// One warning for all that scripts ask of the compiler in vain.
fn not_done(scene: &Scene, uses: &Uses) -> Option<Diagnostic> {
    let mut asked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for material in scene.materials.all() {
        for word in &material.not_done {
            asked.entry(word).or_default().push(&material.name);
        }
    }
    if asked.is_empty() {
        return None;
    }
    let words: Vec<String> =
        asked.iter().map(|(word, names)| format!("{word} of {}", names.join(", "))).collect();
    let message = format!("not done, so these faces look plainer: {}", words.join("; "));
    let said = Diagnostic::warning("not-supported", message)
        .help("nothing is wrong with the map; choose materials without these words if the faces must look as in other compiles");
    Some(uses.place(said, asked.values().flatten().copied()))
}

/// One warning for all height maps: the brushes are there, their materials do not turn into each other.
fn terrain(map: &MapFile) -> Option<Diagnostic> {
    let named: Vec<(&str, Site)> = map
        .entities
        .iter()
        .enumerate()
        .filter_map(|(number, entity)| {
            let picture = TERRAIN_KEYS.iter().find_map(|key| entity.value(key))?;
            Some((picture, site(number, entity, entity.span, None)))
        })
        .collect();
    let (_, first) = named.first()?;
    let listed: Vec<String> =
        named.iter().map(|(picture, site)| format!("{picture} of {}", site.in_list())).collect();
    let message = format!("{} height maps are not read: {}", named.len(), listed.join(", "));
    let help = "the terrain is compiled with the materials of its brushes, which do not fade into each other";
    Some(Diagnostic::warning("not-supported", message).site(first).help(help))
}
