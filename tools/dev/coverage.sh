# ./dev coverage
# line and branch coverage of the library, the adapters and the simulator: build/coverage/index.html

[ $# = 0 ] || usage_error "coverage takes no arguments"
need_build
need_test_tools
need "to read coverage" gcovr
install_missing
build coverage
find build/coverage -name '*.gcda' -delete
run_ctest coverage build/coverage
gcovr -r . --object-directory build/coverage --filter src/ --filter adapters/ --filter sim/ \
    --exclude-unreachable-branches --branches --html-details build/coverage/index.html >/dev/null
gcovr -r . --object-directory build/coverage --filter src/ --filter adapters/ --filter sim/ \
    --exclude-unreachable-branches | tail -n +5
