//! From a snapshot to the items of its text: what makes a line, in reading order, and its parent.

mod handles;
mod items;
mod texts;

use std::collections::{HashMap, HashSet};

use crate::capture::atom::Atom;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::strings::NONE;
use crate::element::flow::{self, Stand, pseudo};
use crate::element::snapshot::Snapshot;
use crate::outline::facts::Facts;
use crate::outline::item::{DEEPEST, Item, Kind};
use crate::outline::naming::{Namer, namer};
use crate::outline::pieces::Piece;
use crate::outline::roles::{Role, Sort};
use crate::outline::scope::Scope;
use crate::outline::shape::{Around, Shape, names_control, shape};
use crate::outline::view::View;

/// Nodes of a cell whose blocks still stand in one text with those of its neighbours.
const CELL_NODES: u32 = 24;

/// An element, or a document, whose end has not been reached.
struct Open {
    end: NodeIndex,
    /// The item that it is or lies in, `NONE` at the top; and whether it is that item itself.
    item: u32,
    own: bool,
    /// Whether texts before and after its borders are on lines of their own; and how many items came before it.
    block: bool,
    from: u32,
    stand: Stand,
    /// Whether what it holds stays in one text, blocks and all: a small cell.
    flat: bool,
    /// What is read at its end.
    after: Option<NodeIndex>,
    /// Whether a name has its texts already.
    hush: bool,
    listed: bool,
    urgent: bool,
    /// In the banner, the navigation, a side part or the foot of the page.
    aside: bool,
    band: u32,
    /// The last two kinds of children.
    kin: [Kin; 2],
    /// The element inside that has given the name, and is not shown again.
    namer: Option<NodeIndex>,
    /// Of a document: where to go on after it.
    resume: Option<Node>,
}

/// Children of one tag and one role, and how many there were in a row.
#[derive(Clone, Copy)]
struct Kin {
    name: u32,
    role: Role,
    count: u32,
}

impl Kin {
    const NONE: Self = Self { name: NONE, role: Role::None, count: 0 };
}

/// What a walk has found.
pub struct Read {
    pub items: Vec<Item>,
    pub facts: HashMap<DocumentIndex, Facts>,
    pub pieces: Vec<Piece>,
    /// Frames and levels of structure that were left out.
    pub missed: usize,
}

pub struct Walk<'a> {
    snapshot: &'a Snapshot,
    modals: &'a [Node],
    facts: HashMap<DocumentIndex, Facts>,
    frames: HashMap<Node, DocumentIndex>,
    view: View,
    /// By document: nothing before this node is read.
    starts: HashMap<DocumentIndex, NodeIndex>,
    root: Option<Node>,
    at: Node,
    opens: Vec<Open>,
    items: Vec<Item>,
    pieces: Vec<Piece>,
    /// The text that the next one goes on with.
    run: u32,
    /// Cells that have begun since the last item.
    cells: u32,
    /// The last node that was read.
    seen: Node,
    /// The row and the class of the last empty element between cells, and the classes of those that come again in a row.
    handle: Option<(u32, &'a str)>,
    repeated: HashSet<&'a str>,
    missed: usize,
}

impl<'a> Walk<'a> {
    pub fn new(snapshot: &'a Snapshot, scope: Scope, modals: &'a [Node]) -> Self {
        let frames = snapshot.owner.iter().enumerate().filter_map(|(document, owner)| {
            let owner = (*owner)?;
            // What has lost its frame element hangs under the root of the holder.
            (owner.index > NodeIndex::ROOT).then_some((owner, DocumentIndex::from_at(document)))
        });
        let first = snapshot.order[0];
        let (root, at) = match scope {
            Scope::Below(node) => (Some(node), node),
            _ => (None, Node { document: first, index: NodeIndex::ROOT }),
        };
        let mut walk = Self {
            snapshot,
            modals,
            facts: HashMap::new(),
            frames: frames.collect(),
            view: View::new(snapshot, scope == Scope::Viewport),
            starts: starts(snapshot, scope),
            root,
            at,
            opens: Vec::new(),
            items: Vec::new(),
            pieces: Vec::new(),
            run: NONE,
            cells: 0,
            seen: at,
            handle: None,
            repeated: HashSet::new(),
            missed: 0,
        };
        let end = snapshot.document(at).end(at.index);
        walk.enter(at, end, None);
        walk
    }

