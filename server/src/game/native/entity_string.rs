//! The entity text of a map: `{ "key" "value" … }` for each entity, the world first.
//!
//! In: text from a file that anyone may have written. Out: borrowed pairs for each entity, within limits. Odd input is named to
//! a warning sink and skipped; what was read before a broken place stays.

use super::number::{leading_float, leading_int};
use fogline_common::math::{Vec3, vec3};
use std::fmt;

/// Entities read at most; what stands behind is dropped with a warning.
pub(super) const MAX_SPAWNED: usize = 4096;
/// Pairs kept of one entity. Source: `MAX_SPAWN_VARS`.
pub(super) const MAX_PAIRS: usize = 64;
/// Bytes of a key or a value. Source: `MAX_TOKEN_CHARS`.
pub(super) const MAX_TOKEN_BYTES: usize = 1024;

/// The pairs of one entity, in order of appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Fields<'a> {
    /// The first value of `key`, compared without regard to case, if there is one.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|&(_, value)| value)
    }

    /// The value of `key` or `""`.
    pub(super) fn text(&self, key: &str) -> &'a str {
        self.get(key).unwrap_or("")
    }

    /// The value of `key` as a number, or `default` if the key is absent.
    pub(super) fn int(&self, key: &str, default: i32) -> i32 {
        self.get(key).map_or(default, leading_int)
    }

    /// The value of `key` as a number, or `default` if the key is absent.
    pub(super) fn float(&self, key: &str, default: f32) -> f32 {
        self.get(key).map_or(default, leading_float)
    }

    /// The value of `key` as three numbers; missing ones are 0.
    pub(super) fn vector(&self, key: &str) -> Vec3 {
        let mut parts = self.text(key).split_ascii_whitespace().map(leading_float);
        let mut next = || parts.next().unwrap_or(0.0);
        vec3(next(), next(), next())
    }

    /// The class, or `""`.
    pub(super) fn class(&self) -> &'a str {
        self.text("classname")
    }

    /// `angles`, or a yaw from `angle`.
    pub(super) fn angles(&self) -> Vec3 {
        match self.get("angles") {
            Some(_) => self.vector("angles"),
            None => vec3(0.0, self.float("angle", 0.0), 0.0),
        }
    }

    /// The inline model that `model` names (`*3` is 3), if it names one.
    pub(super) fn brush_model(&self) -> Option<usize> {
        usize::try_from(leading_int(self.text("model").strip_prefix('*')?)).ok().filter(|&n| n > 0)
    }
}

/// What was odd in an entity text. Displays as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Oddity {
    /// Something other than `{` where an entity should begin; reading stopped.
    NoBrace { entity: usize, found: String },
    /// The text ended inside an entity, which was dropped.
    EndsInside { entity: usize },
    /// A key without a value, before the closing brace.
    NoValue { entity: usize, key: String },
    /// A token that is longer than the limit; its pair was dropped.
    TooLong { entity: usize, bytes: usize },
    /// More pairs than are kept.
    TooManyPairs { entity: usize },
    /// More entities than are read.
    TooMany,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBrace { entity, found } => {
                write!(
                    f,
                    "map entity {entity}: expected {{ and found {found:?}; the rest of the entity text is ignored"
                )
            }
            Self::EndsInside { entity } => {
                write!(f, "map entity {entity}: the entity text ends inside it; it is ignored")
            }
            Self::NoValue { entity, key } => write!(f, "map entity {entity}: key {key:?} has no value"),
            Self::TooLong { entity, bytes } => write!(
                f,
                "map entity {entity}: a key or value of {bytes} bytes is ignored, the limit is {MAX_TOKEN_BYTES}"
            ),
            Self::TooManyPairs { entity } => {
                write!(f, "map entity {entity}: only the first {MAX_PAIRS} keys are kept")
            }
            Self::TooMany => write!(f, "only the first {MAX_SPAWNED} entities of the map are read"),
        }
    }
}

/// Every entity of the text, the world first. `warn` hears of everything odd.
pub(super) fn parse<'a>(text: &'a str, warn: &mut dyn FnMut(Oddity)) -> Vec<Fields<'a>> {
    let mut tokens = Tokens { rest: text };
    let mut entities = Vec::new();
    while let Some(token) = tokens.next() {
        let entity = entities.len();
        if token != Token::Open {
            warn(Oddity::NoBrace { entity, found: token.shown() });
            break;
        }
        if entity == MAX_SPAWNED {
            warn(Oddity::TooMany);
            break;
        }
        let Some(fields) = parse_entity(&mut tokens, entity, warn) else {
            warn(Oddity::EndsInside { entity });
            break;
        };
        entities.push(fields);
    }
    entities
}

