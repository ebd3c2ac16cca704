//! The JSON of `DOMSnapshot.captureSnapshot` to columns, in one pass.
//!
//! Driven by keys, in any order; unknown keys are skipped. The first try jumps over fields nobody wants by looking for
//! the next key; if that ends in an error the bytes are read again carefully, so that an error is never the jump's.
//! Time O(bytes), no recursion, and no input makes it panic.

use crate::capture::build::{Reader, build, missing, read_documents};
use crate::capture::cbor;
use crate::capture::json::{Cursor, Span, unescape};
use crate::capture::numbers::read_array;
use crate::capture::part::{Part, Unchecked};
use crate::capture::strings::{Bytes, NONE, Strings};
use crate::capture::style::{STYLES, StyleReader, StyleRows};
use crate::capture::token::ENVELOPE;
use crate::error::{ErrorKind, Result, SnapshotError};

/// Parse the result of `DOMSnapshot.captureSnapshot`, or the whole CDP message that holds it as `result`; JSON or CBOR.
pub fn parse(raw: Bytes) -> Result<Part> {
    let bytes: &[u8] = (*raw).as_ref();
    if bytes.len() >= NONE as usize {
        return Err(SnapshotError::new(ErrorKind::TooLarge, NONE as usize, "message"));
    }
    if bytes.first() == Some(&ENVELOPE) {
        return cbor::parse(raw);
    }
    let found = read(bytes, false).or_else(|_| read(bytes, true))?;
    finish(found, raw.clone())
}

struct Found {
    documents: Vec<Unchecked>,
    spans: Vec<Span>,
    /// Where the string table begins and ends.
    table: (usize, usize),
    /// Where the result does.
    span: (usize, usize),
}

fn read(bytes: &[u8], careful: bool) -> Result<Found> {
    let mut cursor = Cursor::new(bytes, true);
    let mut documents = None;
    let mut strings = None;
    let mut span = (0, 0);
    message(&mut cursor, careful, true, &mut documents, &mut strings, &mut span)?;
    if cursor.peek() != 0 || cursor.at < bytes.len() {
        return cursor.fail(ErrorKind::Syntax);
    }
    match (documents, strings) {
        (Some(documents), Some((spans, table))) => Ok(Found { documents, spans, table, span }),
        (None, _) => missing(bytes.len(), "documents"),
        (_, None) => missing(bytes.len(), "strings"),
    }
}

type Documents = Option<Vec<Unchecked>>;
type Table = Option<(Vec<Span>, (usize, usize))>;

fn message(
    cursor: &mut Cursor,
    careful: bool,
    outermost: bool,
    documents: &mut Documents,
    strings: &mut Table,
    span: &mut (usize, usize),
) -> Result<()> {
    cursor.expect(b'{')?;
    let start = cursor.at - 1;
    if cursor.take(b'}') {
        return Ok(());
    }
    loop {
        match cursor.key()? {
            b"documents" => {
                cursor.careful = careful;
                *documents = Some(read_documents(cursor)?);
                cursor.careful = true;
            }
            b"strings" => *strings = Some(read_strings(cursor)?),
            b"result" if outermost => message(cursor, careful, false, documents, strings, span)?,
            _ => cursor.skip()?,
        }
        if !cursor.more(b'}')? {
            if span.1 == 0 {
                *span = (start, cursor.at);
            }
            return Ok(());
        }
    }
}

fn read_strings(cursor: &mut Cursor) -> Result<(Vec<Span>, (usize, usize))> {
    cursor.field = "strings";
    cursor.expect(b'[')?;
    let start = cursor.at;
    let mut spans = Vec::new();
    if !cursor.take(b']') {
        loop {
            spans.push(cursor.string()?);
            if !cursor.more(b']')? {
                break;
            }
        }
    }
    cursor.field = "message";
    Ok((spans, (start, cursor.at)))
}

fn ints_one_by_one(cursor: &mut Cursor, expected: usize) -> Result<Vec<u32>> {
    let mut found = Vec::with_capacity(expected);
    if !cursor.take(b']') {
        while !cursor.short_ints(|value| found.push(value)) {
            found.push(cursor.int()? as u32);
            if !cursor.more(b']')? {
                break;
            }
        }
    }
    Ok(found)
}

