//! The bytes of a capture, and the string table of a part, which borrows from them.

use std::sync::Arc;

use crate::capture::json::Span;

/// "No such string", "no parent".
pub const NONE: u32 = u32::MAX;

/// The bytes of a capture, shared and never copied.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The string table of one part.
#[derive(Clone)]
pub struct Strings {
    pub(crate) raw: Bytes,
    pub(crate) spans: Vec<Span>,
    /// Strings that had escapes; their spans point in here.
    pub(crate) unescaped: Vec<u8>,
}

impl Strings {
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    #[cfg(feature = "testing")]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The bytes of string `id`; empty for `NONE`. They are UTF-8.
    #[inline]
    pub fn bytes(&self, id: u32) -> &[u8] {
        match self.spans.get(id as usize) {
            Some(span) => span_bytes(*span, (*self.raw).as_ref(), &self.unescaped),
            None => b"",
        }
    }

    /// The string `id`; empty for `NONE`.
    pub fn get(&self, id: u32) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or("")
    }

    /// Call `visit` for every string in order, without looking the table up for each.
    pub fn each(&self, mut visit: impl FnMut(&[u8])) {
        let raw = (*self.raw).as_ref();
        for span in &self.spans {
            visit(span_bytes(*span, raw, &self.unescaped));
        }
    }

    /// Add a string that no capture holds, and return its index.
    pub(super) fn push(&mut self, text: &str) -> u32 {
        let span = Span { start: self.unescaped.len() as u32, len: text.len() as u32, escaped: true };
        self.unescaped.extend_from_slice(text.as_bytes());
        self.spans.push(span);
        self.spans.len() as u32 - 1
    }
}

#[inline(always)]
fn span_bytes<'a>(span: Span, raw: &'a [u8], unescaped: &'a [u8]) -> &'a [u8] {
    let source = if span.escaped { unescaped } else { raw };
    &source[span.start as usize..(span.start + span.len) as usize]
}
