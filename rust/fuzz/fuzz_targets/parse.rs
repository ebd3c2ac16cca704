//! Any bytes: an error or a snapshot that can be worked with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::bytes;

fuzz_target!(|data: &[u8]| {
    if let Ok(snapshot) = Snapshot::from_cdp(bytes(data.to_vec())) {
        let _ = snapshot.digests();
        let _ = snapshot.hashes();
        let _ = stillframe_core::testing::delta::row::page_rows(
            &snapshot,
            20,
            &stillframe_core::testing::delta::row::Wording::default(),
        );
    }
});
