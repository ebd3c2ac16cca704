//! An element that the page replaced is found again if a reader would call it the same, and never a neighbour.

use stillframe_core::testing::capture::node::Node;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::outline::refind::{Outcome, Refound, refind};
use stillframe_core::testing::page::TestTree;

/// A page written down: `tag attribute=value…`, two spaces further in than what holds it; a text is `"…"`.
fn page(text: &str, first_id: u32) -> Snapshot {
    let mut tree = TestTree::new();
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        open.truncate(depth);
        let parent = open.last().copied().unwrap_or(TestTree::BODY);
        let line = line.trim();
        let node = match line.strip_prefix('"') {
            Some(text) => tree.text(parent, text.trim_end_matches('"')),
            None => {
                let mut words = line.split(' ');
                let tag = words.next().unwrap_or("").to_uppercase();
                let pairs: Vec<(String, String)> = words
                    .filter_map(|word| word.split_once('='))
                    .map(|(name, value)| (name.to_owned(), value.replace('_', " ")))
                    .collect();
                let pairs: Vec<(&str, &str)> =
                    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                tree.element(parent, &tag, &pairs)
            }
        };
        open.push(node);
    }
    // Every node is another one than that of the page before.
    for node in &mut tree.nodes[TestTree::BODY + 1..] {
        node.backend_node_id += first_id;
    }
    tree.snapshot()
}

/// The n-th element of a tag.
fn nth(page: &Snapshot, tag: &str, n: usize) -> Node {
    let nodes = (0..page.len() as u32).map(|index| Node::numbered(0, index));
    nodes.filter(|node| page.tag_name(*node) == tag).nth(n).expect("it is there")
}

fn look(before: &str, tag: &str, n: usize, after: &str) -> (Refound, Snapshot) {
    let (before, after) = (page(before, 0), page(after, 1000));
    (refind(&before, nth(&before, tag, n), &after, None), after)
}

#[track_caller]
fn finds(before: &str, tag: &str, n: usize, after: &str, expected: usize) {
    let (found, after) = look(before, tag, n, after);
    assert_eq!(found.outcome, Outcome::Found, "score {} margin {}", found.score, found.margin);
    assert_eq!(found.found, Some(nth(&after, tag, expected)));
    assert!(found.score >= 0.7 && found.margin >= 0.1);
}

#[track_caller]
fn refuses(before: &str, tag: &str, n: usize, after: &str, outcome: Outcome) {
    let (found, _) = look(before, tag, n, after);
    assert_eq!(found.outcome, outcome, "{:?} score {} margin {}", found.found, found.score, found.margin);
    assert_eq!(found.found, None);
}

const FORM: &str = r#"
main
  h1
    "Sign up"
  form aria-label=Account
    div
      label for=mail
        "E-mail"
      input id=mail type=email
    div
      label for=name
        "Name"
      input id=name
    button
      "Save"
"#;

fn rows(names: &[&str]) -> String {
    let row = |name: &&str| {
        format!(
            "    li\n      span\n        \"{name}\"\n      div\n        button\n          \"Edit\"\n        button\n          \"Delete\"\n"
        )
    };
    format!("main\n  h1\n    \"People\"\n  ul\n{}", names.iter().map(row).collect::<String>())
}

#[test]
fn the_same_page_made_anew_has_the_same_elements() {
    for (tag, count) in [("input", 2), ("button", 1), ("h1", 1)] {
        for n in 0..count {
            finds(FORM, tag, n, FORM, n);
        }
    }
}

#[test]
fn a_message_that_comes_up_beside_a_field_does_not_hide_it() {
    let after = FORM.replace(
        "      input id=mail type=email\n",
        "      input id=mail type=email\n      p\n        \"Not an address\"\n",
    );
    finds(FORM, "input", 0, &after, 0);
    // What a button does may have become another thing.
    refuses(FORM, "button", 0, &after, Outcome::Elsewhere);
}

#[test]
fn a_row_is_known_by_its_words_wherever_it_stands() {
    let before = rows(&["Ann", "Bob", "Cid", "Dan"]);
    for (n, name) in ["Ann", "Bob", "Cid", "Dan"].iter().enumerate() {
        for order in [["Dan", "Cid", "Bob", "Ann"], ["Bob", "Ann", "Dan", "Cid"]] {
            let after = rows(&order);
            let there = order.iter().position(|other| other == name).expect("it is there");
            // Two buttons a row: edit and delete.
            finds(&before, "button", 2 * n, &after, 2 * there);
            finds(&before, "button", 2 * n + 1, &after, 2 * there + 1);
        }
    }
}

#[test]
fn a_row_that_is_gone_is_not_the_next_one() {
    let before = rows(&["Ann", "Bob", "Cid"]);
    for after in [rows(&["Ann", "Cid"]), rows(&["Ann"]), rows(&["Ann", "Bobby", "Cid"]), rows(&["Ann", "Bob Smith"])] {
        refuses(&before, "button", 3, &after, Outcome::Elsewhere);
        let told = after.replace("  ul\n", "  p role=status\n    \"Bob was deleted\"\n  ul\n");
        refuses(&before, "button", 3, &told, Outcome::Elsewhere);
    }
    // The one row that is left was another one before.
    refuses(&rows(&["Bob"]), "button", 1, &rows(&["Ann"]), Outcome::Elsewhere);
    refuses(&rows(&["Ann"]), "button", 1, &rows(&["Ann Smith"]), Outcome::Elsewhere);
}

