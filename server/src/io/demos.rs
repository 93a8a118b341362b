//! The files of demos: written by a thread of its own, so that no frame waits for the disk.

use super::Input;
use crate::files::check_path;
use crate::recording::DemoOutput;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Parts that may wait for the disk; one more, and the demo that it belongs to is left as it is.
const MAX_WAITING: usize = 8192;
/// Numbers that are tried behind a name that is taken.
const MAX_NUMBER: u32 = 9999;
/// How long the end of the program waits for the disk.
const FAREWELL: Duration = Duration::from_secs(1);

/// Writes demos below one folder.
pub(super) struct DemoFiles {
    parts: Sender<DemoOutput>,
    done: Receiver<()>,
    /// Demos that have a gap: nothing more of them is written.
    broken: BTreeSet<u32>,
}

impl DemoFiles {
    /// Starts the thread. Where each demo went, and what went wrong, is told to `notes`.
    pub(super) fn start(folder: PathBuf, notes: Sender<Input>) -> io::Result<Self> {
        let (parts, waiting) = bounded(MAX_WAITING);
        let (ended, done) = bounded(1);
        super::start_thread("demos", move || {
            write_demos(&folder, &waiting, &mut |note| drop(notes.send(Input::Note(note))));
            drop(ended);
        })?;
        Ok(Self { parts, done, broken: BTreeSet::new() })
    }

    /// Hands on a part. A sentence, if the demo that it belongs to ends by it.
    pub(super) fn take(&mut self, part: DemoOutput) -> Option<String> {
        let id = id_of(&part);
        if self.broken.contains(&id) || self.parts.try_send(part).is_ok() {
            return None;
        }
        self.broken.insert(id);
        Some("a demo is not written on: the disk is too slow for it".to_owned())
    }

    /// Waits until all is written, but not for long.
    pub(super) fn finish(self) {
        drop(self.parts);
        let _ = self.done.recv_timeout(FAREWELL);
    }
}

fn id_of(part: &DemoOutput) -> u32 {
    match part {
        DemoOutput::Begin { id, .. } | DemoOutput::Bytes { id, .. } | DemoOutput::End { id } => *id,
    }
}

fn write_demos(folder: &Path, parts: &Receiver<DemoOutput>, note: &mut dyn FnMut(String)) {
    let mut open: BTreeMap<u32, (String, File)> = BTreeMap::new();
    while let Ok(part) = parts.recv() {
        match part {
            DemoOutput::Begin { id, stem, ending } => match create(folder, &stem, &ending) {
                Ok((name, file)) => {
                    note(format!("{name} is being written"));
                    open.insert(id, (name, file));
                }
                Err(sentence) => note(sentence),
            },
            DemoOutput::Bytes { id, bytes } => {
                let failed = open.get_mut(&id).and_then(|(_, file)| file.write_all(&bytes).err());
                if let Some(error) = failed
                    && let Some((name, _)) = open.remove(&id)
                {
                    note(format!("{name} is not written on: {error}"));
                }
            }
            DemoOutput::End { id } => {
                if let Some((name, _)) = open.remove(&id) {
                    note(format!("{name} is whole"));
                }
            }
        }
    }
}

/// A new file of that name, or with a number behind it where there is one already.
fn create(folder: &Path, stem: &str, ending: &str) -> Result<(String, File), String> {
    for number in 1..=MAX_NUMBER {
        let name = if number == 1 { format!("{stem}.{ending}") } else { format!("{stem}-{number}.{ending}") };
        let refused = |reason: String| format!("{name} is not written: {reason}");
        check_path(&name).map_err(|error| refused(error.to_string()))?;
        let path = folder.join(&name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| refused(error.to_string()))?;
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused(error.to_string())),
        }
    }
    Err(format!("{stem}.{ending} is not written: there are {MAX_NUMBER} of that name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(id: u32) -> DemoOutput {
        DemoOutput::Begin { id, stem: "demos/final".to_owned(), ending: "dm_71".to_owned() }
    }

    #[test]
    fn demos_of_one_name_do_not_overwrite_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let (notes, told) = crossbeam_channel::unbounded();
        let mut files = DemoFiles::start(folder.path().to_owned(), notes).unwrap();
        for id in [7, 9] {
            assert_eq!(files.take(begin(id)), None);
        }
        for (id, bytes) in [(7, b"ab"), (9, b"xy"), (7, b"cd")] {
            files.take(DemoOutput::Bytes { id, bytes: bytes.to_vec() });
        }
        files.take(DemoOutput::End { id: 7 });
        files.finish();
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read("demos/final.dm_71"), b"abcd");
        assert_eq!(read("demos/final-2.dm_71"), b"xy");
        let notes: Vec<String> = told
            .iter()
            .map(|input| if let Input::Note(note) = input { note } else { String::new() })
            .collect();
        assert_eq!(notes.last().map(String::as_str), Some("demos/final.dm_71 is whole"));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("demos"), b"a file").unwrap();
        let sentence = create(folder.path(), "demos/final", "dm_71").unwrap_err();
        assert!(sentence.starts_with("demos/final.dm_71 is not written: "), "{sentence}");
        assert!(create(folder.path(), "../final", "dm_71").is_err());
    }
}
