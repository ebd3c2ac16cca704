//! Tables and lists whose rows changed: reported by row, and as a whole if many did.
//!
//! A user who sorts, filters or pages a table wants to know which rows come first now, not what each cell says.

use std::collections::{HashMap, HashSet};

use crate::capture::columns::Document;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::delta::change::Change;
use crate::delta::fold::{EXAMPLES, few};
use crate::delta::item::{Item, Kind};
use crate::delta::limits::ROW_OF_TABLE;
use crate::diff::cross::Partners;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{shorten, text_within};

/// Ancestors that are looked at from a cell to its row, and from a row to its table.
const ABOVE: usize = 12;

/// Rows of one table that are compared to tell whether they only changed places, and nodes of each that are read.
const ROWS: usize = 20_000;
const ROW_NODES: u32 = 128;

/// Cells of a row that are looked at to tell whether it is one of headers.
const FIRST_CELLS: usize = 4;

/// What holds rows, what they are, and what the field of a change of them is called.
const KINDS: [(&[Role], Role, &str); 3] = [
    (&[Role::Table, Role::Grid, Role::TreeGrid], Role::Row, "rows"),
    (&[Role::List, Role::Feed], Role::ListItem, "items"),
    (&[Role::Listbox], Role::Option, "options"),
];

/// A row of a table, and what sort of table it is.
#[derive(Clone, Copy)]
struct Place {
    row: Node,
    table: Node,
    sort: usize,
}

/// Where each element stands; asked once per parent.
struct Places<'a> {
    snapshot: &'a Snapshot,
    known: HashMap<Node, Option<Place>>,
    /// By parent of rows and sort: the table.
    tables: HashMap<(Node, usize), Option<Node>>,
}

impl<'a> Places<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, known: HashMap::new(), tables: HashMap::new() }
    }

    fn of(&mut self, node: Node) -> Option<Place> {
        let own = |at: Node| sort_of(role(self.snapshot, at));
        if let Some(sort) = own(node) {
            return self.table_of(node, sort);
        }
        let parent = self.snapshot.parent(node)?;
        if let Some(known) = self.known.get(&parent) {
            return *known;
        }
        let mut above = self.snapshot.inclusive_ancestors(parent).take(ABOVE);
        // A row stands for its cells only in a table: an item of a list may hold anything.
        let row = above.find_map(|at| own(at).filter(|&sort| sort == 0).map(|sort| (at, sort)));
        let found = row.and_then(|(row, sort)| self.table_of(row, sort));
        self.known.insert(parent, found);
        found
    }

    /// Where the rows of an element are: a table, or a part of one.
    fn of_rows(&self, node: Node) -> Option<Place> {
        let mut above = self.snapshot.inclusive_ancestors(node).take(ABOVE);
        above.find_map(|at| {
            let found = role(self.snapshot, at);
            let sort = KINDS.iter().position(|(holders, ..)| holders.contains(&found))?;
            Some(Place { row: node, table: at, sort })
        })
    }

    /// Where an element is that only changed its place in a list, whatever its role.
    fn moved_in(&self, item: &Item) -> Option<Place> {
        let list = self.snapshot.parent(item.node).filter(|_| item.field() == Some("position"))?;
        self.of_rows(item.node).filter(|place| place.table == list)
    }

    fn table_of(&mut self, row: Node, sort: usize) -> Option<Place> {
        if is_header(self.snapshot, row) {
            return None;
        }
        let (snapshot, parent) = (self.snapshot, self.snapshot.parent(row)?);
        let find = || {
            let mut above = snapshot.inclusive_ancestors(parent).take(ABOVE);
            above.find(|at| KINDS[sort].0.contains(&role(snapshot, *at)))
        };
        let table = *self.tables.entry((parent, sort)).or_insert_with(find);
        table.map(|table| Place { row, table, sort })
    }
}

fn sort_of(role: Role) -> Option<usize> {
    KINDS.iter().position(|(_, item, _)| *item == role)
}

/// Whether a row holds the headers of columns, among its first cells. Grids put wrappers around parts of a row.
pub fn is_header(snapshot: &Snapshot, row: Node) -> bool {
    let document = snapshot.document(row);
    let end = document.end(row.index).min(row.index.saturating_add(ROW_NODES));
    let (mut index, mut cells) = (row.index + 1, 0);
    while index < end && cells < FIRST_CELLS {
        let is_element = document.is_element(index);
        match is_element.then(|| role(snapshot, Node { index, ..row })) {
            Some(Role::ColumnHeader) => return true,
            Some(Role::Cell | Role::GridCell | Role::RowHeader) => {
                cells += 1;
                index = document.end(index);
            }
            _ => index += 1,
        }
    }
    false
}

