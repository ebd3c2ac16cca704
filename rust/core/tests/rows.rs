//! Summaries: topmost, disjoint, ranked, counted, and without secrets, against the acceptance cases.

use proptest::prelude::*;
use stillframe_core::testing::capture::page::PartSource;
use stillframe_core::testing::delta::change::Change;
use stillframe_core::testing::delta::row::{Row, Wording};
use stillframe_core::testing::delta::{DEFAULT_LIMIT, Delta, DeltaOptions};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::element::text::Redactor;
use stillframe_core::testing::page::{Encoding, TestNode, TestTree, bytes};

mod pages;
use pages::{Edit, a_page, edited};

const BODY: usize = TestTree::BODY;

fn compare(before: &TestTree, after: &TestTree) -> Delta {
    Delta::between(&before.snapshot(), &after.snapshot(), &DeltaOptions::default())
}

fn selectors(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.selector.as_str()).collect()
}

fn changes(delta: &Delta) -> Vec<(&str, &str, Option<&str>, Option<&str>)> {
    let change = |row: &'_ Row| row.change.as_ref().map(|_| ()).is_some();
    assert!(delta.changed.rows.iter().all(change));
    delta
        .changed
        .rows
        .iter()
        .filter_map(|row| {
            let Change { field, from, to } = row.change.as_ref()?;
            Some((row.selector.as_str(), field.as_str(), from.as_deref(), to.as_deref()))
        })
        .collect()
}

fn element_with_text(tree: &mut TestTree, parent: usize, tag: &str, id: &str, text: &str) -> usize {
    let attributes = [("id", id)];
    let node = tree.element(parent, tag, if id.is_empty() { &[] } else { &attributes });
    tree.text(node, text);
    node
}

#[test]
fn a_text_is_lifted_to_its_element() {
    let mut tree = TestTree::new();
    let line = element_with_text(&mut tree, BODY, "P", "line", "one");
    let mut other = tree.clone();
    let text = other.nodes[line].children[0];
    other.nodes[text].value = "two".to_owned();
    let found = compare(&tree, &other);
    assert_eq!(changes(&found), [("#line", "textContent", Some("one"), Some("two"))]);
    // The same when the page replaces the text node.
    other.nodes[line].children.clear();
    other.text(line, "two");
    let found = compare(&tree, &other);
    assert_eq!(changes(&found), [("#line", "textContent", Some("one"), Some("two"))]);
    assert!(found.appeared.rows.is_empty() && found.disappeared.rows.is_empty());
}

#[test]
fn a_validation_error_is_a_row_and_a_class() {
    let mut tree = TestTree::new();
    let form = tree.element(BODY, "FORM", &[("id", "f")]);
    let email = tree.element(form, "INPUT", &[("id", "email"), ("class", "input")]);
    let mut other = tree.clone();
    other.nodes[email].attributes[1].1 = "input error".to_owned();
    let wrapper = other.element(form, "DIV", &[]);
    element_with_text(&mut other, wrapper, "P", "message", "Not an address");
    let found = compare(&tree, &other);
    assert_eq!(selectors(&found.appeared.rows), ["#message"]);
    assert_eq!(changes(&found), [("#email", "className", Some("input"), Some("input error"))]);
}

#[test]
fn one_item_in_front_of_fifty_is_one_row() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[("id", "list")]);
    for _ in 0..50 {
        element_with_text(&mut tree, list, "LI", "", "item");
    }
    let mut other = tree.clone();
    let item = element_with_text(&mut other, list, "LI", "", "item");
    other.nodes[list].children.pop();
    other.nodes[list].children.insert(0, item);
    let found = compare(&tree, &other);
    assert_eq!(selectors(&found.appeared.rows), ["#list > li:nth-of-type(1)"]);
    assert_eq!((found.disappeared.total, found.changed.total), (0, 0));
}

#[test]
fn two_elements_that_look_alike_are_two_rows() {
    let mut tree = TestTree::new();
    let one = element_with_text(&mut tree, BODY, "P", "twin", "a");
    let two = element_with_text(&mut tree, BODY, "P", "twin", "a");
    let mut other = tree.clone();
    for node in [one, two] {
        let text = other.nodes[node].children[0];
        other.nodes[text].value = "b".to_owned();
    }
    let found = compare(&tree, &other);
    assert_eq!(selectors(&found.changed.rows), ["body > p:nth-of-type(1)", "body > p:nth-of-type(2)"]);
}

