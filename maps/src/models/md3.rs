//! MD3 models: frames of vertices in 64ths of a unit, triangles clockwise. Source: the original's `qfiles.h`.
//!
//! ```text
//! "IDP3" | version | name[64] | flags | frames tags surfaces skins | at: frames tags surfaces end
//! surface: "IDP3" | name[64] | flags | frames shaders vertices triangles | at: triangles shaders st vertices end
//! vertex:  x y z, 16 bits each | latitude and longitude of its normal, 8 bits each
//! ```

use super::{ModelError, Part, Vertex, material_name};
use crate::geometry::{DVec3, dvec3};
use std::f64::consts::TAU;

/// Units that a step of a coordinate is.
const STEP: f64 = 1.0 / 64.0;
/// Surfaces that a model may have. Source: `MD3_MAX_SURFACES`.
const MAX_SURFACES: u32 = 32;
/// Vertices that a surface may have. Source: `MD3_MAX_VERTS`; some exporters write more.
const MAX_VERTICES: u32 = 1 << 16;

/// Larger texture coordinates are damage.
const MAX_NUMBER: f64 = 1e7;

/// A file, read at places that it names itself.
struct File<'a>(&'a [u8]);

impl File<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    fn float(&self, at: usize) -> Option<f64> {
        let value = f64::from(self.bytes(at).map(f32::from_le_bytes)?);
        (value.abs() <= MAX_NUMBER).then_some(value)
    }

    fn step(&self, at: usize) -> Option<f64> {
        self.bytes(at).map(|raw| f64::from(i16::from_le_bytes(raw)) * STEP)
    }

    fn text(&self, at: usize) -> Option<String> {
        let padded: [u8; 64] = self.bytes(at)?;
        let text = padded.split(|&byte| byte == 0).next().unwrap_or_default();
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

pub(super) fn read(bytes: &[u8], frame: usize) -> Result<Vec<Part>, ModelError> {
    if !bytes.starts_with(b"IDP3") {
        return Err(ModelError::NotOne("MD3"));
    }
    let file = File(bytes);
    let damaged = ModelError::Damaged("head");
    let (count, mut at) = file.number(84).zip(file.number(100)).ok_or(damaged)?;
    let mut parts = Vec::new();
    for _ in 0..count.min(MAX_SURFACES) {
        let start = at as usize;
        let frames = file.number(start.saturating_add(72)).ok_or(ModelError::Damaged("surfaces"))?;
        if frame as u64 >= u64::from(frames) {
            return Err(ModelError::NoFrame(frame));
        }
        let (part, length) = surface(&file, start, frame).ok_or(ModelError::Damaged("surfaces"))?;
        parts.push(part);
        at = at.checked_add(length).ok_or(ModelError::Damaged("surfaces"))?;
    }
    Ok(parts)
}

/// A surface, and its length in the file.
fn surface(file: &File<'_>, start: usize, frame: usize) -> Option<(Part, u32)> {
    let field = |offset: usize| file.number(start.checked_add(offset)?);
    let place = |offset: usize| start.checked_add(field(offset)? as usize);
    let (shaders, vertex_count, triangle_count) = (field(76)?, field(80)?, field(84)?);
    if vertex_count > MAX_VERTICES {
        return None;
    }
    let material = if shaders == 0 { String::new() } else { file.text(place(92)?)? };
    let (texture_at, vertex_at) = (place(96)?, place(100)?);
    let first = frame.checked_mul(vertex_count as usize)?;
    let mut part = Part { material: material_name(&material), ..Part::default() };
    for number in 0..vertex_count as usize {
        let at = vertex_at.checked_add(first.checked_add(number)?.checked_mul(8)?)?;
        let texture = texture_at.checked_add(number * 8)?;
        let position = dvec3(file.step(at)?, file.step(at + 2)?, file.step(at + 4)?);
        let [latitude, longitude] = file.bytes::<2>(at + 6)?;
        part.vertices.push(Vertex {
            position,
            normal: normal(latitude, longitude),
            texture: [file.float(texture)?, file.float(texture + 4)?],
        });
    }
    let triangles = place(88)?;
    for number in 0..triangle_count as usize {
        let at = triangles.checked_add(number.checked_mul(12)?)?;
        let corners = [file.number(at)?, file.number(at + 4)?, file.number(at + 8)?];
        if corners.iter().any(|&corner| corner >= vertex_count) {
            return None;
        }
        part.triangles.push(corners);
    }
    Some((part, field(104)?))
}

/// The first byte is the angle from up, the second the one about it; 256 steps are a full turn.
fn normal(from_up: u8, about: u8) -> DVec3 {
    let [from_up, about] = [from_up, about].map(|step| f64::from(step) / 256.0 * TAU);
    dvec3(about.cos() * from_up.sin(), about.sin() * from_up.sin(), from_up.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One triangle in two frames, the second a unit higher.
    fn model() -> Vec<u8> {
        let mut bytes = vec![0_u8; 108];
        bytes[..4].copy_from_slice(b"IDP3");
        bytes[84] = 1;
        bytes[100] = 108;
        let mut surface = vec![0_u8; 108];
        surface[..4].copy_from_slice(b"IDP3");
        let (triangles, shaders, texture, vertices, end) = (108, 120, 188, 212, 260);
        let fields = [
            (72, 2),
            (76, 1),
            (80, 3),
            (84, 1),
            (88, triangles),
            (92, shaders),
            (96, texture),
            (100, vertices),
            (104, end),
        ];
        for (at, value) in fields {
            surface[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        }
        for corner in [0_u32, 2, 1] {
            surface.extend(corner.to_le_bytes());
        }
        let mut name = [0; 68];
        name[..17].copy_from_slice(b"models/a/skin.tga");
        surface.extend(name);
        for part in [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.5] {
            surface.extend(part.to_le_bytes());
        }
        for height in [0_i16, 64] {
            for [x, y] in [[0_i16, 0], [640, 0], [0, -320]] {
                [x, y, height].iter().for_each(|part| surface.extend(part.to_le_bytes()));
                surface.extend([64, 128]);
            }
        }
        bytes.extend(surface);
        bytes
    }

    #[test]
    fn vertices_are_in_64ths_and_frames_follow_each_other() {
        let [part] = &read(&model(), 1).expect("a model")[..] else { panic!("one surface") };
        assert_eq!(part.material, "models/a/skin");
        assert_eq!(part.triangles, [[0, 2, 1]]);
        assert_eq!(part.vertices[2].position, dvec3(0.0, -5.0, 1.0));
        assert_eq!(part.vertices[1].texture, [1.0, 0.0]);
        assert!((part.vertices[0].normal - dvec3(-1.0, 0.0, 0.0)).length() < 1e-9);
    }

    #[test]
    fn damage_is_named_and_harmless() {
        let whole = model();
        assert_eq!(read(&whole, 2), Err(ModelError::NoFrame(2)));
        assert_eq!(read(b"IDST", 0), Err(ModelError::NotOne("MD3")));
        for length in 4..whole.len() {
            assert!(read(&whole[..length], 1).is_err(), "{length}");
        }
        for at in 84..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = 0xff;
            let _ = read(&damaged, 1);
        }
    }
}
