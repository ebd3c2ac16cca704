//! The lossless diff against slow and obvious twins.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use stillframe_core::testing::capture::node::DocumentIndex;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::identity::edits;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::script::{Edit as ScriptEdit, Script, Tree};

mod pages;
mod twins;
use pages::{Edit, a_page, edited, leads_there_and_back};
use twins::{same_content_reborn, zhang_shasha};

fn script(before: &Snapshot, after: &Snapshot) -> Script {
    let found = edits(before, DocumentIndex::FIRST, after, DocumentIndex::FIRST).expect("ids are unique");
    Script::of(before, DocumentIndex::FIRST, after, DocumentIndex::FIRST, &found)
}

fn check_round_trip(before: &Snapshot, after: &Snapshot) -> Result<(), TestCaseError> {
    leads_there_and_back(
        &Tree::of(before, DocumentIndex::FIRST),
        &Tree::of(after, DocumentIndex::FIRST),
        &script(before, after),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 384, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_script_leads_there_and_back(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..10)) {
        let other = edited(&page, &edits);
        check_round_trip(&page.snapshot(), &other.snapshot())?;
    }

    /// With hashes of eight bits, collisions are the rule: they may cost time but never an edit.
    #[test]
    fn collisions_cost_no_edit(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 1..6), bits in 0u32..9) {
        let other = edited(&page, &edits);
        let (mut before, mut after) = (page.snapshot(), other.snapshot());
        before.weaken_hashes((1 << bits) - 1);
        after.weaken_hashes((1 << bits) - 1);
        check_round_trip(&before, &after)?;
    }

    #[test]
    fn a_page_does_not_differ_from_itself(page in a_page()) {
        let (before, after) = (page.snapshot(), page.snapshot());
        prop_assert!(script(&before, &after).edits.is_empty());
        prop_assert!(Delta::between(&before, &after, &DeltaOptions::default()).is_empty());
    }

    /// As many moves as the naive twin says there must be: per list, all but a longest increasing subsequence.
    #[test]
    fn moves_are_minimal(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8)) {
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let found = script(&before, &after).edits;
        let moves = found.iter().filter(|edit| matches!(edit, ScriptEdit::Move { .. })).count();
        prop_assert_eq!(moves, naive_moves(&Tree::of(&before, DocumentIndex::FIRST), &Tree::of(&after, DocumentIndex::FIRST)));
        let count = |wanted: fn(&ScriptEdit) -> bool| found.iter().filter(|edit| wanted(edit)).count();
        let ids = |tree: &Tree| tree.nodes.keys().copied().collect::<BTreeSet<u32>>();
        let (one, two) = (ids(&Tree::of(&before, DocumentIndex::FIRST)), ids(&Tree::of(&after, DocumentIndex::FIRST)));
        prop_assert_eq!(count(|edit| matches!(edit, ScriptEdit::Insert { .. })), two.difference(&one).count());
        prop_assert_eq!(count(|edit| matches!(edit, ScriptEdit::Delete { .. })), one.difference(&two).count());
    }

    /// Without moves the script costs what an optimal tree edit distance costs, or up to three times that.
    #[test]
    fn cost_is_near_the_optimum(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 1..5)) {
        let edits: Vec<Edit> = edits
            .into_iter()
            .filter(|edit| !matches!(edit, Edit::Move { .. } | Edit::Reverse { .. } | Edit::Show { .. }))
            .collect();
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let (one, two) = (Tree::of(&before, DocumentIndex::FIRST), Tree::of(&after, DocumentIndex::FIRST));
        let script = script(&before, &after);
        // A node that is set in several fields is one relabelling.
        let set: BTreeSet<u32> = script.edits.iter().filter_map(|edit| match edit {
            ScriptEdit::Set { node, .. } => Some(*node),
            _ => None,
        }).collect();
        let other_edits = script.edits.iter().filter(|edit| !matches!(edit, ScriptEdit::Set { .. })).count();
        let moves = script.edits.iter().any(|edit| matches!(edit, ScriptEdit::Move { .. }));
        prop_assert!(!moves);
        let cost = set.len() + other_edits;
        let optimum = zhang_shasha(&one, &two);
        prop_assert!(cost >= optimum, "{cost} < {optimum}");
        // By identity, deleting "a" and inserting another "a" is two edits where the optimum sees none.
        let reborn = same_content_reborn(&script);
        prop_assert!(cost <= 3 * optimum + reborn, "{cost} > 3 * {optimum} + {reborn}");
    }

    /// What appeared one way disappeared the other way.
    #[test]
    fn deltas_are_symmetric(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8)) {
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let there = Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX));
        let back = Delta::between(&after, &before, &DeltaOptions::limited(usize::MAX));
        let ids = |list: &stillframe_core::testing::delta::List| {
            list.rows.iter().map(|row| row.backend_node_id).collect::<BTreeSet<u32>>()
        };
        prop_assert_eq!(ids(&there.appeared), ids(&back.disappeared));
        prop_assert_eq!(ids(&there.disappeared), ids(&back.appeared));
        prop_assert_eq!(there.script_length, back.script_length);
    }
}

fn naive_moves(one: &Tree, two: &Tree) -> usize {
    let parents = |tree: &Tree| -> HashMap<u32, u32> {
        let pairs = tree.nodes.iter().flat_map(|(&parent, (_, children))| children.iter().map(move |&c| (c, parent)));
        pairs.collect()
    };
    let (old, new) = (parents(one), parents(two));
    let crossed = new.iter().filter(|(node, parent)| old.get(node).is_some_and(|other| other != *parent)).count();
    let mut moved = crossed;
    for (parent, (_, children)) in &two.nodes {
        let Some((_, before)) = one.nodes.get(parent) else { continue };
        let places: Vec<usize> =
            children.iter().filter_map(|child| before.iter().position(|other| other == child)).collect();
        let mut best = vec![1; places.len()];
        for at in 0..places.len() {
            for earlier in 0..at {
                if places[earlier] < places[at] {
                    best[at] = best[at].max(best[earlier] + 1);
                }
            }
        }
        moved += places.len() - best.into_iter().max().unwrap_or(0);
    }
    moved
}