#[test]
fn a_move_is_one_row() {
    let mut tree = TestTree::new();
    let from = tree.element(BODY, "DIV", &[("id", "a")]);
    let to = tree.element(BODY, "DIV", &[("id", "b")]);
    let thing = element_with_text(&mut tree, from, "P", "thing", "text");
    let mut other = tree.clone();
    other.nodes[from].children.clear();
    other.nodes[to].children.push(thing);
    let found = compare(&tree, &other);
    assert_eq!(changes(&found), [("#thing", "parent", Some("#a"), Some("#b"))]);
    assert!(found.appeared.rows.is_empty() && found.disappeared.rows.is_empty());
}

#[test]
fn reorders_are_reported_briefly() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[("id", "list")]);
    let items: Vec<usize> =
        (0..7).map(|at| element_with_text(&mut tree, list, "LI", &format!("item-{at}x"), "text")).collect();
    let mut other = tree.clone();
    other.nodes[list].children = vec![items[1], items[2], items[3], items[4], items[5], items[6], items[0]];
    assert_eq!(changes(&compare(&tree, &other)), [("#item-0x", "position", Some("1"), Some("7"))]);
    other.nodes[list].children.sort_by(|one, two| two.cmp(one));
    assert_eq!(
        changes(&compare(&tree, &other)),
        [("#list", "order", Some("7 items; first: text"), Some("7 items reordered; first: text"))]
    );
}

#[test]
fn an_item_that_changed_its_place_in_a_list_is_named_beside_other_news() {
    let mut tree = TestTree::new();
    let told = element_with_text(&mut tree, BODY, "P", "told", "Drag a job");
    let list = tree.element(BODY, "UL", &[("id", "jobs")]);
    let mut items = Vec::new();
    for words in ["Dig", "Sow", "Water", "Weed"] {
        let item = tree.element(list, "LI", &[("role", "button")]);
        tree.text(item, words);
        items.push(item);
    }
    let mut other = tree.clone();
    other.nodes[list].children = vec![items[1], items[2], items[0], items[3]];
    let found = compare(&tree, &other);
    let alone: Vec<_> = changes(&found).into_iter().map(|(_, field, from, to)| (field, from, to)).collect();
    assert_eq!(alone, [("position", Some("1"), Some("3"))]);
    let text = other.nodes[told].children[0];
    other.nodes[text].value = "Dig is third".to_owned();
    let found = compare(&tree, &other);
    assert_eq!(
        changes(&found),
        [
            ("#jobs", "order", Some("4 items; first: Dig"), Some("4 items reordered; first: Sow")),
            ("#told", "textContent", Some("Drag a job"), Some("Dig is third")),
        ]
    );
    assert_eq!((found.changed.rows[0].count, &*found.changed.rows[0].examples), (1, &["Dig".to_owned()][..]));
}

/// A grid as virtual ones are: wrappers around its cells, rows with numbers in any order, boxes with words for screen readers.
fn a_virtual_grid(crates: impl Iterator<Item = (usize, usize)>) -> TestTree {
    let mut tree = TestTree::new();
    let grid = tree.element(BODY, "DIV", &[("id", "grid"), ("role", "grid")]);
    let mut row = |cells: [(&str, &str); 2], number: &str| {
        let row = tree.element(grid, "DIV", &[("role", "row"), ("aria-rowindex", number)]);
        let wrapper = tree.element(row, "DIV", &[]);
        let first = tree.element(wrapper, "DIV", &[("role", cells[0].0)]);
        tree.element(first, "INPUT", &[("type", "checkbox"), ("aria-label", "Press Space to toggle row selection")]);
        for (role, text) in cells {
            let cell = tree.element(wrapper, "DIV", &[("role", role)]);
            tree.text(cell, text);
        }
    };
    row([("columnheader", "Crate"), ("columnheader", "Hall")], "1");
    for (number, at) in crates {
        row([("gridcell", &format!("Crate {at}")), ("gridcell", "A")], &number.to_string());
    }
    tree
}

#[test]
fn a_virtual_grid_says_what_is_first_without_its_headers() {
    let before = a_virtual_grid((0..20).map(|at| (at + 2, at)));
    let after = a_virtual_grid((0..20).map(|at| (21 - at, 490 + at)));
    let found = compare(&before, &after);
    assert_eq!(
        changes(&found),
        [("#grid", "rows", Some("20 rows; first: Crate 0 A"), Some("20 rows; first: Crate 509 A"))]
    );
    assert_eq!(found.changed.rows[0].examples, ["Crate 508 A", "Crate 507 A"]);
}

