//! Words the rows: removes secrets before it shortens any text.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::capture::atom::Atom;
use crate::capture::node::Node;
use crate::capture::strings::NONE;
use crate::delta::change::{Both, Change, PARENT};
use crate::delta::fold::EXAMPLES;
use crate::delta::item::{Item, Kind};
use crate::delta::limits::ROW_OF_TABLE;
use crate::delta::news::news_first;
use crate::delta::row_controls::{Controls, Each};
use crate::delta::weight::{is_message, is_words};
use crate::element::name::name;
use crate::element::role::{role, shown_role, worth};
use crate::element::roles::Role;
use crate::element::selector::selector;
use crate::element::snapshot::Snapshot;
use crate::element::text::{
    NAME_CHARACTERS, ROW_CHARACTERS, Redactor, TEXT_CHARACTERS, legible, rendered_text, shorten, text_within,
};

/// Characters of an attribute or a value that a row shows.
const VALUE_CHARACTERS: usize = 200;

/// Characters that are shown before the first difference of two long texts.
const LEAD: usize = 15;

/// How to word rows: without secrets, and with texts of at most `text_limit` characters.
pub struct Wording {
    pub redactor: Arc<Redactor>,
    pub text_limit: usize,
}

impl Default for Wording {
    fn default() -> Self {
        Self { redactor: Arc::default(), text_limit: TEXT_CHARACTERS }
    }
}

impl Wording {
    /// Characters of the text of an element that its row shows: all that a user reads of a message or of a single text, of
    /// a row of a table enough to find a column, and of what holds other elements its `share`.
    fn room(&self, snapshot: &Snapshot, node: Node, share: usize) -> usize {
        self.room_of(is_part(snapshot, node), snapshot, node, share)
    }

    fn room_of(&self, is_part: bool, snapshot: &Snapshot, node: Node, share: usize) -> usize {
        let wanted = if !is_part {
            self.text_limit
        } else if role(snapshot, node) == Role::Row {
            share.max(ROW_OF_TABLE)
        } else {
            share
        };
        wanted.min(self.text_limit)
    }
}

/// Whether the element holds others, so that its text may be half of a page. Most rows are of words, so that test comes
/// first.
fn is_part(snapshot: &Snapshot, node: Node) -> bool {
    !is_words(snapshot, node) && !is_message(snapshot, node)
}

/// Characters that all parts of a page together have in the rows of one delta.
const PARTS_CHARACTERS: usize = 600;

/// Nodes of a part that are read to tell whether it has more to say than every row may.
const PART_NODES: u32 = 128;

/// Characters of the text of each part that came or changed: two may say much, fifty little. What is gone is known, and
/// has no share.
pub fn share_of_parts<'a>(after: &Snapshot, items: impl Iterator<Item = &'a Item>) -> usize {
    let is_longer = |node| text_within(after, node, PART_NODES).chars().nth(ROW_CHARACTERS).is_some();
    let says_more = |item: &&Item| {
        matches!(item.field(), None | Some("textContent")) && is_part(after, item.node) && is_longer(item.node)
    };
    let parts = items.filter(says_more).count();
    (PARTS_CHARACTERS / parts.max(1)).max(ROW_CHARACTERS)
}

/// One element in a list of a delta or of a page. Rows of `Delta::changed` have a `change`.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Delta, DeltaOptions, Row, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let delta = Delta::between(&before, &after, &DeltaOptions::default());
/// let cart: &Row = delta.changed.rows.iter().find(|row| row.selector == "#cart").expect("the counter changed");
/// let change = cart.change.as_ref().expect("a changed row has a change");
/// assert_eq!((change.field.as_str(), change.to.as_deref()), ("textContent", Some("1 item")));
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    pub selector: String,
    pub tag_name: String,
    pub role: String,
    pub name: String,
    pub text: String,
    /// The key of the part: with `backend_node_id` it names the node.
    pub frame: String,
    /// CDP's id of the frame whose document holds the element; "" if the capture does not say.
    pub frame_id: String,
    pub backend_node_id: u32,
    pub change: Option<Change>,
    /// How many like changes the row stands for, and the words of two of the elements if that is more than one.
    pub count: usize,
    pub examples: Vec<String>,
    /// The place of the row among all rows of the delta.
    pub rank: usize,
    /// What can be acted on in the element, where `DeltaOptions::controls` asks for it.
    pub controls: Controls,
    /// How to reach each of the elements that the row stands for.
    pub each: Option<Each>,
}

/// The row of an element that came or went; `share` is the room for the text of a part.
pub fn row(snapshot: &Snapshot, item: &Item, wording: &Wording, share: usize) -> Row {
    let mut examples: Vec<String> =
        item.examples.iter().take(EXAMPLES).map(|node| example(snapshot, *node, wording)).collect();
    examples.dedup();
    let share = if item.kind == Kind::Disappeared { ROW_CHARACTERS } else { share };
    Row { count: item.count, examples, ..described(snapshot, item.node, wording, share) }
}

/// What every row says of its element.
pub fn element(snapshot: &Snapshot, node: Node, wording: &Wording) -> Row {
    described(snapshot, node, wording, ROW_CHARACTERS)
}

fn described(snapshot: &Snapshot, node: Node, wording: &Wording, share: usize) -> Row {
    let part = snapshot.part_of(node.document);
    let document = snapshot.document(node);
    let frame_id = if document.frame_id == NONE { "" } else { part.strings.get(document.frame_id) };
    let redactor = &wording.redactor;
    Row {
        selector: redactor.redact(&selector(snapshot, node)).into_owned(),
        tag_name: snapshot.tag_name(node),
        role: shown_role(snapshot, node).to_owned(),
        name: redactor.show(&legible(name(snapshot, node)), NAME_CHARACTERS.min(wording.text_limit)),
        text: text(snapshot, node, wording, share),
        frame: part.key.clone(),
        frame_id: frame_id.to_owned(),
        backend_node_id: document.backend_node_id[node.index],
        change: None,
        count: 1,
        examples: Vec::new(),
        rank: 0,
        controls: Controls::default(),
        each: None,
    }
}

