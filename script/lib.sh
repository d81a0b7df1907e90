# shellcheck shell=bash
# What the scripts beside this file share. Source it; it does nothing by itself.

# The exit code for "a needed service or program is unavailable" (sysexits: EX_UNAVAILABLE).
readonly EX_UNAVAILABLE=69

# The oldest Swift that builds the package.
readonly SWIFT_MINIMUM=6.2

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# fail CODE MESSAGE…: prints the message on standard error, one argument per line, and exits.
fail() {
    local code=$1
    shift
    printf '%s\n' "$@" >&2
    exit "$code"
}

# has COMMAND: whether the command can be found.
has() {
    command -v "$1" >/dev/null 2>&1
}

# as_root COMMAND…: runs the command as root, through sudo where that is needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif has sudo; then
        sudo "$@"
    else
        fail "$EX_UNAVAILABLE" "This needs root, and there is no sudo. Run as root: $*"
    fi
}

# Where Homebrew puts libraries, compilers do not look by themselves.
if [ "$(uname -s)" = Darwin ] && has brew; then
    prefix=$(brew --prefix)
    export CPATH="$prefix/include${CPATH:+:$CPATH}" LIBRARY_PATH="$prefix/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
fi

# at_least VERSION MINIMUM: whether a dotted version is the minimum or newer, by its first two numbers.
at_least() {
    local major minor wanted_major wanted_minor
    IFS=. read -r major minor _ <<<"$1.0"
    IFS=. read -r wanted_major wanted_minor _ <<<"$2.0"
    [ "$major" -gt "$wanted_major" ] || { [ "$major" -eq "$wanted_major" ] && [ "$minor" -ge "$wanted_minor" ]; }
}

# with_progress LABEL COMMAND…: runs the command with its output kept back. Shows the elapsed time on a terminal, one line when
# it is done, and the whole output when it fails.
with_progress() {
    local label=$1 log start pid status=0
    shift
    log=$(mktemp)
    start=$SECONDS
    "$@" >"$log" 2>&1 &
    pid=$!
    if [ -t 1 ]; then
        while kill -0 "$pid" 2>/dev/null; do
            printf '\r%s … %d s ' "$label" "$((SECONDS - start))"
            sleep 1
        done
        printf '\r'
    fi
    wait "$pid" || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        rm -f "$log"
        fail "$status" "$label: failed after $((SECONDS - start)) s. The output is above."
    fi
    rm -f "$log"
    printf '%s: done in %d s\n' "$label" "$((SECONDS - start))"
}
