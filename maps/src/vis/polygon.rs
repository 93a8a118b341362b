//! Planes and convex polygons: the geometry of vis, in f64, written so that four points are measured at once.

use crate::prt::{MAX_WINDING_POINTS, Point};

/// Most points of a polygon while it is being clipped; a clip that would need more keeps the polygon whole.
pub const MAX_POINTS: usize = MAX_WINDING_POINTS + 8;
/// A point nearer to a plane than this lies on it. Unit: world units. Well above what f64 loses in a chain of clips, well below
/// what a mapper can mean and what rounding to whole numbers in a portal file can move a point.
pub const ON_PLANE: f64 = 1e-4;

/// Points with `normal . x >= dist` are in front. The normal has unit length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Point,
    /// Distance from the origin along it. Unit: world units.
    pub dist: f64,
}

impl Plane {
    /// Distance of a point, positive in front.
    #[inline]
    pub fn distance(&self, point: Point) -> f64 {
        dot(self.normal, point) - self.dist
    }

    /// The same plane from the other side.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: self.normal.map(|v| -v), dist: -self.dist }
    }
}

/// Dot product.
#[inline]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[inline]
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Difference.
#[inline]
pub fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// What a clip left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    /// Nothing reaches more than [`ON_PLANE`] in front.
    Nothing,
    /// Nothing reaches behind, so nothing was cut.
    Whole,
    /// A part was cut off.
    Part,
}

/// A convex polygon. Points past the last one, up to the next multiple of four, repeat the last: they change no extreme.
#[derive(Clone, Debug)]
pub struct Polygon {
    len: usize,
    x: [f64; MAX_POINTS],
    y: [f64; MAX_POINTS],
    z: [f64; MAX_POINTS],
}

impl Default for Polygon {
    fn default() -> Self {
        Self { len: 0, x: [0.0; MAX_POINTS], y: [0.0; MAX_POINTS], z: [0.0; MAX_POINTS] }
    }
}

impl Polygon {
    /// From points in order; at most [`MAX_WINDING_POINTS`].
    pub fn new(points: &[Point]) -> Self {
        let mut polygon = Self::default();
        for &point in points {
            polygon.push(point);
        }
        polygon.pad();
        polygon
    }

    /// Number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One point.
    #[inline]
    pub fn point(&self, index: usize) -> Point {
        [self.x[index], self.y[index], self.z[index]]
    }

    /// Takes another's points, without copying the room behind them.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        let room = other.len.next_multiple_of(4);
        self.len = other.len;
        self.x[..room].copy_from_slice(&other.x[..room]);
        self.y[..room].copy_from_slice(&other.y[..room]);
        self.z[..room].copy_from_slice(&other.z[..room]);
    }

    /// Takes the points of a pool, see [`super::graph::PortalGraph`]. The slices have one length, a multiple of four.
    #[inline]
    pub fn load(&mut self, len: usize, [x, y, z]: [&[f64]; 3]) {
        self.len = len;
        self.x[..x.len()].copy_from_slice(x);
        self.y[..y.len()].copy_from_slice(y);
        self.z[..z.len()].copy_from_slice(z);
    }

    /// Distances of all points into `into`, padding included.
    #[inline]
    pub fn distances(&self, plane: &Plane, into: &mut [f64; MAX_POINTS]) {
        let [a, b, c] = plane.normal;
        let room = self.len.next_multiple_of(4);
        let columns = self.x[..room].as_chunks::<4>().0.iter().zip(self.y[..room].as_chunks::<4>().0);
        let columns = columns.zip(self.z[..room].as_chunks::<4>().0);
        for (((x, y), z), into) in columns.zip(into.as_chunks_mut::<4>().0) {
            for lane in 0..4 {
                into[lane] = x[lane] * a + y[lane] * b + z[lane] * c - plane.dist;
            }
        }
    }

    /// The least and the greatest distance of the points from a plane.
    #[inline]
    pub fn extent(&self, plane: &Plane) -> (f64, f64) {
        let room = self.len.next_multiple_of(4);
        extent(plane, [&self.x[..room], &self.y[..room], &self.z[..room]])
    }

    /// Cuts off what lies behind the plane. What is left goes into `into` if a part was cut.
    #[inline]
    pub fn clip(&self, plane: &Plane, into: &mut Self) -> Clip {
        let (least, greatest) = self.extent(plane);
        if greatest <= ON_PLANE {
            return Clip::Nothing;
        }
        if least >= -ON_PLANE || self.len + 2 > MAX_POINTS {
            return Clip::Whole;
        }
        self.cut(plane, into);
        Clip::Part
    }

    /// Cuts itself off at a plane, using a spare to cut into. False if nothing is left.
    #[inline]
    pub fn cut_down(&mut self, plane: &Plane, spare: &mut Self) -> bool {
        match self.clip(plane, spare) {
            Clip::Nothing => return false,
            Clip::Whole => {}
            Clip::Part => self.copy_from(spare),
        }
        true
    }

    fn cut(&self, plane: &Plane, into: &mut Self) {
        let mut distances = [0.0; MAX_POINTS];
        self.distances(plane, &mut distances);
        into.len = 0;
        let mut previous = self.len - 1;
        for index in 0..self.len {
            let (before, here) = (distances[previous], distances[index]);
            if (before > ON_PLANE && here < -ON_PLANE) || (before < -ON_PLANE && here > ON_PLANE) {
                let part = before / (before - here);
                let (a, b) = (self.point(previous), self.point(index));
                into.push([0, 1, 2].map(|axis| a[axis] + part * (b[axis] - a[axis])));
            }
            if here >= -ON_PLANE {
                into.push(self.point(index));
            }
            previous = index;
        }
        into.pad();
    }

    #[inline]
    fn push(&mut self, point: Point) {
        self.x[self.len] = point[0];
        self.y[self.len] = point[1];
        self.z[self.len] = point[2];
        self.len += 1;
    }

    fn pad(&mut self) {
        if let Some(last) = self.len.checked_sub(1) {
            let point = self.point(last);
            for index in self.len..self.len.next_multiple_of(4) {
                self.x[index] = point[0];
                self.y[index] = point[1];
                self.z[index] = point[2];
            }
        }
    }
}

