#!/bin/sh
# The first program that needs no account: runs, links neither libcurl nor an adapter of a cloud, and is short.
# usage: local.sh PROGRAM SOURCE CASE
set -eu
program=$1 source=$2
case $3 in
runs)
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    said=$("$program" "$root/sandboxes")
    case $said in "exit code 0: hello from /"*) ;; *) echo "said: $said" >&2; exit 1 ;; esac
    [ -z "$(find "$root/sandboxes" -mindepth 1 -maxdepth 1 -name '[0-9a-f]*')" ]
    if "$program" relative/root 2>"$root/err"; then exit 1; fi
    grep -q 'root: expected an absolute path' "$root/err"
    ;;
links_nothing_else)
    if ldd "$program" | grep -E 'libcurl|sqlite|libpq|sandport-(curl|sim|daytona|e2b)'; then exit 1; fi
    ldd "$program" | grep -q sandport-local
    ;;
is_short) [ "$(wc -l <"$source")" -lt 40 ] ;;
*) exit 64 ;;
esac