#[test]
fn a_text_that_an_editor_moves_into_an_element_of_another_kind_is_a_row() {
    let mut tree = TestTree::new();
    let editor = tree.element(BODY, "DIV", &[("contenteditable", "true")]);
    let line = element_with_text(&mut tree, editor, "P", "", "Dear Ann,");
    let text = tree.nodes[line].children[0];
    for (tags, role) in [(&["H1"][..], "heading"), (&["OL", "LI"][..], "listitem")] {
        let mut other = tree.clone();
        other.nodes[editor].children.clear();
        let last = tags.iter().fold(editor, |parent, tag| other.element(parent, tag, &[]));
        other.nodes[last].children.push(text);
        let found = compare(&tree, &other);
        let told: Vec<_> = changes(&found).into_iter().map(|(_, field, from, to)| (field, from, to)).collect();
        assert_eq!(told, [("role", Some("paragraph"), Some(role))]);
    }
}

#[test]
fn a_small_picture_without_words_is_reported_only_alone() {
    let tree = TestTree::new();
    let mut other = tree.clone();
    let icon = other.element(BODY, "I", &[("id", "icon")]);
    other.element(icon, "svg", &[]);
    assert_eq!(selectors(&compare(&tree, &other).appeared.rows), ["#icon"]);
    element_with_text(&mut other, BODY, "P", "told", "Filtered");
    assert_eq!(selectors(&compare(&tree, &other).appeared.rows), ["#told"]);
}

#[test]
fn showing_and_hiding_are_appearing_and_disappearing() {
    let mut tree = TestTree::new();
    let message = element_with_text(&mut tree, BODY, "P", "message", "text");
    tree.nodes[message].hidden = true;
    let mut other = tree.clone();
    other.nodes[message].hidden = false;
    other.nodes[message].attributes.push(("class".to_owned(), "shown".to_owned()));
    let found = compare(&tree, &other);
    assert_eq!(selectors(&found.appeared.rows), ["#message"]);
    assert_eq!(found.changed.total, 0);
    assert_eq!(selectors(&compare(&other, &tree).disappeared.rows), ["#message"]);
}

#[test]
fn a_text_that_moves_into_or_out_of_a_hidden_element_is_a_row() {
    let mut tree = TestTree::new();
    let hidden = tree.element(BODY, "DIV", &[("id", "hidden")]);
    tree.nodes[hidden].hidden = true;
    let shown = element_with_text(&mut tree, BODY, "DIV", "shown", "There");
    let text = tree.nodes[shown].children[0];
    let mut other = tree.clone();
    other.nodes[BODY].children.retain(|&child| child != shown);
    other.nodes[hidden].children.push(text);
    assert_eq!(selectors(&compare(&tree, &other).disappeared.rows), ["#shown"]);
    assert_eq!(selectors(&compare(&other, &tree).appeared.rows), ["#shown"]);
}

#[test]
fn a_render_that_changes_nothing_is_not_a_change() {
    let build = |extra: bool| {
        let mut tree = TestTree::new();
        let list = tree.element(BODY, "DIV", &[("id", "list")]);
        let offset = if extra { 100 } else { 0 };
        for at in 0..5 {
            let card = tree.element(list, "DIV", &[("class", "card")]);
            element_with_text(&mut tree, card, "H3", "", &format!("Card {at}"));
            element_with_text(&mut tree, card, "BUTTON", "", "Buy");
        }
        for node in tree.nodes.iter_mut().skip(list + 1) {
            node.backend_node_id += offset;
        }
        (tree, list)
    };
    let (before, _) = build(false);
    let (mut after, list) = build(true);
    let found = compare(&before, &after);
    assert!(found.is_empty());
    assert_eq!(found.rerendered, 5);
    element_with_text(&mut after, list, "P", "", "That is all");
    let found = compare(&before, &after);
    assert_eq!((found.appeared.total, found.disappeared.total, found.changed.total), (1, 0, 0));
}