    /// All items, in reading order. O(nodes).
    pub fn read(mut self) -> Read {
        while let Some(node) = self.next() {
            self.visit(node);
        }
        self.settle();
        let Self { items, facts, pieces, missed, .. } = self;
        Read { items, facts, pieces, missed }
    }

    // -- where the walk is ---------------------------------------------------------------------------

    /// Begin a document, or a part of it.
    fn enter(&mut self, at: Node, end: NodeIndex, resume: Option<Node>) {
        let (snapshot, modals) = (self.snapshot, self.modals);
        self.facts.entry(at.document).or_insert_with(|| Facts::new(snapshot, at, end, modals));
        self.end_run(false);
        let open = self.inner(end);
        let from = self.items.len() as u32;
        self.opens.push(Open { block: true, from, hush: false, listed: false, flat: false, resume, ..open });
        self.at = at;
    }

    /// What is opened inside the innermost open element, with all that is inherited.
    fn inner(&self, end: NodeIndex) -> Open {
        let outer = self.opens.last();
        Open {
            end,
            item: outer.map_or(NONE, |outer| outer.item),
            own: false,
            block: false,
            from: outer.map_or(0, |outer| outer.from),
            stand: Stand::Inline,
            flat: outer.is_some_and(|outer| outer.flat),
            after: None,
            hush: outer.is_some_and(|outer| outer.hush),
            listed: outer.is_some_and(|outer| outer.listed),
            urgent: outer.is_some_and(|outer| outer.urgent),
            aside: outer.is_some_and(|outer| outer.aside),
            band: outer.map_or(0, |outer| outer.band),
            kin: [Kin::NONE; 2],
            namer: outer.and_then(|outer| outer.namer),
            resume: None,
        }
    }

    fn next(&mut self) -> Option<Node> {
        loop {
            if self.at.index < self.opens.last()?.end {
                return Some(self.at);
            }
            self.close();
        }
    }

    fn close(&mut self) {
        let after = self.opens.last().and_then(|open| open.after);
        if let Some(after) = after {
            self.generated(Node { index: after, ..self.at });
        }
        let Some(open) = self.opens.pop() else { return };
        if open.block {
            self.end_run(open.from == self.run);
        } else {
            self.edge(open.stand);
        }
        if open.own {
            self.seal(open.item as usize);
        }
        if let Some(resume) = open.resume {
            self.at = resume;
        }
    }

    fn skip(&mut self) {
        self.at.index = self.snapshot.document(self.at).end(self.at.index);
    }

    // -- nodes -----------------------------------------------------------------------------------------

    fn visit(&mut self, node: Node) {
        let document = self.snapshot.document(node);
        let start = self.starts.get(&node.document).copied().unwrap_or(NodeIndex::ROOT);
        let before = document.end(node.index) <= start;
        let shown = self.facts[&node.document].shown(node.index);
        if before {
            self.skip();
        } else if document.is_text(node.index) {
            self.text(node, shown);
            self.at.index += 1;
        } else if !shown {
            self.skip();
        } else {
            self.seen = node;
            match document.has_tag(node.index) {
                true => self.element(node),
                false => self.at.index += 1,
            }
        }
    }

    // -- elements --------------------------------------------------------------------------------------

    fn element(&mut self, node: Node) {
        if self.snapshot.tag(node) == Atom::Br {
            if self.run != NONE {
                self.pieces.push(Piece::Break);
            }
            self.at.index += 1;
            return;
        }
        if self.opens.last().is_some_and(|open| open.namer == Some(node.index)) {
            return self.named(node);
        }
        if self.is_repeated(node) || self.is_nowhere(node) {
            return self.skip();
        }
        let role = self.facts[&node.document].role(node.index);
        let band = self.band(node, role);
        match self.shape(node, role) {
            Shape::Skip => self.skip(),
            Shape::Leaf => {
                if self.view.has(self.snapshot, node) {
                    self.push(node, Kind::Line, self.said_role(node, role), band);
                }
                self.skip();
            }
            Shape::Holder { hush } => self.hold(node, role, band, hush),
            Shape::Through => self.pass(node, role, band),
        }
    }

    /// An element that gives its container the name: its texts are shown already, its controls are not.
    fn named(&mut self, node: Node) {
        if !self.facts[&node.document].holds(node.index) {
            return self.skip();
        }
        self.end_run(false);
        let (from, end) = (self.items.len() as u32, self.snapshot.document(node).end(node.index));
        let open = self.inner(end);
        self.opens.push(Open { block: true, from, hush: true, ..open });
        self.at.index += 1;
    }

