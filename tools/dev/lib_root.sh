# Roots to try the static program in, and the official SDKs against it there. Sourced by release.sh, whose $work, $version and apt_here
# it uses. A root holds copies only: nothing of the host is mounted into it, so that it can be removed like any folder.

# $enter_root ROOT COMMAND...
if [ "$(id -u)" = 0 ]; then enter_root=chroot; else enter_root="unshare --user --map-root-user --root"; fi
# Nothing of the caller's environment, but a PATH that serves on both sides.
enter_root="env -i PATH=/bin:/usr/bin:/sbin:/usr/sbin $enter_root"

# musl_root ROOT PROGRAM: a userland of musl and busybox, as Alpine has, from Debian's packages: unpacked, not installed. Debian's busybox
# is static and brings the C library that it was built with; musl is there as the root's own, with its loader. No glibc.
musl_root() {
    mkdir -p "$work/debs" "$1/in"
    fetch_userland() { (cd "$work/debs" && apt_here download musl busybox-static); }
    quietly "$work/userland.log" fetch_userland || fail "apt-get download musl busybox-static failed"
    for deb in "$work"/debs/*.deb; do
        quietly "$work/unpack-userland.log" dpkg-deb -x "$deb" "$1" || fail "$deb does not unpack"
    done
    cp "$2" "$1/bin/sandport-sim"
    $enter_root "$1" /bin/busybox --install -s /bin || fail "busybox does not run in $1"
    if find "$1" -name 'ld-linux*' -o -name 'libc.so.6' | grep -q .; then fail "there is a glibc in $1"; fi
    # The loader says who it is, and fails for want of a program.
    $enter_root "$1" /bin/sh -c '/lib/ld-musl-*.so.1' >"$work/musl.log" 2>&1 </dev/null || :
    grep -q '^musl libc' "$work/musl.log" || { cat "$work/musl.log" >&2; fail "the C library of $1 is not musl"; }
    # Its shell is the command, and finds the program by PATH.
    # shellcheck disable=SC2016 # for that shell
    $enter_root "$1" /bin/sandport-sim run -- /bin/sh -c \
        'sandport-sim env --url "$SANDPORT_SIM_ADMIN" | grep -c "^export DAYTONA_API_URL="' >"$work/musl.log" 2>&1 </dev/null ||
        { cat "$work/musl.log" >&2; fail "sandport-sim does not run a command of $1"; }
    echo 'exec sandport-sim serve --scenario /in/scenario.json' >"$1/in/serve.sh"
}

# sdk_in_root ROOT COMMAND...: serves by COMMAND in ROOT and runs the SDKs' whole script against it. The scenario is /in/scenario.json.
sdk_in_root() {
    root=$1
    shift
    name=$(basename "$root")
    mkdir -p "$root/in"
    cp interop/scenario.json "$root/in/"
    [ $# -gt 1 ] || set -- "$1" serve --scenario /in/scenario.json
    rm -f "$work/$name.ready"
    $enter_root "$root" "$@" >"$work/$name.ready" 2>"$work/$name.serve.log" </dev/null &
    served=$!
    trap 'kill $served 2>/dev/null || :' EXIT
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$work/$name.ready" ] && break
        sleep 0.1
    done
    admin=$(sed -n 's/.*"admin":"\([^"]*\)".*/\1/p' "$work/$name.ready")
    [ -n "$admin" ] || fail "sandport-sim did not get ready in $root ($work/$name.serve.log)"
    eval "$("$program" env --url "$admin")"
    node interop/run.mjs >"$work/$name.sdk.log" 2>&1 ||
        { tail -n 40 "$work/$name.sdk.log" >&2; fail "the SDKs found something in the root '$name'"; }
    echo "SDKs against the program in the root '$name': $(tail -n 1 "$work/$name.sdk.log")"
    kill $served
    wait $served || :
    trap - EXIT
}
