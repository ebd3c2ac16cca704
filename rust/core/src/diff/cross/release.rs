//! Dissolves matches with too little evidence.

use crate::capture::atom::Atom;
use crate::capture::columns::{DOCUMENT, flag};
use crate::capture::node::NodeIndex;
use crate::diff::cross::engine::{ANCHOR, EXACT, Engine, LOOSE, ROOT, SIMILAR, is_evidence};
use crate::diff::cross::side::Side;
use crate::diff::cross::votes::threshold;

/// What an equal subtree must weigh to be the same one wherever it stands: nodes, and a quarter of the bytes of its text.
const HEAVY: usize = 6;

/// Whether a subtree says so little ("Paid", "20 €") that its equal elsewhere may well be another one.
pub fn is_light(side: &Side, root: NodeIndex) -> bool {
    if side.live[root] as usize >= HEAVY {
        return false;
    }
    let mut weight = 0;
    let mut node = root;
    while node < side.document.end(root) {
        if !side.is_own(node) {
            node = side.document.end(node);
            continue;
        }
        weight += 1;
        if side.document.is_text(node) {
            weight += side.part.strings.bytes(side.document.value[node]).len() / 4;
        }
        node += 1;
    }
    weight < HEAVY
}

/// Light equal subtrees stay matched only where their parents are.
pub fn drop_light(engine: &mut Engine) {
    let mut at = 0;
    while at < engine.b.own.len() {
        let two = engine.b.own[at];
        at += 1;
        if engine.b.how[two] != EXACT {
            continue;
        }
        let end = engine.b.document.end(two);
        let last = at + engine.b.own[at..].partition_point(|&other| other < end);
        if let Some(one) = engine.b.partner.get(two)
            && !engine.are_parents_paired(one, two)
            && is_light(&engine.b, two)
        {
            for index in at - 1..last {
                let node = engine.b.own[index];
                if let Some(partner) = engine.b.partner.get(node) {
                    engine.unpair(partner, node);
                }
            }
        }
        at = last;
    }
}

/// Give up containers of which too little was found again, and what was matched by its place in them.
///
/// An element that holds others is the same one if, of what is rendered in both, the share that was found again is at
/// least 1 / (1 + ln size), as in voting; what only has a place and a text follows what it stands in.
pub fn release(engine: &mut Engine) {
    let mut found = vec![0u32; engine.b.document.len()];
    for index in (0..engine.b.own.len()).rev() {
        let two = engine.b.own[index];
        let at = two.at();
        let how = engine.b.how[at];
        if engine.b.live[at] == 1 && engine.b.document.has(two, flag::RENDERED) {
            found[at] = u32::from(is_evidence(how));
        }
        if let Some(one) = engine.b.partner.get(two) {
            let is_grounded = share_is_enough(engine, one, two, found[at]);
            engine.b.grounded[at] = is_grounded;
            let holds = engine.b.holds[at] || engine.a.holds[one];
            if holds && matches!(how, LOOSE | ANCHOR) && !is_grounded && !is_frame_of_page(&engine.b, two) {
                engine.unpair(one, two);
            }
        }
        if let Some(parent) = engine.b.document.parent_of(two) {
            found[parent] += found[at];
        }
    }
    for index in 0..engine.b.own.len() {
        let two = engine.b.own[index];
        let Some(one) = engine.b.partner.get(two) else { continue };
        let how = engine.b.how[two];
        if !matches!(how, LOOSE | SIMILAR) || is_frame_of_page(&engine.b, two) {
            continue;
        }
        let parent = engine.b.document.parent_of(two);
        let is_grounded = parent.is_some_and(|parent| engine.b.grounded[parent]);
        let holds = engine.b.holds[two] || engine.a.holds[one];
        let is_text = engine.b.document.is_text(two);
        // A text reports through its element, which was asked already.
        let stays = engine.are_parents_paired(one, two) && (how == SIMILAR || is_grounded || is_text || holds);
        if !stays {
            engine.unpair(one, two);
        }
    }
}

fn share_is_enough(engine: &Engine, one: NodeIndex, two: NodeIndex, found: u32) -> bool {
    let all = engine.a.leaves[one] + engine.b.leaves[two];
    let size = engine.a.live[one] + engine.b.live[two];
    engine.b.how[two] == EXACT || all == 0 || f64::from(2 * found) >= threshold(size) * f64::from(all)
}

/// The document, `html`, `head` and `body` are always the same.
fn is_frame_of_page(side: &Side, node: NodeIndex) -> bool {
    side.how[node] == ROOT
        || side.document.kind[node] == DOCUMENT
        || matches!(side.tag(node), Atom::Html | Atom::Head | Atom::Body)
}