#[test]
fn a_row_replaced_by_another_is_both() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[]);
    let item = element_with_text(&mut tree, list, "LI", "", "A");
    element_with_text(&mut tree, list, "LI", "", "B");
    let mut other = tree.clone();
    other.nodes[list].children.retain(|&child| child != item);
    element_with_text(&mut other, list, "LI", "", "C");
    let found = compare(&tree, &other);
    assert_eq!((found.appeared.rows[0].text.as_str(), found.disappeared.rows[0].text.as_str()), ("C", "A"));
}

#[test]
fn secrets_and_passwords_do_not_come_out() {
    let mut tree = TestTree::new();
    let field = tree.element(BODY, "INPUT", &[("id", "pass"), ("type", "password")]);
    let echo = element_with_text(&mut tree, BODY, "P", "echo", "nothing");
    tree.nodes[field].live = Some(String::new());
    let mut other = tree.clone();
    other.nodes[field].live = Some("hunter2 is long".to_owned());
    let text = other.nodes[echo].children[0];
    other.nodes[text].value = format!("{} hunter2  is long, you typed", "x".repeat(43));
    let secrets = Redactor::new(&["hunter2 is long"]);
    let found = Delta::between(
        &tree.snapshot(),
        &other.snapshot(),
        &DeltaOptions {
            wording: Wording { redactor: secrets.into(), ..Wording::default() },
            ..DeltaOptions::default()
        },
    );
    let said = format!("{:?}{:?}", changes(&found), found.changed.rows);
    assert!(!said.contains("hunter2") && said.contains("••••"), "{said}");
    let masked = changes(&found).into_iter().find(|change| change.0 == "#pass");
    assert_eq!(masked, Some(("#pass", "value", Some(""), Some("••••"))));
}

#[test]
fn texts_are_cut_on_a_grapheme() {
    let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}";
    let mut tree = TestTree::new();
    let line = element_with_text(&mut tree, BODY, "P", "line", "x");
    let mut other = tree.clone();
    let text = other.nodes[line].children[0];
    other.nodes[text].value = family.repeat(30);
    let wording = Wording { text_limit: 50, ..Wording::default() };
    let options = DeltaOptions { wording, ..DeltaOptions::default() };
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &options);
    let shown = &found.changed.rows[0].text;
    assert_eq!(shown, &format!("{}…", family.repeat(7)));
    assert_eq!(shown.chars().count(), 50);
    other.nodes[text].value = family.repeat(60);
    let found = compare(&tree, &other);
    assert_eq!(found.changed.rows[0].text, format!("{}…", family.repeat(42)));
    other.nodes[text].value = format!("{}b", "a".repeat(80));
    let mut third = other.clone();
    third.nodes[text].value = format!("{}c", "a".repeat(80));
    let found = compare(&other, &third);
    let (_, _, from, to) = changes(&found)[0];
    assert!(from.is_some_and(|from| from.ends_with('b')) && to.is_some_and(|to| to.ends_with('c')));
}

#[test]
fn alerts_are_never_cut_off() {
    let tree = TestTree::new();
    let mut other = tree.clone();
    for at in 0..30 {
        element_with_text(&mut other, BODY, "P", &format!("line-{at}x"), "a line of text");
    }
    for _ in 0..3 {
        let alert = other.element(BODY, "DIV", &[("role", "alert")]);
        other.text(alert, "Careful");
    }
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &DeltaOptions::limited(2));
    assert_eq!(found.appeared.total, 33);
    let roles: Vec<&str> = found.appeared.rows.iter().map(|row| row.role.as_str()).collect();
    assert_eq!(roles, ["alert", "alert", "alert"]);
}

#[test]
fn another_document_is_summarised() {
    let mut login = TestTree::new();
    let nav = login.element(BODY, "NAV", &[]);
    login.text(nav, "Shop");
    let wrapper = login.element(BODY, "DIV", &[("class", "page")]);
    let form = login.element(wrapper, "FORM", &[("id", "login-form")]);
    login.element(form, "INPUT", &[("name", "user")]);
    let mut home = TestTree::new();
    let nav = home.element(BODY, "NAV", &[]);
    home.text(nav, "Shop");
    let wrapper = home.element(BODY, "DIV", &[("class", "page")]);
    element_with_text(&mut home, wrapper, "H1", "welcome", "Welcome back!");
    for node in &mut home.nodes {
        node.backend_node_id += 1000;
    }
    let found = compare(&login, &home);
    assert!(!found.same_document);
    assert_eq!(selectors(&found.appeared.rows), ["#welcome"]);
    assert_eq!(selectors(&found.disappeared.rows), ["#login-form"]);
    assert_eq!((found.appeared.rows[0].text.as_str(), found.changed.total), ("Welcome back!", 0));
}

