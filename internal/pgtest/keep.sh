# Runs PostgreSQL on a directory that exists, until standard input closes, and then shuts it down.
#
# Standard input is a pipe whose other end only the Go process holds. The kernel closes it however that process ends,
# kill -9 included, so the server cannot outlive it. Linux's parent-death signal would be the alternative: it exists
# on one system, fires when the starting thread (not the process) ends, and leaves the directory behind.
#
# usage: sh -c "$keep" keep BIN DATA POSTGRES-ARGUMENTS...
bin=$1 data=$2
shift 2
exec 3<&0 </dev/null

"$bin/postgres" -D "$data" "$@" 3<&- &
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
