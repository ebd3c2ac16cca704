//! Any bytes: an error or a snapshot that can be worked with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillframe_core::capture::snapshot::Snapshot;
use stillframe_core::testpage::bytes;

fuzz_target!(|data: &[u8]| {
    if let Ok(snapshot) = Snapshot::parse(bytes(data.to_vec())) {
        let _ = snapshot.digests();
        let _ = snapshot.hashes();
        let _ = stillframe_core::delta::row::page_rows(&snapshot, 20, &stillframe_core::delta::row::Wording::default());
    }
});
