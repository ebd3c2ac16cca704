//! Finds the element that replaced a ref's element: the same one for a reader, or none.
//!
//! Likeness alone finds neighbours: the button of the next row, of the next task, of the other form. So role and name
//! must be equal, and so must the place: document address, frame, the landmarks and dialogs above with their names, the
//! heading before, and the words around.
//!
//! - Where others had its role and name, it is known by its territory: the largest element round it that held none of
//!   them (its row, its card), whose words must be the very same.
//! - Where it was alone, the nearest words around it must be the same, and nearly all of those of the landmark that
//!   holds it. Beside a field, which its label tells, there may be new ones: a message comes up.
//!
//! Numbers that change by themselves (a clock, a countdown) tell nothing: those that were others a moment before, in a
//! capture that was taken while nobody acted.
//!
//! By that it must have been the only one before, and exactly one must be it now, leading all others of its role and
//! name by a margin. What a page tells apart in nothing but a few words far away is beyond this.

use crate::capture::columns::{ELEMENT, flag};
use crate::capture::node::Node;
use crate::capture::page::text_of;
use crate::digest::canonical::looks_generated;
use crate::element::fingerprint::{Traits, heading, traits};
use crate::element::relocate::{Candidate, MARGIN, TOLD, compare};
use crate::element::selector::frame_prefix;
use crate::element::snapshot::Snapshot;
use crate::outline::naming::{content, name};
use crate::outline::roles::{Role, Sort, role_of};

/// What an element must score, half by likeness and half by the words of its territory.
const ACCEPTED: f32 = 0.7;

/// The share of the words of a landmark that must still be there.
const KEPT: f32 = 0.9;

/// Elements of one role and name that are compared; if there are more, none can be identified.
const COMPARED: usize = 4096;

/// Ancestors that are looked at.
const ABOVE: usize = 64;

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Found,
    /// It has no name to be known by.
    Nameless,
    /// Nothing has its role and name.
    Nothing,
    /// It was one of several that nothing distinguished.
    Twins,
    /// What has its role and name is in another place.
    Elsewhere,
    /// Several may be it.
    Several,
}

pub struct Refound {
    pub outcome: Outcome,
    pub role: Role,
    pub name: String,
    pub found: Option<Node>,
    pub score: f32,
    /// How far it leads; 1 where nothing else has its role and name.
    pub margin: f32,
    /// What has its role and name, best first, where nothing was found.
    pub candidates: Vec<Node>,
}

/// An element of a snapshot.
type Spot<'a> = (&'a Snapshot, Node);

/// Look in `after` for the element that was `node` in `before`; `earlier` is the page a moment before `after`, while
/// nobody acted. O(nodes), plus the texts of all elements of its role and name.
pub fn refind(before: &Snapshot, node: Node, after: &Snapshot, earlier: Option<&Snapshot>) -> Refound {
    let wanted = Wanted::new(before, node);
    let mut answer = Refound {
        outcome: Outcome::Nothing,
        role: wanted.role,
        name: name(before, node, wanted.role, true),
        found: None,
        score: 0.0,
        margin: 0.0,
        candidates: Vec::new(),
    };
    if wanted.name.is_empty() {
        answer.outcome = Outcome::Nameless;
        return answer;
    }
    let namesakes = wanted.namesakes(after);
    if namesakes.is_empty() || namesakes.len() > COMPARED {
        return answer;
    }
    let traits = traits(before, node);
    let spots = spots(&wanted, after, &namesakes, earlier);
    let mut scored: Vec<(f32, Node)> = Vec::new();
    for &(now, then) in &spots {
        scored.push((wanted.score(&traits, now, then), now.1));
    }
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(after.place(one.1).cmp(&after.place(other.1))));
    answer.candidates = scored.iter().take(TOLD).map(|one| one.1).collect();
    answer.score = scored[0].0;
    answer.margin = scored.get(1).map_or(1.0, |next| scored[0].0 - next.0);
    let fitting: Vec<Node> =
        spots.iter().filter(|(now, then)| wanted.fits(*now, *then)).map(|(now, _)| now.1).collect();
    let twins = wanted.namesakes(before).into_iter().filter(|one| wanted.fits((before, *one), None)).count();
    answer.outcome = match fitting.len() {
        _ if twins != 1 => Outcome::Twins,
        0 => Outcome::Elsewhere,
        1 if fitting[0] != scored[0].1 || answer.score < ACCEPTED => Outcome::Elsewhere,
        1 if answer.margin >= MARGIN => Outcome::Found,
        _ => Outcome::Several,
    };
    if answer.outcome == Outcome::Found {
        answer.found = answer.candidates.first().copied();
    }
    answer
}

/// All of a role and name, each with where it was in the capture a moment before; nowhere if there were more or fewer.
fn spots<'a>(
    wanted: &Wanted,
    after: &'a Snapshot,
    namesakes: &[Node],
    earlier: Option<&'a Snapshot>,
) -> Vec<(Spot<'a>, Option<Spot<'a>>)> {
    let then = earlier.map(|page| (page, wanted.namesakes(page))).filter(|(_, found)| found.len() == namesakes.len());
    let counterpart = |at: usize| then.as_ref().map(|(page, found)| (*page, found[at]));
    namesakes.iter().enumerate().map(|(at, node)| ((after, *node), counterpart(at))).collect()
}

