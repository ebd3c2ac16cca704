//! Random cases of "the script leads there and back", many millions of them.
//!
//! `cases [--count N] [--seed S] [--threads T] [--mode both|identity|cross]`: N cases in each mode that is asked for
//! (default: 5 million in each), the case `i` made from the seed S + i alone. A case is a page and what became of it
//! (edits, a re-render, another page): nodes twice, wide and deep, Unicode, shadow roots, inputs, frames; one in eight
//! has hashes of a few bits or hardly any work allowed. Checked is apply(diff(a, b), a) == b and
//! apply(invert(diff(a, b)), b) == a. The first case that fails is printed with its seed, and the exit code is 1.

#[path = "../tests/pages/random.rs"]
mod random;
#[path = "../tests/pages/words.rs"]
mod words;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use random::Random;
use stillframe_core::testing::capture::page::PartSource;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::cross::{self, Limits};
use stillframe_core::testing::diff::identity::edits;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestNode, TestTree, bytes};
use stillframe_core::testing::script::{Names, Script, Tree};
use words::{ATTRIBUTES, TEXTS};

const TAGS: [&str; 14] = ["DIV", "DIV", "P", "SPAN", "B", "LI", "UL", "BUTTON", "A", "INPUT", "H2", "TR", "TD", "IMG"];
// -- pages ---------------------------------------------------------------------------------------------------------

/// A page, its elements that may hold others, and the parent of every node.
#[derive(Clone)]
struct Page {
    tree: TestTree,
    parent: Vec<usize>,
}

impl Page {
    fn random(random: &mut Random) -> Self {
        let mut page = Self { tree: TestTree::new(), parent: vec![0, 0, 1, 1] };
        let nodes = if random.one_in(24) { random.below(160) } else { random.below(18) };
        // 0: anywhere, 1: all in one list, 2: one below the other.
        let shape = random.below(5);
        for _ in 0..nodes {
            let last = page.tree.nodes.len() - 1;
            let parent = match shape {
                1 => TestTree::BODY,
                2 => last.max(TestTree::BODY),
                _ => random.below(last + 1).max(TestTree::BODY),
            };
            page.put(page.holder(parent), random);
            if random.one_in(5) {
                let twin = TestTree::BODY + random.below(page.tree.nodes.len() - TestTree::BODY);
                let parent = page.parent[twin].max(TestTree::BODY);
                page.copy(twin, page.holder(parent));
            }
        }
        page
    }

    /// The nearest element that may hold others.
    fn holder(&self, mut node: usize) -> usize {
        while node > TestTree::BODY && self.tree.nodes[node].kind != 1 {
            node = self.parent[node];
        }
        node.max(TestTree::BODY)
    }

    fn put(&mut self, parent: usize, random: &mut Random) -> usize {
        let node = if random.below(5) < 2 {
            TestNode { kind: 3, name: "#text".to_owned(), value: random.pick(&TEXTS).to_owned(), ..TestNode::default() }
        } else {
            element(random)
        };
        self.parent.push(parent);
        self.tree.add(parent, node)
    }

    /// Put a copy of a subtree (of a few nodes) at the end of `parent`.
    fn copy(&mut self, root: usize, parent: usize) {
        if root == TestTree::BODY {
            return;
        }
        let mut stack = vec![(root, parent)];
        let mut left = 12;
        while let (Some((node, parent)), 1..) = (stack.pop(), left) {
            left -= 1;
            let children = self.tree.nodes[node].children.clone();
            let copy = TestNode { children: Vec::new(), ..self.tree.nodes[node].clone() };
            self.parent.push(parent);
            let copy = self.tree.add(parent, copy);
            stack.extend(children.into_iter().rev().map(|child| (child, copy)));
        }
    }

    fn is_there(&self, mut node: usize) -> bool {
        while node > TestTree::BODY {
            let parent = self.parent[node];
            if !self.tree.nodes[parent].children.contains(&node) {
                return false;
            }
            node = parent;
        }
        true
    }

    fn is_within(&self, mut node: usize, ancestor: usize) -> bool {
        while node > TestTree::BODY {
            if node == ancestor {
                return true;
            }
            node = self.parent[node];
        }
        node == ancestor
    }

