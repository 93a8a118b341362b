//! A screen that nobody sees: an Xvfb on a display number of its own choice.

use super::Deadline;
use super::process::{Process, output};
use std::path::Path;

/// A running X server.
#[derive(Debug)]
pub struct Screen {
    /// Ends with the screen, and must outlive every client on it.
    _process: Process,
    display: String,
}

/// What can be said of a picture without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Unit: pixels.
    pub width: u32,
    /// Unit: pixels.
    pub height: u32,
    /// Different colours in it.
    pub colour_count: u32,
}

impl Screen {
    /// Starts one of 640 by 480 pixels.
    ///
    /// # Panics
    /// If it does not say in time which display it is.
    pub fn start(deadline: Deadline) -> Self {
        let words = "-displayfd 1 -screen 0 640x480x24 -nolisten tcp";
        let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let process = Process::start("Xvfb", &arguments, &[]);
        let mut said = Vec::new();
        loop {
            match process.next_line(deadline) {
                Ok(line) if line.parse::<u32>().is_ok() => {
                    return Self { _process: process, display: format!(":{line}") };
                }
                Ok(line) => said.push(line),
                Err(why) => panic!("{why}; it said {said:?}"),
            }
        }
    }

    /// Its name, as `DISPLAY` wants it.
    pub fn display(&self) -> &str {
        &self.display
    }

    /// Takes a picture of all of it, kept in `file`.
    ///
    /// # Panics
    /// If ImageMagick cannot.
    pub fn photograph(&self, file: &Path) -> Picture {
        let file = file.to_str().expect("a path of ours is text");
        output("import", &["-window", "root", file], &[("DISPLAY", &self.display)]);
        let said = output("identify", &["-format", "%w %h %k", file], &[]);
        let numbers: Vec<u32> = said.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let [width, height, colour_count] = numbers[..] else { panic!("identify {file}: {said}") };
        Picture { width, height, colour_count }
    }
}