/// What an element is known by.
struct Wanted {
    role: Role,
    tag: String,
    name: String,
    frame: String,
    url: String,
    landmarks: Vec<String>,
    heading: Vec<String>,
    /// How far above its territory begins, the tag of that and its words.
    climb: usize,
    climbed: String,
    words: Vec<String>,
    /// Whether others had its role and name.
    shared: bool,
    wide: Vec<String>,
}

impl Wanted {
    fn new(page: &Snapshot, node: Node) -> Self {
        let role = role_of(page, node);
        let mut wanted = Self {
            role,
            tag: page.tag_name(node),
            name: normal(&name(page, node, role, true)),
            frame: frame_prefix(page, node.document),
            url: url(page, node).to_owned(),
            landmarks: landmarks(page, node),
            heading: words_of_heading((page, node)),
            climb: 0,
            climbed: String::new(),
            words: Vec::new(),
            shared: false,
            wide: words_of_part((page, node)),
        };
        let namesakes = wanted.namesakes(page);
        wanted.shared = namesakes.len() > 1;
        wanted.climb =
            if wanted.shared { territory(page, node, &namesakes) } else { nearest(page, node, &wanted.name) };
        let round = above(page, node, wanted.climb).unwrap_or(node);
        wanted.climbed = page.tag_name(round);
        wanted.words = words(&content(page, round));
        wanted
    }

    /// All elements that are rendered and have the role and the name.
    fn namesakes(&self, page: &Snapshot) -> Vec<Node> {
        let mut found = Vec::new();
        for &document in &page.order {
            let columns = &page.documents[document];
            for index in columns.nodes() {
                let node = Node { document, index };
                let there = columns.kind[index] == ELEMENT
                    && columns.has(index, flag::RENDERED)
                    && !columns.has(index, flag::DROPPED);
                if there && self.is_called(page, node) {
                    found.push(node);
                }
            }
        }
        found
    }

    fn is_called(&self, page: &Snapshot, node: Node) -> bool {
        let generic = self.role.sort() == Sort::Plain;
        role_of(page, node) == self.role
            && (!generic || page.document(node).has(node.index, flag::CLICKABLE) && page.tag_name(node) == self.tag)
            && normal(&name(page, node, self.role, true)) == self.name
    }

    /// Whether an element of the role and name is in the place, with or without the numbers that change by themselves.
    fn fits(&self, now: Spot, then: Option<Spot>) -> bool {
        let (page, node) = now;
        let Some(round) = above(page, node, self.climb) else { return false };
        page.tag_name(round) == self.climbed
            && url(page, node) == self.url
            && frame_prefix(page, node.document) == self.frame
            && landmarks(page, node) == self.landmarks
            && (self.reads_alike(now, None) || then.is_some() && self.reads_alike(now, then))
    }

    fn reads_alike(&self, now: Spot, then: Option<Spot>) -> bool {
        let (heading, found) = settled(&self.heading, now, then, words_of_heading);
        if heading != found {
            return false;
        }
        let (words, found) = settled(&self.words, now, then, |spot| self.words_round(spot));
        self.has_its_words(&words, &found)
            && (self.shared || {
                let (wide, found) = settled(&self.wide, now, then, words_of_part);
                self.is_in_its_part(&wide, &found)
            })
    }

    fn is_in_its_part(&self, wide: &[String], found: &[String]) -> bool {
        share(wide, found) >= KEPT && (is_field(self.role) || share(found, wide) >= KEPT)
    }

    fn has_its_words(&self, words: &[String], found: &[String]) -> bool {
        if self.shared || !is_field(self.role) {
            return found == words;
        }
        words.iter().all(|word| found.binary_search(word).is_ok())
    }

    fn words_round(&self, (page, node): Spot) -> Vec<String> {
        words(&content(page, above(page, node, self.climb).unwrap_or(node)))
    }

    /// Half likeness, half place: the words it shares, and half of that for each of part and heading that is another.
    fn score(&self, traits: &Traits, now: Spot, then: Option<Spot>) -> f32 {
        let (page, node) = now;
        let Candidate { score, .. } = compare(page, traits, node);
        let (words, found) = settled(&self.words, now, then, |spot| self.words_round(spot));
        let (heading, headed) = settled(&self.heading, now, then, words_of_heading);
        let mut place = overlap(&words, &found);
        for same in [landmarks(page, node) == self.landmarks, headed == heading] {
            place *= if same { 1.0 } else { 0.5 };
        }
        (score + place) / 2.0
    }
}

fn words_of_heading((page, node): Spot) -> Vec<String> {
    words(&heading(page, node))
}

fn words_of_part((page, node): Spot) -> Vec<String> {
    words(&content(page, landmark(page, node)))
}

