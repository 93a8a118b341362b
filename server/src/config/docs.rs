//! The page that lists every cvar, made from the table.

use super::cvars::TABLE;
use std::fmt::Write as _;

/// `server/docs/cvars.md`, which a test compares with the table.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Cvars\n\n\
         Made from the table in `server/src/config/cvars.rs`; a test compares the two, and writes this page when it runs with\n\
         `FOGLINE_BLESS=1`. Names are compared without regard to case. Values outside the range are clamped with a message.\n\
         Any other name is accepted as a cvar of yours.\n\n\
         | cvar | default | range | flags | what it does |\n|---|---|---|---|---|\n",
    );
    for entry in TABLE {
        let default = entry.kind.default_text();
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| `{}` | {default} | {} | {} | {} |",
            entry.name,
            entry.kind.range_text(),
            entry.flags.names(),
            entry.doc()
        );
    }
    page
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "writes the page when asked to")]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_cvars_says_what_the_table_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cvars.md");
        if std::env::var_os("FOGLINE_BLESS").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            page == markdown(),
            "docs/cvars.md differs from the table; run this test with FOGLINE_BLESS=1"
        );
    }
}
