# Runs a server until standard input closes, and then ends it with a signal.
#
# Standard input is a pipe whose other end only the Go process holds. The kernel closes it however that process ends,
# kill -9 included, so the server cannot outlive it. Linux's parent-death signal would be the alternative: it exists
# on one system, fires when the starting thread (not the process) ends, and leaves the directory behind.
#
# usage: sh -c "$keep" keep SIGNAL COMMAND...
signal=$1
shift
exec 3<&0 </dev/null

"$@" 3<&- &
server=$!

# The signal is repeated because one that arrives before the server listens for it is lost.
{
	read -r _
	while kill -"$signal" "$server"; do sleep 0.2; done
} <&3 2>/dev/null &
watcher=$!

wait "$server"
status=$?
kill "$watcher"
exit "$status"