#[test]
fn of_equal_ones_none_is_chosen() {
    let before = rows(&["Ann", "Ann", "Bob"]);
    refuses(&before, "button", 1, &before, Outcome::Twins);
    refuses(&before, "button", 3, &rows(&["Ann", "Bob"]), Outcome::Twins);
    finds(&before, "button", 5, &rows(&["Ann", "Bob"]), 3);
    refuses(&rows(&["Ann", "Bob"]), "button", 1, &rows(&["Ann", "Ann", "Bob"]), Outcome::Several);
    // A twin that was put in beside the only one.
    let twice =
        FORM.replace("    button\n      \"Save\"\n", "    button\n      \"Save\"\n    button\n      \"Save\"\n");
    refuses(FORM, "button", 0, &twice, Outcome::Elsewhere);
}

#[test]
fn another_name_role_or_place_is_another_element() {
    refuses(FORM, "button", 0, &FORM.replace("\"Save\"", "\"Send\""), Outcome::Nothing);
    refuses(FORM, "button", 0, &FORM.replace("    button\n", "    a href=/save\n"), Outcome::Nothing);
    refuses(FORM, "button", 0, &FORM.replace("Account", "Billing"), Outcome::Elsewhere);
    refuses(FORM, "button", 0, &FORM.replace("Sign up", "Log in"), Outcome::Elsewhere);
    refuses(FORM, "button", 0, &FORM.replace("main\n", "div role=dialog\n"), Outcome::Elsewhere);
    let outside = FORM.replace("    button\n      \"Save\"\n", "") + "  button\n    \"Save\"\n";
    refuses(FORM, "button", 0, &outside, Outcome::Elsewhere);
    finds(FORM, "button", 0, &FORM.replace("\"Save\"", "\" save  \""), 0);
}

#[test]
fn the_next_task_is_not_the_one_before() {
    let task = |text: &str| {
        format!(
            "main\n  h1\n    \"Queue\"\n  p\n    \"{text}\"\n  div\n    button\n      \"Approve\"\n    button\n      \"Reject\"\n"
        )
    };
    refuses(&task("17: pay the rent"), "button", 0, &task("18: buy a boat"), Outcome::Elsewhere);
    finds(&task("17: pay the rent"), "button", 0, &task("17: pay the rent"), 0);
}

#[test]
fn what_has_no_name_is_not_looked_for() {
    let icons = "main\n  button\n    svg\n";
    refuses(icons, "button", 0, icons, Outcome::Nameless);
}

#[test]
fn a_field_of_the_other_form_is_not_it() {
    let form = |name: &str| {
        format!("  form id={name}\n    label\n      \"Street\"\n      input\n    button\n      \"Save\"\n")
    };
    let (billing, shipping) = (form("billing"), form("shipping"));
    let both = format!("main\n{billing}{shipping}");
    refuses(&both, "input", 0, &format!("main\n{shipping}"), Outcome::Elsewhere);
    refuses(&both, "button", 1, &format!("main\n{billing}"), Outcome::Elsewhere);
    let swapped = format!("main\n{shipping}{billing}");
    finds(&both, "input", 0, &swapped, 1);
}

/// The outcome where a capture was taken a moment before, too.
#[track_caller]
fn comes_to(pages: [&str; 3], tag: &str, n: usize, expected: (Outcome, usize)) {
    let [before, earlier, after] = [page(pages[0], 0), page(pages[1], 1000), page(pages[2], 2000)];
    let found = refind(&before, nth(&before, tag, n), &after, Some(&earlier));
    assert_eq!(found.outcome, expected.0, "score {} margin {}", found.score, found.margin);
    if expected.0 == Outcome::Found {
        assert_eq!(found.found, Some(nth(&after, tag, expected.1)));
    }
}

#[test]
fn a_clock_beside_it_tells_nothing() {
    let offer = |ends: &str, left: &str| {
        format!(
            "main\n  h2\n    \"Offer ends in {ends}\"\n  section\n    p\n      \"{left} left\"\n    button\n      \"Buy\"\n"
        )
    };
    let (first, second, third) = (offer("9 s", "1.25"), offer("7 s", "1.5"), offer("4 s", "12.75"));
    comes_to([&first, &second, &third], "button", 0, (Outcome::Found, 0));
    refuses(&first, "button", 0, &third, Outcome::Elsewhere);
    // What has not changed by itself is another offer, and so is what says other words.
    comes_to([&first, &third, &third], "button", 0, (Outcome::Elsewhere, 0));
    comes_to([&first, &second, &offer("4 h", "12.75")], "button", 0, (Outcome::Elsewhere, 0));
}

#[test]
fn rows_with_clocks_are_known_by_their_other_words() {
    let rows = |texts: &[&str]| {
        let row = |text: &&str| format!("    li\n      \"{text}\"\n      button\n        \"Bid\"\n");
        format!("main\n  ul\n{}", texts.iter().map(row).collect::<String>())
    };
    let before = rows(&["Apples 9", "Pears 8"]);
    comes_to(
        [&before, &rows(&["Apples 7", "Pears 6"]), &rows(&["Apples 5", "Pears 4"])],
        "button",
        1,
        (Outcome::Found, 1),
    );
    // Rows that change places are not clocks; a row that does is known by its words all the same.
    let (lots, swapped) = (rows(&["Lot 17", "Lot 18"]), rows(&["Lot 18", "Lot 17"]));
    comes_to([&lots, &lots, &swapped], "button", 0, (Outcome::Several, 0));
    comes_to(
        [&before, &rows(&["Apples 7", "Pears 6"]), &rows(&["Pears 5", "Apples 4"])],
        "button",
        0,
        (Outcome::Found, 1),
    );
}
