# ./dev demo
# build the library and the simulator, and run the main job against it over real HTTP, on Daytona, on E2B and by the router

[ $# -eq 0 ] || usage_error "demo takes no arguments"
need_build
install_missing
build dev sandport-sim sandport-demo
build/dev/bin/sandport-sim run -- build/dev/bin/sandport-demo daytona
echo
build/dev/bin/sandport-sim run --time virtual --auto-advance --scenario examples/demo/silent-minute.json -- \
    build/dev/bin/sandport-demo e2b
echo
DEMO_SECOND_API_KEY=$(sed -n 's/.*"second", "api_key": "\([^"]*\)".*/\1/p' examples/demo/two-accounts.json) \
    build/dev/bin/sandport-sim run --scenario examples/demo/two-accounts.json -- build/dev/bin/sandport-demo router
