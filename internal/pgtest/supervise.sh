# Runs a throw-away PostgreSQL until standard input closes, then shuts it down and removes its directory.
#
# Standard input is a pipe whose other end only the Go process holds. The kernel closes it however that process ends,
# kill -9 included, so the server cannot outlive it. Linux's parent-death signal would be the alternative: it exists
# on one system, fires when the starting thread (not the process) ends, and leaves the directory behind.
#
# usage: sh -c "$script" supervise BIN DIR POSTGRES-ARGUMENTS...
bin=$1 dir=$2
shift 2
trap 'rm -rf "$dir"' EXIT
exec 3<&0 </dev/null

# A linguistic collation, as most servers in production have: a query that leans on byte order must fail here first.
"$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-sync --no-instructions \
	--locale=C --locale-provider=icu --icu-locale=en-US || exit

"$bin/postgres" -D "$dir/data" "$@" 3<&- &
server=$!

# SIGINT is PostgreSQL's fast shutdown. It is repeated because one that arrives before the server listens for it is lost.
{
	read -r _
	while kill -INT "$server"; do sleep 0.2; done
} <&3 2>/dev/null &
watcher=$!

wait "$server"
status=$?
kill "$watcher"
exit "$status"
