//! Merkle hashes over the canonical form.
//!
//! Each node has a local hash (tag, text, state, attributes as a commutative sum of pair hashes) and folds its children
//! as a polynomial over 2^61 - 1: order-sensitive, and associative, so that a mirror may keep blocks of wide lists. Nodes
//! are in pre-order, so one scan from the end sees every child before its parent. O(nodes + bytes of distinct strings).
//!
//! - `digests`: three 128-bit digests with a fixed, published seed; the same on every machine. Not a cryptographic hash.
//!   **exact**: everything. **visible**: what is rendered, its text and the state of controls, without classes and
//!   styles. **struct**: tags, roles and classes that no program made up; equal neighbours count once; no text.
//! - `node_hashes`: 64 bits per node with a secret that this process drew, node ids and rendering included: equal means
//!   that the subtree needs no look. A page cannot know the secret, and so cannot hide a change behind a collision.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use xxhash_rust::xxh3::{xxh3_128_with_seed, xxh3_64_with_seed};

use crate::atom::Atom;
use crate::canonical::{collapse, looks_generated, tokens};
use crate::columns::{flag, rare, Document, ELEMENT, NONE};
use crate::snapshot::{PartInfo, Snapshot};

/// The published seed of stored digests: "stillfra" in ASCII. Changing anything here changes every stored digest.
pub const SEED: u64 = 0x7374_696c_6c66_7261;

const MODULUS: u64 = (1 << 61) - 1;

/// State that belongs to a node's local hash.
const STATE: u16 = flag::CHECKED | flag::SELECTED | flag::SHADOW;

/// The three digests of a page and, for each document and node, one 64-bit half of them.
pub struct Digests {
    pub exact: [u8; 16],
    pub visible: [u8; 16],
    pub structure: [u8; 16],
    /// By document: (exact, visible, struct) of every node; 0 where a node has no such hash.
    pub nodes: Vec<Vec<[u64; 3]>>,
}

/// By document, the session hash of every node; 0 for dropped ones.
pub struct NodeHashes {
    pub documents: Vec<Vec<u64>>,
    /// The bits that are kept: fewer than 64 only in tests.
    pub mask: u64,
}

#[inline(always)]
fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// `value * base + next` over 2^61 - 1, for `value` and `base` below 2^62.
#[inline(always)]
fn append(value: u64, base: u64, next: u64) -> u64 {
    let product = u128::from(value) * u128::from(base) + u128::from(next & MODULUS);
    let sum = (product as u64 & MODULUS) + (product >> 61) as u64;
    (sum & MODULUS) + (sum >> 61)
}

/// The secrets of one lane: eight for mixing and one base for the polynomial.
#[derive(Clone, Copy)]
struct Lane {
    key: [u64; 8],
    base: u64,
}

impl Lane {
    fn new(seed: u64) -> Self {
        let draw = |n: u64| xxh3_64_with_seed(&n.to_le_bytes(), seed);
        Self { key: std::array::from_fn(|n| draw(n as u64) | 1), base: draw(8) & MODULUS }
    }

    #[inline(always)]
    fn pair(&self, name: u64, value: u64) -> u64 {
        fold_multiply(name ^ self.key[0], value ^ self.key[1])
    }

    #[inline(always)]
    fn local(&self, name: u64, text: u64, state: u64, sum: u64) -> u64 {
        fold_multiply(name ^ self.key[2], text ^ self.key[3])
            .wrapping_add(fold_multiply(state ^ self.key[4], sum ^ self.key[5]))
    }

    #[inline(always)]
    fn subtree(&self, local: u64, children: u64) -> u64 {
        fold_multiply(local ^ self.key[6], children ^ self.key[7])
    }
}

// -- inside one process --------------------------------------------------------------------------------------------

/// The secret of this process.
pub fn session_secret() -> u64 {
    static SECRET: OnceLock<u64> = OnceLock::new();
    *SECRET.get_or_init(|| RandomState::new().hash_one(0))
}

