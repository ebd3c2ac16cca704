//! Messages of the DevTools protocol from Chrome's CBOR to JSON and back, so that all but captures is read as one thing.

pub mod from_cbor;
pub mod to_cbor;
