#!/usr/bin/env bash
# Runs make commands in bare Debian systems, to see what a newcomer sees. Needs root, Debian and debootstrap.
#
#     tools/fresh.sh [--rust DIR] [--wheel] [--with-parts] [--logs DIR] [SYSTEM ...] [COMMAND ...]
#
# A system is 12-root, 12-user, 13-root or 13-user; without one, all four. A command is a target of the Makefile; without
# one, demo and test. Each system starts as `debootstrap --variant=minbase` and `apt install make git python3`, with a
# clone of the last commit and without caches. The ordinary user cannot use apt, so the packages that set-up cannot do
# without are there; with --with-parts also what only some tests need.
#
# --rust DIR is a toolchain to use (`rustc --print sysroot`); without it, set-up brings one. With --wheel, the clone has
# the dist/ of this checkout, whose wheel serves the demo without Rust if it is of the same commit. What this machine's apt, pip,
# uv and cargo are set to (mirrors, proxies, certificates) holds in the systems, too. Everything runs in its own
# namespaces of mounts and processes, so nothing of it stays mounted or running.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/stillframe-fresh
readonly -A SUITES=([12]=bookworm [13]=trixie)
readonly MINBASE=(make git python3)
readonly NEEDED=(python3-venv gcc libc6-dev chromium chromium-sandbox fonts-liberation)
readonly PARTS=(adb postgresql xvfb valgrind chromium-headless-shell ffmpeg)
readonly SETTINGS='^(PIP_|UV_|SSL_|CURL_CA|REQUESTS_CA|GIT_SSL|CARGO_(HTTP|NET|REGISTR|SOURCE)|RUSTUP_(DIST|UPDATE|AUTO)|(no|https?|all)_proxy=|(NO|HTTPS?|ALL)_PROXY=)'

die() { printf 'fresh: %s\n' "$*" >&2; exit 1; }
say() { printf 'fresh: %s\n' "$*" >&2; }

# -- a bare system ---------------------------------------------------------------------------------

# The repositories of this machine, for another suite.
sources() {
    local suite=$1
    apt-get indextargets --format '$(REPO_URI) $(SUITE)' "Created-By: Packages" | sort -u | while read -r uri of; do
        case $of in
            *security*) echo "deb $uri $suite-security main" ;;
            *backports* | *updates*) ;;
            *) echo "deb $uri $suite main" ;;
        esac
    done | sort -u
}

make_base() {
    local suite=$1 base=$2 mirror
    mirror=$(sources "$suite" | sed -nE "s/^deb (\S+) $suite main$/\1/p" | head -n 1)
    [ -n "$mirror" ] || die "apt has no Debian repository, so there is nothing to make a system of"
    say "making a bare $suite"
    rm -rf "$base.new"
    debootstrap --variant=minbase "$suite" "$base.new" "$mirror" >"$base.log" 2>&1 || die "debootstrap failed; see $base.log"
    sources "$suite" >"$base.new/etc/apt/sources.list"
    settings_of_apt >"$base.new/etc/apt/apt.conf.d/50fresh"
    carry "$base.new" /usr/local/share/ca-certificates /etc/pip.conf
    inside "$base.new" root "apt-get update && apt-get install -y ${MINBASE[*]}" >>"$base.log" 2>&1 \
        || die "apt failed; see $base.log"
    mv "$base.new" "$base"
}

settings_of_apt() { apt-config dump | grep -E '^Acquire::(https?|Check|Retries|ForceIPv)' || true; }

# Copies files of this machine to the same place.
carry() {
    local root=$1 path
    shift
    for path in "$@"; do
        [ ! -e "$path" ] || { mkdir -p "$root$(dirname "$path")"; cp -a "$path" "$root$(dirname "$path")/"; }
    done
}

# What the person at this machine has set, for the person in the system.
carry_home() {
    local home=$1 path
    for path in .config/pip .pip .config/uv .cargo/config.toml; do
        [ ! -e "$HOME/$path" ] || { mkdir -p "$home/$(dirname "$path")"; cp -a "$HOME/$path" "$home/$path"; }
    done
}

# -- a command in it -------------------------------------------------------------------------------

