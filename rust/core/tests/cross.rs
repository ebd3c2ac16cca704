//! Different documents, matched by their content.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use stillframe_core::testing::capture::node::DocumentIndex;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::cross::{Crossing, Limits, documents};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestTree, card_grid, four_edits};
use stillframe_core::testing::script::{Edit as ScriptEdit, Names, Script, Tree};

mod pages;
mod twins;
use pages::{Edit, a_page, leads_there_and_back};
use twins::zhang_shasha;

const BODY: usize = TestTree::BODY;

/// The page after another load: the same nodes with other ids.
fn reloaded(page: &TestTree) -> TestTree {
    let mut other = page.clone();
    for node in &mut other.nodes {
        node.backend_node_id = node.backend_node_id * 3 + 100_000;
    }
    other
}

/// The page edited, after another load.
fn edited(page: &TestTree, edits: &[Edit]) -> TestTree {
    reloaded(&pages::edited(page, edits))
}

fn cross(before: &Snapshot, after: &Snapshot, limits: Limits) -> Crossing {
    documents(before, DocumentIndex::FIRST, after, DocumentIndex::FIRST, limits)
}

fn compare(before: &TestTree, after: &TestTree) -> Delta {
    Delta::between(&before.snapshot(), &after.snapshot(), &DeltaOptions::default())
}

/// (appeared, disappeared, changed) as short words.
fn said(delta: &Delta) -> (Vec<&str>, Vec<&str>, Vec<String>) {
    let change = |row: &stillframe_core::testing::delta::row::Row| {
        let change = row.change.clone().expect("a changed row says what changed");
        format!("{} {} {:?} {:?}", row.selector, change.field, change.from, change.to).replace("Some", "")
    };
    (
        delta.appeared.rows.iter().map(|row| row.text.as_str()).collect(),
        delta.disappeared.rows.iter().map(|row| row.text.as_str()).collect(),
        delta.changed.rows.iter().map(change).collect(),
    )
}

/// The trees before and after, with one name for nodes that were matched, and the script between them.
fn script(before: &Snapshot, after: &Snapshot, found: &Crossing) -> (Tree, Tree, Script) {
    let names = Names::by_match(&before.documents[0], &after.documents[0], &found.to_old);
    let first = DocumentIndex::FIRST;
    let script = Script::named(before, first, after, first, &found.edits, &names);
    (Tree::named(before, first, &names.old), Tree::named(after, first, &names.new), script)
}

fn check_round_trip(before: &Snapshot, after: &Snapshot, limits: Limits) -> Result<(), TestCaseError> {
    let (one, two, script) = script(before, after, &cross(before, after, limits));
    leads_there_and_back(&one, &two, &script)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_script_leads_there_and_back(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..10)) {
        check_round_trip(&page.snapshot(), &edited(&page, &edits).snapshot(), Limits::default())?;
    }

    #[test]
    fn a_script_leads_to_any_other_page(page in a_page(), other in a_page()) {
        check_round_trip(&page.snapshot(), &reloaded(&other).snapshot(), Limits::default())?;
    }

    /// With hashes of a few bits, or hardly any work allowed, edits are more but never wrong.
    #[test]
    fn collisions_and_a_short_budget_cost_no_edit(
        page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..6), bits in 0u32..9, steps in 0usize..4,
    ) {
        let (before, after) = (page.snapshot(), edited(&page, &edits).snapshot());
        check_round_trip(&before, &after, Limits { hash_bits: (1 << bits) - 1, ..Limits::default() })?;
        check_round_trip(&before, &after, Limits { steps, ..Limits::default() })?;
    }

    #[test]
    fn a_page_that_was_loaded_again_is_the_same(page in a_page()) {
        let (before, after) = (page.snapshot(), reloaded(&page).snapshot());
        let found = cross(&before, &after, Limits::default());
        prop_assert!(script(&before, &after, &found).2.edits.is_empty());
        prop_assert!(!found.approximate);
        let found = Delta::between(&before, &after, &DeltaOptions::default());
        prop_assert!(found.is_empty() && !found.same_document);
    }

    /// There and back, the same nodes are matched, and what appeared is what disappears.
    #[test]
    fn matching_is_symmetric(page in a_page(), other in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8)) {
        for after in [edited(&page, &edits), reloaded(&other)] {
            let (before, after) = (page.snapshot(), after.snapshot());
            let (there, back) = (cross(&before, &after, Limits::default()), cross(&after, &before, Limits::default()));
            for node in before.documents[0].nodes() {
                prop_assert_eq!(there.to_new.get(node), back.to_old.get(node));
            }
            let there = Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX));
            let back = Delta::between(&after, &before, &DeltaOptions::limited(usize::MAX));
            let ids = |rows: &[stillframe_core::testing::delta::row::Row]| {
                rows.iter().map(|row| row.backend_node_id).collect::<BTreeSet<u32>>()
            };
            prop_assert_eq!(ids(&there.appeared.rows), ids(&back.disappeared.rows));
            prop_assert_eq!(ids(&there.disappeared.rows), ids(&back.appeared.rows));
        }
    }

    /// However the capture is written down, and however often it is asked: the same rows.
    #[test]
    fn rows_do_not_depend_on_the_encoding(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8)) {
        let other = edited(&page, &edits);
        let plain = Delta::between(&page.snapshot(), &other.snapshot(), &DeltaOptions::default());
        let encoding = Encoding { rotate: 3, unused: 7, reverse_keys: true, ..Encoding::default() };
        let turned = Delta::between(&page.snapshot_as(&encoding), &other.snapshot_as(&encoding), &DeltaOptions::default());
        prop_assert_eq!(&plain.appeared.rows, &turned.appeared.rows);
        prop_assert_eq!(&plain.disappeared.rows, &turned.disappeared.rows);
        prop_assert_eq!(&plain.changed.rows, &turned.changed.rows);
    }
}

