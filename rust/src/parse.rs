//! Bytes of `DOMSnapshot.captureSnapshot` to columns, in one pass.
//!
//! Driven by keys, in any order; unknown keys are skipped. The first try jumps over fields nobody wants by looking for
//! the next key; if that ends in an error the bytes are read again carefully, so that an error is never the jump's.
//! Time O(bytes), no recursion, and no input makes it panic.

use crate::atom::{atom, Atom};
use crate::columns::{flag, Bytes, Document, Rare, Strings, CDATA, DOCUMENT, ELEMENT, FRAGMENT, NONE, TEXT};
use crate::error::{ErrorKind, Result, SnapshotError};
use crate::json::{unescape, Cursor, Span};

/// One capture of one process: documents that share a string table.
pub struct Part {
    pub documents: Vec<Document>,
    pub strings: Strings,
    /// What each string is as a tag or attribute name.
    pub atoms: Vec<Atom>,
    /// Where the result stands in the bytes.
    pub span: (usize, usize),
}

/// Parse the result of `DOMSnapshot.captureSnapshot`, or the whole CDP message that holds it as `result`.
pub fn parse(raw: Bytes) -> Result<Part> {
    let bytes: &[u8] = (*raw).as_ref();
    if bytes.len() >= NONE as usize {
        return Err(SnapshotError::new(ErrorKind::TooLarge, NONE as usize, "message"));
    }
    let found = read(bytes, false).or_else(|_| read(bytes, true))?;
    finish(found, raw.clone())
}

/// A document together with the offsets and bounds its checks need.
struct Found {
    documents: Vec<(Document, Checks)>,
    spans: Vec<Span>,
    /// Where the string table begins and ends.
    table: (usize, usize),
    /// Where the result does.
    span: (usize, usize),
}

