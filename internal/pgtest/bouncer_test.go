package pgtest

import "testing"

func TestBouncerLendsConnectionsByTheTransaction(t *testing.T) {
	t.Parallel()
	address := Bouncer{Mode: "transaction", Size: 1}.Start(t, NewDatabase(t)) + "&default_query_exec_mode=simple_protocol"
	first, second := connect(t, address), connect(t, address)
	const process = "SELECT pg_backend_pid()::text"
	if a, b := queryString(t, first, process), queryString(t, second, process); a != b {
		t.Errorf("the processes are %s and %s", a, b)
	}
}