/// A page and the documents of its frames: (key, key of the part that holds it, id of the frame element, document).
fn parts(page: &TestTree, frames: &[(&str, &str, u32, &TestTree)]) -> Snapshot {
    let part = |key: &str, owner, tree: &TestTree| PartSource {
        key: key.to_owned(),
        owner,
        raw: bytes(tree.encode(&Encoding::default())),
        internals: Vec::new(),
    };
    let held = |&(key, holder, owner, tree): &(&str, &str, u32, &TestTree)| {
        part(key, Some((holder.to_owned(), Some(owner))), tree)
    };
    let sources = std::iter::once(part("", None, page)).chain(frames.iter().map(held)).collect();
    Snapshot::from_parts(sources, Vec::new()).expect("the parts fit")
}

/// A payment form, in a page of its own.
fn payment() -> TestTree {
    let mut tree = TestTree::new();
    element_with_text(&mut tree, BODY, "P", "sum", "To pay: 20 €");
    let form = tree.element(BODY, "FORM", &[("id", "card")]);
    tree.element(form, "INPUT", &[("name", "number")]);
    tree
}

#[test]
fn a_frame_that_came_or_went_does_not_swallow_its_document() {
    let bare = TestTree::new();
    let mut page = bare.clone();
    let modal = page.element(BODY, "DIV", &[("id", "modal"), ("role", "dialog")]);
    element_with_text(&mut page, modal, "H2", "", "Checkout");
    let frame = page.element(modal, "IFRAME", &[("id", "pay")]);
    let mut outer = payment();
    let nested = outer.element(BODY, "IFRAME", &[("id", "bank")]);
    let mut inner = TestTree::new();
    element_with_text(&mut inner, BODY, "P", "line", "Your bank");
    let (owner, nested) = (page.nodes[frame].backend_node_id, outer.nodes[nested].backend_node_id);
    let with = parts(&page, &[("F1", "", owner, &outer), ("F2", "F1", nested, &inner)]);
    let found = Delta::between(&bare.snapshot(), &with, &DeltaOptions::default());
    let rows = [
        "#modal",
        "frame=#pay >> #sum",
        "frame=#pay >> frame=#bank >> #line",
        "frame=#pay >> #bank",
        "frame=#pay >> #card",
    ];
    assert_eq!(selectors(&found.appeared.rows), rows);
    assert_eq!((found.disappeared.total, found.changed.total), (0, 0));
    let said: Vec<(&str, &str)> =
        found.appeared.rows.iter().map(|row| (row.frame.as_str(), row.text.as_str())).collect();
    assert_eq!(said[..2], [("", "Checkout"), ("F1", "To pay: 20 €")]);
    assert_eq!(said[2], ("F2", "Your bank"));
    let back = Delta::between(&with, &bare.snapshot(), &DeltaOptions::default());
    let gone = [
        "#modal",
        "frame=#pay >> #card",
        "frame=#pay >> #sum",
        "frame=#pay >> frame=#bank >> #line",
        "frame=#pay >> #bank",
    ];
    assert_eq!(selectors(&back.disappeared.rows), gone);
    assert_eq!((back.appeared.total, back.changed.total), (0, 0));
}

#[test]
fn a_frame_that_is_shown_has_the_rows_of_one_that_is_put_in() {
    let mut page = TestTree::new();
    let frame = page.element(BODY, "IFRAME", &[("id", "pay")]);
    let owner = page.nodes[frame].backend_node_id;
    let inner = payment();
    let shown = parts(&page, &[("F1", "", owner, &inner)]);
    let put_in = Delta::between(&TestTree::new().snapshot(), &shown, &DeltaOptions::default());
    page.nodes[frame].hidden = true;
    let hidden = parts(&page, &[("F1", "", owner, &inner)]);
    let found = Delta::between(&hidden, &shown, &DeltaOptions::default());
    assert_eq!(selectors(&found.appeared.rows), ["#pay", "frame=#pay >> #sum", "frame=#pay >> #card"]);
    assert_eq!(found.appeared.rows, put_in.appeared.rows);
    // Something new in a frame that cannot be seen does not get a row.
    let found = Delta::between(&TestTree::new().snapshot(), &hidden, &DeltaOptions::default());
    assert!(found.is_empty());
}

