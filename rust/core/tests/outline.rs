//! The text of a page: within its budget whatever the page, in lines that no page can fake, all of it within reach.

use std::collections::BTreeSet;

use proptest::prelude::*;
use stillframe_core::testing::capture::node::Node;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::element::text::Redactor;
use stillframe_core::testing::outline::{Asked, Attention, Budget, Outline, REF, Scope, outline};
use stillframe_core::testing::page::{TestNode, TestTree, card_grid};

mod cpu;
mod pages;
use pages::a_page;

const BODY: usize = TestTree::BODY;

/// Characters that a ref takes in these tests.
const REFERENCE: usize = 6;

fn say(page: &Snapshot, scope: Scope, characters: usize) -> Outline {
    say_without(page, scope, characters, &[])
}

fn say_without(page: &Snapshot, scope: Scope, characters: usize, secrets: &[&str]) -> Outline {
    let budget = Budget { characters, reference: REFERENCE };
    let attention = Attention::default();
    outline(page, &Asked { scope, budget, links: false, attention, redactor: &Redactor::new(secrets) })
}

/// The characters of a text once its refs are in.
fn length(said: &Outline) -> usize {
    let marks = said.text.refs.len();
    said.text.text.chars().count() + marks * (REFERENCE - 1)
}

/// The rest of a line after a quoted string.
fn after_quoted(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, letter) in text.strip_prefix('"')?.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(&text[at + 2..]),
            _ => {}
        }
    }
    None
}

/// Whether a line is one that the outline writes: nothing of the page stands outside quotes.
fn is_line(line: &str) -> bool {
    let line = line.trim_start_matches("  ");
    if let Some(note) = line.strip_prefix("… ") {
        return note.starts_with(|letter: char| letter.is_ascii_digit()) && note.matches(REF).count() == 1;
    }
    let Some(mut rest) = line.strip_prefix("- ") else { return false };
    while !rest.is_empty() {
        rest = match rest.find('"') {
            Some(quote) if rest[..quote].chars().all(is_ours) => match after_quoted(&rest[quote..]) {
                Some(rest) => rest,
                None => return false,
            },
            Some(_) => return false,
            None => return rest.chars().all(is_ours),
        };
    }
    true
}

fn is_ours(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || "[]=,: -".contains(letter) || letter == REF
}

#[track_caller]
fn check(said: &Outline, budget: usize) {
    let text = &said.text;
    assert!(length(said) <= budget, "{} characters for {budget}", length(said));
    assert_eq!(text.text.matches(REF).count(), text.refs.len());
    assert!(text.shown <= text.total);
    for line in text.text.lines() {
        assert!(is_line(line), "{line}");
    }
}

