//! What a map source becomes before the tree is built: the world and the models of brush entities, entities as the game will
//! read them, and what had to be left out.

use crate::brush::Brush;
use crate::diagnostics::{Diagnostic, Site};
use crate::geometry::{Box3, DVec3, PlaneSet};
use crate::map_file::{self, ControlPoint, MapFile};
use crate::material::{Compile, MaterialNum, Materials};
use crate::models::{self, Mesh, Placement};
use crate::scene_report;
use std::collections::BTreeMap;

/// A curved surface.
#[derive(Clone, Debug)]
pub struct Patch {
    /// What it is made of.
    pub material: MaterialNum,
    /// Control points across and down.
    pub size: [usize; 2],
    /// Rows one after the other, in the frame of its model.
    pub points: Vec<ControlPoint>,
    /// Into how many parts each piece of three by three points is cut, across and down, if the mapper says so.
    pub subdivisions: Option<[u32; 2]>,
    /// Where it comes from.
    pub site: Site,
}

impl Patch {
    /// The box around its control points.
    pub fn bounds(&self) -> Box3 {
        Box3::around(self.points.iter().map(|point| point.position))
    }
}

/// The world, or what moves or triggers as one.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Its brushes, in the order of the file.
    pub brushes: Vec<Brush>,
    /// Its patches.
    pub patches: Vec<Patch>,
    /// Triangles of models that stand in it.
    pub meshes: Vec<Mesh>,
    /// Where its own frame stands in the map.
    pub origin: DVec3,
}

/// An entity, and where it came from.
#[derive(Clone, Debug)]
pub struct SceneEntity {
    /// Keys and values as the game will read them.
    pub entity: map_file::Entity,
    /// Where it comes from.
    pub site: Site,
    /// Its model, if it has one. The world is 0.
    pub model: Option<usize>,
}

/// A map, read but not yet cut.
pub struct Scene {
    /// All planes.
    pub planes: PlaneSet,
    /// All materials.
    pub materials: Materials,
    /// The world, then those of brush entities.
    pub models: Vec<Model>,
    /// The world, then all others that are not part of it.
    pub entities: Vec<SceneEntity>,
    /// Model files that could not be used: why, and the entities that wanted them.
    lost_models: BTreeMap<String, (String, Vec<Site>)>,
}

/// Classes whose brushes are part of the world.
const GROUPS: [&str; 1] = ["func_group"];
/// The class whose model becomes part of the map.
const MODEL: &str = "misc_model";
/// Classes that only compilers know, and what is lost without them.
const NOT_SUPPORTED: [(&str, &str); 3] = [
    ("_decal", "what it would paint is not drawn"),
    ("_skybox", "its portal sky is not drawn"),
    ("_fog", "there is no fog"),
];

/// Whether the compiler alone reads entities of a class, and the game never sees them.
pub fn is_for_the_compiler(class: &str) -> bool {
    let known = NOT_SUPPORTED.iter().map(|(known, _)| known).chain(&GROUPS).chain([&MODEL]);
    known.into_iter().any(|known| known.eq_ignore_ascii_case(class))
}

impl Scene {
    /// From a map source.
    pub fn new(map: &MapFile, materials: Materials, said: &mut Vec<Diagnostic>) -> Self {
        let mut scene = Self {
            planes: PlaneSet::default(),
            materials,
            models: vec![Model::default()],
            entities: Vec::new(),
            lost_models: BTreeMap::new(),
        };
        let is_model = |entity: &map_file::Entity| entity.class().eq_ignore_ascii_case(MODEL);
        for (number, entity) in map.entities.iter().enumerate().filter(|(_, entity)| !is_model(entity)) {
            scene.add(number, entity, said);
        }
        // They may stand in the frame of any other entity.
        for (number, entity) in map.entities.iter().enumerate().filter(|(_, entity)| is_model(entity)) {
            scene.add_model(number, entity, said);
        }
        scene.report_lost_models(said);
        scene_report::report(map, &scene, said);
        scene
    }

    fn add(&mut self, number: usize, entity: &map_file::Entity, said: &mut Vec<Diagnostic>) {
        let class = entity.class();
        let site = Site { span: entity.span, entity: Some(number), class: class.to_owned(), brush: None };
        if let Some((_, lost)) = NOT_SUPPORTED.iter().find(|(known, _)| known.eq_ignore_ascii_case(class)) {
            let message = format!("{class} is not supported: {lost}");
            let said_here = Diagnostic::warning("not-supported", message).site(&site);
            said.push(
                said_here
                    .at(entity.vector("origin").unwrap_or_default())
                    .help("delete it, or leave it for another compiler; nothing of it is in this map"),
            );
            return;
        }
        let mut model = self.model_of(entity, &site, said);
        let in_world = number == 0 || GROUPS.iter().any(|group| group.eq_ignore_ascii_case(class));
        let mut entity = map_file::Entity { brushes: Vec::new(), patches: Vec::new(), ..entity.clone() };
        if in_world {
            self.models[0].brushes.append(&mut model.brushes);
            self.models[0].patches.append(&mut model.patches);
            if number == 0 {
                self.entities.push(SceneEntity { entity, site, model: Some(0) });
            }
            return;
        }
        let mut own = None;
        if !model.brushes.is_empty() || !model.patches.is_empty() {
            self.place(&mut model, &mut entity);
            entity.set("model", format!("*{}", self.models.len()));
            own = Some(self.models.len());
            self.models.push(model);
        }
        self.entities.push(SceneEntity { entity, site, model: own });
    }

