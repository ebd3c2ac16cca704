//! One scan over a page in document order: its pq-grams, its word shingles, its counts.
//!
//! pq-grams (Augsten, Böhlen, Gamper 2005) with p = 2 and q = 3: an element with the one above it, and three neighbours
//! among its children, padded at both ends. Of equal neighbours only the first counts, and the grams are a set: a list of
//! ten rows has the grams of a list of a thousand. Left out: `head`, the inside of `svg`, and plain formatting in texts.
//!
//! Frames from another origin (advertisements, payment) count as the frame element alone.

use super::label::Labels;
use super::sketch::sim_hash;
use super::words::{Shingler, each};
use super::{Counts, KEYS, mix, url};
use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, NodeIndex};
use crate::capture::page::text_of;
use crate::element::flow::is_phrasing;
use crate::element::snapshot::Snapshot;
use crate::hash::by_hash::ByHash;

/// Where a text stands, and so what it is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zone {
    /// `nav`, `footer`, `aside`, a banner, and links outside of the main content: the same all over a site.
    Frame,
    Neutral,
    /// `main` and `article`.
    Main,
}

/// Weights of shingles by zone, each without and with a digit in it. A page of a site differs from another one in its
/// main content, and a page differs from itself a minute later in numbers: a share of each is chosen so that a site's
/// frame of 500 words does not outweigh an article of 100, nor a dozen of counters a line. Measured by bench/duplicates.py.
const WEIGHTS: [u64; 6] = [4, 1, 16, 4, 32, 8];

const PAD: u64 = KEYS[7];

pub(super) struct Found {
    pub grams: Vec<u64>,
    pub text: u64,
    pub counts: Counts,
}

/// Features, each once.
#[derive(Default)]
struct Set {
    entries: ByHash<u8>,
}

impl Set {
    fn add(&mut self, feature: u64) {
        self.entries.insert(feature, 0);
    }

    /// Of several classes the last one, which weighs most, counts.
    fn add_as(&mut self, feature: u64, zone: Zone, digit: bool) {
        let class = 2 * zone as u8 + u8::from(digit);
        let entry = self.entries.entry(feature).or_insert(class);
        *entry = (*entry).max(class);
    }
}

/// An element that the scan is inside of.
struct Open {
    end: NodeIndex,
    label: u64,
    /// It and the one above it.
    stem: u64,
    /// The last two children that differ.
    window: [u64; 2],
    zone: Zone,
    /// The element that its texts are laid out in.
    block: NodeIndex,
    shown: bool,
}

struct Scan {
    grams: Set,
    shingles: Set,
    counts: Counts,
    shingler: Shingler,
    /// The block and zone of the words that `shingler` has.
    line: (NodeIndex, Zone),
}

