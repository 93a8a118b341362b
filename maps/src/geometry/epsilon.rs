//! Every tolerance of the compiler. Unit: world units, unless said otherwise.

/// Parts of two unit normals that differ by less are the same part. Unit: none.
pub const SAME_NORMAL: f64 = 1e-5;
/// Points that are nearer to a plane lie on it, when a face is looked up among the planes that are known.
pub const SAME_PLANE: f64 = 0.01;
/// Distances of axial planes that are nearer to a whole number are that number.
pub const WHOLE_DIST: f64 = 0.01;
/// Corners of brushes are cut with this tolerance. Small, because plane equations hold about 1e-10.
pub const CORNER: f64 = 1e-4;
/// A face that is nowhere further from a node's plane lies on it and is not split by it.
pub const TREE: f64 = 0.1;
/// Portals are cut with this tolerance.
pub const PORTAL: f64 = 1e-3;
/// Edges that are shorter do not count when a polygon is asked whether it is tiny.
pub const TINY_EDGE: f64 = 0.2;
/// A piece of a brush that reaches less far to one side of a node's plane is not split off.
pub const SLIVER: f64 = 0.01;
/// Pieces of brushes with less volume make no leaf solid. Unit: cubic world units.
pub const SLIVER_VOLUME: f64 = 1.0;
/// Bevels: points of a brush may stick out this far from a bevel's plane.
pub const BEVEL: f64 = 0.1;
/// Neighbouring points of an outline that are nearer are one.
pub const SAME_POINT: f64 = 0.01;
/// How far the box around the map reaches beyond it, so that there is an outside to leak to.
pub const OUTSIDE_MARGIN: f64 = 8.0;
/// Half the edge of the cube that a map must fit into. Source: facts page "map-tools"; the engine's `MAX_WORLD_COORD`.
pub const WORLD_REACH: f64 = 65536.0;
