# ./dev mutate --guards [GUARD...]
# break each guard in a copy of the tree and want its tests to fail (mutation/README.md)

[ "${1-}" = --guards ] || usage_error "usage: ./dev mutate --guards [GUARD...]"
shift
need_build
need_test_tools
install_missing
build dev sandport-mutate
mkdir -p build/mutate
status=0
if [ -t 1 ]; then
    build/dev/bin/sandport-mutate "$PWD" "$PWD/build/mutate" "$@" || status=1
else
    build/dev/bin/sandport-mutate "$PWD" "$PWD/build/mutate" "$@" >build/mutate/report 2>&1 || status=1
    cat build/mutate/report
    set -- $(sed -n 's/^\([0-9]*\) killed, \([0-9]*\) not$/\1 \2/p' build/mutate/report)
    if [ $# = 2 ]; then result mutate "$1" "$2"; else result mutate 0 1; fi
fi
exit $status
