package app_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type contact struct {
	ID, Name       string
	PhoneNumber    string  `json:"phone_number"`
	Consent        string  `json:"marketing_consent"`
	ConversationID *string `json:"conversation_id"`
	Labels         []struct{ Name string }
}

// contactDetail is a contact with everything that its page shows.
type contactDetail struct {
	Contact contact
	Notes   []struct {
		ID, Body string
		Author   struct{ Name string }
	}
	History []struct {
		Consent, Source string
		By              *struct{ ID, Name string }
	} `json:"consent_history"`
}

// contactNames are the names in a list of contacts, over all pages.
func contactNames(t testing.TB, b *apptest.Browser, query string) (found []string) {
	t.Helper()
	found = []string{}
	for cursor := ""; ; {
		var page struct {
			Data       []contact
			NextCursor *string `json:"next_cursor"`
		}
		b.Get(t, "/contacts?limit=2&"+query+cursor).RequireStatus(t, http.StatusOK).Decode(t, &page)
		for _, c := range page.Data {
			found = append(found, c.Name)
		}
		if page.NextCursor == nil {
			return found
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func contactOf(t testing.TB, b *apptest.Browser, id string) (c contactDetail) {
	t.Helper()
	b.Get(t, "/contacts/"+id).RequireStatus(t, http.StatusOK).Data(t, &c)
	return c
}

func countOf(t testing.TB, b *apptest.Browser, query string) int {
	t.Helper()
	var n struct{ Count int }
	b.Get(t, "/contacts/count?"+query).RequireStatus(t, http.StatusOK).Data(t, &n)
	return n.Count
}

// desk is an office with an admin and three contacts.
type desk struct {
	*office
	admin chat.User
	boss  *apptest.Browser
	ids   map[string]string // of contacts by name
}

func newDesk(t testing.TB, w *apptest.World) *desk {
	t.Helper()
	d := &desk{office: newOffice(t, w), ids: map[string]string{}}
	d.admin = w.User(t, d.org, chat.RoleAdmin, chat.SeesAll, d.org.TeamID)
	d.boss = w.As(t, d.admin)
	for i, name := range []string{"Ada", "Ben", "Cem"} {
		w.Clock.Advance(time.Second)
		d.ids[name] = d.create(t, fmt.Sprintf(`{"phone_number":"+49151000000%02d","name":%q}`, i, name))
	}
	return d
}

func (d *desk) path(id string) string { return "/" + *d.account.PhoneNumberID + "/contacts/" + id }

func (d *desk) create(t testing.TB, body string) string {
	t.Helper()
	var c contact
	d.boss.Do(t, "POST", "/"+*d.account.PhoneNumberID+"/contacts", body).RequireStatus(t, http.StatusCreated).Data(t, &c)
	return c.ID
}

// The list, the count and the export have the same contacts, for every filter.
func TestContactListCountAndExport(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		d.receive(t, d.account, "+4915100000000", "wamid.1", "Hello")
		vip, old := storetest.Label(t, d.Store, d.org, "VIP"), storetest.Label(t, d.Store, d.org, "Old")
		label := func(name string, l chat.Label) {
			d.as.Do(t, "POST", d.path(d.ids[name])+"/labels", `{"label_id":"`+l.ID+`"}`).RequireStatus(t, http.StatusOK)
		}
		label("Ada", vip)
		label("Ben", vip)
		label("Ben", old)
		d.boss.Do(t, "PATCH", d.path(d.ids["Cem"]), `{"marketing_consent":"opted_out"}`).RequireStatus(t, http.StatusOK)
		hourAgo := url.QueryEscape(d.Clock.Now().Add(-time.Hour).Format(time.RFC3339))
		for query, want := range map[string][]string{
			"":                                   {"Cem", "Ben", "Ada"},
			"sort=name":                          {"Ada", "Ben", "Cem"},
			"search=be":                          {"Ben"},
			"search=%2B49+151":                   {"Cem", "Ben", "Ada"},
			"label_ids=" + vip.ID + "," + old.ID: {"Ben", "Ada"},
			"all_labels=true&label_ids=" + vip.ID + "," + old.ID: {"Ben"},
			"consent=opted_out":                  {"Cem"},
			"number=" + *d.account.PhoneNumberID: {"Cem", "Ben", "Ada"},
			"number=99999999":                    {},
			"seen_after=" + hourAgo:              {"Ada"},
			"not_seen_since=" + hourAgo:          {"Cem", "Ben"},
			"never_seen=true":                    {"Cem", "Ben"},
		} {
			same(t, "the list with "+query, contactNames(t, d.as, query), want)
			filter := strings.TrimPrefix(query, "sort=name")
			same(t, "the count with "+query, countOf(t, d.as, filter), len(want))
			same(t, "the export with "+query, len(export(t, d.boss, filter))-1, len(want))
		}
	})
}

func export(t testing.TB, b *apptest.Browser, query string) [][]string {
	t.Helper()
	return sheetOf(t, b.Download(t, "/contacts/export?"+query))
}

func sheetOf(t testing.TB, body []byte) [][]string {
	t.Helper()
	rows := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff")))
	rows.FieldsPerRecord = -1
	all, err := rows.ReadAll()
	must(t, err)
	return all
}

// An agent may change only the name, labels and notes. The history records who changed the consent.
func TestContactChanges(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		ada := d.ids["Ada"]
		d.as.Do(t, "PATCH", d.path(ada), `{"name":"Ada L."}`).RequireStatus(t, http.StatusOK)
		for _, body := range []string{`{"marketing_consent":"opted_in"}`, `{"email":"a@example.com"}`, `{"metadata":{}}`, `{"username":"a"}`} {
			d.as.Do(t, "PATCH", d.path(ada), body).RequireFailure(t, "forbidden", "")
		}
		d.as.Do(t, "POST", "/contacts/bulk", `{"ids":["`+ada+`"],"change":{"delete":true}}`).RequireFailure(t, "forbidden", "")
		d.boss.Do(t, "PATCH", d.path(ada), `{"marketing_consent":"opted_in"}`).RequireStatus(t, http.StatusOK)
		var note struct{ ID string }
		d.as.Do(t, "POST", "/contacts/"+ada+"/notes", `{"body":"Likes tea"}`).RequireStatus(t, http.StatusCreated).Data(t, &note)
		d.boss.Do(t, "PATCH", "/contacts/"+ada+"/notes/"+note.ID, `{"body":"x"}`).RequireFailure(t, "forbidden", "")
		d.as.Do(t, "PATCH", "/contacts/"+ada+"/notes/"+note.ID, `{"body":"Likes coffee"}`).RequireStatus(t, http.StatusOK)
		got := contactOf(t, d.as, ada)
		if got.Contact.Name != "Ada L." || got.Contact.Consent != "opted_in" || len(got.History) != 1 || got.History[0].Source != "user" || got.History[0].By.Name != d.admin.Name ||
			len(got.Notes) != 1 || got.Notes[0].Body != "Likes coffee" || got.Notes[0].Author.Name != d.agent.Name {
			t.Errorf("the contact is %+v", got)
		}
		d.as.Do(t, "DELETE", "/contacts/"+ada+"/notes/"+note.ID, "").RequireStatus(t, http.StatusOK)
		same(t, "notes", len(contactOf(t, d.as, ada).Notes), 0)
	})
}

