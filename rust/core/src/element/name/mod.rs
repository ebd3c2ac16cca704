//! Accessible names: accname 1.2 with HTML-AAM and SVG-AAM, as Chrome implements them.
//!
//! The one place that makes names; rows, the text of a page, selectors and fingerprints all ask here, and the scripts in the
//! page (their names.js) are tested with the same cases. The algorithm is one machine with a stack of its own: each
//! element is tried source by source until one has said something, and what it says goes straight into one text. So
//! nothing recurses, and a name costs a bounded number of nodes and bytes, far more than anybody shows.

mod author;
mod content;
mod facts;
mod hidden;
mod namer;
mod native;
mod values;
mod walk;

use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::element::name::namer::{Namer, Step, Task, Try, Way};
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;

/// Nodes that are read where all that an element says is wanted.
const NODES: usize = 2048;

/// The name of `node`; "" if it has none.
pub fn name(snapshot: &Snapshot, node: Node) -> String {
    name_of(snapshot, node, role(snapshot, node)).0
}

/// The name of an element of this role, and how many nodes were looked at for it.
pub fn name_of(snapshot: &Snapshot, node: Node, role: Role) -> (String, usize) {
    if !snapshot.has_tag(node) || snapshot.document(node).has(node.index, flag::PSEUDO) {
        return (String::new(), 1);
    }
    let mut namer = Namer::new(snapshot, node.document);
    namer.start(node.index, role);
    namer.run()
}

/// The name of an element without its content, for callers that show the content themselves.
pub fn name_without_content(snapshot: &Snapshot, node: Node, role: Role) -> String {
    if !snapshot.has_tag(node) {
        return String::new();
    }
    let mut namer = Namer::new(snapshot, node.document);
    namer.hollow = true;
    namer.start(node.index, role);
    namer.run().0
}

/// Role and name of an element.
pub fn accessible(snapshot: &Snapshot, node: Node) -> (Role, String) {
    let role = role(snapshot, node);
    (role, name_of(snapshot, node, role).0)
}

/// The words in an element, labels and alternative texts in their places, but not what its fields hold; hidden ones too
/// if the element is hidden, as that is how names are hidden.
pub fn content(snapshot: &Snapshot, node: Node) -> String {
    let mut namer = Namer { limit: NODES, unfilled: true, ..Namer::new(snapshot, node.document) };
    let way = Way { hidden: !snapshot.document(node).has(node.index, flag::RENDERED), ..Way::default() };
    namer.visited.insert(u64::from(node.index), ());
    namer.children(node.index, way);
    namer.run().0
}

// -- the machine ---------------------------------------------------------------------------------------------------

impl Namer<'_> {
    fn run(mut self) -> (String, usize) {
        while let Some(task) = self.tasks.pop() {
            if self.out.is_full() {
                break;
            }
            match task {
                Task::Try(this) => self.step(this),
                Task::Children { at, end, way, folded } => self.child(at, end, way, folded),
                Task::Owned { of, next, way } => self.next_owned(of, next, way),
                Task::Pseudo(at) => self.pseudo(at),
                Task::Part => self.out.part(),
            }
        }
        let name = self.out.done();
        let edge = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
        let trimmed = name.trim_matches(edge);
        (if trimmed.len() == name.len() { name } else { trimmed.to_owned() }, self.seen.max(1))
    }

    fn step(&mut self, this: Try) {
        if self.out.len() > this.mark {
            return;
        }
        // Of what was referred to, the mark is where its turn began.
        let this = Try { mark: this.mark.min(self.out.len()), ..this };
        if this.step == Step::Value && !this.way.by_id && self.visited.contains_key(&u64::from(this.node)) {
            return;
        }
        let place = self.tasks.len();
        self.tasks.push(Task::Try(Try { step: this.step.next(), ..this }));
        let goes_on = match this.step {
            Step::Value => self.value(this),
            Step::References => self.references(this),
            Step::Label => self.label(this),
            Step::Labels => self.labels(this),
            Step::Native => self.native(this),
            Step::Content => self.content(this),
            Step::Title => self.title(this),
            Step::Placeholder => self.placeholder(this),
            Step::Over => {
                self.tasks.pop();
                return;
            }
        };
        if let (false, Some(Task::Try(next))) = (goes_on, self.tasks.get_mut(place)) {
            next.step = Step::Over;
        }
    }
}
