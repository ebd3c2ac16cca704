# The part of tools/setup.sh about the native core: finds Rust, or brings it, and builds.

# -- Rust ------------------------------------------------------------------------------------------

readonly RUST_MIN=88 # rust-version in Cargo.toml
readonly RUSTUP_INIT=https://sh.rustup.rs

rust_minor() { sed -nE 's/^cargo 1\.([0-9]+)\..*/\1/p' <<<"$1"; }

have_rust() { [ "$(rust_minor "$(cargo --version 2>/dev/null)")" -ge "$RUST_MIN" ] 2>/dev/null; }

need_rust() {
    local version
    command -v cargo >/dev/null || bring_rust
    version=$(cargo --version) || die "cargo does not run, and its message is above; if the toolchain of" \
        "rust-toolchain.toml is missing, install it with: rustup toolchain install $(rust_channel)"
    [ "$(rust_minor "$version")" -ge "$RUST_MIN" ] || die "Rust 1.$RUST_MIN or newer is needed and this is $version;" \
        "update it with: rustup update stable"
    command -v cc >/dev/null || apt_install gcc libc6-dev \
        || die "Rust needs a C linker and cc was not found; install one (Debian: apt install gcc libc6-dev)"
}

rust_channel() { sed -nE 's/^channel = "(.*)"$/\1/p' rust-toolchain.toml; }

bring_rust() {
    if apt_has_rustup && apt_install rustup; then :; else run_rustup_init; fi
    say "installing Rust $(rust_channel) with rustup"
    quietly 5 rustup toolchain install "$(rust_channel)" --profile minimal \
        || die "rustup could not install Rust $(rust_channel), and its message is above; the core is built with it"
}

apt_has_rustup() {
    may_apt && quietly 5 alone apt as_root apt-get update -q && [[ $(apt-cache policy rustup 2>/dev/null) == *Candidate:\ [0-9]* ]]
}

run_rustup_init() {
    local script
    may_rustup || die "Rust is needed to build the native core and cargo was not found; install it from https://rustup.rs" \
        "and run make again, or let make do that for this user: make YES=1 ..."
    script=$(mktemp)
    command -v curl >/dev/null || command -v wget >/dev/null || apt_install curl ca-certificates || true
    fetch "$RUSTUP_INIT" >"$script" \
        || die "rustup's installer could not be loaded from $RUSTUP_INIT; install Rust from https://rustup.rs and run make again"
    quietly 5 sh "$script" -y --no-modify-path --profile minimal --default-toolchain none \
        || die "rustup could not be installed, and its message is above; install Rust from https://rustup.rs and run make again"
    rm -f "$script"
    PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
}

# Asks only a person; without one, YES=1 is the answer.
may_rustup() {
    local answer
    [ "${YES:-}" != 1 ] || return 0
    [ -t 0 ] && [ -t 2 ] || return 1
    printf 'stillframe: Rust is missing. Install it for this user with rustup (%s, some 600 MB)? [y/N] ' "$RUSTUP_INIT" >&2
    read -r answer
    [[ $answer == [yY]* ]]
}

fetch() {
    if command -v curl >/dev/null; then curl --proto '=https' --tlsv1.2 -fsS "$1"; else wget -q -O - "$1"; fi
}

step_rust_tools() {
    need_rust
    { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 && return
    { command -v rustup >/dev/null && quietly 5 rustup component add rustfmt clippy; } \
        || die "rustfmt and clippy are needed to lint; install them with: rustup component add rustfmt clippy"
}

# -- the native core -------------------------------------------------------------------------------

# Installs the checkout with the very core that its wheel holds, so that one build serves both; with the feature
# `testing`, one that also makes up pages for benchmarks. maturin's own command for it, develop, would install the group
# `dev` as well, at versions that no lock names.
step_core() {
    local feature=${1:-}
    if ! have_rust && [ -n "$(wheel_of_this_commit)" ]; then
        core_of_the_wheel
        return
    fi
    need_rust
    say "building the native core, which takes a minute or two"
    compile_core ${feature:+--features "python,$feature"} \
        && PATH="$PWD/$VENV/bin:$PATH" MATURIN_PEP517_ARGS="--locked${feature:+ --features python,$feature}" \
            install_with "$VENV" --force-reinstall --no-deps --no-build-isolation --editable . \
        || die "the native core did not build; the compiler's message is above"
    mkdir -p "$VENV/.stamps"
    touch "$VENV/.stamps/core${feature:+-$feature}"
}

# Apart from the installation, which then finds everything compiled: an installer keeps the environment locked, and steps
# that install packages would wait for the compiler.
compile_core() {
    local folder status=0
    folder=$(mktemp -d)
    quietly 20 "$VENV/bin/maturin" build --locked --out "$folder" "$@" || status=$?
    rm -rf "$folder"
    return "$status"
}

# Without the stamp: the next command builds the core if there is a Rust by then, because this one lacks what tests need.
core_of_the_wheel() {
    local wheel
    wheel=$(wheel_of_this_commit)
    say "there is no Rust to build the core with; installing $wheel, which is of this commit"
    rm -f python/stillframe/_core*.so
    install_with "$VENV" --force-reinstall --no-deps "$wheel" || die "$wheel could not be installed"
}

# `make wheel` writes the commit beside the wheel if no file differed from it.
wheel_of_this_commit() {
    if [ -s dist/COMMIT ] && [ "$(<dist/COMMIT)" = "$(this_commit)" ]; then compgen -G 'dist/*.whl'; fi
}

# Nothing if files differ from the commit, or without git.
this_commit() {
    [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null || echo unknown)" ] || git rev-parse HEAD
}

step_wheel() {
    need_rust
    rm -rf dist
    "$VENV/bin/maturin" build --quiet --locked --out dist
    this_commit >dist/COMMIT
}