// A user who may not see a contact finds it nowhere, and cannot change it.
func TestHiddenContacts(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		conversation := d.receive(t, d.account, "+4915100000000", "wamid.1", "Hello")
		label := storetest.Label(t, d.Store, d.org, "VIP")
		other := storetest.Org(t, d.Store)
		team := storetest.Team(t, d.Store, d.org.ID, "Others")
		assigned := d.User(t, d.org, chat.RoleAdmin, chat.SeesAssigned, d.org.TeamID)
		for name, u := range map[string]chat.User{
			"another organization": d.User(t, other, chat.RoleOwner, chat.SeesAll, other.TeamID),
			"another team":         d.User(t, d.org, chat.RoleAdmin, chat.SeesTeams, team.ID),
			"not assigned":         assigned,
		} {
			b, ada := d.As(t, u), d.ids["Ada"]
			for _, call := range [][3]string{
				{"GET", "/contacts/" + ada}, {"GET", "/contacts/" + ada + "/merge?with=" + d.ids["Ben"]},
				{"POST", "/contacts/" + ada + "/notes", `{"body":"x"}`},
				{"PATCH", d.path(ada), `{"name":"x"}`}, {"DELETE", d.path(ada)},
				{"POST", d.path(ada) + "/labels", `{"label_id":"` + label.ID + `"}`}, {"DELETE", d.path(ada) + "/labels/" + label.ID},
				{"POST", d.path(ada) + "/merge", `{"contact_id":"` + d.ids["Ben"] + `"}`},
				{"POST", "/contacts/bulk", `{"ids":["` + ada + `"],"change":{"delete":true}}`},
			} {
				b.Do(t, call[0], call[1], call[2]).RequireFailure(t, "resource_not_found", "")
			}
			same(t, name+": the list", contactNames(t, b, ""), []string{})
			same(t, name+": the count", countOf(t, b, ""), 0)
			same(t, name+": the export", len(export(t, b, "")), 1)
			job := d.bulk(t, b, `{"filter":{},"change":{"delete":true}}`)
			same(t, name+": deleted", job.Changed, 0)
		}
		same(t, "contacts", countOf(t, d.as, ""), 3)
		d.as.Do(t, "PATCH", "/conversations/"+conversation, `{"assigned_to":"`+assigned.ID+`"}`).RequireStatus(t, http.StatusOK)
		same(t, "once it is assigned", contactNames(t, d.As(t, assigned), ""), []string{"Ada"})
	})
}

