//! Selectors against a matcher that tries every element (oracle 12; the live half is in the Python tests).

use proptest::prelude::*;
use stillframe_core::columns::{rare, ELEMENT};
use stillframe_core::selector::{escape_name, in_frame};
use stillframe_core::snapshot::{Node, Snapshot};
use stillframe_core::testpage::TestTree;

mod pages;
use pages::a_page;

/// One compound of a selector, taken apart.
#[derive(Debug, Default)]
struct Compound {
    tag: Option<String>,
    id: Option<String>,
    class: Option<String>,
    attribute: Option<(String, String)>,
    nth: Option<usize>,
    top: bool,
    /// How it hangs on the compound before it.
    child: bool,
}

/// Only what the generator writes: the tables of the random pages need no escapes.
fn take_apart(selector: &str) -> Vec<Compound> {
    let mut compounds = Vec::new();
    let mut child = false;
    for word in selector.replace(":not(* > *)", ":top").split(' ') {
        if word == ">" {
            child = true;
            continue;
        }
        compounds.push(compound(word, child));
        child = false;
    }
    compounds
}

fn compound(word: &str, child: bool) -> Compound {
    let mut found = Compound { child, ..Compound::default() };
    let mut rest = word;
    if let Some(cut) = rest.strip_suffix(":top") {
        found.top = true;
        rest = cut;
    }
    if let Some((cut, nth)) = rest.split_once(":nth-of-type(") {
        found.nth = nth.trim_end_matches(')').parse().ok();
        rest = cut;
    }
    if let Some((cut, attribute)) = rest.split_once('[') {
        let (name, value) = attribute.trim_end_matches(']').split_once('=').expect("name and value");
        found.attribute = Some((name.to_owned(), value.trim_matches('"').to_owned()));
        rest = cut;
    }
    match rest.split_at(usize::from(!rest.is_empty())) {
        ("#", id) => found.id = Some(id.to_owned()),
        (".", class) => found.class = Some(class.to_owned()),
        ("", _) => {}
        _ => found.tag = Some(rest.to_owned()),
    }
    found
}

/// The parent in the same tree; None at the top of the document or of a shadow tree.
fn tree_parent(snapshot: &Snapshot, node: Node) -> Option<Node> {
    let parent = snapshot.parent(node)?;
    let document = snapshot.document(node);
    let shadow = |node: Node| rare(&document.shadow, node.index).map(|id| snapshot.strings(node).get(id).to_owned());
    let element = document.kind[parent.index as usize] == ELEMENT;
    (element && shadow(node) == shadow(parent)).then_some(parent)
}

fn fits(snapshot: &Snapshot, node: Node, wanted: &Compound) -> bool {
    let document = snapshot.document(node);
    if document.kind[node.index as usize] != ELEMENT {
        return false;
    }
    let strings = snapshot.strings(node);
    let value = |name: &str| {
        let pairs = document.attributes(node.index);
        pairs.iter().find(|pair| strings.get(pair[0]) == name).map(|pair| strings.get(pair[1]))
    };
    let nth = || {
        let parent = snapshot.parent(node).map(|parent| parent.index);
        let alike = (0..=node.index).filter(|&other| {
            let other_node = Node { index: other, ..node };
            document.parent_of(other) == parent
                && document.name[other as usize] == document.name[node.index as usize]
                && tree_parent(snapshot, other_node).is_some() == tree_parent(snapshot, node).is_some()
        });
        alike.count()
    };
    wanted.tag.as_ref().is_none_or(|tag| *tag == snapshot.tag_name(node))
        && wanted.id.as_ref().is_none_or(|id| value("id") == Some(id))
        && wanted.class.as_ref().is_none_or(|class| value("class").is_some_and(|v| v.split(' ').any(|t| t == class)))
        && wanted.attribute.as_ref().is_none_or(|(name, text)| value(name) == Some(text))
        && (!wanted.top || tree_parent(snapshot, node).is_none())
        && wanted.nth.is_none_or(|wanted| wanted == nth())
}

fn matches(snapshot: &Snapshot, node: Node, compounds: &[Compound]) -> bool {
    let Some((last, before)) = compounds.split_last() else { return true };
    if !fits(snapshot, node, last) {
        return false;
    }
    if before.is_empty() {
        return true;
    }
    if last.child {
        return tree_parent(snapshot, node).is_some_and(|parent| matches(snapshot, parent, before));
    }
    let mut above = std::iter::successors(snapshot.parent(node), |node| snapshot.parent(*node));
    above.any(|node| matches(snapshot, node, before))
}

fn check(snapshot: &Snapshot) -> Result<(), TestCaseError> {
    let elements: Vec<Node> = (0..snapshot.documents[0].len() as u32)
        .map(|index| Node { document: 0, index })
        .filter(|node| snapshot.document(*node).kind[node.index as usize] == ELEMENT)
        .collect();
    for &node in &elements {
        let selector = in_frame(snapshot, node);
        let compounds = take_apart(&selector);
        let found: Vec<Node> = elements.iter().copied().filter(|other| matches(snapshot, *other, &compounds)).collect();
        prop_assert_eq!(found, vec![node], "{}", selector);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_element_has_a_selector_of_its_own(page in a_page()) {
        check(&page.snapshot())?;
    }

    #[test]
    fn shadow_trees_too(page in a_page(), hosts in prop::collection::vec(any::<u16>(), 1..4), closed: bool) {
        let mut page = page;
        let kind = if closed { "closed" } else { "open" };
        for host in hosts {
            let order = page.preorder();
            let inner: Vec<usize> = order
                .iter()
                .map(|entry| entry.0)
                .filter(|&node| node > TestTree::BODY && page.nodes[node].kind == 1 && page.nodes[node].shadow.is_none())
                .collect();
            let Some(&host) = inner.get(host as usize % inner.len().max(1)) else { continue };
            if std::iter::successors(Some(host), |&node| page.parent_of(node)).any(|n| page.nodes[n].name.contains('-')) {
                continue;
            }
            // All children of the host become those of its shadow root.
            let below: Vec<usize> =
                inner.iter().copied().filter(|&node| node != host && page.is_within(node, host)).collect();
            if below.iter().any(|&node| page.nodes[node].shadow.is_some()) {
                continue;
            }
            for node in 0..page.nodes.len() {
                if node != host && page.is_within(node, host) {
                    page.nodes[node].shadow = Some(kind);
                }
            }
        }
        check(&page.snapshot())?;
    }
}

#[test]
fn names_are_escaped() {
    assert_eq!(escape_name("a.b:c"), "a\\.b\\:c");
    assert_eq!(escape_name("1st"), "\\31 st");
    assert_eq!(escape_name("-1"), "-\\31 ");
    assert_eq!(escape_name("-"), "\\-");
    assert_eq!(escape_name("ünder_score-9"), "ünder_score-9");
}

#[test]
fn made_up_ids_are_passed_over() {
    let mut tree = TestTree::new();
    let generated = tree.element(TestTree::BODY, "DIV", &[("id", "radix-:r1:"), ("class", "css-1q2w3e panel")]);
    let button = tree.element(generated, "BUTTON", &[("data-testid", "go")]);
    let plain = tree.element(generated, "SPAN", &[]);
    let snapshot = tree.snapshot();
    let of = |node: usize| {
        let node = snapshot.find("", tree.nodes[node].bid).expect("it is there");
        in_frame(&snapshot, node)
    };
    assert_eq!(of(generated), ".panel");
    assert_eq!(of(button), "[data-testid=\"go\"]");
    assert_eq!(of(plain), ".panel > span");
}
