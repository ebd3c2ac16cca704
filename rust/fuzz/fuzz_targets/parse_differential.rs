//! The parser and its slow twin (serde_json and one rule after the other) say the same.
//!
//! Bytes that begin with "{" are taken as they come; all others are decisions about how to damage a valid capture.
#![no_main]

#[path = "../../core/tests/pages/damage.rs"]
mod damage;
#[path = "../../core/tests/pages/twin.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if data.first() == Some(&b'{') {
        twin::compare(data);
    } else {
        twin::agree(&damage::damaged(&mut damage::Choices::new(data)));
    }
});
