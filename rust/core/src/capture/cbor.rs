//! The CBOR of `DOMSnapshot.captureSnapshot`, as `--remote-debugging-pipe=cbor` sends it, to columns, in one pass.
//!
//! Fields nobody wants are passed by their envelopes, unread: text boxes and boxes are more than half of a capture.
//! Every container that is read must end where its envelope says, so lengths that lie are found out.
//! Time O(bytes read), no recursion, and no input makes it panic.

use crate::capture::build::{Reader, build, missing, read_documents};
use crate::capture::json::Span;
use crate::capture::part::{Part, Unchecked};
use crate::capture::strings::{Bytes, NONE, Strings};
use crate::capture::style::{STYLES, StyleReader, StyleRows};
use crate::capture::token::{ARRAY, BREAK, HEADER, MAP, Token, Tokens, push_wide};
use crate::error::{ErrorKind, Result};

/// Parse the result, or the whole message that holds it as `result`.
pub(super) fn parse(raw: Bytes) -> Result<Part> {
    let bytes: &[u8] = (*raw).as_ref();
    let mut tokens = Tokens::new(bytes);
    let mut found = Found::default();
    message(&mut tokens, true, &mut found)?;
    if tokens.at < bytes.len() {
        return tokens.fail(ErrorKind::Syntax);
    }
    let end = bytes.len();
    match (found.documents, found.strings) {
        (Some(documents), Some((spans, unescaped))) => {
            build(documents, Strings { raw, spans, unescaped }, found.span, end)
        }
        (None, _) => missing(end, "documents"),
        (_, None) => missing(end, "strings"),
    }
}

#[derive(Default)]
struct Found {
    documents: Option<Vec<Unchecked>>,
    /// The string table, and the bytes of those of its strings that are not UTF-8 in the capture.
    strings: Option<(Vec<Span>, Vec<u8>)>,
    /// Where the result begins and ends.
    span: (usize, usize),
}

fn message(tokens: &mut Tokens, outermost: bool, found: &mut Found) -> Result<()> {
    let start = tokens.at;
    tokens.object(|tokens, key| {
        match key {
            b"documents" => found.documents = Some(read_documents(tokens)?),
            b"strings" => found.strings = Some(read_strings(tokens)?),
            b"result" if outermost => message(tokens, false, found)?,
            _ => tokens.skip()?,
        }
        Ok(())
    })?;
    if found.span.1 == 0 {
        found.span = (start, tokens.at);
    }
    Ok(())
}

fn read_strings(tokens: &mut Tokens) -> Result<(Vec<Span>, Vec<u8>)> {
    tokens.field = "strings";
    let (mut spans, mut decoded) = (Vec::new(), Vec::new());
    tokens.array(|tokens| {
        spans.push(read_string(tokens, &mut decoded)?);
        Ok(())
    })?;
    tokens.field = "message";
    Ok((spans, decoded))
}

fn read_string(tokens: &mut Tokens, decoded: &mut Vec<u8>) -> Result<Span> {
    let before = tokens.at;
    match tokens.take()? {
        Token::Text(text) => {
            let start = tokens.at - text.len();
            if let Err(error) = std::str::from_utf8(text) {
                tokens.at = start + error.valid_up_to();
                return tokens.fail(ErrorKind::Utf8);
            }
            Ok(Span { start: start as u32, len: text.len() as u32, escaped: false })
        }
        Token::Wide(units) => {
            let start = decoded.len();
            push_wide(units, decoded);
            if decoded.len() >= NONE as usize {
                return tokens.fail(ErrorKind::TooLarge);
            }
            Ok(Span { start: start as u32, len: (decoded.len() - start) as u32, escaped: true })
        }
        _ => wrong(tokens, before),
    }
}

/// Another type than this place calls for began at `start`.
#[cold]
fn wrong<T>(tokens: &mut Tokens, start: usize) -> Result<T> {
    tokens.at = start;
    tokens.fail(ErrorKind::Syntax)
}

