# ./dev check
# layout of the source by clang-format, and what clang-tidy finds

[ $# -eq 0 ] || usage_error "check takes no arguments"
need_build
need "to check the source with" git clang clang-format clang-tidy
install_missing
build clang
git ls-files '*.c' '*.h' >build/check.files
if ! xargs clang-format --dry-run -Werror <build/check.files 2>build/check.format; then
    grep -h 'error' build/check.format | head -n 20 >&2
    result check 0 1
    fail "clang-format wants another layout: clang-format -i FILE"
fi
git ls-files 'src/*.c' 'adapters/*.c' 'sim/*.c' 'examples/*.c' 'live/*.c' >build/check.tidy
if ! xargs -P "$(jobs)" -n 1 clang-tidy -p build/clang --quiet <build/check.tidy >build/check.report 2>/dev/null; then
    grep -E 'warning|error' build/check.report | head -n 40 >&2
    result check 0 1
    fail "clang-tidy found something (build/check.report)"
fi
echo "check: $(wc -l <build/check.files) files laid out, $(wc -l <build/check.tidy) without findings"
result check 1 0
