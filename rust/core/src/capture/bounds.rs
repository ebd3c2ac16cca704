//! Layout boxes, read from the bytes only for reported rows: most of a capture consists of boxes that no row needs.

use memchr::memchr;

use crate::capture::cbor;
use crate::capture::json::Cursor;
use crate::capture::node::{DocumentIndex, Node};
use crate::capture::page::Capture;
use crate::capture::token::ENVELOPE;

/// The layout box of `node` as x, y, width, height in CSS pixels of its frame; None if it has none.
pub fn bounds(snapshot: &Capture, node: Node) -> Option<[f32; 4]> {
    let document = snapshot.document(node);
    let row = match document.layout_node.binary_search(&node.index.number()) {
        // Of several boxes of one node the first is its own.
        Ok(row) => document.layout_node[..row].partition_point(|&other| other < node.index.number()),
        Err(_) => document.layout_node.iter().position(|&other| other == node.index.number())?,
    };
    let table = snapshot.bounds.get_or_init(|| snapshot.document_indexes().map(|at| rows(snapshot, at)).collect());
    let start = *table[node.document].get(row)?;
    let (bytes, start) = (bytes_of(snapshot, node.document), start as usize);
    if bytes.get(start) == Some(&ENVELOPE) { cbor::read_box(bytes, start) } else { read(bytes, start) }
}

fn bytes_of(snapshot: &Capture, document: DocumentIndex) -> &[u8] {
    (*snapshot.part_of(document).raw).as_ref()
}

fn read(bytes: &[u8], start: usize) -> Option<[f32; 4]> {
    let mut cursor = Cursor::new(bytes.get(start..)?, true);
    let mut box_ = [0f32; 4];
    for (at, side) in box_.iter_mut().enumerate() {
        if at > 0 && !cursor.take(b',') {
            return None;
        }
        *side = std::str::from_utf8(cursor.number().ok()?).ok()?.parse().ok()?;
    }
    Some(box_)
}

/// Where each row of `layout.bounds` begins, its bracket passed. O(bytes of the boxes).
fn rows(snapshot: &Capture, at: DocumentIndex) -> Vec<u32> {
    let document = &snapshot.documents[at];
    let Some(start) = document.bounds_at else { return Vec::new() };
    let bytes = bytes_of(snapshot, at);
    if bytes.get(start) == Some(&ENVELOPE) {
        return cbor::box_rows(bytes, start, document.layout_node.len());
    }
    let mut rows = Vec::with_capacity(document.layout_node.len());
    let mut position = start + 1;
    while rows.len() < document.layout_node.len() {
        let Some(offset) = bytes.get(position..).and_then(|rest| memchr(b'[', rest)) else { break };
        position += offset + 1;
        rows.push(position as u32);
    }
    rows
}
