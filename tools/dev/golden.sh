# ./dev golden
# the journals of 20 seeds, hashed by debug and release builds and by Clang's, in a locale with a decimal point and one with a comma
#
# All six must be tests/scenario/daytona/golden.txt. Then the tests that write or read numbers run with the comma. Row V1.

[ $# -eq 0 ] || usage_error "golden takes no arguments"
need_build
need "to build with the other compiler" clang
need "to have a locale with a decimal comma" locales
install_missing
golden=tests/scenario/daytona/golden.txt
program=scenario_daytona_golden
out=build/golden
mkdir -p "$out" build/locale
locale_log=$out/locale.log
if [ ! -d build/locale/de_DE.UTF-8 ]; then
    quietly "$locale_log" localedef --no-archive -i de_DE -f UTF-8 "$PWD/build/locale/de_DE.UTF-8" ||
        fail "localedef makes no de_DE.UTF-8"
fi
export LOCPATH="$PWD/build/locale"

# hashes PRESET LOCALE POINT: of all seeds, after the program has shown that it is in that locale.
hashes() {
    file=$out/$1-$2.txt
    rm -f "$file"
    LC_ALL=$2 SANDPORT_GOLDEN_POINT=$3 SANDPORT_GOLDEN_WRITE=$file SANDPORT_SOURCE_DIR=$PWD \
        "build/$1/tests/$program" the_locale_is_the_one_asked_for lives_are_as_committed >"$out/$1-$2.log" 2>&1 ||
        { tail -n 20 "$out/$1-$2.log" >&2; return 1; }
    if ! cmp -s "$file" "$golden"; then
        say "$1 in $2: other journals than $golden ($file)"
        diff "$golden" "$file" | head -n 4 >&2
        return 1
    fi
}

good=0
bad=0
for preset in dev release clang; do
    build $preset $program
    for in in C.UTF-8:. de_DE.UTF-8:,; do
        if hashes $preset "${in%:*}" "${in#*:}"; then good=$((good + 1)); else bad=$((bad + 1)); fi
    done
done
echo "golden: $(wc -l <"$golden") seeds; $good of $((good + bad)) builds and locales agree"

build dev
export LC_ALL=de_DE.UTF-8
status=0
run_ctest golden build/dev -R '^(scenario|sim_|unit_base|unit_sim|unit_wire|unit_work|guards_daytona|live_(run|words))' || status=1
if [ $bad != 0 ]; then
    result golden 0 "$bad"
    exit 1
fi
exit $status
