//! From the bytes of a capture to columns, and from the captures of several processes to one `Capture`.

pub mod atom;
pub mod bounds;
pub mod build;
mod cbor;
mod checks;
pub mod columns;
pub mod internals;
pub(crate) mod json;
pub mod node;
mod numbers;
pub mod page;
pub mod parse;
pub mod part;
pub mod strings;
pub mod style;
pub mod token;
