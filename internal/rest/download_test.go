package rest

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store/storetest"
)

// recorder notes the statuses of calls.
type recorder struct {
	nobody
	statuses []int
}

func (r *recorder) Record(_ *Call, status int, _ time.Duration) {
	r.statuses = append(r.statuses, status)
}

// A download is recorded like any other call, also one that breaks off.
func TestDownloadsAreRecorded(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]error{"whole": nil, "cut off": errors.New("the store is away")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			s := New(Config{
				Base: "/v1", Store: storetest.Open(t, storetest.SQLite), Authority: &r, Description: nothing, Metrics: NewMetrics(nil, "x", "x"),
				Log: slog.New(slog.DiscardHandler),
			})
			Download(s, Operation{Method: http.MethodGet, Path: "/table", ID: "getTable", Open: true}, "table.csv", func(_ *Call, _ *struct{}, w io.Writer) error {
				io.WriteString(w, "a,b\n")
				return ends
			})
			s.Finish()
			func() {
				defer func() {
					if broken := recover() != nil; broken != (ends != nil) {
						t.Errorf("the connection is broken: %v", broken)
					}
				}()
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/table", nil))
			}()
			if len(r.statuses) != 1 || r.statuses[0] != http.StatusOK {
				t.Errorf("recorded are %v", r.statuses)
			}
		})
	}
}
