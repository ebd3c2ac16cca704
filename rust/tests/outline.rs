//! The text of a page: within its budget whatever the page, in lines that no page can fake, all of it within reach.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use stillframe_core::capture::snapshot::{Node, Snapshot};
use stillframe_core::element::text::Redactor;
use stillframe_core::outline::{outline, Asked, Budget, Outline, Scope, REF};
use stillframe_core::testpage::{card_grid, TestNode, TestTree};

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
    outline(page, &Asked { scope, budget, links: false, redactor: &Redactor::new(secrets) })
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
    let mut scope = Scope::From(Node { document: 0, index: 0 });
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
        for scope in [Scope::Page, Scope::Viewport, Scope::Below(Node { document: 0, index: 1 })] {
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
fn a_grid_of_cards_is_cut_and_read_on() {
    let page = card_grid(3000).snapshot();
    let whole = say(&page, Scope::Page, 1 << 22);
    assert_eq!(whole.text.shown, whole.text.total);
    let cut = say(&page, Scope::Page, 4000);
    check(&cut, 4000);
    assert!(length(&cut) > 3200, "{}", length(&cut));
    assert_eq!(read_on(&page, 4000), lines(&whole));
}

/// Seconds are no property; ten of them for a million nodes tell a quadratic walk on any machine.
#[track_caller]
fn soon(tree: &TestTree) {
    let page = tree.snapshot();
    let start = Instant::now();
    for budget in [1000, 12_000, 1_000_000] {
        check(&say(&page, Scope::Page, budget), budget);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
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