/// Without moves no script is cheaper than the optimum. How much dearer scripts are is printed (`--nocapture`).
#[test]
fn no_script_is_cheaper_than_the_optimum() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut ratios: Vec<f64> = Vec::new();
    let pages = (a_page(), prop::collection::vec(any::<Edit>(), 1..5));
    for _ in 0..256 {
        let (page, edits) = pages.new_tree(&mut runner).expect("a page").current();
        let (before, after) = (page.snapshot(), edited(&page, &edits).snapshot());
        let (one, two, script) = script(&before, &after, &cross(&before, &after, Limits::default()));
        if script.edits.iter().any(|edit| matches!(edit, ScriptEdit::Move { .. })) {
            continue;
        }
        let set = script.edits.iter().filter_map(|edit| match edit {
            ScriptEdit::Set { node, .. } => Some(*node),
            _ => None,
        });
        let set: BTreeSet<u32> = set.collect();
        let cost = set.len() + script.edits.iter().filter(|edit| !matches!(edit, ScriptEdit::Set { .. })).count();
        let optimum = zhang_shasha(&one, &two);
        assert!(cost >= optimum, "{cost} < {optimum}");
        if optimum > 0 {
            ratios.push(cost as f64 / optimum as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share) as usize];
    let optimal = ratios.iter().filter(|&&ratio| ratio == 1.0).count();
    println!(
        "{} scripts: {optimal} optimal, p50 {:.2}, p90 {:.2}, p99 {:.2}, worst {:.2} times the optimum",
        ratios.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
    assert!(ratios.len() > 50 && at(0.5) <= 1.5, "{}", at(0.5));
}

// -- what a user reads ---------------------------------------------------------------------------------------------

/// A shop's page: a head line, a table of goods, a footer.
fn goods(rows: &[(&str, &str)]) -> TestTree {
    let mut tree = TestTree::new();
    let nav = tree.element(BODY, "NAV", &[]);
    for name in ["Home", "Goods", "Basket"] {
        let link = tree.element(nav, "A", &[("href", name)]);
        tree.text(link, name);
    }
    let table = tree.element(BODY, "TABLE", &[("id", "goods")]);
    for (name, price) in rows {
        let row = tree.element(table, "TR", &[]);
        for text in [name, price] {
            let cell = tree.element(row, "TD", &[]);
            tree.text(cell, text);
        }
    }
    let footer = tree.element(BODY, "FOOTER", &[]);
    tree.text(footer, "Open every day");
    tree
}

const GOODS: [(&str, &str); 4] = [("Milk", "1 €"), ("Bread", "3 €"), ("Salt", "2 €"), ("Honey", "7 €")];

#[test]
fn a_reload_tells_the_text_that_changed() {
    let mut rows = GOODS;
    rows[1].1 = "4 €";
    let found = compare(&goods(&GOODS), &reloaded(&goods(&rows)));
    assert!(!found.same_document && !found.approximate && found.matched > 20);
    let change = "#goods > tr:nth-of-type(2) > td:nth-of-type(2) textContent (\"3 €\") (\"4 €\")".to_owned();
    assert_eq!(said(&found), (vec![], vec![], vec![change]));
    assert!(found.rerendered >= 5, "{}", found.rerendered);
}

#[test]
fn a_reload_tells_rows_that_came_and_went() {
    let rows = [("Milk", "1 €"), ("Salt", "2 €"), ("Honey", "7 €"), ("Apples", "5 €")];
    let found = compare(&goods(&GOODS), &reloaded(&goods(&rows)));
    assert_eq!(said(&found), (vec!["Apples 5 €"], vec!["Bread 3 €"], vec![]));
}

/// A framework builds the list again, one text of it another one: innerHTML, a new key, document.write.
#[test]
fn a_render_tells_the_text_that_changed() {
    for first in ["DIV", "LI", "P"] {
        let page = |price: &str, offset: u32| {
            let mut tree = TestTree::new();
            let heading = tree.element(BODY, "H1", &[]);
            tree.text(heading, "Everything");
            let root = tree.element(BODY, "DIV", &[("id", "root")]);
            let app = tree.element(root, "DIV", &[("class", "app")]);
            for (name, _) in GOODS {
                let card = tree.element(app, first, &[("class", "card")]);
                let title = tree.element(card, "B", &[]);
                tree.text(title, name);
                let text = tree.element(card, "SPAN", &[("class", "price")]);
                tree.text(text, if name == "Salt" { price } else { "9 €" });
            }
            for node in tree.nodes.iter_mut().skip(app) {
                node.backend_node_id += offset;
            }
            tree
        };
        let found = compare(&page("2 €", 0), &page("8 €", 1000));
        let (appeared, disappeared, changed) = said(&found);
        assert_eq!((appeared, disappeared), (vec![], vec![]), "{first}");
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert!(changed[0].ends_with("textContent (\"2 €\") (\"8 €\")"), "{changed:?}");
        assert!(found.rerendered >= 3 && found.same_document);
    }
}

#[test]
fn a_table_sorted_by_a_render_is_one_row() {
    let mut rows = GOODS;
    rows.reverse();
    let before = goods(&GOODS);
    let mut after = goods(&rows);
    let table = (0..after.nodes.len()).find(|&node| after.nodes[node].name == "TABLE").expect("a table");
    for node in table + 1..after.nodes.len() - 2 {
        after.nodes[node].backend_node_id += 1000;
    }
    let found = compare(&before, &after);
    assert_eq!(
        said(&found),
        (
            vec![],
            vec![],
            vec!["#goods order (\"4 rows; first: Milk 1 €\") (\"4 rows reordered; first: Honey 7 €\")".to_owned()]
        )
    );
}

#[test]
fn a_page_that_shares_little_is_summed_up() {
    let before = goods(&GOODS);
    let mut after = TestTree::new();
    let nav = after.element(BODY, "NAV", &[]);
    for name in ["Home", "Goods", "Basket"] {
        let link = after.element(nav, "A", &[("href", name)]);
        after.text(link, name);
    }
    for line in ["Your basket", "is empty", "Sorry", "Come back", "tomorrow", "or call us", "at noon"] {
        let element = after.element(BODY, "P", &[]);
        after.text(element, line);
    }
    let found = compare(&before, &reloaded(&after));
    assert_eq!((found.changed.total, found.appeared.total), (0, 7));
    assert_eq!(said(&found).1.len(), 2);
}

/// Golden: the same on every machine.
#[test]
fn a_grid_of_cards_loaded_again_tells_its_four_edits() {
    let page = card_grid(10_000);
    let mut other = page.clone();
    four_edits(&mut other);
    let found = compare(&page, &reloaded(&other));
    let (appeared, disappeared, changed) = said(&found);
    assert_eq!(appeared, ["Removed from the list"]);
    assert_eq!(disappeared, ["Product 277 277.77 € In stock, delivered tomorrow…"]);
    assert_eq!((changed.len(), found.changed.total), (1, 2), "{changed:?}");
    assert!(changed.iter().any(|row| row.contains("(\"Product 1\") (\"A new name\")")), "{changed:?}");
    assert!(!found.approximate);
}

// -- work ----------------------------------------------------------------------------------------------------------

/// Steps per node that matching takes.
fn work(one: &TestTree, two: &TestTree) -> f64 {
    let (before, after) = (one.snapshot(), reloaded(two).snapshot());
    let found = cross(&before, &after, Limits::default());
    found.work as f64 / (before.len() + after.len()) as f64
}

fn list(texts: impl Iterator<Item = String>) -> TestTree {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[]);
    for text in texts {
        let item = tree.element(list, "LI", &[]);
        tree.text(item, &text);
    }
    tree
}

