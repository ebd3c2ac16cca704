//! Finds, by their hashes, subtrees that a framework removed and inserted again while rendering.

use crate::capture::atom::Atom;
use crate::capture::node::{Node, NodeIndex};
use crate::delta::change::{Both, Change, PARENT};
use crate::delta::findings::Findings;
use crate::delta::remade::Remade;
use crate::delta::sides::{Side, inner_changes, pair_up, remove};
use crate::digest::canonical::looks_generated;
use crate::element::name::name;
use crate::element::role::shown_role;
use crate::element::snapshot::Snapshot;

/// Pairs of unequal subtrees that are looked at closely, per diff: names cost something.
const CLOSE_LOOKS: usize = 256;

/// Take pairs out of `went` and `came`: equal subtrees are not changes, and those that have the same structure, role
/// and name (or lasting id) are reported only by what changed inside.
///
/// `holder` is the node after that holds a node before, if that is known: what is equal and has another holder now has
/// moved, which is a row.
pub fn reconcile(
    before: Side,
    went: &mut Vec<NodeIndex>,
    after: Side,
    came: &mut Vec<NodeIndex>,
    holder: impl Fn(NodeIndex) -> Option<NodeIndex>,
    findings: &mut Findings,
) {
    // The exact hash says nothing of what is in sight; that is what the visible one adds.
    let exact = |side: Side, index: NodeIndex| {
        let [exact, visible, _] = side.hashes.get(index);
        (exact != 0).then_some((exact, visible))
    };
    let in_place = |index: NodeIndex, holder: Option<NodeIndex>, side: Side| Some((exact(side, index)?, holder?));
    let equal = pair_up(
        went,
        came,
        |index| in_place(index, holder(index), before),
        |index| in_place(index, after.parent(index), after),
    );
    findings.rerendered += equal.len();
    remove(went, came, &equal);
    let equal = pair_up(went, came, |index| exact(before, index), |index| exact(after, index));
    findings.rerendered += equal.len();
    remove(went, came, &equal);
    for pair in equal.iter().filter(|pair| holder(pair.old).is_some()) {
        findings.changed.push((before.node(pair.old), after.node(pair.new), Change::new(PARENT, None, None)));
    }
    if went.is_empty() || came.is_empty() || went.len().min(came.len()) > CLOSE_LOOKS {
        return;
    }
    let key = |side: Side, index: NodeIndex| {
        identity(side.snapshot, side.node(index)).map(|identity| (side.hashes.get(index)[2], identity))
    };
    let alike = pair_up(went, came, |index| key(before, index), |index| key(after, index));
    let mut kept = Vec::new();
    for &pair in &alike {
        let (old, new) = (before.node(pair.old), after.node(pair.new));
        let both = Both { before: before.snapshot, old, after: after.snapshot, new };
        if inner_changes(both, findings) {
            kept.push(pair);
        }
    }
    remove(went, came, &kept);
    Remade::new(before, after, holder).find(went, came, findings);
}

/// What makes an element the same one when node ids do not: a lasting id, or role and name.
fn identity(snapshot: &Snapshot, node: Node) -> Option<String> {
    let lasting = |atom| snapshot.attribute(node, atom).filter(|id| !id.is_empty() && !looks_generated(id));
    if let Some(id) = lasting(Atom::Id).or_else(|| lasting(Atom::DataTestid)) {
        return Some(format!("{}#{id}", snapshot.tag_name(node)));
    }
    let role = shown_role(snapshot, node);
    let name = if role.is_empty() { String::new() } else { name(snapshot, node) };
    (!name.is_empty()).then(|| format!("{role} {name}"))
}
