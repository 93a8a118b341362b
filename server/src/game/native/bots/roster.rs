//! Who the bots are: names and models that every OpenArena client has.

/// A bot by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Character {
    /// Its name.
    pub(super) name: &'static str,
    /// Its model, with the skin after a slash if it is not the usual.
    pub(super) model: &'static str,
}

const fn character(name: &'static str, model: &'static str) -> Character {
    Character { name, model }
}

/// Names and models as OpenArena 0.8.8 pairs them in `scripts/bots.txt`.
pub(super) const ROSTER: [Character; 33] = [
    character("Angelyss", "angelyss"),
    character("Dark", "angelyss/dark"),
    character("Murielle", "angelyss/retro"),
    character("Nekoyss", "angelyss/neko"),
    character("Tanisha", "angelyss/tanisha"),
    character("Rai", "angelyss/rai"),
    character("Arachna", "arachna"),
    character("Assassin", "assassin"),
    character("Ghost", "assassin/ghost"),
    character("Ayumi", "ayumi"),
    character("Jenna", "ayumi/blue"),
    character("Beret", "beret"),
    character("Headcrash", "beret/headcrash"),
    character("Morgan", "beret/macho"),
    character("Gargoyle", "gargoyle"),
    character("Broadklin", "gargoyle/stone"),
    character("Cyber-Garg", "gargoyle/tech"),
    character("Kyonshi", "kyonshi"),
    character("Liz", "liz"),
    character("Major", "major"),
    character("Merman", "merman"),
    character("Neko", "neko"),
    character("Penguin", "penguin"),
    character("Sarge", "sarge"),
    character("Andriy", "sarge/indigo"),
    character("Grism", "sarge/classic"),
    character("Sergei", "sergei"),
    character("Skelebot", "skelebot"),
    character("Metalbot", "skelebot/metal"),
    character("Grunt", "smarine"),
    character("S_Marine", "smarine/orange"),
    character("Sorceress", "sorceress/blue"),
    character("Tony", "tony"),
];

/// The character of a name, compared without case.
pub(super) fn named(name: &str) -> Option<&'static Character> {
    ROSTER.iter().find(|character| character.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_found() {
        for character in &ROSTER {
            assert_eq!(named(&character.name.to_uppercase()), Some(character));
        }
        assert_eq!(named("Nobody"), None);
    }
}
