//! Counts instructions, so that a slower core is noticed on a busy machine too.
//!
//! `gate run STEP` does one step on the page that figures are measured on; `gate` alone runs each step under callgrind
//! and compares with rust/gate.txt (`step instructions-per-node`; a step may be 5 % over). `gate --record` writes the
//! file. `gate time` prints the best of many runs in ns per node, for people. Without valgrind it says so and passes.

use std::process::{Command, ExitCode};

use stillframe_core::delta::delta;
use stillframe_core::digest::{digests, node_hashes, session_secret};
use stillframe_core::snapshot::Snapshot;
use stillframe_core::testpage::{bytes, card_grid, four_edits, Encoding};
use stillframe_core::text::Redactor;

const NODES: usize = 10_000;
const STEPS: [&str; 5] = ["base", "parse", "digests", "hashes", "summary"];
const TOLERANCE: f64 = 1.05;
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rust/gate.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["run", step] => {
            println!("{}", run(step));
            ExitCode::SUCCESS
        }
        ["time"] => {
            time();
            ExitCode::SUCCESS
        }
        ["--record"] => measured().map_or(ExitCode::SUCCESS, |figures| record(&figures)),
        _ => measured().map_or(ExitCode::SUCCESS, |figures| compare(&figures)),
    }
}

/// Do what comes before `step`, and the step itself; the step's share is the difference to the one before.
fn run(step: &str) -> usize {
    let at = STEPS.iter().position(|other| *other == step).expect("a known step");
    let mut tree = card_grid(NODES);
    let before_bytes = bytes(tree.encode(&Encoding::default()));
    four_edits(&mut tree);
    let after_bytes = bytes(tree.encode(&Encoding::default()));
    if at == 0 {
        return 0;
    }
    let after = Snapshot::parse(after_bytes).expect("a valid page");
    if at == 1 {
        return after.len();
    }
    if at == 2 {
        return usize::from(digests(&after).exact[0]);
    }
    if at == 3 {
        return node_hashes(&after, session_secret(), u64::MAX).documents.len();
    }
    let before = Snapshot::parse(before_bytes).expect("a valid page");
    delta(&before, &after, 12, &Redactor::default()).changed.total
}

fn time() {
    for size in [1_000, 10_000, 100_000] {
        let mut tree = card_grid(size);
        let before_bytes = bytes(tree.encode(&Encoding::default()));
        four_edits(&mut tree);
        let after_bytes = bytes(tree.encode(&Encoding::default()));
        let before = Snapshot::parse(before_bytes).expect("a valid page");
        let after = Snapshot::parse(after_bytes.clone()).expect("a valid page");
        let nobody = Redactor::default();
        let _ = (before.hashes(), after.hashes(), before.digests());
        let parse = best(size, || Snapshot::parse(after_bytes.clone()).map(|snapshot| snapshot.len()).unwrap_or(0));
        let digest = best(size, || usize::from(digests(&after).exact[0]));
        let hash = best(size, || node_hashes(&after, session_secret(), u64::MAX).documents.len());
        let edits = best(size, || stillframe_core::diff::edits(&before, 0, &after, 0).map_or(0, |found| found.visited));
        let rows = best(size, || delta(&before, &after, 12, &nobody).changed.total);
        let parsed = || Snapshot::parse(after_bytes.clone()).expect("a valid page");
        let summary = best(size, || delta(&before, &parsed(), 12, &nobody).changed.total);
        let all = best(size, || {
            let after = parsed();
            usize::from(after.digests().visible[0]) + delta(&before, &after, 12, &nobody).changed.total
        });
        let nodes = after.len() as f64;
        let [parse, digest, hash, edits, rows] = [parse, digest, hash, edits, rows].map(|figure| figure / nodes);
        println!(
            "{nodes:>7} nodes, ns per node: parse {parse:.1}, digests {digest:.1}, hashes {hash:.1}, edits {edits:.1}, \
             edits to rows {rows:.1}; bytes to summary {:.3} ms, with digests {:.3} ms",
            summary / 1e6,
            all / 1e6
        );
    }
}

/// The shortest of many runs, in ns.
fn best(size: usize, mut work: impl FnMut() -> usize) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..(2_000_000 / size).clamp(20, 400) {
        let start = std::time::Instant::now();
        std::hint::black_box(work());
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}

/// Instructions per node of each step; None if they cannot be counted here.
fn measured() -> Option<Vec<(&'static str, f64)>> {
    let program = std::env::current_exe().ok()?;
    let mut counts = Vec::new();
    for step in STEPS {
        let found = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&program)
            .args(["run", step])
            .output();
        let Ok(output) = found else {
            println!("gate: skipped, because valgrind is not installed (apt install valgrind)");
            return None;
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let refs = said.lines().find_map(|line| line.split("Collected : ").nth(1)?.trim().parse::<f64>().ok());
        let Some(refs) = refs else {
            println!("gate: skipped, because callgrind did not count: {said}");
            return None;
        };
        counts.push(refs);
    }
    let nodes = card_grid(NODES).preorder().len() as f64;
    let share = |step: usize, base: usize| (counts[step] - counts[base]) / nodes;
    // The summary also parses the page before and hashes both.
    let summary = share(4, 1) - share(1, 0) - 2.0 * share(3, 1);
    Some(vec![("parse", share(1, 0)), ("digests", share(2, 1)), ("hashes", share(3, 1)), ("summary", summary)])
}

fn record(figures: &[(&str, f64)]) -> ExitCode {
    let lines: String = figures.iter().map(|(step, figure)| format!("{step} {figure:.1}\n")).collect();
    print!("{lines}");
    std::fs::write(RECORD, lines).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn compare(figures: &[(&str, f64)]) -> ExitCode {
    let recorded = std::fs::read_to_string(RECORD).unwrap_or_default();
    let mut code = ExitCode::SUCCESS;
    for (step, figure) in figures {
        let line = recorded.lines().find_map(|line| line.strip_prefix(step)?.trim().parse::<f64>().ok());
        let Some(allowed) = line.map(|line| line * TOLERANCE) else {
            println!("gate: {step} is not in rust/gate.txt; record it with --record");
            code = ExitCode::FAILURE;
            continue;
        };
        let verdict = if *figure <= allowed { "ok" } else { "TOO MANY" };
        println!("gate: {step}: {figure:.1} instructions per node, {allowed:.1} allowed: {verdict}");
        if *figure > allowed {
            code = ExitCode::FAILURE;
        }
    }
    code
}