#[derive(Clone, Copy, Default)]
struct Checks {
    offset: usize,
    /// One more than the highest string index seen.
    strings: u32,
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

fn missing<T>(offset: usize, field: &'static str) -> Result<T> {
    Err(SnapshotError::new(ErrorKind::Missing, offset, field))
}

type Documents = Option<Vec<(Document, Checks)>>;
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

fn read_documents(cursor: &mut Cursor) -> Result<Vec<(Document, Checks)>> {
    cursor.field = "documents";
    cursor.expect(b'[')?;
    let mut documents = Vec::new();
    if cursor.take(b']') {
        return Ok(documents);
    }
    loop {
        documents.push(read_document(cursor)?);
        if !cursor.more(b']')? {
            return Ok(documents);
        }
    }
}

/// Walk an object: `field` reads the value of each key.
fn object<'a>(cursor: &mut Cursor<'a>, mut field: impl FnMut(&mut Cursor<'a>, &[u8]) -> Result<()>) -> Result<()> {
    cursor.expect(b'{')?;
    if cursor.take(b'}') {
        return Ok(());
    }
    loop {
        let key = cursor.key()?;
        field(cursor, key)?;
        if !cursor.more(b'}')? {
            return Ok(());
        }
    }
}

fn read_document(cursor: &mut Cursor) -> Result<(Document, Checks)> {
    let mut document = Document { frame_id: NONE, url: NONE, title: NONE, ..Document::default() };
    let mut checks = Checks { offset: cursor.at, strings: 0 };
    let mut has_nodes = false;
    object(cursor, |cursor, key| {
        match key {
            b"documentURL" => document.url = string_id(cursor, "documentURL", &mut checks)?,
            b"title" => document.title = string_id(cursor, "title", &mut checks)?,
            b"frameId" => document.frame_id = string_id(cursor, "frameId", &mut checks)?,
            b"contentWidth" => document.content_size[0] = float(cursor)?,
            b"contentHeight" => document.content_size[1] = float(cursor)?,
            b"nodes" => {
                has_nodes = true;
                read_nodes(cursor, &mut document, &mut checks)?;
            }
            b"layout" => read_layout(cursor, &mut document, &mut checks)?,
            _ => cursor.skip()?,
        }
        Ok(())
    })?;
    if !has_nodes || document.is_empty() {
        return missing(checks.offset, "nodes");
    }
    Ok((document, checks))
}

fn string_id(cursor: &mut Cursor, field: &'static str, checks: &mut Checks) -> Result<u32> {
    cursor.field = field;
    let id = cursor.int()? as u32;
    checks.strings = checks.strings.max(id.wrapping_add(1));
    Ok(id)
}

fn float(cursor: &mut Cursor) -> Result<f32> {
    let text = cursor.number()?;
    let value: Option<f32> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    value.map_or_else(|| cursor.fail(ErrorKind::Number), Ok)
}

fn read_nodes(cursor: &mut Cursor, document: &mut Document, checks: &mut Checks) -> Result<()> {
    *document = Document {
        frame_id: document.frame_id,
        url: document.url,
        title: document.title,
        content_size: document.content_size,
        layout_node: std::mem::take(&mut document.layout_node),
        layout_style: std::mem::take(&mut document.layout_style),
        bounds_at: document.bounds_at,
        ..Document::default()
    };
    object(cursor, |cursor, key| {
        let expected = document.parent.len();
        match key {
            b"parentIndex" => ints(cursor, "parentIndex", &mut document.parent, 0).map(drop)?,
            b"nodeType" => bytes(cursor, &mut document.kind, expected)?,
            b"nodeName" => strings(cursor, "nodeName", &mut document.name, expected, checks)?,
            b"nodeValue" => strings(cursor, "nodeValue", &mut document.value, expected, checks)?,
            b"backendNodeId" => ints(cursor, "backendNodeId", &mut document.bid, expected).map(drop)?,
            b"attributes" => read_attributes(cursor, document, checks)?,
            b"shadowRootType" => read_rare(cursor, "shadowRootType", &mut document.shadow, Some(checks))?,
            b"textValue" => read_rare(cursor, "textValue", &mut document.text_value, Some(checks))?,
            b"inputValue" => read_rare(cursor, "inputValue", &mut document.input_value, Some(checks))?,
            b"inputChecked" => read_rare(cursor, "inputChecked", &mut document.checked, None)?,
            b"optionSelected" => read_rare(cursor, "optionSelected", &mut document.selected, None)?,
            b"contentDocumentIndex" => {
                read_rare(cursor, "contentDocumentIndex", &mut document.content_document, None)?;
            }
            b"pseudoType" => read_rare(cursor, "pseudoType", &mut document.pseudo, Some(checks))?,
            b"isClickable" => read_rare(cursor, "isClickable", &mut document.clickable, None)?,
            _ => cursor.skip()?,
        }
        Ok(())
    })?;
    let n = document.parent.len();
    let columns = [document.kind.len(), document.name.len(), document.value.len(), document.bid.len()];
    if columns.iter().any(|&len| len != n) || document.attr_start.len() != n + 1 {
        cursor.field = "nodes";
        return cursor.fail(ErrorKind::Length);
    }
    Ok(())
}

/// An array of integers; returns one more than the highest, where -1 counts as nothing.
fn ints(cursor: &mut Cursor, field: &'static str, out: &mut Vec<u32>, expected: usize) -> Result<u32> {
    cursor.field = field;
    cursor.expect(b'[')?;
    // A vector of our own stays in registers.
    let mut found = std::mem::take(out);
    found.clear();
    found.reserve(expected);
    if !cursor.take(b']') {
        while !cursor.short_ints(|value| found.push(value)) {
            found.push(cursor.int()? as u32);
            if !cursor.more(b']')? {
                break;
            }
        }
    }
    let highest = found.iter().fold(0, |highest: u32, value| highest.max(value.wrapping_add(1)));
    *out = found;
    Ok(highest)
}

fn strings(
    cursor: &mut Cursor,
    field: &'static str,
    out: &mut Vec<u32>,
    expected: usize,
    checks: &mut Checks,
) -> Result<()> {
    let highest = ints(cursor, field, out, expected)?;
    checks.strings = checks.strings.max(highest);
    Ok(())
}

/// `nodeType`: small numbers.
fn bytes(cursor: &mut Cursor, out: &mut Vec<u8>, expected: usize) -> Result<()> {
    cursor.field = "nodeType";
    cursor.expect(b'[')?;
    out.clear();
    out.reserve(expected);
    if cursor.take(b']') {
        return Ok(());
    }
    loop {
        let mut too_large = false;
        let mut found = std::mem::take(out);
        // All types there are have one digit, but for two.
        while let Some(&[digit @ b'0'..=b'9', b',']) = cursor.bytes.get(cursor.at..).and_then(<[u8]>::first_chunk) {
            found.push(digit - b'0');
            cursor.at += 2;
        }
        let closed = cursor.short_ints(|value| {
            too_large |= value > 255;
            found.push(value as u8);
        });
        *out = found;
        if too_large {
            return cursor.fail(ErrorKind::Number);
        }
        if closed {
            return Ok(());
        }
        match u8::try_from(cursor.int()?) {
            Ok(value) => out.push(value),
            Err(_) => return cursor.fail(ErrorKind::Number),
        }
        if !cursor.more(b']')? {
            return Ok(());
        }
    }
}

fn read_attributes(cursor: &mut Cursor, document: &mut Document, checks: &mut Checks) -> Result<()> {
    cursor.field = "attributes";
    let expected = document.parent.len();
    let (mut starts, mut attrs) = (Vec::with_capacity(expected + 1), Vec::with_capacity(2 * expected));
    starts.push(0);
    cursor.expect(b'[')?;
    let mut open = !cursor.take(b']');
    while open {
        // Texts have none, so the empty list comes often.
        if cursor.bytes.get(cursor.at..cursor.at + 3) == Some(b"[],") {
            cursor.at += 3;
            starts.push(attrs.len() as u32 / 2);
            continue;
        }
        cursor.expect(b'[')?;
        if !cursor.take(b']') {
            while !cursor.short_ints(|value| attrs.push(value)) {
                attrs.push(cursor.int()? as u32);
                if !cursor.more(b']')? {
                    break;
                }
            }
        }
        if attrs.len() % 2 != 0 {
            return cursor.fail(ErrorKind::Length);
        }
        starts.push(attrs.len() as u32 / 2);
        open = cursor.more(b']')?;
    }
    let highest = attrs.iter().fold(0, |highest: u32, value: &u32| highest.max(value.wrapping_add(1)));
    checks.strings = checks.strings.max(highest);
    (document.attr_start, document.attrs) = (starts, attrs);
    Ok(())
}

/// A sparse column: `{"index": […], "value": […]}`, or only the index. `checks` is given when values are strings.
fn read_rare(cursor: &mut Cursor, field: &'static str, out: &mut Rare, checks: Option<&mut Checks>) -> Result<()> {
    let (mut index, mut value, mut highest) = (Vec::new(), None, 0);
    object(cursor, |cursor, key| match key {
        b"index" => ints(cursor, field, &mut index, 0).map(drop),
        b"value" => {
            let mut values = Vec::new();
            highest = ints(cursor, field, &mut values, 0)?;
            value = Some(values);
            Ok(())
        }
        _ => cursor.skip(),
    })?;
    let value = value.unwrap_or_else(|| vec![0; index.len()]);
    if index.len() != value.len() {
        return cursor.fail(ErrorKind::Length);
    }
    if let Some(checks) = checks {
        checks.strings = checks.strings.max(highest);
    }
    *out = index.into_iter().zip(value).collect();
    if !out.is_sorted_by(|a, b| a.0 < b.0) {
        out.sort_by_key(|entry| entry.0);
        out.dedup_by_key(|entry| entry.0);
    }
    Ok(())
}

fn read_layout(cursor: &mut Cursor, document: &mut Document, checks: &mut Checks) -> Result<()> {
    let mut has_styles = false;
    object(cursor, |cursor, key| {
        match key {
            b"nodeIndex" => {
                let expected = document.parent.len();
                ints(cursor, "layout.nodeIndex", &mut document.layout_node, expected).map(drop)?;
            }
            b"styles" => {
                has_styles = true;
                read_styles(cursor, &mut document.layout_style, document.layout_node.len(), checks)?;
            }
            b"bounds" => {
                cursor.peek();
                document.bounds_at = Some(cursor.at);
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
        Ok(())
    })?;
    if !has_styles {
        document.layout_style = vec![NONE; document.layout_node.len()];
    }
    if document.layout_style.len() != document.layout_node.len() {
        cursor.field = "layout";
        return cursor.fail(ErrorKind::Length);
    }
    Ok(())
}

/// The first computed style of each row: `visibility`, the one that captures ask for.
fn read_styles(cursor: &mut Cursor, out: &mut Vec<u32>, expected: usize, checks: &mut Checks) -> Result<()> {
    cursor.field = "layout.styles";
    cursor.expect(b'[')?;
    let mut found = Vec::with_capacity(expected);
    let mut open = !cursor.take(b']');
    while open {
        let start = cursor.at;
        cursor.expect(b'[')?;
        let mut first = NONE;
        if !cursor.take(b']') {
            first = cursor.int()? as u32;
            checks.strings = checks.strings.max(first.wrapping_add(1));
            while cursor.more(b']')? {
                cursor.int()?;
            }
        }
        found.push(first);
        open = cursor.more(b']')?;
        // Nearly all rows are the same: pass over repeats without reading them.
        let length = cursor.at - start;
        let row = cursor.bytes.get(start..).and_then(<[u8]>::first_chunk::<8>);
        let (Some(row), 1..=8) = (row, length) else { continue };
        let mask = u64::MAX >> (64 - 8 * length);
        let wanted = u64::from_le_bytes(*row) & mask;
        let mut at = cursor.at;
        while let Some(word) = cursor.bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            if !open || u64::from_le_bytes(*word) & mask != wanted {
                break;
            }
            at += length;
            found.push(first);
        }
        cursor.at = at;
    }
    *out = found;
    Ok(())
}

// -- after the pass: what could only be checked with everything at hand ------------------------------------------

fn finish(found: Found, raw: Bytes) -> Result<Part> {
    let Found { mut spans, documents, table, span } = found;
    let bytes: &[u8] = (*raw).as_ref();
    if documents.is_empty() {
        return missing(bytes.len(), "documents");
    }
    if let Err(error) = std::str::from_utf8(&bytes[table.0..table.1]) {
        return Err(SnapshotError::new(ErrorKind::Utf8, table.0 + error.valid_up_to(), "strings"));
    }
    let mut unescaped = Vec::new();
    for span in spans.iter_mut().filter(|span| span.escaped) {
        let start = unescaped.len();
        unescape(&bytes[span.start as usize..(span.start + span.len) as usize], &mut unescaped);
        *span = Span { start: start as u32, len: (unescaped.len() - start) as u32, escaped: true };
    }
    let strings = Strings { raw, spans, unescaped };
    let mut atoms = Vec::with_capacity(strings.len());
    strings.each(|bytes| atoms.push(atom(bytes)));
    let mut part = Part { documents: Vec::with_capacity(documents.len()), strings, atoms, span };
    let count = documents.len();
    for (document, checks) in documents {
        let document = settle(document, checks, &part, count)?;
        part.documents.push(document);
    }
    Ok(part)
}

/// Check every index of `document`, then fill in `size` and `flags`.
fn settle(mut document: Document, checks: Checks, part: &Part, documents: usize) -> Result<Document> {
    let wrong = |kind, field| Err(SnapshotError::new(kind, checks.offset, field));
    let n = document.len();
    if checks.strings as usize > part.strings.len() {
        return wrong(ErrorKind::Index, "nodes");
    }
    let rares = [
        &document.shadow,
        &document.text_value,
        &document.input_value,
        &document.checked,
        &document.selected,
        &document.pseudo,
        &document.clickable,
        &document.content_document,
    ];
    let outside = |column: &Rare| column.last().is_some_and(|entry| entry.0 as usize >= n);
    if rares.into_iter().any(outside) || document.layout_node.iter().any(|&node| node as usize >= n) {
        return wrong(ErrorKind::Index, "nodes");
    }
    if document.content_document.iter().any(|entry| entry.1 as usize >= documents) {
        return wrong(ErrorKind::Index, "contentDocumentIndex");
    }
    if !is_preorder(&document.parent) {
        return wrong(ErrorKind::Order, "parentIndex");
    }
    document.flags = vec![0; n];
    flag_columns(&mut document, part);
    flag_downwards(&mut document, part);
    fill_upwards(&mut document);
    Ok(document)
}

/// Whether node 0 is the only root and every node follows its parent's subtree so far. O(n): the walk upwards leaves
/// each node for good.
fn is_preorder(parent: &[u32]) -> bool {
    if parent.first() != Some(&NONE) {
        return false;
    }
    for (node, &wanted) in parent.iter().enumerate().skip(1) {
        let mut at = node as u32 - 1;
        while at != wanted {
            if at == NONE || wanted == NONE {
                return false;
            }
            at = parent[at as usize];
        }
    }
    true
}

fn flag_columns(document: &mut Document, part: &Part) {
    let flags = &mut document.flags;
    let mut mark = |column: &Rare, bit: u16| {
        for entry in column {
            flags[entry.0 as usize] |= bit;
        }
    };
    mark(&document.text_value, flag::VALUE);
    mark(&document.input_value, flag::VALUE);
    mark(&document.checked, flag::CHECKED);
    mark(&document.selected, flag::SELECTED);
    mark(&document.pseudo, flag::PSEUDO);
    mark(&document.clickable, flag::CLICKABLE);
    mark(&document.content_document, flag::FRAME);
    for at in 0..document.shadow.len() {
        let (node, kind) = document.shadow[at];
        if let Some(parent) = document.parent_of(node) {
            let above = crate::columns::rare(&document.shadow, parent);
            let same = above.is_some_and(|above| part.strings.bytes(above) == part.strings.bytes(kind));
            if !same {
                document.flags[node as usize] |= flag::SHADOW;
            }
        }
    }
    let (mut last, mut hidden) = (NONE, false);
    for (&node, &style) in document.layout_node.iter().zip(&document.layout_style) {
        if style != last {
            last = style;
            hidden = matches!(part.strings.bytes(style), b"hidden" | b"collapse");
        }
        if !hidden {
            document.flags[node as usize] |= flag::BOX;
        }
    }
}

fn flag_downwards(document: &mut Document, part: &Part) {
    for node in 0..document.len() {
        let above = match document.parent[node] {
            NONE => 0,
            parent => document.flags[parent as usize],
        };
        let mut bits = document.flags[node] | (above & (flag::DROPPED | flag::PRE));
        match document.kind[node] {
            ELEMENT => {
                let name = document.name[node] as usize;
                bits |= element_flags(part.atoms.get(name).copied().unwrap_or(Atom::Other), bits, above);
            }
            TEXT | CDATA => {
                let blank = bits & flag::PRE == 0 && is_blank(part.strings.bytes(document.value[node]));
                bits |= if blank { flag::DROPPED } else { 0 };
                bits |= if above & flag::OPTION != 0 { above & flag::BOX } else { 0 };
            }
            DOCUMENT | FRAGMENT => {}
            _ => bits |= flag::DROPPED,
        }
        // Whatever it is, the root stays.
        document.flags[node] = if node == 0 { bits & !flag::DROPPED } else { bits };
    }
}

/// What the tag of an element adds to its flags.
#[inline(always)]
fn element_flags(tag: Atom, bits: u16, above: u16) -> u16 {
    let own = match tag {
        Atom::Script | Atom::Style | Atom::Template | Atom::Noscript => flag::DROPPED,
        Atom::Pre | Atom::Textarea => flag::PRE,
        // The options of a closed list have no box; they are there for the user as far as the list is.
        Atom::Option | Atom::Optgroup => flag::OPTION | (above & flag::BOX),
        _ => 0,
    };
    if bits & flag::PSEUDO != 0 {
        own | flag::DROPPED
    } else {
        own
    }
}

fn fill_upwards(document: &mut Document) {
    let n = document.len();
    document.size = vec![1; n];
    for node in (0..n).rev() {
        let mut bits = document.flags[node];
        if bits & flag::BOX != 0 && bits & flag::DROPPED == 0 {
            bits |= flag::RENDERED;
            document.flags[node] = bits;
        }
        let parent = document.parent[node];
        if parent != NONE {
            document.size[parent as usize] += document.size[node];
            document.flags[parent as usize] |= bits & flag::RENDERED;
        }
    }
}

/// Whether a text is nothing but HTML whitespace.
pub fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 12))
}
