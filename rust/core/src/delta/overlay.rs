//! What opened over the page: it is what an action did, whatever the page writes below it at the same time.

use std::collections::HashMap;

use crate::capture::bounds::bounds;
use crate::capture::node::{DocumentIndex, Interval, Node, NodeIndex};
use crate::element::snapshot::Snapshot;

/// Wrappers around a part that are looked at, and siblings of each.
const ABOVE: usize = 6;
const SIBLINGS: usize = 64;

/// Pixels that borders and rounding take.
const SLACK: f32 = 1.0;

/// Pixels below the element before it within which an element still follows it.
const FOLLOWS: f32 = 64.0;

/// The subtrees that came into sight, by document: intervals of nodes that are sorted and apart.
pub type Regions = Vec<(DocumentIndex, Vec<Interval>)>;

/// Tells which of the elements that appeared do not stand in the flow of the page.
pub struct Overlays<'a> {
    after: &'a Snapshot,
    arrived: HashMap<DocumentIndex, &'a [Interval]>,
}

impl<'a> Overlays<'a> {
    pub fn new(after: &'a Snapshot, arrived: &'a Regions) -> Self {
        Self { after, arrived: arrived.iter().map(|(document, found)| (*document, found.as_slice())).collect() }
    }

    /// Whether the element, or a wrapper that came with it, lies over what is beside it or outside of what holds it.
    pub fn has(&self, node: Node) -> bool {
        let new = self.after.inclusive_ancestors(node).take(ABOVE).take_while(|at| self.has_come(*at));
        new.into_iter().any(|at| self.is_out_of_flow(at))
    }

    fn has_come(&self, node: Node) -> bool {
        self.arrived.get(&node.document).is_some_and(|intervals| is_within(intervals, node.index))
    }

    fn is_out_of_flow(&self, node: Node) -> bool {
        let Some(own) = self.box_of(node) else { return false };
        let Some((parent, around)) = self.after.ancestors(node).find_map(|at| Some((at, self.box_of(at)?))) else {
            return false;
        };
        let document = self.after.document(node);
        let beside: Vec<[f32; 4]> = document
            .children(parent.index)
            .filter(|&index| index != node.index && document.is_element(index) && document.is_shown(index))
            .take(SIBLINGS)
            .filter_map(|index| self.box_of(Node { index, ..node }))
            .collect();
        let [x, y, width, height] = around;
        let is_before = own[0] < x - SLACK || own[1] < y - SLACK || own[0] > x + width + SLACK;
        let follows = |other: &[f32; 4]| (own[1] - other[1] - other[3]).abs() <= FOLLOWS;
        let is_below = own[1] > y + height + SLACK && !beside.iter().any(follows);
        is_before || is_below || beside.iter().any(|other| covers_half(own, *other))
    }

    /// The box of an element that has a size.
    fn box_of(&self, node: Node) -> Option<[f32; 4]> {
        let found = bounds(self.after, node)?;
        (found[2] > 0.0 || found[3] > 0.0).then_some(found)
    }
}

/// Whether an index lies in one of the intervals, which are sorted and apart.
pub fn is_within(intervals: &[Interval], index: NodeIndex) -> bool {
    let after = intervals.partition_point(|interval| interval.start <= index);
    after > 0 && index < intervals[after - 1].end
}

/// Whether one box has half of the smaller one of the two in common with the other.
fn covers_half(one: [f32; 4], other: [f32; 4]) -> bool {
    let side = |at: usize| (one[at] + one[at + 2]).min(other[at] + other[at + 2]) - one[at].max(other[at]);
    let (width, height) = (side(0).max(0.0), side(1).max(0.0));
    let smaller = (one[2] * one[3]).min(other[2] * other[3]);
    smaller > 0.0 && width * height * 2.0 >= smaller
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_one_another_by_half_of_the_smaller_one() {
        let page = [0.0, 0.0, 100.0, 100.0];
        for (other, expected) in [
            ([10.0, 10.0, 20.0, 20.0], true),
            ([90.0, 0.0, 20.0, 20.0], true),
            ([95.0, 0.0, 20.0, 20.0], false),
            ([0.0, 100.0, 100.0, 20.0], false),
            ([0.0, 0.0, 0.0, 0.0], false),
        ] {
            assert_eq!(covers_half(page, other), expected, "{other:?}");
            assert_eq!(covers_half(other, page), expected, "{other:?}");
        }
    }
}