pub(super) fn scan(snapshot: &Snapshot) -> Found {
    let mut labels: Vec<Labels> = snapshot.parts.iter().map(Labels::new).collect();
    let mut scan = Scan {
        grams: Set::default(),
        shingles: Set::default(),
        counts: Counts::default(),
        shingler: Shingler::default(),
        line: (NodeIndex::ROOT, Zone::Neutral),
    };
    let page = snapshot.order[0];
    let home = origin_of(snapshot, page);
    for &at in &snapshot.order {
        if at == page || origin_of(snapshot, at) == home {
            let document = &snapshot.documents[at];
            scan.document(document, &mut labels[document.part as usize]);
        }
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    scan.counts.grams = count(scan.grams.entries.len());
    scan.counts.shingles = count(scan.shingles.entries.len());
    Found {
        grams: scan.grams.entries.into_keys().collect(),
        text: sim_hash(scan.shingles.entries.into_iter(), WEIGHTS),
        counts: scan.counts,
    }
}

fn origin_of(snapshot: &Snapshot, document: DocumentIndex) -> &str {
    url::origin(text_of(snapshot.part_of(document), snapshot.documents[document].url))
}

impl Scan {
    fn document(&mut self, document: &Document, labels: &mut Labels) {
        let end = document.end(NodeIndex::ROOT);
        let above = Open {
            end,
            label: PAD,
            stem: PAD,
            window: [PAD; 2],
            zone: Zone::Neutral,
            block: NodeIndex::ROOT,
            shown: false,
        };
        let mut open: Vec<Open> = vec![above];
        let mut node = NodeIndex::ROOT;
        while node < end {
            while open.len() > 1 && node >= open[open.len() - 1].end {
                if let Some(closed) = open.pop() {
                    self.close(&closed);
                }
            }
            let here = open.len() - 1;
            if document.has(node, flag::DROPPED) {
                node = document.end(node);
                continue;
            }
            self.counts.nodes = self.counts.nodes.saturating_add(1);
            if document.is_text(node) {
                self.text(document, node, &open[here], labels);
                node += 1;
                continue;
            }
            if !document.has_tag(node) {
                node += 1;
                continue;
            }
            node = self.element(document, node, &mut open, labels);
        }
        for closed in open.drain(1..).rev() {
            self.close(&closed);
        }
        self.end_line();
    }

    /// Take in an element; the node to go on with.
    fn element(
        &mut self,
        document: &Document,
        node: NodeIndex,
        open: &mut Vec<Open>,
        labels: &mut Labels,
    ) -> NodeIndex {
        let tag = labels.atom(document.name[node]);
        if tag == Atom::Head {
            return document.end(node);
        }
        let Some(above) = open.last_mut() else { return document.end(node) };
        let classless = !document.attributes(node).iter().any(|pair| labels.atom(pair[0]) == Atom::Class);
        let shown = !(classless && is_plain_formatting(tag));
        // What formatting holds stands where the formatting does.
        let label = if shown { labels.of(document, node) } else { above.label };
        let stem = if shown { mix(above.label, label) } else { above.stem };
        if shown && above.window[1] != label {
            self.grams.add(gram(above.stem, above.window, label));
            above.window = [above.window[1], label];
        }
        let phrasing = is_phrasing(tag);
        let link = matches!(tag, Atom::A | Atom::Area)
            && document.attributes(node).iter().any(|pair| labels.atom(pair[0]) == Atom::Href);
        self.counts.links = self.counts.links.saturating_add(u32::from(link));
        self.counts.forms = self.counts.forms.saturating_add(u32::from(tag == Atom::Form));
        let zone = zone(above.zone, tag, link, role(document, node, labels));
        let block = if phrasing { above.block } else { node };
        if !phrasing {
            self.end_line();
        }
        if tag == Atom::Svg {
            return document.end(node);
        }
        open.push(Open { end: document.end(node), label, stem, window: [PAD; 2], zone, block, shown });
        node + 1
    }

    /// The children of an element are over: the grams that reach beyond the last one.
    fn close(&mut self, closed: &Open) {
        if closed.shown {
            let [first, second] = closed.window;
            self.grams.add(gram(closed.stem, [first, second], PAD));
            if second != PAD {
                self.grams.add(gram(closed.stem, [second, PAD], PAD));
            }
        }
    }

    fn text(&mut self, document: &Document, node: NodeIndex, above: &Open, labels: &Labels) {
        if !document.has(node, flag::RENDERED) {
            return;
        }
        let line = (above.block, above.zone);
        if self.line != line {
            self.end_line();
            self.line = line;
        }
        let (shingler, shingles) = (&mut self.shingler, &mut self.shingles);
        let mut letters = 0u32;
        each(labels.part.strings.get(document.value[node]), &mut |word| {
            letters = letters.saturating_add(word.letters);
            if let Some((shingle, digit)) = shingler.push(word) {
                shingles.add_as(shingle, line.1, digit);
            }
        });
        self.counts.text = self.counts.text.saturating_add(letters);
    }

    /// What follows does not read on from what came before.
    fn end_line(&mut self) {
        if let Some((shingle, digit)) = self.shingler.end() {
            self.shingles.add_as(shingle, self.line.1, digit);
        }
    }
}

#[inline(always)]
fn gram(stem: u64, window: [u64; 2], label: u64) -> u64 {
    mix(mix(stem, window[0]), mix(window[1], label))
}

/// Markup of words, which is for the author and not for the template.
fn is_plain_formatting(tag: Atom) -> bool {
    use Atom::*;
    matches!(tag, Abbr | B | Bdi | Bdo | Big | Br | Cite | Code | Del | Dfn | Em | Font | I | Ins | Kbd | Mark | Q)
        || matches!(tag, S | Samp | Small | Strong | Sub | Sup | Time | Tt | U | Var | Wbr)
}

fn role<'a>(document: &Document, node: NodeIndex, labels: &'a Labels) -> &'a [u8] {
    let mut pairs = document.attributes(node).iter();
    pairs.find(|pair| labels.atom(pair[0]) == Atom::Role).map_or(b"", |pair| labels.part.strings.bytes(pair[1]))
}

fn zone(above: Zone, tag: Atom, link: bool, role: &[u8]) -> Zone {
    let frame = matches!(tag, Atom::Nav | Atom::Footer | Atom::Aside)
        || matches!(role, b"navigation" | b"contentinfo" | b"complementary")
        || above != Zone::Main && (link || tag == Atom::Header || role == b"banner");
    let main = matches!(tag, Atom::Main | Atom::Article) || matches!(role, b"main" | b"article");
    match above {
        _ if frame => Zone::Frame,
        Zone::Neutral if main => Zone::Main,
        _ => above,
    }
}
