# ./dev tsan [REGEX]
# the tests that use threads, and a share of the others, with the thread sanitizer (clang)

[ $# -le 1 ] || usage_error "tsan takes at most one regular expression"
need_build
need_test_tools
need "the thread sanitizer" clang libclang-rt-14-dev
install_missing
build tsan
run_ctest tsan build/tsan -R "${1-.}"