// Work on many contacts ends when whoever began it may not do it any more.
func TestWorkOfThoseWhoMayNot(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		for _, change := range []string{`{"role":"agent"}`, `{"disabled":true}`} {
			u := d.User(t, d.org, chat.RoleAdmin, chat.SeesAll, d.org.TeamID)
			d.As(t, d.User(t, d.org, chat.RoleOwner, chat.SeesAll, d.org.TeamID)).Do(t, "PATCH", "/users/"+u.ID, change).RequireStatus(t, http.StatusOK)
			var begun chat.ContactJob
			storetest.InTx(t, d.Store, func(tx *store.Tx) (err error) {
				begun, err = core.ChangeContacts(tx, u, chat.JobDelete, chat.ContactBulk{Filter: &chat.ContactFilter{}})
				return err
			})
			d.bulk(t, d.boss, `{"filter":{"search":"nobody"},"change":{"delete":true}}`) // wakes whoever does the work
			same(t, "after "+change, finished(t, d.boss, begun.ID).Status, "failed")
		}
		same(t, "contacts", countOf(t, d.as, ""), 3)
	})
}

type job struct {
	ID, Status, Reason                          string
	Total, Done, Rows, Created, Changed, Failed int
}

// finished waits for a job's end.
func finished(t testing.TB, b *apptest.Browser, id string) (j job) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		b.Get(t, "/contacts/jobs/"+id).RequireStatus(t, http.StatusOK).Data(t, &j)
		if j.Status != "running" && j.Status != "undoing" {
			return j
		}
	}
	t.Fatalf("the job is still %+v", j)
	return j
}

func (d *desk) bulk(t testing.TB, b *apptest.Browser, body string) job {
	t.Helper()
	var j job
	b.Do(t, "POST", "/contacts/bulk", body).RequireStatus(t, http.StatusAccepted).Data(t, &j)
	return finished(t, b, j.ID)
}

func TestChangeManyContacts(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		d.receive(t, d.account, "+4915100000000", "wamid.1", "Hello")
		vip := storetest.Label(t, d.Store, d.org, "VIP")
		labelled := d.bulk(t, d.as, `{"filter":{"search":"e"},"change":{"label_id":"`+vip.ID+`"}}`)
		same(t, "labelled", labelled.Changed, 2)
		same(t, "who has it", contactNames(t, d.as, "sort=name&label_ids="+vip.ID), []string{"Ben", "Cem"})
		d.bulk(t, d.as, `{"ids":["`+d.ids["Ben"]+`"],"change":{"remove_label_id":"`+vip.ID+`"}}`)
		same(t, "who still has it", contactNames(t, d.as, "label_ids="+vip.ID), []string{"Cem"})
		deleted := d.bulk(t, d.boss, `{"ids":["`+d.ids["Ada"]+`","`+d.ids["Ben"]+`"],"change":{"delete":true}}`)
		same(t, "deleted", []int{deleted.Changed, deleted.Done, deleted.Total}, []int{2, 2, 2})
		same(t, "who is left", contactNames(t, d.as, ""), []string{"Cem"})
		for _, body := range []string{
			`{"change":{"label_id":"` + vip.ID + `"}}`, `{"ids":["` + d.ids["Cem"] + `"],"filter":{},"change":{"label_id":"` + vip.ID + `"}}`,
			`{"filter":{},"change":{}}`, `{"filter":{},"change":{"delete":true,"label_id":"` + vip.ID + `"}}`,
		} {
			d.boss.Do(t, "POST", "/contacts/bulk", body).RequireStatus(t, http.StatusBadRequest)
		}
	})
}

