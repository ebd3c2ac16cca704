//! Elements that the page made again in another state, which leaves no node the same: a tab that is selected now, an item
//! of a tree that is open, a link to the current page. They changed; they neither came nor went.

use std::collections::HashMap;

use crate::capture::node::{Node, NodeIndex, NodePair};
use crate::delta::change::Both;
use crate::delta::findings::Findings;
use crate::delta::sides::{Side, inner_changes, pair_up, remove};
use crate::element::name::name;
use crate::element::reading::Enter;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::text::{has_own_text, text_except};

/// How deep containers that were made again are looked into, and children of one that are compared.
const DEEP: usize = 6;
const KIDS: usize = 64;

/// Subtrees in question, per side: names and texts cost something.
const LOOKS: usize = 256;

/// What makes an element the same one: the element that holds it now, its tag, its role, and its name or text.
type Key = (NodeIndex, Alike);
type Alike = (String, Role, String);

/// One comparison of what went and what came.
pub struct Remade<'a, H> {
    before: Side<'a>,
    after: Side<'a>,
    /// The node after that holds a node before, if that is known.
    holder: H,
    /// Containers that were made again: by the one before, the one after.
    again: HashMap<NodeIndex, NodeIndex>,
}

impl<'a, H: Fn(NodeIndex) -> Option<NodeIndex>> Remade<'a, H> {
    pub fn new(before: Side<'a>, after: Side<'a>, holder: H) -> Self {
        Self { before, after, holder, again: HashMap::new() }
    }

    /// Take what was made again out of `went` and `came`, and report what changed of it. Of a container, what it holds
    /// takes its place there.
    pub fn find(mut self, went: &mut Vec<NodeIndex>, came: &mut Vec<NodeIndex>, findings: &mut Findings) {
        for _ in 0..DEEP {
            if went.is_empty() || came.is_empty() || went.len().max(came.len()) > LOOKS {
                break;
            }
            let same = self.elements(went, came, findings);
            let opened = self.containers(went, came, findings);
            if !same && !opened {
                break;
            }
        }
        went.sort_unstable();
        came.sort_unstable();
    }

    /// Elements with the same name or text; whether there were any.
    fn elements(&mut self, went: &mut Vec<NodeIndex>, came: &mut Vec<NodeIndex>, findings: &mut Findings) -> bool {
        let pairs = pair_up(went, came, |index| self.old_key(index), |index| self.new_key(index));
        let told: Vec<NodePair> = pairs.into_iter().filter(|&pair| self.tell(pair, findings)).collect();
        remove(went, came, &told);
        let any = !told.is_empty();
        for pair in told {
            if self.is_tree_item(pair.new) {
                self.groups(pair, went, came);
            }
        }
        any
    }

    fn old_key(&self, index: NodeIndex) -> Option<Key> {
        let holder = (self.holder)(index).or_else(|| self.again.get(&self.before.parent(index)?).copied())?;
        Some((holder, alike(self.before, index)?))
    }

    fn new_key(&self, index: NodeIndex) -> Option<Key> {
        Some((self.after.parent(index)?, alike(self.after, index)?))
    }

