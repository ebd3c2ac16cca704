//! Converts a message in Chrome's CBOR to the JSON that Chrome would have sent. Time and memory O(bytes), no recursion.

use crate::capture::token::{BREAK, Token, Tokens, push_wide};
use crate::error::{ErrorKind, Result};

/// Levels of maps and arrays that a message may have: as many as Chrome itself turns into JSON (`kStackLimit` in crdtp).
pub const MAX_DEPTH: usize = 300;

/// What stands in the JSON instead of a member that was too deep. A browser that speaks JSON gives this error for an
/// answer (and ends the page for an event).
const TOO_DEEP: &[u8] =
    br#""error":{"code":-32000,"message":"CBOR: stack limit exceeded: the answer is nested more than 300 levels deep"}"#;

/// Write the JSON of `bytes`, which must be one message and nothing else.
///
/// Text that is not Unicode (lone surrogates) becomes U+FFFD, binary becomes base64, numbers that JSON does not have become
/// null: strict readers take all of it. A member of the message that is too deep is left out, and `error` says so.
pub fn json(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = Writer {
        tokens: Tokens::new(bytes),
        out: Vec::with_capacity(bytes.len()),
        stack: Vec::new(),
        member: (0, None),
    };
    writer.open()?;
    while !writer.stack.is_empty() {
        writer.step()?;
    }
    if writer.tokens.at < bytes.len() {
        return writer.tokens.fail(ErrorKind::Syntax);
    }
    Ok(writer.out)
}

/// A map or array that is being written.
#[derive(Clone, Copy)]
struct Level {
    map: bool,
    /// Where the envelope ends.
    end: usize,
    empty: bool,
}

struct Writer<'a> {
    tokens: Tokens<'a>,
    out: Vec<u8>,
    stack: Vec<Level>,
    /// Where the member of the message that is being written began in `out`, and where the envelope of its value ends.
    member: (usize, Option<usize>),
}

impl Writer<'_> {
    /// The next value of the innermost map or array (with its key), or the end of it.
    fn step(&mut self) -> Result<()> {
        let depth = self.stack.len();
        let Some(level) = self.stack.last_mut() else { return Ok(()) };
        let Level { map, end, empty } = *level;
        if self.tokens.peek() == Some(BREAK) {
            return self.close(map, end);
        }
        level.empty = false;
        if depth == 1 {
            self.member = (self.out.len(), None);
        }
        if !empty {
            self.out.push(b',');
        }
        if map {
            self.key()?;
        }
        self.value()
    }

    fn key(&mut self) -> Result<()> {
        let start = self.tokens.at;
        match self.tokens.take()? {
            Token::Text(text) => push_text(text, &mut self.out),
            Token::Wide(units) => push_units(units, &mut self.out),
            _ => return self.wrong(start),
        }
        self.out.push(b':');
        Ok(())
    }

    fn value(&mut self) -> Result<()> {
        let start = self.tokens.at;
        match self.tokens.take()? {
            Token::Null => self.out.extend_from_slice(b"null"),
            Token::Bool(value) => self.out.extend_from_slice(if value { b"true" } else { b"false" }),
            Token::Int(value) => push_int(value, &mut self.out),
            Token::Double(value) => push_double(value, &mut self.out),
            Token::Text(text) => push_text(text, &mut self.out),
            Token::Wide(units) => push_units(units, &mut self.out),
            Token::Binary(bytes) => push_base64(bytes, &mut self.out),
            Token::Envelope(_) => {
                self.tokens.at = start;
                return self.open();
            }
            Token::Map | Token::Array | Token::Break => return self.wrong(start),
        }
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        let start = self.tokens.at;
        let Token::Envelope(end) = self.tokens.take()? else { return self.wrong(start) };
        if self.stack.len() == 1 {
            self.member.1 = Some(end);
        }
        if self.stack.len() >= MAX_DEPTH {
            return self.leave_out();
        }
        let start = self.tokens.at;
        let map = match self.tokens.take()? {
            Token::Map => true,
            Token::Array if !self.stack.is_empty() => false,
            _ => return self.wrong(start),
        };
        self.out.push(if map { b'{' } else { b'[' });
        self.stack.push(Level { map, end, empty: true });
        Ok(())
    }

    fn close(&mut self, map: bool, end: usize) -> Result<()> {
        self.tokens.at += 1;
        if self.tokens.at != end {
            return self.tokens.fail(ErrorKind::Nesting);
        }
        self.out.push(if map { b'}' } else { b']' });
        self.stack.pop();
        Ok(())
    }

    /// Put an error in place of the member of the message that is being written.
    fn leave_out(&mut self) -> Result<()> {
        let (begun, Some(end)) = self.member else { return self.tokens.fail(ErrorKind::Nesting) };
        self.out.truncate(begun);
        if begun > 1 {
            self.out.push(b',');
        }
        self.out.extend_from_slice(TOO_DEEP);
        self.stack.truncate(1);
        self.tokens.at = end;
        Ok(())
    }

    #[cold]
    fn wrong<T>(&mut self, start: usize) -> Result<T> {
        self.tokens.at = start;
        self.tokens.fail(ErrorKind::Syntax)
    }
}

fn push_int(value: i32, out: &mut Vec<u8>) {
    let mut digits = [0u8; 11];
    let mut at = digits.len();
    let mut left = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    out.extend_from_slice(&digits[at..]);
}

/// The shortest text that reads back as `value`.
fn push_double(value: f64, out: &mut Vec<u8>) {
    use std::io::Write;
    let written = if !value.is_finite() {
        out.write_all(b"null")
    } else if value == 0.0 || (1e-7..1e21).contains(&value.abs()) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    };
    debug_assert!(written.is_ok(), "a vector takes everything");
}

fn push_units(units: &[u8], out: &mut Vec<u8>) {
    let mut text = Vec::with_capacity(units.len());
    push_wide(units, &mut text);
    push_text(&text, out);
}

fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    match std::str::from_utf8(text) {
        Ok(_) => push_escaped(text, out),
        Err(_) => push_escaped(String::from_utf8_lossy(text).as_bytes(), out),
    }
    out.push(b'"');
}

fn push_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&text[start..at]);
        start = at + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&digits);
            }
        }
    }
    out.extend_from_slice(&text[start..]);
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32, at: u32| LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
    out.push(b'"');
    let (triples, rest) = bytes.as_chunks::<3>();
    for &[a, b, c] in triples {
        let bits = u32::from_be_bytes([0, a, b, c]);
        out.extend_from_slice(&[letter(bits, 0), letter(bits, 1), letter(bits, 2), letter(bits, 3)]);
    }
    match *rest {
        [a] => {
            let bits = u32::from_be_bytes([0, a, 0, 0]);
            out.extend_from_slice(&[letter(bits, 0), letter(bits, 1), b'=', b'=']);
        }
        [a, b] => {
            let bits = u32::from_be_bytes([0, a, b, 0]);
            out.extend_from_slice(&[letter(bits, 0), letter(bits, 1), letter(bits, 2), b'=']);
        }
        _ => {}
    }
    out.push(b'"');
}
