package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Over all pages, a filter finds exactly the matching calls, however few rows a look skips at a time.
func TestCallFiltersFindAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var calls []store.APICall
		for i := range 60 {
			c := store.APICall{
				OrgID: "org_1", RequestID: st.NewID(chat.KindRequest), KeyID: fmt.Sprint("key_", i%3), Method: []string{"GET", "POST"}[i%2],
				Path: fmt.Sprint("/v1/labels/", i%5), Route: "/labels/{id}", Status: 200, IP: "192.0.2.1", Latency: time.Microsecond,
			}
			if i%10 == 0 {
				c.Status, c.Code = 400+i/10, "some_code"
			}
			calls = append(calls, c)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(calls) })
		slices.Reverse(calls)
		rapid.Check(t, func(rt *rapid.T) {
			f := store.CallFilter{
				Method:   rapid.SampledFrom([]string{"", "GET", "POST"}).Draw(rt, "method"),
				KeyID:    rapid.SampledFrom([]string{"", "key_1", "key_9"}).Draw(rt, "key"),
				Path:     rapid.SampledFrom([]string{"", "labels/3", "V1/Labels/4", "_"}).Draw(rt, "path"),
				Code:     rapid.SampledFrom([]string{"", "some_code", "other"}).Draw(rt, "code"),
				Statuses: rapid.SampledFrom([][2]int{{}, {200, 299}, {400, 599}, {403, 403}}).Draw(rt, "status"),
			}
			var want []string
			for _, c := range calls {
				if wants(f, c) {
					want = append(want, c.RequestID)
				}
			}
			if got := walk(rt, st, f, rapid.IntRange(1, 5).Draw(rt, "limit")); !slices.Equal(got, want) {
				rt.Errorf("%+v finds %d calls, want %d", f, len(got), len(want))
			}
		})
	})
}

func wants(f store.CallFilter, c store.APICall) bool {
	return (f.Method == "" || c.Method == f.Method) && (f.KeyID == "" || c.KeyID == f.KeyID) && strings.Contains(c.Path, strings.ToLower(f.Path)) &&
		(f.Code == "" || c.Code == f.Code) && (f.Statuses == [2]int{} || f.Statuses[0] <= c.Status && c.Status <= f.Statuses[1])
}

func walk(t *rapid.T, st *store.Store, f store.CallFilter, limit int) (found []string) {
	p := store.Page{Limit: limit}
	for {
		page, err := store.APICallsAmong(st.Read(t.Context()), "org_1", f, p, 7)
		requireNoError(t, err)
		for _, c := range page.Rows {
			found = append(found, c.RequestID)
		}
		if page.Next == nil {
			return found
		}
		p.After = page.Next
	}
}

// No look at the log or at events, with any filter, reads a table or an index from end to end.
func TestLooksAreAlongAnIndex(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		now := st.Now()
		for name, read := range map[string]func(store.Reader) error{
			"method": func(r store.Reader) error {
				_, err := r.APICalls("org_1", store.CallFilter{Method: "GET", From: &now}, store.Page{Limit: 10})
				return err
			},
			"code": func(r store.Reader) error {
				_, err := r.APICalls("org_1", store.CallFilter{Code: "x"}, store.Page{Limit: 10})
				return err
			},
			"failures": func(r store.Reader) error {
				_, _, err := r.FailedCalls("org_1", store.CallFilter{From: &now}, 10)
				return err
			},
			"made": func(r store.Reader) error {
				_, err := r.CallThatMade("org_1", "msg_1", now, time.Minute)
				return ignoreMissing(err)
			},
			"events": func(r store.Reader) error {
				_, err := r.EventHeads("org_1", store.EventFilter{Type: "message.sent"}, store.Page{Limit: 10})
				return err
			},
			"told": func(r store.Reader) error {
				_, err := r.EventsToldAs("org_1", []string{"x"}, now, time.Hour, 10)
				return err
			},
			"message": func(r store.Reader) error { _, err := r.MessageToldAs("org_1", "wamid.x"); return ignoreMissing(err) },
			"number":  func(r store.Reader) error { _, err := r.ContactsWithNumber("org_1", "+12025550100", 10); return err },
			"bars": func(r store.Reader) error {
				_, err := r.DeliveryBuckets("org_1", "wbs_1", now, time.Hour, 1)
				return err
			},
		} {
			plans, err := store.Plans(t.Context(), st, read)
			requireNoError(t, err)
			for line := range strings.Lines(strings.Join(plans, "\n")) {
				for _, table := range []string{"api_log", "events", "webhook_deliveries", "messages", "contacts"} {
					if strings.Contains(line, "SCAN "+table) || strings.Contains(line, "Seq Scan on "+table) {
						t.Errorf("%s reads all of %s: %s", name, table, line)
					}
				}
			}
			if name == "code" && engine == storetest.SQLite && !strings.Contains(strings.Join(plans, "\n"), "api_log_failures") {
				t.Errorf("the index of failures is not used:\n%s", strings.Join(plans, "\n"))
			}
		}
	})
}

func ignoreMissing(err error) error {
	if err == store.ErrNotFound {
		return nil
	}
	return err
}