    /// The role that a line says: what can be edited is a text box, whatever it is made of.
    fn said_role(&self, node: Node, role: Role) -> Role {
        let edited = self.facts[&node.document].edits(node.index) && role.sort() != Sort::Control;
        if edited { Role::textbox() } else { role }
    }

    fn shape(&mut self, node: Node, role: Role) -> Shape {
        let facts = &self.facts[&node.document];
        let open = self.opens.last();
        let around = Around {
            opened: self.root == Some(node) || self.starts_in(node),
            listed: open.is_some_and(|open| open.listed),
            deep: self.depth() >= DEEPEST,
        };
        self.missed += usize::from(around.deep && role.sort() != Sort::Plain && facts.holds(node.index));
        shape(self.snapshot, facts, node, role, &around)
    }

    /// Whether reading begins inside `node`.
    fn starts_in(&self, node: Node) -> bool {
        let Some(&start) = self.starts.get(&node.document) else { return false };
        start > node.index && self.snapshot.document(node).within(start, node.index)
    }

    fn hold(&mut self, node: Node, role: Role, band: u32, hush: bool) {
        let item = self.push(node, Kind::Line, role, band);
        let end = self.snapshot.document(node).end(node.index);
        let open = self.inner(end);
        let sort = role.sort();
        let edge = matches!(role.name(), "banner" | "navigation" | "complementary" | "contentinfo");
        let [before, after] = pseudo(self.snapshot, node);
        self.opens.push(Open {
            item,
            own: true,
            block: true,
            from: self.items.len() as u32,
            flat: false,
            after,
            hush: open.hush || hush,
            listed: if sort == Sort::List { true } else { open.listed && sort != Sort::Urgent },
            urgent: open.urgent || sort == Sort::Urgent,
            aside: (open.aside || edge) && sort != Sort::Urgent,
            band,
            namer: match namer(self.snapshot, node) {
                Namer::Element(index) => Some(index),
                _ => None,
            },
            ..open
        });
        self.at.index += 1;
        if let Some(before) = before {
            self.generated(Node { index: before, ..node });
        }
        if sort == Sort::Frame {
            self.frame(node, end);
        }
    }

    fn frame(&mut self, node: Node, end: NodeIndex) {
        let resume = Node { index: end, ..node };
        self.at = resume;
        match self.frames.get(&node).copied() {
            Some(document) if self.view.shows(document) => {
                let root = Node { document, index: NodeIndex::ROOT };
                self.enter(root, self.snapshot.documents[document].end(root.index), Some(resume));
            }
            Some(_) => {}
            None => self.missed += 1,
        }
    }

    /// Go into an element that makes no line.
    fn pass(&mut self, node: Node, role: Role, band: u32) {
        let document = self.snapshot.document(node);
        let flat = self.opens.last().is_some_and(|open| open.flat);
        let cell = role.sort() == Sort::Cell && self.is_in_row();
        let label = self.snapshot.tag(node) == Atom::Label;
        let hush = label && names_control(self.snapshot, node, &self.facts[&node.document]);
        let stand = if cell { Stand::Inline } else { flow::stand(self.snapshot, node) };
        let block = stand == Stand::Block && !flat;
        if cell {
            self.cell();
        } else if block {
            self.end_run(false);
        } else {
            self.edge(stand);
        }
        let [before, after] = pseudo(self.snapshot, node);
        if cell || hush || stand != Stand::Inline || after.is_some() {
            let open = self.inner(document.end(node.index));
            let from = if block { self.items.len() as u32 } else { open.from };
            let flat = flat || cell && document.size[node.index] <= CELL_NODES;
            self.opens.push(Open { block, from, stand, flat, after, hush: open.hush || hush, band, ..open });
        }
        self.at.index += 1;
        if let Some(before) = before {
            self.generated(Node { index: before, ..node });
        }
    }

    fn is_in_row(&self) -> bool {
        let item = self.opens.last().and_then(|open| self.items.get(open.item as usize));
        item.is_some_and(|item| item.role.is("row"))
    }
}

/// By document, where reading begins: in the document of the node, and in those that hold its frame.
fn starts(snapshot: &Snapshot, scope: Scope) -> HashMap<DocumentIndex, NodeIndex> {
    let Scope::From(node) = scope else { return HashMap::new() };
    let holders = std::iter::successors(Some(node), |node| snapshot.owner[node.document]);
    holders.map(|node| (node.document, node.index)).collect()
}