#[test]
fn what_is_in_a_new_frame_pushes_no_row_of_the_page_out() {
    let mut page = TestTree::new();
    for at in 0..3 {
        element_with_text(&mut page, BODY, "P", &format!("line-{at}x"), "a line of text");
    }
    let frame = page.element(BODY, "IFRAME", &[("id", "ad")]);
    let mut inner = TestTree::new();
    element_with_text(&mut inner, BODY, "BUTTON", "buy", "Buy now");
    let mut speaking = inner.clone();
    element_with_text(&mut speaking, BODY, "DIALOG", "ask", "May we?");
    // After a navigation as after a frame was put in: ids tell the two apart.
    for offset in [0, 1000] {
        let before = TestTree::new().snapshot();
        for (at, node) in page.nodes.iter_mut().enumerate() {
            node.backend_node_id = at as u32 + 1 + offset;
        }
        let owner = page.nodes[frame].backend_node_id;
        let rows = |inner: &TestTree| {
            let found = Delta::between(&before, &parts(&page, &[("F1", "", owner, inner)]), &DeltaOptions::limited(4));
            let rows: Vec<String> = found.appeared.rows.into_iter().map(|row| row.selector).collect();
            (rows, found.appeared.total)
        };
        let (quiet, total) = rows(&inner);
        assert_eq!((quiet.iter().filter(|row| row.starts_with("frame=")).count(), total), (0, 5), "{quiet:?}");
        let (loud, total) = rows(&speaking);
        assert_eq!((loud[0].as_str(), loud.len(), total), ("frame=#ad >> #ask", 4, 6), "{loud:?}");
    }
}

#[test]
fn a_frame_of_another_process_is_part_of_the_page() {
    let mut page = TestTree::new();
    let frame = page.element(BODY, "IFRAME", &[("id", "pay")]);
    let owner = page.nodes[frame].backend_node_id;
    let mut inner = TestTree::new();
    let line = element_with_text(&mut inner, BODY, "P", "line", "one");
    let build = |inner: &TestTree| parts(&page, &[("F1", "", owner, inner)]);
    let before = build(&inner);
    let text = inner.nodes[line].children[0];
    inner.nodes[text].value = "two".to_owned();
    let after = build(&inner);
    assert_ne!(before.digests().visible, after.digests().visible);
    let found = Delta::between(&before, &after, &DeltaOptions::default());
    assert_eq!(changes(&found), [("frame=#pay >> #line", "textContent", Some("one"), Some("two"))]);
    assert_eq!(found.changed.rows[0].frame, "F1");
}

#[test]
fn a_list_tells_its_value() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "SELECT", &[("id", "land")]);
    let mut options = Vec::new();
    for (value, text) in [("de", "Germany"), ("fr", "France")] {
        let option = tree.add(
            list,
            TestNode {
                kind: 1,
                name: "OPTION".to_owned(),
                attributes: vec![("value".to_owned(), value.to_owned())],
                ..TestNode::default()
            },
        );
        tree.text(option, text);
        options.push(option);
    }
    tree.nodes[options[0]].selected = true;
    let mut other = tree.clone();
    other.nodes[options[0]].selected = false;
    other.nodes[options[1]].selected = true;
    let found = compare(&tree, &other);
    assert_eq!(changes(&found), [("#land", "value", Some("de"), Some("fr"))]);
    assert_eq!(found.changed.rows[0].text, "France");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_disjoint_counted_and_monotone(
        page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..8), limit in 0usize..6,
    ) {
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let all = Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX));
        let some = Delta::between(&before, &after, &DeltaOptions::limited(limit));
        for (few, every, snapshot) in [
            (&some.appeared, &all.appeared, &after),
            (&some.disappeared, &all.disappeared, &before),
        ] {
            prop_assert!(few.rows.iter().map(|row| row.count).sum::<usize>() <= few.total);
            let most = if limit == 0 { 0 } else { limit.max(DEFAULT_LIMIT) };
            prop_assert!(few.rows.len() <= most);
            prop_assert!(few.total == 0 || !every.rows.is_empty() || !all.changed.rows.is_empty());
            let nodes: Vec<_> = every.rows.iter().filter_map(|row| snapshot.find("", row.backend_node_id)).collect();
            for (at, one) in nodes.iter().enumerate() {
                for two in &nodes[at + 1..] {
                    prop_assert!(!snapshot.document(*one).within(two.index, one.index));
                    prop_assert!(!snapshot.document(*one).within(one.index, two.index));
                }
            }
        }
        for row in all.changed.rows.iter().filter_map(|row| row.change.as_ref()) {
            // The new parent may have the selector that the old one had.
            prop_assert!(row.from != row.to || row.field == "order" || row.field == "parent", "{row:?}");
        }
        // The same bytes, the same rows.
        let again = Delta::between(&page.snapshot(), &other.snapshot(), &DeltaOptions::limited(limit));
        prop_assert_eq!(&again.appeared.rows, &some.appeared.rows);
        prop_assert_eq!(&again.changed.rows, &some.changed.rows);
    }
}

