//! How large a picture is, from its first bytes: TGA, JPEG, PNG.

/// Width and height. `None` if the bytes are no picture that is known. Unit: pixels.
pub fn size_of_picture(path: &str, bytes: &[u8]) -> Option<[f64; 2]> {
    let size = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let be = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        [be(16)?, be(20)?]
    } else if bytes.starts_with(b"\xff\xd8") {
        size_of_jpeg(bytes)?
    } else if path.to_ascii_lowercase().ends_with(".tga") {
        let le = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
        [le(12)?, le(14)?]
    } else {
        return None;
    };
    size.iter().all(|side| (1..=65536).contains(side)).then(|| size.map(f64::from))
}

/// Walks the segments to the frame header.
fn size_of_jpeg(bytes: &[u8]) -> Option<[u32; 2]> {
    let be = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        while *bytes.get(at)? != 0xff {
            at += 1;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            0x00 | 0x01 | 0xd0..=0xd9 => at += 2,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => return Some([be(at + 7)?, be(at + 5)?]),
            _ => at += 2 + be(at + 2)? as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_formats_tell_their_size() {
        let mut tga = vec![0; 18];
        (tga[12], tga[15]) = (64, 1);
        assert_eq!(size_of_picture("a.TGA", &tga), Some([64.0, 256.0]));
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 9, 9, 0xff, 0xc0, 0, 11, 8, 0, 32, 0, 128, 3];
        assert_eq!(size_of_picture("a.jpg", &jpeg), Some([128.0, 32.0]));
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x10".to_vec();
        assert_eq!(size_of_picture("a.png", &png), Some([8.0, 16.0]));
        png.truncate(20);
        assert_eq!(size_of_picture("a.png", &png), None);
        assert_eq!(size_of_picture("a.jpg", &[0xff, 0xd8, 0xff, 0xe0, 0, 0]), None);
    }
}
