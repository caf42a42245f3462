# ./dev test [REGEX]
# build with the system's C compiler and run the whole test suite, or the tests that match

[ $# -le 1 ] || usage_error "test takes at most one regular expression"
need_build
need_test_tools
install_missing
build dev
if [ $# = 1 ]; then
    run_ctest test build/dev -R "$1"
else
    run_ctest test build/dev
    echo "What each runtime declares (docs/capabilities.md):"
    build/dev/tests/capability_table
fi
