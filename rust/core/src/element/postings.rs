//! Which nodes bear a token: the inverted index of a document, and how one is collected.
//!
//! Built in one pass, O(nodes + attributes). Postings are in document order, so that those inside an element are one slice
//! of them (Manning et al., Introduction to Information Retrieval, ch. 1).

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{Interval, NodeIndex};
use crate::capture::page::PartInfo;
use crate::capture::strings::NONE;
use crate::digest::canonical::tokens;
use crate::element::tokens::{Kind, LONGEST_VALUE, fold_hash, is_indexed, mix, value_token};
use crate::hash::by_hash::ByHash;

/// The part of `nodes`, which are sorted, that lies in `start..end`.
pub fn between(nodes: &[NodeIndex], interval: Interval) -> &[NodeIndex] {
    let from = nodes.partition_point(|&node| node < interval.start);
    let until = from + nodes[from..].partition_point(|&node| node < interval.end);
    &nodes[from..until]
}

/// Hashes of strings, each computed on first use.
struct Hashes<'a> {
    part: &'a PartInfo,
    known: Vec<u64>,
}

impl Hashes<'_> {
    #[inline(always)]
    fn of(&mut self, id: u32) -> u64 {
        let Some(slot) = self.known.get_mut(id as usize) else { return 1 };
        if *slot == 0 {
            *slot = fold_hash(self.part.strings.bytes(id));
        }
        *slot
    }
}

/// Tokens to the nodes that bear them.
#[derive(Default)]
pub struct Postings {
    numbers: ByHash<u32>,
    /// Where the nodes of each token begin; one more at the end.
    starts: Vec<u32>,
    nodes: Vec<NodeIndex>,
}

impl Postings {
    pub fn get(&self, token: u64) -> &[NodeIndex] {
        let Some(&number) = self.numbers.get(&token) else { return &[] };
        &self.nodes[self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize]
    }
}

/// Postings in the making: nodes come in document order.
#[derive(Default)]
pub struct Collector {
    numbers: ByHash<u32>,
    counts: Vec<u32>,
    /// Of each bearer the number of its token, and its node.
    pairs: Vec<(u32, NodeIndex)>,
}

impl Collector {
    #[inline(always)]
    pub fn number(&mut self, token: u64) -> u32 {
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(token).or_insert(next);
        if number == next {
            self.counts.push(0);
        }
        number
    }

    #[inline(always)]
    pub fn add(&mut self, number: u32, node: NodeIndex) {
        self.counts[number as usize] += 1;
        self.pairs.push((number, node));
    }

    pub fn finish(self) -> Postings {
        let mut starts = Vec::with_capacity(self.counts.len() + 1);
        let mut sum = 0u32;
        for count in &self.counts {
            starts.push(sum);
            sum += count;
        }
        starts.push(sum);
        let mut next = starts.clone();
        let mut nodes = vec![NodeIndex::ROOT; self.pairs.len()];
        for (number, node) in self.pairs {
            let slot = &mut next[number as usize];
            nodes[*slot as usize] = node;
            *slot += 1;
        }
        Postings { numbers: self.numbers, starts, nodes }
    }
}

pub(super) fn collect(document: &Document, part: &PartInfo) -> Postings {
    let count = part.strings.len();
    let mut collector = Collector::default();
    let mut hashes = Hashes { part, known: vec![0; count] };
    let mut tags = vec![NONE; count];
    // Of a `class` value seen before: where the numbers of its tokens stand.
    let mut classes: Vec<(u32, u32)> = vec![(NONE, 0); count];
    let mut class_numbers: Vec<u32> = Vec::new();
    collector.pairs.reserve(2 * document.len());
    for node in document.nodes() {
        if !document.has_tag(node) || document.has(node, flag::PSEUDO) {
            continue;
        }
        let name = document.name[node];
        if let Some(tag) = tags.get_mut(name as usize) {
            if *tag == NONE {
                *tag = collector.number(mix(hashes.of(name), Kind::Tag as u64));
            }
            collector.add(*tag, node);
        }
        for &[name, value] in document.attributes(node) {
            let Some(&atom) = part.atoms.get(name as usize) else { continue };
            match atom {
                Atom::Class => {
                    let Some(&(start, len)) = classes.get(value as usize) else { continue };
                    let (start, len) = if start == NONE {
                        let start = class_numbers.len() as u32;
                        for class in tokens(part.strings.bytes(value)) {
                            class_numbers.push(collector.number(mix(fold_hash(class), Kind::Class as u64)));
                        }
                        let len = each_once(&mut class_numbers, start as usize);
                        classes[value as usize] = (start, len);
                        (start, len)
                    } else {
                        (start, len)
                    };
                    for &number in &class_numbers[start as usize..(start + len) as usize] {
                        collector.add(number, node);
                    }
                }
                Atom::Id => {
                    let number = collector.number(mix(hashes.of(value), Kind::Id as u64));
                    collector.add(number, node);
                }
                atom if is_indexed(atom) && part.strings.bytes(value).len() <= LONGEST_VALUE => {
                    let (name, value) = (hashes.of(name), hashes.of(value));
                    let number = collector.number(value_token(name, value));
                    collector.add(number, node);
                }
                _ => {}
            }
        }
    }
    collector.finish()
}

/// Leave each number of `numbers[start..]` once; how many remain.
fn each_once(numbers: &mut Vec<u32>, start: usize) -> u32 {
    numbers[start..].sort_unstable();
    let mut kept = start;
    for at in start..numbers.len() {
        if kept == start || numbers[kept - 1] != numbers[at] {
            numbers[kept] = numbers[at];
            kept += 1;
        }
    }
    numbers.truncate(kept);
    (kept - start) as u32
}
