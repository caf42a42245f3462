# ./dev live daytona --env-file FILE --yes-spend
# run the main job once on a real account, with one sandbox that costs money, and prove that nothing is left
#
# docs/live.md says what is sent and what it may cost. The file is read by the program alone: not here, and into no environment.
# Exit status besides the usual: 64 also for a file that is refused (nothing was sent), 70 something may be left.

live_usage="usage: ./dev live daytona --env-file FILE --yes-spend"
[ "${1-}" = daytona ] || usage_error "$live_usage"
shift
env_file=
yes_spend=no
while [ $# -gt 0 ]; do
    case $1 in
    --env-file)
        [ $# -ge 2 ] || usage_error "$live_usage"
        env_file=$2
        shift
        ;;
    --yes-spend) yes_spend=yes ;;
    *) usage_error "$live_usage" ;;
    esac
    shift
done
[ -n "$env_file" ] || usage_error "live daytona needs --env-file FILE, with the account's DAYTONA_API_KEY. $live_usage"
[ $yes_spend = yes ] || usage_error "live daytona makes a sandbox that costs money: say --yes-spend. $live_usage"
# ./dev went to the root of the tree.
case $env_file in
/*) ;;
*) env_file=$called_from/$env_file ;;
esac
[ -f "$env_file" ] || usage_error "there is no file $env_file"
need_build
need "to know the provider by its certificate" ca-certificates
install_missing
build dev sandport-live-daytona
exec build/dev/bin/sandport-live-daytona --env-file "$env_file" --yes-spend --transcripts live-transcripts
