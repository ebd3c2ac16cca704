//! From a snapshot to the items of its text: what makes a line, in reading order, and what holds it.

use std::collections::HashMap;

use crate::capture::atom::Atom;
use crate::capture::columns::NONE;
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::text::is_phrasing;
use crate::outline::facts::Facts;
use crate::outline::item::{Item, Kind, DEEPEST};
use crate::outline::naming::{namer, Namer};
use crate::outline::roles::{Role, Sort};
use crate::outline::shape::{names_control, shape, Around, Shape};
use crate::outline::view::View;
use crate::outline::Scope;

/// Neighbours of one tag after which a list has become long, and the highest level of that.
const FEW: u32 = 5;
const BANDS: u32 = 15;

/// An element, or a document, whose end has not been reached.
struct Open {
    end: u32,
    /// The item that it is or lies in, `NONE` at the top; and whether it is that item itself.
    item: u32,
    own: bool,
    /// Whether texts before and after its borders are on lines of their own.
    block: bool,
    /// Whether its texts are said already, by a name.
    hush: bool,
    listed: bool,
    urgent: bool,
    /// In the banner, the navigation, a side part or the foot of the page.
    aside: bool,
    band: u32,
    /// The last two tags of children, and how many there were in a row.
    kin: [(u32, u32); 2],
    /// The element inside that has given the name, and is not said again.
    namer: u32,
    /// Of a document: where to go on after it.
    resume: Option<Node>,
}

pub struct Walk<'a> {
    snapshot: &'a Snapshot,
    facts: HashMap<u32, Facts>,
    frames: HashMap<Node, u32>,
    view: View,
    /// By document: nothing before this node is read.
    starts: HashMap<u32, u32>,
    root: Option<Node>,
    at: Node,
    opens: Vec<Open>,
    items: Vec<Item>,
    /// The text that the next one goes on with.
    run: u32,
    /// Frames and levels of structure that were left out.
    pub missed: usize,
}

impl<'a> Walk<'a> {
    pub fn new(snapshot: &'a Snapshot, scope: Scope) -> Self {
        let frames = snapshot.owner.iter().enumerate().filter_map(|(document, owner)| {
            let owner = (*owner)?;
            // What has lost its frame element hangs under the root of the holder.
            (owner.index > 0).then_some((owner, document as u32))
        });
        let first = snapshot.order[0];
        let (root, at) = match scope {
            Scope::Below(node) => (Some(node), node),
            _ => (None, Node { document: first, index: 0 }),
        };
        let mut walk = Self {
            snapshot,
            facts: HashMap::new(),
            frames: frames.collect(),
            view: View::new(snapshot, scope == Scope::Viewport),
            starts: starts(snapshot, scope),
            root,
            at,
            opens: Vec::new(),
            items: Vec::new(),
            run: NONE,
            missed: 0,
        };
        let end = snapshot.document(at).end(at.index);
        walk.enter(at, end, None);
        walk
    }

    /// All items, in reading order. O(nodes).
    pub fn items(mut self) -> (Vec<Item>, HashMap<u32, Facts>, usize) {
        while let Some(node) = self.next() {
            self.visit(node);
        }
        self.settle();
        (self.items, self.facts, self.missed)
    }

    /// Nothing comes before what holds it, and what makes no line moves nothing in.
    fn settle(&mut self) {
        for at in (0..self.items.len()).rev() {
            let Item { parent, rank, .. } = self.items[at];
            if let Some(parent) = self.items.get_mut(parent as usize) {
                parent.rank = parent.rank.min(rank);
            }
        }
        for at in 0..self.items.len() {
            let holder = self.items.get(self.items[at].parent as usize);
            self.items[at].depth = holder.map_or(0, |holder| holder.depth + u32::from(holder.kind != Kind::Ghost));
        }
    }

    // -- where the walk is ---------------------------------------------------------------------------

    /// Begin a document, or a part of it.
    fn enter(&mut self, at: Node, end: u32, resume: Option<Node>) {
        let snapshot = self.snapshot;
        self.facts.entry(at.document).or_insert_with(|| Facts::new(snapshot, at.document, at.index, end));
        let open = self.inner(end);
        self.opens.push(Open { block: true, hush: false, listed: false, resume, ..open });
        self.run = NONE;
        self.at = at;
    }

