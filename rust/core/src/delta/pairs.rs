//! Pairs the documents of two snapshots and chooses how to compare each pair.

use std::collections::{HashMap, HashSet};

use crate::capture::node::{DocumentIndex, DocumentPair, Node};
use crate::delta::findings::Findings;
use crate::delta::overlay::Regions;
use crate::delta::same::SameDocument;
use crate::delta::table::Known;
use crate::delta::visit::place;
use crate::diff::cross::{self, Limits};
use crate::diff::identity::{edits, pair_documents};
use crate::element::snapshot::Snapshot;

/// The share of rendered content that two documents of one path must have in common to be compared row by row: the next
/// page of a table has other rows below the same head.
const SAME_PAGE: f64 = 0.1;

/// The documents of two snapshots, and what of them came into sight or went out of it.
pub struct Pairs<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    same: Vec<DocumentPair>,
    /// Documents that came or went as a whole.
    pub gone: Vec<DocumentIndex>,
    pub fresh: Vec<DocumentIndex>,
    pub same_page: bool,
    pub appeared: Regions,
    pub vanished: Regions,
    /// Documents (after) that are compared, with the one before and, if ids do not tell, its partners.
    pub known: Known,
}

impl<'a> Pairs<'a> {
    pub fn new(before: &'a Snapshot, after: &'a Snapshot) -> Self {
        let pairing = pair_documents(before, after);
        Self {
            before,
            after,
            same: pairing.same,
            gone: pairing.gone,
            fresh: pairing.fresh,
            same_page: pairing.same_page,
            appeared: Vec::new(),
            vanished: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Compare what can be compared; what is left in `gone` and `fresh` came or went as a whole.
    pub fn compare(&mut self, findings: &mut Findings) {
        let mut replaced = Vec::new();
        for pair in std::mem::take(&mut self.same) {
            let DocumentPair { old, new } = pair;
            match edits(self.before, old, self.after, new) {
                Some(edits) => {
                    let same = SameDocument::new(self.before, old, self.after, new, &edits);
                    let by_identity = same.script_length();
                    let rerender = cross::regions(self.before, old, self.after, new, &edits, Limits::default());
                    match rerender {
                        Some(rerender) => {
                            findings.rerendered += rerender.equal;
                            findings.matched += rerender.matched;
                            findings.approximate |= rerender.approximate;
                            let same = SameDocument::new(self.before, old, self.after, new, &rerender.edits);
                            self.tell(pair, &same, findings);
                        }
                        None => self.tell(pair, &same, findings),
                    }
                    findings.script_length += by_identity;
                    self.known.insert(new, (old, None));
                }
                None => {
                    self.gone.push(old);
                    self.fresh.push(new);
                    replaced.push(pair);
                }
            }
        }
        for pair in replaced {
            self.cross(pair, findings);
        }
        self.cross_frames(findings);
    }

    fn tell(&mut self, pair: DocumentPair, same: &SameDocument, findings: &mut Findings) {
        same.find(findings);
        self.appeared.push((pair.new, same.appeared_intervals()));
        self.vanished.push((pair.old, same.disappeared_intervals()));
    }

    /// Compare documents that took another one's place: the page's own, and those in frames that are the same.
    fn cross_frames(&mut self, findings: &mut Findings) {
        if self.gone.is_empty() || self.fresh.is_empty() {
            return;
        }
        let (mut by_owner, mut by_id) = (HashMap::new(), HashMap::new());
        for &old in &self.gone {
            if let Some(owner) = self.before.owner[old] {
                by_owner.insert(owner, old);
                by_id.insert((owner.document, self.before.backend_node_id(owner)), old);
            }
        }
        let pages = (self.before.order[0], self.after.order[0]);
        for new in self.fresh.clone() {
            let old = match self.after.owner[new] {
                None => (new == pages.1 && self.gone.contains(&pages.0)).then_some(pages.0),
                Some(owner) => self.known.get(&owner.document).and_then(|(holder, partners)| match partners {
                    Some(partners) => {
                        let index = partners.get(owner.index)?;
                        by_owner.get(&Node { document: *holder, index }).copied()
                    }
                    None => by_id.get(&(*holder, self.after.backend_node_id(owner))).copied(),
                }),
            };
            if let Some(old) = old.filter(|_| !self.known.contains_key(&new)) {
                self.cross(DocumentPair { old, new }, findings);
            }
        }
        let (gone, fresh): (HashSet<DocumentIndex>, HashSet<DocumentIndex>) =
            self.known.iter().map(|(&new, known)| (known.0, new)).unzip();
        self.gone.retain(|document| !gone.contains(document));
        self.fresh.retain(|document| !fresh.contains(document));
    }

    fn cross(&mut self, pair: DocumentPair, findings: &mut Findings) {
        let DocumentPair { old, new } = pair;
        let crossing = cross::documents(self.before, old, self.after, new, Limits::default());
        let (was, is) = (place(self.before, old), place(self.after, new));
        let is_same_page = was == is && !was.is_empty() && crossing.shared >= SAME_PAGE;
        if !crossing.is_related() && !is_same_page {
            return;
        }
        findings.rerendered += crossing.equal;
        findings.matched += crossing.matched;
        findings.approximate |= crossing.approximate;
        let same = SameDocument::new(self.before, old, self.after, new, &crossing.edits).loaded();
        findings.script_length += same.script_length();
        self.tell(pair, &same, findings);
        self.known.insert(new, (old, Some(crossing.to_old)));
    }
}
