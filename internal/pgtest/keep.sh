# Runs PostgreSQL on a directory that exists, until standard input closes: see supervise.sh.
#
# usage: sh -c "$script" keep BIN DATA POSTGRES-ARGUMENTS...
bin=$1 data=$2
shift 2
exec 3<&0 </dev/null

"$bin/postgres" -D "$data" "$@" 3<&- &
server=$!

{
	read -r _
	while kill -INT "$server"; do sleep 0.2; done
} <&3 2>/dev/null &
watcher=$!

wait "$server"
status=$?
kill "$watcher"
exit "$status"