/// The rows of a table in order, without its headers and without those that are not rendered. A virtual grid leaves its rows
/// in the order in which it made them, and numbers them. A list whose items have other roles has them all the same.
fn rows_of(snapshot: &Snapshot, table: Node, sort: usize) -> Vec<Node> {
    let mut rows = with_role(snapshot, table, sort);
    if rows.is_empty() && sort != 0 {
        let document = snapshot.document(table);
        let kids = document.children(table.index).filter(|&kid| document.is_element(kid) && document.is_shown(kid));
        return kids.map(|index| Node { index, ..table }).collect();
    }
    let numbers: Option<Vec<u32>> = rows.iter().take(ROWS).map(|row| number(snapshot, *row)).collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.len() == rows.len() && !numbers.is_sorted()) {
        let mut numbered: Vec<(u32, Node)> = numbers.into_iter().zip(rows).collect();
        numbered.sort_by_key(|(number, _)| *number);
        rows = numbered.into_iter().map(|(_, row)| row).collect();
    }
    rows
}

/// The number that a row of a grid gives itself.
fn number(snapshot: &Snapshot, row: Node) -> Option<u32> {
    let (strings, document) = (snapshot.strings(row), snapshot.document(row));
    let found = document.attributes(row.index).iter().find(|pair| strings.get(pair[0]) == "aria-rowindex")?;
    strings.get(found[1]).parse().ok()
}

fn with_role(snapshot: &Snapshot, table: Node, sort: usize) -> Vec<Node> {
    let document: &Document = snapshot.document(table);
    let mut rows = Vec::new();
    let mut index = table.index + 1;
    while index < document.end(table.index) {
        let node = Node { index, ..table };
        let is_there = document.is_shown(index);
        let found = (is_there && document.is_element(index)).then(|| role(snapshot, node));
        if found == Some(KINDS[sort].1) && !is_header(snapshot, node) {
            rows.push(node);
        }
        let is_other = found.is_some_and(|role| KINDS.iter().any(|kind| kind.0.contains(&role)));
        let skips = !is_there || is_other || found.is_some_and(|role| sort_of(role).is_some());
        index = if skips { document.end(index) } else { index + 1 };
    }
    rows
}

fn words(snapshot: &Snapshot, row: Node) -> String {
    text_within(snapshot, row, ROW_NODES)
}

/// Documents that are compared: by the document after, the one before, and the partners of its nodes if ids do not tell.
pub type Known = HashMap<DocumentIndex, (DocumentIndex, Option<Partners>)>;

/// Which element after is which one before.
struct Same<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    known: &'a Known,
    /// By document before, the nodes of the ids that were looked up.
    by_id: HashMap<DocumentIndex, HashMap<u32, NodeIndex>>,
}

impl Same<'_> {
    fn old_of(&mut self, node: Node) -> Option<Node> {
        let (old, partners) = self.known.get(&node.document)?;
        let index = match partners {
            Some(partners) => partners.get(node.index)?,
            None => {
                let document = &self.before.documents[*old];
                let by_id = || document.backend_node_id.iter().copied().zip(document.nodes()).collect();
                let ids = self.by_id.entry(*old).or_insert_with(by_id);
                *ids.get(&self.after.backend_node_id(node))?
            }
        };
        Some(Node { document: *old, index })
    }
}

/// What happened to the rows of one table.
#[derive(Default)]
struct Events {
    sort: usize,
    rows: HashSet<Node>,
    items: Vec<usize>,
}