const peopleFile = "Phone;Name;Tags;Note\r\n0151 000 000 00;=Ada;New;\"a;b\"\r\n0151-00000077;\"Zoë \"\"Z\"\"\";New, VIP;\r\nnobody;X;;\r\n+4915100000077;Again;;\r\n"

// A file is uploaded, previewed, imported and undone; the rejected rows can be downloaded.
func TestImportContacts(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		var up struct {
			Job     job
			Header  bool
			Columns []struct{ Name, Field string }
		}
		d.boss.Do(t, "POST", "/contacts/imports?filename=people.csv", peopleFile, "Content-Type", "text/csv").RequireStatus(t, http.StatusCreated).Data(t, &up)
		same(t, "columns", fmt.Sprint(up.Header, up.Columns), "true [{Phone phone_number} {Name name} {Tags labels} {Note }]")
		mapping := `{"number":"` + *d.account.PhoneNumberID + `","mapping":{"header":true,"country":"DE","create_labels":true,"columns":[
			{"column":0,"field":"phone_number"},{"column":1,"field":"name"},{"column":2,"field":"labels"},{"column":3,"field":"metadata","key":"note"}]}}`
		var shown struct {
			Rows []struct {
				Row     int
				Number  string `json:"phone_number"`
				Problem string
			}
		}
		path := "/contacts/imports/" + up.Job.ID
		d.boss.Do(t, "POST", path+"/preview", mapping).RequireStatus(t, http.StatusOK).Data(t, &shown)
		same(t, "shown", fmt.Sprint(len(shown.Rows), shown.Rows[0].Number, shown.Rows[2].Problem != "", shown.Rows[3].Problem), "4+4915100000000trueRow 3 has the same number.")
		d.boss.Do(t, "POST", path+"/preview", `{"number":"1000000","mapping":{"header":true,"columns":[{"column":1,"field":"name"}]}}`).RequireFailure(t, "invalid_field_value", "columns")
		d.boss.Do(t, "POST", path+"/start", mapping).RequireStatus(t, http.StatusAccepted)
		done := finished(t, d.boss, up.Job.ID)
		same(t, "counts", []int{done.Rows, done.Created, done.Changed, done.Failed}, []int{4, 1, 1, 2})
		same(t, "names", contactNames(t, d.as, "sort=name"), []string{"=Ada", "Ben", "Cem", `Zoë "Z"`})
		errors := sheetOf(t, d.boss.Download(t, path+"/errors"))
		same(t, "errors", fmt.Sprint(len(errors), errors[1][0], errors[2][0], errors[2][3]), "345Again")
		sheet := export(t, d.boss, "search=ada")
		same(t, "a formula", sheet[1][:2], []string{"+4915100000000", "'=Ada"})
		d.boss.Do(t, "POST", path+"/start", mapping).RequireFailure(t, "invalid_field_value", "id")
		d.boss.Do(t, "POST", path+"/undo", "").RequireStatus(t, http.StatusAccepted)
		same(t, "undone", finished(t, d.boss, up.Job.ID).Status, "undone")
		same(t, "names after it", contactNames(t, d.as, "sort=name"), []string{"Ada", "Ben", "Cem"})
		d.boss.Do(t, "POST", path+"/undo", "").RequireFailure(t, "invalid_field_value", "id")
		d.boss.Do(t, "POST", "/contacts/imports", "", "Content-Type", "text/csv").RequireFailure(t, "invalid_field_value", "file")
		d.boss.Do(t, "POST", "/contacts/imports", "{}").RequireFailure(t, "unsupported_media_type", "")
	})
}

