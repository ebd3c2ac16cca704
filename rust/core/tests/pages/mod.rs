//! Random pages and random edits, shared by the property tests.
#![allow(dead_code)]

use proptest::prelude::*;
use stillframe_core::testing::capture::columns::flag;
use stillframe_core::testing::delta::{Delta, List};
use stillframe_core::testing::diff::record::Record;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{TestNode, TestTree};
use stillframe_core::testing::script::{Script, Tree};

pub mod random;
mod words;
use words::{ATTRIBUTES, TEXTS};

const TAGS: [&str; 12] = ["DIV", "P", "SPAN", "B", "LI", "UL", "BUTTON", "A", "INPUT", "H2", "SCRIPT", "OPTION"];

/// How one node is made: numbers that pick from the tables above.
#[derive(Clone, Debug)]
pub struct Draft {
    parent: usize,
    tag: usize,
    text: Option<usize>,
    attributes: Vec<usize>,
    hidden: bool,
    live: bool,
}

fn a_draft() -> impl Strategy<Value = Draft> {
    let attributes = prop::collection::vec(0..ATTRIBUTES.len(), 0..3);
    let text = prop::option::weighted(0.4, 0..TEXTS.len());
    (any::<u16>(), 0..TAGS.len(), text, attributes, prop::bool::weighted(0.1), prop::bool::weighted(0.2)).prop_map(
        |(parent, tag, text, attributes, hidden, live)| Draft {
            parent: parent as usize,
            tag,
            text,
            attributes,
            hidden,
            live,
        },
    )
}

fn put(tree: &mut TestTree, parent: usize, draft: &Draft) -> usize {
    if let Some(text) = draft.text {
        return tree.text(parent, TEXTS[text]);
    }
    let mut node = TestNode { kind: 1, name: TAGS[draft.tag].to_owned(), hidden: draft.hidden, ..TestNode::default() };
    for &at in &draft.attributes {
        let (name, value) = ATTRIBUTES[at];
        if !node.attributes.iter().any(|other| other.0 == name) {
            node.attributes.push((name.to_owned(), value.to_owned()));
        }
    }
    if node.name == "INPUT" && draft.live {
        node.live = Some("typed".to_owned());
        node.checked = draft.hidden;
    }
    tree.add(parent, node)
}

/// The elements that may hold others, `body` first.
fn holders(tree: &TestTree) -> Vec<usize> {
    let order = tree.preorder().into_iter().map(|entry| entry.0);
    order.filter(|&node| node >= TestTree::BODY && tree.nodes[node].kind == 1).collect()
}

/// A page of up to 40 nodes; deep where the drafts pick late parents.
pub fn a_page() -> impl Strategy<Value = TestTree> {
    prop::collection::vec(a_draft(), 0..36).prop_map(|drafts| {
        let mut tree = TestTree::new();
        for draft in &drafts {
            let holders = holders(&tree);
            let parent = holders[draft.parent % holders.len()];
            put(&mut tree, parent, draft);
        }
        tree
    })
}

/// One change of a page.
#[derive(Clone, Debug)]
pub enum Edit {
    Insert { parent: u16, at: u16, draft: Draft },
    Delete { node: u16 },
    Move { node: u16, parent: u16, at: u16 },
    Text { node: u16, text: u8 },
    Attribute { node: u16, attribute: u8, remove: bool },
    Live { node: u16, value: u8 },
    Show { node: u16, hidden: bool },
    Reverse { parent: u16 },
}

impl Arbitrary for Edit {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        prop_oneof![
            (any::<u16>(), any::<u16>(), a_draft()).prop_map(|(parent, at, draft)| Self::Insert { parent, at, draft }),
            any::<u16>().prop_map(|node| Self::Delete { node }),
            (any::<u16>(), any::<u16>(), any::<u16>()).prop_map(|(node, parent, at)| Self::Move { node, parent, at }),
            (any::<u16>(), any::<u8>()).prop_map(|(node, text)| Self::Text { node, text }),
            (any::<u16>(), any::<u8>(), any::<bool>()).prop_map(|(node, attribute, remove)| Self::Attribute {
                node,
                attribute,
                remove
            }),
            (any::<u16>(), any::<u8>()).prop_map(|(node, value)| Self::Live { node, value }),
            (any::<u16>(), any::<bool>()).prop_map(|(node, hidden)| Self::Show { node, hidden }),
            any::<u16>().prop_map(|parent| Self::Reverse { parent }),
        ]
        .boxed()
    }
}

fn pick(list: &[usize], number: u16) -> Option<usize> {
    (!list.is_empty()).then(|| list[number as usize % list.len()])
}

