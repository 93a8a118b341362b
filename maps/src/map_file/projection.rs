//! How a picture lies on a face: three ways of saying it, one way of asking.

use crate::geometry::{DVec3, dvec3};

/// How a picture lies on a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Shift, turn and scale on the world plane that the face is nearest to. Unit: pixels.
    Classic {
        /// Pixels that the picture is moved.
        shift: [f64; 2],
        /// Degrees that it is turned.
        rotate: f64,
        /// World units that a pixel takes.
        scale: [f64; 2],
    },
    /// Axes in the world, as Hammer and TrenchBroom write them. Unit: pixels.
    Valve {
        /// Directions in which the picture's columns and rows run.
        axes: [DVec3; 2],
        /// Pixels that the picture is moved.
        shift: [f64; 2],
        /// World units that a pixel takes.
        scale: [f64; 2],
    },
    /// A matrix on the face's own plane. Unit: pictures.
    Primitive {
        /// Two rows: factor of the plane's first axis, of its second, and a shift.
        matrix: [[f64; 3]; 2],
    },
}

impl Projection {
    /// Texture coordinates of a point on a face with this normal. `picture` is the picture's size in pixels.
    pub fn coordinates(&self, normal: DVec3, point: DVec3, picture: [f64; 2]) -> [f64; 2] {
        match *self {
            Self::Classic { shift, rotate, scale } => {
                let [mut s, mut t] = classic_axes(normal, rotate);
                s = s * (1.0 / scale_or_one(scale[0]));
                t = t * (1.0 / scale_or_one(scale[1]));
                [(s.dot(point) + shift[0]) / picture[0], (t.dot(point) + shift[1]) / picture[1]]
            }
            Self::Valve { axes, shift, scale } => [0, 1]
                .map(|way| (axes[way].dot(point) / scale_or_one(scale[way]) + shift[way]) / picture[way]),
            Self::Primitive { matrix } => {
                let [first, second] = primitive_axes(normal);
                let (x, y) = (first.dot(point), second.dot(point));
                matrix.map(|row| row[0] * x + row[1] * y + row[2])
            }
        }
    }
}

fn scale_or_one(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale }
}

/// The axes of the world plane that a face is nearest to: floor, ceiling, west, east, south, north, the first of equals.
/// Source: behaviour of every Quake editor (`TextureAxisFromPlane`).
fn classic_axes(normal: DVec3, rotate: f64) -> [DVec3; 2] {
    const BASES: [[DVec3; 3]; 6] = {
        let (x, y, z) = (dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0));
        let (down_x, down_y, down_z) = (dvec3(-1.0, 0.0, 0.0), dvec3(0.0, -1.0, 0.0), dvec3(0.0, 0.0, -1.0));
        [
            [z, x, down_y],
            [down_z, x, down_y],
            [x, y, down_z],
            [down_x, y, down_z],
            [y, x, down_z],
            [down_y, x, down_z],
        ]
    };
    let mut best = (1e-4, 0);
    for (number, [faces, ..]) in BASES.iter().enumerate() {
        let dot = normal.dot(*faces);
        if dot > best.0 + 1e-4 {
            best = (dot, number);
        }
    }
    let [_, s, t] = BASES[best.1];
    let (sine, cosine) = match rotate {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    };
    let (across, down) = (s.major_axis(), t.major_axis());
    [s, t].map(|axis| {
        let mut turned = axis;
        turned[across] = cosine * axis[across] - sine * axis[down];
        turned[down] = sine * axis[across] + cosine * axis[down];
        turned
    })
}

/// Two axes on a plane, turned from the world's as the plane is. Source: behaviour of GtkRadiant's brush primitives.
fn primitive_axes(normal: DVec3) -> [DVec3; 2] {
    let clean = DVec3::from(normal.to_array().map(|part| if part.abs() < 1e-6 { 0.0 } else { part }));
    let pitch = -clean.z.atan2((clean.x * clean.x + clean.y * clean.y).sqrt());
    let yaw = clean.y.atan2(clean.x);
    [
        dvec3(-yaw.sin(), yaw.cos(), 0.0),
        dvec3(-pitch.sin() * yaw.cos(), -pitch.sin() * yaw.sin(), -pitch.cos()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classic_pictures_on_a_floor_run_east_and_south() {
        let plain = Projection::Classic { shift: [8.0, 0.0], rotate: 0.0, scale: [0.5, 0.5] };
        let up = dvec3(0.0, 0.0, 1.0);
        assert_eq!(plain.coordinates(up, dvec3(60.0, -64.0, 7.0), [128.0, 128.0]), [1.0, 1.0]);
    }

    #[test]
    fn valve_axes_say_the_same_as_the_classic_ones_that_they_stand_for() {
        let normal = dvec3(1.0, 0.0, 0.0);
        let classic = Projection::Classic { shift: [3.0, 5.0], rotate: 0.0, scale: [0.25, 2.0] };
        let axes = [dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, -1.0)];
        let valve = Projection::Valve { axes, shift: [3.0, 5.0], scale: [0.25, 2.0] };
        let point = dvec3(9.0, 31.0, -77.0);
        let picture = [64.0, 32.0];
        assert_eq!(classic.coordinates(normal, point, picture), valve.coordinates(normal, point, picture));
    }

    #[test]
    fn primitive_axes_lie_on_the_plane() {
        for normal in [dvec3(0.0, 0.0, 1.0), dvec3(0.0, -1.0, 0.0), dvec3(0.6, 0.0, -0.8)] {
            let [a, b] = primitive_axes(normal);
            assert!(a.dot(normal).abs() < 1e-9 && b.dot(normal).abs() < 1e-9 && a.dot(b).abs() < 1e-9);
        }
    }
}
