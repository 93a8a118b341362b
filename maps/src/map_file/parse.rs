//! The grammar of a map source, walked by hand.
//!
//! ```text
//! map    = entity*                      entity = "{" ( "key" "value" | brush )* "}"
//! brush  = "{" face* "}" | "{" brushDef "{" face* "}" "}" | "{" (patchDef2|patchDef3) "{" patch "}" "}"
//! face   = point point point ( "((" row row "))" name | name "[" 4 "]" "[" 4 "]" 3 | name 5 ) [ 3 ]
//! patch  = name "(" across down … ")" "(" ( "(" control-point* ")" )* ")"
//! ```

use super::error::{MAX_PATCH_SIDE, MapError, MapErrorKind};
use super::lexer::{Lexer, Token, TokenKind};
use super::projection::Projection;
use super::{Brush, ControlPoint, Entity, Face, MapFile, Patch, Span};
use crate::geometry::{DVec3, dvec3};

/// No map has a coordinate beyond; larger ones are damage. Unit: world units, and pixels.
const MAX_COORDINATE: f64 = 1e7;

/// First words of files that are no map sources of this family.
const OTHER_GAMES: [(&[u8], &str); 6] = [
    (b"Version", "a map of Doom 3 or Quake 4"),
    (b"iwmap", "a map of Call of Duty"),
    (b"versioninfo", "a map of the Source engine (VMF)"),
    (b"IBSP", "a compiled map (.bsp)"),
    (b"PRT1", "a portal file (.prt)"),
    (b"<?xml", "an XML document"),
];

pub(super) fn parse(bytes: &[u8]) -> Result<MapFile, MapError> {
    let mut parser = Parser { lexer: Lexer::new(bytes), entity: None, brush: None };
    let mut map = MapFile::default();
    for (first, name) in OTHER_GAMES {
        if bytes.trim_ascii_start().starts_with(first) {
            return Err(parser.wrong_here(MapErrorKind::OtherGame(name)));
        }
    }
    while let Some(token) = parser.lexer.next() {
        parser.entity = Some(map.entities.len());
        if token.kind != TokenKind::Bracket(b'{') {
            return Err(parser.unexpected(token, "an entity's `{`"));
        }
        let entity = parser.entity(token.span)?;
        map.entities.push(entity);
        parser.brush = None;
    }
    parser.entity = None;
    let Some(world) = map.entities.first() else { return Err(parser.wrong_here(MapErrorKind::Empty)) };
    if !world.class().eq_ignore_ascii_case("worldspawn") {
        return Err(parser.wrong(world.span, MapErrorKind::NoWorld(world.class().to_owned())));
    }
    Ok(map)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// Where the walk is, for messages.
    entity: Option<usize>,
    brush: Option<usize>,
}

impl<'a> Parser<'a> {
    fn wrong(&self, span: Span, kind: MapErrorKind) -> MapError {
        MapError { span, entity: self.entity, brush: self.brush, kind }
    }

    fn wrong_here(&self, kind: MapErrorKind) -> MapError {
        self.wrong(self.lexer.here(), kind)
    }

    fn unexpected(&self, token: Token<'_>, wanted: &'static str) -> MapError {
        self.wrong(token.span, MapErrorKind::Expected { wanted, found: token.kind.shown() })
    }

    fn token(&mut self, within: &'static str) -> Result<Token<'a>, MapError> {
        self.lexer.next().ok_or_else(|| self.wrong_here(MapErrorKind::Ended(within)))
    }

    fn bracket(&mut self, bracket: u8, wanted: &'static str) -> Result<Span, MapError> {
        let token = self.token(wanted)?;
        if token.kind == TokenKind::Bracket(bracket) {
            Ok(token.span)
        } else {
            Err(self.unexpected(token, wanted))
        }
    }

    fn peeks(&self, bracket: u8) -> bool {
        self.lexer.peek().is_some_and(|token| token.kind == TokenKind::Bracket(bracket))
    }

    fn number(&mut self, what: &'static str) -> Result<f64, MapError> {
        let token = self.token(what)?;
        let found = || token.kind.shown();
        let parsed = match token.kind {
            TokenKind::Word(text) => std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()),
            _ => None,
        };
        match parsed {
            Some(value) if value.is_finite() && value.abs() <= MAX_COORDINATE => Ok(value),
            Some(value) if value.is_finite() => Err(self.wrong(token.span, MapErrorKind::TooFar { value })),
            _ => Err(self.wrong(token.span, MapErrorKind::BadNumber { what, found: found() })),
        }
    }