impl Reader for Cursor<'_> {
    #[inline(always)]
    fn at(&mut self) -> usize {
        self.peek();
        self.at
    }

    #[inline(always)]
    fn name(&mut self, field: &'static str) {
        self.field = field;
    }

    #[cold]
    fn fail<T>(&self, kind: ErrorKind) -> Result<T> {
        Cursor::fail(self, kind)
    }

    fn object(&mut self, mut field: impl FnMut(&mut Self, &[u8]) -> Result<()>) -> Result<()> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            field(self, key)?;
            if !self.more(b'}')? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.more(b']')? {
                return Ok(());
            }
        }
    }

    fn skip(&mut self) -> Result<()> {
        Cursor::skip(self)
    }

    #[inline(always)]
    fn int(&mut self) -> Result<i32> {
        Cursor::int(self)
    }

    fn float(&mut self) -> Result<f32> {
        let text = self.number()?;
        let value: Option<f32> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        value.map_or_else(|| Cursor::fail(self, ErrorKind::Number), Ok)
    }

    fn ints(&mut self, out: &mut Vec<u32>, expected: usize) -> Result<u32> {
        self.expect(b'[')?;
        let found = match read_array(self.bytes, self.at) {
            Some((found, end)) => {
                self.at = end;
                found
            }
            None => ints_one_by_one(self, expected)?,
        };
        let highest = found.iter().fold(0, |highest: u32, value| highest.max(value.wrapping_add(1)));
        *out = found;
        Ok(highest)
    }

    fn bytes(&mut self, out: &mut Vec<u8>, expected: usize) -> Result<()> {
        self.expect(b'[')?;
        out.clear();
        out.reserve(expected);
        if self.take(b']') {
            return Ok(());
        }
        loop {
            let mut too_large = false;
            let mut found = std::mem::take(out);
            // All types there are have one digit, but for two.
            while let Some(&[digit @ b'0'..=b'9', b',']) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
                found.push(digit - b'0');
                self.at += 2;
            }
            let closed = self.short_ints(|value| {
                too_large |= value > 255;
                found.push(value as u8);
            });
            *out = found;
            if too_large {
                return Cursor::fail(self, ErrorKind::Number);
            }
            if closed {
                return Ok(());
            }
            match u8::try_from(Cursor::int(self)?) {
                Ok(value) => out.push(value),
                Err(_) => return Cursor::fail(self, ErrorKind::Number),
            }
            if !self.more(b']')? {
                return Ok(());
            }
        }
    }

    fn pairs(&mut self, expected: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut starts, mut pairs) = (Vec::with_capacity(expected + 1), Vec::with_capacity(2 * expected));
        starts.push(0);
        self.expect(b'[')?;
        let mut open = !self.take(b']');
        while open {
            // Texts have none, so the empty list comes often.
            if self.bytes.get(self.at..self.at + 3) == Some(b"[],") {
                self.at += 3;
                starts.push(pairs.len() as u32 / 2);
                continue;
            }
            self.expect(b'[')?;
            if !self.take(b']') {
                while !self.short_ints(|value| pairs.push(value)) {
                    pairs.push(Cursor::int(self)? as u32);
                    if !self.more(b']')? {
                        break;
                    }
                }
            }
            if pairs.len() % 2 != 0 {
                return Cursor::fail(self, ErrorKind::Length);
            }
            starts.push(pairs.len() as u32 / 2);
            open = self.more(b']')?;
        }
        Ok((starts, pairs))
    }

    fn rows(&mut self, expected: usize) -> Result<StyleRows> {
        self.expect(b'[')?;
        let mut rows = StyleReader::with_capacity(expected);
        let mut open = !self.take(b']');
        while open {
            let start = self.at;
            match rows.repeat(self.bytes, start) {
                Some(length) => self.at += length,
                None => {
                    let row = style_row(self)?;
                    rows.add(row, start, self.at);
                }
            }
            open = self.more(b']')?;
        }
        Ok(rows.finish())
    }
}

fn style_row(cursor: &mut Cursor) -> Result<[u32; STYLES]> {
    let mut row = [NONE; STYLES];
    let mut count = 0;
    Reader::array(cursor, |cursor| {
        let value = Cursor::int(cursor)? as u32;
        if let Some(place) = row.get_mut(count) {
            *place = value;
        }
        count += 1;
        Ok(())
    })?;
    Ok(row)
}

/// Check what could only be checked with everything at hand.
fn finish(found: Found, raw: Bytes) -> Result<Part> {
    let Found { mut spans, documents, table, span } = found;
    let bytes: &[u8] = (*raw).as_ref();
    let end = bytes.len();
    if let Err(error) = std::str::from_utf8(&bytes[table.0..table.1]) {
        return Err(SnapshotError::new(ErrorKind::Utf8, table.0 + error.valid_up_to(), "strings"));
    }
    let mut unescaped = Vec::new();
    for span in spans.iter_mut().filter(|span| span.escaped) {
        let start = unescaped.len();
        unescape(&bytes[span.start as usize..(span.start + span.len) as usize], &mut unescaped);
        *span = Span { start: start as u32, len: (unescaped.len() - start) as u32, escaped: true };
    }
    build(documents, Strings { raw, spans, unescaped }, span, end)
}