/// Hash every node of every document with `secret`, keeping the bits of `mask`.
pub fn node_hashes(snapshot: &Snapshot, secret: u64, mask: u64) -> NodeHashes {
    let strings: Vec<Vec<u64>> = snapshot.parts.iter().map(|part| string_hashes(part, secret)).collect();
    let lane = Lane::new(secret);
    let documents = snapshot.documents.iter();
    let hash = |document: &Document| {
        let at = document.part as usize;
        session_document(document, &snapshot.parts[at], &strings[at], lane, mask, secret)
    };
    NodeHashes { documents: documents.map(hash).collect(), mask }
}

fn string_hashes(part: &PartInfo, secret: u64) -> Vec<u64> {
    let mut hashes = Vec::with_capacity(part.strings.len());
    part.strings.each(|bytes| hashes.push(xxh3_64_with_seed(bytes, secret)));
    hashes
}

#[inline(always)]
fn look_up(table: &[u64], id: u32) -> u64 {
    table.get(id as usize).copied().unwrap_or(0)
}

fn session_document(
    document: &Document,
    part: &PartInfo,
    strings: &[u64],
    lane: Lane,
    mask: u64,
    secret: u64,
) -> Vec<u64> {
    let n = document.len();
    let mut children = vec![1u64; n];
    let mut classes = vec![0u64; strings.len()];
    for node in (0..n).rev() {
        let bits = document.flags[node];
        if bits & flag::DROPPED != 0 {
            children[node] = 0;
            continue;
        }
        let mut sum = 0u64;
        for &[name, value] in document.attributes(node as u32) {
            let atom = part.atoms.get(name as usize).copied().unwrap_or(Atom::Other);
            if atom.is_noise() {
                continue;
            }
            let value = if atom == Atom::Class {
                class_hash(&mut classes, value, |value| class_sum(part, value, secret))
            } else {
                look_up(strings, value)
            };
            sum = sum.wrapping_add(lane.pair(look_up(strings, name), value));
        }
        if bits & flag::VALUE != 0 {
            sum = sum.wrapping_add(lane.pair(1, look_up(strings, live_value(document, node as u32))));
        }
        let name = look_up(strings, document.name[node]) ^ u64::from(document.bid[node]).wrapping_mul(lane.key[0]);
        let state = u64::from(bits & (STATE | flag::RENDERED)) | u64::from(document.kind[node]) << 16;
        let local = lane.local(name, look_up(strings, document.value[node]), state, sum);
        let hash = lane.subtree(local, children[node]) & mask;
        let parent = document.parent[node];
        if parent != NONE {
            let above = &mut children[parent as usize];
            *above = append(*above, lane.base, hash);
        }
        children[node] = hash;
    }
    children
}

fn class_hash(memo: &mut [u64], value: u32, make: impl FnOnce(u32) -> u64) -> u64 {
    match memo.get_mut(value as usize) {
        Some(slot) => {
            if *slot == 0 {
                *slot = make(value) | 1;
            }
            *slot
        }
        None => 1,
    }
}

/// A sum over distinct tokens: their order and repeats do not matter.
fn class_sum(part: &PartInfo, value: u32, seed: u64) -> u64 {
    let set = crate::canonical::token_set(part.strings.bytes(value));
    set.into_iter().fold(0, |sum: u64, token| sum.wrapping_add(xxh3_64_with_seed(token, seed)))
}

/// What an input or a textarea holds; `NONE` if the capture does not say.
pub fn live_value(document: &Document, node: u32) -> u32 {
    let value = rare(&document.input_value, node).or_else(|| rare(&document.text_value, node));
    value.unwrap_or(NONE)
}

// -- stored digests ------------------------------------------------------------------------------------------------

/// Two 64-bit lanes: a 128-bit hash.
type Pair = [u64; 2];

