//! The rows of a delta account for everything that a user could see change.
//!
//! The twin looks at texts alone: each text of the edited page that the other page does not have is in an element that
//! appeared or of which the text changed, and each text that is gone is in one that disappeared or changed.

use std::collections::HashSet;

use proptest::prelude::*;
use stillframe_core::testing::capture::columns::flag;
use stillframe_core::testing::capture::node::{Interval, NodeIndex};
use stillframe_core::testing::delta::{Delta, DeltaOptions, List};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::TestTree;

mod pages;
use pages::{Edit, a_page, edited};

/// Texts of rows that have as many characters were cut, at 50 and then before a space.
const CUT: usize = 48;

/// Make every text of `other` that is new or another one unlike all others.
fn mark(page: &TestTree, other: &mut TestTree) {
    for at in 0..other.nodes.len() {
        let was = page.nodes.get(at).map(|node| node.value.clone());
        let node = &mut other.nodes[at];
        if node.kind == 3 && !node.value.trim().is_empty() && was.as_ref() != Some(&node.value) {
            node.value = format!("{} no. {at}", node.value.trim());
        }
    }
}

/// The rendered texts of a page: (index, text); those of options, for which a list speaks, only on request.
fn texts(snapshot: &Snapshot, options: bool) -> Vec<(NodeIndex, String)> {
    let document = &snapshot.documents[0];
    let mut found = Vec::new();
    for node in document.nodes().filter(|&node| document.is_text(node) && document.has(node, flag::RENDERED)) {
        let mut above = std::iter::successors(document.parent_of(node), |&parent| document.parent_of(parent));
        let is_option = above.any(|parent| document.has(parent, flag::OPTION));
        if !document.has(node, flag::DROPPED) && (options || !is_option) {
            found.push((node, snapshot.parts[0].strings.get(document.value[node]).to_owned()));
        }
    }
    found
}

/// The subtrees of rows.
fn intervals(snapshot: &Snapshot, rows: &List) -> Vec<Interval> {
    let nodes = rows.rows.iter().filter_map(|row| snapshot.find("", row.backend_node_id));
    nodes.map(|node| snapshot.documents[0].subtree(node.index)).collect()
}

fn is_covered(node: NodeIndex, intervals: &[Interval]) -> bool {
    intervals.iter().any(|interval| interval.contains(node))
}

fn check(before: &Snapshot, after: &Snapshot, found: &Delta) -> Result<(), TestCaseError> {
    let all = |snapshot: &Snapshot| texts(snapshot, true).into_iter().map(|entry| entry.1).collect::<HashSet<String>>();
    let (before_texts, after_texts) = (all(before), all(after));
    let (was, is) = (texts(before, false), texts(after, false));
    let mut rows = intervals(after, &found.appeared);
    rows.extend(intervals(after, &found.changed));
    for (node, text) in is.iter().filter(|entry| !before_texts.contains(&entry.1)) {
        prop_assert!(is_covered(*node, &rows), "{text:?} came and is in no row: {}", pages::show(before, after, found));
    }
    // The elements of changed rows as they were: by identity they have the same id, else the row has their texts.
    let mut rows = intervals(before, &found.disappeared);
    rows.extend(intervals(before, &found.changed));
    let told: Vec<String> = found.changed.rows.iter().filter_map(|row| row.change.as_ref()?.from.clone()).collect();
    for (node, text) in was.iter().filter(|entry| !after_texts.contains(&entry.1)) {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // What follows the cut of a long text is not shown.
        let is_told = || told.iter().any(|told| told.contains(&words) || told.chars().count() >= CUT);
        prop_assert!(
            is_covered(*node, &rows) || is_told(),
            "{text:?} went and is in no row: {}",
            pages::show(before, after, found)
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_that_came_or_went_is_in_a_row(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8)) {
        let mut other = edited(&page, &edits);
        mark(&page, &mut other);
        let (before, after) = (page.snapshot(), other.snapshot());
        check(&before, &after, &Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX)))?;
    }

    /// The same when the page rendered everything again, and when it was loaded again.
    #[test]
    fn every_text_is_in_a_row_when_ids_do_not_tell(
        page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8), whole in any::<bool>(),
    ) {
        let mut other = edited(&page, &edits);
        mark(&page, &mut other);
        let first = if whole { 0 } else { TestTree::BODY + 1 };
        other.nodes[first..].iter_mut().for_each(|node| node.backend_node_id += 1000);
        let (before, after) = (page.snapshot(), other.snapshot());
        let found = Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX));
        if found.same_document || found.matched > 0 {
            check(&before, &after, &found)?;
        }
    }
}
