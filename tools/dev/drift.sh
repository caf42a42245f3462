# ./dev drift
# run the newest official SDKs against the simulator and say what differs; never fails for what they do

[ $# -eq 0 ] || usage_error "drift takes no arguments"
need_build
need_node
install_missing
use_node
build dev sandport-sim
rm -rf build/drift
mkdir -p build/drift
cp interop/*.mjs interop/.npmrc build/drift/
cat >build/drift/package.json <<'MANIFEST'
{
    "private": true,
    "type": "module",
    "dependencies": {
        "daytona-0205": "npm:@daytonaio/sdk@latest",
        "daytona-0216": "npm:@daytona/sdk@latest",
        "e2b-0251": "npm:e2b@latest"
    }
}
MANIFEST
progress "fetching the newest SDKs"
if ! quietly build/drift/install.log npm install --prefix build/drift --no-audit --no-fund; then
    echo "drift: the newest SDKs could not be fetched (build/drift/install.log); nothing was tried"
    exit 0
fi
for package in daytona-0205 daytona-0216 e2b-0251; do
    node -p "const p = require('./build/drift/node_modules/$package/package.json'); 'drift: tried ' + p.name + ' ' + p.version"
done
if sdk_steps build/drift/steps.log build/drift 0205 0216 0251; then
    echo "drift: nothing differs: $(tail -n 1 build/drift/steps.log)"
else
    echo "drift: differs from what is expected of the versions in interop/package.json:"
    grep -v '^ok ' build/drift/steps.log || :
fi