/// Hashes of the strings of a part, as they are needed for the three digests; `[0, 0]` means "not yet".
struct Table<'a> {
    part: &'a PartInfo,
    plain: Vec<Pair>,
    collapsed: Vec<Pair>,
    classes: Vec<Pair>,
    stable_classes: Vec<Pair>,
    scratch: Vec<u8>,
}

fn split(hash: u128) -> Pair {
    [(hash as u64) | 1, (hash >> 64) as u64]
}

fn hash_string(bytes: &[u8]) -> Pair {
    split(xxh3_128_with_seed(bytes, SEED))
}

impl<'a> Table<'a> {
    /// All strings are hashed now; else each when it is first asked for.
    fn new(part: &'a PartInfo, all: bool) -> Self {
        let count = part.strings.len();
        let empty = || vec![[0, 0]; count];
        let mut plain = Vec::new();
        if all {
            plain.reserve(count);
            part.strings.each(|bytes| plain.push(hash_string(bytes)));
        } else {
            plain = empty();
        }
        Self { part, plain, collapsed: empty(), classes: empty(), stable_classes: empty(), scratch: Vec::new() }
    }

    #[inline(always)]
    fn plain(&mut self, id: u32) -> Pair {
        match self.plain.get(id as usize) {
            None => [0, 0],
            Some([0, _]) => {
                let hash = hash_string(self.part.strings.bytes(id));
                self.plain[id as usize] = hash;
                hash
            }
            Some(&hash) => hash,
        }
    }

    /// The hash of a text as it is laid out.
    #[inline(always)]
    fn collapsed(&mut self, id: u32) -> Pair {
        match self.collapsed.get(id as usize) {
            None => [0, 0],
            Some([0, _]) => {
                let plain = self.plain(id);
                let bytes = self.part.strings.bytes(id);
                let text = collapse(bytes, &mut self.scratch);
                let hash = if text.len() == bytes.len() { plain } else { hash_string(text) };
                self.collapsed[id as usize] = hash;
                hash
            }
            Some(&hash) => hash,
        }
    }

    #[inline(always)]
    fn classes(&mut self, id: u32) -> (Pair, Pair) {
        let at = id as usize;
        if self.classes.get(at).is_none_or(|pair| pair[0] == 0) {
            let Some(slot) = self.classes.get_mut(at) else { return ([1, 0], [1, 0]) };
            let value = self.part.strings.bytes(id);
            *slot = sum_tokens(value, |_| true);
            self.stable_classes[at] =
                sum_tokens(value, |token| std::str::from_utf8(token).is_ok_and(|token| !looks_generated(token)));
        }
        (self.classes[at], self.stable_classes[at])
    }
}

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
fn add(sum: &mut Pair, other: Pair) {
    sum[0] = sum[0].wrapping_add(other[0]);
    sum[1] = sum[1].wrapping_add(other[1]);
}

/// One of the three digests in the making: two lanes.
#[derive(Clone, Copy)]
struct Form {
    lanes: [Lane; 2],
}

impl Form {
    fn new(number: u64) -> Self {
        Self { lanes: [Lane::new(SEED ^ (2 * number)), Lane::new(SEED ^ (2 * number + 1))] }
    }

    #[inline(always)]
    fn pair(&self, name: Pair, value: Pair) -> Pair {
        std::array::from_fn(|lane| self.lanes[lane].pair(name[lane], value[lane]))
    }

    #[inline(always)]
    fn node(&self, name: Pair, text: Pair, state: u64, sum: Pair, children: Pair) -> Pair {
        std::array::from_fn(|lane| {
            let keys = &self.lanes[lane];
            keys.subtree(keys.local(name[lane], text[lane], state, sum[lane]), children[lane])
        })
    }

    #[inline(always)]
    fn append(&self, children: &mut Pair, hash: Pair) {
        for lane in 0..2 {
            children[lane] = append(children[lane], self.lanes[lane].base, hash[lane]);
        }
    }
}

