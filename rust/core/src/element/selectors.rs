//! All selectors of an element, the most durable first.
//!
//! The order is that of Playwright's generator (selectorGenerator.ts): test id, role and name, placeholder, label, alt,
//! text, title, CSS id, a role alone, CSS. The scores keep that order on a scale from 0 to 1; how far they lie apart is
//! a proposal, not a finding. Each selector matches nothing else in its frame.

use crate::capture::atom::Atom;
use crate::capture::node::Node;
use crate::digest::canonical::looks_generated;
use crate::element::name::accessible;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::selector::{frame_prefix, full_path, in_frame, nearest_element, scoped, with_value};
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::words::{is_told, own_text, sum_of, words_of, writable};

/// A selector, its kind, and how durable it is.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedSelector {
    pub kind: &'static str,
    pub selector: String,
    pub score: f32,
}

/// Roles of which a page tends to have one.
const SINGLE: [&str; 8] =
    ["main", "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog"];

/// Attributes that name an element to users, with the kind of selector and its score.
const NAMING: [(Atom, &str, f32); 4] = [
    (Atom::Placeholder, "placeholder", 0.9),
    (Atom::AriaLabel, "label", 0.87),
    (Atom::Alt, "alt", 0.85),
    (Atom::Title, "title", 0.75),
];

/// Values longer than this many bytes say too much to last.
const LONGEST_VALUE: usize = 80;

/// The selectors of `node`, best first; the last one is its full path. O(path) once the index is there.
pub fn selectors(snapshot: &Snapshot, node: Node) -> Vec<RankedSelector> {
    let node = nearest_element(snapshot, node);
    let mut found = Vec::new();
    let mut add = |kind, selector: Option<String>, score: f32| {
        if let Some(selector) = selector {
            found.push(RankedSelector { kind, selector, score });
        }
    };
    add("testid", test_id(snapshot, node), 1.0);
    add("role", named_role(snapshot, node), 0.95);
    for (attribute, kind, score) in NAMING {
        add(kind, attribute_selector(snapshot, node, attribute), score);
    }
    add("text", whole_text(snapshot, node), 0.8);
    add("role", single_role(snapshot, node), 0.65);
    let css = in_frame(snapshot, node);
    let score = css_score(&css);
    add("css", Some(css), score);
    add("scoped", scoped(snapshot, node), 0.5);
    let path = full_path(snapshot, node);
    let score = (0.2 - 0.01 * steps(&path) as f32).max(0.05);
    add("path", Some(path), score);
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen: Vec<RankedSelector> = Vec::with_capacity(found.len());
    for form in found {
        if !seen.iter().any(|other| other.selector == form.selector) {
            seen.push(form);
        }
    }
    let prefix = frame_prefix(snapshot, node.document);
    if !prefix.is_empty() {
        seen.iter_mut().for_each(|form| form.selector.insert_str(0, &prefix));
    }
    seen
}

fn test_id(snapshot: &Snapshot, node: Node) -> Option<String> {
    let part = snapshot.part_of(node.document);
    let index = index_of(snapshot, node.document);
    let pairs = snapshot.document(node).attributes(node.index);
    let texts = pairs.iter().filter(|pair| part.atoms.get(pair[0] as usize).is_some_and(|atom| atom.is_test_id()));
    let mut texts = texts.map(|pair| (part.strings.get(pair[0]), part.strings.get(pair[1])));
    let (name, value) = texts.find(|(name, value)| is_short(value) && index.with_value(name, value).len() == 1)?;
    Some(with_value("", name, value))
}

fn is_short(value: &str) -> bool {
    !value.is_empty() && value.len() <= LONGEST_VALUE
}

/// `tag[placeholder="…"]` where no other element has that value.
fn attribute_selector(snapshot: &Snapshot, node: Node, attribute: Atom) -> Option<String> {
    let part = snapshot.part_of(node.document);
    let pairs = snapshot.written_attributes(node);
    let pair = pairs.iter().find(|pair| part.atoms.get(pair[0] as usize) == Some(&attribute))?;
    let (name, value) = (part.strings.get(pair[0]), part.strings.get(pair[1]));
    let alone = || index_of(snapshot, node.document).with_value(name, value).len() == 1;
    (is_short(value) && !looks_generated(value) && alone())
        .then(|| with_value(&crate::element::selector::escape_name(&snapshot.tag_name(node)), name, value))
}

fn named_role(snapshot: &Snapshot, node: Node) -> Option<String> {
    let (role, name) = accessible(snapshot, node);
    if matches!(role, Role::None | Role::Generic) || !is_told(snapshot, node) {
        return None;
    }
    let name = writable(&name)?;
    let alike = words_of(snapshot, node.document).with_name(role.name(), sum_of(&name));
    (alike.len() == 1).then(|| format!("role={}[name={}]", role.name(), quoted(&name)))
}

fn single_role(snapshot: &Snapshot, node: Node) -> Option<String> {
    let role = role(snapshot, node).name();
    let alone = SINGLE.contains(&role) && words_of(snapshot, node.document).with_role(role).len() == 1;
    (alone && is_told(snapshot, node)).then(|| format!("role={role}"))
}

fn whole_text(snapshot: &Snapshot, node: Node) -> Option<String> {
    if !is_told(snapshot, node) {
        return None;
    }
    let text = own_text(snapshot, node)?;
    Some(format!("text={}", quoted(&text)))
}

/// In quotes, as `tab/locating/quoting.py` reads them.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

/// What a short CSS selector is worth: what it begins with, less for every step and every place among siblings.
fn css_score(css: &str) -> f32 {
    let anchor = match css.as_bytes().first() {
        Some(b'#') => 0.7,
        Some(b'[') => 1.0,
        Some(b'.') => 0.55,
        _ if css.contains("[name=") => 0.7,
        _ => 0.45,
    };
    let loss = 0.05 * steps(css) as f32 + 0.05 * css.matches(":nth-of-type(").count() as f32;
    (anchor - loss).max(0.1)
}

/// Combinators of a selector, near enough: those in quoted values count too.
fn steps(css: &str) -> usize {
    css.matches(" > ").count()
}
