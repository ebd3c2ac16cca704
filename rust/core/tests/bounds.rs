//! The memory that the core takes, counted byte by byte and limited to a multiple of its input.
#![allow(unsafe_code)]

#[path = "pages/shapes.rs"]
mod shapes;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use shapes::SHAPES;
use stillframe_core::testing::capture::parse::parse;
use stillframe_core::testing::capture::strings::Bytes;
use stillframe_core::testing::delta::row::{Wording, page_rows};
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, bytes, card_grid, four_edits};

/// Bytes that this thread holds, and the most it has held.
struct Counter;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

// SAFETY: everything is done by the system's allocator; the counters are plain numbers of this thread.
unsafe impl GlobalAlloc for Counter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old place is held until the new one is filled.
        count(size as isize);
        count(-(layout.size() as isize));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTER: Counter = Counter;

/// The answer of `work`, how many bytes it holds, and how many were held at most meanwhile.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let answer = work();
    (answer, (HELD.get() - before) as usize, (PEAK.get() - before) as usize)
}

fn len(raw: &Bytes) -> usize {
    (**raw).as_ref().len()
}

/// Beyond the bytes themselves, which are borrowed: a node takes at least 14 bytes of JSON (`0,1,0,0,1,[],`) and at most
/// 40 bytes of columns. Attributes and strings take more in JSON than in columns, but for empty strings: three bytes of
/// JSON (`"",`) are a span of 12 and an atom.
const PARSED: usize = 4;
/// While it is read, vectors grow by doubling.
const PARSING: usize = 6;
/// Hashes of both sides, digests, the walk, findings and rows, for pages made for the worst.
const COMPARING: usize = 8;

#[test]
fn a_usual_page_takes_less_than_its_bytes() {
    let mut tree = card_grid(20_000);
    let before = bytes(tree.encode(&Encoding::default()));
    four_edits(&mut tree);
    let after = bytes(tree.encode(&Encoding::default()));
    let (one, held, peak) = measured(|| Snapshot::from_cdp(before.clone()).expect("a valid page"));
    let nodes = one.len();
    println!(
        "parse: {} B of JSON, {} B held, {} B at most, per node",
        len(&before) / nodes,
        held / nodes,
        peak / nodes
    );
    assert!(held < len(&before) * 9 / 10 && peak < 2 * len(&before), "{held} {peak} {}", len(&before));
    let other = Snapshot::from_cdp(after).expect("a valid page");
    let (_, held, peak) = measured(|| Delta::between(&one, &other, &DeltaOptions::default()));
    println!("delta: {} B held, {} B at most, per node of both", held / 2 / nodes, peak / 2 / nodes);
    assert!(peak < 2 * len(&before), "{peak}");
    let (_, held, peak) = measured(|| one.digests().exact);
    println!("digests: {} B held, {} B at most, per node", held / nodes, peak / nodes);
    assert!(peak < 4 * len(&before), "{peak}");
}

#[test]
fn memory_is_a_multiple_of_the_input_whatever_it_is() {
    for (name, make) in SHAPES {
        let (before, after) = make(4_000);
        let (one, held, peak) = measured(|| Snapshot::from_cdp(before.clone()).expect("odd, but valid"));
        let (given, other) = (len(&before), Snapshot::from_cdp(after.clone()).expect("odd, but valid"));
        println!("{name}: {given} B, parsed {held}, at most {peak}");
        assert!(held <= PARSED * given && peak <= PARSING * given, "{name}: {given} -> {held}, {peak}");
        let both = given + len(&after);
        let (_, _, peak) = measured(|| {
            let _ = (one.digests().exact, other.digests().exact);
            let _ = page_rows(&other, 20, &Wording::default());
            Delta::between(&one, &other, &DeltaOptions::default()).changed.total
        });
        println!("{name}: compared with {:.1} times the bytes", peak as f64 / both as f64);
        assert!(peak <= COMPARING * both, "{name}: {both} -> {peak}");
    }
}

