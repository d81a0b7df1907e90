# shellcheck shell=bash
# Functions shared by the scripts. To be sourced; it has no effects by itself.

# The exit code for "a needed service or program is unavailable" (sysexits: EX_UNAVAILABLE).
readonly EX_UNAVAILABLE=69

# The oldest Swift that builds the package.
readonly SWIFT_MINIMUM=6.2

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

# fail CODE MESSAGE…: prints the message to standard error, one argument per line, and exits with the code.
fail() {
    local code=$1
    shift
    printf '%s\n' "$@" >&2
    exit "$code"
}

# has COMMAND: succeeds if the command exists.
has() {
    command -v "$1" >/dev/null 2>&1
}

# as_root COMMAND…: runs the command as root, with sudo if necessary.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif has sudo; then
        sudo "$@"
    else
        fail "$EX_UNAVAILABLE" "This requires root, but sudo is not installed. Run as root: $*"
    fi
}

# Compilers do not search the folders of Homebrew by default.
if [ "$(uname -s)" = Darwin ] && has brew; then
    prefix=$(brew --prefix)
    export CPATH="$prefix/include${CPATH:+:$CPATH}" LIBRARY_PATH="$prefix/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
fi

# at_least VERSION MINIMUM: succeeds if a dotted version is the minimum or newer, by its first two numbers.
at_least() {
    local major minor wanted_major wanted_minor
    IFS=. read -r major minor _ <<<"$1.0"
    IFS=. read -r wanted_major wanted_minor _ <<<"$2.0"
    [ "$major" -gt "$wanted_major" ] || { [ "$major" -eq "$wanted_major" ] && [ "$minor" -ge "$wanted_minor" ]; }
}

# What `script/test` builds and tests: `debug`, or `release`, as .ci/run does, which builds everything once. Package.swift and the checks read it.
export TEST_CONFIGURATION=${TEST_CONFIGURATION:-debug}

# The options with which programs are compiled for release. All scripts use the same: with others, each would compile everything again.
release_options=(-c release)
if [ "$(uname -s)" = Linux ]; then
    # Functions in sections of their own can be left out of the tool if nothing calls them. The toolchain's linker, if there is one, knows how.
    release_options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections)
    # `swiftc` may be a program of a version manager, in another folder than the toolchain.
    programs=
    if has swiftc; then programs=$(swiftc -print-target-info | sed -nE 's/.*"runtimeResourcePath": "([^"]+)".*/\1/p')/../../bin; fi
    if [ -x "$programs/ld.lld" ]; then release_options+=(-Xswiftc -use-ld=lld); fi
fi
# SwiftPM finds tests by the index.
if [ "$TEST_CONFIGURATION" = release ]; then release_options+=(--enable-index-store -debug-info-format none); fi

# The options with which `script/test` builds.
test_options=(-c debug)
if [ "$TEST_CONFIGURATION" = release ]; then test_options=("${release_options[@]}"); fi

# build_program PROGRAM [OPTION…]: builds a program for release, in $root, and sets `program` to its path.
build_program() {
    "$root/script/bootstrap"
    with_progress "Building $1" swift build --package-path "$root" "${release_options[@]}" --product "$@"
    program=$(swift build --package-path "$root" -c release --show-bin-path)/$1
}

# build_tool: builds the tool for release, in $root, and sets `tool` to its path. On Linux it contains the Swift runtime, so that it runs where
# Swift is not installed. Only the linker knows about that, so the other programs are not compiled again.
build_tool() {
    local link_options=()
    if [ "$(uname -s)" = Linux ]; then
        add_link_options
        STATIC_RUNTIME=1 build_program cblite "${link_options[@]}"
    else
        build_program cblite
    fi
    tool=$program
}

# add_link_options: adds the options to link_options with which the tool contains the Swift runtime and gets smaller. What is not possible with
# this toolchain is left out, with a message. If CBLITE_ALL_DATA is set, the tool contains all data of ICU, for comparison.
add_link_options() {
    local archive data=$root/.build/static version library
    mkdir -p "$data"
    # The libraries of the runtime, which the compiler names in what it compiles.
    printf 'import %s\n' Dispatch Foundation Synchronization >"$data/runtime.swift"
    swiftc -static-stdlib -c "$data/runtime.swift" -o "$data/runtime.o"
    "$programs/swift-autolink-extract" "$data/runtime.o" -o "$data/libraries"
    for library in $(cat "$data/libraries"); do link_options+=(-Xlinker "$library"); done
    # Its symbols are not exported, because nothing is loaded that could use them, and their names are 4 MB.
    link_options+=(-Xlinker --no-export-dynamic)

    if [ ! -x "$programs/ld.lld" ]; then
        echo "The tool gets larger, because this Swift toolchain has no linker lld."
        return 0
    fi
    link_options+=(-Xlinker --icf=safe -Xlinker --no-eh-frame-hdr -Xlinker "-T$root/script/lib/no-exception-tables.ld")
    # Addresses that are adjusted at the start take 3 MB, or 0.03 MB in a form that the GNU C library knows since 2.36.
    version=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
    if [ -n "$version" ] && at_least "${version##* }" 2.36; then link_options+=(-Xlinker -z -Xlinker pack-relative-relocs); fi

    [ -z "${CBLITE_ALL_DATA:-}" ] || return 0
    archive=$(swiftc -static-stdlib -print-target-info | sed -nE 's/.*"runtimeResourcePath": "([^"]+)".*/\1/p')/linux/lib_FoundationICU.a
    # It needs the toolchain's compiler.
    if PATH=$programs:$PATH python3 "$root/script/lib/icu_data.py" "$archive" "$data/icu_data.o" >"$data/log"; then
        link_options+=(-Xlinker "--wrap=$(cut -d : -f 1 "$data/log")" -Xlinker "$data/icu_data.o")
    else
        echo "The tool gets 24 MB larger, because it contains all data of ICU."
    fi
}

# tool_version: prints the version of the tool, as its source states it.
tool_version() {
    sed -nE 's/.*version: "cblite ([^"]+)".*/\1/p' "$root/Sources/Tool/cblite/CBLite.swift"
}

# with_progress LABEL COMMAND…: runs the command without showing its output. Shows the elapsed time and how far a build has got: on a
# terminal once a second in one line, elsewhere in a line every five seconds. If the command fails, shows the end of its output, and which
# file contains all of it.
with_progress() {
    local label=$1 log start pid steps report=5 status=0
    shift
    log=$(mktemp)
    start=$SECONDS
    "$@" >"$log" 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        steps=$(tail -c 4096 "$log" | grep -o '\[[0-9]*/[0-9]*\]' | tail -n 1 || true)
        if [ -t 1 ]; then
            printf '\r%s … %s %d s ' "$label" "$steps" "$((SECONDS - start))"
        elif [ "$((SECONDS - start))" -ge "$report" ]; then
            printf '%s … %s %d s\n' "$label" "$steps" "$((SECONDS - start))"
            report=$((SECONDS - start + 5))
        fi
        sleep 1
    done
    if [ -t 1 ]; then printf '\r\033[K'; fi
    wait "$pid" || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log" >&2
        fail "$status" "$label: failed after $((SECONDS - start)) s. The end of the output is above; all of it is in $log."
    fi
    rm -f "$log"
    printf '%s: done in %d s\n' "$label" "$((SECONDS - start))"
}
