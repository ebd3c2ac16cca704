//! Chooses the lines that fit the budget, and words what was left out.
//!
//! Items have an order in which they are taken, in which nothing comes before what holds it. The lines are those of the
//! longest beginning of that order that fits together with the notes on what it leaves out.

use crate::capture::node::Node;
use crate::outline::item::{Item, Kind};
use crate::outline::line::{LONG, Limits, Lines, REF, SHORT, counted};
use crate::outline::roles::Role;

/// Kinds of items that a note names.
const KINDS: usize = 3;

/// The text, with a mark for each ref, and what it shows.
#[derive(Debug, Default)]
pub struct Text {
    pub text: String,
    /// The nodes of the marks, in their order.
    pub refs: Vec<Node>,
    pub shown: usize,
    pub total: usize,
    pub shortened: usize,
    /// What was left out, in words.
    pub cut: String,
}

/// How long the text may be.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Characters of the text, refs included.
    pub characters: usize,
    /// Characters that a ref takes at most.
    pub reference: usize,
}

/// How much is left out of one item: by role, and where it begins.
#[derive(Clone)]
struct Tally {
    counts: [u32; Role::COUNT],
    first: Option<usize>,
}

impl Tally {
    fn new() -> Self {
        Self { counts: [0; Role::COUNT], first: None }
    }

    fn add(&mut self, at: usize, item: &Item) {
        // A text that stands for a name is in the line of the element that it names.
        if item.kind != Kind::Ghost || item.children > 0 {
            self.counts[item.role.index()] += 1;
            self.first.get_or_insert(at);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, others)| *mine += others);
        self.first = self.first.or(other.first);
    }

    /// `37 more rows, 2 links`: the most frequent kinds first.
    fn words(&self, more: &str) -> String {
        let mut kinds: Vec<(u32, usize)> = self.counts.iter().enumerate().map(|(at, &count)| (count, at)).collect();
        kinds.retain(|kind| kind.0 > 0);
        kinds.sort_by_key(|kind| (std::cmp::Reverse(kind.0), kind.1));
        let rest: u32 = kinds.iter().skip(KINDS).map(|kind| kind.0).sum();
        let mut words: Vec<String> =
            kinds.iter().take(KINDS).map(|&(count, at)| counted(Role::at(at), count as usize)).collect();
        if let Some(first) = words.first_mut() {
            *first = first.replacen(' ', more, 1);
        }
        if rest > 0 {
            words.push(format!("{rest} others"));
        }
        words.join(", ")
    }
}

pub struct Choice<'a> {
    pub lines: &'a Lines<'a>,
    pub items: &'a [Item],
    pub budget: Budget,
    /// The element that the caller named by its ref.
    pub root: Option<Node>,
    /// Whether what comes first is taken first, and not what matters most.
    pub in_order: bool,
}