/// What the children of a node have come to so far.
#[derive(Clone, Copy)]
struct Sums {
    exact: Pair,
    visible: Pair,
    structure: Pair,
    /// The neighbour folded last: an equal one is not folded again.
    neighbour: u64,
}

impl Sums {
    const EMPTY: Self = Self { exact: [1, 1], visible: [1, 1], structure: [1, 1], neighbour: 0 };
}

struct Forms {
    exact: Form,
    visible: Form,
    structure: Form,
}

fn forms() -> &'static Forms {
    static FORMS: OnceLock<Forms> = OnceLock::new();
    FORMS.get_or_init(|| Forms { exact: Form::new(0), visible: Form::new(1), structure: Form::new(2) })
}

/// One half of each digest for the nodes of some subtrees: those of the whole page if they are known, else just these.
pub enum RegionHashes<'a> {
    Whole(&'a [[u64; 3]]),
    Part(std::collections::HashMap<u32, [u64; 3]>),
}

impl<'a> RegionHashes<'a> {
    /// The hashes of the subtrees at `roots`. O(their nodes), or O(all nodes) if the page has frames, whose documents
    /// belong to the hashes of what holds them.
    pub fn of(snapshot: &'a Snapshot, document: u32, roots: &[u32]) -> Self {
        if snapshot.documents.len() > 1 {
            return Self::Whole(&snapshot.digests().nodes[document as usize]);
        }
        if let Some(digests) = snapshot.known_digests() {
            return Self::Whole(&digests.nodes[document as usize]);
        }
        let columns = &snapshot.documents[document as usize];
        let mut table = Table::new(snapshot.part_of(document), false);
        let mut found = std::collections::HashMap::new();
        for &root in roots {
            let sums = vec![Sums::EMPTY; columns.size[root as usize] as usize];
            let (_, hashes) = digest_subtree(forms(), columns, &mut table, root, sums);
            found.extend((root..columns.end(root)).zip(hashes));
        }
        Self::Part(found)
    }

    /// (exact, visible, struct); zeros for a node that is in none of the subtrees or has no such hash.
    pub fn get(&self, node: u32) -> [u64; 3] {
        match self {
            Self::Whole(hashes) => hashes[node as usize],
            Self::Part(hashes) => hashes.get(&node).copied().unwrap_or_default(),
        }
    }
}

/// The digests of a whole page, and one half of each for every node.
pub fn digests(snapshot: &Snapshot) -> Digests {
    let forms = forms();
    let mut tables: Vec<Table> = snapshot.parts.iter().map(|part| Table::new(part, true)).collect();
    let mut nodes = vec![Vec::new(); snapshot.documents.len()];
    let mut roots = Sums::EMPTY;
    // Documents that frames hold, waiting for the turn of the document they are in.
    let mut held: Vec<(u32, u32, Sums)> = Vec::new();
    for &at in snapshot.order.iter().rev() {
        let document = &snapshot.documents[at as usize];
        let mut sums = vec![Sums::EMPTY; document.len()];
        for (_, node, frame) in held.iter().filter(|entry| entry.0 == at) {
            fold(forms, &mut sums[*node as usize], *frame, true, true);
        }
        held.retain(|entry| entry.0 != at);
        let (root, hashes) = digest_subtree(forms, document, &mut tables[document.part as usize], 0, sums);
        nodes[at as usize] = hashes;
        match snapshot.owner[at as usize] {
            Some(owner) => held.push((owner.document, owner.index, root)),
            None => fold(forms, &mut roots, root, true, true),
        }
    }
    let bytes = |pair: Pair| (u128::from(pair[0]) << 64 | u128::from(pair[1])).to_be_bytes();
    Digests { exact: bytes(roots.exact), visible: bytes(roots.visible), structure: bytes(roots.structure), nodes }
}