/// The text of an element as far as there is room for it; of a part that has more to say, the news first.
fn text(snapshot: &Snapshot, node: Node, wording: &Wording, share: usize) -> String {
    let rendered = rendered_text(snapshot, node);
    let whole = wording.redactor.redact(&rendered);
    // Every row has room for that, whatever its element is.
    if whole.len() <= ROW_CHARACTERS.min(wording.text_limit) {
        return whole.into_owned();
    }
    let is_part = is_part(snapshot, node);
    let room = wording.room_of(is_part, snapshot, node, share);
    let shown = shorten(&whole, room);
    if !is_part || shown.len() == whole.len() {
        return shown;
    }
    wording.redactor.show(&news_first(snapshot, node), room)
}

/// The words that tell one element from others like it: its name, else its text. A row of a grid is known by what it
/// shows; its name may begin with what the boxes in it say to screen readers.
fn example(snapshot: &Snapshot, node: Node, wording: &Wording) -> String {
    let shown = if role(snapshot, node) == Role::Row { rendered_text(snapshot, node) } else { String::new() };
    let name = if shown.is_empty() { legible(name(snapshot, node)) } else { shown };
    let words = if name.is_empty() { rendered_text(snapshot, node) } else { name };
    wording.redactor.show(&words, ROW_CHARACTERS.min(wording.text_limit))
}

/// The row of an element that changed, as it is now.
pub fn changed_row(before: &Snapshot, after: &Snapshot, item: Item, wording: &Wording, share: usize) -> Row {
    let mut row = row(after, &item, wording, share);
    row.change = item.old.zip(item.change.as_ref()).map(|(old, change)| {
        let both = Both { before, old, after, new: item.node };
        worded(&both, change, wording, share)
    });
    if row.name.is_empty() && row.change.as_ref().is_some_and(|change| !tells_text(change)) {
        row.name = words_of(after, item.node, wording);
    }
    row
}

/// Whether a change shows what stands in the element.
fn tells_text(change: &Change) -> bool {
    matches!(change.field.as_str(), "textContent" | "value" | "rows" | "order")
}

/// The text of an element without a name, by which a reader knows it: an item of a list that went to another list. What is
/// longer is a part of the page, which its selector names better.
fn words_of(snapshot: &Snapshot, node: Node, wording: &Wording) -> String {
    if matches!(snapshot.tag(node), Atom::Html | Atom::Body) {
        return String::new();
    }
    let text = text_within(snapshot, node, PART_NODES);
    if text.chars().nth(ROW_CHARACTERS.min(wording.text_limit)).is_some() {
        return String::new();
    }
    wording.redactor.redact(&text).into_owned()
}

fn worded(both: &Both, change: &Change, wording: &Wording, share: usize) -> Change {
    let (mut from, mut to) = (change.from.clone(), change.to.clone());
    if change.field == PARENT {
        from = both.before.parent(both.old).map(|parent| selector(both.before, parent));
        to = both.after.parent(both.new).map(|parent| selector(both.after, parent));
    }
    let redact = |value: Option<String>| value.map(|value| wording.redactor.redact(&value).into_owned());
    let limit = match change.field.as_str() {
        "textContent" => wording.room(both.after, both.new, share).max(wording.room(both.before, both.old, share)),
        _ => VALUE_CHARACTERS.min(wording.text_limit),
    };
    let (from, to) = match (redact(from), redact(to)) {
        (Some(from), Some(to)) => {
            let (from, to) = cut_both(&from, &to, limit);
            (Some(from), Some(to))
        }
        (from, to) => (from.map(|from| shorten(&from, limit)), to.map(|to| shorten(&to, limit))),
    };
    Change { field: change.field.clone(), from, to }
}

/// Cut two texts so that what differs is still to be seen: where their beginnings are the same, that is cut too.
fn cut_both(from: &str, to: &str, limit: usize) -> (String, String) {
    let (short, other) = (shorten(from, limit), shorten(to, limit));
    if short != other || from == to {
        return (short, other);
    }
    let common = from.chars().zip(to.chars()).take_while(|(one, other)| one == other).count();
    let from_there = |text: &str| -> String {
        let rest: String = text.chars().skip(common.saturating_sub(LEAD)).collect();
        format!("…{}", shorten(&rest, limit.saturating_sub(1)))
    };
    (from_there(from), from_there(to))
}

/// The elements of a whole page that are worth most: dialogs, controls, headings, landmarks, and what has an id.
pub fn page_rows(snapshot: &Snapshot, limit: usize, wording: &Wording) -> Vec<Row> {
    let mut nodes = Vec::new();
    for (place, &document) in snapshot.order.iter().enumerate() {
        let columns = &snapshot.documents[document];
        for index in columns.nodes() {
            let node = Node { document, index };
            let named = || snapshot.attribute(node, Atom::Id).is_some();
            if columns.is_shown(index) && columns.is_element(index) {
                let worth = worth(snapshot, node);
                if worth > 0 || named() {
                    nodes.push((Reverse(worth), place, node));
                }
            }
        }
    }
    nodes.sort_unstable();
    nodes.into_iter().take(limit).map(|(_, _, node)| element(snapshot, node, wording)).collect()
}
