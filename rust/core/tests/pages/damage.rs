//! Captures damaged by structure: numbers swapped for impossible ones, lists cut or reordered, keys lost or moved.
#![allow(dead_code)]

use serde_json::{Map, Value};
use stillframe_core::testing::page::{Encoding, TestTree, card_grid};

/// The columns of `nodes` that parser and twin both judge.
const COLUMNS: [&str; 6] = ["parentIndex", "nodeType", "nodeName", "nodeValue", "backendNodeId", "attributes"];
const NUMBERS: [i64; 12] = [-1, -2, 0, 1, 3, 9, 255, 256, 9_999_999, 10_000_000, i32::MAX as i64, i32::MAX as i64 + 1];

/// Decisions drawn from the bytes of the fuzzer, or of a generator; noughts when they run out.
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn is_over(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn below(&mut self, limit: usize) -> usize {
        let (head, tail) = self.bytes.split_at(self.bytes.len().min(2));
        self.bytes = tail;
        let number = head.iter().fold(0usize, |number, &byte| number << 8 | usize::from(byte));
        number % limit.max(1)
    }
}

/// A page of a size that is drawn, as JSON values.
fn page(choices: &mut Choices) -> Value {
    let mut tree = card_grid([0, 20, 60, 200][choices.below(4)]);
    for _ in 0..choices.below(6) {
        let input = tree.element(TestTree::BODY, "INPUT", &[("name", "n")]);
        tree.nodes[input].live = Some("\u{1f600}\\\"\n".to_owned());
    }
    let encoding = Encoding { reverse_keys: choices.below(2) == 1, rotate: choices.below(9), ..Encoding::default() };
    serde_json::from_slice(&tree.encode(&encoding)).expect("a made-up page is JSON")
}

fn nodes(page: &mut Value) -> Option<&mut Map<String, Value>> {
    page["documents"][0]["nodes"].as_object_mut()
}

/// One piece of damage.
fn damage(page: &mut Value, choices: &mut Choices) {
    let key = COLUMNS[choices.below(COLUMNS.len())];
    let Some(nodes) = nodes(page) else { return };
    let Some(list) = nodes.get_mut(key).and_then(Value::as_array_mut) else { return };
    let (at, other) = (choices.below(list.len()), choices.below(list.len()));
    match choices.below(8) {
        0..=2 if at < list.len() => {
            let number = Value::from(NUMBERS[choices.below(NUMBERS.len())]);
            match list[at].as_array_mut() {
                Some(pairs) => pairs.push(number),
                None => list[at] = number,
            }
        }
        3 => list.truncate(at),
        4 if at < list.len() => list.swap(at, other),
        5 if at < list.len() => list.insert(at, list[other].clone()),
        6 => drop(nodes.remove(key)),
        7 if at < list.len() => {
            list[at] =
                [Value::Null, Value::from("1"), Value::from(1.5), Value::Array(Vec::new())][choices.below(4)].clone();
        }
        _ => {}
    }
}

/// A capture with up to three pieces of damage, written down as one of several writers would.
pub fn damaged(choices: &mut Choices) -> Vec<u8> {
    let mut page = page(choices);
    for _ in 0..choices.below(4) {
        damage(&mut page, choices);
    }
    let text = match choices.below(3) {
        0 => serde_json::to_string_pretty(&page),
        1 => serde_json::to_string(&serde_json::json!({ "id": 7, "result": page })),
        _ => serde_json::to_string(&page),
    };
    text.unwrap_or_default().into_bytes()
}
