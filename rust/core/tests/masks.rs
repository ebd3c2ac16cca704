//! Masks: what they leave out, by a slow twin; what they must not hide; what is learned and forgotten.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use proptest::prelude::*;
use stillframe_core::testing::capture::atom::Atom;
use stillframe_core::testing::capture::columns::flag;
use stillframe_core::testing::capture::node::{DocumentIndex, Node, NodeIndex};
use stillframe_core::testing::delta::row::Row;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::record::Record;
use stillframe_core::testing::digest::canonical::{collapse, looks_generated, without_digits};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::mask::learn::MaskLearner;
use stillframe_core::testing::mask::level::{Level, Mask, Why};
use stillframe_core::testing::mask::masks::{Learned, Masks};
use stillframe_core::testing::mask::places::Places;
use stillframe_core::testing::mask::rules::{is_animation, is_clock};
use stillframe_core::testing::page::{TestNode, TestTree};

mod pages;
use pages::{Edit, a_page, edited};

const LEVELS: [Level; 6] =
    [Level::Digits, Level::Text, Level::Style, Level::Attributes, Level::Structure, Level::Subtree];

/// The steps from the root of the page to a node.
fn path_to(snapshot: &Snapshot, node: Node) -> Vec<u64> {
    let places = Places::new(snapshot);
    let mut path = Vec::new();
    let mut at = node;
    while let Some(parent) = snapshot.parent(at) {
        let child = places.children(parent).into_iter().find(|child| child.node == at);
        path.push(child.expect("a child of its parent").step());
        at = parent;
    }
    path.reverse();
    path
}

fn node(index: NodeIndex) -> Node {
    Node { document: DocumentIndex::FIRST, index }
}

/// Masks at some elements of a page.
fn masks_at(snapshot: &Snapshot, picks: &[(u16, u8)]) -> Masks {
    let document = &snapshot.documents[0];
    let live = document
        .inside(NodeIndex::ROOT)
        .nodes()
        .filter(|&at| document.is_element(at) && !document.has(at, flag::DROPPED));
    let elements: Vec<NodeIndex> = live.collect();
    let learned = picks.iter().map(|&(pick, level)| {
        let path = path_to(snapshot, node(elements[pick as usize % elements.len()]));
        Learned { path, level: LEVELS[level as usize % LEVELS.len()], changed: 3, probes: 5 }
    });
    Masks::new(false, learned.collect())
}

// -- the slow twin: a page written out under masks -----------------------------------------------------------------

struct Twin<'a> {
    snapshot: &'a Snapshot,
    levels: HashMap<NodeIndex, Vec<Level>>,
}

impl<'a> Twin<'a> {
    fn new(snapshot: &'a Snapshot, masks: &[Mask]) -> Self {
        let mut levels: HashMap<NodeIndex, Vec<Level>> = HashMap::new();
        masks.iter().for_each(|mask| levels.entry(mask.node.index).or_default().push(mask.level));
        Self { snapshot, levels }
    }

    fn has(&self, index: NodeIndex, level: Level) -> bool {
        self.levels.get(&index).is_some_and(|levels| levels.contains(&level))
    }

    /// The exact form of a subtree; None if it is left out.
    fn exact(&self, index: NodeIndex) -> Option<String> {
        let document = &self.snapshot.documents[0];
        if self.has(index, Level::Subtree) {
            return None;
        }
        if document.is_text(index) {
            return self.text(index);
        }
        let mut own = Record::of(self.snapshot, document, index);
        own.properties.remove("rendered");
        if self.has(index, Level::Structure) || self.has(index, Level::Attributes) {
            let shadow = own.properties.remove("shadow");
            own = Record { kind: own.kind, name: own.name, ..Record::default() };
            // It is part of the state, which the mask leaves out.
            let _ = shadow;
        }
        if self.has(index, Level::Structure) {
            return Some(format!("{own:?} like {}", self.structure(index)));
        }
        if self.has(index, Level::Style) {
            own.attributes.remove("style");
        }
        let children: Vec<String> = document.children(index).filter_map(|child| self.exact(child)).collect();
        Some(format!("{own:?} {children:?}"))
    }