impl Reader for Tokens<'_> {
    fn at(&mut self) -> usize {
        self.at
    }

    fn name(&mut self, field: &'static str) {
        self.field = field;
    }

    fn fail<T>(&self, kind: ErrorKind) -> Result<T> {
        Tokens::fail(self, kind)
    }

    fn object(&mut self, mut field: impl FnMut(&mut Self, &[u8]) -> Result<()>) -> Result<()> {
        let end = self.open(MAP)?;
        while self.peek() != Some(BREAK) {
            let start = self.at;
            match self.take()? {
                Token::Text(key) => field(self, key)?,
                Token::Wide(units) => {
                    let mut key = Vec::new();
                    push_wide(units, &mut key);
                    field(self, &key)?;
                }
                _ => return wrong(self, start),
            }
        }
        self.close(end)
    }

    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let end = self.open(ARRAY)?;
        while self.peek() != Some(BREAK) {
            item(self)?;
        }
        self.close(end)
    }

    fn skip(&mut self) -> Result<()> {
        let start = self.at;
        match self.take()? {
            Token::Envelope(end) => self.at = end,
            Token::Map | Token::Array | Token::Break => return wrong(self, start),
            _ => {}
        }
        Ok(())
    }

    fn int(&mut self) -> Result<i32> {
        let start = self.at;
        match self.take()? {
            Token::Int(value) if value >= -1 => Ok(value),
            Token::Int(_) | Token::Double(_) => {
                self.at = start;
                Tokens::fail(self, ErrorKind::Number)
            }
            _ => wrong(self, start),
        }
    }

    fn float(&mut self) -> Result<f32> {
        let start = self.at;
        match self.take()? {
            Token::Int(value) => Ok(value as f32),
            Token::Double(value) => Ok(value as f32),
            _ => wrong(self, start),
        }
    }

    fn ints(&mut self, out: &mut Vec<u32>, expected: usize) -> Result<u32> {
        let end = self.open(ARRAY)?;
        // A vector of our own stays in registers.
        let mut found = std::mem::take(out);
        found.clear();
        found.reserve(expected);
        self.until_break(|value| found.push(value))?;
        self.close(end)?;
        let highest = found.iter().fold(0, |highest: u32, value| highest.max(value.wrapping_add(1)));
        *out = found;
        Ok(highest)
    }

    fn bytes(&mut self, out: &mut Vec<u8>, expected: usize) -> Result<()> {
        let end = self.open(ARRAY)?;
        out.clear();
        out.reserve(expected);
        let mut too_large = false;
        self.until_break(|value| {
            too_large |= value > 255;
            out.push(value as u8);
        })?;
        if too_large {
            return Tokens::fail(self, ErrorKind::Number);
        }
        self.close(end)
    }

    fn pairs(&mut self, expected: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut starts, mut pairs) = (Vec::with_capacity(expected + 1), Vec::with_capacity(2 * expected));
        starts.push(0);
        let end = self.open(ARRAY)?;
        while self.peek() != Some(BREAK) {
            // Texts have none, so the empty list comes often.
            if self.bytes[self.at..].starts_with(&EMPTY_ARRAY) {
                self.at += EMPTY_ARRAY.len();
            } else {
                let end = self.open(ARRAY)?;
                self.until_break(|value| pairs.push(value))?;
                self.close(end)?;
            }
            if pairs.len() % 2 != 0 {
                return Tokens::fail(self, ErrorKind::Length);
            }
            starts.push(pairs.len() as u32 / 2);
        }
        self.close(end)?;
        Ok((starts, pairs))
    }

    fn rows(&mut self, expected: usize) -> Result<StyleRows> {
        let mut rows = StyleReader::with_capacity(expected);
        let end = self.open(ARRAY)?;
        while self.peek() != Some(BREAK) {
            let start = self.at;
            if let Some(length) = rows.repeat(self.bytes, start) {
                self.at += length;
                continue;
            }
            let (mut row, mut count) = ([NONE; STYLES], 0);
            let end = self.open(ARRAY)?;
            self.until_break(|value| {
                if let Some(place) = row.get_mut(count) {
                    *place = value;
                }
                count += 1;
            })?;
            self.close(end)?;
            rows.add(row, start, self.at);
        }
        self.close(end)?;
        Ok(rows.finish())
    }
}