    fn numbers<const N: usize>(&mut self, what: &'static str) -> Result<[f64; N], MapError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number(what)?;
        }
        Ok(numbers)
    }

    /// `( … )` or `[ … ]` around numbers.
    fn bracketed<const N: usize>(&mut self, open: u8, what: &'static str) -> Result<[f64; N], MapError> {
        self.bracket(open, what)?;
        let numbers = self.numbers(what)?;
        self.bracket(if open == b'(' { b')' } else { b']' }, what)?;
        Ok(numbers)
    }

    fn name(&mut self) -> Result<String, MapError> {
        let Some(token) = self.lexer.next_name() else {
            return Err(self.wrong_here(MapErrorKind::Ended("a face")));
        };
        match token.kind {
            TokenKind::Word(text) | TokenKind::Quoted(text) => Ok(String::from_utf8_lossy(text).into_owned()),
            TokenKind::Bracket(_) => Err(self.unexpected(token, "the name of a material")),
        }
    }

    fn entity(&mut self, span: Span) -> Result<Entity, MapError> {
        let mut entity = Entity { span, ..Entity::default() };
        self.brush = None;
        loop {
            let token = self.token("an entity")?;
            match token.kind {
                TokenKind::Bracket(b'}') => return Ok(entity),
                TokenKind::Bracket(b'{') => {
                    self.brush = Some(entity.brushes.len() + entity.patches.len());
                    self.primitive(&mut entity, token.span)?;
                    self.brush = None;
                }
                TokenKind::Quoted(key) | TokenKind::Word(key) => {
                    let value = self.token("an entity's value")?;
                    let (TokenKind::Quoted(text) | TokenKind::Word(text)) = value.kind else {
                        return Err(self.unexpected(value, "the value of a key"));
                    };
                    let spell = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
                    entity.pairs.push((spell(key), spell(text)));
                }
                TokenKind::Bracket(_) => return Err(self.unexpected(token, "a key, a brush or `}`")),
            }
        }
    }

    fn primitive(&mut self, entity: &mut Entity, span: Span) -> Result<(), MapError> {
        let number = self.brush.unwrap_or_default();
        let keyword = match self.lexer.peek() {
            Some(Token { kind: TokenKind::Word(word), span }) => {
                self.lexer.next();
                Some((word, span))
            }
            _ => None,
        };
        match keyword {
            None => {
                let faces = self.faces()?;
                entity.brushes.push(Brush { faces, number, span });
            }
            Some((b"brushDef", _)) => {
                self.bracket(b'{', "a brush's `{`")?;
                let faces = self.faces()?;
                self.bracket(b'}', "a brush's `}`")?;
                entity.brushes.push(Brush { faces, number, span });
            }
            Some((word @ (b"patchDef2" | b"patchDef3"), at)) => {
                let patch = self.patch(word == b"patchDef3", number, at)?;
                entity.patches.push(patch);
            }
            Some((b"brushDef3", at)) => {
                return Err(self.wrong(at, MapErrorKind::OtherGame("a map of Doom 3 or Quake 4")));
            }
            Some((word, at)) => {
                let name = TokenKind::Word(word).shown();
                return Err(self.wrong(at, MapErrorKind::UnknownPrimitive(name)));
            }
        }
        Ok(())
    }

    /// Faces up to the brush's `}`.
    fn faces(&mut self) -> Result<Vec<Face>, MapError> {
        let mut faces = Vec::new();
        loop {
            let token = self.token("a brush")?;
            match token.kind {
                TokenKind::Bracket(b'}') => return Ok(faces),
                TokenKind::Bracket(b'(') => faces.push(self.face(token.span)?),
                _ => return Err(self.unexpected(token, "a face's `(` or the brush's `}`")),
            }
        }
    }

    /// A face whose first bracket was read.
    fn face(&mut self, start: Span) -> Result<Face, MapError> {
        let mut points = [DVec3::ZERO; 3];
        points[0] = DVec3::from(self.numbers::<3>("a coordinate")?);
        self.bracket(b')', "a point's `)`")?;
        for point in &mut points[1..] {
            *point = DVec3::from(self.bracketed::<3>(b'(', "a coordinate")?);
        }
        let primitive = if self.peeks(b'(') { Some(self.matrix()?) } else { None };
        let shader = self.name()?;
        let projection = match primitive {
            Some(matrix) => Projection::Primitive { matrix },
            None if self.peeks(b'[') => self.valve()?,
            None => {
                let [s, t, rotate, across, down] = self.numbers("a texture's shift, turn or scale")?;
                Projection::Classic { shift: [s, t], rotate, scale: [across, down] }
            }
        };
        let contents = self.trailing_numbers();
        Ok(Face { points, shader, projection, contents, span: self.lexer.since(start) })
    }

    fn matrix(&mut self) -> Result<[[f64; 3]; 2], MapError> {
        self.bracket(b'(', "a texture's matrix")?;
        let rows = [self.bracketed(b'(', "a texture's matrix")?, self.bracketed(b'(', "a texture's matrix")?];
        self.bracket(b')', "a texture's matrix")?;
        Ok(rows)
    }

    fn valve(&mut self) -> Result<Projection, MapError> {
        let [a, b, c, s] = self.bracketed::<4>(b'[', "a texture's axis")?;
        let [d, e, f, t] = self.bracketed::<4>(b'[', "a texture's axis")?;
        let [_, across, down] = self.numbers("a texture's turn or scale")?;
        let axes = [dvec3(a, b, c), dvec3(d, e, f)];
        Ok(Projection::Valve { axes, shift: [s, t], scale: [across, down] })
    }

    /// Contents, surface flags and value; Quake III reads only the first. Whatever else stands on the line is passed over.
    fn trailing_numbers(&mut self) -> i32 {
        let mut contents = None;
        while let Some(Token { kind: TokenKind::Word(word), .. }) = self.lexer.peek_on_line() {
            self.lexer.next();
            let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
            // Some editors write the flags as unsigned numbers.
            contents.get_or_insert(number.unwrap_or(0.0) as i64 as i32);
        }
        contents.unwrap_or(0)
    }

    fn patch(&mut self, explicit: bool, number: usize, span: Span) -> Result<Patch, MapError> {
        self.bracket(b'{', "a patch's `{`")?;
        let shader = self.name()?;
        let at = self.bracket(b'(', "a patch's size")?;
        let [down, across] = self.numbers::<2>("a patch's size")?;
        let legal = |side: f64| (3.0..=MAX_PATCH_SIDE).contains(&side) && side % 2.0 == 1.0;
        if !legal(across) || !legal(down) {
            return Err(self.wrong(at, MapErrorKind::PatchSize { size: [across, down] }));
        }
        let subdivisions = if explicit {
            let [u, v] = self.numbers::<2>("a patch's subdivisions")?;
            Some([u as u32, v as u32])
        } else {
            None
        };
        self.numbers::<3>("a patch's flags")?;
        self.bracket(b')', "a patch's size")?;
        let size = [across as usize, down as usize];
        let points = self.control_points(size)?;
        self.bracket(b'}', "a patch's `}`")?;
        self.bracket(b'}', "a patch's `}`")?;
        Ok(Patch { shader, size, points, subdivisions, number, span })
    }

    fn control_points(&mut self, size: [usize; 2]) -> Result<Vec<ControlPoint>, MapError> {
        let mut points = Vec::new();
        self.bracket(b'(', "a patch's rows")?;
        for _ in 0..size[1] {
            self.bracket(b'(', "a patch's row")?;
            for _ in 0..size[0] {
                let [x, y, z, s, t] = self.bracketed::<5>(b'(', "a control point")?;
                points.push(ControlPoint { position: dvec3(x, y, z), texture: [s, t] });
            }
            self.bracket(b')', "a patch's row")?;
        }
        self.bracket(b')', "a patch's rows")?;
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: &str = "{\n\"classname\" \"worldspawn\"\n";
    const PLANE: &str = "( 0 0 0 ) ( 0 1 0 ) ( 1 1 0 )";

    fn read(body: &str) -> MapFile {
        let text = format!("{WORLD}{body}\n}}\n");
        parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"))
    }

    fn refused(text: &str) -> (usize, String) {
        let error = parse(text.as_bytes()).expect_err(text);
        (error.span.line, error.to_string())
    }

    #[test]
    fn all_kinds_of_face_stand_side_by_side() {
        let map = read(&format!(
            "{{\n{PLANE} base/wall 1 2 90 0.5 0.25 134217728 0 0\n{PLANE} base/wall [ 1 0 0 8 ] [ 0 -1 0 4 ] 0 0.5 2\n}}\n\
             {{ brushDef {{ {PLANE} ( ( 0.1 0 3 ) ( 0 0.2 4 ) ) base/floor 0 0 0 }} }}"
        ));
        let [first, second] = &map.entities[0].brushes[..] else { panic!("two brushes") };
        assert_eq!(first.faces[0].contents, 134_217_728);
        let classic = Projection::Classic { shift: [1.0, 2.0], rotate: 90.0, scale: [0.5, 0.25] };
        assert_eq!(first.faces[0].projection, classic);
        assert!(matches!(
            first.faces[1].projection,
            Projection::Valve { shift: [8.0, 4.0], scale: [0.5, 2.0], .. }
        ));
        assert_eq!(second.faces[0].shader, "base/floor");
        assert_eq!(
            second.faces[0].projection,
            Projection::Primitive { matrix: [[0.1, 0.0, 3.0], [0.0, 0.2, 4.0]] }
        );
        assert_eq!((first.faces[1].span.line, second.number), (5, 1));
    }

    #[test]
    fn brushes_and_patches_are_counted_together() {
        let row = "( ( 0 0 0 0 0 ) ( 1 0 0 0 0 ) ( 2 0 0 0 0 ) )";
        let map = read(&format!(
            "{{ {PLANE} a 0 0 0 1 1 }}\n{{ patchDef2 {{ b ( 3 3 0 0 0 ) ( {row} {row} {row} ) }} }}\n{{ {PLANE} a 0 0 0 1 1 }}\n\
             {{ patchDef3 {{ c ( 3 3 4 8 0 0 0 ) ( {row} {row} {row} ) }} }}"
        ));
        let world = &map.entities[0];
        assert_eq!(world.brushes.iter().map(|brush| brush.number).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(world.patches.iter().map(|patch| patch.number).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(world.patches[0].points.len(), 9);
        assert_eq!(world.patches[1].subdivisions, Some([4, 8]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |text: &str, line: usize, part: &str| {
            let (found, sentence) = refused(text);
            assert!(found == line && sentence.contains(part), "{found}: {sentence}");
        };
        check("", 1, "no entity");
        check("Version 2\n{", 1, "Doom 3");
        check("{ \"classname\" \"light\" }", 1, "`light`");
        check(
            &format!("{WORLD}{{\n( 0 0 x ) }} }}"),
            4,
            "entity 0, brush 0: a coordinate should be a number",
        );
        check(&format!("{WORLD}{{\n( 0 0 1e30 ) }} }}"), 4, "out of every map's bounds");
        check(&format!("{WORLD}{{ patchDef2 {{ a ( 4 3 0 0 0 ) "), 3, "a patch of 3 by 4");
        check(&format!("{WORLD}{{ terrainDef {{ }} }}"), 3, "`terrainDef`");
        check(WORLD, 3, "ends within an entity");
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        let map = read("\"message\" \"a\" \"MESSAGE\" \"b\"");
        assert_eq!(map.entities[0].value("message"), Some("b"));
    }
}
