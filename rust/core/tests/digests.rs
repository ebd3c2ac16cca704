//! What digests must not see, what they must see, and vectors that hold on every machine.

use std::sync::Arc;

use proptest::prelude::*;
use stillframe_core::testing::capture::node::DocumentIndex;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestNode, TestTree, card_grid, four_edits};

mod pages;
use pages::{Edit, a_page, edited};

fn exact(snapshot: &Snapshot) -> [u8; 16] {
    snapshot.digests().exact
}

fn hex(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The canonical form of a page without node ids, written out: the slow twin of the exact digest.
fn written_out(tree: &TestTree) -> String {
    let snapshot = tree.snapshot();
    let canonical = stillframe_core::testing::script::Tree::of(&snapshot, DocumentIndex::FIRST);
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
        reverse_attributes: bool, reverse_keys: bool, duplicates: bool, message: bool, pretty: bool, shift in 0u32..1000,
    ) {
        let mut other = page.clone();
        for node in &mut other.nodes {
            node.backend_node_id += shift;
        }
        for at in other.preorder().into_iter().map(|entry| entry.0).collect::<Vec<_>>() {
            if other.nodes[at].kind == 1 && !matches!(other.nodes[at].name.as_str(), "PRE" | "TEXTAREA") && rotate % 2 == 1 {
                other.text(at, " \n ");
            }
        }
        let encoding = Encoding { rotate, unused, duplicates, reverse_attributes, reverse_keys, message, pretty };
        let pre = page.nodes.iter().any(|node| matches!(node.name.as_str(), "PRE" | "TEXTAREA"));
        prop_assume!(!pre);
        let (one, two) = (page.snapshot(), other.snapshot_as(&encoding));
        prop_assert_eq!(one.digests().exact, two.digests().exact);
        prop_assert_eq!(one.digests().visible, two.digests().visible);
        prop_assert_eq!(one.digests().structure, two.digests().structure);
    }

    #[test]
    fn equal_digests_are_equal_pages(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..4)) {
        let other = edited(&page, &edits);
        let same = written_out(&page) == written_out(&other);
        prop_assert_eq!(exact(&page.snapshot()) == exact(&other.snapshot()), same);
    }

    /// The mirror that will keep digests up to date from events is checked against this: after any edits the digest
    /// is that of the page built again.
    #[test]
    fn digests_do_not_know_how_a_page_came_about(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..12)) {
        let edited = edited(&page, &edits);
        let mut rebuilt = TestTree { nodes: Vec::new() };
        for (node, parent) in edited.preorder() {
            let mut copy = edited.nodes[node].clone();
            copy.children.clear();
            copy.backend_node_id = rebuilt.nodes.len() as u32 + 500;
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

/// A page with one of everything that an edit of the catalogue needs.
fn everything() -> TestTree {
    let mut tree = list(&[("P", "a"), ("P", "b"), ("DIV", "c")]);
    let input = TestNode { kind: 1, name: "INPUT".to_owned(), live: Some("typed".to_owned()), ..TestNode::default() };
    tree.add(TestTree::BODY, input);
    let select = tree.element(TestTree::BODY, "SELECT", &[]);
    tree.element(select, "OPTION", &[("value", "1")]);
    let host = tree.element(TestTree::BODY, "X-HOST", &[]);
    tree.element(host, "SPAN", &[("class", "one two"), ("title", "t")]);
    tree
}

fn first(tree: &TestTree, tag: &str) -> usize {
    tree.nodes.iter().position(|node| node.name == tag).expect("there is one")
}

type Change = fn(&mut TestTree);

/// Every kind of single edit that there is.
const CATALOGUE: [(&str, Change); 24] = [
    ("swap two unequal siblings", |tree| tree.nodes[TestTree::BODY].children.swap(0, 1)),
    ("move a leaf across a parent boundary", |tree| {
        let (one, other) = (tree.nodes[TestTree::BODY].children[0], tree.nodes[TestTree::BODY].children[1]);
        let leaf = tree.nodes[other].children.pop().expect("a text");
        tree.nodes[one].children.push(leaf);
    }),
    ("put an element into its sibling", |tree| {
        let other = tree.nodes[TestTree::BODY].children.remove(1);
        let one = tree.nodes[TestTree::BODY].children[0];
        tree.nodes[one].children.push(other);
    }),
    ("split a text", |tree| {
        let line = first(tree, "P");
        tree.nodes[line].children.clear();
        tree.text(line, "a");
        tree.text(line, "a");
    }),
    ("join two texts", |tree| {
        let line = first(tree, "P");
        let text = tree.nodes[line].children[0];
        tree.nodes[text].value = "ab".to_owned();
    }),
    ("wrap in another element", |tree| {
        let line = tree.nodes[TestTree::BODY].children.remove(0);
        let wrapper = tree.element(TestTree::BODY, "DIV", &[]);
        tree.nodes[wrapper].children.push(line);
        tree.nodes[TestTree::BODY].children.rotate_right(1);
    }),
    ("rename", |tree| {
        let line = first(tree, "P");
        tree.nodes[line].name = "PRE".to_owned();
    }),
    ("a text for an element of the same name", |tree| {
        let line = first(tree, "DIV");
        tree.nodes[line].children.clear();
        tree.element(line, "c", &[]);
    }),
    ("repeat a sibling", |tree| {
        list_item(tree, "DIV", "c");
    }),
    ("remove a sibling", |tree| {
        tree.nodes[TestTree::BODY].children.remove(1);
    }),
    ("an empty element", |tree| {
        tree.element(TestTree::BODY, "P", &[]);
    }),
    ("whitespace inside a text", |tree| {
        let line = first(tree, "P");
        let text = tree.nodes[line].children[0];
        tree.nodes[text].value = "a ".to_owned();
    }),
    ("check", |tree| {
        let input = first(tree, "INPUT");
        tree.nodes[input].checked = true;
    }),
    ("type", |tree| {
        let input = first(tree, "INPUT");
        tree.nodes[input].live = Some("typed on".to_owned());
    }),
    ("no live value", |tree| {
        let input = first(tree, "INPUT");
        tree.nodes[input].live = None;
    }),
    ("an attribute of what was a live value", |tree| {
        let input = first(tree, "INPUT");
        let live = tree.nodes[input].live.take().expect("it had one");
        tree.nodes[input].attributes.push(("value".to_owned(), live));
    }),
    ("select", |tree| {
        let option = first(tree, "OPTION");
        tree.nodes[option].selected = true;
    }),
    ("put into a shadow root", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].shadow = Some("open");
    }),
    ("another class", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].attributes[0].1 = "one three".to_owned();
    }),
    ("two classes for one of both names", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].attributes[0].1 = "onetwo".to_owned();
    }),
    ("values of two attributes exchanged", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].attributes[0].1 = "t".to_owned();
        tree.nodes[span].attributes[1].1 = "one two".to_owned();
    }),
    ("an attribute moves to the parent", |tree| {
        let (span, host) = (first(tree, "SPAN"), first(tree, "X-HOST"));
        let title = tree.nodes[span].attributes.pop().expect("it had two");
        tree.nodes[host].attributes.push(title);
    }),
    ("name and value concatenated otherwise", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].attributes[1] = ("titl".to_owned(), "et".to_owned());
    }),
    ("an attribute without a value", |tree| {
        let span = first(tree, "SPAN");
        tree.nodes[span].attributes.push(("hidden".to_owned(), String::new()));
    }),
];

