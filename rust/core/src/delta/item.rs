//! One change on its way from the finding to the row.

use crate::capture::node::Node;
use crate::delta::change::Change;
use crate::element::snapshot::Snapshot;

/// Which list a row belongs to. The order is that of equal rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Appeared,
    Changed,
    Disappeared,
}

/// What kind of news a row is. The order is the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Alerts, statuses, validation messages, toasts, dialogs.
    Message,
    /// Headings, captions, counters, records and other texts.
    Text,
    /// Checked, expanded, selected, sorted, disabled, value.
    State,
    /// Parts of the page that came, went or moved.
    Structure,
    /// Other attributes.
    Attribute,
    /// What only the page's own code cares for: generated names, references by id, positions.
    Bookkeeping,
}

/// A row that is not yet worded.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: Kind,
    /// The element: before for what disappeared, else after.
    pub node: Node,
    /// The element before, of what changed.
    pub old: Option<Node>,
    pub change: Option<Change>,
    /// How many like changes it stands for; 1 for itself alone.
    pub count: usize,
    /// The first elements that it stands for, if it is more than one.
    pub examples: Vec<Node>,
    pub priority: Priority,
    /// Within the priority; more is better.
    pub worth: u32,
}

impl Item {
    pub fn new(kind: Kind, node: Node, old: Option<Node>, change: Option<Change>) -> Self {
        Self { kind, node, old, change, count: 1, examples: Vec::new(), priority: Priority::Structure, worth: 0 }
    }

    /// The snapshot that `node` is in.
    pub fn side<'a>(&self, before: &'a Snapshot, after: &'a Snapshot) -> &'a Snapshot {
        match self.kind {
            Kind::Disappeared => before,
            _ => after,
        }
    }

    /// The field that changed.
    pub fn field(&self) -> Option<&str> {
        self.change.as_ref().map(|change| change.field.as_str())
    }
}
