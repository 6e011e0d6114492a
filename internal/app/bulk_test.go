package app_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type bulked struct {
	Changed int
	Undo    *string
}

func bulk(t testing.TB, b *apptest.Browser, body string) (r bulked) {
	t.Helper()
	b.Do(t, "POST", "/conversations/bulk", body).RequireStatus(t, http.StatusOK).Data(t, &r)
	return r
}

// A bulk change affects the conversations that a filter matches. Undoing it restores all but those that changed
// since.
func TestBulkChange(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		const many = 47 // more than one slice
		var ids []string
		for i := range many {
			ids = append(ids, o.receive(t, o.account, fmt.Sprint("+4915100000", 100+i), fmt.Sprint("wamid.", i), "Hi"))
		}
		before := counts(t, o.as)
		var matching struct{ Count int }
		o.as.Do(t, "GET", "/conversations/matching?view=unassigned", "").RequireStatus(t, http.StatusOK).Data(t, &matching)
		r := bulk(t, o.as, `{"filter":{"view":"unassigned"},"change":{"status":"resolved","assigned_to":"`+o.agent.ID+`"}}`)
		if r.Changed != many || r.Undo == nil {
			t.Fatalf("the change answers %+v", r)
		}
		same(t, "what is open", counts(t, o.as)["all"], count{})
		if matching.Count != r.Changed {
			t.Errorf("%d match and %d were changed", matching.Count, r.Changed)
		}
		again := bulk(t, o.as, `{"ids":["`+ids[0]+`"],"change":{"status":"resolved"}}`)
		if again.Changed != 0 || again.Undo != nil {
			t.Errorf("the same again answers %+v", again)
		}
		o.Clock.Advance(time.Second)
		o.receive(t, o.account, "+4915100000100", "wamid.again", "Still here") // reopens the first

		colleague := o.As(t, o.User(t, o.org, chat.RoleOwner, chat.SeesAll, o.org.TeamID))
		colleague.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireFailure(t, "resource_not_found", "")
		var undone bulked
		o.as.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireStatus(t, http.StatusOK).Data(t, &undone)
		if undone.Changed != many {
			t.Errorf("undone are %d", undone.Changed)
		}
		same(t, "after the undo", counts(t, o.as), before)
		if first := o.conversation(t, ids[0]); first.UnreadCount != 2 || first.Status != "open" {
			t.Errorf("what came in meanwhile is lost: %+v", first)
		}
		if second := o.conversation(t, ids[1]); second.WaitingSince == nil {
			t.Error("nobody waits after the undo")
		}
		o.as.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireFailure(t, "resource_not_found", "")
	})
}

func TestBulkLabels(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		one := o.receive(t, o.account, "+4915100000100", "wamid.1", "Hi")
		two := o.receive(t, o.account, "+4915100000101", "wamid.2", "Hi")
		label := storetest.Label(t, o.Store, o.org, "VIP")
		o.as.Do(t, "POST", "/conversations/"+one+"/labels", `{"label_id":"`+label.ID+`"}`).RequireStatus(t, http.StatusOK)
		r := bulk(t, o.as, `{"ids":["`+one+`","`+two+`"],"change":{"label_id":"`+label.ID+`"}}`)
		if r.Changed != 1 {
			t.Fatalf("the change answers %+v", r)
		}
		o.as.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireStatus(t, http.StatusOK)
		same(t, "still with the label", list(t, o.as, "label_id="+label.ID), []string{one})
		r = bulk(t, o.as, `{"filter":{"label_id":"`+label.ID+`"},"change":{"remove_label_id":"`+label.ID+`"}}`)
		same(t, "without the label", list(t, o.as, "label_id="+label.ID), []string{})
		o.Clock.Advance(time.Hour + time.Millisecond)
		o.as.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireFailure(t, "resource_not_found", "")
	})
}

// Undoing an exchange of labels brings the former one back.
func TestBulkExchangeOfLabels(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915100000100", "wamid.1", "Hi")
		former, label := storetest.Label(t, o.Store, o.org, "Lead"), storetest.Label(t, o.Store, o.org, "VIP")
		o.as.Do(t, "POST", "/conversations/"+id+"/labels", `{"label_id":"`+former.ID+`"}`).RequireStatus(t, http.StatusOK)
		r := bulk(t, o.as, `{"ids":["`+id+`"],"change":{"label_id":"`+label.ID+`","remove_label_id":"`+former.ID+`"}}`)
		o.as.Do(t, "POST", "/conversations/bulk/undo", `{"token":"`+*r.Undo+`"}`).RequireStatus(t, http.StatusOK)
		same(t, "with the former label", list(t, o.as, "label_id="+former.ID), []string{id})
		same(t, "with the other", list(t, o.as, "label_id="+label.ID), []string{})
	})
}

// A conversation that cannot be changed as asked is not changed in part.
func TestBulkRefusedWhole(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915100000100", "wamid.1", "Hi")
		label, other := storetest.Label(t, o.Store, o.org, "VIP"), o.User(t, o.org, chat.RoleAgent, chat.SeesAll) // of no team
		o.as.Do(t, "POST", "/conversations/bulk", `{"ids":["`+id+`"],"change":{"label_id":"`+label.ID+`","assigned_to":"`+other.ID+`"}}`).
			RequireFailure(t, "invalid_field_value", "assigned_to")
		same(t, "with the label", list(t, o.as, "label_id="+label.ID), []string{})
	})
}

func TestBulkRefused(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	o := newOffice(t, w)
	id := o.receive(t, o.account, "+4915100000100", "wamid.1", "Hi")
	other := w.User(t, o.org, chat.RoleAgent, chat.SeesAll) // of no team
	for body, param := range map[string]string{
		`{"change":{"status":"open"}}`:                                             "ids",
		`{"ids":["` + id + `"],"filter":{},"change":{"status":"open"}}`:            "ids",
		`{"ids":["` + id + `"],"change":{"assigned_to":"` + other.ID + `"}}`:       "assigned_to",
		`{"ids":["` + id + `"],"change":{"snoozed_until":"2020-01-01T00:00:00Z"}}`: "snoozed_until",
		`{"filter":{"status":"closed"},"change":{"status":"open"}}`:                "filter.status",
		`{"filter":{},"change":{"label_id":"VIP"}}`:                                "change.label_id",
	} {
		o.as.Do(t, "POST", "/conversations/bulk", body).RequireFailure(t, "invalid_field_value", param)
	}
}