/// The lines that are not notes, without their place.
fn lines(said: &Outline) -> BTreeSet<String> {
    let lines = said.text.text.lines().map(str::trim_start);
    lines.filter(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

/// All lines of a page, read piece by piece.
fn read_on(page: &Snapshot, budget: usize) -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    let mut scope = Scope::From(Node::numbered(0, 0));
    let mut last = None;
    loop {
        let said = say(page, scope, budget);
        check(&said, budget);
        read.extend(lines(&said));
        let next = said.text.refs.last().copied().filter(|_| said.text.shown < said.text.total);
        let Some(next) = next else { return read };
        assert_ne!(last, Some(next), "it goes on");
        last = Some(next);
        scope = Scope::From(next);
    }
}

proptest! {
    #[test]
    fn a_text_never_exceeds_its_budget(tree in a_page(), budget in 0usize..1500) {
        let page = tree.snapshot();
        for scope in [Scope::Page, Scope::Viewport, Scope::Below(Node::numbered(0, 1))] {
            check(&say(&page, scope, budget), budget);
        }
    }

    #[test]
    fn what_one_piece_leaves_out_the_next_ones_have(tree in a_page(), budget in 300usize..900) {
        let page = tree.snapshot();
        let whole = say(&page, Scope::Page, 1 << 20);
        prop_assert_eq!(whole.text.shown, whole.text.total);
        prop_assert_eq!(read_on(&page, budget), lines(&whole));
    }

    #[test]
    fn no_text_breaks_out_of_its_line(texts in prop::collection::vec(any::<String>(), 1..8), budget in 100usize..2000) {
        let mut tree = TestTree::new();
        for text in &texts {
            tree.element(BODY, "BUTTON", &[("aria-label", text), ("role", text)]);
            tree.element(BODY, "IMG", &[("alt", text)]);
            let line = tree.element(BODY, "P", &[("title", text)]);
            tree.text(line, text);
            tree.add(BODY, TestNode { kind: 1, name: "INPUT".to_owned(), live: Some(text.clone()), ..TestNode::default() });
        }
        check(&say(&tree.snapshot(), Scope::Page, budget), budget);
    }

    #[test]
    fn a_secret_is_nowhere_whatever_the_budget(budget in 100usize..3000, before in 0usize..5000, pad in "[a ]{0,40}") {
        let secret = "correct horse battery";
        let mut tree = TestTree::new();
        let line = tree.element(BODY, "P", &[]);
        tree.text(line, &format!("{}{pad}{secret}{pad}", "x ".repeat(before)));
        tree.element(BODY, "BUTTON", &[("aria-label", &format!("{pad}{secret}"))]);
        tree.add(BODY, TestNode { kind: 1, name: "INPUT".to_owned(), live: Some(secret.to_owned()), ..TestNode::default() });
        let said = say_without(&tree.snapshot(), Scope::Page, budget, &[secret]);
        prop_assert!(!said.text.text.contains("correct") && !said.text.text.contains("horse"));
    }
}

#[test]
fn controls_and_dialogs_go_before_long_lists() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[("aria-label", "Results")]);
    for n in 0..400 {
        let item = tree.element(list, "LI", &[]);
        tree.text(item, &format!("Row {n} with some words"));
    }
    let dialog = tree.element(BODY, "DIV", &[("role", "dialog"), ("aria-label", "Sure?")]);
    let button = tree.element(dialog, "BUTTON", &[]);
    tree.text(button, "OK");
    let said = say(&tree.snapshot(), Scope::Page, 600);
    check(&said, 600);
    let text = &said.text.text;
    assert!(text.contains("- button \"OK\""), "{text}");
    assert!(text.contains("Row 0 ") && text.contains("Row 4 ") && !text.contains("Row 399 "), "{text}");
    let shown = text.matches("Row ").count();
    assert!(text.contains(&format!("… {} more listitems (ref=", 400 - shown)), "{text}");
    assert!(said.text.cut.starts_with(&format!("{} of 403 lines: ", 400 - shown)), "{}", said.text.cut);
}

#[test]
fn what_has_another_role_is_not_far_down_in_a_list_of_its_tag() {
    let mut tree = TestTree::new();
    for n in 0..400 {
        let card = tree.element(BODY, "DIV", &[]);
        tree.text(card, &format!("Row {n} with some words"));
    }
    let status = tree.element(BODY, "DIV", &[("role", "status")]);
    tree.text(status, "Saved");
    let heading = tree.element(BODY, "DIV", &[("role", "heading")]);
    tree.text(heading, "More");
    let said = say(&tree.snapshot(), Scope::Page, 600);
    assert!(said.text.text.contains("- status \"Saved\""), "{}", said.text.text);
    assert!(said.text.text.contains("- heading \"More\""), "{}", said.text.text);
}

#[test]
fn a_grid_of_cards_is_cut_and_read_on() {
    let page = card_grid(3000).snapshot();
    let whole = say(&page, Scope::Page, 1 << 22);
    assert_eq!(whole.text.shown, whole.text.total);
    let cut = say(&page, Scope::Page, 4000);
    check(&cut, 4000);
    assert!(length(&cut) > 3200, "{}", length(&cut));
    assert_eq!(read_on(&page, 4000), lines(&whole));
}

#[track_caller]
fn soon(tree: &TestTree) {
    let page = tree.snapshot();
    cpu::within(10, || {
        for budget in [1000, 12_000, 1_000_000] {
            check(&say(&page, Scope::Page, budget), budget);
        }
    });
}

#[test]
fn a_deep_page_is_read_soon() {
    for (tag, role) in [("DIV", ""), ("UL", ""), ("LI", ""), ("DIV", "button"), ("A", "dialog"), ("SPAN", "treeitem")] {
        let mut tree = TestTree::new();
        let mut at = BODY;
        for _ in 0..100_000 {
            at = tree.element(at, tag, &[("role", role), ("href", "x")]);
        }
        tree.text(at, "the end");
        soon(&tree);
    }
}

#[test]
fn a_wide_page_is_read_soon() {
    let mut tree = TestTree::new();
    let long = "word ".repeat(200_000);
    for n in 0..200_000 {
        let node = tree.element(BODY, if n % 2 == 0 { "A" } else { "LABEL" }, &[("href", "x"), ("for", "x")]);
        tree.text(node, if n % 5000 == 0 { &long } else { "text" });
    }
    soon(&tree);
}

