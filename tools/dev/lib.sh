# What the commands of ./dev share: saying things, installing what is missing, building, running tests.
# Sourced by ./dev with `set -eu`; the current folder is the root of the tree.

say() { echo "./dev: $*" >&2; }

# Progress is for somebody who watches; a pipe gets results only.
progress() { if [ -t 2 ]; then say "$@"; fi; }

fail() {
    say "$*"
    exit 1
}

usage_error() {
    say "$*"
    exit 64
}

jobs() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

# --- packages -------------------------------------------------------------------------------------------------------

missing=
missing_why=

# Is there what PACKAGE brings? By the package, or by its program or library from elsewhere.
present() {
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; then return 0; fi
    case $1 in
    libc6-dev) [ -f /usr/include/stdio.h ] ;;
    uthash-dev) [ -f /usr/include/uthash.h ] ;;
    libwslay-dev) [ -f /usr/include/wslay/wslay.h ] ;;
    lib*-dev | zlib1g-dev)
        case $1 in
        libcurl4-openssl-dev) module=libcurl ;;
        libcjson-dev) module=libcjson ;;
        libcmocka-dev) module=cmocka ;;
        libssl-dev) module=libcrypto ;;
        zlib1g-dev) module=zlib ;;
        libsqlite3-dev) module=sqlite3 ;;
        libpq-dev) module=libpq ;;
        *) return 1 ;;
        esac
        pkg-config --exists "$module" 2>/dev/null
        ;;
    dpkg-dev) command -v dpkg-source >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    binutils) command -v readelf >/dev/null ;;
    locales) [ -f /usr/share/i18n/locales/de_DE ] ;;
    abigail-tools) command -v abidiff >/dev/null ;;
    bubblewrap) command -v bwrap >/dev/null ;;
    postgresql) ls /usr/lib/postgresql/*/bin/initdb /usr/local/pgsql/bin/initdb 2>/dev/null | grep -q . ;;
    nghttp2-server) command -v nghttpd >/dev/null ;;
    ca-certificates) [ -s /etc/ssl/certs/ca-certificates.crt ] || [ -s /etc/ssl/cert.pem ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# need WHY PACKAGE...: notes which of them are missing, for install_missing.
need() {
    why=$1
    shift
    lacking=
    for package; do
        present "$package" || lacking="$lacking $package"
    done
    [ -n "$lacking" ] || return 0
    missing="$missing$lacking"
    missing_why="$missing_why
    $why:$lacking"
}

need_build() {
    need "to compile" gcc libc6-dev cmake ninja-build pkg-config
    need "libraries that sandport uses" libcurl4-openssl-dev libcjson-dev libssl-dev uthash-dev libwslay-dev zlib1g-dev \
        libsqlite3-dev libpq-dev
    need "to test with" libcmocka-dev
}

# What the tests run besides our own programs.
need_test_tools() {
    need "to test TLS, packages, symbols, releases and embedding with" openssl binutils ca-certificates git abigail-tools python3
    need "to test sandboxes of real processes with" bubblewrap
    need "to test the PostgreSQL store with a server of its own" postgresql
}

cannot_install() {
    {
        echo "./dev: packages are missing, and $1.$missing_why"
        echo "On Debian or Ubuntu, as root:"
        echo "    apt-get update && apt-get install --no-install-recommends$missing"
        echo "On another system install what brings the same programs and libraries, found by PATH and pkg-config."
    } >&2
    exit 69
}

install_missing() {
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || cannot_install "there is no apt-get here"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || cannot_install "this is neither root nor is there sudo"
        as_root="sudo -n"
        if [ -t 0 ]; then as_root=sudo; fi
        $as_root true || cannot_install "sudo gives no root here"
    fi
    say "installing what is missing, with apt-get:$missing_why"
    mkdir -p build
    if ! {
        $as_root apt-get update -q &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
    } >build/install.log 2>&1 </dev/null; then
        tail -n 20 build/install.log >&2
        cannot_install "apt-get failed (build/install.log)"
    fi
    missing=
    missing_why=
}

# --- building and testing -------------------------------------------------------------------------------------------

# Runs a command; on a terminal its output shows, in a pipe only when it fails.
quietly() {
    log=$1
    shift
    mkdir -p "$(dirname "$log")"
    if [ -t 2 ]; then
        "$@" >&2
    elif ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        return 1
    fi
}

# build PRESET [TARGET...]
build() {
    preset=$1
    shift
    progress "building build/$preset"
    if [ ! -f "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
        quietly "build/$preset/configure.log" cmake --preset "$preset" || fail "cmake --preset $preset failed"
        touch "build/$preset/build.ninja"
    fi
    quietly "build/$preset/build.log" ninja -C "build/$preset" "$@" || fail "the build in build/$preset failed"
}

# What a command found, for .ci/run to add up.
result() {
    mkdir -p build/results
    echo "$2 $3" >"build/results/$1"
}

# Many tests wait for other processes rather than for a processor, so one more runs than there are of these.
test_jobs() { echo $(($(jobs) + 1)); }

# run_ctest NAME FOLDER [CTEST ARGUMENTS...]: runs the tests, prints what failed and the summary, and notes the counts.
run_ctest() {
    name=$1
    folder=$2
    shift 2
    log=$folder/test.log
    status=0
    if [ -t 1 ]; then
        ctest --test-dir "$folder" -j "$(test_jobs)" --no-tests=error --output-on-failure --progress "$@" || status=1
        cp "$folder/Testing/Temporary/LastTest.log" "$log" 2>/dev/null || :
        failed=0
        [ $status = 0 ] || failed=1
        result "$name" 1 "$failed"
        return $status
    fi
    ctest --test-dir "$folder" -j "$(test_jobs)" --no-tests=error --output-on-failure "$@" >"$log" 2>&1 || status=1
    # Of a passing run the summary is enough; of a failing one everything but the lines of what passed.
    if [ $status = 0 ]; then
        grep -E 'tests passed|^Total Test time|\(Skipped\)$' "$log"
    else
        grep -vE '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test +#.* Passed ' "$log"
    fi
    set -- $(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
    # What was skipped has not passed, whatever CTest's percentage says.
    skipped=$(grep -c '(Skipped)$' "$log" || :)
    if [ $# = 2 ]; then result "$name" $(($2 - $1 - skipped)) "$1"; else result "$name" 0 1; fi
    return $status
}

# --- official SDKs ---------------------------------------------------------------------------------------------------

# The SDKs' newest generation wants a Node that has process.getBuiltinModule: 20.16, 22.3 or newer.
node_fits() { node -e 'process.exit(process.getBuiltinModule ? 0 : 1)' 2>/dev/null; }

# npm, and some Node to run it with; an old one serves to fetch a newer.
need_node() {
    if command -v npm >/dev/null; then return 0; fi
    missing="$missing nodejs npm"
    missing_why="$missing_why
    to run the official SDKs with: nodejs npm"
}

# Makes `node` one that fits, by npm's own package of it where the system's is too old.
use_node() {
    if node_fits; then return 0; fi
    PATH=$PWD/build/node/node_modules/node/bin:$PATH
    if node_fits; then return 0; fi
    say "the system's Node is too old for the SDKs: fetching one into build/node with npm"
    quietly build/node/install.log npm install --prefix build/node --no-audit --no-fund node@22 ||
        fail "npm install node@22 failed"
    hash -r
    node_fits || fail "the Node in build/node does not run"
}

# sdk_steps LOG FOLDER [TAG...]: runs FOLDER/run.mjs against the simulator; `counts` is then "passed failed".
sdk_steps() {
    steps_log=$1
    steps_folder=$2
    shift 2
    steps_status=0
    build/dev/bin/sandport-sim run ${exec_host-} --scenario interop/scenario.json -- node "$steps_folder/run.mjs" "$@" \
        >"$steps_log" 2>&1 || steps_status=$?
    counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$steps_log")
    return $steps_status
}
