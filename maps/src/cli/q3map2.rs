//! Command lines of q3map2, as editors have them in their build menus, turned into those of `fogmap`.
//!
//! ```text
//! -fs_basepath DIR -meta x.map        ->  build x.map --basepath DIR --vis none --no-light
//! -vis -fast -saveprt x.map           ->  build x.map --vis fast
//! -leaktest x.map                     ->  build x.map --vis none --leaktest
//! ```
//!
//! A stage of its own is not needed: a build takes about a second and gives the same bytes each time. So `-vis` builds and sees.

use std::ffi::OsString;

/// Switches of q3map2 that are followed by a value.
const WITH_VALUE: [&str; 14] = [
    "-threads",
    "-fs_basepath",
    "-fs_homepath",
    "-fs_game",
    "-fs_pakpath",
    "-fs_homebase",
    "-game",
    "-connect",
    "-mv",
    "-mi",
    "-np",
    "-snap",
    "-samplesize",
    "-tempname",
];

/// Stages of q3map2; one of them, in any place, tells that a command line is one of its own.
const STAGES: [&str; 7] = ["-bsp", "-meta", "-vis", "-light", "-leaktest", "-onlyents", "-info"];

/// The command line for `fogmap`, without the program's name; `None` if `args` is not one of q3map2.
///
/// # Errors
/// A sentence, for stages that have no counterpart.
pub(super) fn translate(args: &[OsString]) -> Result<Option<Vec<OsString>>, String> {
    let texts: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().to_ascii_lowercase()).collect();
    let has = |switch: &str| texts.iter().any(|text| text == switch);
    if !STAGES.iter().any(|stage| has(stage)) {
        return Ok(None);
    }
    let value = |switch: &str| {
        let at = texts.iter().position(|text| text == switch)?;
        args.get(at + 1).cloned()
    };
    let mut file = None;
    let mut skip = false;
    for (arg, text) in args.iter().zip(&texts) {
        if std::mem::take(&mut skip) {
            continue;
        }
        skip = WITH_VALUE.contains(&text.as_str());
        if !text.starts_with('-') {
            file = Some(arg.clone());
        }
    }
    let Some(file) = file else { return Err("a map is wanted as the last word".to_owned()) };
    if has("-info") {
        return Ok(Some(vec!["info".into(), file]));
    }
    if has("-light") || has("-onlyents") {
        return Err(
            "-light and -onlyents have no counterpart: a build lights the map and writes its entities"
                .to_owned(),
        );
    }
    // Stages after the first are given the compiled map by some editors.
    let file = std::path::Path::new(&file).with_extension("map").into_os_string();
    let mut command: Vec<OsString> = vec!["build".into(), file];
    let level = match (has("-vis"), has("-fast")) {
        (false, _) => "none",
        (true, true) => "fast",
        (true, false) => "full",
    };
    command.extend(["--vis".into(), level.into()]);
    if has("-leaktest") {
        command.push("--leaktest".into());
    }
    // The first stage of q3map2 leaves the portals for the second; the second removes them unless told otherwise.
    if has("-vis") && !has("-saveprt") {
        command.push("--no-prt".into());
    }
    if !has("-vis") {
        command.push("--no-light".into());
    }
    for (switch, own) in [("-threads", "--threads"), ("-fs_basepath", "--basepath")] {
        if let Some(value) = value(switch) {
            command.extend([own.into(), value]);
        }
    }
    Ok(Some(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, wanted: Option<&str>) {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = translate(&args).expect("a stage with a counterpart");
        let said = words.map(|words| words.join(" ".as_ref()).to_string_lossy().into_owned());
        assert_eq!(said.as_deref(), wanted, "{line}");
    }

    #[test]
    fn stages_become_builds() {
        check(
            "-fs_basepath /games -meta -v maps/x.map",
            Some("build maps/x.map --vis none --no-light --basepath /games"),
        );
        check("-threads 2 -vis -fast -saveprt x.bsp", Some("build x.map --vis fast --threads 2"));
        check("-game quake3 -vis x", Some("build x.map --vis full --no-prt"));
        check("-leaktest x.map", Some("build x.map --vis none --leaktest --no-light"));
        check("build x.map --vis full", None);
        check("vis x.prt", None);
    }

    #[test]
    fn light_is_answered_with_a_sentence() {
        assert!(translate(&["-light".into(), "x.map".into()]).is_err());
    }
}
