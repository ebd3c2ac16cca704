//! Stages (d) and (e): the children of matched parents, by content, by shape, by being the only one of their kind, by a
//! similar text, and at last by their order.

use std::collections::HashMap;

use rapidfuzz::distance::indel;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::NodeIndex;
use crate::capture::strings::NONE;
use crate::diff::cross::engine::{EXACT, Engine, LOOSE, SIMILAR};
use crate::diff::cross::lcs::common;
use crate::diff::cross::limits::Context;
use crate::diff::cross::side::Side;
use crate::digest::canonical::{looks_generated, token_set};
use crate::digest::seed::SEED;

/// Two texts are similar if this share of their letters is common, in order.
const SIMILARITY: f64 = 0.5;

/// Siblings that are compared text by text, each with each.
const FEW: usize = 8;

/// Bytes of a text that are compared.
const COMPARED: usize = 128;

/// Nodes that are looked at for these bytes.
const LOOKED_AT: u32 = 64;

/// Match the children of all matched nodes, parents first.
pub fn place_all(engine: &mut Engine, contexts: &[Context]) {
    for context in contexts {
        let (one, two) = engine.oriented(context);
        place(engine, one, two);
    }
    let mut at = 0;
    while at < engine.b.own.len() && !engine.approximate {
        let node = engine.b.own[at];
        at += 1;
        if let Some(partner) = engine.b.partner.get(node) {
            if engine.b.how[node] == EXACT {
                let end = engine.b.document.end(node);
                at += engine.b.own[at..].partition_point(|&other| other < end);
            } else {
                place(engine, partner, node);
            }
        }
    }
}

fn place(engine: &mut Engine, one: NodeIndex, two: NodeIndex) {
    let (mut ones, mut twos) = (engine.a.free_children(one), engine.b.free_children(two));
    if ones.is_empty() || twos.is_empty() || !engine.spend(ones.len() + twos.len()) {
        return;
    }
    by_content(engine, &mut ones, &mut twos);
    if is_over(engine, &mut ones, &mut twos) {
        return;
    }
    by_shape(engine, &ones, &twos);
    if is_over(engine, &mut ones, &mut twos) {
        return;
    }
    only_ones(engine, [one, two], &ones, &twos);
    cells(engine, one, two);
    if is_over(engine, &mut ones, &mut twos) {
        return;
    }
    by_similarity(engine, &ones, &twos);
    if !is_over(engine, &mut ones, &mut twos) {
        texts_in_order(engine, &ones, &twos);
    }
}

/// Take out what was matched; whether nothing is left to be done, or no work to do it with.
fn is_over(engine: &Engine, ones: &mut Vec<NodeIndex>, twos: &mut Vec<NodeIndex>) -> bool {
    ones.retain(|&node| engine.a.is_free(node));
    twos.retain(|&node| engine.b.is_free(node));
    ones.is_empty() || twos.is_empty() || engine.approximate
}

fn contents(side: &Side, nodes: &[NodeIndex]) -> Vec<u64> {
    nodes.iter().map(|&node| side.exact(node)).collect()
}

fn shapes(side: &Side, nodes: &[NodeIndex]) -> Vec<u64> {
    nodes.iter().map(|&node| side.shape(node)).collect()
}

/// Equal subtrees: those in order, then those that changed places.
fn by_content(engine: &mut Engine, ones: &mut Vec<NodeIndex>, twos: &mut Vec<NodeIndex>) {
    for _ in 0..2 {
        let (ours, theirs) = (contents(&engine.a, ones), contents(&engine.b, twos));
        let mut steps = 0;
        let pairs = common(&ours, &theirs, &mut steps);
        if pairs.is_empty() || !engine.spend(steps) {
            return;
        }
        for (x, y) in pairs {
            engine.take(ones[x], twos[y]);
        }
        if is_over(engine, ones, twos) {
            return;
        }
    }
}

/// Elements of one shape, in order, that say something similar.
fn by_shape(engine: &mut Engine, ones: &[NodeIndex], twos: &[NodeIndex]) {
    let elements = |side: &Side, nodes: &[NodeIndex]| -> Vec<NodeIndex> {
        nodes.iter().copied().filter(|&node| side.shape(node) != 0).collect()
    };
    let (ones, twos) = (elements(&engine.a, ones), elements(&engine.b, twos));
    let mut steps = 0;
    let pairs = common(&shapes(&engine.a, &ones), &shapes(&engine.b, &twos), &mut steps);
    if !engine.spend(steps) {
        return;
    }
    for (x, y) in pairs {
        let Some(found) = similarity(engine, ones[x], twos[y]).filter(|&found| found >= SIMILARITY) else { continue };
        if engine.is_alike(ones[x], twos[y]) {
            engine.pair(ones[x], twos[y], if found <= 1.0 { SIMILAR } else { LOOSE });
        }
    }
}

