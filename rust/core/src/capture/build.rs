//! The content of a capture in either encoding: which key fills which column, and the checks of the whole.
//!
//! A `Reader` knows how values are written (JSON in `parse`, CBOR in `cbor`); what they mean stands here, once.

use crate::capture::atom::atom;
use crate::capture::checks::settle;
use crate::capture::columns::{Document, Rare};
use crate::capture::node::NodeIndex;
use crate::capture::part::{Checks, Part, Unchecked};
use crate::capture::strings::{NONE, Strings};
use crate::capture::style::StyleRows;
use crate::error::{ErrorKind, Result, SnapshotError};

/// A place in the bytes of a capture, and how the values there are written.
pub(super) trait Reader: Sized {
    /// Where the next value begins.
    fn at(&mut self) -> usize;

    /// Say which field is being read; only used in errors.
    fn name(&mut self, field: &'static str);

    fn fail<T>(&self, kind: ErrorKind) -> Result<T>;

    /// Walk an object: `field` reads the value of each key.
    fn object(&mut self, field: impl FnMut(&mut Self, &[u8]) -> Result<()>) -> Result<()>;

    /// Walk an array: `item` reads each value.
    fn array(&mut self, item: impl FnMut(&mut Self) -> Result<()>) -> Result<()>;

    /// Skip one value of any kind.
    fn skip(&mut self) -> Result<()>;

    /// An integer between -1 and `i32::MAX`: all that index columns hold.
    fn int(&mut self) -> Result<i32>;

    fn float(&mut self) -> Result<f32>;

    /// An array of integers, about `expected`; returns one more than the highest, where -1 counts as nothing.
    fn ints(&mut self, out: &mut Vec<u32>, expected: usize) -> Result<u32>;

    /// An array of integers below 256.
    fn bytes(&mut self, out: &mut Vec<u8>, expected: usize) -> Result<()>;

    /// An array of arrays of pairs of integers: where the pairs of each begin (and, at last, end), and all of them.
    fn pairs(&mut self, expected: usize) -> Result<(Vec<u32>, Vec<u32>)>;

    /// An array of arrays of integers, of which the first `STYLES` count and `NONE` stands for those that are missing.
    fn rows(&mut self, expected: usize) -> Result<StyleRows>;
}

pub(super) fn missing<T>(offset: usize, field: &'static str) -> Result<T> {
    Err(SnapshotError::new(ErrorKind::Missing, offset, field))
}

pub(super) fn read_documents(reader: &mut impl Reader) -> Result<Vec<Unchecked>> {
    reader.name("documents");
    let mut documents = Vec::new();
    reader.array(|reader| {
        documents.push(read_document(reader)?);
        Ok(())
    })?;
    Ok(documents)
}

fn read_document<R: Reader>(reader: &mut R) -> Result<Unchecked> {
    let mut document = Document { frame_id: NONE, url: NONE, title: NONE, ..Document::default() };
    let mut checks = Checks { offset: reader.at(), ..Checks::default() };
    let mut has_nodes = false;
    reader.object(|reader, key| {
        match key {
            b"documentURL" => document.url = string_id(reader, "documentURL", &mut checks)?,
            b"title" => document.title = string_id(reader, "title", &mut checks)?,
            b"frameId" => document.frame_id = string_id(reader, "frameId", &mut checks)?,
            b"contentWidth" => document.content_size[0] = reader.float()?,
            b"contentHeight" => document.content_size[1] = reader.float()?,
            b"scrollOffsetX" => document.scroll[0] = reader.float()?,
            b"scrollOffsetY" => document.scroll[1] = reader.float()?,
            b"nodes" => {
                has_nodes = true;
                read_nodes(reader, &mut document, &mut checks)?;
            }
            b"layout" => read_layout(reader, &mut document, &mut checks)?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    if !has_nodes || document.is_empty() {
        return missing(checks.offset, "nodes");
    }
    Ok((document, checks))
}

fn string_id(reader: &mut impl Reader, field: &'static str, checks: &mut Checks) -> Result<u32> {
    reader.name(field);
    let id = reader.int()? as u32;
    checks.strings = checks.strings.max(id.wrapping_add(1));
    Ok(id)
}

fn read_nodes<R: Reader>(reader: &mut R, document: &mut Document, checks: &mut Checks) -> Result<()> {
    *document = Document {
        frame_id: document.frame_id,
        url: document.url,
        title: document.title,
        content_size: document.content_size,
        scroll: document.scroll,
        layout_node: std::mem::take(&mut document.layout_node),
        bounds_at: document.bounds_at,
        ..Document::default()
    };
    reader.object(|reader, key| {
        let expected = document.parent.len();
        match key {
            b"parentIndex" => ints(reader, "parentIndex", &mut document.parent, 0)?,
            b"nodeType" => {
                reader.name("nodeType");
                reader.bytes(&mut document.kind, expected)?;
            }
            b"nodeName" => strings(reader, "nodeName", &mut document.name, expected, checks)?,
            b"nodeValue" => strings(reader, "nodeValue", &mut document.value, expected, checks)?,
            b"backendNodeId" => ints(reader, "backendNodeId", &mut document.backend_node_id, expected)?,
            b"attributes" => read_attributes(reader, document, checks)?,
            b"shadowRootType" => read_rare(reader, "shadowRootType", &mut document.shadow, Some(checks))?,
            b"textValue" => read_rare(reader, "textValue", &mut document.text_value, Some(checks))?,
            b"inputValue" => read_rare(reader, "inputValue", &mut document.input_value, Some(checks))?,
            b"inputChecked" => read_rare(reader, "inputChecked", &mut document.checked, None)?,
            b"optionSelected" => read_rare(reader, "optionSelected", &mut document.selected, None)?,
            b"contentDocumentIndex" => {
                read_rare(reader, "contentDocumentIndex", &mut document.content_document, None)?;
            }
            b"pseudoType" => read_rare(reader, "pseudoType", &mut document.pseudo, Some(checks))?,
            b"isClickable" => read_rare(reader, "isClickable", &mut document.clickable, None)?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let n = document.parent.len();
    let columns = [document.kind.len(), document.name.len(), document.value.len(), document.backend_node_id.len()];
    if columns.iter().any(|&len| len != n) || document.attr_start.len() != n + 1 {
        reader.name("nodes");
        return reader.fail(ErrorKind::Length);
    }
    Ok(())
}

fn ints(reader: &mut impl Reader, field: &'static str, out: &mut Vec<u32>, expected: usize) -> Result<()> {
    reader.name(field);
    reader.ints(out, expected).map(drop)
}

fn strings(
    reader: &mut impl Reader,
    field: &'static str,
    out: &mut Vec<u32>,
    expected: usize,
    checks: &mut Checks,
) -> Result<()> {
    reader.name(field);
    let highest = reader.ints(out, expected)?;
    checks.strings = checks.strings.max(highest);
    Ok(())
}

fn read_attributes(reader: &mut impl Reader, document: &mut Document, checks: &mut Checks) -> Result<()> {
    reader.name("attributes");
    (document.attr_start, document.attrs) = reader.pairs(document.parent.len())?;
    let highest = document.attrs.iter().fold(0, |highest: u32, value: &u32| highest.max(value.wrapping_add(1)));
    checks.strings = checks.strings.max(highest);
    Ok(())
}

/// A sparse column: `{"index": […], "value": […]}`, or only the index. `checks` is given when values are strings.
fn read_rare<R: Reader>(
    reader: &mut R,
    field: &'static str,
    out: &mut Rare,
    checks: Option<&mut Checks>,
) -> Result<()> {
    let (mut index, mut value, mut highest) = (Vec::new(), None, 0);
    reader.object(|reader, key| match key {
        b"index" => ints(reader, field, &mut index, 0),
        b"value" => {
            let mut values = Vec::new();
            reader.name(field);
            highest = reader.ints(&mut values, 0)?;
            value = Some(values);
            Ok(())
        }
        _ => reader.skip(),
    })?;
    let value = value.unwrap_or_else(|| vec![0; index.len()]);
    if index.len() != value.len() {
        return reader.fail(ErrorKind::Length);
    }
    if let Some(checks) = checks {
        checks.strings = checks.strings.max(highest);
    }
    *out = index.into_iter().map(NodeIndex::new).zip(value).collect();
    if !out.is_sorted_by(|a, b| a.0 < b.0) {
        out.sort_by_key(|entry| entry.0);
        out.dedup_by_key(|entry| entry.0);
    }
    Ok(())
}

fn read_layout<R: Reader>(reader: &mut R, document: &mut Document, checks: &mut Checks) -> Result<()> {
    let mut has_styles = false;
    reader.object(|reader, key| {
        match key {
            b"nodeIndex" => {
                let expected = document.parent.len();
                ints(reader, "layout.nodeIndex", &mut document.layout_node, expected)?;
            }
            b"styles" => {
                has_styles = true;
                reader.name("layout.styles");
                checks.styles = reader.rows(document.layout_node.len())?;
                checks.strings = checks.strings.max(checks.styles.highest);
            }
            b"text" => {
                let expected = document.layout_node.len();
                let mut texts = Vec::new();
                strings(reader, "layout.text", &mut texts, expected, checks)?;
                checks.texts = texts;
            }
            b"bounds" => {
                document.bounds_at = Some(reader.at());
                reader.skip()?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let rows = document.layout_node.len();
    let texts = checks.texts.len();
    if has_styles && checks.styles.ids.len() != rows || !matches!(texts, 0) && texts != rows {
        reader.name("layout");
        return reader.fail(ErrorKind::Length);
    }
    Ok(())
}

// -- after the pass: what could only be checked with everything at hand ------------------------------------------

/// Put a part together; `end` is the number of bytes it was read from.
pub(super) fn build(documents: Vec<Unchecked>, strings: Strings, span: (usize, usize), end: usize) -> Result<Part> {
    if documents.is_empty() {
        return missing(end, "documents");
    }
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