#[test]
fn a_long_text_is_gathered_in_part_only() {
    let mut tree = TestTree::new();
    for _ in 0..2000 {
        let line = tree.element(BODY, "P", &[]);
        tree.text(line, &" ".repeat(100_000));
    }
    let line = tree.element(BODY, "P", &[]);
    tree.text(line, &format!("{}end", "x".repeat(5_000_000)));
    let said = say(&tree.snapshot(), Scope::Page, 20_000);
    check(&said, 20_000);
    assert_eq!(said.text.cut, "1 text shortened");
}

// -- white space and texts -----------------------------------------------------------------------------------------

/// A text of only white space that has a box: Chrome lays it out between two words of a line.
fn gap(tree: &mut TestTree, parent: usize, text: &str) {
    let node = TestNode { kind: 3, name: "#text".to_owned(), value: text.to_owned(), ..TestNode::default() };
    tree.add(parent, TestNode { bounds: Some([0, 0, 4, 17]), ..node });
}

fn styled(tree: &mut TestTree, parent: usize, name: &str, styles: &[(&'static str, &'static str)]) -> usize {
    let node = TestNode { kind: 1, name: name.to_owned(), styles: styles.to_vec(), ..TestNode::default() };
    tree.add(parent, node)
}

fn with_text(tree: &mut TestTree, parent: usize, name: &str, text: &str) -> usize {
    let node = tree.element(parent, name, &[]);
    tree.text(node, text);
    node
}

fn text_of(tree: &TestTree) -> String {
    let said = say(&tree.snapshot(), Scope::Page, 10_000);
    check(&said, 10_000);
    said.text.text
}

#[test]
fn white_space_between_inline_elements_is_a_space_where_it_is_laid_out() {
    let mut tree = TestTree::new();
    let line = tree.element(BODY, "P", &[]);
    with_text(&mut tree, line, "B", "Sum:");
    gap(&mut tree, line, "\n  ");
    with_text(&mut tree, line, "B", "12");
    tree.text(line, "   ");
    with_text(&mut tree, line, "I", "34");
    let page = tree.snapshot();
    assert_eq!(text_of(&tree), "- text \"Sum: 1234\"");
    assert_eq!(stillframe_core::testing::element::text::rendered_text(&page, Node::numbered(0, 4)), "Sum: 1234");
    // The canonical form does not know of it.
    let mut other = tree.clone();
    let space = other.nodes.iter().position(|node| node.value == "\n  ").expect("it was put there");
    other.nodes[space].value = " ".to_owned();
    assert_eq!(page.digests(), other.snapshot().digests());
}

#[test]
fn boxes_part_words_by_their_computed_display() {
    for (display, expected) in [
        ("inline", "- text \"onetwo\""),
        ("inline-block", "- text \"one two\""),
        ("block", "- text \"one\"\n- text \"two\""),
        ("flex", "- text \"one\"\n- text \"two\""),
    ] {
        for tag in ["SPAN", "DIV", "X-CARD"] {
            let mut tree = TestTree::new();
            for word in ["one", "two"] {
                let node = styled(&mut tree, BODY, tag, &[("display", display)]);
                tree.text(node, word);
            }
            assert_eq!(text_of(&tree), expected, "{tag} {display}");
        }
    }
}

#[test]
fn letters_in_boxes_of_their_own_make_words() {
    let mut tree = TestTree::new();
    for (at, letter) in ["W", "o", "w"].into_iter().enumerate() {
        let node = styled(&mut tree, BODY, "SPAN", &[("display", "inline-block")]);
        let text = TestNode { kind: 3, name: "#text".to_owned(), value: letter.to_owned(), ..TestNode::default() };
        tree.add(node, TestNode { bounds: Some([8 + 10 * at as i64, 8, 10, 17]), ..text });
    }
    assert_eq!(text_of(&tree), "- text \"Wow\"");
}

#[test]
fn preformatted_text_keeps_its_lines() {
    let mut tree = TestTree::new();
    let code = tree.element(BODY, "PRE", &[]);
    tree.text(code, "\nif x:\n    ");
    with_text(&mut tree, code, "B", "go");
    tree.text(code, "()\n");
    let line = styled(&mut tree, BODY, "DIV", &[("white-space-collapse", "preserve")]);
    tree.text(line, "a  b");
    assert_eq!(text_of(&tree), "- text \"if x:\\n    go()\"\n- text \"a  b\"");
}

