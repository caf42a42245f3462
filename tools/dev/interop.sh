# ./dev interop
# Daytona's official SDKs, as published and unmodified, against sandport-sim over real HTTP

[ $# -eq 0 ] || usage_error "interop takes no arguments"
need_build
need "to run the SDKs" nodejs npm
install_missing
build dev sandport-sim
if [ ! -d interop/node_modules ] || [ interop/package-lock.json -nt interop/node_modules ]; then
    progress "installing the SDKs by their lockfile"
    quietly build/interop-install.log npm ci --prefix interop --no-audit --no-fund || fail "npm ci failed"
    touch interop/node_modules
fi
status=0
build/dev/bin/sandport-sim run --scenario interop/scenario.json -- node interop/run.mjs >build/interop.log 2>&1 || status=$?
cat build/interop.log
set -- $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' build/interop.log | tail -n 1)
if [ $# = 2 ]; then result interop "$1" "$2"; else result interop 0 1; fi
exit $status
