//! The best of many runs of every step, in ns per node, beside the gates: for people, on a quiet machine.
//!
//! `time [nodes …]`; all four sizes unless some are named. The figure includes freeing what the step made.

use std::hint::black_box;
use std::time::Instant;

use measure::{Page, SIZES, STEPS, Work};
use stillframe_core::testing::page::{Encoding, bytes, card_grid, four_edits};

fn main() {
    let named: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    for size in if named.is_empty() { SIZES.to_vec() } else { named } {
        let mut tree = card_grid(size);
        let before = bytes(tree.encode(&Encoding::default()));
        four_edits(&mut tree);
        let page = Page { before, after: bytes(tree.encode(&Encoding::default())) };
        let nodes = tree.preorder().len() as f64;
        drop(tree);
        println!("{nodes} nodes, {:.1} MB", (*page.after).as_ref().len() as f64 / 1e6);
        for step in STEPS {
            let best = best(size, &(step.prepare)(&page));
            let gate = step.gates.zip(SIZES.iter().position(|&known| known == size)).map(|(gates, at)| gates[at]);
            let gate = gate.map_or_else(String::new, |gate| format!(", gate {gate}"));
            println!("  {:<10} {:>8.1} ns per node, {:>9.3} ms{gate}", step.name, best / nodes, best / 1e6);
        }
    }
}

/// The shortest of many runs, in ns.
#[expect(clippy::disallowed_methods)] // wall time is what it measures
fn best(size: usize, work: &Work) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..(2_000_000 / size).clamp(5, 400) {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}
