//! Any bytes as Chrome's CBOR: an error, or a snapshot and a message that mean what their JSON means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::bytes;
use stillframe_core::testing::wire::{from_cbor, to_cbor};

fuzz_target!(|data: &[u8]| {
    let json = from_cbor::json(data).ok();
    if let Some(json) = &json {
        if let Err(error) = serde_json::from_slice::<serde_json::Value>(json) {
            assert!(error.to_string().contains("recursion"), "a message is strict JSON: {error}");
        }
        let again = to_cbor::cbor(json).expect("and can be sent");
        from_cbor::json(&again).expect("and be read again");
    }
    let _ = to_cbor::cbor(data);
    if data.first() != Some(&0xd8) {
        return;
    }
    let Ok(found) = Snapshot::from_cdp(bytes(data.to_vec())) else { return };
    let _ = stillframe_core::testing::delta::row::page_rows(
        &found,
        20,
        &stillframe_core::testing::delta::row::Wording::default(),
    );
    if let Some(Ok(twin)) = json.map(|json| Snapshot::from_cdp(bytes(json))) {
        assert_eq!(found.digests().exact, twin.digests().exact);
        assert_eq!(found.digests().visible, twin.digests().visible);
    }
});
