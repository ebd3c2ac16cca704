//! Stage (b): elements with a name of their own (id, test id, name, label, address, text) that is unique on both sides.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::capture::node::NodeIndex;
use crate::diff::cross::engine::{ANCHOR, Engine};
use crate::diff::cross::side::Side;
use crate::digest::canonical::looks_generated;
use crate::digest::seed::SEED;
use crate::hash::by_hash::ByHash;

/// What names an element, the surest first. The role is in the tag, and in the attribute that must not differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Id,
    TestId,
    Name,
    Label,
    Address,
    Text,
}

/// Who has an anchor: a node of each side, and how many more.
#[derive(Clone, Copy, Default)]
struct Holders {
    nodes: [NodeIndex; 2],
    counts: [u32; 2],
}

pub fn match_anchors(engine: &mut Engine) {
    let mut known: ByHash<Holders> = ByHash::default();
    let mut order: Vec<(Kind, NodeIndex, u64)> = Vec::new();
    let mut work = 0;
    each(&engine.a, |_, node, key| {
        work += 1;
        let holders = known.entry(key).or_default();
        holders.nodes[0] = node;
        holders.counts[0] += 1;
    });
    each(&engine.b, |kind, node, key| {
        work += 1;
        if let Some(holders) = known.get_mut(&key) {
            holders.nodes[1] = node;
            holders.counts[1] += 1;
            order.push((kind, node, key));
        }
    });
    if !engine.spend(work) {
        return;
    }
    order.sort_unstable();
    for (_, node, key) in order {
        let Some(holders) = known.get(&key).filter(|holders| holders.counts == [1, 1]) else { continue };
        let one = holders.nodes[0];
        if engine.a.is_free(one) && engine.b.is_free(node) && engine.is_alike(one, node) {
            engine.pair(one, node, ANCHOR);
        }
    }
}

/// Visit the anchors of all elements that have no partner.
fn each(side: &Side, mut visit: impl FnMut(Kind, NodeIndex, u64)) {
    for &node in &side.own {
        if !side.document.has_tag(node) || !side.is_free(node) {
            continue;
        }
        let tag = side.part.strings.bytes(side.document.name[node]);
        let tag = xxh3_64_with_seed(tag, SEED);
        for pair in side.document.attributes(node) {
            let value = side.part.strings.get(pair[1]);
            let atom = side.part.atoms.get(pair[0] as usize).copied().unwrap_or(Atom::Other);
            let kind = match atom {
                Atom::Id if !looks_generated(value) => Kind::Id,
                atom if atom.is_test_id() => Kind::TestId,
                Atom::Name => Kind::Name,
                Atom::AriaLabel | Atom::Alt | Atom::Placeholder | Atom::Title => Kind::Label,
                Atom::Href => Kind::Address,
                _ => continue,
            };
            if !value.is_empty() {
                visit(kind, node, xxh3_64_with_seed(value.as_bytes(), tag ^ kind as u64 ^ (atom as u64) << 8));
            }
        }
        let visible = side.visible(node);
        if visible != 0 && side.live[node] > 1 {
            visit(Kind::Text, node, visible ^ tag.rotate_left(17));
        }
    }
}
