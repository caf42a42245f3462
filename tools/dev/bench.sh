# ./dev bench
# what things cost, as ratios against a named loop of the same run

[ $# -eq 0 ] || usage_error "bench takes no arguments"
need_build
install_missing
build release bench_lifecycle
build/release/bin/bench_lifecycle
build release bench_shell
build/release/bin/bench_shell
