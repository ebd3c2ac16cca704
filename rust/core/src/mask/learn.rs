//! Learns masks from quiet probes: what changes while nobody acts.
//!
//! A learner sees one snapshot after the other and notes, by place, what differs from the one before. What differs in
//! three of the last five probes is masked, as narrowly as explains three of them; after ten probes without a change
//! there the mask is gone. Places survive a re-render (`step`). No clock, no page: the order of the calls is all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::Node;
use crate::digest::canonical::{collapse, live_value, token_set, without_digits};
use crate::element::snapshot::Snapshot;
use crate::hash::mix::fold_multiply;
use crate::mask::level::Level;
use crate::mask::masks::{Focus, Guard, Learned, Masks};
use crate::mask::places::{Child, Places};

/// Probes that are remembered, and the number of them with a change that makes a mask.
const WINDOW: usize = 5;
const ENOUGH: usize = 3;
/// After this many probes without a change a mask is gone.
const DECAY: u8 = 10;
/// Places that are remembered at once; changes in more are noise of another kind, or the probe was not quiet.
const MOST_PLACES: usize = 1024;
/// Changes that are noted of one probe: each remembers its path.
const MOST_NOTES: usize = 4 * MOST_PLACES;
/// Places deeper than this are not learned: a path is remembered step by step.
const DEEPEST: usize = 256;

/// How wide a change is within its lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    #[default]
    None,
    Narrow,
    Wide,
}

/// What is known of one lane (text, attributes, subtree) of one place.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The last probes, the newest first.
    ring: [Width; WINDOW],
    /// Whether such a change was a member of a list coming or going, which has a place of its own: it counts against
    /// the list only if it is there in all probes, so that the member is masked and not the list.
    by_member: [bool; WINDOW],
    mask: Width,
    quiet: u8,
}

impl Lane {
    fn advance(&mut self) {
        self.ring.rotate_right(1);
        self.by_member.rotate_right(1);
        (self.ring[0], self.by_member[0]) = (Width::None, false);
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet >= DECAY {
            self.mask = Width::None;
        }
    }

    fn note(&mut self, width: Width, by_member: bool) {
        self.by_member[0] = by_member && (self.by_member[0] || self.ring[0] == Width::None);
        self.ring[0] = self.ring[0].max(width);
        self.quiet = 0;
    }

    fn changed(&self) -> usize {
        self.ring.iter().filter(|&&width| width != Width::None).count()
    }

    /// The narrowest width that explains enough of the changes; None while they are too few.
    fn due(&self) -> Option<Width> {
        let own = self.ring.iter().zip(&self.by_member).filter(|entry| !entry.1).map(|entry| *entry.0);
        let mut own: Vec<Width> = own.filter(|&width| width != Width::None).collect();
        own.sort_unstable();
        match own.get(ENOUGH - 1) {
            Some(&width) => Some(width),
            None => (self.changed() == WINDOW).then(|| self.ring.into_iter().max().unwrap_or_default()),
        }
    }

    fn is_forgotten(&self) -> bool {
        self.mask == Width::None && self.changed() == 0
    }
}

const TEXT_LANE: usize = 0;
const ATTRIBUTE_LANE: usize = 1;
const TREE_LANE: usize = 2;

/// By lane, the level of a narrow and of a wide mask.
const LEVELS: [[Level; 2]; 3] =
    [[Level::Digits, Level::Text], [Level::Style, Level::Attributes], [Level::Structure, Level::Subtree]];

struct Entry {
    path: Vec<u64>,
    lanes: [Lane; 3],
}

/// Something that differs between two probes.
struct Note {
    key: u64,
    path: Vec<u64>,
    lane: usize,
    width: Width,
    by_member: bool,
    /// Where it is now, or was.
    node: Node,
    is_gone: bool,
}

