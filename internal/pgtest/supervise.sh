# Prepares a throw-away PostgreSQL, whose directory is removed when the shell ends. keep.sh, which follows, runs it.
#
# usage: sh -c "$supervise$keep" keep BIN DIR POSTGRES-ARGUMENTS...
bin=$1 dir=$2
shift 2
trap 'rm -rf "$dir"' EXIT

# A linguistic collation, as most servers in production have: a query that leans on byte order must fail here first.
"$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-sync --no-instructions \
	--locale=C --locale-provider=icu --icu-locale=en-US </dev/null || exit

# SIGINT is PostgreSQL's fast shutdown.
set -- INT "$bin/postgres" -D "$dir/data" "$@"
