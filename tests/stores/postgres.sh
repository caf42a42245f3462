#!/bin/sh
# A throw-away PostgreSQL server for tests: on a socket in a folder of its own below /tmp, never on TCP, never as root.
#
#     postgres.sh start FILE [PID]  starts one, writes its folder into FILE, and ends it when PID, else the caller, has ended
#     postgres.sh stop FILE         ends it and removes its folder
#     postgres.sh restart FILE      ends it at once, as a crash would, and starts it again
#
# Exit status 77: there is no PostgreSQL here.
set -u
command=$1 file=$2

bin=
for folder in /usr/lib/postgresql/*/bin /usr/local/pgsql/bin; do
    [ -x "$folder/initdb" ] && bin=$folder
done
if [ -z "$bin" ]; then
    rm -f "$file"
    echo "no PostgreSQL server is installed: its tests are skipped"
    exit 77
fi

# The server refuses to run as root.
as_user() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}
run_server() {
    as_user "$bin/pg_ctl" -D "$1/data" -w -t 50 -l "$1/log" -o "-c listen_addresses='' -c unix_socket_directories=$1 \
        -c fsync=off -c full_page_writes=off -c max_connections=60 -c shared_buffers=16MB" start >"$1/start.log" 2>&1 </dev/null
}
end_server() {
    as_user "$bin/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null 2>&1
}

case $command in
start)
    rm -f "$file"
    folder=$(mktemp -d /tmp/sandport-pg-XXXXXX)
    chmod 755 "$folder"
    mkdir "$folder/data"
    : >"$folder/start.log"
    : >"$folder/log"
    if [ "$(id -u)" = 0 ]; then chown -R postgres "$folder"; fi
    if ! (cd / && as_user "$bin/initdb" -D "$folder/data" -U postgres -A trust -N --no-locale -E UTF8 >"$folder/initdb.log" 2>&1); then
        cat "$folder/initdb.log"
        rm -rf "$folder"
        exit 1
    fi
    if ! (cd / && run_server "$folder"); then
        cat "$folder/start.log" "$folder/log"
        rm -rf "$folder"
        exit 1
    fi
    # Whatever ends the tests, the server does not outlive them.
    parent=${3:-$PPID}
    (
        cd /
        while kill -0 "$parent" 2>/dev/null && [ -d "$folder" ]; do sleep 1; done
        end_server "$folder"
        rm -rf "$folder"
    ) >/dev/null 2>&1 </dev/null &
    echo "$folder" >"$file"
    ;;
stop)
    [ -f "$file" ] || exit 0
    folder=$(cat "$file")
    rm -f "$file"
    cd /
    end_server "$folder"
    case $folder in /tmp/sandport-pg-??????) rm -rf "$folder" ;; esac
    ;;
restart)
    folder=$(cat "$file")
    cd /
    end_server "$folder"
    run_server "$folder"
    ;;
*)
    echo "no such command: $command" >&2
    exit 64
    ;;
esac
