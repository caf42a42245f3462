#!/bin/sh
# The router's example: runs against the simulator and leaves nothing there, and the README's few lines of it compile.
# usage: router.sh PROGRAM SOURCE README SIMULATOR CASE
set -eu
program=$1 source=$2 readme=$3 simulator=$4
case $5 in
runs)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "$simulator" run -- "$program" "$folder/mappings.db" >"$folder/said" # 70 if a sandbox is left
    grep -q '^locator sbx_[0-9a-f]*$' "$folder/said"
    grep -q '^exit code 0: hello from /' "$folder/said"
    [ -s "$folder/mappings.db" ]
    if "$simulator" run -- env E2B_API_KEY= "$program" "$folder/mappings.db" 2>"$folder/err"; then exit 1; fi
    grep -q 'api_key' "$folder/err"
    ;;
readme_compiles)
    # The README's block, in a function that has what it names.
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    {
        sed -n '/^#include/p' "$source"
        echo 'void block(struct sbx_env *env, struct sbx_daytona_options daytona, struct sbx_e2b_options e2b,'
        echo '    struct sbx_pool_options first, struct sbx_pool_options second, struct sbx_store_sqlite_options file,'
        echo '    struct sbx_router_options options, struct sbx_route_request needs);'
        echo 'void block(struct sbx_env *env, struct sbx_daytona_options daytona, struct sbx_e2b_options e2b,'
        echo '    struct sbx_pool_options first, struct sbx_pool_options second, struct sbx_store_sqlite_options file,'
        echo '    struct sbx_router_options options, struct sbx_route_request needs) {'
        echo 'struct sbx_pool *pools[2]; struct sbx_registry *registry; struct sbx_store *store; struct sbx_router *router;'
        echo 'struct sbx_error err = SBX_ERROR_INIT; char locator[SBX_LOCATOR_SIZE];'
        sed -n '/^sbx_daytona_pool/,/^```/p' "$readme" | sed '/^```/d'
        echo '}'
    } >"$folder/block.c"
    [ "$(grep -c '^sbx_' "$folder/block.c")" -ge 7 ]
    ${CC:-cc} -std=c17 -Wall -Wextra -Werror -Wno-unused-result -fsyntax-only -I "$(dirname "$readme")/include" "$folder/block.c"
    ;;
*) exit 64 ;;
esac