    /// What is opened inside the innermost open element, with all that is inherited.
    fn inner(&self, end: u32) -> Open {
        let outer = self.opens.last();
        Open {
            end,
            item: outer.map_or(NONE, |outer| outer.item),
            own: false,
            block: false,
            hush: outer.is_some_and(|outer| outer.hush),
            listed: outer.is_some_and(|outer| outer.listed),
            urgent: outer.is_some_and(|outer| outer.urgent),
            aside: outer.is_some_and(|outer| outer.aside),
            band: outer.map_or(0, |outer| outer.band),
            kin: [(NONE, 0); 2],
            namer: outer.map_or(NONE, |outer| outer.namer),
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
        let Some(open) = self.opens.pop() else { return };
        if open.block {
            self.run = NONE;
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
        let start = self.starts.get(&node.document).copied().unwrap_or(0);
        let before = document.end(node.index) <= start;
        if before || !self.facts[&node.document].shown(node.index) {
            self.skip();
        } else if document.is_text(node.index) {
            self.text(node);
            self.at.index += 1;
        } else if document.kind[node.index as usize] == crate::capture::columns::ELEMENT {
            self.element(node);
        } else {
            self.at.index += 1;
        }
    }

    fn text(&mut self, node: Node) {
        let Some(open) = self.opens.last() else { return };
        if open.hush || !self.view.has(self.snapshot, node) {
            return;
        }
        if let Some(run) = self.items.get_mut(self.run as usize) {
            run.last = node.index;
            return;
        }
        let band = self.band(node);
        let at = self.push(node, Kind::Text, Role::text(), band);
        self.run = at;
    }

    fn element(&mut self, node: Node) {
        if self.snapshot.tag(node) == Atom::Br {
            self.at.index += 1;
            return;
        }
        if self.opens.last().is_some_and(|open| open.namer == node.index) {
            return self.skip();
        }
        let role = self.facts[&node.document].role(node.index);
        let band = self.band(node);
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

    /// The role that a line says: what can be edited is a text box, whatever it is made of.
    fn said_role(&self, node: Node, role: Role) -> Role {
        let edited = self.facts[&node.document].edits(node.index) && role.sort() != Sort::Control;
        if edited {
            Role::textbox()
        } else {
            role
        }
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
        self.opens.push(Open {
            item,
            own: true,
            block: true,
            hush: open.hush || hush,
            listed: if sort == Sort::List { true } else { open.listed && sort != Sort::Urgent },
            urgent: open.urgent || sort == Sort::Urgent,
            aside: (open.aside || edge) && sort != Sort::Urgent,
            band,
            namer: match namer(self.snapshot, node) {
                Namer::Element(index) => index,
                _ => NONE,
            },
            ..open
        });
        self.at.index += 1;
        if sort == Sort::Frame {
            self.frame(node, end);
        }
    }

    fn frame(&mut self, node: Node, end: u32) {
        let resume = Node { index: end, ..node };
        self.at = resume;
        match self.frames.get(&node).copied() {
            Some(document) if self.view.shows(document) => {
                let all = self.snapshot.documents[document as usize].len() as u32;
                self.enter(Node { document, index: 0 }, all, Some(resume));
            }
            Some(_) => {}
            None => self.missed += 1,
        }
    }

    /// Go into an element that makes no line.
    fn pass(&mut self, node: Node, role: Role, band: u32) {
        let tag = self.snapshot.tag(node);
        let cell = role.sort() == Sort::Cell && self.is_in_row();
        let block = !cell && !is_phrasing(tag);
        let hush = tag == Atom::Label && names_control(self.snapshot, node, &self.facts[&node.document]);
        if block {
            self.run = NONE;
        }
        if block || hush || cell {
            let open = self.inner(self.snapshot.document(node).end(node.index));
            self.opens.push(Open { block, hush: open.hush || hush, band, ..open });
        }
        self.at.index += 1;
    }

    fn is_in_row(&self) -> bool {
        let item = self.opens.last().and_then(|open| self.items.get(open.item as usize));
        item.is_some_and(|item| item.role.is("row"))
    }

    // -- items -----------------------------------------------------------------------------------------

    fn depth(&self) -> u32 {
        let item = self.opens.last().and_then(|open| self.items.get(open.item as usize));
        item.map_or(0, |item| item.depth + 1)
    }

    fn push(&mut self, node: Node, kind: Kind, role: Role, band: u32) -> u32 {
        let at = self.items.len() as u32;
        let open = self.opens.last();
        let parent = open.map_or(NONE, |open| open.item);
        let facts = &self.facts[&node.document];
        let acts = kind == Kind::Line && facts.acts(node.index);
        let rank = match role.sort() {
            _ if open.is_some_and(|open| open.urgent) => 0,
            Sort::Urgent => 0,
            Sort::Control | Sort::Heading | Sort::Landmark | Sort::Frame => 1,
            _ if acts => 1,
            Sort::List | Sort::Item | Sort::Group => u8::MAX,
            _ => 3,
        };
        let aside = u8::from(open.is_some_and(|open| open.aside));
        let rank = if rank == u8::MAX { rank } else { rank + aside + 2 * band as u8 };
        let depth = self.depth();
        self.items.push(Item {
            node,
            first: node.index,
            last: node.index,
            parent,
            end: at + 1,
            children: 0,
            depth,
            kind,
            role,
            rank,
        });
        if let Some(parent) = self.items.get_mut(parent as usize) {
            parent.children += 1;
        }
        self.run = NONE;
        at
    }

    /// Everything in an item has been read: make it as short as it can be said.
    fn seal(&mut self, at: usize) {
        self.items[at].end = self.items.len() as u32;
        let Item { node, role, children, .. } = self.items[at];
        let acts = self.facts[&node.document].acts(node.index);
        if children == 0 && !acts && !matches!(role.sort(), Sort::Frame | Sort::Gauge) {
            self.withdraw(at);
        } else if self.is_said_by_text(at) {
            self.say(at);
        } else if children == 1 && role.sort() == Sort::Item && !acts {
            self.items[at].kind = Kind::Ghost;
        }
    }

    /// Take back an item that holds nothing.
    fn withdraw(&mut self, at: usize) {
        self.items.truncate(at);
        let parent = self.opens.last().map_or(NONE, |open| open.item);
        if let Some(parent) = self.items.get_mut(parent as usize) {
            parent.children -= 1;
        }
    }

    /// Whether the text that an item without a name begins with can stand in the place of one: because there is nothing
    /// else, or because it tells one of a list from the others.
    fn is_said_by_text(&self, at: usize) -> bool {
        let Item { node, role, children, .. } = self.items[at];
        let begins = self.items.get(at + 1).is_some_and(|first| first.kind == Kind::Text);
        let sort = role.sort();
        let short = sort == Sort::Item || children == 1 && matches!(sort, Sort::Urgent | Sort::Group | Sort::Landmark);
        begins && short && namer(self.snapshot, node) == Namer::Nobody
    }

    fn say(&mut self, at: usize) {
        let text = self.items[at + 1];
        let item = &mut self.items[at];
        (item.kind, item.first, item.last) = (Kind::Said, text.first, text.last);
        item.rank = item.rank.min(text.rank);
        item.children -= 1;
        if item.children == 0 {
            item.end = at as u32 + 1;
            self.items.truncate(at + 1);
        } else {
            self.items[at + 1].kind = Kind::Ghost;
        }
    }

    /// How far down in a long list the next child of the innermost open element stands: 0 for the first few, then one
    /// more with every doubling; lists in lists add up.
    fn band(&mut self, node: Node) -> u32 {
        let name = self.snapshot.document(node).name[node.index as usize];
        let Some(open) = self.opens.last_mut() else { return 0 };
        let slot = match open.kin.iter().position(|kin| kin.0 == name) {
            Some(slot) => slot,
            None => {
                let slot = usize::from(open.kin[0].1 > open.kin[1].1);
                open.kin[slot] = (name, 0);
                slot
            }
        };
        let before = open.kin[slot].1;
        open.kin[slot].1 += 1;
        let own = if before < FEW { 0 } else { (before / FEW).ilog2() + 1 };
        (open.band + own).min(BANDS)
    }
}

/// By document, where reading begins: in the document of the node, and in those that hold its frame.
fn starts(snapshot: &Snapshot, scope: Scope) -> HashMap<u32, u32> {
    let Scope::From(node) = scope else { return HashMap::new() };
    let holders = std::iter::successors(Some(node), |node| snapshot.owner[node.document as usize]);
    holders.map(|node| (node.document, node.index)).collect()
}