    /// A node behind `body` that is there.
    fn any(&self, random: &mut Random) -> Option<usize> {
        let inner = self.tree.nodes.len() - TestTree::BODY - 1;
        if inner == 0 {
            return None;
        }
        let node = TestTree::BODY + 1 + random.below(inner);
        self.is_there(node).then_some(node)
    }

    fn edit(&mut self, random: &mut Random) {
        let Some(node) = self.any(random) else {
            self.put(TestTree::BODY, random);
            return;
        };
        match random.below(8) {
            0 | 1 => {
                let parent = self.holder(node);
                let new = self.put(parent, random);
                let children = &mut self.tree.nodes[parent].children;
                children.pop();
                let at = random.below(children.len() + 1);
                children.insert(at, new);
            }
            2 => self.detach(node),
            3 => {
                let Some(parent) = self.any(random).map(|other| self.holder(other)) else { return };
                if !self.is_within(parent, node) {
                    self.detach(node);
                    self.parent[node] = parent;
                    let children = &mut self.tree.nodes[parent].children;
                    let at = random.below(children.len() + 1);
                    children.insert(at, node);
                }
            }
            4 => self.tree.nodes[self.parent[node]].children.reverse(),
            5 => self.tree.nodes[node].hidden ^= true,
            6 if self.tree.nodes[node].kind == 1 => {
                let fresh = element(random);
                let node = &mut self.tree.nodes[node];
                (node.attributes, node.live, node.checked) = (fresh.attributes, node.live.take(), fresh.checked);
            }
            _ if self.tree.nodes[node].kind == 3 => self.tree.nodes[node].value = random.pick(&TEXTS).to_owned(),
            _ => self.copy(node, self.parent[node]),
        }
    }

    fn detach(&mut self, node: usize) {
        self.tree.nodes[self.parent[node]].children.retain(|&child| child != node);
    }

    /// Give all nodes from the `first` on other ids, as a re-render or a navigation does.
    fn renumber(&mut self, first: usize, offset: u32) {
        for node in &mut self.tree.nodes[first..] {
            node.backend_node_id = (node.backend_node_id * 7) % 8191 + offset;
        }
    }
}

fn element(random: &mut Random) -> TestNode {
    let mut node = TestNode { kind: 1, name: random.pick(&TAGS).to_owned(), ..TestNode::default() };
    for _ in 0..random.below(4) {
        let (name, value) = random.pick(&ATTRIBUTES);
        if !node.attributes.iter().any(|other| other.0 == name) {
            node.attributes.push((name.to_owned(), value.to_owned()));
        }
    }
    node.hidden = random.one_in(12);
    node.shadow = random.one_in(16).then_some("open");
    if node.name == "INPUT" && random.one_in(2) {
        node.live = Some(random.pick(&TEXTS).to_owned());
        node.checked = random.one_in(2);
    }
    node
}

// -- cases ---------------------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Identity,
    Cross,
}

/// Two captures, with a frame on both sides in one case of sixteen.
fn captures(mode: Mode, random: &mut Random) -> (Snapshot, Snapshot) {
    let (one, two) = pages(mode, random);
    if !random.one_in(16) {
        return (one.tree.snapshot(), two.tree.snapshot());
    }
    let (inner, other) = pages(mode, random);
    (framed(one, &inner), framed(two, &other))
}

fn pages(mode: Mode, random: &mut Random) -> (Page, Page) {
    let one = Page::random(random);
    let mut two = if mode == Mode::Cross && random.one_in(8) { Page::random(random) } else { one.clone() };
    for _ in 0..random.below(9) {
        two.edit(random);
    }
    match mode {
        Mode::Cross => two.renumber(0, 8192),
        Mode::Identity if random.one_in(8) => two.renumber(TestTree::BODY + 1, 8192),
        Mode::Identity => {}
    }
    (one, two)
}