/// The words of then and now, without the numbers that change by themselves: those of now that were not there a moment
/// before, and those that stood in their places.
fn settled(
    wanted: &[String],
    now: Spot,
    then: Option<Spot>,
    of: impl Fn(Spot) -> Vec<String>,
) -> (Vec<String>, Vec<String>) {
    let found = of(now);
    let Some(then) = then else { return (wanted.to_vec(), found) };
    let changed = without(&found, &of(then));
    let ticking: Vec<String> = changed.into_iter().filter(|word| is_number(word)).collect();
    if ticking.is_empty() {
        return (wanted.to_vec(), found);
    }
    let former: Vec<String> = without(wanted, &found).into_iter().filter(|word| is_number(word)).collect();
    (without(wanted, &former), without(&found, &ticking))
}

fn is_number(word: &str) -> bool {
    word.contains(|letter: char| letter.is_numeric())
}

fn is_field(role: Role) -> bool {
    matches!(
        role.name(),
        "textbox" | "searchbox" | "combobox" | "listbox" | "checkbox" | "radio" | "spinbutton" | "slider" | "switch"
    )
}

fn url(page: &Snapshot, node: Node) -> &str {
    text_of(page.part_of(node.document), page.document(node).url)
}

fn elements_above(page: &Snapshot, node: Node) -> impl Iterator<Item = Node> + '_ {
    let above = page.ancestors(node);
    above.take(ABOVE).filter(|node| page.document(*node).kind[node.index] == ELEMENT)
}

/// The element `climb` levels above; None where there are fewer levels.
fn above(page: &Snapshot, node: Node, climb: usize) -> Option<Node> {
    match climb {
        0 => Some(node),
        _ => elements_above(page, node).nth(climb - 1),
    }
}

/// How far above the largest element begins that holds `node` and no namesake of it.
fn territory(page: &Snapshot, node: Node, namesakes: &[Node]) -> usize {
    let alone = |round: &Node| {
        let inside =
            |other: &&Node| other.document == node.document && page.document(node).within(other.index, round.index);
        namesakes.iter().filter(inside).take(2).count() == 1
    };
    elements_above(page, node).take_while(alone).count()
}

/// How far above the nearest element begins that says more than the name.
fn nearest(page: &Snapshot, node: Node, name: &str) -> usize {
    let own = words(name);
    let says_more = |round: Node| words(&content(page, round)).iter().any(|word| own.binary_search(word).is_err());
    elements_above(page, node).position(says_more).map_or(0, |at| at + 1)
}

/// The landmark, dialog or article that holds `node`; else the outermost element.
fn landmark(page: &Snapshot, node: Node) -> Node {
    let is = |node: &Node| {
        let role = role_of(page, *node);
        matches!(role.sort(), Sort::Landmark | Sort::Urgent) || role.is("article")
    };
    elements_above(page, node).find(is).or_else(|| elements_above(page, node).last()).unwrap_or(node)
}

/// The landmarks, dialogs, lists and groups that hold `node`, nearest first, each with what an author called it.
fn landmarks(page: &Snapshot, node: Node) -> Vec<String> {
    let said = |node: Node| {
        let role = role_of(page, node);
        let called = normal(&name(page, node, role, false));
        let id = page.attribute(node, crate::capture::atom::Atom::Id).filter(|id| !looks_generated(id)).unwrap_or("");
        let part = match role.sort() {
            Sort::Landmark | Sort::Urgent => true,
            Sort::List | Sort::Group => !called.is_empty(),
            _ => false,
        };
        part.then(|| format!("{} {called} #{id}", role.name()))
    };
    elements_above(page, node).filter_map(said).collect()
}

/// A text in lower case with its spaces collapsed.
fn normal(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The words of a text, sorted; each as often as it stands there.
fn words(text: &str) -> Vec<String> {
    let pieces = text.split(|letter: char| !letter.is_alphanumeric()).filter(|piece| !piece.is_empty());
    let mut words: Vec<String> = pieces.map(str::to_lowercase).collect();
    words.sort_unstable();
    words
}

/// The words of one sorted list that another lacks, as often as it lacks them.
fn without(one: &[String], other: &[String]) -> Vec<String> {
    let mut at = 0;
    let mut left = Vec::new();
    for word in one {
        while other.get(at).is_some_and(|next| next < word) {
            at += 1;
        }
        if other.get(at) == Some(word) {
            at += 1;
        } else {
            left.push(word.clone());
        }
    }
    left
}

/// How many words two sorted lists share.
fn shared(one: &[String], other: &[String]) -> usize {
    let (mut at, mut count) = (0, 0);
    for word in one {
        while other.get(at).is_some_and(|next| next < word) {
            at += 1;
        }
        if other.get(at) == Some(word) {
            (at, count) = (at + 1, count + 1);
        }
    }
    count
}

/// The share of the words of `one` that `other` has.
fn share(one: &[String], other: &[String]) -> f32 {
    if one.is_empty() {
        return 1.0;
    }
    shared(one, other) as f32 / one.len() as f32
}

/// The share of the words of both that both have.
fn overlap(one: &[String], other: &[String]) -> f32 {
    let common = shared(one, other);
    match one.len() + other.len() - common {
        0 => 1.0,
        all => common as f32 / all as f32,
    }
}
