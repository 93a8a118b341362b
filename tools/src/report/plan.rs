//! A plan of measurements, read from TOML.
//!
//! ```toml
//! page = "tools/measurements.md"     # where the page is
//! pictures = "tools/pictures"        # where drawings go
//! head = "# Measurements"            # begins a page that is new
//! [[section]]
//! title = "..."                      # its heading; a section of the page with the same is replaced
//! text = "..."                       # what a reader must know
//! command = "rules --map oa_dm5"     # of this program, which is run with --markdown
//! pictures_flag = "--plots {pictures}"
//! show = ["rules_oa_dm5.svg"]        # drawings to show
//! columns = ["rule", "late_pct"]     # of the tables, only these
//! server = "ioq3ded"                 # or "fogline": runs meanwhile; {server} and {pid} in the command are its
//! map = "oa_dm1"                     # that server's
//! fps = 20                           # that server's
//! ```

use toml::{Table, Value};

/// A plan.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Where the page is.
    pub(super) page: String,
    /// Where drawings go.
    pub(super) pictures: String,
    /// What a new page begins with.
    pub(super) head: String,
    /// In order.
    pub(super) sections: Vec<Section>,
}

/// A server that runs while a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerKind {
    /// Debian's ioq3ded with OpenArena's game.
    Stock,
    /// Our own, as it is set up from the start.
    Fogline,
}

impl ServerKind {
    /// Said behind the command.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Stock => ", against Debian's ioq3ded with OpenArena's game",
            Self::Fogline => ", against Fogline",
        }
    }
}

/// One section.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) command: Option<String>,
    pub(super) pictures_flag: Option<String>,
    pub(super) show: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) server: Option<ServerKind>,
    pub(super) map: String,
    pub(super) fps: u32,
}

impl Plan {
    /// Reads a plan. What it does not know is an error: it would be left out in silence otherwise.
    ///
    /// # Errors
    /// A sentence that says what is wrong and where.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let Some(Value::Array(sections)) = table.remove("section") else {
            return Err("there is no [[section]]".to_owned());
        };
        let mut plan = Self {
            page: take(&mut table, "page")?.ok_or("page is missing")?,
            pictures: take(&mut table, "pictures")?.ok_or("pictures is missing")?,
            head: take(&mut table, "head")?.unwrap_or_default(),
            sections: Vec::new(),
        };
        nothing_left(&table)?;
        for (n, section) in sections.into_iter().enumerate() {
            let say = |sentence: String| format!("section {}: {sentence}", n + 1);
            let Value::Table(section) = section else { return Err(say("is no table".to_owned())) };
            plan.sections.push(Section::take(section).map_err(say)?);
        }
        Ok(plan)
    }
}

impl Section {
    fn take(mut table: Table) -> Result<Self, String> {
        let section = Self {
            title: take(&mut table, "title")?.ok_or("title is missing")?,
            text: take(&mut table, "text")?.unwrap_or_default(),
            command: take(&mut table, "command")?,
            pictures_flag: take(&mut table, "pictures_flag")?,
            show: take_list(&mut table, "show")?,
            columns: take_list(&mut table, "columns")?,
            server: match take(&mut table, "server")?.as_deref() {
                None => None,
                Some("ioq3ded") => Some(ServerKind::Stock),
                Some("fogline") => Some(ServerKind::Fogline),
                Some(other) => return Err(format!("server {other:?} is neither ioq3ded nor fogline")),
            },
            map: take(&mut table, "map")?.unwrap_or_else(|| "oa_dm1".to_owned()),
            fps: match table.remove("fps") {
                None => 20,
                Some(value) => value
                    .as_integer()
                    .and_then(|fps| u32::try_from(fps).ok())
                    .filter(|fps| (10..=125).contains(fps))
                    .ok_or("fps must be 10 to 125")?,
            },
        };
        nothing_left(&table)?;
        Ok(section)
    }
}

fn take(table: &mut Table, key: &str) -> Result<Option<String>, String> {
    match table.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{key} must be a text")),
    }
}

fn take_list(table: &mut Table, key: &str) -> Result<Vec<String>, String> {
    match table.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => {
            let texts = list.into_iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or_else(|| format!("{key} must be a list of texts"))
        }
        Some(_) => Err(format!("{key} must be a list of texts")),
    }
}

fn nothing_left(table: &Table) -> Result<(), String> {
    table.keys().next().map_or(Ok(()), |key| Err(format!("{key:?} is not known")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "page = \"p.md\"\npictures = \"pics\"\n";

    #[test]
    fn a_plan_is_read() {
        let text = format!(
            "{HEAD}[[section]]\ntitle = \"a\"\ncommand = \"rules\"\nshow = [\"x.svg\"]\nserver = \"fogline\"\nfps = 40\n"
        );
        let plan = Plan::parse(&text).unwrap();
        let section = &plan.sections[0];
        assert_eq!((plan.page.as_str(), section.command.as_deref()), ("p.md", Some("rules")));
        assert_eq!(
            (section.server, section.fps, section.map.as_str()),
            (Some(ServerKind::Fogline), 40, "oa_dm1")
        );
        assert_eq!(section.show, ["x.svg"]);
    }

    #[test]
    fn what_is_not_understood_is_told_and_not_passed_over() {
        for (wrong, word) in [
            ("[[section]]\ntitel = \"a\"\n", "title"),
            ("[[section]]\ntitle = \"a\"\ncolour = 1\n", "colour"),
            ("[[section]]\ntitle = \"a\"\nserver = \"quake\"\n", "quake"),
            ("[[section]]\ntitle = \"a\"\nshow = \"x\"\n", "show"),
            ("[[section]]\ntitle = \"a\"\nfps = 1000\n", "fps"),
            ("title = 1\n", "section"),
            ("[[section\n", "line"),
        ] {
            let error = Plan::parse(&format!("{HEAD}{wrong}")).unwrap_err();
            assert!(error.contains(word), "{wrong}: {error}");
        }
        assert!(Plan::parse("[[section]]\ntitle = \"a\"\n").unwrap_err().contains("page"));
    }
}
