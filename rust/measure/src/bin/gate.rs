//! Counts instructions, so that a slower core is noticed on a busy machine too.
//!
//! `gate` runs every step of src/lib.rs under callgrind and compares with rust/gate.txt (`step nodes
//! instructions-per-node`; a step may be 3 % over). Pages have 1k, 10k and 100k nodes; `gate all` adds 1M. `--record`
//! writes the file. `gate shapes` doubles the size of pages that are made to be slow: more than 2.3 times the
//! instructions is a failure, because nothing may be quadratic. Counts of different compilers cannot be compared, so
//! another compiler than the recorded one fails: use the one that rust-toolchain.toml names, or record. Beside another C
//! library than the recorded one, which allocates and copies for the core, a step may be 10 % over. Without valgrind
//! the gate says so and passes.

#[path = "../../../core/tests/pages/shapes.rs"]
mod shapes;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use measure::{Page, SIZES, STEPS, Work};
use stillframe_core::testing::capture::strings::Bytes;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, card_grid, four_edits};

/// Counts repeat to 0.1 %, but for the hash maps, whose seeds the process draws.
const TOLERANCE: f64 = 1.03;
/// Beside the glibc of Debian 13, `cross` with 100k nodes takes 8 % more than beside that of Debian 12, on which the
/// figures were recorded, and every other step up to 4 % less.
const OTHER_LIBC_TOLERANCE: f64 = 1.10;
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../gate.txt");
/// Pages of more nodes are only measured on request.
const USUAL: usize = 100_000;

type Figure = (&'static str, usize, f64);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["run", folder] => {
            run_steps(Path::new(folder));
            return ExitCode::SUCCESS;
        }
        ["shape", at, size] => {
            run_shape(at.parse().expect("a number"), size.parse().expect("a number"));
            return ExitCode::SUCCESS;
        }
        ["shapes"] => return compare_shapes(),
        _ => {}
    }
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let (compiler, libc) = (compiler(), libc());
    let recorded = std::fs::read_to_string(RECORD).unwrap_or_default();
    if !has("--record")
        && let Some(complaint) = other_compiler(&compiler, &recorded)
    {
        println!("gate: {complaint}");
        return ExitCode::FAILURE;
    }
    let mut figures = Vec::new();
    for size in SIZES.into_iter().filter(|&size| size <= USUAL || has("all")) {
        match measured(size) {
            Ok(found) => figures.extend(found),
            Err(reason) => {
                println!("gate: skipped, because {reason}");
                return ExitCode::SUCCESS;
            }
        }
    }
    if has("--record") {
        record(&compiler, &libc, &recorded, &figures)
    } else if recorded.lines().any(|line| line == libc) {
        compare(&recorded, &figures, TOLERANCE)
    } else {
        println!("gate: this is not the C library of rust/gate.txt but {}, so 10 % over are allowed", &libc[2..]);
        compare(&recorded, &figures, OTHER_LIBC_TOLERANCE)
    }
}

// -- in the process that valgrind watches --------------------------------------------------------------------------

fn run_steps(folder: &Path) {
    let bytes = |name: &str| std::fs::read(folder.join(name)).expect("the page was written");
    let page = Page { before: Arc::new(bytes("before")), after: Arc::new(bytes("after")) };
    for step in STEPS {
        assert_ne!(counted_by_callgrind(&(step.prepare)(&page)), usize::MAX);
    }
}

/// All that is done with two captures of a shape, of `size` and twice that.
fn run_shape(at: usize, size: usize) {
    for size in [size, 2 * size] {
        let (before, after) = shapes::SHAPES[at].1(size);
        let work: Work = Box::new(move || {
            let parsed = |raw: &Bytes| Snapshot::from_cdp(raw.clone()).expect("odd, but valid");
            let (before, after) = (parsed(&before), parsed(&after));
            let _ = (before.digests(), after.digests());
            Delta::between(&before, &after, &DeltaOptions::default()).changed.total
        });
        assert_ne!(counted_by_callgrind(&work), usize::MAX);
    }
}

/// Valgrind counts what runs in this function, by its name.
#[inline(never)]
fn counted_by_callgrind(work: &Work) -> usize {
    std::hint::black_box(work())
}

// -- in the process that compares ----------------------------------------------------------------------------------

