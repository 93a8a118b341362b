//! The program `fogline`: an argument list in, an exit code out.

use fogline_server::console::split_plus_args;
use fogline_server::program::{self, Ending, flags::Flags};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let (flags, commands) = split_plus_args(args);
    // Wrong flags end the program here, with 2.
    let flags = Flags::from_words(flags).unwrap_or_else(|error| error.exit());
    // A defect of ours has told about itself by now.
    std::panic::catch_unwind(|| program::run(&flags, &commands)).unwrap_or(Ending::Fatal).into()
}
