#!/usr/bin/env bash
# Runs fuzz targets: tools/fuzz.sh [seconds for each] [targets …]; all targets unless some are named.
#
# New inputs are collected outside the tree (target/fuzz-corpus); what is worth keeping is put into rust/fuzz/corpus by
# hand, a few kB per target, where `cargo test` replays it on any toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'stillframe: %s\n' "$*" >&2; }

readonly SECONDS_EACH=${1:-60}
shift || true

rustup toolchain list 2>/dev/null | grep -q '^nightly' \
    || { say "fuzzing needs nightly Rust; install it with: rustup toolchain install nightly --profile minimal"; exit 1; }
cargo fuzz --version >/dev/null 2>&1 \
    || { say "fuzzing needs cargo-fuzz; install it with: cargo install --locked cargo-fuzz"; exit 1; }

targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list --fuzz-dir rust/fuzz)
cargo +nightly fuzz build --fuzz-dir rust/fuzz
for target in "${targets[@]}"; do
    say "fuzzing $target for $SECONDS_EACH s"
    mkdir -p "target/fuzz-corpus/$target" "rust/fuzz/corpus/$target"
    cargo +nightly fuzz run --fuzz-dir rust/fuzz "$target" "target/fuzz-corpus/$target" "rust/fuzz/corpus/$target" -- \
        -max_total_time="$SECONDS_EACH" -max_len=8192 -timeout=20 -dict=rust/fuzz/capture.dict -print_final_stats=1
done
