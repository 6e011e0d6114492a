package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// importRows is long enough to be interrupted by several kills.
const importRows = 1500

// killsOf are the numbers of rows after which the server is killed. On PostgreSQL the next process waits half a minute
// before it takes over the killed one's work, so there is only one kill.
func (s *Server) killsOf(rows ...int) []int {
	if s.setting("--database-url") != "" {
		return rows[len(rows)/2 : len(rows)/2+1]
	}
	return rows
}

// user is a user who has signed in, without a browser.
type user struct {
	srv    *Server
	cookie string
	crash  func() // kills a server; srv answers again when it returns
}

func signedIn(t *testing.T, srv *Server) *user {
	t.Helper()
	email, password := demoLogin(t, srv)
	u := &user{srv: srv}
	u.crash = func() {
		u.srv.Kill()
		u.srv.Restart()
	}
	u.do(t, http.MethodPost, "/session", "application/json", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	return u
}

// do makes a request that must succeed.
func (u *user) do(t *testing.T, method, path, kind, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, u.srv.URL()+"/app/api"+path, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Cookie", u.cookie)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s, %v", method, path, answer.StatusCode, text, err)
	}
	for _, given := range answer.Cookies() {
		if !strings.HasSuffix(given.Name, "-known") { // of the browser, and not of the session
			u.cookie = given.Name + "=" + given.Value
		}
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	return answer
}

// text makes a request and reads the whole answer.
func (u *user) text(t *testing.T, method, path, kind, body string) []byte {
	t.Helper()
	text, err := io.ReadAll(u.do(t, method, path, kind, body).Body)
	must(t, err)
	return text
}

// data makes a request and returns the data of the answer.
func data[T any](t *testing.T, u *user, method, path, kind, body string) T {
	t.Helper()
	var envelope struct{ Data T }
	must(t, json.NewDecoder(u.do(t, method, path, kind, body).Body).Decode(&envelope))
	return envelope.Data
}

// importJob is the progress of an import.
type importJob struct {
	ID, Status                     string
	Rows, Created, Changed, Failed int
}

// numbers are the phone numbers, from the export, of all contacts whose name begins like the imported ones'.
func (u *user) numbers(t *testing.T) map[string]int {
	t.Helper()
	rows, err := csv.NewReader(u.do(t, http.MethodGet, "/contacts/export?search=Imported", "", "").Body).ReadAll()
	must(t, err)
	counts := map[string]int{}
	for _, row := range rows[1:] {
		counts[row[0]]++
	}
	return counts
}

// until crashes whenever the job has passed each of the given amounts, and waits until the job has a status. A
// busy machine may take as long as it needs, if the job goes on.
func (u *user) until(t *testing.T, id, status string, kills []int, far func(importJob) int) (job importJob) {
	t.Helper()
	for before := -1; job.Status != status; {
		moved := eventually(func() bool {
			job = data[importJob](t, u, http.MethodGet, "/contacts/jobs/"+id, "", "")
			now := far(job)
			if len(kills) > 0 && now >= kills[0] && job.Status != status {
				kills = kills[1:]
				u.crash()
			}
			moved := now != before
			before = now
			return moved || job.Status == status
		})
		if !moved {
			t.Fatalf("the job stands still at %+v, want it %s", job, status)
		}
	}
	if len(kills) > 0 {
		t.Fatalf("the job is %+v, with %d kills to come", job, len(kills))
	}
	return job
}

// TestImportIsKilled: the server is killed during an import, and during its undo. Each row is imported once, and after
// the undo none is left.
func TestImportIsKilled(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store, WithFlags("--demo", "--demo-empty"))
		importAndUndo(t, signedIn(t, srv), srv.killsOf(1, importRows/3, importRows*2/3), srv.killsOf(1, importRows/2))
	})
}

// TestNodesDieDuringAnImport is TestImportIsKilled on three nodes. Another node continues without waiting for the one
// that was killed.
func TestNodesDieDuringAnImport(t *testing.T) {
	t.Parallel()
	shared := []Option{OnFolder(t.TempDir()), OnDatabase(pgtest.NewDatabase(t)), masterKey(1)}
	nodes := []*Server{Start(t, append(shared, WithFlags("--demo", "--demo-empty"))...), Start(t, shared...), Start(t, shared...)}
	u := signedIn(t, nodes[0])
	var killed *Server
	u.crash = func() {
		before := killed
		killed, u.srv = u.srv, nodes[(slices.Index(nodes, u.srv)+1)%len(nodes)]
		killed.Kill()
		if before != nil {
			before.Restart()
		}
	}
	importAndUndo(t, u, []int{1, importRows / 3, importRows * 2 / 3}, []int{1, importRows / 2})
}

// importAndUndo imports people and undoes it, with kills after these numbers of rows.
func importAndUndo(t *testing.T, u *user, during, undoing []int) {
	t.Helper()
	var file strings.Builder
	file.WriteString("\uFEFFPhone;Name;Tags\r\n")
	for i := range importRows {
		fmt.Fprintf(&file, "+49151%07d;\"Imported; \"\"%d\"\"\";New\r\n", i, i)
	}
	file.WriteString("nobody;Imported wrongly;\r\n+491510000000;Imported twice;\r\n")
	made := data[struct{ Job importJob }](t, u, http.MethodPost, "/contacts/imports?filename=people.csv", "text/csv", file.String())
	path := "/contacts/imports/" + made.Job.ID
	u.do(t, http.MethodPost, path+"/start", "application/json", `{"number":"100200300400500","mapping":{"header":true,"create_labels":true,"columns":[
		{"column":0,"field":"phone_number"},{"column":1,"field":"name"},{"column":2,"field":"labels"}]}}`)
	u.checkImported(t, u.until(t, made.Job.ID, "done", during, func(j importJob) int { return j.Rows }))

	u.do(t, http.MethodPost, path+"/undo", "application/json", "{}")
	u.until(t, made.Job.ID, "undone", undoing, func(importJob) int { return importRows - len(u.numbers(t)) })
	if left := u.numbers(t); len(left) != 0 {
		t.Errorf("after the undo are left %d", len(left))
	}
}

// checkImported checks that each row was imported once, and two were refused.
func (u *user) checkImported(t *testing.T, job importJob) {
	t.Helper()
	if job.Created != importRows || job.Changed != 0 || job.Failed != 2 || job.Rows != importRows+2 {
		t.Errorf("it is counted as %+v", job)
	}
	numbers := u.numbers(t)
	for number, times := range numbers {
		if times != 1 {
			t.Errorf("%s is there %d times", number, times)
		}
	}
	if len(numbers) != importRows {
		t.Errorf("%d numbers were imported, want %d", len(numbers), importRows)
	}
	wrong := csv.NewReader(u.do(t, http.MethodGet, "/contacts/imports/"+job.ID+"/errors", "", "").Body)
	failed, err := wrong.ReadAll()
	if err != nil || len(failed) != 3 {
		t.Errorf("the rows that were not imported are %q, %v", failed, err)
	}
}