#[inline(always)]
fn fold(forms: &Forms, into: &mut Sums, child: Sums, visible: bool, element: bool) {
    forms.exact.append(&mut into.exact, child.exact);
    if visible {
        forms.visible.append(&mut into.visible, child.visible);
    }
    if element && into.neighbour != child.structure[0] {
        into.neighbour = child.structure[0];
        forms.structure.append(&mut into.structure, child.structure);
    }
}

/// Hash the subtree at `start`; `sums` has a place for each of its nodes.
fn digest_subtree(
    forms: &Forms,
    document: &Document,
    table: &mut Table,
    start: u32,
    mut sums: Vec<Sums>,
) -> (Sums, Vec<[u64; 3]>) {
    let start = start as usize;
    let mut hashes = vec![[0u64; 3]; sums.len()];
    let mut root = Sums::EMPTY;
    for at in (0..sums.len()).rev() {
        let node = start + at;
        let bits = document.flags[node];
        if bits & flag::DROPPED != 0 {
            continue;
        }
        let element = document.kind[node] == ELEMENT || document.kind[node] >= 9;
        let hash = digest_node(forms, document, table, node as u32, &sums[at]);
        let visible = bits & flag::RENDERED != 0;
        let shown = |pair: Pair, there: bool| if there { pair[0] } else { 0 };
        hashes[at] = [hash.exact[0], shown(hash.visible, visible), shown(hash.structure, element)];
        if at == 0 {
            root = hash;
        } else {
            let parent = document.parent[node] as usize - start;
            fold(forms, &mut sums[parent], hash, visible, element);
        }
    }
    (root, hashes)
}

#[inline(always)]
fn digest_node(forms: &Forms, document: &Document, table: &mut Table, node: u32, sums: &Sums) -> Sums {
    let at = node as usize;
    let bits = document.flags[at];
    let name = table.plain(document.name[at]);
    let kind = u64::from(document.kind[at]);
    if !matches!(document.kind[at], ELEMENT | 9 | 11) {
        let value = document.value[at];
        let shown = if bits & flag::PRE != 0 { table.plain(value) } else { table.collapsed(value) };
        return Sums {
            exact: forms.exact.node(name, table.plain(value), kind << 16, [0, 0], sums.exact),
            visible: forms.visible.node(name, shown, kind << 16, [0, 0], sums.visible),
            ..Sums::EMPTY
        };
    }
    let (mut exact, mut visible, mut structure) = ([0, 0], [0, 0], [0, 0]);
    for &[key, value] in document.attributes(node) {
        let atom = table.part.atoms.get(key as usize).copied().unwrap_or(Atom::Other);
        let key = table.plain(key);
        match atom {
            Atom::Nonce | Atom::Integrity => {}
            Atom::Class => {
                let (all, stable) = table.classes(value);
                add(&mut exact, forms.exact.pair(key, all));
                add(&mut structure, forms.structure.pair(key, stable));
            }
            _ => {
                let value = table.plain(value);
                add(&mut exact, forms.exact.pair(key, value));
                if atom.is_visible_state() {
                    add(&mut visible, forms.visible.pair(key, value));
                }
                if atom == Atom::Role {
                    add(&mut structure, forms.structure.pair(key, value));
                }
            }
        }
    }
    if bits & flag::VALUE != 0 {
        let value = table.plain(live_value(document, node));
        add(&mut exact, forms.exact.pair([1, 1], value));
        add(&mut visible, forms.visible.pair([1, 1], value));
    }
    let state = kind << 16 | u64::from(bits & STATE);
    Sums {
        exact: forms.exact.node(name, [0, 0], state, exact, sums.exact),
        visible: forms.visible.node(name, [0, 0], state, visible, sums.visible),
        structure: forms.structure.node(name, [0, 0], kind << 16, structure, sums.structure),
        neighbour: 0,
    }
}

/// The XXH3-128 of raw bytes: two captures of an idle page are equal byte for byte (reference: fact 3).
pub fn raw_digest(bytes: &[u8]) -> [u8; 16] {
    xxh3_128_with_seed(bytes, SEED).to_be_bytes()
}
