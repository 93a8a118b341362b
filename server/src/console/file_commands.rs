//! Commands about game files.

use super::table::{Call, fits};

/// `dir`: game files of a folder.
pub(super) fn dir(call: &mut Call<'_>) {
    let (folder, suffix) = match call.args {
        [_, folder] => (*folder, ""),
        [_, folder, suffix] => (*folder, *suffix),
        _ => return call.usage(),
    };
    let found = call.operator.files().list(folder, suffix);
    call.line(format_args!("Directory of {folder} {suffix}\n---------------"));
    for path in found {
        call.line(path);
    }
}

/// `fdir`: game files that match. Admin bots learn the maps by `fdir *.bsp`.
pub(super) fn fdir(call: &mut Call<'_>) {
    let [_, pattern] = call.args else { return call.usage() };
    let mut count = 0;
    for path in call.operator.files().list("", "").iter().filter(|path| fits(path, pattern)) {
        call.line(path);
        count += 1;
    }
    call.line(format_args!("{count} files listed"));
}

/// `which`.
pub(super) fn which(call: &mut Call<'_>) {
    let [_, path] = call.args else { return call.usage() };
    match call.operator.files().place(path) {
        Some(place) => call.line(format_args!("{path} is in {place}")),
        None => call.line(format_args!("{path} was not found")),
    }
}

/// `path`.
pub(super) fn path(call: &mut Call<'_>) {
    let places = call.operator.files().places();
    call.line("Game files are looked for in:");
    for place in places {
        call.line(place);
    }
}

/// `writeconfig`.
pub(super) fn writeconfig(call: &mut Call<'_>) {
    let [_, file] = call.args else { return call.usage() };
    let path = if file.contains('.') { (*file).to_owned() } else { format!("{file}.cfg") };
    if !path.to_ascii_lowercase().ends_with(".cfg") {
        return call.line("writeconfig writes files whose name ends with .cfg");
    }
    let text = call.operator.cvars().archive();
    match call.operator.files().write(&path, text.as_bytes()) {
        Ok(()) => call.line(format_args!("Writing {path}.")),
        Err(error) => call.line(error),
    }
}