/// Elements whose tag and classes no sibling has.
fn only_ones(engine: &mut Engine, parents: [NodeIndex; 2], ones: &[NodeIndex], twos: &[NodeIndex]) {
    let all =
        |side: &Side, parent: NodeIndex| side.document.children(parent).filter(|&c| side.document.has_tag(c)).collect();
    let (ours, theirs): (Vec<NodeIndex>, Vec<NodeIndex>) = (all(&engine.a, parents[0]), all(&engine.b, parents[1]));
    if ones.iter().all(|&node| !engine.a.document.has_tag(node)) || !engine.spend(ours.len() + theirs.len()) {
        return;
    }
    let (ours, theirs) = (by_kind(&engine.a, &ours), by_kind(&engine.b, &theirs));
    let mut candidates: HashMap<u64, NodeIndex> = HashMap::new();
    for &node in ones.iter().filter(|&&node| engine.a.document.has_tag(node)) {
        let key = kind_key(&engine.a, node);
        if ours.get(&key) == Some(&1) && theirs.get(&key) == Some(&1) {
            candidates.insert(key, node);
        }
    }
    for &node in twos.iter().filter(|_| !candidates.is_empty()) {
        let Some(&one) = candidates.get(&kind_key(&engine.b, node)) else { continue };
        if engine.b.document.has_tag(node) && engine.a.is_free(one) && engine.is_alike(one, node) {
            engine.pair(one, node, LOOSE);
        }
    }
}

fn by_kind(side: &Side, nodes: &[NodeIndex]) -> HashMap<u64, u32> {
    let mut counts = HashMap::new();
    for &node in nodes {
        *counts.entry(kind_key(side, node)).or_default() += 1;
    }
    counts
}

/// Tag and lasting classes.
fn kind_key(side: &Side, node: NodeIndex) -> u64 {
    let tag = xxh3_64_with_seed(side.part.strings.bytes(side.document.name[node]), SEED);
    let classes = side.attribute(node, Atom::Class).unwrap_or("");
    let lasting = token_set(classes.as_bytes())
        .into_iter()
        .filter(|token| std::str::from_utf8(token).is_ok_and(|token| !looks_generated(token)));
    lasting.fold(tag, |sum, token| sum.wrapping_add(xxh3_64_with_seed(token, tag)))
}

/// The cells of a row go by their column.
fn cells(engine: &mut Engine, one: NodeIndex, two: NodeIndex) {
    if engine.a.tag(one) != Atom::Tr {
        return;
    }
    let all = |side: &Side, parent: NodeIndex| -> Vec<NodeIndex> {
        side.document.children(parent).filter(|&child| side.document.has_tag(child)).collect()
    };
    let (ours, theirs) = (all(&engine.a, one), all(&engine.b, two));
    if ours.len() != theirs.len() || !engine.spend(ours.len()) {
        return;
    }
    for (x, y) in ours.into_iter().zip(theirs) {
        if engine.a.is_free(x) && engine.b.is_free(y) && engine.is_alike(x, y) {
            engine.pair(x, y, LOOSE);
        }
    }
}

/// A few siblings, each compared with each: the most similar pairs first.
fn by_similarity(engine: &mut Engine, ones: &[NodeIndex], twos: &[NodeIndex]) {
    if ones.len() >= FEW || twos.len() >= FEW {
        return;
    }
    let mut scored: Vec<(u32, NodeIndex, NodeIndex)> = Vec::new();
    for &two in twos {
        for &one in ones {
            if engine.is_alike(one, two) {
                let found = similarity(engine, one, two).filter(|found| (SIMILARITY..=1.0).contains(found));
                scored.extend(found.map(|found| ((found * 1e6) as u32, one, two)));
            }
        }
    }
    scored.sort_by_key(|&(score, one, two)| (std::cmp::Reverse(score), two, one));
    for (_, one, two) in scored {
        if engine.a.is_free(one) && engine.b.is_free(two) {
            engine.pair(one, two, SIMILAR);
        }
    }
}

/// What is left of the texts: the element they stand in reports them anyhow.
fn texts_in_order(engine: &mut Engine, ones: &[NodeIndex], twos: &[NodeIndex]) {
    let texts = |side: &Side, nodes: &[NodeIndex]| -> Vec<NodeIndex> {
        nodes.iter().copied().filter(|&node| side.document.is_text(node)).collect()
    };
    let (ones, twos) = (texts(&engine.a, ones), texts(&engine.b, twos));
    for (&one, &two) in ones.iter().zip(&twos) {
        if engine.is_alike(one, two) {
            let is_similar = similarity(engine, one, two).is_some_and(|found| found >= SIMILARITY);
            engine.pair(one, two, if is_similar { SIMILAR } else { LOOSE });
        }
    }
}

/// How similar the texts of two subtrees are, 0 to 1; 2 if neither has any. None if there is no work left.
fn similarity(engine: &mut Engine, one: NodeIndex, two: NodeIndex) -> Option<f64> {
    let (ours, theirs) = (words(&engine.a, one), words(&engine.b, two));
    let steps = (ours.len() + theirs.len()) / 8 + ours.len() * theirs.len() / 1024 + 1;
    if !engine.spend(steps) {
        return None;
    }
    if ours.is_empty() && theirs.is_empty() {
        return Some(2.0);
    }
    Some(indel::normalized_similarity(ours, theirs))
}

/// The beginning of what a subtree says: its texts, and what stands for a picture or a field.
fn words(side: &Side, root: NodeIndex) -> Vec<u8> {
    let mut words = Vec::new();
    let mut looked = 0;
    let mut node = root;
    while node < side.document.end(root) && words.len() < COMPARED && looked < LOOKED_AT {
        looked += 1;
        if side.document.has(node, flag::DROPPED) {
            node = side.document.end(node);
            continue;
        }
        let value = side.document.value[node];
        if side.document.is_text(node) && value != NONE {
            words.extend_from_slice(side.part.strings.bytes(value));
        } else {
            for atom in [Atom::Alt, Atom::AriaLabel, Atom::Placeholder] {
                words.extend_from_slice(side.attribute(node, atom).unwrap_or("").as_bytes());
            }
        }
        node += 1;
    }
    words.truncate(COMPARED);
    words
}
