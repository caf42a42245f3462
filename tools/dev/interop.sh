# ./dev interop
# run the providers' official SDKs, as published, against the simulator

# With --exec host their sandboxes run real processes.
exec_host=
case $#:${1-}:${2-} in
0::) ;;
2:--exec:host)
    exec_host="--exec host"
    need "to isolate real processes with" bubblewrap python3
    ;;
*) usage_error "interop takes --exec host, or nothing" ;;
esac
need_build
need_node
install_missing
use_node
# Without user namespaces no sandbox can be isolated, and nothing that a run showed would be about this project.
if [ -n "$exec_host" ] && ! bwrap --unshare-all --ro-bind / / true 2>build/interop.bwrap; then
    fail "--exec host needs user namespaces, which this machine does not allow: $(head -n 1 build/interop.bwrap)"
fi
build dev sandport-sim
if [ ! -f interop/node_modules/.package-lock.json ] ||
    [ interop/package-lock.json -nt interop/node_modules/.package-lock.json ]; then
    progress "fetching the SDKs"
    quietly build/interop.install.log npm ci --prefix interop --no-audit --no-fund || fail "npm ci --prefix interop failed"
    touch interop/node_modules/.package-lock.json
fi
status=0
sdk_steps build/interop.log interop || status=$?
if [ $status = 0 ]; then
    tail -n 1 build/interop.log
else
    grep -v '^ok ' build/interop.log || :
    say "the simulator's run exited with $status; every step: build/interop.log"
fi
set -- $counts
[ $# = 2 ] || set -- 0 1
# A run can fail with all steps good: something was left behind.
[ $status = 0 ] || [ "$2" != 0 ] || set -- "$1" 1
result "interop${exec_host:+_host}" "$1" "$2"
[ $status = 0 ] || exit 1
