# Files of a release that depend on nothing but the commit: the tarball, who made it and how, their checksums. Row S1.
# Sourced by release.sh; the current folder is the root of a git repository.

# release_tarball FILE PREFIX: HEAD as it is, the same bytes each time.
release_tarball() { git archive --format=tar --prefix="$2/" HEAD | gzip -n -9 >"$1"; }

# release_provenance FILE VERSION CJSON_VERSION "SOURCE_PACKAGE VERSION", the latter of what wslay was built from
release_provenance() {
    cat >"$1" <<END
{
  "name": "sandport",
  "version": "$2",
  "commit": "$(git rev-parse HEAD)",
  "commit_date": "$(git show -s --format=%cI HEAD)",
  "command": "./dev release",
  "workflow": "tools/dev/release.sh",
  "workflow_sha256": "$(git show HEAD:tools/dev/release.sh | sha256sum | cut -d ' ' -f 1)",
  "tools": {
    "gcc": "$(gcc -dumpfullversion)",
    "cmake": "$(cmake --version | sed -n '1s/.* //p')",
    "binutils": "$(ld --version | sed -n '1s/.* //p')",
    "libc": "$(getconf GNU_LIBC_VERSION)"
  },
  "linked_statically": {
    "cjson": "$3, built from the distribution's source package",
    "wslay": "built from the distribution's source package $4",
    "libcrypto": "$(pkg-config --modversion libcrypto)",
    "zlib": "$(pkg-config --modversion zlib)"
  }
}
END
}

# release_checksums FOLDER: SHA256SUMS of all that is in it.
release_checksums() {
    (
        cd "$1"
        rm -f SHA256SUMS
        sha256sum -- * >../SHA256SUMS.new
        mv ../SHA256SUMS.new SHA256SUMS
    )
}