fn list_item(tree: &mut TestTree, tag: &str, text: &str) -> usize {
    let item = tree.element(TestTree::BODY, tag, &[]);
    tree.text(item, text)
}

#[test]
fn every_single_edit_shows() {
    let base = everything();
    let mut seen: Vec<([u8; 16], &str)> = vec![(exact(&base.snapshot()), "nothing")];
    for (name, change) in CATALOGUE {
        let mut edited = base.clone();
        change(&mut edited);
        let digest = exact(&edited.snapshot());
        let other = seen.iter().find(|entry| entry.0 == digest);
        assert_eq!(other, None, "{name}");
        seen.push((digest, name));
    }
    let mut quiet = base.clone();
    let span = first(&quiet, "SPAN");
    quiet.nodes[span].attributes.push(("nonce".to_owned(), "v".to_owned()));
    quiet.nodes[span].attributes[0].1 = " two one  two".to_owned();
    assert_eq!(exact(&quiet.snapshot()), seen[0].0);
}

/// No name and no tag: a text and an element, a child and an attribute must not come to the same.
#[test]
fn concatenations_differ() {
    let items = [
        &[("P", "a"), ("P", "b")][..],
        &[("P", "b"), ("P", "a")],
        &[("P", "ab"), ("P", "")],
        &[("P", ""), ("P", "ab")],
        &[("P", "ab")],
        &[("P", "a"), ("P", "b"), ("P", "")],
        &[("PA", ""), ("P", "b")],
    ];
    let found: std::collections::HashSet<_> = items.iter().map(|items| exact(&list(items).snapshot())).collect();
    assert_eq!(found.len(), items.len());
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
    let alone = exact(&Snapshot::from_cdp(Arc::new(raw.clone())).expect("valid"));
    let handles: Vec<_> = (0..4)
        .map(|_| {
            let raw = raw.clone();
            std::thread::spawn(move || exact(&Snapshot::from_cdp(Arc::new(raw)).expect("valid")))
        })
        .collect();
    for handle in handles {
        assert_eq!(handle.join().expect("no panic"), alone);
    }
}
