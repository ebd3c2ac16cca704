//! Two captures in one input, parted by a NUL: the script between them leads there and back, by node ids and by what
//! the nodes hold.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillframe_core::testing::capture::columns::flag;
use stillframe_core::testing::capture::node::{DocumentIndex, DocumentPair, NodeIndex};
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::cross::{self, Limits};
use stillframe_core::testing::diff::identity::{edits, pair_documents};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::bytes;
use stillframe_core::testing::script::{Names, Script, Tree};

fuzz_target!(|data: &[u8]| {
    let Some(at) = data.iter().position(|&byte| byte == 0) else { return };
    let (Ok(before), Ok(after)) =
        (Snapshot::from_cdp(bytes(data[..at].to_vec())), Snapshot::from_cdp(bytes(data[at + 1..].to_vec())))
    else {
        return;
    };
    let _ = Delta::between(&before, &after, &DeltaOptions { controls: 3, ..DeltaOptions::default() });
    for DocumentPair { old, new } in pair_documents(&before, &after).same {
        by_id(&before, old, &after, new);
    }
    // Few bits of hashes and few steps of work, as the input has it: neither may cost an edit.
    let limits = Limits { hash_bits: (1 << (at % 64)) - 1, steps: at % 21 };
    for limits in [Limits::default(), limits] {
        by_content(&before, &after, limits);
    }
});

fn by_id(before: &Snapshot, old: DocumentIndex, after: &Snapshot, new: DocumentIndex) {
    let (one, two) = (Tree::of(before, old), Tree::of(after, new));
    let live = |snapshot: &Snapshot, document: DocumentIndex, tree: &Tree| {
        let columns = &snapshot.documents[document];
        columns.nodes().filter(|&node| !columns.has(node, flag::DROPPED)).count() == tree.nodes.len()
    };
    // No browser gives one id to two nodes.
    if !live(before, old, &one) || !live(after, new, &two) {
        return;
    }
    if let Some(found) = edits(before, old, after, new) {
        there_and_back(one, &two, &Script::of(before, old, after, new, &found));
    }
}

/// The first documents are taken for what became of each other.
fn by_content(before: &Snapshot, after: &Snapshot, limits: Limits) {
    let (old, new) = (before.order[0], after.order[0]);
    let (one, two) = (&before.documents[old], &after.documents[new]);
    let found = cross::documents(before, old, after, new, limits);
    if found.to_old.get(NodeIndex::ROOT).is_none() {
        return;
    }
    let names = Names::by_match(one, two, &found.to_old);
    let script = Script::named(before, old, after, new, &found.edits, &names);
    there_and_back(Tree::named(before, old, &names.old), &Tree::named(after, new, &names.new), &script);
}

fn there_and_back(one: Tree, two: &Tree, script: &Script) {
    let mut tree = one.clone();
    tree.apply(script);
    assert_eq!(&tree, two);
    tree.apply(&script.invert());
    assert_eq!(tree, one);
}