// An import is not there for an admin who does not see its number: neither its file, nor the rows that it refused, nor its
// undoing.
func TestHiddenImports(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		mapping := `{"number":"` + *d.account.PhoneNumberID + `","mapping":{"header":true,"country":"DE","create_labels":true,"columns":[{"column":0,"field":"phone_number"}]}}`
		team := storetest.Team(t, d.Store, d.org.ID, "Others")
		other := d.As(t, d.User(t, d.org, chat.RoleAdmin, chat.SeesTeams, team.ID))
		member := d.As(t, d.User(t, d.org, chat.RoleAdmin, chat.SeesTeams, d.org.TeamID))
		upload := func(b *apptest.Browser) string {
			var up struct{ Job job }
			b.Do(t, "POST", "/contacts/imports?filename=people.csv", peopleFile, "Content-Type", "text/csv").RequireStatus(t, http.StatusCreated).Data(t, &up)
			return up.Job.ID
		}
		draft, done := upload(d.boss), upload(d.boss)
		d.boss.Do(t, "POST", "/contacts/imports/"+done+"/start", mapping).RequireStatus(t, http.StatusAccepted)
		finished(t, d.boss, done)
		for _, call := range [][3]string{
			{"POST", "/contacts/imports/" + draft + "/preview", mapping}, {"POST", "/contacts/imports/" + draft + "/start", mapping},
			{"GET", "/contacts/jobs/" + draft}, {"GET", "/contacts/jobs/" + done}, {"GET", "/contacts/imports/" + done + "/errors"},
			{"POST", "/contacts/imports/" + done + "/undo"},
		} {
			other.Do(t, call[0], call[1], call[2]).RequireFailure(t, "resource_not_found", "")
		}
		var listed []job
		other.Get(t, "/contacts/jobs").RequireStatus(t, http.StatusOK).Data(t, &listed)
		same(t, "what is listed", len(listed), 0)
		other.Get(t, "/contacts/jobs/"+upload(other)).RequireStatus(t, http.StatusOK)
		member.Get(t, "/contacts/jobs").RequireStatus(t, http.StatusOK).Data(t, &listed)
		same(t, "what a member is listed", len(listed), 1)
		member.Do(t, "POST", "/contacts/imports/"+done+"/undo", "").RequireStatus(t, http.StatusAccepted)
		same(t, "undone by a member", finished(t, d.boss, done).Status, "undone")
	})
}

// Merging two contacts gives the contact of the preview, with the stricter consent and the notes of both.
func TestMergeContactsByHand(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		twin := d.create(t, `{"bsuid":"DE.ada","name":"Ada's twin","email":"ada@example.com"}`)
		d.boss.Do(t, "PATCH", d.path(twin), `{"marketing_consent":"opted_out"}`).RequireStatus(t, http.StatusOK)
		for _, id := range []string{twin, d.ids["Ada"]} {
			d.as.Do(t, "POST", "/contacts/"+id+"/notes", `{"body":"About `+id+`"}`).RequireStatus(t, http.StatusCreated)
		}
		var preview struct {
			Possible    bool
			ID, Name    string
			Email       *string
			Consent     string `json:"marketing_consent"`
			PhoneNumber string `json:"phone_number"`
			BSUID       *string
			Notes       int
		}
		d.boss.Get(t, "/contacts/"+d.ids["Ada"]+"/merge?with="+twin).RequireStatus(t, http.StatusOK).Data(t, &preview)
		if !preview.Possible || preview.Name != "Ada" || preview.Consent != "opted_out" || preview.Notes != 2 || preview.ID != d.ids["Ada"] {
			t.Errorf("the preview is %+v", preview)
		}
		d.boss.Do(t, "POST", d.path(d.ids["Ada"])+"/merge", `{"contact_id":"`+twin+`"}`).RequireStatus(t, http.StatusOK)
		got := contactOf(t, d.as, twin) // the old id still names it
		if got.Contact.ID != preview.ID || got.Contact.Name != preview.Name || got.Contact.Consent != "opted_out" || len(got.Notes) != 2 || len(got.History) != 2 || got.History[0].Source != "merge" {
			t.Errorf("it became %+v", got)
		}
		d.boss.Get(t, "/contacts/"+d.ids["Ben"]+"/merge?with="+d.ids["Cem"]).RequireStatus(t, http.StatusOK).Data(t, &preview)
		if preview.Possible {
			t.Error("two with different numbers can be one")
		}
		d.boss.Get(t, "/contacts/"+d.ids["Ben"]+"/merge?with="+d.ids["Ben"]).RequireFailure(t, "invalid_field_value", "with")
		d.boss.Get(t, "/contacts/"+d.ids["Ben"]+"/merge").RequireFailure(t, "missing_required_field", "with")
	})
}