fn inner(tree: &TestTree) -> Vec<usize> {
    tree.preorder().into_iter().map(|entry| entry.0).filter(|&node| node > TestTree::BODY).collect()
}

/// The page after some edits.
pub fn edited(page: &TestTree, edits: &[Edit]) -> TestTree {
    let mut other = page.clone();
    edits.iter().for_each(|edit| mutate(&mut other, edit));
    other
}

/// Whether a script leads from one tree to the other, and inverted from there back.
pub fn leads_there_and_back(one: &Tree, two: &Tree, script: &Script) -> Result<(), TestCaseError> {
    let mut tree = one.clone();
    tree.apply(script);
    prop_assert_eq!(&tree, two);
    tree.apply(&script.invert());
    prop_assert_eq!(&tree, one);
    prop_assert_eq!(script.edits.is_empty(), one == two);
    Ok(())
}

/// Apply `edit`; one that makes no sense for this page changes nothing.
pub fn mutate(tree: &mut TestTree, edit: &Edit) {
    let nodes = inner(tree);
    let elements: Vec<usize> = nodes.iter().copied().filter(|&node| tree.nodes[node].kind == 1).collect();
    match edit {
        Edit::Insert { parent, at, draft } => {
            let Some(parent) = pick(&holders(tree), *parent) else { return };
            let node = put(tree, parent, draft);
            let children = &mut tree.nodes[parent].children;
            children.pop();
            children.insert(*at as usize % (children.len() + 1), node);
        }
        Edit::Delete { node } => {
            let Some(node) = pick(&nodes, *node) else { return };
            detach(tree, node);
        }
        Edit::Move { node, parent, at } => {
            let (Some(node), Some(parent)) = (pick(&nodes, *node), pick(&holders(tree), *parent)) else { return };
            if tree.is_within(parent, node) {
                return;
            }
            detach(tree, node);
            let children = &mut tree.nodes[parent].children;
            children.insert(*at as usize % (children.len() + 1), node);
        }
        Edit::Text { node, text } => {
            let texts: Vec<usize> = nodes.into_iter().filter(|&node| tree.nodes[node].kind == 3).collect();
            let Some(node) = pick(&texts, *node) else { return };
            tree.nodes[node].value = TEXTS[*text as usize % TEXTS.len()].to_owned();
        }
        Edit::Attribute { node, attribute, remove } => {
            let Some(node) = pick(&elements, *node) else { return };
            let (name, value) = ATTRIBUTES[*attribute as usize % ATTRIBUTES.len()];
            tree.nodes[node].attributes.retain(|other| other.0 != name);
            if !remove {
                tree.nodes[node].attributes.push((name.to_owned(), value.to_owned()));
            }
        }
        Edit::Live { node, value } => {
            let inputs: Vec<usize> = nodes.into_iter().filter(|&node| tree.nodes[node].name == "INPUT").collect();
            let Some(node) = pick(&inputs, *node) else { return };
            tree.nodes[node].live = Some(format!("v{}", value % 3));
            tree.nodes[node].checked = value % 2 == 1;
        }
        Edit::Show { node, hidden } => {
            let Some(node) = pick(&elements, *node) else { return };
            tree.nodes[node].hidden = *hidden;
        }
        Edit::Reverse { parent } => {
            let Some(parent) = pick(&holders(tree), *parent) else { return };
            tree.nodes[parent].children.reverse();
        }
    }
}

fn detach(tree: &mut TestTree, node: usize) {
    if let Some(parent) = tree.parent_of(node) {
        tree.nodes[parent].children.retain(|&child| child != node);
    }
}

/// Two pages and the delta between them, for people who read a failure.
pub fn show(before: &Snapshot, after: &Snapshot, delta: &Delta) -> String {
    let page = |snapshot: &Snapshot| {
        let document = &snapshot.documents[0];
        let mut lines = String::new();
        for node in document.nodes().filter(|&node| !document.has(node, flag::DROPPED)) {
            let depth = std::iter::successors(document.parent_of(node), |&parent| document.parent_of(parent)).count();
            let record = Record::of(snapshot, document, node);
            let backend_node_id = document.backend_node_id[node];
            lines += &format!(
                "\n{}{} {:?} {backend_node_id} {:?} {:?}",
                "  ".repeat(depth),
                record.name,
                record.text,
                record.attributes,
                record.properties
            );
        }
        lines
    };
    let rows = |list: &List| {
        let said = list.rows.iter().map(|row| format!("\n{} {:?} {:?}", row.selector, row.text, row.change));
        said.collect::<String>()
    };
    format!(
        "{}\n--{}\n-- appeared{}\n-- disappeared{}\n-- changed{}",
        page(before),
        page(after),
        rows(&delta.appeared),
        rows(&delta.disappeared),
        rows(&delta.changed)
    )
}