/// Learns which nodes a page changes by itself, from snapshots taken while nobody acts.
///
/// It keeps the last snapshot and up to 1024 places of at most 2 kB each.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{MaskLearner, Snapshot};
///
/// let mut learner = MaskLearner::default();
/// for raw in [BEFORE, AFTER, BEFORE, AFTER] {
///     learner.observe(Arc::new(Snapshot::from_cdp(Arc::new(raw))?), None);
/// }
/// assert_eq!(learner.probes(), 3);
/// let masks = learner.masks(true);
/// let (one, other) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// assert_ne!(one.digests().visible, other.digests().visible);
/// assert_eq!(masks.apply(&one, None).digests.visible, masks.apply(&other, None).digests.visible);
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Default)]
pub struct MaskLearner {
    entries: HashMap<u64, Entry>,
    last: Option<Arc<Snapshot>>,
    probes: u32,
}

impl MaskLearner {
    /// Take `snapshot` as the state of the page from which on nobody acts: what led to it is nobody's noise.
    pub fn rebase(&mut self, snapshot: Arc<Snapshot>) {
        self.last = Some(snapshot);
    }

    /// Take `snapshot` as a quiet probe: nobody has acted since the last one. O(nodes).
    pub fn observe(&mut self, snapshot: Arc<Snapshot>, focus: Option<&Focus>) {
        let Some(before) = self.last.replace(snapshot.clone()) else { return };
        self.probes = self.probes.saturating_add(1);
        let notes = Comparison::new(&before, &snapshot, &self.entries).notes();
        for lane in self.entries.values_mut().flat_map(|entry| &mut entry.lanes) {
            lane.advance();
        }
        self.entries.retain(|_, entry| entry.lanes.iter().any(|lane| !lane.is_forgotten()));
        let (was, is) = (Guard::new(&before, focus), Guard::new(&snapshot, focus));
        for note in notes {
            let is_full = self.entries.len() >= MOST_PLACES;
            if is_full && !self.entries.contains_key(&note.key) {
                continue;
            }
            let entry = self.entries.entry(note.key);
            let entry = entry.or_insert_with(|| Entry { path: note.path, lanes: Default::default() });
            let lane = &mut entry.lanes[note.lane];
            lane.note(note.width, note.by_member);
            let Some(width) = lane.due() else { continue };
            let level = level(note.lane, width);
            let guard = if note.is_gone { &was } else { &is };
            if level < Level::Attributes || guard.allows(note.node) {
                lane.mask = lane.mask.max(width);
            }
        }
    }

    /// How many probes there were.
    #[must_use]
    pub fn probes(&self) -> u32 {
        self.probes
    }

    /// What is masked now, together with the static rules if `rules`.
    #[must_use]
    pub fn masks(&self, rules: bool) -> Masks {
        let mut learned = Vec::new();
        for entry in self.entries.values() {
            for (at, lane) in entry.lanes.iter().enumerate().filter(|(_, lane)| lane.mask != Width::None) {
                let (changed, probes) = (lane.changed() as u8, self.probes.min(WINDOW as u32) as u8);
                learned.push(Learned { path: entry.path.clone(), level: level(at, lane.mask), changed, probes });
            }
        }
        Masks::new(rules, learned)
    }
}

fn level(lane: usize, width: Width) -> Level {
    LEVELS[lane][usize::from(width == Width::Wide)]
}

/// Two probes, compared from the root down by places; equal subtrees are passed over.
struct Comparison<'a> {
    before: Places<'a>,
    after: Places<'a>,
    entries: &'a HashMap<u64, Entry>,
    notes: Vec<Note>,
    path: Vec<u64>,
    keys: Vec<u64>,
}

/// A pair of nodes in the same place.
struct Pair {
    one: Node,
    other: Node,
    step: u64,
    depth: usize,
}

impl<'a> Comparison<'a> {
    fn new(before: &'a Snapshot, after: &'a Snapshot, entries: &'a HashMap<u64, Entry>) -> Self {
        let (before, after) = (Places::new(before), Places::new(after));
        Self { before, after, entries, notes: Vec::new(), path: Vec::new(), keys: vec![0] }
    }

