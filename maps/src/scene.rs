//! What a map source becomes before the tree is built: the world and the models of brush entities, entities as the game will
//! read them, and what had to be left out.

use crate::brush::Brush;
use crate::diagnostics::{Diagnostic, Site};
use crate::geometry::{Box3, DVec3, PlaneSet};
use crate::map_file::{self, ControlPoint, MapFile};
use crate::material::{Compile, MaterialNum, Materials};

/// A curved surface.
#[derive(Clone, Debug)]
pub struct Patch {
    /// What it is made of.
    pub material: MaterialNum,
    /// Control points across and down.
    pub size: [usize; 2],
    /// Rows one after the other, in the frame of its model.
    pub points: Vec<ControlPoint>,
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
}

/// Classes whose brushes are part of the world.
const GROUPS: [&str; 1] = ["func_group"];
/// Classes that only compilers know, and what is lost without them.
const NOT_SUPPORTED: [(&str, &str); 4] = [
    ("misc_model", "its model is not part of the compiled map"),
    ("_decal", "what it would paint is not drawn"),
    ("_skybox", "its portal sky is not drawn"),
    ("_fog", "there is no fog"),
];

/// Whether the compiler alone reads entities of a class, and the game never sees them.
pub fn is_for_the_compiler(class: &str) -> bool {
    let known = NOT_SUPPORTED.iter().map(|(known, _)| known).chain(&GROUPS);
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
        };
        for (number, entity) in map.entities.iter().enumerate() {
            scene.add(number, entity, said);
        }
        scene.report_missing(said);
        scene.report_fog(said);
        scene
    }

    fn add(&mut self, number: usize, entity: &map_file::Entity, said: &mut Vec<Diagnostic>) {
        let class = entity.class();
        let site = Site { span: entity.span, entity: number, class: class.to_owned(), brush: None };
        if let Some((_, lost)) = NOT_SUPPORTED.iter().find(|(known, _)| known.eq_ignore_ascii_case(class)) {
            let message = format!("{class} is not supported: {lost}");
            said.push(Diagnostic::warning("not-supported", message).site(&site));
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
            model.patches.push(Patch { material, size: [outer, inner], points: transposed.collect(), site });
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

    fn report_missing(&self, said: &mut Vec<Diagnostic>) {
        let missing = self.materials.missing();
        if !missing.is_empty() {
            let message = format!("{} materials were not found: {}", missing.len(), missing.join(", "));
            let help = "they are taken to be solid walls; give the game's folder with --basepath";
            said.push(Diagnostic::warning("missing-materials", message).help(help));
        }
    }

    fn report_fog(&self, said: &mut Vec<Diagnostic>) {
        let brushes = self.models.iter().flat_map(|model| &model.brushes);
        for brush in brushes.filter(|brush| self.materials[brush.material].is(Compile::FOG)) {
            let name = &self.materials[brush.material].name;
            let message =
                format!("fog ({name}) is not supported: the brush is compiled, but not drawn as fog");
            said.push(
                Diagnostic::warning("not-supported", message).site(&brush.site).at(brush.bounds.center()),
            );
        }
    }

    /// The box around the world.
    pub fn world_bounds(&self) -> Box3 {
        let world = &self.models[0];
        let brushes = world.brushes.iter().map(|brush| brush.bounds);
        brushes.chain(world.patches.iter().map(Patch::bounds)).fold(Box3::EMPTY, Box3::union)
    }
}