const EMPTY_ARRAY: [u8; 9] = [HEADER[0], HEADER[1], HEADER[2], 0, 0, 0, 2, ARRAY, BREAK];

impl Tokens<'_> {
    /// Pass the header of an envelope and what opens the container in it; returns where both must end.
    #[inline]
    fn open(&mut self, opening: u8) -> Result<usize> {
        let start = self.at;
        match self.take()? {
            Token::Envelope(end) if self.peek() == Some(opening) => {
                self.at += 1;
                Ok(end)
            }
            _ => wrong(self, start),
        }
    }

    /// Pass the break, which must be the last byte before `end`.
    #[inline]
    fn close(&mut self, end: usize) -> Result<()> {
        self.at += 1;
        if self.at != end {
            return Tokens::fail(self, ErrorKind::Nesting);
        }
        Ok(())
    }

    /// Reads integers up to the next break, which stays.
    #[inline(always)]
    fn until_break(&mut self, mut each: impl FnMut(u32)) -> Result<()> {
        loop {
            let mut at = self.at;
            while let Some(chunk) = self.bytes[at..].first_chunk() {
                let word = u64::from_be_bytes(*chunk);
                let form = &FORMS[(word >> 56) as usize];
                let value = (word >> form.shift) as u32 & form.mask | form.set;
                if (value as i32) < form.least {
                    break;
                }
                each(value);
                at += form.length;
            }
            self.at = at;
            if self.peek() == Some(BREAK) {
                return Ok(());
            }
            let value = self.int()?;
            each(value as u32);
        }
    }
}

/// How an integer is read out of the eight bytes that begin with it, by the first of them.
#[derive(Clone, Copy)]
struct Form {
    length: usize,
    shift: u32,
    mask: u32,
    /// Bits of the value whatever the bytes are.
    set: u32,
    /// No value of this form may be less.
    least: i32,
}

/// -1 and what is not negative; everything else comes out as less than its least, and is left to `int`.
static FORMS: [Form; 256] = forms();

const fn forms() -> [Form; 256] {
    let mut forms = [Form { length: 0, shift: 0, mask: 0, set: 0, least: 1 }; 256];
    let mut first = 0;
    while first < 24 {
        forms[first] = Form { length: 1, shift: 56, mask: 0x1f, set: 0, least: 0 };
        first += 1;
    }
    forms[0x18] = Form { length: 2, shift: 48, mask: 0xff, set: 0, least: 0 };
    forms[0x19] = Form { length: 3, shift: 40, mask: 0xffff, set: 0, least: 0 };
    forms[0x1a] = Form { length: 5, shift: 24, mask: u32::MAX, set: 0, least: 0 };
    forms[0x20] = Form { length: 1, shift: 0, mask: 0, set: u32::MAX, least: -1 };
    forms
}

// -- boxes, read only for rows that are reported -----------------------------------------------------------------

/// Where each of the first `count` rows of the array at `start` begins. O(count).
pub(super) fn box_rows(bytes: &[u8], start: usize, count: usize) -> Vec<u32> {
    let mut tokens = Tokens::new(bytes);
    tokens.at = start;
    let mut rows = Vec::with_capacity(count);
    if tokens.open(ARRAY).is_err() {
        return rows;
    }
    while rows.len() < count {
        rows.push(tokens.at as u32);
        match tokens.take() {
            Ok(Token::Envelope(end)) => tokens.at = end,
            _ => {
                rows.pop();
                break;
            }
        }
    }
    rows
}

/// The four numbers of the row at `start`.
pub(super) fn read_box(bytes: &[u8], start: usize) -> Option<[f32; 4]> {
    let mut tokens = Tokens::new(bytes);
    tokens.at = start;
    tokens.open(ARRAY).ok()?;
    let mut sides = [0f32; 4];
    for side in &mut sides {
        *side = tokens.float().ok()?;
    }
    Some(sides)
}