# Runs a command with a folder as the root of the file system. It is the real root, not that of chroot, in which Chrome
# could not make its sandbox.
inside() {
    local root=$1 user=$2 command=$3
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    unshare --mount --pid --fork --kill-child --uts bash -euc '
        root=$1 rust=$2
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
        mount -t tmpfs -o mode=1777 tmp "$root/tmp"
        [ -z "$rust" ] || { mkdir -p "$root/opt/rust"; mount --bind "$rust" "$root/opt/rust"; }
        mkdir -p "$root/old"
        cd "$root"
        pivot_root . old
        hash -r
        export PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        umount -l /old
        cd /
        exec env -i "PATH=$PATH" HOME="$(getent passwd "$3" | cut -d: -f6)" LANG=C.UTF-8 USER="$3" YES=1 \
            setpriv --reuid "$3" --regid "$3" --init-groups -- env "${@:5}" bash -c "$4"
    ' inside "$root" "$RUST" "$user" "$command" "${SET[@]}" </dev/null &
    RUNNING=$!
    wait "$RUNNING"
}

# unshare waits for its first process, which takes no other signal; it takes all others with it.
end() { [ -z "$RUNNING" ] || kill -KILL "$RUNNING" 2>/dev/null || true; }

# A new copy of a bare system, with a user and a clone.
furnish() {
    local base=$1 root=$2 user=$3 home=/root
    rm -rf "$root"
    cp -a "$base" "$root"
    if [ "$user" != root ]; then
        home=/home/$user
        inside "$root" root "useradd --create-home --shell /bin/bash $user" || die "no user $user could be made"
        inside "$root" root "apt-get update && apt-get install -y --no-install-recommends ${PREPARED[*]}" >"$root.log" 2>&1 \
            || die "apt failed; see $root.log"
    fi
    carry_home "$root$home"
    git clone --quiet --no-hardlinks . "$root$home/stillframe"
    [ -z "$WHEEL" ] || cp -a dist "$root$home/stillframe/"
    inside "$root" root "chown -R $user: $home"
}

run() {
    local system=$1 command=$2 root=$3 user=$4 log="$LOGS/$1-$2.log" begun=$SECONDS status=0
    say "make $command in Debian $system; the log is $log"
    inside "$root" "$user" "cd && cd stillframe && make $command" >"$log" 2>&1 || status=$?
    printf '%-8s  make %-6s  exit %-3s  %5d s\n' "$system" "$command" "$status" $((SECONDS - begun)) >>"$LOGS/table"
}

try() {
    local system=$1 base user=newcomer root command
    base=$CACHE/debian-${system%-*} root=$CACHE/run-$system
    [ "${system#*-}" != root ] || user=root
    [ -d "$base" ] || make_base "${SUITES[${system%-*}]}" "$base"
    furnish "$base" "$root" "$user"
    for command in "${COMMANDS[@]}"; do
        run "$system" "$command" "$root" "$user"
    done
    rm -rf --one-file-system "$root"
}

# -- what is wanted --------------------------------------------------------------------------------

RUST='' WHEEL='' RUNNING='' LOGS=$CACHE/logs SYSTEMS=() COMMANDS=() PREPARED=("${NEEDED[@]}")
while [ $# -gt 0 ]; do
    case $1 in
        --rust) RUST=${2:?the folder of a toolchain} && shift ;;
        --logs) LOGS=${2:?a folder} && shift ;;
        --wheel) WHEEL=yes ;;
        --with-parts) PREPARED+=("${PARTS[@]}") ;;
        12-root | 12-user | 13-root | 13-user) SYSTEMS+=("$1") ;;
        [a-z]*) COMMANDS+=("$1") ;;
        *) die "usage: tools/fresh.sh [--rust DIR] [--wheel] [--with-parts] [--logs DIR] [12-root|12-user|13-root|13-user ...] [TARGET ...]" ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || die "only root can make systems; run it with sudo"
command -v debootstrap >/dev/null || die "debootstrap is missing; install it (Debian: apt install debootstrap)"
[ -z "$RUST" ] || [ -x "$RUST/bin/cargo" ] || die "$RUST has no bin/cargo; name a toolchain: --rust \"\$(rustc --print sysroot)\""
[ ${#SYSTEMS[@]} -gt 0 ] || SYSTEMS=(12-root 12-user 13-root 13-user)
[ ${#COMMANDS[@]} -gt 0 ] || COMMANDS=(demo test)
mapfile -t SET < <(env | grep -E "$SETTINGS" || true)
mkdir -p "$CACHE" "$LOGS"
: >"$LOGS/table"
trap end EXIT
trap 'exit 130' HUP INT TERM
for system in "${SYSTEMS[@]}"; do
    try "$system"
done
cat "$LOGS/table"
! grep -qv ' exit 0 ' "$LOGS/table" || die "not every command ended well; the logs are in $LOGS"
