//! Points, planes and convex polygons in f64, and every tolerance of the compiler in one place ([`epsilon`]).

pub mod epsilon;
mod plane;
mod vector;
mod volume;
mod winding;

pub use plane::{Plane, PlaneNum, PlaneSet};
pub use vector::{Box3, DVec3, dvec3};
pub use volume::{Face, Volume};
pub use winding::{Place, Winding};
