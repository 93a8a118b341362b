//! One thing that happened in a match, twice: as the line that admin bots parse, and as fields for programs.

use crate::json::quote;
use std::fmt::Write as _;

/// An entry of the log of games and of its twin in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    line: String,
    fields: String,
}

impl Record {
    /// An event of the log, `line` being what OpenArena's own game writes.
    pub fn new(event: &str, line: impl Into<String>) -> Self {
        let mut fields = String::with_capacity(96);
        fields.push_str("\"event\":");
        quote(&mut fields, event);
        Self { line: line.into(), fields }
    }

    /// A line that only people read.
    pub fn rule(line: impl Into<String>) -> Self {
        Self { line: line.into(), fields: String::new() }
    }

    /// With one more number.
    #[must_use]
    pub fn int(mut self, key: &str, value: impl Into<i64>) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.fields, ",\"{key}\":{}", value.into());
        self
    }

    /// With one more text, whatever is in it.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        let _ = write!(self.fields, ",\"{key}\":");
        quote(&mut self.fields, value);
        self
    }

    /// The line, without time stamp.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The fields as the inside of a JSON object; `None` for what only people read.
    pub fn fields(&self) -> Option<&str> {
        (!self.fields.is_empty()).then_some(&self.fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_a_line_and_fields() {
        let record = Record::new("say", "say: A\"\n: hi").int("client", 3).text("text", "a\"\\\n");
        assert_eq!(record.line(), "say: A\"\n: hi");
        assert_eq!(record.fields(), Some("\"event\":\"say\",\"client\":3,\"text\":\"a\\\"\\\\\\u000a\""));
        assert_eq!(Record::rule("---").fields(), None);
    }
}