    fn text(&self, index: NodeIndex) -> Option<String> {
        let document = &self.snapshot.documents[0];
        let parent = document.parent_of(index).expect("a text is in something");
        let text = self.snapshot.strings(node(index)).bytes(document.value[index]);
        if self.has(parent, Level::Text) {
            return None;
        }
        if !self.has(parent, Level::Digits) && !self.has(index, Level::Digits) {
            return Some(format!("text {text:?}"));
        }
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        without_digits(collapse(text, &mut scratch), &mut out);
        Some(format!("numbers left out of {out:?}"))
    }

    fn structure(&self, index: NodeIndex) -> String {
        let snapshot = self.snapshot;
        let document = &snapshot.documents[0];
        let class = snapshot.attribute(node(index), Atom::Class);
        let tokens = class.map(|class| {
            let tokens = class.split_ascii_whitespace().filter(|token| !looks_generated(token));
            tokens.map(|token| (token, ())).collect::<BTreeMap<_, _>>()
        });
        let role = snapshot.attribute(node(index), Atom::Role);
        // Inside a masked subtree no mask counts any more.
        let mut children: Vec<String> = document
            .children(index)
            .filter(|&child| document.is_element(child))
            .map(|child| self.structure(child))
            .collect();
        children.dedup();
        format!("{} {tokens:?} {role:?} {children:?}", snapshot.tag_name(node(index)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masked_digests_are_those_of_the_page_without_what_is_masked(
        page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..3),
        picks in prop::collection::vec((any::<u16>(), any::<u8>()), 0..4), from_after: bool,
    ) {
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let masks = masks_at(if from_after { &after } else { &before }, &picks);
        let (one, two) = (masks.apply(&before, None), masks.apply(&after, None));
        prop_assert_eq!(&one.plain, before.digests());
        let same = Twin::new(&before, &one.masks).exact(NodeIndex::ROOT) == Twin::new(&after, &two.masks).exact(NodeIndex::ROOT);
        prop_assert_eq!(one.digests.exact == two.digests.exact, same);
        if one.masks.is_empty() {
            prop_assert_eq!(one.plain, one.digests);
        }
    }

    /// Oracle 10: pages that are the same under masks differ inside the masks that are reported, and nowhere else.
    #[test]
    fn what_masks_hide_is_inside_them(
        page in a_page(), edits in prop::collection::vec(any::<Edit>(), 1..3),
        picks in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6),
    ) {
        let other = edited(&page, &edits);
        let (before, after) = (page.snapshot(), other.snapshot());
        let masks = masks_at(&before, &picks);
        let (one, two) = (masks.apply(&before, None), masks.apply(&after, None));
        let is_hidden = one.digests.exact == two.digests.exact && one.digests.visible == two.digests.visible;
        let is_told = one.plain.exact != two.plain.exact || one.plain.visible != two.plain.visible;
        if is_hidden && is_told {
            let found = Delta::between(&before, &after, &DeltaOptions::limited(usize::MAX));
            let inside = |row: &Row| {
                within(&before, &one.masks, row.backend_node_id)
                    || within(&after, &two.masks, row.backend_node_id)
                    // A word of styled text is in the row of the element around it.
                    || is_text(row) && around(&after, &two.masks, row.backend_node_id)
            };
            // The order of siblings that are equal is a matter of identity, which no digest covers.
            let rows = found.appeared.rows.iter().chain(&found.disappeared.rows).chain(&found.changed.rows);
            for row in rows.filter(|row| !is_move(row)) {
                prop_assert!(inside(row), "{row:?} is outside {:?} and {:?}", one.masks, two.masks);
            }
        }
    }
}

fn is_move(row: &Row) -> bool {
    row.change.as_ref().is_some_and(|change| matches!(change.field.as_str(), "position" | "order" | "parent"))
}

fn is_text(row: &Row) -> bool {
    row.change.as_ref().is_some_and(|change| change.field == "textContent")
}

fn around(snapshot: &Snapshot, masks: &[Mask], backend_node_id: u32) -> bool {
    let Some(found) = snapshot.find("", backend_node_id) else { return false };
    masks.iter().any(|mask| snapshot.document(found).within(mask.node.index, found.index))
}

fn within(snapshot: &Snapshot, masks: &[Mask], backend_node_id: u32) -> bool {
    let Some(found) = snapshot.find("", backend_node_id) else { return false };
    masks.iter().any(|mask| snapshot.document(found).within(found.index, mask.node.index))
}

// -- the static rules ----------------------------------------------------------------------------------------------

#[test]
fn clocks_are_told_apart_from_numbers() {
    for clock in ["12:05", " 12:05:09 ", "0:03 / 4:12", "2d 4h 03m 10s", "11:59:59 PM", "120ms", "-0:12", "1:02.5"] {
        assert!(is_clock(clock.as_bytes()), "{clock}");
    }
    for number in ["3", "42", "1,234", "19.99", "12:05 to Rome", "a:b", ":", "", "12:", "2026-01-02", "1234:5678", "pm"]
    {
        assert!(!is_clock(number.as_bytes()), "{number}");
    }
}

#[test]
fn animation_is_told_apart_from_layout() {
    for style in ["transform: none", "opacity:0.5; transform : scale(2);", "animation: x 1s; transition-delay: 2s"] {
        assert!(is_animation(style.as_bytes()), "{style}");
    }
    for style in ["", ";", "display:none", "opacity: 0; color: red", "width: 50%"] {
        assert!(!is_animation(style.as_bytes()), "{style}");
    }
}

fn element(tree: &mut TestTree, tag: &str, attributes: &[(&str, &str)], text: &str) -> usize {
    let node = tree.element(TestTree::BODY, tag, attributes);
    tree.text(node, text);
    node
}

#[test]
fn every_rule_is_reported_by_its_name() {
    let mut tree = TestTree::new();
    let clock = element(&mut tree, "B", &[], "12:05");
    let _ = clock;
    element(&mut tree, "TIME", &[("datetime", "x")], "now");
    element(&mut tree, "PROGRESS", &[("value", "1")], "");
    element(&mut tree, "DIV", &[("role", "progressbar")], "");
    element(&mut tree, "DIV", &[("role", "timer")], "");
    element(&mut tree, "DIV", &[("aria-live", "off")], "");
    element(&mut tree, "MARQUEE", &[], "news");
    element(&mut tree, "CANVAS", &[], "");
    element(&mut tree, "P", &[("style", "opacity: 0.5")], "text");
    element(&mut tree, "IFRAME", &[("src", "https://x.doubleclick.net/ad")], "");
    element(&mut tree, "IFRAME", &[("src", "https://notdoubleclick.net/ad")], "");
    let player = tree.element(TestTree::BODY, "DIV", &[]);
    let at =
        |name: &str, bounds| TestNode { kind: 1, name: name.to_owned(), bounds: Some(bounds), ..TestNode::default() };
    tree.add(player, at("VIDEO", [0, 500, 100, 50]));
    tree.add(player, at("DIV", [0, 540, 100, 10]));
    tree.add(player, at("P", [0, 560, 100, 10]));
    let found: Vec<(Level, Why)> =
        Masks::new(true, Vec::new()).on(&tree.snapshot(), None).iter().map(|mask| (mask.level, mask.why)).collect();
    let rule = |level, name| (level, Why::Rule(name));
    assert_eq!(
        found,
        [
            rule(Level::Digits, "clock"),
            rule(Level::Attributes, "time"),
            rule(Level::Text, "time"),
            rule(Level::Attributes, "progress"),
            rule(Level::Text, "progress"),
            rule(Level::Structure, "progress"),
            rule(Level::Structure, "timer"),
            rule(Level::Structure, "aria-live=off"),
            rule(Level::Structure, "marquee"),
            rule(Level::Attributes, "canvas"),
            rule(Level::Style, "animation"),
            rule(Level::Subtree, "ad frame"),
            rule(Level::Attributes, "video"),
            rule(Level::Structure, "video overlay"),
        ]
    );
}

// -- learning ------------------------------------------------------------------------------------------------------

/// A page of a headline, and whatever `build` adds to the body.
fn page(build: impl FnOnce(&mut TestTree)) -> Arc<Snapshot> {
    let mut tree = TestTree::new();
    element(&mut tree, "H1", &[], "Headline");
    build(&mut tree);
    Arc::new(tree.snapshot())
}

/// What a learner has learned from probes, by level.
fn learned(probes: impl IntoIterator<Item = Arc<Snapshot>>) -> (MaskLearner, Vec<Level>) {
    let mut learner = MaskLearner::default();
    probes.into_iter().for_each(|probe| learner.observe(probe, None));
    let levels = levels(&learner);
    (learner, levels)
}

fn levels(learner: &MaskLearner) -> Vec<Level> {
    let mut levels: Vec<Level> = learner.masks(false).learned().iter().map(|mask| mask.level).collect();
    levels.sort_unstable();
    levels
}

fn counter(count: usize) -> Arc<Snapshot> {
    page(|tree| {
        element(tree, "P", &[("class", "count")], &format!("{count} visitors"));
    })
}

#[test]
fn three_changes_of_five_make_a_mask() {
    assert_eq!(learned((0..3).map(counter)).1, []);
    assert_eq!(learned((0..4).map(counter)).1, [Level::Digits]);
    // Changes in 1, 3 and 5; then in 1, 4 and 7.
    assert_eq!(learned([0, 1, 1, 2, 2, 3].map(counter)).1, [Level::Digits]);
    assert_eq!(learned([0, 1, 1, 1, 2, 2, 2, 3].map(counter)).1, []);
}

#[test]
fn masks_are_as_narrow_as_explains_three_changes() {
    let text = |text: &str| {
        page(|tree| {
            element(tree, "P", &[], text);
        })
    };
    assert_eq!(learned(["9 a", "10 a", "11 a", "1,000 a", "11 b"].map(text)).1, [Level::Digits]);
    assert_eq!(learned(["a", "b", "c", "d"].map(text)).1, [Level::Text]);
    let style = |style: &str| {
        page(|tree| {
            element(tree, "P", &[("style", style)], "x");
        })
    };
    assert_eq!(learned(["left: 1px", "left: 2px", "left: 3px", "left: 4px"].map(style)).1, [Level::Style]);
    let class = |class: &str| {
        page(|tree| {
            element(tree, "P", &[("class", class)], "x");
        })
    };
    assert_eq!(learned(["active", "", "active", "current"].map(class)).1, [Level::Attributes]);
}

#[test]
fn masked_pages_are_equal_until_something_else_changes() {
    let (learner, _) = learned((0..6).map(counter));
    let masks = learner.masks(true);
    let visible = |snapshot: &Snapshot| masks.apply(snapshot, None).digests.visible;
    assert_eq!(visible(&counter(7)), visible(&counter(1234)));
    let other = page(|tree| {
        element(tree, "P", &[("class", "count")], "7 visitors");
        element(tree, "P", &[("role", "alert")], "Wrong password");
    });
    assert_ne!(visible(&counter(7)), visible(&other));
    let reworded = page(|tree| {
        element(tree, "P", &[("class", "count")], "7 guests");
    });
    assert_ne!(visible(&counter(7)), visible(&reworded));
}

#[test]
fn masks_outlive_a_re_render_and_decay() {
    let reborn = |count: usize| {
        let mut tree = TestTree::new();
        element(&mut tree, "H1", &[], "Headline");
        element(&mut tree, "P", &[("class", "count css-1x2y3z")], &format!("{count} visitors"));
        tree.nodes.iter_mut().for_each(|node| node.backend_node_id += 1000 + 100 * count as u32);
        Arc::new(tree.snapshot())
    };
    let (mut learner, levels_now) = learned((0..4).map(reborn));
    assert_eq!(levels_now, [Level::Digits]);
    let still = reborn(3);
    for _ in 0..9 {
        learner.observe(still.clone(), None);
    }
    assert_eq!(levels(&learner), [Level::Digits]);
    learner.observe(still, None);
    assert_eq!(levels(&learner), []);
}

#[test]
fn what_an_action_did_is_not_learned() {
    let mut learner = MaskLearner::default();
    for count in 0..8 {
        learner.rebase(counter(count));
        learner.observe(counter(count), None);
    }
    assert_eq!((learner.probes(), levels(&learner)), (8, vec![]));
}

#[test]
fn a_toast_is_masked_and_not_the_list_it_comes_in() {
    let toast = |there: bool| {
        page(|tree| {
            element(tree, "P", &[], "text");
            if there {
                element(tree, "DIV", &[("class", "toast")], "New version");
            }
        })
    };
    let (learner, found) = learned((0..5).map(|probe| toast(probe % 2 == 0)));
    assert_eq!(found, [Level::Subtree]);
    let masks = learner.masks(false);
    assert_eq!(masks.apply(&toast(true), None).digests.exact, masks.apply(&toast(false), None).digests.exact);
    let masked = masks.on(&toast(true), None);
    assert_eq!(toast(true).attribute(masked[0].node, Atom::Class), Some("toast"));
}

#[test]
fn a_feed_is_masked_down_to_its_structure() {
    let feed = |from: usize| {
        page(|tree| {
            let list = tree.element(TestTree::BODY, "UL", &[("class", "feed")]);
            for item in 0..3 + from {
                let item_node = tree.element(list, "LI", &[("class", "item")]);
                tree.text(item_node, &format!("message {item}"));
            }
        })
    };
    let (learner, found) = learned((0..5).map(feed));
    assert_eq!(found, [Level::Structure]);
    let masks = learner.masks(false);
    assert_eq!(masks.apply(&feed(1), None).digests.exact, masks.apply(&feed(9), None).digests.exact);
}

/// A panel of a given height whose class and children change all the time.
fn restless(height: i64, probe: usize, typed: bool) -> Arc<Snapshot> {
    page(|tree| {
        let bounds = Some([0, 0, 1280, height]);
        let attributes = vec![("data-turn".to_owned(), probe.to_string())];
        let panel = TestNode { kind: 1, name: "SECTION".to_owned(), attributes, bounds, ..TestNode::default() };
        let panel = tree.add(TestTree::BODY, panel);
        let text = tree.element(panel, "P", &[]);
        tree.text(text, &format!("turn {probe}"));
        if typed {
            let live = Some("typed".to_owned());
            tree.add(panel, TestNode { kind: 1, name: "INPUT".to_owned(), live, ..TestNode::default() });
        }
    })
}

#[test]
fn large_elements_and_the_focus_are_only_masked_in_their_texts() {
    let levels_of = |height, typed| learned((0..6).map(|probe| restless(height, probe, typed))).1;
    assert_eq!(levels_of(200, false), [Level::Digits, Level::Attributes]);
    assert_eq!(levels_of(300, false), [Level::Digits]);
    assert_eq!(levels_of(200, true), [Level::Digits]);
    // Told that the focus is elsewhere, or here, it need not guess.
    let told = |backend_node_id: u32| {
        let mut learner = MaskLearner::default();
        let focus = (String::new(), backend_node_id);
        (0..6).for_each(|probe| learner.observe(restless(200, probe, true), Some(&focus)));
        levels(&learner)
    };
    let input = restless(200, 0, true).documents[0].backend_node_id.iter().copied().max().expect("there are nodes");
    assert_eq!(told(input), [Level::Digits]);
    assert_eq!(told(4), [Level::Digits, Level::Attributes]);
}

#[test]
fn memory_is_bounded() {
    let noisy = |probe: usize| {
        page(|tree| {
            for line in 0..3000 {
                element(tree, "P", &[], &format!("{line} {probe}"));
            }
        })
    };
    let (learner, found) = learned((0..5).map(noisy));
    assert_eq!(found.len(), 1024);
    assert_eq!(learner.masks(true).on(&noisy(9), None).len(), 1024);
}