/// The pairs up to the closing brace, or `None` if the text ends first.
fn parse_entity<'a>(
    tokens: &mut Tokens<'a>,
    entity: usize,
    warn: &mut dyn FnMut(Oddity),
) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    let mut full = false;
    loop {
        let key = match tokens.next()? {
            Token::Close => return Some(fields),
            Token::Open => "{",
            Token::Text(key) => key,
        };
        let value = match tokens.next()? {
            Token::Close => {
                warn(Oddity::NoValue { entity, key: Token::Text(key).shown() });
                return Some(fields);
            }
            Token::Open => "{",
            Token::Text(value) => value,
        };
        let bytes = key.len().max(value.len());
        if bytes >= MAX_TOKEN_BYTES {
            warn(Oddity::TooLong { entity, bytes });
        } else if fields.pairs.len() < MAX_PAIRS {
            fields.pairs.push((key, value));
        } else if !full {
            full = true;
            warn(Oddity::TooManyPairs { entity });
        }
    }
}

/// A piece of the text. Quoted braces are text; others need no blanks around them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Open,
    Close,
    Text(&'a str),
}

impl Token<'_> {
    /// Short enough for a log line.
    fn shown(self) -> String {
        match self {
            Self::Open => "{".to_owned(),
            Self::Close => "}".to_owned(),
            Self::Text(text) => text.chars().take(40).collect(),
        }
    }
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        let first = *self.rest.as_bytes().first()?;
        if first == b'"' {
            let inside = &self.rest[1..];
            let end = inside.find('"').unwrap_or(inside.len());
            self.rest = inside.get(end + 1..).unwrap_or("");
            return Some(Token::Text(&inside[..end]));
        }
        let brace = match first {
            b'{' => Some(Token::Open),
            b'}' => Some(Token::Close),
            _ => None,
        };
        if brace.is_some() {
            self.rest = &self.rest[1..];
            return brace;
        }
        let end = self.rest.find(|c: char| c <= ' ' || c == '{' || c == '}').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(Token::Text(word))
    }

    /// Past white space, NULs and both kinds of comment.
    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c <= ' ');
            if self.rest.starts_with("//") {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
            } else if self.rest.starts_with("/*") {
                self.rest = self.rest.find("*/").map_or("", |end| &self.rest[end + 2..]);
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<Fields<'_>>, Vec<Oddity>) {
        let mut oddities = Vec::new();
        let entities = parse(text, &mut |oddity| oddities.push(oddity));
        (entities, oddities)
    }

    #[test]
    fn an_ordinary_text_is_read_without_warning() {
        let text = "{\n\"classname\" \"worldspawn\"\n\"message\" \"A { B\"\n}\n// note\n{ classname info_null \"origin\" \"1 -2.5 3\" \"angle\" \"90\" \"model\" \"*12\"}\n\0";
        let (entities, oddities) = read(text);
        assert_eq!(oddities, []);
        assert_eq!(entities.len(), 2);
        assert_eq!(entities[0].text("MESSAGE"), "A { B");
        assert_eq!(entities[1].class(), "info_null");
        assert_eq!(entities[1].vector("origin"), vec3(1.0, -2.5, 3.0));
        assert_eq!(entities[1].angles(), vec3(0.0, 90.0, 0.0));
        assert_eq!(entities[1].brush_model(), Some(12));
        assert_eq!(entities[1].int("absent", 7), 7);
    }

    #[test]
    fn odd_texts_are_named_and_what_was_read_stays() {
        let check = |text: &str, kept: usize, oddity: Oddity| {
            let (entities, oddities) = read(text);
            assert_eq!((entities.len(), &oddities[..]), (kept, &[oddity][..]), "{text:?}");
        };
        check("{ } stray", 1, Oddity::NoBrace { entity: 1, found: "stray".to_owned() });
        check("{ a b } { c d", 1, Oddity::EndsInside { entity: 1 });
        check("{ a }", 1, Oddity::NoValue { entity: 0, key: "a".to_owned() });
        check("{ a \"unclosed", 0, Oddity::EndsInside { entity: 0 });
        let long = format!("{{ a {} b c }}", "x".repeat(2000));
        check(&long, 1, Oddity::TooLong { entity: 0, bytes: 2000 });
        let many = format!("{{ {} }}", "k v ".repeat(70));
        check(&many, 1, Oddity::TooManyPairs { entity: 0 });
        check(&"{ } ".repeat(MAX_SPAWNED + 5), MAX_SPAWNED, Oddity::TooMany);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_panics_the_reader(text in "[ {}\"/*a\\n\u{e9}0]{0,80}") {
            let (entities, _) = read(&text);
            for entity in &entities {
                entity.angles();
                entity.brush_model();
            }
        }
    }
}