/// Instructions per node of each step, or why they cannot be counted here.
fn measured(size: usize) -> Result<Vec<Figure>, String> {
    let folder = std::env::temp_dir().join(format!("stillframe-gate-{}-{size}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let nodes = write_page(&folder, size).map_err(|error| error.to_string());
    let run = ["run".to_owned(), folder.display().to_string()];
    let found = nodes.and_then(|nodes| Ok((nodes, count(&folder, &run, STEPS.len())?)));
    let _ = std::fs::remove_dir_all(&folder);
    let (nodes, counts) = found?;
    Ok(STEPS.iter().zip(counts).map(|(step, count)| (step.name, size, count / nodes as f64)).collect())
}

fn write_page(folder: &Path, size: usize) -> std::io::Result<usize> {
    let mut tree = card_grid(size);
    std::fs::write(folder.join("before"), tree.encode(&Encoding::default()))?;
    four_edits(&mut tree);
    std::fs::write(folder.join("after"), tree.encode(&Encoding::default()))?;
    Ok(tree.preorder().len())
}

/// Run this program under callgrind and return what each of `times` calls of `counted_by_callgrind` took.
fn count(folder: &Path, run: &[String], times: usize) -> Result<Vec<f64>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let out = folder.join("counts");
    // Of two options with the same pattern valgrind heeds one, so the patterns differ.
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--toggle-collect=gate::counted_by_callgrind*",
            "--dump-after=*counted_by_callgrind*",
        ])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(run)
        .output()
        .map_err(|_| "valgrind is not installed (apt install valgrind)".to_owned())?;
    let total = |step: usize| total(&PathBuf::from(format!("{}.{step}", out.display())));
    let counts: Option<Vec<f64>> = (1..=times).map(total).collect();
    counts.ok_or_else(|| format!("callgrind did not count: {}", String::from_utf8_lossy(&output.stderr)))
}

fn compare_shapes() -> ExitCode {
    const SIZE: usize = 8_000;
    const LINEAR: f64 = 2.3;
    /// Instructions per node: the dearest shape takes 20,000. Where a limit ends what is quadratic, this tells.
    const DEAR: f64 = 100_000.0;
    let folder = std::env::temp_dir().join(format!("stillframe-gate-{}-shapes", std::process::id()));
    let mut failed = std::fs::create_dir_all(&folder).is_err();
    for (at, (name, _)) in shapes::SHAPES.iter().enumerate() {
        match count(&folder, &["shape".to_owned(), at.to_string(), SIZE.to_string()], 2) {
            Ok(counts) => {
                let growth = counts[1] / counts[0];
                let verdict = match growth > LINEAR || counts[0] > DEAR * SIZE as f64 {
                    true => "NOT LINEAR",
                    false => "ok",
                };
                failed |= verdict != "ok";
                println!(
                    "gate: {name}: {:.1} M instructions, {growth:.2} times that for twice the size: {verdict}",
                    counts[0] / 1e6
                );
            }
            Err(reason) => println!("gate: {name} skipped, because {reason}"),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    ExitCode::from(u8::from(failed))
}

/// What one dump of callgrind adds up to.
fn total(dump: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(dump).ok()?;
    text.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok())
}

/// The compiler and processor that made the instructions, as the first line of the record names them.
fn compiler() -> String {
    format!("# {}, {}", env!("COMPILER"), std::env::consts::ARCH)
}

/// The C library, as the second line of the record names it.
fn libc() -> String {
    let named = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let name = named.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("# {}", if name.is_empty() { "no glibc" } else { &name })
}

/// What is wrong if another compiler made the recorded figures.
fn other_compiler(compiler: &str, recorded: &str) -> Option<String> {
    let theirs = recorded.lines().next().unwrap_or("# no compiler");
    let plain = |line: &str| line.trim_start_matches("# ").to_owned();
    (theirs != compiler).then(|| {
        format!(
            "this build is by {}, but {} made the figures of rust/gate.txt; build with the toolchain that \
             rust-toolchain.toml names, or record the counts of this one with --record",
            plain(compiler),
            plain(theirs)
        )
    })
}

fn record(compiler: &str, libc: &str, recorded: &str, figures: &[Figure]) -> ExitCode {
    let mut lines = vec![compiler.to_owned(), libc.to_owned()];
    lines.extend(figures.iter().map(|(step, size, count)| format!("{step} {size} {count:.1}")));
    // Sizes that were not measured this time stay as they are.
    let is_new = |line: &str| figures.iter().any(|(step, size, _)| line.starts_with(&format!("{step} {size} ")));
    lines.extend(recorded.lines().filter(|line| !line.starts_with('#') && !is_new(line)).map(str::to_owned));
    let text = lines.join("\n") + "\n";
    print!("{text}");
    std::fs::write(RECORD, text).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn compare(recorded: &str, figures: &[Figure], tolerance: f64) -> ExitCode {
    let mut passed = true;
    for (step, size, count) in figures {
        let prefix = format!("{step} {size} ");
        let line = recorded.lines().find_map(|line| line.strip_prefix(&prefix)?.trim().parse::<f64>().ok());
        let allowed = line.map_or(0.0, |line| line * tolerance);
        let verdict = match line {
            None => "NOT RECORDED (--record does it)",
            Some(_) if *count <= allowed => "ok",
            Some(_) => "TOO MANY",
        };
        passed &= verdict == "ok";
        println!("gate: {step}, {size} nodes: {count:.1} instructions per node, {allowed:.1} allowed: {verdict}");
    }
    ExitCode::from(u8::from(!passed))
}
