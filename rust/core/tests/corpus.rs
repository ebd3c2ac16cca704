//! Replays what the fuzzers found, and as many damaged captures as fit into a few seconds, on any toolchain.

#[path = "pages/damage.rs"]
mod damage;
#[path = "pages/twin.rs"]
mod twin;

use std::path::Path;

use damage::{Choices, damaged};
use stillframe_core::testing::capture::node::Node;
use stillframe_core::testing::delta::row::{Wording, page_rows};
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::selector::selector;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::bytes;

/// The inputs kept for one fuzz target, by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("a readable file"))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{target} has no corpus");
    found
}

fn work_with(snapshot: &Snapshot) {
    let _ = (snapshot.digests(), snapshot.hashes());
    let _ = page_rows(snapshot, 20, &Wording::default());
    for document in snapshot.document_indexes() {
        for index in snapshot.documents[document].nodes() {
            let _ = selector(snapshot, Node { document, index });
        }
    }
}

#[test]
fn what_the_parser_was_fed() {
    for target in ["parse", "selector"] {
        for (_, data) in corpus(target) {
            twin::compare(&data);
            if let Ok(snapshot) = Snapshot::from_cdp(bytes(data)) {
                work_with(&snapshot);
            }
        }
    }
}

#[test]
fn what_parser_and_twin_were_fed() {
    for (_, data) in corpus("parse_differential") {
        match data.first() {
            Some(b'{') => twin::compare(&data),
            _ => twin::agree(&damaged(&mut Choices::new(&data))),
        }
    }
}

#[test]
fn what_was_compared() {
    for (_, data) in corpus("diff_apply") {
        let Some(at) = data.iter().position(|&byte| byte == 0) else { continue };
        let parsed = |data: &[u8]| Snapshot::from_cdp(bytes(data.to_vec()));
        if let (Ok(before), Ok(after)) = (parsed(&data[..at]), parsed(&data[at + 1..])) {
            let _ = Delta::between(&before, &after, &DeltaOptions::default());
            let _ = Delta::between(&after, &before, &DeltaOptions::default());
        }
    }
}

#[test]
fn parser_and_twin_agree_about_damage() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..1_500 {
        let decisions: Vec<u8> = (0..40)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect();
        twin::agree(&damaged(&mut Choices::new(&decisions)));
    }
}
