//! Selectors against a matcher that tries every element (the live half is in the Python tests).

use proptest::prelude::*;
use stillframe_core::testing::capture::columns::{ELEMENT, rare};
use stillframe_core::testing::capture::node::{DocumentIndex, Node, NodeIndex};
use stillframe_core::testing::element::fingerprint::Fingerprint;
use stillframe_core::testing::element::postings::between;
use stillframe_core::testing::element::record::{from_json, to_json};
use stillframe_core::testing::element::relocate::{How, by_likeness};
use stillframe_core::testing::element::resolve::{matches as resolved, resolve};
use stillframe_core::testing::element::selector::{escape_name, in_frame, selector};
use stillframe_core::testing::element::selectors::selectors;
use stillframe_core::testing::element::snapshot::{Snapshot, index_of};
use stillframe_core::testing::element::text::Redactor;
use stillframe_core::testing::element::tokens::Kind;
use stillframe_core::testing::page::TestTree;

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
    top: Option<bool>,
    /// How it hangs on the compound before it.
    child: bool,
}

/// Only what the generator writes: the tables of the random pages need no escapes.
fn take_apart(selector: &str) -> Vec<Compound> {
    let mut compounds = Vec::new();
    let mut child = false;
    for word in selector.replace(":not(* > *)", ":top").replace(":is(* > *)", ":held").split(' ') {
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
    for (pseudo, top) in [(":top", true), (":held", false)] {
        if let Some(cut) = rest.strip_suffix(pseudo) {
            found.top = Some(top);
            rest = cut;
        }
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
    if let Some((tag, class)) = rest.split_once('.') {
        found.class = Some(class.to_owned());
        found.tag = (!tag.is_empty()).then(|| tag.to_owned());
        return found;
    }
    match rest.split_at(usize::from(!rest.is_empty())) {
        ("#", id) => found.id = Some(id.to_owned()),
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
    let element = document.kind[parent.index] == ELEMENT;
    (element && shadow(node) == shadow(parent)).then_some(parent)
}

fn fits(snapshot: &Snapshot, node: Node, wanted: &Compound) -> bool {
    let document = snapshot.document(node);
    if document.kind[node.index] != ELEMENT {
        return false;
    }
    let strings = snapshot.strings(node);
    let value = |name: &str| {
        let pairs = document.attributes(node.index);
        pairs.iter().find(|pair| strings.get(pair[0]) == name).map(|pair| strings.get(pair[1]))
    };
    let nth = || {
        let parent = snapshot.parent(node).map(|parent| parent.index);
        let alike = NodeIndex::ROOT.until(node.index + 1).nodes().filter(|&other| {
            let other_node = Node { index: other, ..node };
            document.parent_of(other) == parent
                && document.name[other] == document.name[node.index]
                && tree_parent(snapshot, other_node).is_some() == tree_parent(snapshot, node).is_some()
        });
        alike.count()
    };
    wanted.tag.as_ref().is_none_or(|tag| *tag == snapshot.tag_name(node))
        && wanted.id.as_ref().is_none_or(|id| value("id") == Some(id))
        && wanted.class.as_ref().is_none_or(|class| value("class").is_some_and(|v| v.split(' ').any(|t| t == class)))
        && wanted.attribute.as_ref().is_none_or(|(name, text)| value(name) == Some(text))
        && wanted.top.is_none_or(|top| top == tree_parent(snapshot, node).is_none())
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

fn is_css(kind: &str) -> bool {
    !matches!(kind, "role" | "text")
}

fn check(snapshot: &Snapshot) -> Result<(), TestCaseError> {
    let elements: Vec<Node> = (0..snapshot.documents[0].len() as u32)
        .map(|index| Node::numbered(0, index))
        .filter(|node| snapshot.document(*node).kind[node.index] == ELEMENT)
        .collect();
    for &node in &elements {
        let selector = in_frame(snapshot, node);
        let compounds = take_apart(&selector);
        let found: Vec<Node> = elements.iter().copied().filter(|other| matches(snapshot, *other, &compounds)).collect();
        prop_assert_eq!(&found, &vec![node], "{}", &selector);
        for form in selectors(snapshot, node).into_iter().filter(|form| is_css(form.kind)) {
            let compounds = take_apart(&form.selector);
            let others: Vec<Node> =
                elements.iter().copied().filter(|other| matches(snapshot, *other, &compounds)).collect();
            prop_assert_eq!(&others, &found, "{} {}", form.kind, &form.selector);
            prop_assert_eq!(
                resolved(snapshot, DocumentIndex::FIRST, &form.selector),
                Some(vec![node.index]),
                "{}",
                &form.selector
            );
        }
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
        let node = snapshot.find("", tree.nodes[node].backend_node_id).expect("it is there");
        in_frame(&snapshot, node)
    };
    assert_eq!(of(generated), ".panel");
    assert_eq!(of(button), "[data-testid=\"go\"]");
    assert_eq!(of(plain), ".panel > span");
}

/// What the index says, by asking every element.
fn bearers(snapshot: &Snapshot, test: impl Fn(Node) -> bool) -> Vec<NodeIndex> {
    let nodes = (0..snapshot.documents[0].len() as u32).map(|index| Node::numbered(0, index));
    let elements = nodes.filter(|node| snapshot.document(*node).kind[node.index] == ELEMENT);
    elements.filter(|node| test(*node)).map(|node| node.index).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_says_what_asking_everyone_says(page in a_page()) {
        let snapshot = page.snapshot();
        let index = index_of(&snapshot, DocumentIndex::FIRST);
        let value = |node: Node, name: &str| {
            let strings = snapshot.strings(node);
            let pairs = snapshot.document(node).attributes(node.index);
            pairs.iter().find(|pair| strings.get(pair[0]) == name).map(|pair| strings.get(pair[1]))
        };
        for tag in ["DIV", "p", "body", "nothing"] {
            let slow = bearers(&snapshot, |node| snapshot.tag_name(node).eq_ignore_ascii_case(tag));
            prop_assert_eq!(index.having(Kind::Tag, tag), slow.as_slice());
        }
        for class in ["x", "y", "X", "z"] {
            let holds = |v: &str| v.split(' ').any(|token| token.eq_ignore_ascii_case(class));
            let slow = bearers(&snapshot, |node| value(node, "class").is_some_and(holds));
            prop_assert_eq!(index.having(Kind::Class, class), slow.as_slice());
        }
        for id in ["one", "two", "three"] {
            let slow = bearers(&snapshot, |node| value(node, "id") == Some(id));
            prop_assert_eq!(index.having(Kind::Id, id), slow.as_slice());
            prop_assert_eq!(index.by_id(id), slow.first().copied());
        }
        let slow = bearers(&snapshot, |node| value(node, "href") == Some("/a"));
        prop_assert_eq!(index.with_value("href", "/a"), slow.as_slice());
        let fresh = page.snapshot();
        let asked = index_of(&fresh, DocumentIndex::FIRST);
        for node in bearers(&snapshot, |_| true) {
            let place = asked.place(node);
            index.prepare();
            prop_assert_eq!(place, index.place(node));
        }
        for (kind, texts) in [
            (Kind::Tag, ["DIV", "p", "body", "html"]),
            (Kind::Class, ["x", "y", "X", "z"]),
            (Kind::Id, ["one", "two", "three", "ONE"]),
        ] {
            for text in texts {
                prop_assert_eq!(asked.is_unique(kind, text), index.having(kind, text).len() == 1, "{}", text);
            }
        }
        for value in ["a", "b", "/a", "one"] {
            for name in ["name", "data-testid", "for"] {
                prop_assert_eq!(asked.is_unique_value(name, value), index.with_value(name, value).len() == 1);
            }
            prop_assert_eq!(asked.naming(value), index.with_value("for", value));
        }
        let all = index.having(Kind::Tag, "p");
        let interval = NodeIndex::new(3).until(NodeIndex::new(9));
        let inside: Vec<NodeIndex> = all.iter().copied().filter(|node| interval.contains(*node)).collect();
        prop_assert_eq!(between(all, interval), inside.as_slice());
    }

    #[test]
    fn an_element_of_an_unchanged_page_is_found_again(page in a_page()) {
        let snapshot = page.snapshot();
        for index in bearers(&snapshot, |_| true) {
            let node = Node { document: DocumentIndex::FIRST, index };
            let taken = Fingerprint::of(&snapshot, node, &Redactor::default());
            let kept = from_json(to_json(&taken).as_bytes());
            prop_assert_eq!(kept.as_ref(), Ok(&taken));
            let found = taken.find_in(&snapshot);
            prop_assert_eq!(found.how, How::Alive);
            prop_assert_eq!(found.found.map(|found| (found.node, found.score)), Some((node, 1.0)));
            // Without the node id its selector leads there, and nothing is as like it as itself.
            let mut other = taken.clone();
            other.home.document_id += 1;
            let found = other.find_in(&snapshot);
            let ranked = by_likeness(&snapshot, &taken.traits);
            let mut best = ranked.found.iter().chain(&ranked.alternatives).map(|candidate| candidate.score);
            prop_assert_eq!(best.next(), Some(1.0));
            if found.how == How::Nothing {
                // A selector that counts siblings is not trusted where another element is just as like.
                prop_assert_eq!(best.next(), Some(1.0));
                prop_assert!(taken.selector.contains(":nth-"));
                continue;
            }
            prop_assert_eq!(found.how, How::Selector);
            prop_assert_eq!(found.found.map(|found| found.node), Some(node));
        }
    }

    #[test]
    fn any_bytes_are_a_fingerprint_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..64), cut in 0usize..400) {
        prop_assert!(from_json(&bytes).is_err());
        let snapshot = TestTree::new().snapshot();
        let json = to_json(&Fingerprint::of(&snapshot, Node::numbered(0, 3), &Redactor::default()));
        if cut < json.len() {
            prop_assert!(from_json(&json.as_bytes()[..cut]).is_err());
        }
    }
}

#[test]
fn a_wide_parent_makes_no_selector_dearer() {
    let mut tree = TestTree::new();
    for number in 0..200_000 {
        tree.element(TestTree::BODY, "P", &[("class", if number % 2 == 0 { "a b" } else { "b" })]);
    }
    let snapshot = tree.snapshot();
    // All of them: were each O(siblings), this would be 40 billion steps.
    let last = snapshot.documents[0].len() as u32;
    let total: usize = (4..last).map(|index| in_frame(&snapshot, Node::numbered(0, index)).len()).sum();
    assert!(total > 200_000 * "body > p:nth-of-type()".len());
}

#[test]
fn a_re_rendered_element_is_recognised_and_an_absent_one_is_not() {
    let page = |id: &str, label: &str, first: u32| {
        let mut tree = TestTree::new();
        let form = tree.element(TestTree::BODY, "FORM", &[("class", "login")]);
        tree.element(form, "INPUT", &[("name", "user"), ("placeholder", "User name")]);
        let button = tree.element(form, "BUTTON", &[("id", id), ("class", "primary big")]);
        tree.text(button, label);
        tree.element(TestTree::BODY, "A", &[("href", "/help")]);
        tree.nodes.iter_mut().for_each(|node| node.backend_node_id += first);
        (tree.nodes[button].backend_node_id, tree.snapshot())
    };
    let (backend_node_id, before) = page("go", "Log in", 0);
    let taken = Fingerprint::of(&before, before.find("", backend_node_id).expect("it is there"), &Redactor::default());
    let (now, after) = page("submit", "Log in now", 100);
    let found = taken.find_in(&after);
    assert_eq!(found.how, How::Likeness);
    let node = found.found.expect("it was found").node;
    assert_eq!(after.document(node).backend_node_id[node.index], now);
    let mut empty = TestTree::new();
    empty.nodes.iter_mut().for_each(|node| node.backend_node_id += 500);
    let found = taken.find_in(&empty.snapshot());
    assert_eq!(found.how, How::Nothing);
    assert!(found.found.is_none());
}

#[test]
fn siblings_of_one_tag_and_two_namespaces_are_told_apart() {
    let mut tree = TestTree::new();
    let list = tree.element(TestTree::BODY, "DIV", &[]);
    // Captures shout the tags of HTML and no others.
    for tag in ["A", "a", "P", "A", "a"] {
        tree.element(list, tag, &[]);
    }
    let snapshot = tree.snapshot();
    let links = bearers(&snapshot, |node| snapshot.tag_name(node) == "a");
    let at = |index| Node { document: DocumentIndex::FIRST, index };
    let names: Vec<String> = links.iter().map(|&index| selector(&snapshot, at(index))).collect();
    assert_eq!(names[1], "body > div > a:nth-child(2)");
    for (name, &index) in names.iter().zip(&links) {
        assert_eq!(resolve(&snapshot, name), Some(at(index)), "{name}");
    }
}
