# ./dev asan [REGEX]
# the test suite with address, leak and undefined-behaviour sanitizers

[ $# -le 1 ] || usage_error "asan takes at most one regular expression"
need_build
need_test_tools
install_missing
build asan
if [ $# = 1 ]; then run_ctest asan build/asan -R "$1"; else run_ctest asan build/asan; fi