/// The least and the greatest distance of points in columns. All slices have one length, a multiple of four.
#[inline]
pub fn extent(plane: &Plane, [x, y, z]: [&[f64]; 3]) -> (f64, f64) {
    let [a, b, c] = plane.normal;
    let mut least = [f64::INFINITY; 4];
    let mut greatest = [f64::NEG_INFINITY; 4];
    let columns = x.as_chunks::<4>().0.iter().zip(y.as_chunks::<4>().0).zip(z.as_chunks::<4>().0);
    for ((x, y), z) in columns {
        for lane in 0..4 {
            let distance = x[lane] * a + y[lane] * b + z[lane] * c;
            least[lane] = if distance < least[lane] { distance } else { least[lane] };
            greatest[lane] = if distance > greatest[lane] { distance } else { greatest[lane] };
        }
    }
    let min = |a: f64, b: f64| if a < b { a } else { b };
    let max = |a: f64, b: f64| if a > b { a } else { b };
    (
        min(min(least[0], least[1]), min(least[2], least[3])) - plane.dist,
        max(max(greatest[0], greatest[1]), max(greatest[2], greatest[3])) - plane.dist,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [Point; 4] = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [8.0, 8.0, 0.0], [0.0, 8.0, 0.0]];

    fn x_above(dist: f64) -> Plane {
        Plane { normal: [1.0, 0.0, 0.0], dist }
    }

    #[test]
    fn clip_tells_nothing_whole_and_part() {
        let square = Polygon::new(&SQUARE);
        let mut left = Polygon::default();
        assert_eq!(square.clip(&x_above(8.0), &mut left), Clip::Nothing);
        assert_eq!(square.clip(&x_above(0.0), &mut left), Clip::Whole);
        assert_eq!(square.clip(&x_above(6.0), &mut left), Clip::Part);
        assert_eq!(left.len(), 4);
        assert!((0..4).all(|i| left.point(i)[0] >= 6.0));
    }

    #[test]
    fn corner_cut_adds_a_point() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let corner = Plane { normal: [half, half, 0.0], dist: 1.0 };
        let mut left = Polygon::default();
        assert_eq!(Polygon::new(&SQUARE).clip(&corner, &mut left), Clip::Part);
        assert_eq!(left.len(), 5);
    }

    #[test]
    fn full_polygon_is_kept_whole_rather_than_cut_wrong() {
        let mut many = Polygon::new(&SQUARE);
        while many.len() + 2 <= MAX_POINTS {
            many.push([0.0, 4.0, 0.0]);
        }
        many.pad();
        assert_eq!(many.clip(&x_above(4.0), &mut Polygon::default()), Clip::Whole);
    }
}
