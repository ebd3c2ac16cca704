//! The computed styles in a capture, and what the core keeps of them: one byte per node.

use std::collections::HashMap;

use crate::capture::strings::{NONE, Strings};
use crate::hash::by_hash::Keyed;

/// The computed styles of a capture, in the order in which it asks for them (tab/captures.py).
pub const STYLES: usize = 5;
const VISIBILITY: usize = 0;
const DISPLAY: usize = 1;
const CONTENT: usize = 2;
const CURSOR: usize = 3;
const WHITE_SPACE: usize = 4;

/// How an element takes part in the layout around it: the `display` values that text and names depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// No box: hidden, or `display: contents`.
    #[default]
    None,
    /// The capture does not say; the tag has to tell.
    Unknown,
    Inline,
    /// `inline-block`, `inline-flex`, `inline-grid`, `inline-table`, `ruby`.
    InlineBlock,
    Block,
    TableCell,
    TableRow,
    /// Any other part of a table.
    TablePart,
}

const DISPLAYS: [Display; 8] = [
    Display::None,
    Display::Unknown,
    Display::Inline,
    Display::InlineBlock,
    Display::Block,
    Display::TableCell,
    Display::TableRow,
    Display::TablePart,
];

/// What the mouse pointer over an element promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cursor {
    /// Nothing: `auto`, `default`, `text`, and whatever else.
    #[default]
    Auto,
    /// `pointer`: a click does something.
    Pointer,
    /// `move`, `grab`, `grabbing`, `all-scroll`: it can be dragged.
    Move,
    /// `col-resize`, `ew-resize`, …: dragging it resizes something.
    Resize,
}

const CURSORS: [Cursor; 4] = [Cursor::Auto, Cursor::Pointer, Cursor::Move, Cursor::Resize];

/// The styles of a node in one byte: display in bits 0-2, cursor in bits 3-4, then whether white space is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(u8);

const CURSOR_SHIFT: u8 = 3;
const KEEPS_SPACE: u8 = 32;

impl Style {
    fn new(display: Display, cursor: Cursor, keeps_space: bool) -> Self {
        let space = if keeps_space { KEEPS_SPACE } else { 0 };
        Self(display as u8 | (cursor as u8) << CURSOR_SHIFT | space)
    }

    pub fn display(self) -> Display {
        DISPLAYS[usize::from(self.0 & 7)]
    }

    pub fn cursor(self) -> Cursor {
        CURSORS[usize::from(self.0 >> CURSOR_SHIFT & 3)]
    }

    pub fn preserves_space(self) -> bool {
        self.0 & KEEPS_SPACE != 0
    }
}

/// `layout.styles`: few rows are distinct, so each is kept once.
#[derive(Default)]
pub struct StyleRows {
    /// For each row of the layout, which of the distinct rows it is.
    pub ids: Vec<u32>,
    pub distinct: Vec<[u32; STYLES]>,
    /// One more than the highest string index in any of them.
    pub highest: u32,
}

impl StyleRows {
    /// What each of the distinct rows says.
    pub fn read(&self, strings: &Strings) -> Vec<Looks> {
        self.distinct.iter().map(|row| Looks::of(row, strings)).collect()
    }
}

/// Style rows in the making.
#[derive(Default)]
pub struct StyleReader {
    rows: StyleRows,
    known: HashMap<[u32; STYLES], u32, Keyed>,
    recent: [Recent; RECENT],
    count: usize,
}

/// Rows met last whose bytes are compared before a row is read; pages alternate between a handful of them.
const RECENT: usize = 8;

#[derive(Clone, Copy, Default)]
struct Recent {
    start: usize,
    length: usize,
    id: u32,
}

impl StyleReader {
    pub fn with_capacity(expected: usize) -> Self {
        let mut reader = Self::default();
        reader.rows.ids.reserve_exact(expected);
        reader
    }

    pub fn finish(self) -> StyleRows {
        self.rows
    }

    /// Take the row at `at` if its bytes are those of a recent one; returns how many bytes it has.
    #[inline]
    pub fn repeat(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at..)?;
        let known = &self.recent[..self.count];
        let place = known.iter().position(|row| rest.starts_with(&bytes[row.start..row.start + row.length]))?;
        let row = self.recent[place];
        self.rows.ids.push(row.id);
        self.recent[..=place].rotate_right(1);
        Some(row.length)
    }

    /// Add a row that was read from `start..end` of the bytes.
    pub fn add(&mut self, row: [u32; STYLES], start: usize, end: usize) {
        let next = self.rows.distinct.len() as u32;
        let id = *self.known.entry(row).or_insert(next);
        if id == next {
            self.rows.distinct.push(row);
            self.rows.highest = row.iter().fold(self.rows.highest, |highest, id| highest.max(id.wrapping_add(1)));
        }
        self.rows.ids.push(id);
        self.count = (self.count + 1).min(RECENT);
        self.recent[..self.count].rotate_right(1);
        self.recent[0] = Recent { start, length: end - start, id };
    }
}

/// What a row of styles says.
#[derive(Clone, Copy)]
pub struct Looks {
    pub hidden: bool,
    pub style: Style,
    /// The string that is the computed `content`; `NONE` if the capture does not say.
    pub content: u32,
}

impl Looks {
    /// Of a capture without styles.
    pub const UNKNOWN: Self = Self { hidden: false, style: Style(Display::Unknown as u8), content: NONE };

    fn of(row: &[u32; STYLES], strings: &Strings) -> Self {
        let hidden = matches!(strings.bytes(row[VISIBILITY]), b"hidden" | b"collapse");
        let display = if row[DISPLAY] == NONE { Display::Unknown } else { display(strings.bytes(row[DISPLAY])) };
        // `white-space-collapse`, or `white-space` in browsers that do not have the former.
        let keeps_space = !matches!(strings.bytes(row[WHITE_SPACE]), b"collapse" | b"normal" | b"nowrap" | b"");
        let style = Style::new(display, cursor(strings.bytes(row[CURSOR])), keeps_space);
        Self { hidden, style, content: row[CONTENT] }
    }
}

/// The `display` of an element that has a box.
fn display(value: &[u8]) -> Display {
    match value {
        b"" => Display::Unknown,
        b"none" => Display::None,
        b"inline" => Display::Inline,
        b"table-cell" => Display::TableCell,
        b"table-row" => Display::TableRow,
        b"inline-block" | b"inline-flex" | b"inline-grid" | b"inline-table" | b"ruby" => Display::InlineBlock,
        _ if value.starts_with(b"table-") => Display::TablePart,
        _ => Display::Block,
    }
}

fn cursor(value: &[u8]) -> Cursor {
    match value {
        b"pointer" => Cursor::Pointer,
        b"move" | b"grab" | b"grabbing" | b"all-scroll" | b"-webkit-grab" | b"-webkit-grabbing" => Cursor::Move,
        _ if value.ends_with(b"-resize") => Cursor::Resize,
        // An image has the keyword that stands in for it at the end.
        _ if value.ends_with(b" pointer") => Cursor::Pointer,
        _ if value.ends_with(b" move") || value.ends_with(b" grab") => Cursor::Move,
        _ => Cursor::Auto,
    }
}