#[test]
fn no_shape_of_a_page_takes_more_than_linear_work() {
    const N: usize = 20_000;
    let numbers = |order: &dyn Fn(usize) -> usize| list((0..N).map(|at| format!("item {}", order(at))));
    let chain = |leaf: &str| {
        let mut tree = TestTree::new();
        let end = (0..N).fold(BODY, |parent, _| tree.element(parent, "DIV", &[]));
        tree.text(end, leaf);
        tree
    };
    let equal = |count: usize| list((0..count).map(|_| "the same".to_owned()));
    let cases = [
        ("all equal, one more", equal(N), equal(N + 1)),
        ("all equal, twice as many", equal(N), equal(2 * N)),
        ("two letters", list((0..N).map(|at| (at % 2).to_string())), list((0..N).map(|at| (at / 3 % 2).to_string()))),
        ("reversed", numbers(&|at| at), numbers(&|at| N - at)),
        ("every seventh", numbers(&|at| at), numbers(&|at| at * 7919 % N)),
        ("nothing in common", numbers(&|at| at), numbers(&|at| at + N)),
        ("a deep chain", chain("a"), chain("b")),
    ];
    for (name, one, two) in &cases {
        let steps = work(one, two);
        println!("{name}: {steps:.1} steps per node");
        // The budget, and what one last step may take.
        assert!(steps <= 24.0, "{name}: {steps}");
    }
}

#[test]
fn what_runs_out_of_work_says_so() {
    let page = card_grid(500);
    let mut other = page.clone();
    four_edits(&mut other);
    let (before, after) = (page.snapshot(), reloaded(&other).snapshot());
    assert!(cross(&before, &after, Limits { steps: 0, ..Limits::default() }).approximate);
    assert!(!cross(&before, &after, Limits::default()).approximate);
}
