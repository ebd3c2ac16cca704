//! The parser's slow twin: serde_json reads everything, and the rules of a capture are checked one after the other.
//!
//! It knows only the columns that are compared; `None` means that this is not a capture. Shared by the fuzzer.
#![allow(dead_code)]

use serde_json::{Map, Value};
use stillframe_core::testing::capture::columns::Document;
use stillframe_core::testing::capture::parse::parse;
use stillframe_core::testing::capture::strings::NONE;
use stillframe_core::testing::page::bytes;

/// What is compared of one document.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns {
    pub parent: Vec<u32>,
    pub kind: Vec<u8>,
    pub name: Vec<u32>,
    pub value: Vec<u32>,
    pub backend_node_id: Vec<u32>,
    pub attributes: Vec<Vec<u32>>,
    pub inputs: Vec<(u32, u32)>,
    pub layout: Vec<u32>,
}

impl Columns {
    fn of(document: &Document) -> Self {
        let attributes = document.nodes().map(|node| document.attributes(node).as_flattened().to_vec());
        Self {
            attributes: attributes.collect(),
            parent: document.parent.clone(),
            kind: document.kind.clone(),
            name: document.name.clone(),
            value: document.value.clone(),
            backend_node_id: document.backend_node_id.clone(),
            inputs: document.input_value.iter().map(|&(node, value)| (node.number(), value)).collect(),
            layout: document.layout_node.clone(),
        }
    }
}

fn number(value: &Value) -> Option<u32> {
    match value.as_i64()? {
        -1 => Some(NONE),
        number => u32::try_from(number).ok().filter(|&number| number <= i32::MAX as u32),
    }
}

fn numbers(value: &Value) -> Option<Vec<u32>> {
    value.as_array()?.iter().map(number).collect()
}

fn rare(nodes: &Map<String, Value>, key: &str) -> Option<Vec<(u32, u32)>> {
    let Some(column) = nodes.get(key) else { return Some(Vec::new()) };
    let column = column.as_object()?;
    let index = column.get("index").map_or(Some(Vec::new()), numbers)?;
    let value = column.get("value").map_or(Some(vec![0; index.len()]), numbers)?;
    if index.len() != value.len() {
        return None;
    }
    let mut pairs: Vec<(u32, u32)> = index.into_iter().zip(value).collect();
    pairs.sort_by_key(|pair| pair.0);
    pairs.dedup_by_key(|pair| pair.0);
    Some(pairs)
}

fn columns(document: &Value) -> Option<Columns> {
    let document = document.as_object()?;
    let nodes = document.get("nodes")?.as_object()?;
    let column = |key: &str| numbers(nodes.get(key)?);
    let attributes: Option<Vec<Vec<u32>>> = nodes.get("attributes")?.as_array()?.iter().map(numbers).collect();
    let layout = document
        .get("layout")
        .map_or(Some(Vec::new()), |layout| layout.as_object()?.get("nodeIndex").map_or(Some(Vec::new()), numbers));
    let kind: Option<Vec<u8>> = column("nodeType")?.into_iter().map(|kind| u8::try_from(kind).ok()).collect();
    Some(Columns {
        parent: column("parentIndex")?,
        kind: kind?,
        name: column("nodeName")?,
        value: column("nodeValue")?,
        backend_node_id: column("backendNodeId")?,
        attributes: attributes?,
        inputs: rare(nodes, "inputValue")?,
        layout: layout?,
    })
}

/// Whether the columns fit together, and fit a table of this many strings.
fn fits(columns: &Columns, strings: usize) -> bool {
    let n = columns.parent.len();
    let lengths = [columns.kind.len(), columns.name.len(), columns.value.len(), columns.backend_node_id.len()];
    let known = |&id: &u32| id == NONE || (id as usize) < strings;
    lengths.into_iter().all(|length| length == n)
        && columns.attributes.len() == n
        && columns.attributes.iter().all(|pairs| pairs.len() % 2 == 0 && pairs.iter().all(known))
        && columns.name.iter().chain(&columns.value).all(known)
        && columns.inputs.iter().all(|pair| (pair.0 as usize) < n && known(&pair.1))
        && columns.layout.iter().all(|&node| (node as usize) < n)
        && is_preorder(&columns.parent)
}

/// Each node but the first hangs under its predecessor or one of that node's ancestors.
fn is_preorder(parent: &[u32]) -> bool {
    let ancestors = |mut node: u32| {
        let mut line = vec![node];
        while parent[node as usize] != NONE {
            node = parent[node as usize];
            line.push(node);
        }
        line
    };
    parent.first() == Some(&NONE)
        && (1..parent.len()).all(|node| {
            let line = ancestors(node as u32 - 1);
            line.contains(&parent[node])
        })
}

/// The documents of a capture, if it is one by what this module knows.
pub fn slow_parse(data: &[u8]) -> Option<Vec<Columns>> {
    let value: Value = serde_json::from_slice(data).ok()?;
    let top = value.as_object()?;
    let result = if top.contains_key("documents") { top } else { top.get("result")?.as_object()? };
    let strings = result.get("strings")?.as_array()?;
    if !strings.iter().all(Value::is_string) {
        return None;
    }
    let documents: Option<Vec<Columns>> = result.get("documents")?.as_array()?.iter().map(columns).collect();
    documents.filter(|documents| !documents.is_empty() && documents.iter().all(|one| fits(one, strings.len())))
}

/// Panic unless parser and twin say the same of `data`, as far as both can tell.
///
/// The parser takes a little more than JSON (values nobody wants are skipped without a closer look; keys may repeat), so
/// what only it accepts says nothing; and it checks a little more (rare columns, styles) than the twin does.
pub fn compare(data: &[u8]) {
    let (fast, slow) = (parse(bytes(data.to_vec())), slow_parse(data));
    match (&fast, &slow) {
        (Ok(part), Some(documents)) => {
            let found: Vec<Columns> = part.documents.iter().map(Columns::of).collect();
            assert_eq!(&found, documents);
        }
        (Err(error), _) => assert!(error.offset <= data.len()),
        _ => {}
    }
}

/// As `compare`, for captures damaged only in ways that the twin judges too: then both must say the same.
pub fn agree(data: &[u8]) {
    compare(data);
    assert_eq!(parse(bytes(data.to_vec())).is_ok(), slow_parse(data).is_some(), "{}", String::from_utf8_lossy(data));
}
