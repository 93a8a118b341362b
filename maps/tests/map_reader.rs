//! The reader of map sources under damage: it answers with a map or a sentence, whatever the bytes are.

use fogline_maps::map_file::MapFile;
use proptest::prelude::*;

/// Words of the grammar, and what stands where they should not.
fn word() -> impl Strategy<Value = String> {
    let fixed = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"classname\" \"worldspawn\"",
        "\"",
        "brushDef",
        "patchDef2",
        "patchDef3",
        "terrainDef",
        "( 0 0 0 ) ( 0 64 0 ) ( 64 64 0 )",
        "base/wall",
        "( ( 1 0 0 ) ( 0 1 0 ) )",
        "[ 1 0 0 8 ]",
        "( 3 3 0 0 0 )",
        "0 0 0 1 1",
        "//",
        "/*",
        "*/",
        "\n",
        "nan",
        "1e308",
        "-inf",
        "9999999999999",
        "\u{0}",
    ];
    prop_oneof![
        8 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        1 => "[ -~]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_in_any_order_give_a_map_or_a_sentence(words in proptest::collection::vec(word(), 0..80)) {
        let text = format!("{{ \"classname\" \"worldspawn\" {}", words.join(" "));
        if let Err(wrong) = MapFile::parse(text.as_bytes()) {
            prop_assert!(!wrong.to_string().is_empty());
            prop_assert!(wrong.span.start <= text.len() && wrong.span.line >= 1);
        }
    }

    #[test]
    fn any_bytes_give_a_map_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = MapFile::parse(&bytes);
    }
}