    fn both(&self, pair: NodePair) -> Both<'a> {
        let (old, new) = (self.before.node(pair.old), self.after.node(pair.new));
        Both { before: self.before.snapshot, old, after: self.after.snapshot, new }
    }

    /// Report what changed between the two, if they are the same thing.
    fn tell(&self, pair: NodePair, findings: &mut Findings) -> bool {
        let both = self.both(pair);
        if inner_changes(both, findings) {
            return true;
        }
        // What a control shows inside is its looks; its name is the same.
        let is_one = is_control(role(both.after, both.new));
        if is_one {
            own_changes(both, findings);
        }
        is_one
    }

    fn is_tree_item(&self, index: NodeIndex) -> bool {
        role(self.after.snapshot, self.after.node(index)) == Role::TreeItem
    }

    /// What an item of a tree holds came or went for itself.
    fn groups(
        &mut self,
        NodePair { old: one, new: other }: NodePair,
        went: &mut Vec<NodeIndex>,
        came: &mut Vec<NodeIndex>,
    ) {
        self.again.insert(one, other);
        let group = |side: Side, index: NodeIndex| -> Vec<NodeIndex> {
            let is_group = |&kid: &NodeIndex| role(side.snapshot, side.node(kid)) == Role::Group;
            side.kids(index).into_iter().filter(is_group).collect()
        };
        went.extend(group(self.before, one));
        came.extend(group(self.after, other));
    }

    /// Open containers that were made again: half of what they hold is alike. Whether there were any.
    fn containers(&mut self, went: &mut Vec<NodeIndex>, came: &mut Vec<NodeIndex>, findings: &mut Findings) -> bool {
        let kind = |side: Side, index: NodeIndex| {
            let (snapshot, node) = (side.snapshot, side.node(index));
            let holds = !has_own_text(snapshot, node) && !side.kids(index).is_empty();
            holds.then(|| (snapshot.tag_name(node), role(snapshot, node)))
        };
        let old_kind = |index: NodeIndex| {
            let holder = (self.holder)(index).or_else(|| self.again.get(&self.before.parent(index)?).copied())?;
            Some((holder, kind(self.before, index)?))
        };
        let new_kind = |index: NodeIndex| Some((self.after.parent(index)?, kind(self.after, index)?));
        let mut pairs = pair_up(went, came, old_kind, new_kind);
        pairs.retain(|&pair| self.holds_alike(pair));
        remove(went, came, &pairs);
        for &pair in &pairs {
            own_changes(self.both(pair), findings);
            self.again.insert(pair.old, pair.new);
            went.extend(self.before.kids(pair.old));
            came.extend(self.after.kids(pair.new));
        }
        !pairs.is_empty()
    }

    fn holds_alike(&self, pair: NodePair) -> bool {
        let keys = |side: Side, index: NodeIndex| -> Vec<Option<Alike>> {
            side.kids(index).into_iter().take(KIDS).map(|kid| alike(side, kid)).collect()
        };
        let (old, mut new) = (keys(self.before, pair.old), keys(self.after, pair.new));
        let most = old.len().max(new.len());
        let common = old.into_iter().flatten().filter(|key| {
            let found = new.iter().position(|other| other.as_ref() == Some(key));
            found.map(|at| new.swap_remove(at)).is_some()
        });
        let common = common.count();
        common * 2 >= most && common > 0
    }
}

fn own_changes(both: Both, findings: &mut Findings) {
    findings.changed.extend(both.changes().into_iter().map(|change| (both.old, both.new, change)));
}

/// Whether the name of an element of this role identifies it, whatever it holds.
fn is_control(role: Role) -> bool {
    role.is_worked() && role.is_leaf() || matches!(role, Role::Link | Role::Tab | Role::TreeItem | Role::Option)
}

/// Tag, role and words of an element; None if it has no words, or a frame in it, whose document is another one.
fn alike(side: Side, index: NodeIndex) -> Option<Alike> {
    let (snapshot, node) = (side.snapshot, side.node(index));
    let is_in = |owner: &Node| owner.document == node.document && snapshot.document(node).within(owner.index, index);
    if snapshot.owner.iter().flatten().any(is_in) {
        return None;
    }
    let role = role(snapshot, node);
    let words = match role {
        Role::TreeItem => {
            let is_group = |at: Node| crate::element::role::role(snapshot, at) == Role::Group;
            text_except(snapshot, node, |at| if is_group(at) { Enter::Skip } else { Enter::Into })
        }
        role if role.is_worked() || role == Role::Link => name(snapshot, node),
        _ => text_except(snapshot, node, |_| Enter::Into),
    };
    (!words.is_empty()).then(|| (snapshot.tag_name(node), role, words))
}
