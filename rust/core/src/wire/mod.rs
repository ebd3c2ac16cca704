//! DevTools messages from Chrome's CBOR to JSON and back, so that Python reads only one format.

pub mod from_cbor;
pub mod to_cbor;
