//! Records which compiler builds the gate: the one that cargo calls, not the first `rustc` of the shell.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let said = Command::new(rustc).arg("--version").output().expect("cargo names a compiler that runs");
    println!("cargo:rustc-env=COMPILER={}", String::from_utf8_lossy(&said.stdout).trim());
    println!("cargo:rerun-if-env-changed=RUSTC");
    println!("cargo:rerun-if-changed=build.rs");
}
