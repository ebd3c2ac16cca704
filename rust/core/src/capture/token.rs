//! The tokens of Chrome's CBOR, a small part of RFC 8949 with rules of its own (Chromium's `crdtp/cbor.cc`).
//!
//! Maps and arrays are of indefinite length, and each stands in an envelope: tag 24, and a byte string with its length
//! in 32 bits. So a reader can skip a value without reading it. Text is UTF-8 or, when it is not all ASCII,
//! mostly UTF-16 in a byte string; tag 22 marks byte strings that are bytes. Integers fit 32 bits.

use crate::error::{ErrorKind, Result, SnapshotError};

/// The first byte of every envelope, and so of every message: what tells this encoding from JSON.
pub const ENVELOPE: u8 = 0xd8;
pub const MAP: u8 = 0xbf;
pub const ARRAY: u8 = 0x9f;
pub const BREAK: u8 = 0xff;
pub const TRUE: u8 = 0xf5;
pub const FALSE: u8 = 0xf4;
pub const NULL: u8 = 0xf6;
pub const DOUBLE: u8 = 0xfb;
pub const TAG_BINARY: u8 = 0xd6;
/// What an envelope begins with; its length follows in four bytes, the highest first.
pub const HEADER: [u8; 3] = [ENVELOPE, 0x18, 0x5a];
/// Bytes of an envelope before its content.
pub const HEADER_BYTES: usize = 7;

/// The major types of a first byte.
pub mod major {
    pub const UNSIGNED: u8 = 0;
    pub const NEGATIVE: u8 = 1;
    pub const BYTES: u8 = 2;
    pub const TEXT: u8 = 3;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    Null,
    Bool(bool),
    Int(i32),
    Double(f64),
    /// Meant to be UTF-8; not checked.
    Text(&'a [u8]),
    /// UTF-16, the low byte first; of even length, else not checked.
    Wide(&'a [u8]),
    Binary(&'a [u8]),
    /// The header of an envelope; its content ends here, within the bytes.
    Envelope(usize),
    Map,
    Array,
    Break,
}

/// A place in such bytes.
pub struct Tokens<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    /// The field being read; only used in errors.
    pub field: &'static str,
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, field: "message" }
    }

    #[cold]
    pub fn fail<T>(&self, kind: ErrorKind) -> Result<T> {
        let kind = if self.at >= self.bytes.len() && kind == ErrorKind::Syntax { ErrorKind::Truncated } else { kind };
        Err(SnapshotError::new(kind, self.at.min(self.bytes.len()), self.field))
    }

    #[inline(always)]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Take the next token; after an error the place is where that token begins.
    pub fn take(&mut self) -> Result<Token<'a>> {
        let start = self.at;
        let token = self.read();
        if token.is_err() {
            self.at = start;
        }
        token
    }

    fn read(&mut self) -> Result<Token<'a>> {
        let Some(first) = self.peek() else { return self.fail(ErrorKind::Truncated) };
        match first {
            NULL => self.passed(Token::Null),
            TRUE => self.passed(Token::Bool(true)),
            FALSE => self.passed(Token::Bool(false)),
            MAP => self.passed(Token::Map),
            ARRAY => self.passed(Token::Array),
            BREAK => self.passed(Token::Break),
            ENVELOPE => self.envelope(),
            DOUBLE => {
                self.at += 1;
                Ok(Token::Double(f64::from_be_bytes(self.chunk()?)))
            }
            TAG_BINARY => {
                self.at += 1;
                match self.peek() {
                    Some(first) if first >> 5 == major::BYTES => Ok(Token::Binary(self.string()?)),
                    _ => self.fail(ErrorKind::Syntax),
                }
            }
            _ => match first >> 5 {
                major::UNSIGNED => Ok(Token::Int(self.magnitude()?)),
                major::NEGATIVE => Ok(Token::Int(-1 - self.magnitude()?)),
                major::BYTES => {
                    let units = self.string()?;
                    if units.len() % 2 == 0 { Ok(Token::Wide(units)) } else { self.fail(ErrorKind::Syntax) }
                }
                major::TEXT => Ok(Token::Text(self.string()?)),
                _ => self.fail(ErrorKind::Syntax),
            },
        }
    }

    fn passed(&mut self, token: Token<'a>) -> Result<Token<'a>> {
        self.at += 1;
        Ok(token)
    }

    /// Tag 24 in one or (as old versions wrote it) no further byte, then a byte string that must end within the bytes.
    fn envelope(&mut self) -> Result<Token<'a>> {
        let tagged = self.bytes.get(self.at + 1) == Some(&0x18);
        self.at += 1 + usize::from(tagged);
        match self.peek() {
            Some(first) if first >> 5 == major::BYTES => {
                let length = self.argument()?;
                let end = u64::try_from(self.at).ok().and_then(|at| at.checked_add(length));
                match end {
                    Some(end) if end <= self.bytes.len() as u64 => Ok(Token::Envelope(end as usize)),
                    _ => self.fail(ErrorKind::Truncated),
                }
            }
            _ => self.fail(ErrorKind::Syntax),
        }
    }

    fn magnitude(&mut self) -> Result<i32> {
        let value = self.argument()?;
        i32::try_from(value).or_else(|_| self.fail(ErrorKind::Number))
    }

    fn string(&mut self) -> Result<&'a [u8]> {
        let length = self.argument()?;
        let rest = &self.bytes[self.at..];
        if length > rest.len() as u64 {
            return self.fail(ErrorKind::Truncated);
        }
        self.at += length as usize;
        Ok(&rest[..length as usize])
    }

    /// The number that the low bits of the first byte, or the bytes after it, say.
    fn argument(&mut self) -> Result<u64> {
        let Some(first) = self.peek() else { return self.fail(ErrorKind::Truncated) };
        self.at += 1;
        match first & 0x1f {
            low @ 0..=23 => Ok(u64::from(low)),
            24 => self.chunk().map(|[byte]| u64::from(byte)),
            25 => self.chunk().map(|bytes| u64::from(u16::from_be_bytes(bytes))),
            26 => self.chunk().map(|bytes| u64::from(u32::from_be_bytes(bytes))),
            27 => self.chunk().map(u64::from_be_bytes),
            _ => self.fail(ErrorKind::Syntax),
        }
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => self.fail(ErrorKind::Truncated),
        }
    }
}

/// Append UTF-16 (the low byte first) as UTF-8. Lone surrogates, which pages do produce, become U+FFFD.
pub fn push_wide(units: &[u8], target: &mut Vec<u8>) {
    let units = units.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
    for character in char::decode_utf16(units) {
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        target.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}
