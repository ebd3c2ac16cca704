//! Secrets: the forms in which pages show them, and the rule that removes them from texts.

mod automaton;
mod canonical;
mod forms;
mod redactor;
mod seen;
mod spans;

pub use forms::forms;
pub use redactor::Redactor;
pub use spans::REDACTED;
