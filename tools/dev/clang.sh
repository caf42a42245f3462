# ./dev clang [REGEX]
# the test suite as Clang builds it

[ $# -le 1 ] || usage_error "clang takes at most one regular expression"
need_build
need_test_tools
need "the other compiler" clang
install_missing
build clang
run_ctest clang build/clang -R "${1-.}"
