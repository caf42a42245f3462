#!/bin/sh
# Installs the build into a scratch prefix and uses it as a stranger would.
# usage: package.sh SOURCE BUILD CASE
set -eu
source=$1 build=$2 case=$3
scratch=$build/install-test/$case
rm -rf "$scratch"
mkdir -p "$scratch"
prefix=$scratch/prefix
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"
libs=$(dirname "$(find "$prefix" -name 'libsandport-core.so' | head -n 1)")
export LD_LIBRARY_PATH="$libs"

expect() {
    if [ "$1" != "0.1.0 daytona e2b memory sqlite postgres" ]; then
        echo "expected '0.1.0 daytona e2b memory sqlite postgres', got '$1'" >&2
        exit 1
    fi
}
parts="core curl daytona e2b local orchestrator posix router sim store-sqlite store-postgres"
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
refuse() { # LIBRARY WHAT OWN: it needs nothing of WHAT but OWN
    if needs "$1" | grep -E "$2" | grep -vE "$3"; then
        echo "$1 links what it must not" >&2
        exit 1
    fi
}

case $case in
cmake)
    cmake -G Ninja -S "$source/tests/install/consumer" -B "$scratch/b" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cmake.log"
    cmake --build "$scratch/b" >>"$scratch/cmake.log"
    expect "$("$scratch/b/shared" "$scratch/store.db")"
    expect "$("$scratch/b/static" "$scratch/store.db")"
    ;;
pkg_config)
    export PKG_CONFIG_PATH="$libs/pkgconfig"
    cc -std=c17 "$source/tests/install/consumer/main.c" -o "$scratch/shared" \
        $(pkg-config --cflags --libs sandport-daytona sandport-e2b sandport-curl sandport-store-sqlite sandport-store-postgres)
    expect "$("$scratch/shared" "$scratch/store.db")"
    ;;
links_only_what_it_needs)
    for part in $parts; do
        case $part in # what it may have beside the core, and the libraries of others
        core) own='^$' ;;
        curl) own='sandport-(core|posix)|libcurl' ;;
        store-sqlite) own='sandport-core|libsqlite3' ;;
        store-postgres) own='sandport-core|libpq' ;;
        *) own='sandport-core' ;;
        esac
        refuse "$libs/libsandport-$part.so" 'sandport|libcurl|sqlite|libpq' "$own"
    done
    needs "$libs/libsandport-curl.so" | grep -q libcurl
    needs "$libs/libsandport-store-sqlite.so" | grep -q libsqlite3
    needs "$libs/libsandport-store-postgres.so" | grep -q libpq
    ;;
sonames)
    for part in $parts; do
        readelf -d "$libs/libsandport-$part.so" | grep -qF "soname: [libsandport-$part.so.0.1]"
        [ -e "$libs/libsandport-$part.so.0.1" ]
        [ -f "$libs/libsandport-$part.a" ]
    done
    "$prefix/bin/sandport-sim" --version | grep -qx 'sandport-sim 0.1.0'
    ;;
*)
    echo "no such case: $case" >&2
    exit 64
    ;;
esac
