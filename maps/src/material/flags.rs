//! What a `surfaceparm` does. Source: the Quake III game's table, as facts/map-tools.md section 4 and q3map2's behaviour have it.

use fogline_common::proto::{contents, surface};

/// What the compiler itself does with a material. A set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compile(u32);

impl Compile {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Fills its brush: nothing passes and, unless it is translucent, nothing is seen through it.
    pub const SOLID: Self = Self(1);
    /// May be seen through.
    pub const TRANSLUCENT: Self = Self(1 << 1);
    /// No part of the tree.
    pub const DETAIL: Self = Self(1 << 2);
    /// Part of the tree although it is translucent.
    pub const STRUCTURAL: Self = Self(1 << 3);
    /// Splits the tree, early.
    pub const HINT: Self = Self(1 << 4);
    /// A face that does not split the tree.
    pub const SKIP: Self = Self(1 << 5);
    /// Not drawn.
    pub const NODRAW: Self = Self(1 << 6);
    /// Parts two areas.
    pub const AREAPORTAL: Self = Self(1 << 7);
    /// Nothing is seen through portals on it.
    pub const ANTIPORTAL: Self = Self(1 << 8);
    /// Its brush marks where an entity turns.
    pub const ORIGIN: Self = Self(1 << 9);
    /// Sky.
    pub const SKY: Self = Self(1 << 10);
    /// Water and the like.
    pub const LIQUID: Self = Self(1 << 11);
    /// Fog.
    pub const FOG: Self = Self(1 << 12);
    /// Its brush is where models are lit.
    pub const LIGHTGRID: Self = Self(1 << 13);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without the bits of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Contents, surface flags and what the compiler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// See [`contents`].
    pub contents: i32,
    /// See [`surface`].
    pub surface: i32,
    /// See [`Compile`].
    pub compile: Compile,
}

impl Flags {
    /// A plain wall.
    pub const WALL: Self = Self { contents: contents::SOLID, surface: 0, compile: Compile::SOLID };

    /// What a list of `surfaceparm` words makes of a plain wall. Unknown words change nothing.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        words.into_iter().fold(Self::WALL, Self::and)
    }

    /// With one more `surfaceparm`.
    #[must_use]
    pub fn and(self, word: &str) -> Self {
        let Some(parm) = PARMS.iter().find(|parm| parm.word.eq_ignore_ascii_case(word)) else { return self };
        let mut compile = self.compile.with(parm.compile);
        let mut contents = self.contents | parm.contents;
        if parm.passable {
            compile = compile.without(Compile::SOLID);
            contents &= !contents::SOLID;
        }
        Self { contents, surface: self.surface | parm.surface, compile }
    }
}

struct Parm {
    word: &'static str,
    contents: i32,
    surface: i32,
    compile: Compile,
    /// Takes away that the brush is solid.
    passable: bool,
}

const fn parm(word: &'static str, contents: i32, surface: i32, compile: Compile, passable: bool) -> Parm {
    Parm { word, contents, surface, compile, passable }
}

const SEE_THROUGH: Compile = Compile::TRANSLUCENT;
const LIQUID: Compile = Compile::LIQUID.with(SEE_THROUGH);
const CLIP: Compile = Compile::DETAIL.with(SEE_THROUGH);

const PARMS: [Parm; 39] = [
    parm("lightgrid", 0, 0, Compile::LIGHTGRID, false),
    parm("antiportal", 0, 0, Compile::ANTIPORTAL, false),
    parm("skip", 0, surface::SKIP, Compile::SKIP, false),
    parm("origin", contents::ORIGIN, 0, Compile::ORIGIN.with(SEE_THROUGH), true),
    parm("areaportal", contents::AREAPORTAL, 0, Compile::AREAPORTAL.with(SEE_THROUGH), true),
    parm("trans", contents::TRANSLUCENT, 0, SEE_THROUGH, false),
    parm("detail", contents::DETAIL, 0, Compile::DETAIL, false),
    parm("structural", contents::STRUCTURAL, 0, Compile::STRUCTURAL, false),
    parm("hint", 0, surface::HINT, Compile::HINT, false),
    parm("nodraw", 0, surface::NODRAW, Compile::NODRAW, false),
    parm("alphashadow", 0, surface::ALPHASHADOW, SEE_THROUGH, false),
    parm("lightfilter", 0, surface::LIGHTFILTER, SEE_THROUGH, false),
    parm("nolightmap", 0, surface::NOLIGHTMAP, Compile::NONE, false),
    parm("pointlight", 0, surface::POINTLIGHT, Compile::NONE, false),
    parm("fog", contents::FOG, 0, Compile::FOG, true),
    parm("sky", 0, surface::SKY, Compile::SKY, false),
    parm("lava", contents::LAVA, 0, LIQUID, true),
    parm("slime", contents::SLIME, 0, LIQUID, true),
    parm("water", contents::WATER, 0, LIQUID, true),
    parm("nonsolid", 0, surface::NONSOLID, Compile::NONE, true),
    parm("playerclip", contents::PLAYERCLIP, 0, CLIP, true),
    parm("monsterclip", contents::MONSTERCLIP, 0, CLIP, true),
    parm("clipmissile", 0, 0, CLIP, true),
    parm("nodrop", contents::NODROP, 0, SEE_THROUGH, true),
    parm("clusterportal", contents::CLUSTERPORTAL, 0, SEE_THROUGH, true),
    parm("donotenter", contents::DONOTENTER, 0, SEE_THROUGH, true),
    parm("botclip", contents::BOTCLIP, 0, SEE_THROUGH, true),
    parm("nobotclip", contents::NOBOTCLIP, 0, SEE_THROUGH, true),
    parm("ladder", 0, surface::LADDER, Compile::NONE, false),
    parm("slick", 0, surface::SLICK, Compile::NONE, false),
    parm("noimpact", 0, surface::NOIMPACT, Compile::NONE, false),
    parm("nomarks", 0, surface::NOMARKS, Compile::NONE, false),
    parm("flesh", 0, surface::FLESH, Compile::NONE, false),
    parm("metalsteps", 0, surface::METALSTEPS, Compile::NONE, false),
    parm("nosteps", 0, surface::NOSTEPS, Compile::NONE, false),
    parm("nodamage", 0, surface::NODAMAGE, Compile::NONE, false),
    parm("dust", 0, surface::DUST, Compile::NONE, false),
    parm("nodlight", 0, surface::NODLIGHT, Compile::NONE, false),
    parm("trigger", contents::TRIGGER, 0, SEE_THROUGH, true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_add_up_whatever_their_order() {
        let a = Flags::of_words(["water", "nomarks", "trans"]);
        assert_eq!(a, Flags::of_words(["trans", "NoMarks", "unheard_of", "water"]));
        assert_eq!(a.contents, contents::WATER | contents::TRANSLUCENT);
        assert!(!a.compile.has(Compile::SOLID) && a.compile.has(Compile::LIQUID));
        assert_eq!(Flags::of_words([]), Flags::WALL);
    }

    #[test]
    fn every_word_stands_once() {
        for (index, parm) in PARMS.iter().enumerate() {
            assert!(PARMS[..index].iter().all(|other| other.word != parm.word), "{}", parm.word);
        }
    }
}
