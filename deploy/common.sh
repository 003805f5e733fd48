# Functions for the scripts beside this one, which source it.
# shellcheck shell=bash

deploy=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for the scripts that source this one
root=$(dirname "$deploy")
script="deploy/$(basename "$0")"

# Prints what the script does, to standard error; the program that it runs has standard output.
say() {
    printf '%s: %s\n' "$script" "$*" >&2
}

# Ends the script with a line that gives the reason.
fail() {
    say "stopped: $*"
    exit 1
}

# Prints, on one line, the packages of the given lists that this machine lacks.
missing_packages() {
    local package status missing=()
    while read -r package; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=none
        [[ $status == installed ]] || missing+=("$package")
    done < <(cd "$deploy" && grep -hv '^#' "$@")
    printf '%s' "${missing[*]-}"
}

# Runs a command as root, by sudo if this user is not root.
as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

# If sudo has started the script, this prefix runs a command as the user who called sudo; else it is empty.
# The command keeps sudo's PATH and the current folder.
# shellcheck disable=SC2034 # for the scripts that source this one
as_caller=()
if [[ $(id -u) == 0 && ${SUDO_USER:-root} != root ]]; then
    as_caller=(runuser -u "$SUDO_USER" -- env "HOME=$(getent passwd "$SUDO_USER" | cut -d: -f6)")
fi

# Installs the missing packages of the given lists. If none is missing, it does nothing and needs no network.
install_packages() {
    command -v dpkg-query >/dev/null || fail "this is no Debian or Ubuntu: install what deploy/packages names and use swift build"
    local missing
    missing=$(missing_packages "$@")
    if [[ -z $missing ]]; then
        say "the system packages are there"
        return
    fi
    [[ $(id -u) == 0 ]] || command -v sudo >/dev/null \
        || fail "only root can install packages; as root: apt-get install $missing"
    say "this machine lacks these packages, which apt-get installs now, as root: $missing"
    as_root apt-get -qq update >&2 || fail "apt-get update failed"
    # Unquoted, so that the shell splits the list into words.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends $missing >&2 \
        || fail "apt-get could not install $missing"
}

# Ends the script unless there is a Swift toolchain for Package.swift.
require_swift() {
    command -v swift >/dev/null \
        || fail "there is no swift on the PATH${SUDO_USER:+ that sudo sets}; install Swift 6.3 from https://www.swift.org/install${SUDO_USER:+, or start $script without sudo}"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [[ $(printf '6.3\n%s\n' "${version:-0}" | sort -V | head -n 1) == 6.3 ]] \
        || fail "collsync needs Swift 6.3 or newer, and this is ${version:-unknown}"
}