fn framed(mut page: Page, inner: &Page) -> Snapshot {
    let frame = page.tree.element(TestTree::BODY, "IFRAME", &[("id", "frame")]);
    page.tree.nodes[frame].backend_node_id = 30_000;
    let part = |key: &str, owner, tree: &TestTree| PartSource {
        key: key.to_owned(),
        owner,
        raw: bytes(tree.encode(&Encoding::default())),
        internals: Vec::new(),
    };
    let owner = Some((String::new(), Some(30_000)));
    Snapshot::from_parts(vec![part("", None, &page.tree), part("F1", owner, &inner.tree)], Vec::new())
        .expect("the parts fit")
}

/// Why the case fails, if it does.
fn check(mode: Mode, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let (mut before, mut after) = captures(mode, &mut random);
    let mut limits = Limits::default();
    if random.one_in(8) {
        limits.hash_bits = (1 << random.below(9)) - 1;
        before.weaken_hashes(limits.hash_bits);
        after.weaken_hashes(limits.hash_bits);
    } else if random.one_in(8) {
        limits.steps = random.below(4);
    }
    for document in before.document_indexes() {
        let (script, names) = match mode {
            Mode::Identity => {
                let found = edits(&before, document, &after, document).ok_or("node ids repeat")?;
                let script = Script::of(&before, document, &after, document, &found);
                let columns = |snapshot: &Snapshot| snapshot.documents[document].backend_node_id.clone();
                (script, Names { old: columns(&before), new: columns(&after) })
            }
            Mode::Cross => {
                let found = cross::documents(&before, document, &after, document, limits);
                let (one, two) = (&before.documents[document], &after.documents[document]);
                let names = Names::by_match(one, two, &found.to_old);
                (Script::named(&before, document, &after, document, &found.edits, &names), names)
            }
        };
        let (one, two) = (Tree::named(&before, document, &names.old), Tree::named(&after, document, &names.new));
        let mut tree = one.clone();
        tree.apply(&script);
        if tree != two {
            return Err("the script does not lead there".to_owned());
        }
        tree.apply(&script.invert());
        if tree != one {
            return Err("the script does not lead back".to_owned());
        }
        if script.edits.is_empty() != (one == two) {
            return Err("edits where nothing differs".to_owned());
        }
    }
    if seed.is_multiple_of(64) {
        // Nothing is asked of the rows here but that they come.
        let _ = Delta::between(&before, &after, &DeltaOptions::default());
    }
    Ok(())
}

// -- running them --------------------------------------------------------------------------------------------------

struct Plan {
    count: u64,
    seed: u64,
    threads: u64,
    modes: Vec<Mode>,
}

#[expect(clippy::disallowed_methods)] // it says how long it took
fn main() -> ExitCode {
    let Some(plan) = plan() else {
        eprintln!("usage: cases [--count N] [--seed S] [--threads T] [--mode both|identity|cross]");
        return ExitCode::from(2);
    };
    for &mode in &plan.modes {
        let start = Instant::now();
        println!("{mode:?}: {} cases from seed {} in {} threads", plan.count, plan.seed, plan.threads);
        if let Some((seed, why)) = run(&plan, mode) {
            println!("{mode:?}: seed {seed}: {why}");
            return ExitCode::FAILURE;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{mode:?}: {} cases held in {seconds:.0} s", plan.count);
    }
    ExitCode::SUCCESS
}

fn plan() -> Option<Plan> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let mut plan = Plan { count: 5_000_000, seed: 1, threads, modes: vec![Mode::Identity, Mode::Cross] };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--count" => plan.count = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            "--threads" => plan.threads = value.parse::<u64>().ok()?.max(1),
            "--mode" => {
                plan.modes = match value.as_str() {
                    "both" => plan.modes,
                    "identity" => vec![Mode::Identity],
                    "cross" => vec![Mode::Cross],
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(plan)
}

/// The first case that was found to fail.
fn run(plan: &Plan, mode: Mode) -> Option<(u64, String)> {
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= plan.count {
                return None;
            }
            let seed = plan.seed.wrapping_add(at);
            let found = std::panic::catch_unwind(|| check(mode, seed)).unwrap_or_else(|_| Err("panic".to_owned()));
            if let Err(why) = found {
                failed.store(true, Ordering::Relaxed);
                return Some((seed, why));
            }
        }
        None
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).min()
    })
}