    fn notes(mut self) -> Vec<Note> {
        let mut stack = vec![Pair { one: self.before.root(), other: self.after.root(), step: 0, depth: 0 }];
        while let Some(pair) = stack.pop() {
            self.path.truncate(pair.depth.saturating_sub(1));
            self.keys.truncate(pair.depth.max(1));
            if pair.depth > 0 {
                self.path.push(pair.step);
                self.keys.push(self.key_of(pair.step));
            }
            self.visit(&pair, &mut stack);
        }
        self.notes
    }

    fn key_of(&self, step: u64) -> u64 {
        fold_multiply(self.keys.last().copied().unwrap_or(0) ^ 0x9e37_79b9_7f4a_7c15, step)
    }

    /// How the subtree at this key is masked now.
    fn tree_mask(&self, key: u64) -> Width {
        self.entries.get(&key).map_or(Width::None, |entry| entry.lanes[TREE_LANE].mask)
    }

    fn visit(&mut self, pair: &Pair, stack: &mut Vec<Pair>) {
        let (one, other) = (pair.one, pair.other);
        let (was, is) = (self.hashes(&self.before, one), self.hashes(&self.after, other));
        if was == is {
            return;
        }
        let same_structure = was[2] == is[2];
        if self.tree_mask(self.keys[self.keys.len() - 1]) != Width::None {
            let width = if same_structure { Width::Narrow } else { Width::Wide };
            self.note(TREE_LANE, width, false, other);
            return;
        }
        if (was[1] == 0) != (is[1] == 0) {
            // It came into sight or went out of it.
            self.note(TREE_LANE, Width::Wide, false, other);
            return;
        }
        self.compare_texts(one, other);
        self.compare_attributes(one, other);
        if pair.depth < DEEPEST {
            self.compare_children(pair, same_structure, stack);
        }
    }

    fn hashes(&self, places: &Places, node: Node) -> [u64; 3] {
        places.snapshot.node_digests()[node.document][node.index]
    }

    fn note(&mut self, lane: usize, width: Width, by_member: bool, node: Node) {
        let key = self.keys[self.keys.len() - 1];
        self.push(Note { key, path: self.path.clone(), lane, width, by_member, node, is_gone: false });
    }

    fn push(&mut self, note: Note) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(note);
        }
    }

    fn compare_texts(&mut self, one: Node, other: Node) {
        let (was, is) = (own_texts(self.before.snapshot, one), own_texts(self.after.snapshot, other));
        if was != is {
            let bare = |texts: &[Vec<u8>]| texts.iter().map(|text| digitless(text)).collect::<Vec<_>>();
            let width = if bare(&was) == bare(&is) { Width::Narrow } else { Width::Wide };
            self.note(TEXT_LANE, width, false, other);
        }
    }

    fn compare_attributes(&mut self, one: Node, other: Node) {
        let (was, is) = (Own::of(self.before.snapshot, one), Own::of(self.after.snapshot, other));
        if was != is {
            let width = if was.without_style() == is.without_style() { Width::Narrow } else { Width::Wide };
            self.note(ATTRIBUTE_LANE, width, false, other);
        }
    }

    fn compare_children(&mut self, pair: &Pair, same_structure: bool, stack: &mut Vec<Pair>) {
        let (old, new) = (self.before.children(pair.one), self.after.children(pair.other));
        let depth = pair.depth + 1;
        let is_alike = old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| a.kind == b.kind);
        if is_alike {
            let pairs = old.iter().zip(&new);
            stack.extend(pairs.map(|(a, b)| Pair { one: a.node, other: b.node, step: b.step(), depth }));
            return;
        }
        let mut list = List::of(&old, &new);
        stack.extend(list.matched.drain(..).map(|(a, b)| Pair { one: a.node, other: b.node, step: b.step(), depth }));
        let mut is_explained = true;
        for (child, is_gone) in &list.members {
            is_explained &= self.tree_mask(self.key_of(child.step())) == Width::Wide;
            self.note_member(child, *is_gone);
        }
        let width = if same_structure { Width::Narrow } else { Width::Wide };
        if list.is_churned {
            self.note(TREE_LANE, width, false, pair.other);
        } else if !is_explained {
            self.note(TREE_LANE, width, true, pair.other);
        }
    }

    /// A child that came or went, and that its place names without doubt.
    fn note_member(&mut self, child: &Child, is_gone: bool) {
        let key = self.key_of(child.step());
        let mut path = self.path.clone();
        path.push(child.step());
        let node = child.node;
        self.push(Note { key, path, lane: TREE_LANE, width: Width::Wide, by_member: false, node, is_gone });
    }
}

