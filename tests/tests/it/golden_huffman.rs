//! Bits, text and Huffman codes against vectors recorded from ioquake3: `golden/huffman`.

use fogline_common::proto::limits::{BIG_INFO_STRING, MAX_MESSAGE_BYTES, MAX_STRING_CHARS};
use fogline_common::wire::adaptive::{self, Ending};
use fogline_common::wire::bits::{BitReader, BitWriter};
use fogline_common::wire::delta::hash_text;
use fogline_tests::golden::{csv, jsonl, unhex};
use serde_json::Value;

fn ints(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

/// `[value, width]` pairs.
fn ops(row: &Value) -> Vec<(i32, i32)> {
    row["ops"].as_array().unwrap().iter().map(|op| (int(&op[0]), int(&op[1]))).collect()
}

fn int(value: &Value) -> i32 {
    value.as_i64().unwrap() as i32
}

fn size(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn hex(row: &Value, key: &str) -> Vec<u8> {
    unhex(row[key].as_str().unwrap())
}

#[test]
fn golden_static_codes() {
    for row in csv("huffman/static_codes.csv").1 {
        let mut w = BitWriter::new();
        w.write_byte(row[0].parse().unwrap());
        assert_eq!(w.bit(), row[1].parse::<usize>().unwrap(), "{row:?}");
        let bits: String = (0..w.bit())
            .map(|bit| if w.bytes()[bit / 8] >> (bit % 8) & 1 == 0 { '0' } else { '1' })
            .collect();
        assert_eq!(bits, row[2], "{row:?}");
    }
}

#[test]
fn golden_bits_written_and_read() {
    for row in jsonl("huffman/bits.jsonl") {
        let id = &row["id"];
        let mut w = BitWriter::new();
        ops(&row).into_iter().for_each(|(value, width)| w.write_bits(value, width));
        assert_eq!((w.bit(), w.len()), (size(&row["bit"]), size(&row["cursize"])), "row {id}");
        assert_eq!(w.bytes(), hex(&row, "hex"), "row {id}");
        let mut r = BitReader::new(w.bytes());
        let read: Vec<i64> = ops(&row).iter().map(|&(_, width)| r.read_bits(width).into()).collect();
        assert_eq!(read, ints(&row["read"]), "row {id}");
        assert_eq!(r.touched(), size(&row["readcount"]), "row {id}");
    }
}

#[test]
fn golden_typed_writers() {
    for row in jsonl("huffman/typed.jsonl") {
        let id = &row["id"];
        let mut w = match int(&row["oob"]) {
            0 => BitWriter::new(),
            _ => BitWriter::out_of_band(MAX_MESSAGE_BYTES),
        };
        for op in row["ops"].as_array().unwrap() {
            let value = &op[1];
            let text = || unhex(value.as_str().unwrap());
            match op[0].as_str().unwrap() {
                "char" | "byte" => w.write_byte(int(value)),
                "short" => w.write_short(int(value)),
                "long" => w.write_long(int(value)),
                "float_bits" => w.write_float(f32::from_bits(int(value) as u32)),
                "angle16_floatbits" => w.write_angle16(f32::from_bits(int(value) as u32)),
                "string_hex" => w.write_text(&text(), MAX_STRING_CHARS),
                "bigstring_hex" => w.write_text(&text(), BIG_INFO_STRING),
                other => panic!("row {id}: unknown writer {other}"),
            }
        }
        assert_eq!((w.bit(), w.len()), (size(&row["bit"]), size(&row["cursize"])), "row {id}");
        assert_eq!(w.bytes(), hex(&row, "hex"), "row {id}");
    }
}

#[test]
fn golden_overflow() {
    for row in jsonl("huffman/overflow.jsonl") {
        let id = &row["id"];
        let mut w = BitWriter::with_limit(size(&row["maxsize"]));
        let (mut overflowed, mut sizes) = (Vec::new(), Vec::new());
        for (value, width) in ops(&row) {
            w.write_bits(value, width);
            overflowed.push(i64::from(w.overflowed()));
            sizes.push(w.len() as i64);
        }
        assert_eq!(overflowed, ints(&row["overflowed_after"]), "row {id}");
        assert_eq!(sizes, ints(&row["cursize_after"]), "row {id}");
    }
}

#[test]
fn golden_reading_garbage_and_beyond_the_end() {
    for row in jsonl("huffman/read_garbage.jsonl") {
        let id = &row["id"];
        let data = hex(&row, "hex");
        let mut r = BitReader::new(&data);
        let (mut read, mut touched) = (Vec::new(), Vec::new());
        for width in ints(&row["bits"]) {
            read.push(i64::from(r.read_bits(width as i32)));
            touched.push(r.touched() as i64);
        }
        assert_eq!(read, ints(&row["read"]), "row {id}");
        assert_eq!(touched, ints(&row["readcount_after"]), "row {id}");
    }
}

#[test]
fn golden_adaptive_both_ways() {
    for row in jsonl("huffman/adaptive.jsonl") {
        let id = &row["id"];
        let plain = hex(&row, "plain");
        // Where the reference cut its own output the row also has what it would have been.
        let whole = if row["roundtrip"] == true { "comp" } else { "comp_unlimited" };
        let expected = hex(&row, whole);
        assert_eq!(adaptive::compress(&plain), expected, "row {id}");
        let mut unpacked = Vec::new();
        assert_eq!(
            adaptive::decompress(&expected, plain.len(), &mut unpacked),
            Ok(Ending::Complete),
            "row {id}"
        );
        assert_eq!(unpacked, plain, "row {id}");
        if row["roundtrip"] == false {
            let cut = hex(&row, "comp");
            let sound = cut.len() - size(&row["undefined_tail_bytes"]);
            adaptive::decompress(&cut[..sound], plain.len(), &mut unpacked).unwrap();
            // Of the last byte that is sound and the zeros read beyond it, each bit may be a symbol gone wrong.
            let surely = unpacked.len().saturating_sub(18);
            assert_eq!(unpacked[..surely], plain[..surely], "row {id}");
        }
    }
}

#[test]
fn golden_adaptive_garbage() {
    for row in jsonl("huffman/adaptive_garbage.jsonl") {
        let id = &row["id"];
        let packed = hex(&row, "comp");
        let expected = hex(&row, "out_defined");
        let mut plain = Vec::new();
        // The reference takes an announced length beyond its buffer as the buffer's; a lone byte as a length with a zero.
        let Ok(ending) = adaptive::decompress(&packed, size(&row["maxsize"]), &mut plain) else {
            assert!(packed.len() < 2 || size(&row["out_len"]) == size(&row["maxsize"]), "row {id}");
            continue;
        };
        if ending == Ending::Complete {
            assert_eq!(plain, expected, "row {id}");
        }
        let common = plain.len().min(expected.len());
        assert_eq!(plain[..common], expected[..common], "row {id}");
        assert!(plain.len() + 1 >= expected.len(), "row {id}: {} of {} bytes", plain.len(), expected.len());
    }
}

#[test]
fn golden_hash_of_text() {
    for row in jsonl("huffman/hashkey.jsonl") {
        let hash = hash_text(&hex(&row, "hex"), size(&row["maxlen"]));
        assert_eq!(hash, int(&row["hash"]), "row {}", row["id"]);
    }
}
