//! The seed of what is stored or compared from machine to machine.

/// The published seed of stored digests: "stillfra" in ASCII. Changing anything here changes every stored digest.
pub const SEED: u64 = 0x7374_696c_6c66_7261;
