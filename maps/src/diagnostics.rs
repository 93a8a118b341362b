//! What a compile has to say to the mapper: what is wrong, where in the text, where in the map, and what to do.
//!
//! ```text
//! arena.map:1032: warning: entity 0 (worldspawn), brush 31: the brush has no volume, at 128 -64 32
//!     help: delete it, or rebuild it in the editor
//! ```

use crate::geometry::DVec3;
use crate::map_file::{MapError, Span};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The map is not what the mapper thinks, but it is a map.
    Warning,
    /// There is no usable map.
    Error,
}

/// The entity and brush that something is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// In the text.
    pub span: Span,
    /// Number of the entity, from zero; `None` for what is about the file as a whole.
    pub entity: Option<usize>,
    /// Its class; empty if it is not known.
    pub class: String,
    /// Number of the brush or patch in its entity, from zero.
    pub brush: Option<usize>,
}

impl Site {
    /// In a list of others: `entity 3 brush 1 (line 12)`.
    pub fn in_list(&self) -> String {
        let entity = self.entity.map(|entity| format!("entity {entity} ")).unwrap_or_default();
        let brush = self.brush.map(|brush| format!("brush {brush} ")).unwrap_or_default();
        format!("{entity}{brush}(line {})", self.span.line)
    }
}

/// Something to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Names the kind for programs, stable: `leak`, `no-volume`.
    pub code: &'static str,
    /// What, as a sentence without its end.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
    /// What it is about.
    pub site: Option<Site>,
    /// Places in the map. Unit: world units.
    pub points: Vec<DVec3>,
}

impl Diagnostic {
    /// A warning that is about nothing in particular yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            code,
            message: message.into(),
            help: String::new(),
            site: None,
            points: Vec::new(),
        }
    }

    /// An error that is about nothing in particular yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, ..Self::warning(code, message) }
    }

    /// With what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// With what it is about.
    #[must_use]
    pub fn site(mut self, site: &Site) -> Self {
        self.site = Some(site.clone());
        self
    }

    /// With a place in the map.
    #[must_use]
    pub fn at(mut self, point: DVec3) -> Self {
        self.points.push(point);
        self
    }

    /// Where and what, on one line that editors can jump to. `file` is the map's name.
    pub fn headline(&self, file: &str) -> String {
        let mut text = file.to_owned();
        if let Some(site) = &self.site {
            let _ = write!(text, ":{}", site.span.line);
        }
        let word = if self.severity == Severity::Error { "error" } else { "warning" };
        let _ = write!(text, ": {word}: ");
        if let Some(site) = &self.site
            && let Some(entity) = site.entity
        {
            let _ = write!(text, "entity {entity}");
            if !site.class.is_empty() {
                let _ = write!(text, " ({})", site.class);
            }
            if let Some(brush) = site.brush {
                let _ = write!(text, ", brush {brush}");
            }
            text.push_str(": ");
        }
        text.push_str(&self.message);
        for point in &self.points {
            let _ = write!(text, ", at {}", spell(*point));
        }
        text
    }

    /// The headline, and what to do.
    pub fn to_text(&self, file: &str) -> String {
        let mut text = self.headline(file);
        if !self.help.is_empty() {
            let _ = write!(text, "\n    help: {}", self.help);
        }
        text
    }

    /// For programs: one object.
    pub fn to_json(&self, file: &str) -> Value {
        let site = self.site.as_ref();
        json!({
            "severity": if self.severity == Severity::Error { "error" } else { "warning" },
            "code": self.code,
            "message": self.message,
            "help": self.help,
            "file": file,
            "line": site.map(|site| site.span.line),
            "column": site.map(|site| site.span.column),
            "entity": site.and_then(|site| site.entity),
            "class": site.map(|site| site.class.as_str()),
            "brush": site.and_then(|site| site.brush),
            "points": self.points.iter().map(|point| point.to_array()).collect::<Vec<_>>(),
        })
    }
}

impl From<&MapError> for Diagnostic {
    fn from(error: &MapError) -> Self {
        let found = Self::error("syntax", error.kind.to_string()).help(error.kind.help());
        let site = Site { span: error.span, entity: error.entity, class: String::new(), brush: error.brush };
        found.site(&site)
    }
}

/// Coordinates as editors take them, at most three decimals.
pub fn spell(point: DVec3) -> String {
    let parts = point.to_array().map(|part| {
        let rounded = (part * 1000.0).round() / 1000.0 + 0.0;
        rounded.to_string()
    });
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dvec3;

    #[test]
    fn text_says_where_what_and_what_to_do() {
        let site = Site {
            span: Span { line: 12, ..Span::default() },
            entity: Some(3),
            class: "func_door".to_owned(),
            brush: Some(1),
        };
        let said = Diagnostic::warning("no-volume", "the brush has no volume")
            .site(&site)
            .at(dvec3(0.5, -0.0, 1.0 / 3.0))
            .help("delete it");
        assert_eq!(
            said.to_text("a.map"),
            "a.map:12: warning: entity 3 (func_door), brush 1: the brush has no volume, at 0.5 0 0.333\n    help: delete it"
        );
        assert_eq!(said.to_json("a.map")["brush"], 1);
    }
}