#[test]
fn what_pseudo_elements_show_is_read_where_it_stands() {
    let mut tree = TestTree::new();
    let price = tree.element(BODY, "P", &[]);
    tree.pseudo(price, "before", "\"from \"", "from ");
    tree.pseudo(price, "after", "\" kr\"", " kr");
    with_text(&mut tree, price, "B", "30");
    let list = tree.element(BODY, "UL", &[]);
    let item = tree.element(list, "LI", &[]);
    tree.pseudo(item, "marker", "normal", "1. ");
    tree.pseudo(item, "before", "\"\u{e900}\"", "\u{e900}");
    tree.text(item, "one");
    let alone = tree.element(BODY, "P", &[]);
    tree.pseudo(alone, "before", "\"New\"", "New");
    assert_eq!(text_of(&tree), "- text \"from 30 kr\"\n- list\n  - listitem \"one\"\n- text \"New\"");
}

#[test]
fn separators_are_dropped_and_dashes_that_stand_for_a_value_are_not() {
    let mut tree = TestTree::new();
    let line = tree.element(BODY, "DIV", &[]);
    for (name, after) in [("One", " | "), ("Two", " - "), ("Three", "»")] {
        let link = tree.element(line, "A", &[("href", "x")]);
        tree.text(link, name);
        tree.text(line, after);
    }
    with_text(&mut tree, BODY, "P", "-");
    with_text(&mut tree, BODY, "P", "·");
    let text = text_of(&tree).replace(REF, "e1");
    let links = ["One", "Two", "Three"].map(|name| format!("- link \"{name}\" [ref=e1]"));
    assert_eq!(text, format!("{}\n- text \"-\"", links.join("\n")));
}

#[test]
fn columns_stay_where_they_are_beside_empty_cells() {
    let mut tree = TestTree::new();
    let table = tree.element(BODY, "TABLE", &[]);
    for cells in [["1", "", "x"], ["", "-", "y"]] {
        let row = tree.element(table, "TR", &[]);
        for cell in cells {
            let node = tree.element(row, "TD", &[]);
            let block = tree.element(node, "DIV", &[]);
            if !cell.is_empty() {
                tree.text(block, cell);
            }
        }
    }
    assert_eq!(text_of(&tree), "- table\n  - row \"1 | | x\"\n  - row \"| - | y\"");
}

// -- what can be reached -------------------------------------------------------------------------------------------

#[test]
fn whatever_can_be_reached_has_a_line_and_a_ref() {
    type Pairs = &'static [(&'static str, &'static str)];
    let cases: [(&str, Pairs, Pairs, &str); 9] = [
        ("SPAN", &[("tabindex", "0"), ("aria-label", "Handle")], &[], "- generic \"Handle\" [focusable] [ref]"),
        ("SPAN", &[("tabindex", "-1"), ("aria-label", "Handle")], &[], "- generic \"Handle\" [focusable] [ref]"),
        ("SPAN", &[("tabindex", "-1")], &[], ""),
        ("SPAN", &[("id", "grip")], &[("cursor", "col-resize")], "- generic [hint=\"grip\"] [resizable] [ref]"),
        (
            "DIV",
            &[("class", "btn grip-bar x")],
            &[("cursor", "grab")],
            "- generic [hint=\"grip-bar\"] [draggable] [ref]",
        ),
        ("IMG", &[("alt", "Map")], &[("cursor", "pointer")], "- img \"Map\" [clickable] [ref]"),
        ("DIV", &[("draggable", "true"), ("title", "Card")], &[], "- generic \"Card\" [draggable] [ref]"),
        ("BUTTON", &[("class", "icon icon-trash")], &[], "- button [hint=\"icon-trash\"] [ref]"),
        ("TEXTAREA", &[("placeholder", "Your words")], &[], "- textbox \"Your words\" [multiline] [ref]"),
    ];
    for (tag, attributes, styles, expected) in cases {
        let mut tree = TestTree::new();
        let node = tree.element(BODY, tag, attributes);
        tree.nodes[node].styles = styles.to_vec();
        assert_eq!(text_of(&tree).replace(&format!("ref={REF}"), "ref"), expected, "{tag} {attributes:?}");
    }
}

