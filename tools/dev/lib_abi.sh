# What a program that was linked before relies on: symbols, the types behind them, and constants. Sourced by abi.sh and by its test.

# abi_take LIBRARY HEADERS OUT: the ABI of a library with debug information, types of HEADERS only, the same text on every machine.
abi_take() {
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only --no-elf-needed --no-architecture \
        --type-id-style hash --headers-dir "$2" --drop-private-types --out-file "$3.new" "$1" || return 1
    sed "s| path='[./]*/src/| path='src/|; s| path='[./]*/adapters/| path='adapters/|; s| path='[./]*/sim/| path='sim/|" \
        "$3.new" >"$3"
    rm -f "$3.new"
}

# abi_constants INCLUDE OUT: "NAME value" of each enumerator and each macro of the public headers that is a whole number.
abi_constants() {
    (cd "$1" && find sandport -name '*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/') >"$2.h"
    {
        gcc -std=c17 -E -I"$1" -x c "$2.h" | grep -v '^#' | grep -oE '\<SBX_[A-Z0-9_]+\>'
        gcc -std=c17 -E -dM -I"$1" -x c "$2.h" | sed -nE 's/^#define (SBX_[A-Z0-9_]+) (.*)$/\1 \2/p' |
            grep -E '^[A-Z0-9_]+ (\(*-?[0-9(]|U?INT[0-9]+_(MAX|MIN)$|SBX_[A-Z0-9_]+$)' | sed 's/ .*//'
    } | grep -v '^SBX_VERSION_' | LC_ALL=C sort -u >"$2.names"
    {
        cat "$2.h"
        echo '#include <stdio.h>'
        echo 'int main(void) {'
        sed 's/.*/    printf("& %lld\\n", (long long)(&));/' "$2.names"
        echo '}'
    } >"$2.c"
    gcc -std=c17 -w -I"$1" "$2.c" -o "$2.program" && "$2.program" >"$2"
}

# abi_compare OLD NEW REPORT: 0 if all that was there is there and means the same; what is new is no break.
abi_compare() {
    status=0
    abidiff --no-added-syms "$1" "$2" >"$3" 2>&1 || status=$?
    # 4 and 8 are changes, 1 and 2 that it could not be told.
    [ $((status & 3)) = 0 ] || say "abidiff failed"
    return $((status != 0))
}

# abi_compare_constants OLD NEW REPORT
abi_compare_constants() {
    LC_ALL=C sort "$1" >"$3.old"
    LC_ALL=C sort "$2" | LC_ALL=C comm -23 "$3.old" - >"$3"
    [ ! -s "$3" ]
}
