//! Canonical equivalence: decomposes texts and keeps the original position of each piece.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfd_quick};

use super::spans::Spans;

/// A text in NFD, and where its pieces begin in it and in the text that it was made of.
pub struct Decomposed {
    pub text: String,
    pieces: Vec<Piece>,
    length: usize,
}

struct Piece {
    /// Where it begins in the decomposed text.
    own: usize,
    original: usize,
    /// Whether it was ASCII, which stands here as it stood there.
    same: bool,
}

/// The text in NFD; None where it is in NFD as it is.
pub fn decomposed(text: &str) -> Option<Decomposed> {
    if text.is_ascii() || is_nfd_quick(text.chars()) == IsNormalized::Yes {
        return None;
    }
    let mut out = Decomposed { text: String::with_capacity(text.len()), pieces: Vec::new(), length: text.len() };
    let mut rest = 0;
    while rest < text.len() {
        let end = piece_end(text, rest);
        out.push(&text[rest..end], rest);
        rest = end;
    }
    Some(out)
}

/// The end of the piece that begins at `start`: a run of ASCII, or all up to the next character that nothing before it
/// changes places with.
fn piece_end(text: &str, start: usize) -> usize {
    let bytes = &text.as_bytes()[start..];
    let ascii = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
    if ascii > 1 {
        // The last of them may have marks behind it.
        return start + ascii - usize::from(ascii < bytes.len());
    }
    let mut chars = text[start..].char_indices().skip(1);
    chars.find(|&(_, char)| begins_piece(char)).map_or(text.len(), |(at, _)| start + at)
}

fn begins_piece(char: char) -> bool {
    let mut class = None;
    decompose_canonical(char, |part| {
        class.get_or_insert(canonical_combining_class(part));
    });
    class == Some(0)
}

impl Decomposed {
    fn push(&mut self, piece: &str, original: usize) {
        self.pieces.push(Piece { own: self.text.len(), original, same: piece.is_ascii() });
        match piece.is_ascii() {
            true => self.text.push_str(piece),
            false => self.text.extend(piece.nfd()),
        }
    }

    /// The ranges of this text as ranges of the original: whole pieces, but parts of runs of ASCII.
    pub fn back(&self, spans: Spans) -> Spans {
        spans.map(|range| self.original(&range))
    }

    fn original(&self, range: &Range<usize>) -> Range<usize> {
        let first = &self.pieces[self.piece_at(range.start)];
        let from = if first.same { first.original + range.start - first.own } else { first.original };
        let at = self.piece_at(range.end - 1);
        let last = &self.pieces[at];
        let end = || self.pieces.get(at + 1).map_or(self.length, |next| next.original);
        from..if last.same { last.original + range.end - last.own } else { end() }
    }

    fn piece_at(&self, at: usize) -> usize {
        self.pieces.partition_point(|piece| piece.own <= at) - 1
    }
}
