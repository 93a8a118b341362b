//! One lump of a finished map replaced, every other byte of content kept: what a new vis or a change of entities needs.

use fogline_common::bsp::{Bsp, BspError, Lump};

/// Bytes before the directory: magic and version.
const DIRECTORY: usize = 8;

/// The file with one lump replaced.
///
/// The other lumps keep their bytes, even those that our own writer would write otherwise; they stand in the order in which they
/// stood, each at a multiple of four.
///
/// # Errors
/// The file is no sound map.
pub fn replace(file: &[u8], lump: Lump, content: &[u8]) -> Result<Vec<u8>, BspError> {
    Bsp::parse(file)?;
    let entries: Vec<(usize, usize)> = Lump::ALL.map(|lump| entry(file, lump)).to_vec();
    let mut order: Vec<Lump> = Lump::ALL.to_vec();
    order.sort_by_key(|&lump| (entries[lump as usize].0, lump as usize));
    let first = entries.iter().filter(|(_, length)| *length > 0).map(|(start, _)| *start).min();
    let head = DIRECTORY + Lump::COUNT * 8;
    // Some compilers leave a note between the directory and the lumps.
    let mut out = file[..first.unwrap_or(head).max(head)].to_vec();
    out.resize(out.len().next_multiple_of(4), 0);
    for one in order {
        let (start, length) = entries[one as usize];
        let bytes = if one as usize == lump as usize { content } else { &file[start..start + length] };
        let at = DIRECTORY + one as usize * 8;
        let place = (out.len() as u32).to_le_bytes();
        out[at..at + 4].copy_from_slice(&place);
        out[at + 4..at + 8].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    Ok(out)
}

/// The bytes of a lump of a sound map.
pub fn content(file: &[u8], lump: Lump) -> &[u8] {
    let (start, length) = entry(file, lump);
    file.get(start..start + length).unwrap_or_default()
}

/// Where a lump begins and how long it is. A sound file was proved to hold it.
fn entry(file: &[u8], lump: Lump) -> (usize, usize) {
    let word = |at: usize| {
        file.get(at..at + 4)
            .map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
    };
    let at = DIRECTORY + lump as usize * 8;
    (word(at), word(at + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: &[u8] = include_bytes!("../../common/fuzz/corpus/bsp/room.bsp");

    #[test]
    fn a_longer_lump_leaves_the_others_as_they_were() {
        let entities =
            b"{\n\"classname\" \"worldspawn\"\n\"message\" \"longer than what stood there before\"\n}\n\0";
        let file = replace(ROOM, Lump::Entities, entities).expect("a sound map");
        for lump in Lump::ALL {
            let wanted = if lump as usize == 0 { entities } else { content(ROOM, lump) };
            assert_eq!(content(&file, lump), wanted, "{lump}");
        }
        Bsp::parse(&file).expect("still a sound map");
        let back = replace(&file, Lump::Entities, content(ROOM, Lump::Entities)).expect("a sound map");
        assert_eq!(Bsp::parse(&back), Bsp::parse(ROOM));
    }

    #[test]
    fn what_is_no_map_is_refused() {
        assert!(replace(b"PRT1\n", Lump::Visibility, &[]).is_err());
    }
}
