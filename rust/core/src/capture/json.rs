//! A cursor over JSON bytes that offers what the snapshot parser needs and builds no values.
//!
//! Whitespace is accepted everywhere but only looked for after the expected byte was not found: Chrome sends none.
//! Nothing here recurses, so depth costs nothing.

use memchr::{memchr2, memchr3};

use crate::error::{ErrorKind, Result, SnapshotError};

/// A string as it stands in the bytes: `start..start + len` without its quotes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub len: u32,
    pub escaped: bool,
}

pub struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    /// The field being read; only used in errors.
    pub field: &'static str,
    /// Whether values nobody wants are walked token by token instead of being jumped over.
    pub careful: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], careful: bool) -> Self {
        Self { bytes, at: 0, field: "message", careful }
    }

    #[cold]
    pub fn fail<T>(&self, kind: ErrorKind) -> Result<T> {
        let kind = if self.at >= self.bytes.len() && kind == ErrorKind::Syntax { ErrorKind::Truncated } else { kind };
        Err(SnapshotError::new(kind, self.at.min(self.bytes.len()), self.field))
    }

    #[inline(always)]
    fn here(&self) -> u8 {
        // 0 does not begin a JSON token, so the end of the bytes needs no case of its own.
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub fn peek(&mut self) -> u8 {
        let byte = self.here();
        if byte > b' ' {
            return byte;
        }
        self.skip_space()
    }

    #[cold]
    fn skip_space(&mut self) -> u8 {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        self.here()
    }

    #[inline(always)]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek() != byte {
            return self.fail(ErrorKind::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// Take `byte` if it is next.
    #[inline(always)]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// After one element: `true` if another follows, `false` after the closing byte.
    #[inline(always)]
    pub fn more(&mut self, close: u8) -> Result<bool> {
        match self.peek() {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => self.fail(ErrorKind::Syntax),
        }
    }

    /// A string with its opening quote next.
    pub fn string(&mut self) -> Result<Span> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            match memchr2(b'"', b'\\', &self.bytes[self.at..]) {
                None => {
                    self.at = self.bytes.len();
                    return self.fail(ErrorKind::Truncated);
                }
                Some(offset) => self.at += offset,
            }
            if self.bytes[self.at] == b'"' {
                break;
            }
            escaped = true;
            self.at = (self.at + 2).min(self.bytes.len());
        }
        let span = Span { start: start as u32, len: (self.at - start) as u32, escaped };
        self.at += 1;
        Ok(span)
    }

    /// A key and its colon. Keys with escapes come back as written: no key that we look for has one.
    #[inline]
    pub fn key(&mut self) -> Result<&'a [u8]> {
        let span = self.string()?;
        self.expect(b':')?;
        let start = span.start as usize;
        Ok(&self.bytes[start..start + span.len as usize])
    }

    /// An integer between -1 and `i32::MAX`: all that index columns hold.
    #[inline(always)]
    pub fn int(&mut self) -> Result<i32> {
        if let Some(word) = self.bytes.get(self.at..self.at + 8) {
            let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
            let (value, digits, stop) = short_number(word);
            // Nothing but these two can follow an index; anything else is looked at closely.
            if digits > 0 && matches!(stop, b',' | b']') {
                self.at += digits;
                return Ok(value as i32);
            }
        }
        self.long_int()
    }

    /// Numbers of up to seven digits and -1, each with its comma, as far as they go; true if the bracket after them was
    /// passed.
    ///
    /// This loop is most of the parser: it keeps its place in a register, and everything unusual is left to `int`.
    #[inline(always)]
    pub fn short_ints(&mut self, mut each: impl FnMut(u32)) -> bool {
        let bytes = self.bytes;
        let mut at = self.at;
        let mut closed = false;
        while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*word);
            let (value, digits, stop) = short_number(word);
            if digits > 0 && stop == b',' {
                each(value);
                at += digits + 1;
            } else if word & 0xff_ffff == MINUS_ONE {
                each(u32::MAX);
                at += 3;
            } else if digits > 0 && stop == b']' {
                each(value);
                at += digits + 1;
                closed = true;
                break;
            } else {
                break;
            }
        }
        self.at = at;
        closed
    }

    #[cold]
    fn long_int(&mut self) -> Result<i32> {
        let first = self.peek().wrapping_sub(b'0');
        if first > 9 {
            return self.minus_one();
        }
        self.at += 1;
        let mut value = u64::from(first);
        let start = self.at;
        loop {
            let digit = self.here().wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10) + u64::from(digit);
            self.at += 1;
        }
        if self.at - start > 9 || value > i32::MAX as u64 || matches!(self.here(), b'.' | b'e' | b'E') {
            return self.fail(ErrorKind::Number);
        }
        Ok(value as i32)
    }

    fn minus_one(&mut self) -> Result<i32> {
        if self.here() != b'-' {
            return self.fail(ErrorKind::Syntax);
        }
        let one = self.bytes.get(self.at + 1) == Some(&b'1');
        let longer = matches!(self.bytes.get(self.at + 2), Some(b'0'..=b'9' | b'.' | b'e' | b'E'));
        if !one || longer {
            return self.fail(ErrorKind::Number);
        }
        self.at += 2;
        Ok(-1)
    }

    /// A number of any kind, as bytes.
    pub fn number(&mut self) -> Result<&'a [u8]> {
        self.peek();
        let start = self.at;
        while matches!(self.here(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.at += 1;
        }
        if start == self.at {
            return self.fail(ErrorKind::Syntax);
        }
        Ok(&self.bytes[start..self.at])
    }

    /// Skip one value of any kind.
    pub fn skip(&mut self) -> Result<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'[' if !self.careful && self.jump() => Ok(()),
            b'[' | b'{' => self.skip_nested(),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.number().map(drop),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<()> {
        if !self.bytes[self.at..].starts_with(word) {
            return self.fail(ErrorKind::Syntax);
        }
        self.at += word.len();
        Ok(())
    }

    /// Leave an array of (arrays of) numbers by way of the next key, if it looks as if that can be done.
    ///
    /// Inside `documents` every text is an index into `strings`, so the next quote opens a key. That
    /// halves the time of the whole parser. A wrong guess ends in an error, and the parser starts again carefully.
    fn jump(&mut self) -> bool {
        let Some(offset) = memchr2(b'"', b'}', &self.bytes[self.at..]) else { return false };
        let mut end = self.at + offset;
        let mut comma = self.bytes[end] == b'}';
        while end > self.at {
            match self.bytes[end - 1] {
                b']' if comma => {
                    self.at = end;
                    return true;
                }
                b',' if !comma => comma = true,
                b' ' | b'\n' | b'\r' | b'\t' => {}
                _ => return false,
            }
            end -= 1;
        }
        false
    }

    /// Skip an array or object by counting its brackets; which kind closes which is not checked.
    fn skip_nested(&mut self) -> Result<()> {
        // Hasty skipping does not look at brackets, so it only finds the end of objects.
        let careful = self.careful || self.bytes[self.at] == b'[';
        let mut depth = 0usize;
        loop {
            let rest = &self.bytes[self.at..];
            let next = if careful { careful_stop(rest) } else { memchr3(b'"', b'{', b'}', rest) };
            let Some(offset) = next else {
                self.at = self.bytes.len();
                return self.fail(ErrorKind::Truncated);
            };
            self.at += offset;
            match self.bytes[self.at] {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                // The first byte opens, and the loop ends when the depth is back at nought.
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// `-1,` as the low bytes of a word.
const MINUS_ONE: u64 = u64::from_le_bytes(*b"-1,\0\0\0\0\0");

/// The number of up to seven digits that `word` (little endian) begins with, how many digits it has, and the byte after
/// them. All digits are recognised and added up at once, as in simdjson.
#[inline(always)]
fn short_number(word: u64) -> (u32, usize, u8) {
    let digits = word ^ 0x3030_3030_3030_3030;
    // The high bit of each byte that is not a digit, up to the first such byte: carries may spoil those beyond it. The
    // eighth byte always counts: if it is a digit after all, it cannot follow a number.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 | 1 << 63;
    let bits = others.trailing_zeros() & 0x38;
    let stop = (word >> bits) as u8;
    // Without digits the shift does nothing, and nobody looks at the value.
    let aligned = digits.wrapping_shl(64 - bits);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    ((low.wrapping_add(high) >> 32) as u32, bits as usize / 8, stop)
}

fn careful_stop(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}'))
}

/// Undo JSON escapes. Lone surrogates, which pages do produce, become U+FFFD; an unknown escape stands for its letter.
pub fn unescape(source: &[u8], target: &mut Vec<u8>) {
    let mut at = 0;
    while at < source.len() {
        let next = memchr::memchr(b'\\', &source[at..]).map_or(source.len(), |offset| at + offset);
        target.extend_from_slice(&source[at..next]);
        if next + 1 >= source.len() {
            return;
        }
        at = next + 2;
        match source[next + 1] {
            b'n' => target.push(b'\n'),
            b't' => target.push(b'\t'),
            b'r' => target.push(b'\r'),
            b'b' => target.push(8),
            b'f' => target.push(12),
            b'u' => at = next + unescape_unicode(&source[next..], target),
            other => target.push(other),
        }
    }
}

/// `\uXXXX` or a pair of them at the start of `source`; returns how many bytes were used.
fn unescape_unicode(source: &[u8], target: &mut Vec<u8>) -> usize {
    let mut push = |character: char| {
        target.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    };
    let Some(first) = hex4(source, 2) else {
        push(char::REPLACEMENT_CHARACTER);
        return source.len().min(6);
    };
    if (0xD800..0xDC00).contains(&first)
        && source.get(6..8) == Some(b"\\u")
        && let Some(second @ 0xDC00..=0xDFFF) = hex4(source, 8)
    {
        let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
        return 12;
    }
    push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    6
}

fn hex4(source: &[u8], at: usize) -> Option<u32> {
    let digits = source.get(at..at + 4)?;
    digits.iter().try_fold(0u32, |value, &digit| Some(value * 16 + (digit as char).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        for number in
            [0i64, 7, 10, 99, 123, 4567, 89_012, 345_678, 9_012_345, 67_890_123, 456_789_012, 2_147_483_647, -1]
        {
            for tail in [",1]", "]", "] ,", "]xxxxxxxxxx"] {
                let text = format!("{number}{tail}");
                let mut cursor = Cursor::new(text.as_bytes(), true);
                assert_eq!(cursor.int().map(i64::from), Ok(number), "{text}");
                assert_eq!(&text[cursor.at..], tail);
            }
        }
        for text in ["2147483648,", "99999999999,", "1.5,", "1e3,", "-2,", "-10,", "x", "", "-"] {
            assert!(Cursor::new(text.as_bytes(), true).int().is_err(), "{text}");
        }
    }

    #[test]
    fn skipping_finds_the_end_either_way() {
        for value in [
            "[[1,2.5],[3]]",
            "[]",
            "{}",
            "{\"a\":[1],\"b\":{}}",
            "-1.5e3",
            "null",
            "\"a\\\"}\"",
            "[\"]\"]",
            "[[1],\"a\"]",
        ] {
            for careful in [true, false] {
                let text = format!("{value},\"next\":1}}");
                let mut cursor = Cursor::new(text.as_bytes(), careful);
                if cursor.skip().is_ok() && (careful || value != "[[1],\"a\"]") {
                    assert_eq!(cursor.at, value.len(), "{value} {careful}");
                }
            }
        }
    }
}