impl Choice<'_> {
    /// Take what there is room for; texts are cut shorter where what matters most has to be chosen.
    pub fn text(&self) -> Text {
        let order: Vec<u32> = (0..self.items.len() as u32).collect();
        if self.in_order {
            return self.fit(&order, &LONG);
        }
        if self.root.is_some() {
            let whole = self.whole();
            let all = Costs::new(self, &order, &whole);
            if all.whole {
                return self.write(&all, &order, order.len(), &whole);
            }
        }
        let all = Costs::new(self, &order, &LONG);
        if all.whole {
            return self.write(&all, &order, order.len(), &LONG);
        }
        self.fit(&ranked(self.items), &SHORT)
    }

    /// How much of each text is shown where one element was asked for: as much as fits, if it makes a single line.
    fn whole(&self) -> Limits {
        let most = self.budget.characters;
        let [item] = self.items else { return Limits::whole(most) };
        let fits = |limit| self.length(&self.lines.line(item, &Limits::whole(limit)).0, item.depth) <= most;
        if fits(most) {
            return Limits::whole(most);
        }
        let (mut least, mut beyond) = (0, most);
        while least + 1 < beyond {
            let middle = least.midpoint(beyond);
            if fits(middle) {
                least = middle;
            } else {
                beyond = middle;
            }
        }
        Limits::whole(least)
    }

    fn fit(&self, order: &[u32], limits: &Limits) -> Text {
        let costs = Costs::new(self, order, limits);
        let (mut fits, mut beyond) = (0, costs.sums.len());
        // costs.sums[n] is the cost of the first n; the notes come on top of it.
        let room =
            |count: usize| costs.sums[count] + self.notes(&kept(self.items, order, count)) <= self.budget.characters;
        if costs.whole && room(beyond - 1) {
            fits = beyond - 1;
            beyond = fits;
        }
        while fits + 1 < beyond {
            let middle = fits.midpoint(beyond);
            if room(middle) {
                fits = middle;
            } else {
                beyond = middle;
            }
        }
        self.write(&costs, order, fits, limits)
    }

    /// Characters of all notes.
    fn notes(&self, kept: &[bool]) -> usize {
        let mut cost = 0;
        self.each(kept, &mut |event| {
            if let Event::Note(depth, holder, tally) = event {
                cost += self.length(&self.note(holder, tally).0, depth);
            }
        });
        cost
    }

    fn length(&self, line: &str, depth: u32) -> usize {
        let marks = line.matches(REF).count();
        2 * depth as usize + line.chars().count() + marks * self.budget.reference + 1 - marks
    }

    fn note(&self, holder: Option<usize>, tally: &Tally) -> (String, Node) {
        let root = holder.is_none_or(|at| Some(self.items[at].node) == self.root);
        match holder {
            Some(at) if !root => (format!("… {} (ref={REF} shows them)", tally.words(" more ")), self.items[at].node),
            _ => {
                let first = self.items[tally.first.unwrap_or(0)].node;
                (format!("… {} (from={REF} shows them)", tally.words(" more ")), first)
            }
        }
    }

    /// Walk what is kept in reading order, with a note at the end of each item that something was left out of.
    fn each(&self, kept: &[bool], visit: &mut dyn FnMut(Event<'_>)) {
        let items = self.items;
        // The open items with what was left out of each, and what was left out of none.
        let mut open: Vec<(usize, Tally, u32)> = Vec::new();
        let mut top = Tally::new();
        let mut at = 0;
        loop {
            while open.last().is_some_and(|(holder, ..)| at >= items[*holder].end as usize) {
                let Some((holder, tally, depth)) = open.pop() else { break };
                if tally.first.is_none() {
                    continue;
                }
                // What is cut in reading order is one piece, whatever it is part of.
                if self.in_order || items[holder].kind == Kind::Ghost {
                    open.last_mut().map_or(&mut top, |outer| &mut outer.1).merge(&tally);
                } else {
                    visit(Event::Note(depth + 1, Some(holder), &tally));
                }
            }
            let Some(item) = items.get(at) else { break };
            if !kept[at] {
                open.last_mut().map_or(&mut top, |outer| &mut outer.1).add(at, item);
                at = item.end as usize;
                continue;
            }
            if item.kind != Kind::Ghost {
                visit(Event::Line(item.depth, at));
            }
            if item.children > 0 {
                open.push((at, Tally::new(), item.depth));
            }
            at += 1;
        }
        if top.first.is_some() {
            visit(Event::Note(0, None, &top));
        }
    }

    fn write(&self, costs: &Costs, order: &[u32], count: usize, limits: &Limits) -> Text {
        let kept = kept(self.items, order, count);
        let mut found =
            Text { total: self.items.iter().filter(|item| item.kind != Kind::Ghost).count(), ..Text::default() };
        let mut left_out = Tally::new();
        let mut room = self.budget.characters;
        self.each(&kept, &mut |event| {
            let (depth, line, node) = match event {
                Event::Line(depth, at) => {
                    let item = &self.items[at];
                    let (line, cut) = match costs.lines.get(&(at as u32)) {
                        Some((line, cut)) => (line.clone(), *cut),
                        None => self.lines.line(item, limits),
                    };
                    found.shown += 1;
                    found.shortened += usize::from(cut);
                    (depth, line, self.lines.has_ref(item).then_some(item.node))
                }
                Event::Note(depth, holder, tally) => {
                    left_out.merge(tally);
                    let (line, node) = self.note(holder, tally);
                    (depth, line, Some(node))
                }
            };
            let length = self.length(&line, depth);
            // Only a budget that has no room for a single note comes to this.
            if length <= room {
                room -= length;
                found.text.extend(std::iter::repeat_n("  ", depth as usize));
                found.text.push_str(&line);
                found.text.push('\n');
                found.refs.extend(node.filter(|_| line.contains(REF)));
            }
        });
        found.text.pop();
        found.cut = words(&found, &left_out);
        found
    }
}

enum Event<'a> {
    Line(u32, usize),
    Note(u32, Option<usize>, &'a Tally),
}

fn words(found: &Text, left_out: &Tally) -> String {
    let mut words = Vec::new();
    if found.shown < found.total {
        let lines = found.total - found.shown;
        words.push(format!("{lines} of {} lines: {}", found.total, left_out.words(" ")));
    }
    if found.shortened > 0 {
        words.push(format!("{} shortened", counted(Role::text(), found.shortened)));
    }
    words.join("; ")
}

fn kept(items: &[Item], order: &[u32], count: usize) -> Vec<bool> {
    let mut kept = vec![false; items.len()];
    for &at in &order[..count] {
        kept[at as usize] = true;
    }
    kept
}

/// Items by rank, those of one rank in reading order. O(items).
fn ranked(items: &[Item]) -> Vec<u32> {
    let mut starts = [0usize; 257];
    for item in items {
        starts[item.rank as usize + 1] += 1;
    }
    for rank in 1..starts.len() {
        starts[rank] += starts[rank - 1];
    }
    let mut order = vec![0; items.len()];
    for (at, item) in items.iter().enumerate() {
        let slot = &mut starts[item.rank as usize];
        order[*slot] = at as u32;
        *slot += 1;
    }
    order
}

/// What the first lines of an order cost, as far as the budget goes.
struct Costs {
    lines: std::collections::HashMap<u32, (String, bool)>,
    /// `sums[n]` is the cost of the first n items.
    sums: Vec<usize>,
    /// Whether all of them have room.
    whole: bool,
}

impl Costs {
    fn new(choice: &Choice, order: &[u32], limits: &Limits) -> Self {
        let mut costs = Self { lines: std::collections::HashMap::new(), sums: vec![0], whole: true };
        let mut sum = 0;
        for &at in order {
            let item = &choice.items[at as usize];
            if item.kind != Kind::Ghost {
                let (line, cut) = choice.lines.line(item, limits);
                sum += choice.length(&line, item.depth);
                costs.lines.insert(at, (line, cut));
            }
            if sum > choice.budget.characters {
                costs.whole = false;
                break;
            }
            costs.sums.push(sum);
        }
        costs
    }
}
