//! Numbers as C's `atoi` and `atof` read them, since maps and userinfos are written for those: leading blanks are skipped,
//! the longest numeric prefix counts, anything else is 0.

/// The integer at the beginning of `text`, 0 if there is none; saturates.
pub(super) fn leading_int(text: &str) -> i32 {
    let text = text.trim_start();
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        _ => (1, text),
    };
    let value = digits
        .bytes()
        .map_while(|c| char::from(c).to_digit(10))
        .fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit)).min(i64::from(i32::MAX)));
    (value * sign) as i32
}

/// The decimal number at the beginning of `text`, 0 if there is none. Never infinite, never NaN.
pub(super) fn leading_float(text: &str) -> f32 {
    let text = text.trim_start();
    let mut end = 0;
    let mut seen_point = false;
    let mut seen_exponent = false;
    let bytes = text.as_bytes();
    while let Some(&c) = bytes.get(end) {
        let after_exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
        match c {
            b'0'..=b'9' => {}
            b'+' | b'-' if end == 0 || after_exponent => {}
            b'.' if !seen_point && !seen_exponent => seen_point = true,
            b'e' | b'E' if end > 0 && !seen_exponent => seen_exponent = true,
            _ => break,
        }
        end += 1;
    }
    // A prefix such as "1e" or "1e+" is a number followed by a word: shorten until it reads.
    let value = (1..=end).rev().find_map(|n| text[..n].parse::<f32>().ok());
    value.filter(|v| v.is_finite()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        for (text, int, float) in [
            ("", 0, 0.0),
            ("12", 12, 12.0),
            ("  -7.5 8", -7, -7.5),
            ("+3abc", 3, 3.0),
            ("1e2", 1, 100.0),
            ("1e", 1, 1.0),
            (".5", 0, 0.5),
            ("-", 0, 0.0),
            ("x", 0, 0.0),
            ("99999999999", i32::MAX, 99_999_999_999.0),
            ("1e99", 1, 0.0),
            ("nan", 0, 0.0),
            ("inf", 0, 0.0),
            ("é", 0, 0.0),
        ] {
            assert_eq!(leading_int(text), int, "{text:?} as an integer");
            assert_eq!(leading_float(text), float, "{text:?} as a float");
        }
    }
}
