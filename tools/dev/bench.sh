# ./dev bench
# what things cost, as ratios against a named loop of the same run

[ $# -eq 0 ] || usage_error "bench takes no arguments"
need_build
install_missing
benches="lifecycle shell rank router provision exec memory start transfer output serve multipart connect"
targets=sandport-sim
for bench in $benches; do targets="$targets bench_$bench"; done
build release $targets
for bench in $benches; do
    build/release/bin/bench_"$bench" || fail "bench_$bench did not run to its end"
done
