//! Two captures in one input, parted by a NUL: the script between them leads there and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillframe_core::delta::delta;
use stillframe_core::diff::{edits, pair_documents};
use stillframe_core::script::{Script, Tree};
use stillframe_core::snapshot::Snapshot;
use stillframe_core::testpage::bytes;

fuzz_target!(|data: &[u8]| {
    let Some(at) = data.iter().position(|&byte| byte == 0) else { return };
    let (Ok(before), Ok(after)) =
        (Snapshot::parse(bytes(data[..at].to_vec())), Snapshot::parse(bytes(data[at + 1..].to_vec())))
    else {
        return;
    };
    let _ = delta(&before, &after, 12, &Default::default());
    for (old, new) in pair_documents(&before, &after).same {
        let (one, two) = (Tree::of(&before, old), Tree::of(&after, new));
        let live = |snapshot: &Snapshot, document: u32, tree: &Tree| {
            let columns = &snapshot.documents[document as usize];
            let dropped = stillframe_core::columns::flag::DROPPED;
            (0..columns.len() as u32).filter(|&node| !columns.has(node, dropped)).count() == tree.nodes.len()
        };
        // Ids that stand for two nodes are no browser's.
        if !live(&before, old, &one) || !live(&after, new, &two) {
            continue;
        }
        let Some(found) = edits(&before, old, &after, new) else { continue };
        let script = Script::of(&before, old, &after, new, &found);
        let mut tree = one.clone();
        tree.apply(&script);
        assert_eq!(tree, two);
        tree.apply(&script.invert());
        assert_eq!(tree, one);
    }
});