/// Tell the cells by their rows, and the rows by their table if there are more of them than are listed one by one.
pub fn gather(before: &Snapshot, after: &Snapshot, items: Vec<Item>, known: &Known, limit: usize) -> Vec<Item> {
    let (mut was, mut is) = (Places::new(before), Places::new(after));
    let places: Vec<Option<Place>> = items
        .iter()
        .map(|item| match item.kind {
            Kind::Disappeared => was.of(item.node),
            _ if item.field() == Some("order") => is.of_rows(item.node),
            _ => is.of(item.node).or_else(|| is.moved_in(item)),
        })
        .collect();
    if places.iter().all(Option::is_none) {
        return items;
    }
    let former: Vec<Option<Place>> = items.iter().map(|item| item.old.and_then(|old| was.of(old))).collect();
    let mut same = Same { before, after, known, by_id: HashMap::new() };
    // Tables by what they were before: what went knows no other.
    let mut tables: HashMap<Node, (Option<Node>, Events)> = HashMap::new();
    for (at, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let is_gone = items[at].kind == Kind::Disappeared;
        let known = || same.old_of(place.table);
        let old = if is_gone { Some(place.table) } else { former[at].map(|place| place.table).or_else(known) };
        let Some(old) = old else { continue };
        let (new, events) = tables.entry(old).or_default();
        if !is_gone {
            *new = Some(place.table);
        }
        events.sort = place.sort;
        events.items.push(at);
        if counts(&items[at], place) {
            events.rows.insert(place.row);
        }
    }
    let mut told = Gathering { before, after, items, places, former, gone: HashSet::new(), made: Vec::new() };
    let new_of = new_tables(&mut same, &tables);
    for (old, (new, events)) in tables {
        let new = new.or_else(|| new_of.get(&old).copied());
        told.table(old, new, &events, limit, &mut same);
    }
    told.done()
}

/// Tables of which rows only went: where they are now.
fn new_tables(same: &mut Same, tables: &HashMap<Node, (Option<Node>, Events)>) -> HashMap<Node, Node> {
    let wanted: HashSet<Node> = tables.iter().filter(|(_, (new, _))| new.is_none()).map(|(old, _)| *old).collect();
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return found;
    }
    let documents: Vec<DocumentIndex> = same.known.keys().copied().collect();
    for document in documents {
        for index in same.after.documents[document].nodes() {
            let node = Node { document, index };
            let is_table = || KINDS.iter().any(|kind| kind.0.contains(&role(same.after, node)));
            if same.after.documents[document].is_element(index)
                && is_table()
                && let Some(old) = same.old_of(node).filter(|old| wanted.contains(old))
            {
                found.insert(old, node);
            }
        }
    }
    found
}

/// Whether an item says that a row came, went, moved or holds something else.
fn counts(item: &Item, place: &Place) -> bool {
    let is_row = item.node == place.row;
    match (&item.change, item.kind) {
        (Some(change), _) if change.field == "order" => false,
        (Some(change), _) => {
            let is_move = matches!(change.field.as_str(), "position" | "parent");
            change.field == "textContent" || is_move && (is_row || place.sort == 0)
        }
        (None, _) => is_row || place.sort == 0,
    }
}

struct Gathering<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    items: Vec<Item>,
    places: Vec<Option<Place>>,
    /// Where what changed stood before.
    former: Vec<Option<Place>>,
    gone: HashSet<usize>,
    made: Vec<Item>,
}

