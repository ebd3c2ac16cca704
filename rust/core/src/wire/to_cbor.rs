//! Converts a JSON message to Chrome's CBOR. Time and memory O(bytes), no recursion.

use crate::capture::json::{Cursor, unescape};
use crate::capture::token::{ARRAY, BREAK, DOUBLE, FALSE, HEADER, HEADER_BYTES, MAP, NULL, TRUE, major};
use crate::error::{ErrorKind, Result};

/// Write the CBOR of `bytes`, which must be one JSON object and nothing else.
///
/// As Chrome's own conversion has it: whole numbers that fit 32 bits are integers and all others doubles; text outside
/// ASCII goes as UTF-16. Lone surrogates become U+FFFD.
pub fn cbor(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(bytes, true);
    let mut out = Vec::with_capacity(2 * bytes.len());
    let mut stack: Vec<Level> = Vec::new();
    if cursor.peek() != b'{' {
        return cursor.fail(ErrorKind::Syntax);
    }
    value(&mut cursor, &mut out, &mut stack)?;
    while let Some(&Level { map, begun }) = stack.last() {
        if more(&mut cursor, map, out.len() == begun)? {
            if map {
                text(&mut cursor, &mut out)?;
                cursor.expect(b':')?;
            }
            value(&mut cursor, &mut out, &mut stack)?;
        } else {
            stack.pop();
            out.push(BREAK);
            let length = out.len() - begun + 1;
            let Ok(length) = u32::try_from(length) else { return cursor.fail(ErrorKind::TooLarge) };
            out[begun - 5..begun - 1].copy_from_slice(&length.to_be_bytes());
        }
    }
    if cursor.peek() != 0 || cursor.at < bytes.len() {
        return cursor.fail(ErrorKind::Syntax);
    }
    Ok(out)
}

/// A map or array that is being written; its first value begins at `begun`.
struct Level {
    map: bool,
    begun: usize,
}

/// Whether another value follows; passes the comma before it, or the bracket after the last.
fn more(cursor: &mut Cursor, map: bool, first: bool) -> Result<bool> {
    let closing = if map { b'}' } else { b']' };
    if first {
        return Ok(!cursor.take(closing));
    }
    cursor.more(closing)
}

fn value(cursor: &mut Cursor, out: &mut Vec<u8>, stack: &mut Vec<Level>) -> Result<()> {
    match cursor.peek() {
        opening @ (b'{' | b'[') => {
            cursor.at += 1;
            let map = opening == b'{';
            out.extend_from_slice(&HEADER);
            out.extend_from_slice(&[0; HEADER_BYTES - HEADER.len()]);
            out.push(if map { MAP } else { ARRAY });
            stack.push(Level { map, begun: out.len() });
            Ok(())
        }
        b'"' => text(cursor, out),
        b't' => literal(cursor, b"true", TRUE, out),
        b'f' => literal(cursor, b"false", FALSE, out),
        b'n' => literal(cursor, b"null", NULL, out),
        _ => number(cursor, out),
    }
}

fn literal(cursor: &mut Cursor, word: &[u8], token: u8, out: &mut Vec<u8>) -> Result<()> {
    if !cursor.bytes[cursor.at..].starts_with(word) {
        return cursor.fail(ErrorKind::Syntax);
    }
    cursor.at += word.len();
    out.push(token);
    Ok(())
}

fn number(cursor: &mut Cursor, out: &mut Vec<u8>) -> Result<()> {
    let start = cursor.at;
    let text = cursor.number()?;
    let Some(value) = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) else {
        cursor.at = start;
        return cursor.fail(ErrorKind::Number);
    };
    // The cast is exact for every number that has an equal among the integers.
    if value as i32 as f64 == value {
        let value = value as i32;
        let (major, magnitude) = if value < 0 { (major::NEGATIVE, !value) } else { (major::UNSIGNED, value) };
        push_head(major, magnitude as u32, out);
    } else {
        out.push(DOUBLE);
        out.extend_from_slice(&value.to_be_bytes());
    }
    Ok(())
}

fn text(cursor: &mut Cursor, out: &mut Vec<u8>) -> Result<()> {
    let span = cursor.string()?;
    let start = span.start as usize;
    let written = &cursor.bytes[start..start + span.len as usize];
    let mut unescaped = Vec::new();
    let text = if span.escaped {
        unescape(written, &mut unescaped);
        &unescaped
    } else {
        written
    };
    if text.is_ascii() {
        push_head(major::TEXT, text.len() as u32, out);
        out.extend_from_slice(text);
        return Ok(());
    }
    let Ok(text) = std::str::from_utf8(text) else {
        cursor.at = start;
        return cursor.fail(ErrorKind::Utf8);
    };
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    push_head(major::BYTES, units.len() as u32, out);
    out.extend_from_slice(&units);
    Ok(())
}

/// A first byte of this major type with its argument, in the fewest bytes.
fn push_head(major: u8, argument: u32, out: &mut Vec<u8>) {
    let kind = major << 5;
    match argument {
        0..=23 => out.push(kind | argument as u8),
        24..=0xff => out.extend_from_slice(&[kind | 24, argument as u8]),
        0x100..=0xffff => {
            out.push(kind | 25);
            out.extend_from_slice(&(argument as u16).to_be_bytes());
        }
        _ => {
            out.push(kind | 26);
            out.extend_from_slice(&argument.to_be_bytes());
        }
    }
}
