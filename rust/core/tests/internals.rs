//! What custom elements say by `ElementInternals` counts as their attributes do, and no selector by CSS looks for it.

use stillframe_core::testing::capture::node::Node;
use stillframe_core::testing::capture::page::PartSource;
use stillframe_core::testing::capture::part::Internals;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::name::accessible;
use stillframe_core::testing::element::selectors::selectors;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestTree, bytes};

const BODY: usize = TestTree::BODY;

/// A snapshot of a page in which nodes say something; the backend node id of a node is its number plus 1.
fn snapshot(tree: &TestTree, said: &[(usize, &[(&str, &str)])]) -> Snapshot {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let internals: Vec<Internals> =
        said.iter().map(|&(node, said)| (node as u32 + 1, said.iter().map(owned).collect())).collect();
    let raw = bytes(tree.encode(&Encoding::default()));
    let part = PartSource { key: String::new(), owner: None, raw, internals };
    Snapshot::from_parts(vec![part], Vec::new()).expect("a made-up page is a valid one")
}

fn told(snapshot: &Snapshot, id: u32) -> (&'static str, String) {
    let (role, name) = accessible(snapshot, snapshot.find("", id).expect("it is there"));
    (role.name(), name)
}

#[test]
fn an_element_says_its_role_and_name() {
    let mut tree = TestTree::new();
    let [go, other] = ["X-GO", "X-GO"].map(|tag| tree.element(BODY, tag, &[("role", "link"), ("title", "a title")]));
    tree.nodes[go].attributes.clear();
    let said: &[_] = &[("role", "button"), ("aria-label", "Start")];
    let found = snapshot(&tree, &[(go, said), (other, said)]);
    let id = |node: usize| tree.nodes[node].backend_node_id;
    assert_eq!(told(&found, id(go)), ("button", "Start".to_owned()));
    // What stands in the document overrides it.
    assert_eq!(told(&found, id(other)), ("link", "Start".to_owned()));
}

#[test]
fn a_state_that_changes_is_a_row() {
    let mut tree = TestTree::new();
    let radio = tree.element(BODY, "X-RADIO", &[("id", "red")]);
    let with =
        |state| snapshot(&tree, &[(radio, &[("role", "radio"), ("aria-label", "Red"), ("aria-checked", state)])]);
    let found = Delta::between(&with("false"), &with("true"), &DeltaOptions::default());
    let row = &found.changed.rows[0];
    let change = row.change.as_ref().expect("a changed row says what changed");
    let values = (change.from.as_deref(), change.to.as_deref());
    assert_eq!(
        (row.selector.as_str(), change.field.as_str(), values),
        ("#red", "checked", (Some("false"), Some("true")))
    );
    assert_eq!(found.changed.total, 1);
    let same = Delta::between(&with("true"), &with("true"), &DeltaOptions::default());
    assert_eq!(same.changed.total, 0);
}

#[test]
fn selectors_by_css_hold_what_stands_in_the_document() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "DIV", &[]);
    let parts = ["Red", "Green"].map(|_| tree.element(list, "X-RADIO", &[]));
    let said = |name| [("role", "radio"), ("aria-label", name)];
    let (red, green) = (said("Red"), said("Green"));
    let found = snapshot(&tree, &[(parts[0], &red), (parts[1], &green)]);
    let node: Node = found.find("", tree.nodes[parts[1]].backend_node_id).expect("it is there");
    let all: Vec<String> = selectors(&found, node).into_iter().map(|each| each.selector).collect();
    assert_eq!(all[0], "role=radio[name=\"Green\"]");
    assert!(all.iter().all(|each| !each.contains("aria-label")), "{all:?}");
}

#[test]
fn attributes_of_the_others_stay_as_they_are() {
    let mut tree = TestTree::new();
    let first = tree.element(BODY, "P", &[("id", "first"), ("title", "one")]);
    let speaking = tree.element(BODY, "X-TAB", &[("id", "second"), ("ARIA-SELECTED", "true")]);
    let last = tree.element(BODY, "P", &[("id", "third"), ("title", "three")]);
    let found =
        snapshot(&tree, &[(speaking, &[("role", "tab"), ("aria-selected", "false")]), (999, &[("role", "tab")])]);
    let written = |node: usize| {
        let node = found.find("", tree.nodes[node].backend_node_id).expect("it is there");
        let texts = found.document(node).attributes(node.index).iter();
        texts.map(|pair| pair.map(|id| found.strings(node).get(id).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(written(first), [["id", "first"], ["title", "one"]]);
    assert_eq!(written(speaking), [["id", "second"], ["ARIA-SELECTED", "true"], ["role", "tab"]]);
    assert_eq!(written(last), [["id", "third"], ["title", "three"]]);
}
