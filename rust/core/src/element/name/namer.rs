//! The machine that makes a name: the text so far, and a stack of what is still to be done for it.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::aria_owns::owns_of;
use crate::element::gather::Gathered;
use crate::element::generated::pseudo_kind;
use crate::element::letters::is_blank;
use crate::element::owns::Owns;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::hash::by_hash::ByHash;

/// The most nodes that one name is made of. Chrome stops there, too.
const NAME_NODES: usize = 100;

/// Pseudo-elements of an element that are looked at.
const PSEUDOS: usize = 16;

/// How an element was reached.
#[derive(Clone, Copy, Default)]
pub(super) struct Way {
    /// By `aria-labelledby`, which is followed once.
    pub(super) by_id: bool,
    /// Its root is hidden, so that all of it counts.
    pub(super) hidden: bool,
}

/// Where a name can come from, in the order in which it is looked for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Step {
    Value,
    References,
    Label,
    Labels,
    Native,
    Content,
    Title,
    Placeholder,
    Over,
}

impl Step {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Value => Self::References,
            Self::References => Self::Label,
            Self::Label => Self::Labels,
            Self::Labels => Self::Native,
            Self::Native => Self::Content,
            Self::Content => Self::Title,
            Self::Title => Self::Placeholder,
            Self::Placeholder | Self::Over => Self::Over,
        }
    }
}

/// An element whose sources are tried until the text is longer than `mark`.
#[derive(Clone, Copy)]
pub(super) struct Try {
    pub(super) node: NodeIndex,
    pub(super) role: Role,
    pub(super) step: Step,
    pub(super) mark: usize,
    pub(super) way: Way,
    /// It is the element to name.
    pub(super) top: bool,
}

/// The mark of an element whose turn has yet to come: what is referred to before it may say something.
const LATER: usize = usize::MAX;

pub(super) enum Task {
    Try(Try),
    /// Go on with the node at `at`, a child of an element that ends at `end`.
    Children {
        at: NodeIndex,
        end: NodeIndex,
        way: Way,
        folded: bool,
    },
    Owned {
        of: NodeIndex,
        next: usize,
        way: Way,
    },
    /// What a stylesheet adds.
    Pseudo(NodeIndex),
    /// What follows is a word of its own.
    Part,
}

pub(super) struct Namer<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) document: DocumentIndex,
    pub(super) owns: &'a Owns,
    pub(super) out: Gathered,
    pub(super) tasks: Vec<Task>,
    pub(super) visited: ByHash<()>,
    pub(super) seen: usize,
    pub(super) limit: usize,
    /// What the element itself holds does not count.
    pub(super) hollow: bool,
    /// Whether what fields hold is left out.
    pub(super) unfilled: bool,
}

impl<'a> Namer<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, document: DocumentIndex) -> Self {
        let owns = owns_of(snapshot, document);
        Self {
            snapshot,
            document,
            owns,
            out: Gathered::default(),
            tasks: Vec::new(),
            visited: ByHash::default(),
            seen: 0,
            limit: NAME_NODES,
            hollow: false,
            unfilled: false,
        }
    }

    pub(super) fn start(&mut self, node: NodeIndex, role: Role) {
        let first = Try { node, role, step: Step::References, mark: 0, way: Way::default(), top: true };
        self.tasks.push(Task::Try(first));
    }

    pub(super) fn node(&self, index: NodeIndex) -> Node {
        Node { document: self.document, index }
    }

    pub(super) fn attribute(&self, index: NodeIndex, wanted: Atom) -> Option<&'a str> {
        self.snapshot.attribute(self.node(index), wanted)
    }

    /// Say `text`, a word of its own.
    pub(super) fn say(&mut self, text: &str) {
        if is_blank(text) {
            return;
        }
        self.out.part();
        self.out.text(text);
        self.out.part();
    }

    /// Add what an element says to the name of another one.
    pub(super) fn add(&mut self, node: NodeIndex, way: Way) {
        self.seen += 1;
        if !way.by_id && self.visited.contains_key(&u64::from(node)) {
            return;
        }
        let role = role(self.snapshot, self.node(node));
        let mark = self.out.len();
        self.tasks.push(Task::Try(Try { node, role, step: Step::Value, mark, way, top: false }));
    }

    /// Add what another element says, as a word of its own.
    pub(super) fn refer(&mut self, node: NodeIndex, way: Way) {
        self.seen += 1;
        let role = role(self.snapshot, self.node(node));
        self.tasks.push(Task::Part);
        self.tasks.push(Task::Try(Try { node, role, step: Step::Value, mark: LATER, way, top: false }));
        self.tasks.push(Task::Part);
    }

    pub(super) fn children(&mut self, node: NodeIndex, way: Way) {
        let document = &self.snapshot.documents[self.document];
        if !self.owns.owned(node).is_empty() {
            self.tasks.push(Task::Owned { of: node, next: 0, way });
        }
        // A capture has all pseudo-elements before the children.
        let pseudo = document.inside(node).nodes().take_while(|&at| document.has(at, flag::PSEUDO));
        let after = pseudo.take(PSEUDOS).find(|&at| pseudo_kind(self.snapshot, self.node(at)) == "after");
        self.tasks.extend(after.map(Task::Pseudo));
        let at = self.node(node);
        // What an option or a canvas holds has no boxes of its own.
        let inner = matches!(self.snapshot.tag(at), Atom::Canvas | Atom::Option);
        let way = Way { hidden: way.hidden || inner, ..way };
        let folded = self.snapshot.tag(at) == Atom::Details && self.attribute(node, Atom::Open).is_none();
        self.tasks.push(Task::Children { at: node + 1, end: document.end(node), way, folded });
    }
}
