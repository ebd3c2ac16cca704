//! Stage (c): matches parents from the bottom up, by the votes of their matched children.

use crate::capture::node::NodeIndex;
use crate::diff::cross::engine::{Engine, VOTE};

/// The share of two subtrees that must be common: the larger they are, the less (source: GumTree-simple).
pub fn threshold(size: u32) -> f64 {
    1.0 / (1.0 + f64::from(size.max(1)).ln())
}

pub fn vote(engine: &mut Engine) {
    let mut votes: Vec<(NodeIndex, u32)> = Vec::new();
    for at in (0..engine.a.own.len()).rev() {
        let node = engine.a.own[at];
        if engine.a.live[node] < 2 || !engine.a.is_free(node) {
            continue;
        }
        votes.clear();
        for child in engine.a.document.children(node) {
            let candidate = engine.a.partner.get(child).and_then(|other| engine.b.document.parent_of(other));
            if let Some(candidate) = candidate.filter(|&candidate| engine.b.is_free(candidate)) {
                votes.push((candidate, engine.a.live[child]));
            }
        }
        let Some((candidate, shared)) = winner(&mut votes) else { continue };
        if !engine.spend(votes.len() + 1) {
            return;
        }
        let size = engine.a.live[node] + engine.b.live[candidate];
        if 2.0 * f64::from(shared) >= threshold(size) * f64::from(size) && engine.is_alike(node, candidate) {
            engine.pair(node, candidate, VOTE);
        }
    }
}

/// The candidate with the most votes; the first of several.
fn winner(votes: &mut [(NodeIndex, u32)]) -> Option<(NodeIndex, u32)> {
    votes.sort_unstable();
    let mut best: Option<(NodeIndex, u32)> = None;
    let mut at = 0;
    while at < votes.len() {
        let candidate = votes[at].0;
        let mut sum = 0;
        while at < votes.len() && votes[at].0 == candidate {
            sum += votes[at].1;
            at += 1;
        }
        if best.is_none_or(|best| sum > best.1) {
            best = Some((candidate, sum));
        }
    }
    best
}