    /// Puts the triangles of a `misc_model` into the world, or into the brush entity that it aims at.
    fn add_model(&mut self, number: usize, entity: &map_file::Entity, said: &mut Vec<Diagnostic>) {
        let site =
            Site { span: entity.span, entity: Some(number), class: entity.class().to_owned(), brush: None };
        let path = entity.value("model").unwrap_or("").replace('\\', "/");
        let place = Placement::of_entity(entity);
        let parts = match self.materials.file(&path) {
            _ if path.is_empty() => Err("its key `model` names none".to_owned()),
            None => Err("was not found".to_owned()),
            Some(bytes) => models::read(&path, &bytes, place.frame).map_err(|wrong| wrong.to_string()),
        };
        let parts = parts.and_then(|parts| {
            if parts.iter().all(|part| place.keeps_in_world(part)) {
                Ok(parts)
            } else {
                Err("reaches out of the world".to_owned())
            }
        });
        let parts = match parts {
            Ok(parts) => parts,
            Err(why) => {
                self.lost_models.entry(path).or_insert_with(|| (why, Vec::new())).1.push(site);
                return;
            }
        };
        let aim = entity.value("target");
        let moves = aim.and_then(|aim| {
            let aimed_at = |other: &&SceneEntity| other.entity.value("targetname") == Some(aim);
            self.entities.iter().filter(aimed_at).find_map(|other| other.model)
        });
        let own = moves.unwrap_or(0);
        let origin = self.models[own].origin;
        for part in &parts {
            let name = place.material_of(part);
            if name.is_empty() || name == "noshader" {
                continue;
            }
            let material = self.materials.find(&name);
            let (mut vertices, triangles) = place.placed(part);
            vertices.iter_mut().for_each(|vertex| vertex.position = vertex.position - origin);
            for mesh in models::in_surfaces(material, &vertices, &triangles) {
                if place.is_solid {
                    self.stop_at(own, &mesh, &site, said);
                }
                self.models[own].meshes.push(mesh);
            }
        }
    }

    /// Makes the triangles of a mesh solid.
    fn stop_at(&mut self, model: usize, mesh: &Mesh, site: &Site, said: &mut Vec<Diagnostic>) {
        for brush in models::clip_brushes(mesh, site.span) {
            match Brush::new(&brush, site.clone(), &mut self.planes, &mut self.materials) {
                Ok(brush) => self.models[model].brushes.push(brush),
                Err(wrong) => said.push(*wrong),
            }
        }
    }

    fn model_of(&mut self, entity: &map_file::Entity, site: &Site, said: &mut Vec<Diagnostic>) -> Model {
        let mut model = Model::default();
        for brush in &entity.brushes {
            let site = Site { span: brush.span, brush: Some(brush.number), ..site.clone() };
            match Brush::new(brush, site, &mut self.planes, &mut self.materials) {
                Ok(brush) => model.brushes.push(brush),
                Err(wrong) => said.push(*wrong),
            }
        }
        for patch in &entity.patches {
            let site = Site { span: patch.span, brush: Some(patch.number), ..site.clone() };
            let material = self.materials.of_face(&patch.shader);
            // The text has columns where the engine has rows; turned over, the front would be the back.
            let [inner, outer] = patch.size;
            let transposed = (0..inner * outer).map(|at| patch.points[at % outer * inner + at / outer]);
            let (size, points) = ([outer, inner], transposed.collect());
            model.patches.push(Patch { material, size, points, subdivisions: patch.subdivisions, site });
        }
        model
    }

    /// Moves a model into its entity's frame: about the middle of its origin brush, or its `origin` key.
    fn place(&mut self, model: &mut Model, entity: &mut map_file::Entity) {
        let marks = |brush: &Brush| brush.compile.has(Compile::ORIGIN);
        if let Some(mark) = model.brushes.iter().find(|brush| marks(brush)) {
            let origin = mark.bounds.center();
            entity.set("origin", crate::diagnostics::spell(origin));
        }
        model.brushes.retain(|brush| !marks(brush));
        let origin = entity.vector("origin").unwrap_or_default();
        if origin == DVec3::ZERO {
            return;
        }
        model.origin = origin;
        for brush in &mut model.brushes {
            brush.move_into_frame(origin, &mut self.planes);
        }
        for point in model.patches.iter_mut().flat_map(|patch| &mut patch.points) {
            point.position = point.position - origin;
        }
    }

    /// One warning for all model files that could not be used.
    fn report_lost_models(&self, said: &mut Vec<Diagnostic>) {
        let Some((_, sites)) = self.lost_models.values().next() else { return };
        let named: Vec<String> = self
            .lost_models
            .iter()
            .map(|(path, (why, sites))| {
                let lines: Vec<String> =
                    sites.iter().take(3).map(|site| site.span.line.to_string()).collect();
                let more = if sites.len() > lines.len() { ", ..." } else { "" };
                let path = if path.is_empty() { "a misc_model" } else { path };
                format!("{path} {why} ({} times: lines {}{more})", sites.len(), lines.join(", "))
            })
            .collect();
        let message = format!("{} models are not part of the map: {}", named.len(), named.join("; "));
        let help =
            "give the game's folder with --basepath; models of other formats must be converted to MD3 or ASE";
        said.push(Diagnostic::warning("missing-models", message).site(&sites[0]).help(help));
    }

    /// Where the world stands in the text.
    pub fn world_site(&self) -> Site {
        self.entities.first().map(|world| world.site.clone()).unwrap_or_default()
    }

    /// The box around the world.
    pub fn world_bounds(&self) -> Box3 {
        let world = &self.models[0];
        let brushes = world.brushes.iter().map(|brush| brush.bounds);
        brushes.chain(world.patches.iter().map(Patch::bounds)).fold(Box3::EMPTY, Box3::union)
    }
}
