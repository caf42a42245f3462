#!/bin/sh
# sandport-live-daytona as a user meets it, against `sandport-sim serve` over real HTTP: one case a run. All that it prints and
# writes is searched for the key.
# usage: program.sh BUILD CASE
set -eu
build=$1 case=$2
live=$build/bin/sandport-live-daytona
scratch=$build/live-test/$case
rm -rf "$scratch"
mkdir -p "$scratch"
out=$scratch/out err=$scratch/err file=$scratch/account.env transcripts=$scratch/transcripts
key=canary-live-key-00000000
served=
trap '[ -z "$served" ] || kill "$served" 2>/dev/null || :' EXIT

complain() {
    echo "$*" >&2
    cat "$out" "$err" >&2 2>/dev/null || :
    exit 1
}
says() { grep -qF -e "$2" "$1" || complain "expected '$2'"; }

# serve [FAULTS]: sets $api to its address.
serve() {
    cat >"$scratch/scenario.json" <<END
{"daytona":{"accounts":[{"name":"live","api_key":"$key"}]},"faults":[${1-}]}
END
    "$build/bin/sandport-sim" serve --scenario "$scratch/scenario.json" --journal "$scratch/journal" \
        >"$scratch/ready" 2>"$scratch/serve.err" </dev/null &
    served=$!
    tries=0
    until [ -s "$scratch/ready" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || complain "sandport-sim does not get ready"
        sleep 0.1
    done
    api=$(sed -n 's/.*"daytona":{"api_url":"\([^"]*\)".*/\1/p' "$scratch/ready")
}

# account KEY: writes the file, for its owner alone.
account() {
    (umask 077 && printf 'DAYTONA_API_KEY=%s\nDAYTONA_API_URL=%s\n' "$1" "$api" >"$file")
}

# run WANTED_STATUS ARGUMENTS...
run() {
    wanted=$1
    shift
    status=0
    "$live" "$@" --transcripts "$transcripts" >"$out" 2>"$err" </dev/null || status=$?
    [ $status = "$wanted" ] || complain "exit $status, expected $wanted"
    search
}

search() {
    for file_written in "$out" "$err" "$transcripts"/*; do
        [ ! -f "$file_written" ] || ! grep -q canary "$file_written" || complain "the key shows in $file_written"
    done
}

# made COUNT: how many the cloud really made; none of them is there any more.
made() {
    kill "$served"
    wait "$served" || :
    served=
    [ "$(grep -c '"kind":"alloc"' "$scratch/journal" || :)" = "$1" ] || complain "made: expected $1"
    [ "$(grep -c '"kind":"free"' "$scratch/journal" || :)" = "$1" ] || complain "gone: expected $1"
}

case $case in
whole_run)
    serve
    account "$key"
    run 0 --env-file "$file" --yes-spend
    says "$out" "All of it held, and nothing is left."
    [ ! -s "$err" ] || complain "it speaks on standard error"
    for step in look launch exec upload use download 'too long' destroy audit; do says "$out" "[ok]     $step "; done
    set -- "$transcripts"/*
    [ $# = 1 ] && [ "$(stat -c %a "$1" "$transcripts" | tr '\n' ' ')" = "600 700 " ] || complain "others may read the transcript"
    says "$1" '"path":"/api/sandbox/$id"'
    ! grep -q '127\.0\.0\.1' "$1" || complain "a host shows in the transcript"
    made 1
    ;;
wrong_key_makes_nothing)
    serve
    account canary-of-somebody-else
    run 1 --env-file "$file" --yes-spend
    says "$out" UNAUTHORISED
    says "$out" "nothing was made"
    made 0
    ;;
interrupted_leaves_nothing)
    serve
    account "$key"
    # The signal comes when the sandbox is there, while commands run.
    "$live" --env-file "$file" --yes-spend --transcripts "$transcripts" >"$out" 2>"$err" </dev/null &
    run_id=$!
    tries=0
    until grep -q '\] *launch' "$out"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || complain "no launch"
        sleep 0.02
    done
    kill -TERM $run_id
    status=0
    wait $run_id || status=$?
    [ $status = 1 ] || complain "exit $status, expected 1"
    says "$out" CANCELLED
    says "$out" "nothing is left"
    search
    made 1
    ;;
lost_create_leaves_nothing)
    serve '{"op":"daytona.sandbox.create","phase":"after_commit","times":1,"effect":{"kind":"reset"}}'
    account "$key"
    run 1 --env-file "$file" --yes-spend
    says "$out" "[NOT SO] launch"
    says "$out" "nothing is left"
    made 1
    ;;
what_is_left_is_told)
    serve '{"op":"daytona.sandbox.delete","phase":"before","effect":{"kind":"status","status":500}}'
    account "$key"
    run 70 --env-file "$file" --yes-spend
    says "$out" "SOMETHING MAY BE LEFT"
    ;;
refuses_without_both_arguments)
    (umask 077 && printf 'DAYTONA_API_KEY=%s\n' "$key" >"$file")
    run 64
    says "$err" "expected --env-file FILE"
    run 64 --yes-spend
    says "$err" "expected --env-file FILE"
    run 64 --env-file "$file"
    says "$err" "say --yes-spend"
    run 64 --env-file "$file" --yes-spend --twice
    says "$err" "found another argument"
    SSLKEYLOGFILE=$scratch/secrets run 64 --env-file "$file" --yes-spend
    says "$err" "SSLKEYLOGFILE is set"
    [ ! -d "$transcripts" ] || complain "a refusal leaves a transcript"
    ;;
refuses_bad_files)
    run 64 --env-file "$scratch/none" --yes-spend
    says "$err" "there is no such file"
    printf 'DAYTONA_API_KEY=%s\n' "$key" >"$file"
    chmod 644 "$file"
    run 64 --env-file "$file" --yes-spend
    says "$err" "expected mode 600"
    chmod 600 "$file"
    printf '%s\n' "$key" >"$file"
    run 64 --env-file "$file" --yes-spend
    says "$err" "line 1: expected NAME=value"
    printf 'DAYTONA_KEY=%s\n' "$key" >"$file"
    run 64 --env-file "$file" --yes-spend
    says "$err" "line 1: expected DAYTONA_API_KEY, "
    says "$err" "Nothing was sent."
    [ ! -s "$out" ] && [ ! -d "$transcripts" ] || complain "a refusal begins something"
    ;;
*)
    echo "no such case: $case" >&2
    exit 64
    ;;
esac
