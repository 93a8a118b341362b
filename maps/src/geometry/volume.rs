//! Convex volumes as their faces: what is left of a brush while it is cut along the tree.

use super::epsilon::{CORNER, SLIVER, WORLD_REACH};
use super::{Box3, Place, Plane, PlaneNum, PlaneSet, Winding};

/// A face of a volume.
#[derive(Clone, Debug)]
pub struct Face {
    /// Faces out.
    pub plane: PlaneNum,
    /// Its outline.
    pub winding: Winding,
}

/// A convex volume with four faces or more.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Its faces.
    pub faces: Vec<Face>,
    /// The box around it.
    pub bounds: Box3,
}

impl Volume {
    /// From faces that close. `None` with fewer than four.
    pub fn new(faces: Vec<Face>) -> Option<Self> {
        let bounds = faces.iter().fold(Box3::EMPTY, |all, face| all.union(face.winding.bounds()));
        (faces.len() >= 4).then_some(Self { faces, bounds })
    }

    /// Unit: cubic world units.
    pub fn size(&self) -> f64 {
        let apex = self.faces[0].winding.points()[0];
        let cones = self.faces.iter().map(|face| {
            let center = face.winding.points()[0];
            face.winding.area() * (center - apex).dot(face.winding.normal()) / 3.0
        });
        cones.sum()
    }

    /// Where it lies.
    pub fn place(&self, plane: &Plane) -> Place {
        let (low, high) = plane.range_of_box(&self.bounds);
        let rough = Place::of_range(low, high, SLIVER);
        if rough != Place::Across {
            return rough;
        }
        let range = self.faces.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), face| {
            let (a, b) = face.winding.range(plane);
            (low.min(a), high.max(b))
        });
        Place::of_range(range.0, range.1, SLIVER)
    }

    /// What is in front of and what is behind a plane of the set.
    pub fn split(self, planes: &PlaneSet, number: PlaneNum) -> (Option<Self>, Option<Self>) {
        let plane = planes[number];
        match self.place(&plane) {
            Place::Front => return (Some(self), None),
            Place::Back | Place::On => return (None, Some(self)),
            Place::Across => {}
        }
        let mut cut = Some(Winding::square(&plane, WORLD_REACH * 2.0));
        for face in &self.faces {
            cut = cut.and_then(|cut| cut.behind(&planes[face.plane], CORNER));
        }
        let Some(cut) = cut else {
            // The plane only grazes the volume: it belongs to the side where most of it is.
            let middle = plane.distance_to(self.bounds.center());
            return if middle > 0.0 { (Some(self), None) } else { (None, Some(self)) };
        };
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for Face { plane: own, winding } in self.faces {
            let (ahead, behind) = winding.split(&plane, CORNER);
            front.extend(ahead.map(|winding| Face { plane: own, winding }));
            back.extend(behind.map(|winding| Face { plane: own, winding }));
        }
        front.push(Face { plane: number.opposite(), winding: cut.flipped() });
        back.push(Face { plane: number, winding: cut });
        (Self::new(front), Self::new(back))
    }
}
