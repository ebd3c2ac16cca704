//! Texts that are shown nowhere: the forms in which pages show them, and the one rule that takes them out of texts.

mod automaton;
mod canonical;
mod forms;
mod redactor;
mod seen;
mod spans;

pub use forms::forms;
pub use redactor::{Redactor, REDACTED};