// -- controls ------------------------------------------------------------------------------------

fn with_controls<'a>(controls: usize) -> DeltaOptions<'a> {
    DeltaOptions { controls, ..DeltaOptions::limited(usize::MAX) }
}

fn controls_of(row: &Row) -> Vec<(&str, &str)> {
    row.controls.shown.iter().map(|control| (control.role, control.name.as_str())).collect()
}

fn button(tree: &mut TestTree, parent: usize, name: &str) -> usize {
    let node = tree.element(parent, "BUTTON", &[]);
    tree.text(node, name);
    node
}

#[test]
fn what_came_lists_the_controls_in_it() {
    let tree = TestTree::new();
    let mut other = tree.clone();
    let dialog = other.element(BODY, "DIV", &[("role", "dialog"), ("aria-label", "Delete")]);
    element_with_text(&mut other, dialog, "P", "", "Really?");
    button(&mut other, dialog, "No");
    button(&mut other, dialog, "Yes");
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(40));
    assert_eq!(controls_of(&found.appeared.rows[0]), [("button", "No"), ("button", "Yes")]);
    assert!(found.nearby.is_empty());
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(1));
    assert_eq!((found.appeared.rows[0].controls.shown.len(), found.appeared.rows[0].controls.omitted), (1, 1));
}

#[test]
fn a_row_that_stands_for_many_lists_what_tells_them_apart() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[("id", "results")]);
    let mut other = tree.clone();
    for at in 1..=30 {
        let item = other.element(list, "LI", &[]);
        let link = other.element(item, "A", &[("href", "#")]);
        other.text(link, &format!("Result {at}"));
        button(&mut other, item, "Save");
    }
    let options = DeltaOptions { controls: 40, ..DeltaOptions::default() };
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &options);
    let [row] = found.appeared.rows.as_slice() else { panic!("the items have one row: {:?}", found.appeared.rows) };
    let named = controls_of(row);
    assert_eq!(row.count, 30);
    assert_eq!(named[..4], [("link", "Result 1"), ("button", "Save"), ("link", "Result 2"), ("link", "Result 3")]);
    assert_eq!(named.len(), 25, "one button, and a link of each of the first 24: {named:?}");
}

#[test]
fn a_page_of_other_results_names_each() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[("id", "results")]);
    let mut texts = Vec::new();
    for at in 1..=10 {
        let item = tree.element(list, "LI", &[]);
        let link = tree.element(item, "A", &[("href", "#")]);
        texts.push(tree.text(link, &format!("Result {at}")));
    }
    let mut other = tree.clone();
    for (at, text) in texts.into_iter().enumerate() {
        other.nodes[text].value = format!("Result {}", at + 11);
    }
    let options = DeltaOptions { controls: 40, ..DeltaOptions::default() };
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &options);
    let [row] = found.changed.rows.as_slice() else { panic!("the texts have one row: {:?}", found.changed.rows) };
    let own = row.controls.own.as_ref().expect("the first result can be pressed");
    assert_eq!((own.name.as_str(), row.count), ("Result 11", 10));
    assert_eq!(controls_of(row).len(), 9);
    assert_eq!(controls_of(row)[8], ("link", "Result 20"));
}

#[test]
fn options_that_came_lead_to_their_list_which_they_do_not_name() {
    let mut tree = TestTree::new();
    let select = tree.element(BODY, "SELECT", &[]);
    element_with_text(&mut tree, select, "OPTION", "", "None");
    let mut other = tree.clone();
    for name in ["Bern", "Basel"] {
        element_with_text(&mut other, select, "OPTION", "", name);
    }
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(40));
    let [list] = found.nearby.as_slice() else { panic!("the list is nearby: {:?}", found.nearby) };
    assert_eq!((list.role, list.name.as_str()), ("combobox", ""));
    assert_eq!(list.options, ["None", "Bern", "Basel"]);
}