/// Two child lists that are not of the same kinds.
struct List {
    /// Those whose kind is as frequent in both, by number.
    matched: Vec<(Child, Child)>,
    /// The only ones of their kind, there on one side only; whether it was before.
    members: Vec<(Child, bool)>,
    /// Whether more happened than that.
    is_churned: bool,
}

impl List {
    fn of(old: &[Child], new: &[Child]) -> Self {
        let mut counts: HashMap<u64, (u32, u32)> = HashMap::new();
        old.iter().for_each(|child| counts.entry(child.kind).or_default().0 += 1);
        new.iter().for_each(|child| counts.entry(child.kind).or_default().1 += 1);
        let count = |child: &&Child| counts.get(&child.kind).copied().unwrap_or_default();
        let alike = |child: &&Child| count(child).0 == count(child).1;
        let by_place: HashMap<(u64, u32), Child> =
            old.iter().map(|child| ((child.kind, child.number), *child)).collect();
        let pairs = new.iter().filter(alike);
        let matched = pairs.filter_map(|child| Some((*by_place.get(&(child.kind, child.number))?, *child))).collect();
        let gone = old.iter().filter(|child| count(child) == (1, 0)).map(|child| (*child, true));
        let come = new.iter().filter(|child| count(child) == (0, 1)).map(|child| (*child, false));
        let is_reordered =
            !old.iter().filter(alike).map(|child| child.kind).eq(new.iter().filter(alike).map(|child| child.kind));
        let is_other = counts.values().any(|&(was, is)| was != is && was + is > 1);
        Self { matched, members: gone.chain(come).collect(), is_churned: is_reordered || is_other }
    }
}

/// The texts that stand directly in an element, as they are laid out.
fn own_texts(snapshot: &Snapshot, node: Node) -> Vec<Vec<u8>> {
    let document = snapshot.document(node);
    let mut scratch = Vec::new();
    let texts = document.children(node.index).filter(|&child| document.is_text(child));
    texts
        .map(|child| {
            let text = snapshot.strings(node).bytes(document.value[child]);
            if document.has(child, flag::PRE) { text.to_vec() } else { collapse(text, &mut scratch).to_vec() }
        })
        .collect()
}

fn digitless(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    without_digits(text, &mut out);
    out
}

/// What an element is apart from its children.
#[derive(PartialEq, Eq)]
struct Own<'a> {
    state: u16,
    live: &'a [u8],
    /// Names and values, sorted; classes as sets.
    attributes: Vec<(&'a [u8], Vec<&'a [u8]>)>,
}

impl<'a> Own<'a> {
    fn of(snapshot: &'a Snapshot, node: Node) -> Self {
        let (document, part): (&Document, _) = (snapshot.document(node), snapshot.part_of(node.document));
        let mut attributes: Vec<(&[u8], Vec<&[u8]>)> = Vec::new();
        for &[name, value] in document.attributes(node.index) {
            let atom = part.atoms.get(name as usize).copied().unwrap_or(Atom::Other);
            let value = part.strings.bytes(value);
            if !atom.is_noise() {
                let value = if atom == Atom::Class { token_set(value) } else { vec![value] };
                attributes.push((part.strings.bytes(name), value));
            }
        }
        attributes.sort_unstable();
        let state = document.flags[node.index] & (flag::CHECKED | flag::SELECTED);
        Self { state, live: part.strings.bytes(live_value(document, node.index)), attributes }
    }

    fn without_style(mut self) -> Self {
        self.attributes.retain(|(name, _)| *name != b"style");
        self
    }
}
