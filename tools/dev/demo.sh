# ./dev demo
# build the library and the simulator, and run the main job against it over real HTTP

[ $# -eq 0 ] || usage_error "demo takes no arguments"
need_build
install_missing
build dev sandport-sim sandport-demo
build/dev/bin/sandport-sim run -- build/dev/bin/sandport-demo