#[test]
fn the_new_state_of_another_control_leads_nowhere() {
    let mut tree = TestTree::new();
    let pages = tree.element(BODY, "NAV", &[]);
    let first = tree.element(pages, "BUTTON", &[("aria-current", "page")]);
    tree.text(first, "1");
    button(&mut tree, pages, "2");
    let mut other = tree.clone();
    other.nodes[first].attributes.clear();
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(40));
    let names: Vec<&str> = found.nearby.iter().map(|control| control.name.as_str()).collect();
    assert_eq!((found.changed.total, names), (1, vec!["2"]));
}

#[test]
fn what_turned_inert_lists_no_controls() {
    let mut tree = TestTree::new();
    let app = tree.element(BODY, "DIV", &[]);
    button(&mut tree, app, "Open");
    let mut other = tree.clone();
    other.nodes[app].attributes.push(("inert".to_owned(), String::new()));
    let (before, after) = (tree.snapshot(), other.snapshot());
    let found = Delta::between(&before, &after, &with_controls(40));
    assert_eq!((found.changed.rows.len(), controls_of(&found.changed.rows[0])), (1, vec![]));
    let found = Delta::between(&after, &before, &with_controls(40));
    assert_eq!(controls_of(&found.changed.rows[0]), [("button", "Open")]);
}

#[test]
fn a_control_around_another_has_its_name_whole() {
    let tree = TestTree::new();
    let mut other = tree.clone();
    let menu = other.element(BODY, "DIV", &[("role", "menu")]);
    let item = other.element(menu, "DIV", &[("role", "menuitem"), ("tabindex", "-1")]);
    other.element(item, "INPUT", &[("type", "checkbox")]);
    element_with_text(&mut other, item, "SPAN", "", "Bari");
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(40));
    assert_eq!(controls_of(&found.appeared.rows[0]), [("menuitem", "Bari"), ("checkbox", "")]);
}

#[test]
fn a_text_that_changed_names_the_controls_beside_it() {
    let mut tree = TestTree::new();
    let form = tree.element(BODY, "FORM", &[]);
    let line = element_with_text(&mut tree, form, "P", "line", "one");
    button(&mut tree, form, "Send");
    let around = tree.element(BODY, "NAV", &[]);
    button(&mut tree, around, "Home");
    let mut other = tree.clone();
    let text = other.nodes[line].children[0];
    other.nodes[text].value = "two".to_owned();
    let found = Delta::between(&tree.snapshot(), &other.snapshot(), &with_controls(40));
    let names: Vec<&str> = found.nearby.iter().map(|control| control.name.as_str()).collect();
    assert_eq!(names, ["Send"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn controls_are_named_once_within_their_room_and_change_nothing_else(
        (tree, edits) in (a_page(), proptest::collection::vec(any::<Edit>(), 1..6)),
        most in 1usize..6,
    ) {
        let other = edited(&tree, &edits);
        let (before, after) = (tree.snapshot(), other.snapshot());
        let plain = Delta::between(&before, &after, &with_controls(0));
        let found = Delta::between(&before, &after, &with_controls(most));
        let rows = |delta: &Delta| -> Vec<Row> {
            let lists = [&delta.appeared, &delta.changed, &delta.disappeared];
            lists.iter().flat_map(|list| list.rows.iter().cloned()).collect()
        };
        let mut named: Vec<(String, u32)> = Vec::new();
        for (row, bare) in rows(&found).iter().zip(rows(&plain)) {
            prop_assert!(row.controls.shown.len() <= most);
            named.extend(row.controls.shown.iter().map(|control| (control.frame.clone(), control.backend_node_id)));
            let mut stripped = row.clone();
            (stripped.controls, stripped.each) = (bare.controls.clone(), bare.each.clone());
            prop_assert_eq!(stripped, bare);
        }
        prop_assert!(named.len() <= 2 * most);
        named.extend(found.nearby.iter().map(|control| (control.frame.clone(), control.backend_node_id)));
        let all = named.len();
        named.sort();
        named.dedup();
        prop_assert_eq!(named.len(), all);
        for (frame, id) in named {
            prop_assert!(after.find(&frame, id).is_some());
        }
    }
}
