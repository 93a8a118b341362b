//! From what a host typed to a typed field, and back to the one text that stands for it.

use super::cvars::Config;

/// The type of a cvar: its default, its range, and the field that it sets.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// On or off, written `1` and `0`.
    Bool {
        /// Value when nobody sets it.
        default: bool,
        /// The field.
        field: fn(&mut Config) -> &mut bool,
    },
    /// A whole number.
    Int {
        /// Value when nobody sets it.
        default: i32,
        /// Lowest value.
        min: i32,
        /// Highest value.
        max: i32,
        /// The field.
        field: fn(&mut Config) -> &mut i32,
    },
    /// A number.
    Float {
        /// Value when nobody sets it.
        default: f32,
        /// Lowest value.
        min: f32,
        /// Highest value.
        max: f32,
        /// The field.
        field: fn(&mut Config) -> &mut f32,
    },
    /// Free text.
    Text {
        /// Value when nobody sets it.
        default: &'static str,
        /// The field.
        field: fn(&mut Config) -> &mut String,
    },
}

/// A text brought into the form in which it is kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Canonical {
    pub(super) text: String,
    /// What was typed lay outside the range.
    pub(super) clamped: bool,
}

impl Kind {
    /// The default as text.
    pub fn default_text(&self) -> String {
        match *self {
            Self::Bool { default, .. } => bool_text(default).to_owned(),
            Self::Int { default, .. } => default.to_string(),
            Self::Float { default, .. } => default.to_string(),
            Self::Text { default, .. } => default.to_owned(),
        }
    }

    /// The range as text, empty for free text.
    pub fn range_text(&self) -> String {
        match *self {
            Self::Bool { .. } => "0..1".to_owned(),
            Self::Int { min, max, .. } => match (min, max) {
                (i32::MIN, i32::MAX) => String::new(),
                (_, i32::MAX) => format!("{min}.."),
                _ => format!("{min}..{max}"),
            },
            Self::Float { min, max, .. } => format!("{min}..{max}"),
            Self::Text { .. } => String::new(),
        }
    }

    /// The text in the form in which it is kept, or `None` if it is no number where one is needed.
    pub(super) fn canonical(&self, text: &str) -> Option<Canonical> {
        let clamp = |min: f64, max: f64| number(text).map(|n| (n.clamp(min, max), n < min || n > max));
        match *self {
            Self::Bool { .. } => {
                let on = truth(text)?;
                Some(Canonical { text: bool_text(on).to_owned(), clamped: false })
            }
            Self::Int { min, max, .. } => {
                let (n, clamped) = clamp(f64::from(min), f64::from(max))?;
                Some(Canonical { text: (n.trunc() as i32).to_string(), clamped })
            }
            Self::Float { min, max, .. } => {
                let (n, clamped) = clamp(f64::from(min), f64::from(max))?;
                // Adding zero turns -0 into 0.
                Some(Canonical { text: (n as f32 + 0.0).to_string(), clamped })
            }
            Self::Text { .. } => Some(Canonical { text: text.to_owned(), clamped: false }),
        }
    }

    /// Writes a canonical text into its field.
    pub(super) fn store(&self, config: &mut Config, canonical: &str) {
        match *self {
            Self::Bool { field, .. } => *field(config) = canonical == "1",
            Self::Int { field, default, .. } => *field(config) = canonical.parse().unwrap_or(default),
            Self::Float { field, default, .. } => *field(config) = canonical.parse().unwrap_or(default),
            Self::Text { field, .. } => canonical.clone_into(field(config)),
        }
    }
}

fn bool_text(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

/// A number as hosts type it; empty is zero as in the stock engine. `None` for anything else, not-a-number included.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0.0);
    }
    text.parse::<f64>().ok().filter(|n| !n.is_nan())
}

fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" => Some(true),
        "off" | "no" | "false" => Some(false),
        other => number(other).map(|n| n != 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FPS: Kind = Kind::Int { default: 20, min: 10, max: 250, field: |c| &mut c.sv_fps };

    #[test]
    fn odd_numbers_survive() {
        let kept = |text: &str| FPS.canonical(text).map(|c| (c.text, c.clamped));
        assert_eq!(kept("1e50"), Some(("250".to_owned(), true)));
        assert_eq!(kept("-inf"), Some(("10".to_owned(), true)));
        assert_eq!(kept(" 40 "), Some(("40".to_owned(), false)));
        assert_eq!(kept("30.9"), Some(("30".to_owned(), false)));
        assert_eq!(kept("250.5"), Some(("250".to_owned(), true)));
        assert_eq!(kept("nan"), None);
        assert_eq!(kept("fast"), None);
    }

    #[test]
    fn words_switch_a_flag() {
        for (text, on) in
            [("on", true), ("YES", true), ("2", true), ("off", false), ("", false), ("0", false)]
        {
            assert_eq!(truth(text), Some(on), "{text}");
        }
        assert_eq!(truth("maybe"), None);
    }
}
