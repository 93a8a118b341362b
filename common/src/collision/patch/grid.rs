//! The points of a patch, made denser until straight lines between them are near enough to the curve.

use crate::math::{Bounds, Vec3, vec3};

/// Most points each way. Source: `MAX_GRID_SIZE`; the original does not look and writes beyond it.
const MAX_GRID_SIZE: usize = 129;
/// How far a straight line may be from the curve. Unit: world units. Source: `SUBDIVIDE_DISTANCE`.
const SUBDIVIDE_DISTANCE: f32 = 16.0;
/// Points this near are one. Source: `WRAP_POINT_EPSILON`, `POINT_EPSILON`.
const POINT_EPSILON: f64 = 0.1;

/// Points on the curve.
pub(super) struct Grid {
    /// Each has the same number of points.
    pub columns: Vec<Vec<Vec3>>,
    /// The first and last column are the same: a tube.
    pub wraps_across: bool,
    /// The first and last row are the same.
    pub wraps_down: bool,
}

impl Grid {
    /// From control points, row after row. Source: `CM_GeneratePatchCollide`.
    pub(super) fn of_patch(across: usize, points: &[Vec3]) -> Result<Self, &'static str> {
        let columns = (0..across).map(|x| points.iter().skip(x).step_by(across).copied().collect()).collect();
        let mut grid = Self { columns, wraps_across: false, wraps_down: false };
        grid.refine_across()?;
        grid.transpose();
        grid.refine_across()?;
        Ok(grid)
    }

    /// Points across.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Points down.
    pub(super) fn height(&self) -> usize {
        self.columns[0].len()
    }

    /// Box around all points. Source: `ClearBounds`, `AddPointToBounds`, whose empty box ends at 99999.
    pub(super) fn bounds(&self) -> Bounds {
        let empty = Bounds::new(Vec3::splat(99999.0), Vec3::splat(-99999.0));
        self.columns.iter().flatten().fold(empty, |bounds, &point| bounds.including(point))
    }

    fn refine_across(&mut self) -> Result<(), &'static str> {
        self.wraps_across = same(&self.columns[0], &self.columns[self.width() - 1]);
        self.subdivide()?;
        self.columns.dedup_by(|next, kept| same(kept, next));
        Ok(())
    }

    /// Every second column is a control column between two on the curve: it goes if the curve is flat there, else it is
    /// replaced by three of which the middle one is on the curve. Source: `CM_SubdivideGridColumns`.
    fn subdivide(&mut self) -> Result<(), &'static str> {
        let mut at = 0;
        while at + 2 < self.width() {
            let [before, control, after] = [&self.columns[at], &self.columns[at + 1], &self.columns[at + 2]];
            let bent = (0..before.len()).any(|row| is_bent(before[row], control[row], after[row]));
            if !bent {
                self.columns.remove(at + 1);
                at += 1;
                continue;
            }
            let half =
                |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(&a, &b)| (a + b) * 0.5).collect::<Vec<_>>();
            let first = half(before, control);
            let third = half(control, after);
            let second = half(&first, &third);
            self.columns.splice(at + 1..at + 2, [first, second, third]);
            if self.width() > MAX_GRID_SIZE {
                return Err("the patch is too finely curved");
            }
        }
        Ok(())
    }

    fn transpose(&mut self) {
        let rows = 0..self.height();
        self.columns = rows.map(|y| self.columns.iter().map(|column| column[y]).collect()).collect();
        std::mem::swap(&mut self.wraps_across, &mut self.wraps_down);
    }
}

/// Source: `CM_ComparePoints`, `CM_SetGridWrapWidth`.
fn same(a: &[Vec3], b: &[Vec3]) -> bool {
    let near = |a: f32, b: f32| {
        let apart = f64::from(a - b);
        (-POINT_EPSILON..=POINT_EPSILON).contains(&apart)
    };
    a.iter().zip(b).all(|(a, b)| near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z))
}

/// Whether the curve is far from the straight line at its middle. Source: `CM_NeedsSubdivision`.
fn is_bent(a: Vec3, control: Vec3, b: Vec3) -> bool {
    let line = (a + b) * 0.5;
    let curve = |a: f32, control: f32, b: f32| {
        (0.5 * (0.5 * f64::from(a + control) + 0.5 * f64::from(control + b))) as f32
    };
    let middle = vec3(curve(a.x, control.x, b.x), curve(a.y, control.y, b.y), curve(a.z, control.z, b.z));
    middle.distance(line) >= SUBDIVIDE_DISTANCE
}
