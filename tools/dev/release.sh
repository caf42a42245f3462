# ./dev release [--sdk]
# make the files of a release from HEAD, a dry run that publishes nothing: build/release (--sdk: try them with the SDKs)
#
# tarball, one static sandport-sim, checksums, provenance. The program is built from the tarball, not from the working tree.
# Debian has no static cJSON and no static wslay: apt brings their source packages, checked by apt's own signatures, and
# they are built here. Row S1.

case $# in
0) with_sdk=no ;;
1)
    [ "$1" = --sdk ] || usage_error "usage: ./dev release [--sdk]"
    with_sdk=yes
    ;;
*) usage_error "usage: ./dev release [--sdk]" ;;
esac

. tools/dev/lib_release.sh
. tools/dev/lib_root.sh
need_build
need "to make a release" git dpkg-dev
install_missing
if [ $with_sdk = yes ]; then
    need_node
    install_missing
    use_node
fi
command -v apt-get >/dev/null || cannot_install "the sources of cJSON and wslay come by apt-get"
git rev-parse -q --verify HEAD >/dev/null || fail "a release is made from a commit, and this is no git repository"

version=$(sed -n 's/^project(sandport VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
commit=$(git rev-parse HEAD)
machine=$(uname -m)
name=sandport-$version
out=build/release
work=build/release-work
rm -rf --one-file-system "$out" "$work"
mkdir -p "$out" "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/cjson/lib/pkgconfig" \
    "$work/wslay/objects"

[ -z "$(git status --porcelain)" ] || say "the working tree differs from HEAD; the release is HEAD's"
release_tarball "$out/$name.tar.gz" "$name"
tar -C "$work" -xzf "$out/$name.tar.gz"

# The system's own package sources, asked for source packages, and for those that are unpacked here and installed nowhere.
types="deb-src"
[ $with_sdk = no ] || types="deb deb-src"
list_lines() { for type in $types; do sed -n "s/^deb /$type /p" "$1"; done; }
if [ -f /etc/apt/sources.list ]; then
    list_lines /etc/apt/sources.list >"$work/apt/parts/main.list"
fi
for list in /etc/apt/sources.list.d/*; do
    case $list in
    *.list) list_lines "$list" >"$work/apt/parts/$(basename "$list")" ;;
    *.sources) sed "s/^Types:.*/Types: $types/" "$list" >"$work/apt/parts/$(basename "$list")" ;;
    esac
done
apt_folder=$PWD/$work/apt
: >"$apt_folder/none.list"
apt_here() {
    apt-get -q -o Dir::Etc::sourcelist="$apt_folder/none.list" -o Dir::Etc::sourceparts="$apt_folder/parts" \
        -o Dir::State::lists="$apt_folder/lists" -o Dir::Cache="$apt_folder/cache" -o APT::Sandbox::User=root "$@"
}
quietly "$work/apt-update.log" apt_here update || fail "apt-get update for source packages failed"
fetch() { (cd "$work" && apt_here source --download-only "$1"); }
quietly "$work/apt-cjson.log" fetch cjson || fail "apt-get source cjson failed"
# Not every mirror has wslay's own source package; aria2's, by the same author, carries the library too.
wslay_from=wslay
if ! fetch wslay >"$work/apt-wslay.log" 2>&1; then
    wslay_from=aria2
    quietly "$work/apt-aria2.log" fetch aria2 || fail "apt-get source failed for wslay and for aria2"
fi
quietly "$work/unpack.log" dpkg-source --no-check -x "$work"/cjson_*.dsc "$work/cjson-source" || fail "cJSON does not unpack"
cjson_version=$(sed -n 's/^Version: //p' "$work"/cjson_*.dsc)
mkdir "$work/cjson/include" "$work/cjson/include/cjson"
cp "$work/cjson-source/cJSON.h" "$work/cjson/include/cjson/"
gcc -O2 -g0 -c "$work/cjson-source/cJSON.c" -o "$work/cjson/cJSON.o"
ar rcsD "$work/cjson/lib/libcjson.a" "$work/cjson/cJSON.o"
cat >"$work/cjson/lib/pkgconfig/libcjson.pc" <<END
prefix=$PWD/$work/cjson
Name: libcjson
Description: cJSON, static
Version: ${cjson_version%-*}
Libs: -L\${prefix}/lib -lcjson
Cflags: -I\${prefix}/include -I\${prefix}/include/cjson
END

quietly "$work/unpack-wslay.log" dpkg-source --no-check -x "$work/$wslay_from"_*.dsc "$work/wslay-source" ||
    fail "the source package $wslay_from does not unpack"
wslay_version="$wslay_from $(sed -n 's/^Version: //p' "$work/$wslay_from"_*.dsc)"
wslay_lib=$work/wslay-source/lib
[ "$wslay_from" = wslay ] || wslay_lib=$work/wslay-source/deps/wslay/lib
cp -R "$wslay_lib/includes" "$work/wslay/include"
[ -f "$work/wslay/include/wslay/wslayver.h" ] || cp /usr/include/wslay/wslayver.h "$work/wslay/include/wslay/"
for source in "$wslay_lib"/*.c; do
    gcc -O2 -g0 -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -I"$work/wslay/include" -c "$source" \
        -o "$work/wslay/objects/$(basename "$source" .c).o"
done
ar rcsD "$work/wslay/libwslay.a" "$work"/wslay/objects/*.o

build_static() {
    PKG_CONFIG_PATH="$PWD/$work/cjson/lib/pkgconfig" cmake -S "$work/$name" -B "$work/b" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DSANDPORT_TESTS=OFF -DSANDPORT_STATIC_SIM=ON -DWSLAY_LIBRARY="$PWD/$work/wslay/libwslay.a" \
        -DWSLAY_INCLUDE_DIR="$PWD/$work/wslay/include" -DCMAKE_C_FLAGS="-ffile-prefix-map=$PWD/$work/$name=." &&
        ninja -C "$work/b" sandport-sim
}
quietly "$work/build.log" build_static || fail "the static sandport-sim does not build"
program=$out/sandport-sim-$version-linux-$machine
cp "$work/b/bin/sandport-sim" "$program"
strip "$program"
readelf -d "$program" | grep -q NEEDED && fail "$program is not static"

# Alone in an empty root it must serve: there it starts, gives itself as the command the environment, and stops.
mkdir "$work/empty"
cp "$program" "$work/empty/sandport-sim"
$enter_root "$work/empty" /sandport-sim run -- /sandport-sim --version >"$work/empty.log" 2>&1 </dev/null ||
    { cat "$work/empty.log" >&2; fail "sandport-sim does not run alone in an empty root"; }
grep -qx "sandport-sim $version" "$work/empty.log" || fail "sandport-sim says another version than $version"

release_provenance "$out/provenance.json" "$version" "$cjson_version" "$wslay_version"
release_checksums "$out"

if [ $with_sdk = yes ]; then
    quietly "$work/npm.log" npm --prefix interop ci --no-audit --no-fund || fail "npm ci failed"
    sdk_in_root "$work/empty" /sandport-sim
    musl_root "$work/musl" "$program"
    sdk_in_root "$work/musl" /bin/sh /in/serve.sh
fi

cat "$out/SHA256SUMS"
echo "release $version of $commit is in $out; nothing was published"
result release 1 0
