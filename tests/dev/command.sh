#!/bin/sh
# What ./dev does apart from building: one case a run.
# usage: command.sh SOURCE SCRATCH CASE
set -eu
source=$1 case=$3
scratch=$2/$case
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/tree"
out=$scratch/out err=$scratch/err

complain() {
    echo "$*" >&2
    cat "$out" "$err" >&2
    exit 1
}

# run WANTED_STATUS ARGUMENTS...: runs the copy of ./dev.
run() {
    wanted=$1
    shift
    status=0
    "$scratch/tree/dev" "$@" >"$out" 2>"$err" </dev/null || status=$?
    [ $status = "$wanted" ] || complain "./dev $*: exit $status, expected $wanted"
}
says() { grep -qF -e "$2" "$1" || complain "expected '$2'"; }

# A program of this name comes first, and does this.
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# A copy: what a case makes stays out of the tree under test.
cp -R "$source/dev" "$source/tools" "$source/CMakeLists.txt" "$scratch/tree/"

case $case in
help_names_each_command)
    run 0 help
    for file in "$source"/tools/dev/*.sh; do
        name=$(basename "$file" .sh)
        case $name in lib*) continue ;; esac
        says "$out" "  $name "
        sed -n 1,2p "$file" | grep -q '^# ' || complain "$file does not say what it does"
    done
    [ ! -s "$err" ] || complain "help speaks on standard error"
    ;;
unknown_command_is_usage)
    for word in nonsense ../dev/test lib ''; do
        run 64 "$word"
        says "$err" "usage: ./dev COMMAND"
        [ ! -s "$out" ] || complain "usage of '$word' is on standard output"
    done
    ;;
command_arguments_are_checked)
    run 64 test one two
    run 64 demo fast
    run 64 mutate
    run 64 check it
    ;;
without_root_says_what_to_install)
    # Nobody has cmake and ninja here, and nobody is root.
    stand_in dpkg-query 'exit 1'
    stand_in id 'echo 1000'
    for tool in sh dirname basename sed cat mkdir nproc grep; do ln -s "$(command -v $tool)" "$scratch/bin/$tool"; done
    stand_in apt-get 'echo apt-get was run >&2; exit 1'
    PATH=$scratch/bin run 69 test
    says "$err" "    apt-get update && apt-get install --no-install-recommends gcc"
    says "$err" " cmake ninja-build"
    says "$err" "to compile:"
    ! grep -q 'apt-get was run' "$err" || complain "it tried to install without root"
    ;;
nothing_missing_asks_for_no_root)
    # Every package is there; the build itself is not what this is about.
    stand_in dpkg-query 'echo installed'
    stand_in apt-get 'echo apt-get was run >&2; exit 1'
    stand_in cmake 'echo the build began >&2; exit 1'
    stand_in nothing 'exit 0'
    touch "$scratch/tree/CMakePresets.json"
    PATH=$scratch/bin:$PATH run 1 test
    says "$err" "the build began"
    ! grep -q 'apt-get was run' "$err" || complain "it ran apt-get with nothing missing"
    ;;
abi_tells_what_broke)
    cd "$scratch/tree"
    . tools/dev/lib.sh
    . tools/dev/lib_abi.sh
    mkdir -p one/sandport
    # library NAME STRUCT_MEMBERS FUNCTIONS CONSTANT: builds it and takes its ABI and constants.
    library() {
        cat >one/sandport/t.h <<END
#define SBX_T_MAX ($4)
enum sbx_t { SBX_T_A = $4 };
struct sbx_t_options { unsigned long size; $2 };
struct sbx_t_inside;
END
        printf '%s\n' '#include <sandport/t.h>' "$3" >one/t.c
        gcc -g -shared -fPIC -Ione one/t.c -o "$1.so" && abi_take "$1.so" one/sandport "$1.abi"
        abi_constants one "./$1.txt"
    }
    first='int sbx_f(struct sbx_t_options *o) { return (int)o->size; } struct sbx_t_inside { int a; };
        int sbx_g(struct sbx_t_inside *i) { return i->a; }'
    library old 'int a;' "$first" 3
    says old.txt "SBX_T_MAX 3"
    says old.txt "SBX_T_A 3"
    library same 'int a;' "$first" 3
    abi_compare old.abi same.abi "$out" 2>"$err" || complain "the same is a break"
    abi_compare_constants old.txt same.txt "$out" || complain "the same constants are a break"
    library more 'int a;' "$first int sbx_h(void) { return 1; }" 3
    abi_compare old.abi more.abi "$out" 2>"$err" || complain "a new symbol is a break"
    library inside 'int a;' "$(echo "$first" | sed 's/{ int a; }/{ long x; int a; }/')" 3
    abi_compare old.abi inside.abi "$out" 2>"$err" || complain "an opaque struct is a break"
    library grown 'int a; long b;' "$first" 3
    ! abi_compare old.abi grown.abi "$out" 2>"$err" || complain "a grown struct passes"
    says "$out" sbx_t_options
    library gone 'int a;' "${first%%int sbx_g*}" 3
    ! abi_compare old.abi gone.abi "$out" 2>"$err" || complain "a removed symbol passes"
    says "$out" sbx_g
    library valued 'int a;' "$first" 4
    ! abi_compare_constants old.txt valued.txt "$out" || complain "another constant passes"
    says "$out" "SBX_T_MAX 3"
    ;;
live_refuses_to_spend)
    # Before anything is installed or built: nothing here could build.
    stand_in dpkg-query 'echo installed'
    stand_in cmake 'echo the build began >&2; exit 1'
    (umask 077 && echo DAYTONA_API_KEY=canary >"$scratch/account.env")
    PATH=$scratch/bin:$PATH
    for words in '' daytona 'daytona --yes-spend' 'e2b --env-file F --yes-spend' 'daytona --env-file' 'daytona --env-file F -y'; do
        run 64 live $words
        says "$err" "usage: ./dev live daytona --env-file FILE --yes-spend"
    done
    run 64 live daytona --env-file "$scratch/account.env"
    says "$err" "say --yes-spend"
    run 64 live daytona --yes-spend --env-file "$scratch/none"
    says "$err" "there is no file"
    ! grep -q 'the build began' "$err" || complain "it builds before it refuses"
    touch "$scratch/tree/CMakePresets.json"
    run 1 live daytona --yes-spend --env-file "$scratch/account.env"
    says "$err" "the build began"
    ! grep -rq canary "$out" "$err" || complain "the key shows"
    ;;
release_refuses_to_publish)
    run 64 release --publish
    says "$err" "usage: ./dev release"
    ! grep -nE 'git push|npm publish|gh release|curl .*(-T|--upload)' "$source"/tools/dev/*.sh "$source/.ci/run" ||
        complain "something here publishes"
    ;;
release_files_are_reproducible)
    # A repository of its own: the tree under test may be an export without history.
    cd "$scratch/tree"
    git init -q . && git add -A
    git -c user.name=t -c user.email=t@t.invalid commit -qm one
    . tools/dev/lib_release.sh
    release_tarball "$scratch/a.tar.gz" one
    release_tarball "$scratch/b.tar.gz" one
    cmp "$scratch/a.tar.gz" "$scratch/b.tar.gz"
    tar -tzf "$scratch/a.tar.gz" >"$out"
    : >"$err"
    says "$out" one/dev
    mkdir "$scratch/files"
    cp "$scratch/a.tar.gz" "$scratch/files/"
    release_provenance "$scratch/files/provenance.json" 0.1.0 1.7.15-1 "wslay 1.1.1-3"
    says "$scratch/files/provenance.json" "\"commit\": \"$(git rev-parse HEAD)\""
    says "$scratch/files/provenance.json" '"workflow": "tools/dev/release.sh"'
    release_checksums "$scratch/files"
    (cd "$scratch/files" && sha256sum -c SHA256SUMS >"$out")
    [ "$(wc -l <"$scratch/files/SHA256SUMS")" = 2 ] || complain "a file has no checksum"
    ;;
*)
    echo "no such case: $case" >&2
    exit 64
    ;;
esac
