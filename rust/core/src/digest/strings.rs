//! The hashes of a string table, each string hashed once.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::capture::page::PartInfo;
use crate::digest::canonical::{collapse, looks_generated, needs_collapse, tokens};
use crate::digest::seed::SEED;

/// Two 64-bit lanes: a 128-bit hash.
pub type Pair = [u64; 2];

/// What is not hashed yet; no hash has a first lane of 0.
const UNKNOWN: Pair = [0, 0];

/// The hashes of one part's strings that the stored digests need.
pub struct Table<'a> {
    pub part: &'a PartInfo,
    plain: Vec<Pair>,
    /// By string: 0 while nobody asked how it is laid out, `AS_IS` or `OTHERWISE`.
    layout: Vec<u8>,
    /// Texts that are laid out otherwise than they are written.
    collapsed: HashMap<u32, Pair>,
    /// By string: one more than its place in `classes`; 0 until it occurs as a class.
    class_at: Vec<u32>,
    classes: Vec<Classes>,
    scratch: Vec<u8>,
}

/// What a class attribute adds to a local hash: with all its tokens, and with those that no program made up.
#[derive(Clone, Copy)]
pub struct Classes {
    pub all: Pair,
    pub lasting: Pair,
}

const AS_IS: u8 = 1;
const OTHERWISE: u8 = 2;

fn hash_string(bytes: &[u8]) -> Pair {
    let hash = xxh3_128_with_seed(bytes, SEED);
    [(hash as u64) | 1, (hash >> 64) as u64]
}

impl<'a> Table<'a> {
    /// Whether all strings are hashed at once; otherwise each is hashed on first use.
    pub fn new(part: &'a PartInfo, all: bool) -> Self {
        let count = part.strings.len();
        let mut plain = Vec::with_capacity(count);
        if all {
            part.strings.each(|bytes| plain.push(hash_string(bytes)));
        } else {
            plain.resize(count, UNKNOWN);
        }
        Self {
            part,
            plain,
            layout: vec![0; count],
            collapsed: HashMap::new(),
            class_at: vec![0; count],
            classes: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The hash of a string as it is written; zeros for `NONE`.
    #[inline(always)]
    pub fn plain(&mut self, id: u32) -> Pair {
        match self.plain.get(id as usize) {
            Some(&hash) if hash[0] != 0 => hash,
            _ => self.first(id),
        }
    }

    #[cold]
    fn first(&mut self, id: u32) -> Pair {
        let Some(slot) = self.plain.get_mut(id as usize) else { return UNKNOWN };
        *slot = hash_string(self.part.strings.bytes(id));
        *slot
    }

    /// The hash of a text as it is laid out: runs of whitespace are one space, ends are trimmed.
    #[inline(always)]
    pub fn collapsed(&mut self, id: u32) -> Pair {
        match self.layout.get(id as usize) {
            None => UNKNOWN,
            Some(&AS_IS) => self.plain(id),
            Some(&OTHERWISE) => self.collapsed.get(&id).copied().unwrap_or(UNKNOWN),
            Some(_) => self.lay_out(id),
        }
    }

    fn lay_out(&mut self, id: u32) -> Pair {
        let bytes = self.part.strings.bytes(id);
        if !needs_collapse(bytes) {
            self.layout[id as usize] = AS_IS;
            return self.plain(id);
        }
        let hash = hash_string(collapse(bytes, &mut self.scratch));
        self.layout[id as usize] = OTHERWISE;
        self.collapsed.insert(id, hash);
        hash
    }

    /// The hash of a text of which every number is left out. Not remembered: only masks ask for it.
    pub fn without_digits(&mut self, id: u32) -> Pair {
        let bytes = self.part.strings.bytes(id);
        let mut text = Vec::with_capacity(bytes.len());
        crate::digest::canonical::without_digits(collapse(bytes, &mut self.scratch), &mut text);
        hash_string(&text)
    }

    /// What the class attribute with this value comes to; `pair` hashes an attribute from its value.
    #[inline(always)]
    pub fn classes(&mut self, id: u32, pair: impl Fn(Pair) -> Pair) -> &Classes {
        let at = match self.class_at.get(id as usize) {
            Some(&at @ 1..) => at,
            _ => self.first_classes(id, pair),
        };
        &self.classes[at as usize - 1]
    }

    #[cold]
    fn first_classes(&mut self, id: u32, pair: impl Fn(Pair) -> Pair) -> u32 {
        let value = self.part.strings.bytes(id);
        let lasting = |token: &[u8]| std::str::from_utf8(token).is_ok_and(|token| !looks_generated(token));
        let (all, lasting) = (pair(sum_tokens(value, |_| true)), pair(sum_tokens(value, lasting)));
        self.classes.push(Classes { all, lasting });
        let at = self.classes.len() as u32;
        if let Some(slot) = self.class_at.get_mut(id as usize) {
            *slot = at;
        }
        at
    }
}

/// A sum over distinct tokens: their order and repeats do not matter.
fn sum_tokens(value: &[u8], keep: impl Fn(&[u8]) -> bool) -> Pair {
    let mut set: Vec<&[u8]> = tokens(value).filter(|token| keep(token)).collect();
    set.sort_unstable();
    set.dedup();
    let mut sum = [0u64; 2];
    for token in set {
        add(&mut sum, hash_string(token));
    }
    [sum[0] | 1, sum[1]]
}

#[inline(always)]
pub fn add(sum: &mut Pair, other: Pair) {
    sum[0] = sum[0].wrapping_add(other[0]);
    sum[1] = sum[1].wrapping_add(other[1]);
}
