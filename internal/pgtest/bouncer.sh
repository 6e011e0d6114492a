# Runs PgBouncer until standard input closes, which the kernel sees to however the Go process ends.
#
# usage: sh -c "$script" bouncer PROGRAM SETTINGS
exec 3<&0 </dev/null
"$1" "$2" 3<&- &
server=$!
{
	read -r _
	kill -TERM "$server"
} <&3 2>/dev/null &
watcher=$!
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
