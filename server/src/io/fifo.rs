//! `com_pipefile`: a FIFO that takes console lines from scripts and panels.

use super::{Input, lines};
use crossbeam_channel::Sender;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::OpenOptions;
use std::io::BufReader;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};

/// The FIFO while it is there. Removed when this is dropped.
#[derive(Debug)]
pub struct Fifo {
    path: PathBuf,
}

impl Fifo {
    /// Makes the FIFO `name` in `folder` (which is made too), readable and writable for the owner alone, and hands on its
    /// lines. One left behind by an earlier run is replaced; any other file of that name is left alone.
    ///
    /// # Errors
    /// One sentence for the host.
    pub fn open(folder: &Path, name: &str, inputs: Sender<Input>) -> Result<Self, String> {
        let path = place(folder, name)?;
        let failed =
            |what: &str, error: std::io::Error| format!("com_pipefile {}: {what}: {error}", path.display());
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_fifo() => {
                std::fs::remove_file(&path)
                    .map_err(|error| failed("the old one cannot be removed", error))?;
            }
            Ok(_) => return Err(format!("com_pipefile {}: a file of that name is there", path.display())),
            Err(_) => {}
        }
        std::fs::create_dir_all(folder).map_err(|error| failed("its folder cannot be made", error))?;
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .map_err(|error| failed("it cannot be made", error.into()))?;
        let fifo = Self { path: path.clone() };
        // Open for writing as well: a FIFO that has a writer never ends, so reading just waits for the next one.
        let stream = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| failed("it cannot be opened", error))?;
        super::start_thread("fifo", move || lines::pump(BufReader::new(stream), &inputs))
            .map_err(|error| failed("no thread for it", error))?;
        Ok(fifo)
    }

    /// Removes it from another thread, for an end that drops nothing.
    pub fn remover(&self) -> impl FnOnce() + Send + use<> {
        let path = self.path.clone();
        move || drop(std::fs::remove_file(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn place(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(file)), None) => Ok(folder.join(file)),
        _ => Err(format!(
            "com_pipefile {name:?}: must be a plain file name, it goes into {}",
            folder.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::Duration;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("fogline-fifo-{}-{name}", std::process::id()))
    }

    #[test]
    fn lines_of_several_writers_arrive_and_the_fifo_goes_away() {
        let folder = folder("lines");
        let (sender, receiver) = crossbeam_channel::unbounded();
        let fifo = Fifo::open(&folder, "console", sender.clone()).unwrap();
        for text in ["status\n", "say hi\n"] {
            OpenOptions::new().write(true).open(fifo.path()).unwrap().write_all(text.as_bytes()).unwrap();
            match receiver.recv_timeout(Duration::from_secs(10)) {
                Ok(Input::Line(line)) => assert_eq!(line, text.trim_end()),
                other => panic!("{other:?}"),
            }
        }
        let path = fifo.path().to_owned();
        // As a crash would leave it: the next run takes the place over.
        std::mem::forget(fifo);
        let fifo = Fifo::open(&folder, "console", sender).unwrap();
        assert!(path.exists());
        drop(fifo);
        assert!(!path.exists());
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn neither_another_place_nor_another_file_is_touched() {
        let folder = folder("names");
        let (sender, _receiver) = crossbeam_channel::unbounded();
        for name in ["../x", "/x", "a/b", "..", ""] {
            assert!(
                Fifo::open(&folder, name, sender.clone()).unwrap_err().contains("plain file name"),
                "{name}"
            );
        }
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("q3config.cfg"), "mine").unwrap();
        assert!(Fifo::open(&folder, "q3config.cfg", sender).unwrap_err().contains("is there"));
        assert_eq!(std::fs::read(folder.join("q3config.cfg")).unwrap(), b"mine");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
