//! What digests must not see, what they must see, and vectors that hold on every machine (oracles 2, 3 and 9).

use std::sync::Arc;

use proptest::prelude::*;
use stillframe_core::snapshot::Snapshot;
use stillframe_core::testpage::{card_grid, four_edits, Encoding, TestTree};

mod pages;
use pages::{a_page, mutate, Edit};

fn exact(snapshot: &Snapshot) -> [u8; 16] {
    snapshot.digests().exact
}

fn hex(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The canonical form of a page without node ids, written out: the slow twin of the exact digest.
fn written_out(tree: &TestTree) -> String {
    let snapshot = tree.snapshot();
    let canonical = stillframe_core::script::Tree::of(&snapshot, 0);
    let mut out = String::new();
    let mut stack = vec![(canonical.root, 0usize)];
    while let Some((id, depth)) = stack.pop() {
        let (record, children) = &canonical.nodes[&id];
        let mut record = record.clone();
        record.properties.remove("rendered");
        out.push_str(&format!("{depth} {record:?}\n"));
        stack.extend(children.iter().rev().map(|&child| (child, depth + 1)));
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_way_a_page_is_written_down_means_nothing(
        page in a_page(), rotate in 0usize..7, unused in 0usize..9,
        reverse_attributes: bool, reverse_keys: bool, message: bool, pretty: bool, shift in 0u32..1000,
    ) {
        let mut other = page.clone();
        for node in &mut other.nodes {
            node.bid += shift;
        }
        for at in other.preorder().into_iter().map(|entry| entry.0).collect::<Vec<_>>() {
            if other.nodes[at].kind == 1 && !matches!(other.nodes[at].name.as_str(), "PRE" | "TEXTAREA") && rotate % 2 == 1 {
                other.text(at, " \n ");
            }
        }
        let encoding = Encoding { rotate, unused, reverse_attributes, reverse_keys, message, pretty };
        let pre = page.nodes.iter().any(|node| matches!(node.name.as_str(), "PRE" | "TEXTAREA"));
        prop_assume!(!pre);
        let (one, two) = (page.snapshot(), other.snapshot_as(&encoding));
        prop_assert_eq!(one.digests().exact, two.digests().exact);
        prop_assert_eq!(one.digests().visible, two.digests().visible);
        prop_assert_eq!(one.digests().structure, two.digests().structure);
    }

    #[test]
    fn equal_digests_are_equal_pages(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..4)) {
        let mut other = page.clone();
        for edit in &edits {
            mutate(&mut other, edit);
        }
        let same = written_out(&page) == written_out(&other);
        prop_assert_eq!(exact(&page.snapshot()) == exact(&other.snapshot()), same);
    }

    /// The mirror that will keep digests up to date from events is checked against this: after any edits the digest
    /// is that of the page built anew.
    #[test]
    fn digests_do_not_know_how_a_page_came_about(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..12)) {
        let mut edited = page;
        for edit in &edits {
            mutate(&mut edited, edit);
        }
        let mut rebuilt = TestTree { nodes: Vec::new() };
        for (node, parent) in edited.preorder() {
            let mut copy = edited.nodes[node].clone();
            copy.children.clear();
            copy.bid = rebuilt.nodes.len() as u32 + 500;
            let at = rebuilt.nodes.len();
            rebuilt.nodes.push(copy);
            if parent >= 0 {
                rebuilt.nodes[parent as usize].children.push(at);
            }
        }
        let (one, two) = (edited.snapshot(), rebuilt.snapshot());
        prop_assert_eq!(one.digests().exact, two.digests().exact);
        prop_assert_eq!(one.digests().visible, two.digests().visible);
        prop_assert_eq!(one.digests().structure, two.digests().structure);
    }
}

fn list(items: &[(&str, &str)]) -> TestTree {
    let mut tree = TestTree::new();
    for (tag, text) in items {
        let item = tree.element(TestTree::BODY, tag, &[]);
        tree.text(item, text);
    }
    tree
}

#[test]
fn every_single_edit_shows() {
    let base = list(&[("P", "a"), ("P", "b")]);
    let digest = exact(&base.snapshot());
    let mut variants = vec![
        list(&[("P", "b"), ("P", "a")]),
        list(&[("P", "ab"), ("P", "")]),
        list(&[("P", "a"), ("DIV", "b")]),
        list(&[("P", "a"), ("P", "b"), ("P", "b")]),
        list(&[("P", "a")]),
    ];
    let mut split = TestTree::new();
    let first = split.element(TestTree::BODY, "P", &[]);
    split.text(first, "a");
    split.text(first, "b");
    split.element(TestTree::BODY, "P", &[]);
    variants.push(split);
    let mut nested = list(&[("P", "a"), ("P", "b")]);
    let second = nested.nodes[TestTree::BODY].children.pop().expect("there are two");
    let first = nested.nodes[TestTree::BODY].children[0];
    nested.nodes[first].children.push(second);
    variants.push(nested);
    for name in ["class", "id", "title", "data-x", "style"] {
        let mut with = base.clone();
        let node = with.nodes[TestTree::BODY].children[0];
        with.nodes[node].attributes.push((name.to_owned(), "v".to_owned()));
        variants.push(with);
    }
    for variant in &variants {
        assert_ne!(exact(&variant.snapshot()), digest, "{}", written_out(variant));
    }
    let mut quiet = base.clone();
    let node = quiet.nodes[TestTree::BODY].children[0];
    quiet.nodes[node].attributes.push(("nonce".to_owned(), "v".to_owned()));
    assert_eq!(exact(&quiet.snapshot()), digest);
}

#[test]
fn classes_are_sets_and_structure_ignores_repeats() {
    let with = |classes: &str, items: usize| {
        let mut tree = TestTree::new();
        for at in 0..items {
            let item = tree.element(TestTree::BODY, "LI", &[("class", classes)]);
            tree.text(item, &format!("item {at}"));
        }
        tree.snapshot()
    };
    assert_eq!(exact(&with("a b", 3)), exact(&with("b  a a", 3)));
    assert_ne!(exact(&with("a b", 3)), exact(&with("a", 3)));
    assert_eq!(with("a b", 3).digests().visible, with("c", 3).digests().visible);
    assert_eq!(with("a", 3).digests().structure, with("a", 30).digests().structure);
    assert_eq!(with("a css-1x2y3z", 3).digests().structure, with("a css-9q8w7e", 3).digests().structure);
    assert_ne!(with("a", 3).digests().structure, with("b", 3).digests().structure);
}

/// Stored digests are compared with those of other machines and versions: a change here is a breaking change.
#[test]
fn vectors() {
    let mut tree = card_grid(200);
    let first = tree.snapshot();
    four_edits(&mut tree);
    let second = tree.snapshot();
    let found: Vec<String> = [&first, &second]
        .iter()
        .flat_map(|snapshot| {
            let digests = snapshot.digests();
            [digests.exact, digests.visible, digests.structure]
        })
        .map(hex)
        .collect();
    let frozen: Vec<&str> = include_str!("vectors.txt").lines().collect();
    assert_eq!(found, frozen);
}

#[test]
fn threads_agree() {
    let raw = card_grid(500).encode(&Encoding::default());
    let alone = exact(&Snapshot::parse(Arc::new(raw.clone())).expect("valid"));
    let handles: Vec<_> = (0..4)
        .map(|_| {
            let raw = raw.clone();
            std::thread::spawn(move || exact(&Snapshot::parse(Arc::new(raw)).expect("valid")))
        })
        .collect();
    for handle in handles {
        assert_eq!(handle.join().expect("no panic"), alone);
    }
}
