//! Internals for this repository's own tests, measurements and fuzz targets. Not part of the API.
//!
//! The crate root exports what an embedder needs; these modules show the rooms as they are inside.

pub mod page;
pub mod script;
pub mod signatures;

macro_rules! rooms {
    ($($room:ident),* $(,)?) => {
        $(pub mod $room {
            pub use crate::$room::*;
        })*
    };
}

rooms!(capture, delta, diff, digest, element, error, hash, mask, outline, secret, signature, wire);