#[test]
fn the_cursor_counts_where_it_begins_and_not_in_links() {
    let pointer = [("cursor", "pointer")];
    let mut tree = TestTree::new();
    let card = styled(&mut tree, BODY, "DIV", &pointer);
    let inner = styled(&mut tree, card, "B", &pointer);
    tree.text(inner, "Open the map");
    let link = tree.element(BODY, "A", &[("href", "x")]);
    let inner = styled(&mut tree, link, "SPAN", &pointer);
    tree.text(inner, "Link");
    let list = styled(&mut tree, BODY, "UL", &pointer);
    for name in ["One", "Two"] {
        let item = styled(&mut tree, list, "LI", &pointer);
        tree.text(item, name);
    }
    assert_eq!(
        text_of(&tree).replace(&format!("ref={REF}"), "ref"),
        "- generic \"Open the map\" [clickable] [ref]\n- link \"Link\" [ref]\n- list\n  \
         - listitem \"One\" [clickable] [ref]\n  - listitem \"Two\" [clickable] [ref]"
    );
}

#[test]
fn a_body_with_a_hand_is_not_full_of_targets() {
    let mut tree = TestTree::new();
    tree.nodes[BODY].styles = vec![("cursor", "pointer")];
    let node = styled(&mut tree, BODY, "DIV", &[("cursor", "pointer")]);
    tree.text(node, "words");
    assert_eq!(text_of(&tree), "- text \"words\"");
}

#[test]
fn a_wrapper_round_one_named_control_is_that_control() {
    let mut tree = TestTree::new();
    let list = tree.element(BODY, "UL", &[]);
    let item = tree.element(list, "LI", &[("tabindex", "0")]);
    with_text(&mut tree, item, "BUTTON", "Save");
    let other = tree.element(BODY, "DIV", &[("tabindex", "0"), ("aria-expanded", "false")]);
    with_text(&mut tree, other, "BUTTON", "More");
    assert_eq!(
        text_of(&tree).replace(&format!("ref={REF}"), "ref"),
        "- button \"Save\" [ref]\n- generic [focusable] [collapsed] [ref]\n  - button \"More\" [ref]"
    );
}

#[test]
fn a_field_that_is_asked_for_is_shown_whole_as_far_as_the_budget_goes() {
    let value = format!("{}\n  end", "word ".repeat(3000));
    let mut tree = TestTree::new();
    let node = TestNode { kind: 1, name: "TEXTAREA".to_owned(), live: Some(value), ..TestNode::default() };
    tree.add(BODY, node);
    let page = tree.snapshot();
    let below = Scope::Below(Node::numbered(0, 4));
    let whole = say(&page, below, 20_000);
    check(&whole, 20_000);
    assert!(whole.text.text.contains("word \\n  end\""), "{}", &whole.text.text[14_900..]);
    assert_eq!(whole.text.cut, "");
    let cut = say(&page, below, 5000);
    check(&cut, 5000);
    assert!(length(&cut) > 4900, "{}", length(&cut));
    assert_eq!(cut.text.cut, "1 text shortened");
    assert!(length(&say(&page, Scope::Page, 20_000)) < 300);
}

#[test]
fn mixed_states_and_the_direction_of_a_column_are_shown() {
    let mut tree = TestTree::new();
    for (role, attribute) in [("checkbox", "aria-checked"), ("button", "aria-pressed")] {
        tree.element(BODY, "DIV", &[("role", role), ("aria-label", "All"), (attribute, "mixed")]);
    }
    let row = tree.element(BODY, "DIV", &[("role", "row")]);
    let head = tree.element(row, "DIV", &[("role", "columnheader"), ("aria-sort", "descending")]);
    tree.text(head, "Age");
    let plain = tree.element(BODY, "DIV", &[("aria-expanded", "true")]);
    tree.text(plain, "x");
    assert_eq!(
        text_of(&tree).replace(&format!("ref={REF}"), "ref"),
        "- checkbox \"All\" [checked=mixed] [ref]\n- button \"All\" [pressed=mixed] [ref]\n\
         - columnheader \"Age\" [sort=descending]\n- text \"x\""
    );
}

#[test]
fn many_handles_and_hints_are_read_soon() {
    let mut tree = TestTree::new();
    let mut at = BODY;
    for n in 0..60_000 {
        let class = "a-b ".repeat(n % 40);
        let node = tree.element(at, "DIV", &[("tabindex", "0"), ("class", &class), ("draggable", "true")]);
        tree.nodes[node].styles = vec![("cursor", if n % 2 == 0 { "pointer" } else { "grab" })];
        at = if n % 3 == 0 { node } else { BODY };
    }
    soon(&tree);
    let mut tree = TestTree::new();
    let mut at = BODY;
    for _ in 0..50_000 {
        at = tree.element(at, "SPAN", &[]);
        tree.pseudo(at, "before", "\"x\"", "x");
        tree.pseudo(at, "after", "\"y\"", "y");
        gap(&mut tree, at, " ");
    }
    soon(&tree);
}
