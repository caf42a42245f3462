# ./dev abi [--renew]
# what the shared libraries and headers promise to programs that are built already, against abi/ (--renew: promise what is there now)
#
# A removed symbol, another layout or type of a public struct or function, another value of a constant fails. What is new does not,
# and is promised from the next --renew on. docs/embedding.md says when a break is allowed and what it then takes.

case $# in
0) renew=no ;;
1)
    [ "$1" = --renew ] || usage_error "usage: ./dev abi [--renew]"
    renew=yes
    ;;
*) usage_error "usage: ./dev abi [--renew]" ;;
esac

. tools/dev/lib_abi.sh
if [ "$(uname -m)" != x86_64 ]; then
    echo "abi: abi/ is what the libraries of x86_64 are; nothing is compared on $(uname -m)"
    exit 0
fi
need_build
need "to read and compare what libraries export" abigail-tools
install_missing
parts="core curl daytona e2b local orchestrator posix router sim store-sqlite store-postgres"
targets=
for part in $parts; do targets="$targets sandport_${part}_shared"; done
build dev $targets
out=build/abi
mkdir -p "$out"
for part in $parts; do
    abi_take "build/dev/lib/libsandport-$part.so" include/sandport "$out/$part.abi" || fail "abidw cannot read libsandport-$part"
done
abi_constants include "$out/constants.txt" || fail "the constants of the public headers cannot be read"

if [ $renew = yes ]; then
    mkdir -p abi
    for part in $parts; do cp "$out/$part.abi" abi/; done
    cp "$out/constants.txt" abi/
    echo "abi: abi/ holds what is there now; git diff abi shows what changed"
    exit 0
fi

good=0
bad=0
for part in $parts; do
    if abi_compare "abi/$part.abi" "$out/$part.abi" "$out/$part.report"; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        say "libsandport-$part no longer is what programs were linked with:"
        head -n 40 "$out/$part.report" >&2
    fi
done
if abi_compare_constants abi/constants.txt "$out/constants.txt" "$out/constants.report"; then
    good=$((good + 1))
else
    bad=$((bad + 1))
    say "constants that programs were compiled with are gone or have another value:"
    cat "$out/constants.report" >&2
fi
result abi "$good" "$bad"
if [ $bad != 0 ]; then
    say "A struct that begins with size and grew at its end breaks nobody: run ./dev abi --renew and commit abi/ with the change.
    Any other break that is meant: raise the minor version (before 1.0, else the major) in CMakeLists.txt unless no release has the old
    ABI, write a line into CHANGELOG.md, run ./dev abi --renew and commit abi/ with the change."
    exit 1
fi
echo "abi: $good of $good hold: symbols and types of $(echo $parts | wc -w) libraries, $(wc -l <abi/constants.txt) constants"