#[test]
fn the_smallest_bytes_per_node_and_per_string() {
    let list = |item: &str, n: usize| vec![item; n].join(",");
    let n = 50_000;
    let text = format!(
        r#"{{"documents":[{{"nodes":{{"parentIndex":[-1,{}],"nodeType":[{}],"nodeName":[{}],"nodeValue":[{}],"backendNodeId":[{}],"attributes":[{}]}}}}],"strings":[{}]}}"#,
        list("0", n - 1),
        list("1", n),
        list("0", n),
        list("0", n),
        list("1", n),
        list("[]", n),
        list("\"\"", n),
    );
    let (found, held, peak) = measured(|| parse(bytes(text.clone().into_bytes())).expect("it is valid"));
    assert_eq!(found.documents[0].len(), n);
    // The text was copied once to be given away.
    let (held, peak) = (held - text.len(), peak - text.len());
    println!("{} B, parsed {held}, at most {peak}", text.len());
    assert!(held <= PARSED * text.len() && peak <= PARSING * text.len(), "{} -> {held}, {peak}", text.len());
}

#[test]
fn lies_about_sizes_cost_nothing() {
    for text in [
        format!(r#"{{"documents":[{{"nodes":{{"parentIndex":[{}"#, "7,".repeat(50_000)),
        format!(r#"{{"documents":[{}"#, "[".repeat(100_000)),
        format!(r#"{{"strings":["{}"#, "\\ud800".repeat(50_000)),
        format!(r#"{{"documents":[{{"layout":{{"styles":[{}"#, "[1],".repeat(50_000)),
        format!(r#"{{"x":{}"#, "{\"y\":".repeat(50_000)),
    ] {
        let raw = bytes(text.clone().into_bytes());
        let (found, held, peak) = measured(|| parse(raw.clone()));
        assert!(found.is_err());
        assert!(held < 1_000 && peak <= PARSING * text.len(), "{held} {peak} of {}", text.len());
    }
}

/// The largest pages, for a machine with time and 8 GB: `cargo test --release --test bounds -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute or two and several GB"]
fn a_million_nodes() {
    // These write down as many copies of a string as it has letters: a million of a MB each would fill any machine.
    const COPIES: [&str; 2] = ["many names for one long string", "many texts of one long blank"];
    for (name, make) in SHAPES {
        let (before, after) = make(if COPIES.contains(name) { 10_000 } else { 1_000_000 });
        let (one, other) = (Snapshot::from_cdp(before.clone()), Snapshot::from_cdp(after));
        let (one, other) = (one.expect("odd, but valid"), other.expect("odd, but valid"));
        let found = Delta::between(&one, &other, &DeltaOptions::default());
        println!("{name}: {} nodes, {} MB, {} edits", other.len(), len(&before) / 1_000_000, found.script_length);
    }
}

/// 200 MB in one string, and 200 MB of nodes.
#[test]
#[ignore = "takes several GB"]
fn two_hundred_megabytes() {
    let text = format!(
        r#"{{"documents":[{{"nodes":{{"parentIndex":[-1],"nodeType":[9],"nodeName":[0],"nodeValue":[0],"backendNodeId":[1],"attributes":[[]]}}}}],"strings":["{}"]}}"#,
        "x\\u00e9".repeat(30_000_000)
    );
    let (found, held, peak) = measured(|| Snapshot::from_cdp(bytes(text.into_bytes())).expect("it is valid"));
    println!("one string: {} nodes, {held} B held, {peak} at most", found.len());
    let raw = bytes(card_grid(3_000_000).encode(&Encoding::default()));
    assert!(len(&raw) > 190_000_000, "{}", len(&raw));
    let (found, held, peak) = measured(|| Snapshot::from_cdp(raw.clone()).expect("it is valid"));
    println!("{} nodes: {} B, {held} B held, {peak} at most", found.len(), len(&raw));
    assert!(peak < 2 * len(&raw));
}