impl Gathering<'_> {
    fn table(&mut self, old: Node, new: Option<Node>, events: &Events, limit: usize, same: &mut Same) {
        let Some(new) = new else { return };
        let has_moved = events.items.iter().any(|&at| self.items[at].field() == Some("order"))
            || self.has_shifted(events) && self.is_reordered(old, new, events.sort);
        // The items of a list may be anything, and each has its row: only that they changed places says more.
        if events.sort == 0 && events.rows.len() > few(limit) || has_moved {
            self.whole(old, new, events, has_moved);
        } else if events.sort == 0 {
            self.rows(events, same);
        }
    }

    /// Whether items changed their places among others that kept theirs, and something else changed: a changed place
    /// gets a row where nothing else changed, and would not get one beside that.
    fn has_shifted(&self, events: &Events) -> bool {
        events.items.len() < self.items.len() && events.items.iter().any(|&at| self.is_shift(at))
    }

    /// Whether a row or an item changed its place among others that kept theirs.
    fn is_shift(&self, at: usize) -> bool {
        self.items[at].field() == Some("position")
            && self.places[at].is_some_and(|place| place.row == self.items[at].node)
    }

    /// Whether the rows are the same ones in another order.
    fn is_reordered(&self, old: Node, new: Node, sort: usize) -> bool {
        let (was, is) = (rows_of(self.before, old, sort), rows_of(self.after, new, sort));
        let told: Vec<String> = was.iter().take(ROWS).map(|row| words(self.before, *row)).collect();
        let tells: Vec<String> = is.iter().take(ROWS).map(|row| words(self.after, *row)).collect();
        was.len() == is.len() && is.len() <= ROWS && told != tells && are_same(&told, &tells)
    }

    /// One row for the table: how many it has, and what is first.
    fn whole(&mut self, old: Node, new: Node, events: &Events, has_moved: bool) {
        let (was, is) = (rows_of(self.before, old, events.sort), rows_of(self.after, new, events.sort));
        let told: Vec<String> = was.iter().take(ROWS).map(|row| words(self.before, *row)).collect();
        let tells: Vec<String> = is.iter().take(ROWS).map(|row| words(self.after, *row)).collect();
        let (_, _, name) = KINDS[events.sort];
        let first = |rows: &[String]| match rows.first().map(|row| shorten(row, ROW_OF_TABLE)) {
            Some(row) if !row.is_empty() => format!("; first: {row}"),
            _ => String::new(),
        };
        let is_read = was.len() == is.len() && is.len() <= ROWS;
        let change = if is_read && are_same(&told, &tells) && (has_moved || told != tells) {
            let to = format!("{} reordered{}", counted(is.len(), name), first(&tells));
            Change::new("order", Some(format!("{}{}", counted(was.len(), name), first(&told))), Some(to))
        } else {
            let say = |count: usize, rows: &[String]| Some(format!("{}{}", counted(count, name), first(rows)));
            Change::new(name, say(was.len(), &told), say(is.len(), &tells))
        };
        let changed = events.rows.len().min(is.len().max(was.len())).max(1);
        let shifted: Vec<Node> =
            events.items.iter().filter(|&&at| self.is_shift(at)).map(|&at| self.items[at].node).collect();
        let (count, examples) = match change.field.as_str() {
            // Only some changed their places: those are named.
            "order" if !shifted.is_empty() => (shifted.len(), shifted.into_iter().take(EXAMPLES).collect()),
            // The first row is in the text.
            field => {
                let count = if field == "order" { is.len() } else { changed };
                (count, is.iter().skip(1).take(EXAMPLES).copied().collect())
            }
        };
        self.made.push(Item { count, examples, ..Item::new(Kind::Changed, new, Some(old), Some(change)) });
        let told = events.items.iter().copied().filter(|&at| self.is_of_rows(at, events.sort)).collect::<Vec<_>>();
        self.gone.extend(told);
    }

    /// Whether the row of the table says it better: all but states of controls in it; of a list, that items moved.
    fn is_of_rows(&self, at: usize, sort: usize) -> bool {
        if sort != 0 {
            return matches!(self.items[at].field(), Some("order" | "position"));
        }
        let Some(change) = &self.items[at].change else { return true };
        let is_row = self.places[at].is_some_and(|place| place.row == self.items[at].node);
        match change.field.as_str() {
            "selected" | "expanded" | "checked" => false,
            _ if change.field.starts_with("aria-") => is_row || change.field == "aria-label",
            _ => true,
        }
    }

    /// One item for each row in which several texts changed or elements came and went; a single one says it better.
    fn rows(&mut self, events: &Events, same: &mut Same) {
        let mut inner: HashMap<Node, Vec<usize>> = HashMap::new();
        for &at in &events.items {
            let Some(place) = self.places[at] else { continue };
            let item = &self.items[at];
            if item.node == place.row || item.kind == Kind::Disappeared || !counts(item, &place) {
                continue;
            }
            inner.entry(place.row).or_default().push(at);
        }
        for (row, cells) in inner {
            let known = cells.iter().find_map(|&at| self.former[at].map(|place| place.row));
            let Some(old) = known.or_else(|| same.old_of(row)) else { continue };
            let (from, to) = (words(self.before, old), words(self.after, row));
            if from == to || cells.len() < 2 {
                continue;
            }
            self.gone.extend(cells);
            let change = Change::new("textContent", Some(from), Some(to));
            self.made.push(Item::new(Kind::Changed, row, Some(old), Some(change)));
        }
    }

    fn done(self) -> Vec<Item> {
        let gone = self.gone;
        let kept = self.items.into_iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, item)| item);
        let mut made = self.made;
        made.sort_by_key(|item| (item.node.document, item.node.index));
        kept.chain(made).collect()
    }
}

/// "1 row", "40 rows".
fn counted(count: usize, name: &str) -> String {
    format!("{count} {}", if count == 1 { name.trim_end_matches('s') } else { name })
}

/// Whether the rows are the same ones, in whatever order.
fn are_same(was: &[String], is: &[String]) -> bool {
    let (mut old, mut new): (Vec<&String>, Vec<&String>) = (was.iter().collect(), is.iter().collect());
    old.sort_unstable();
    new.sort_unstable();
    old == new
}
