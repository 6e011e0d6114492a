package api_test

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
)

// draft is a broadcast as the API shows it.
type draft struct {
	ID, Status  string
	Name        string
	ScheduledAt *string `json:"scheduled_at"`
	Audience    struct {
		LabelIDs []string `json:"label_ids"`
		Filter   *chat.ContactFilter
	}
	Counts struct{ Total, Waiting, Skipped int }
}

// hasSale stores a template that says the same to everybody.
func hasSale(t *testing.T, c *apitest.Case) { saleSays(t, c, "All is half the price.") }

func saleSays(t *testing.T, c *apitest.Case, text string) {
	t.Helper()
	account := accountOf(t, c)
	c.InTx(t, func(tx *store.Tx) error {
		template := chat.Template{
			ID: tx.NewID(chat.KindTemplate), OrgID: c.Org.ID, WABAID: account.WABAID, Name: "sale", Language: "en", Category: new(string(chat.CategoryMarketing)),
			Format: chat.FormatPositional, Components: json.RawMessage(`[{"type":"BODY","text":"` + text + `"}]`), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		template.SetProviderStatus("APPROVED", nil)
		return tx.PutTemplate(template)
	})
}

// A draft can be changed until it starts: its time, its audience by filter or labels, and its list of
// recipients, which can be emptied.
func TestBroadcastDraft(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasSale(t, c)
		hasLabel(`{"name":"VIP"}`)(t, c)
		call := func(method, rest, body string) *apitest.Response {
			t.Helper()
			return c.Call(t, apitest.Request{Method: method, Path: "/v1/${number}/broadcasts" + rest, Body: body})
		}
		var b draft
		const make = `{"name":"Sale","template":{"name":"sale","language":"en"},"audience":{"filter":{"consent":"opted_in"},`
		call(http.MethodPost, "", make+`"label_ids":["${label}"]}}`).RequireFailure(t, "invalid_field_value", "audience.filter")
		call(http.MethodPost, "", make+`"recipients":[{"to":"+4915510000001"},{"to":"+49 155 1000 0001"},{"to":"x"}]},"scheduled_at":"2099-01-01T00:00:00Z"}`).
			RequireStatus(t, http.StatusCreated).Data(t, &b)
		if b.Status != "scheduled" || b.Audience.Filter == nil || b.Audience.Filter.Consent != chat.ConsentOptedIn || b.Counts.Waiting != 1 || b.Counts.Skipped != 2 {
			t.Errorf("it is made as %+v", b)
		}
		call(http.MethodPost, "", `{"name":"Sale","template":{"name":"sale","language":"en"},"audience":{"filter":{"label_ids":["lbl_01ARZ3NDEKTSV4RRFFQ69G5FAV"]}}}`).
			RequireFailure(t, "invalid_field_value", "audience.filter.label_ids[0]")
		id := "/" + b.ID
		// An address under another name would otherwise be a wrong number, for every one of them.
		call(http.MethodPost, "", make+`"recipients":[{"to":"+4915510000002"},{"phone_number":"+4915510000003"}]}}`).
			RequireFailure(t, "missing_required_field", "audience.recipients[1].to")
		for _, value := range []string{`1`, `null`, `{"b":"c"}`, `"\u0000"`} {
			failed := call(http.MethodPost, id+"/recipients", `{"recipients":[{"to":"+4915510000002","variables":{"ok":"x","a":`+value+`}}]}`)
			failed.RequireFailure(t, "invalid_field_value", "recipients[0].variables.a")
			if strings.Contains(failed.Failure(t).Message, "range") {
				t.Errorf("%s: %s", value, failed.Body)
			}
		}
		call(http.MethodPost, id+"/recipients", `{"recipients":[{"to":" "}]}`).RequireFailure(t, "invalid_field_value", "recipients[0].to")
		b = draft{}
		call(http.MethodPatch, id, `{"scheduled_at":null,"per_second":null,"audience":{"label_ids":["${label}"]}}`).RequireStatus(t, http.StatusOK).Data(t, &b)
		if b.Status != "draft" || b.ScheduledAt != nil || b.Audience.Filter != nil || len(b.Audience.LabelIDs) != 1 {
			t.Errorf("it becomes %+v", b)
		}
		for _, list := range []string{"contact_ids", "recipients"} {
			call(http.MethodPatch, id, `{"audience":{"`+list+`":[]}}`).RequireFailure(t, "invalid_field_value", "audience."+list)
		}
		everybody := draft{}
		call(http.MethodPost, "", `{"name":"Sale","template":{"name":"sale","language":"en"},"audience":{"filter":{}}}`).RequireStatus(t, http.StatusCreated).Data(t, &everybody)
		call(http.MethodGet, "/"+everybody.ID, "").RequireStatus(t, http.StatusOK).Data(t, &everybody)
		if everybody.Audience.Filter == nil {
			t.Error("a broadcast to all contacts is shown as one to nobody")
		}
		var preview struct {
			Total        int
			MessagesLeft *int `json:"messages_left"`
		}
		call(http.MethodGet, id+"/preview", "").RequireStatus(t, http.StatusOK).Data(t, &preview)
		if preview.Total != 3 || preview.MessagesLeft != nil {
			t.Errorf("the preview is %+v", preview)
		}
		var people []struct{ Status string }
		call(http.MethodGet, id+"/recipients?status=delivered", "").RequireStatus(t, http.StatusOK).Data(t, &people)
		if len(people) != 0 {
			t.Errorf("before the start it was delivered to %+v", people)
		}
		b = draft{}
		call(http.MethodDelete, id+"/recipients", "").RequireStatus(t, http.StatusOK).Data(t, &b)
		call(http.MethodGet, id+"/recipients", "").RequireStatus(t, http.StatusOK).Data(t, &people)
		if b.Counts.Total != 0 || len(people) != 0 {
			t.Errorf("emptied it has %+v and %+v", b.Counts, people)
		}
		c.Call(t, apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/${label}"}).RequireStatus(t, http.StatusOK)
		call(http.MethodPost, id+"/start", "").RequireFailure(t, "invalid_field_value", "audience.label_ids")
	})
}

// A name is kept as its length is counted, with one blank for each run of white space. What is wrong with a list is told
// by its place, and null clears a time zone.
func TestBroadcastDraftFields(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasSale(t, c)
		hasLabel(`{"name":"VIP"}`)(t, c)
		call := func(method, rest, body string) *apitest.Response {
			t.Helper()
			return c.Call(t, apitest.Request{Method: method, Path: "/v1/${number}/broadcasts" + rest, Body: body})
		}
		type fields struct {
			ID, Name string
			TimeZone *string `json:"time_zone"`
		}
		const sale = `{"template":{"name":"sale","language":"en"},"name":"`
		wide := " Winter" + strings.Repeat(" ", 300) + " sale "
		for _, list := range []string{`"label_ids":["${label}","lbl_01ARZ3NDEKTSV4RRFFQ69G5FAV"]`, `"label_ids":["${label}","x"]`} {
			call(http.MethodPost, "", sale+`Sale","audience":{`+list+`}}`).RequireFailure(t, "invalid_field_value", "audience.label_ids[1]")
		}
		call(http.MethodPost, "", sale+`Sale","audience":{"contact_ids":["ctc_01ARZ3NDEKTSV4RRFFQ69G5FAV"]}}`).
			RequireFailure(t, "invalid_field_value", "audience.contact_ids[0]")
		var b fields
		call(http.MethodPost, "", sale+wide+`","time_zone":"Asia/Jakarta"}`).RequireStatus(t, http.StatusCreated).Data(t, &b)
		if b.Name != "Winter sale" || b.TimeZone == nil {
			t.Errorf("it is made as %+v", b)
		}
		call(http.MethodPatch, "/"+b.ID, `{"name":"`+wide+`"}`).RequireStatus(t, http.StatusOK).Data(t, &b)
		if b.Name != "Winter sale" || b.TimeZone == nil {
			t.Errorf("with a wide name it becomes %+v", b)
		}
		b.TimeZone = nil
		call(http.MethodPatch, "/"+b.ID, `{"time_zone":"Europe/Berlin"}`).RequireStatus(t, http.StatusOK).Data(t, &b)
		if b.TimeZone == nil || *b.TimeZone != "Europe/Berlin" {
			t.Errorf("with another time zone it becomes %+v", b)
		}
		call(http.MethodPatch, "/"+b.ID, `{"time_zone":null}`).RequireStatus(t, http.StatusOK).Data(t, &b)
		if b.TimeZone != nil {
			t.Errorf("without its time zone it has %s", *b.TimeZone)
		}
	})
}

// Numbers are taken as people write them, and blanks around a template's name go, as in a send. What recipients would see
// as a mistake is refused: braces that are not closed. A text that is there but empty is wrong, and not missing.
func TestBroadcastAsPeopleWrite(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasSale(t, c)
		call := func(body string) *apitest.Response {
			t.Helper()
			return c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/broadcasts", Body: body})
		}
		const sale = `{"name":"Sale","template":{"name":" sale ","language":"en"`
		var b draft
		call(sale+`},"audience":{"recipients":[{"to":"+49 (0)155-1000.0001"},{"to":"0049 155 10000001"},{"to":"\u202a+49 155 10000001\u202c"},{"to":"=\"+4915510000001\""},{"to":"00"}]}}`).RequireStatus(t, http.StatusCreated).Data(t, &b)
		if b.Counts.Waiting != 1 || b.Counts.Skipped != 4 {
			t.Errorf("four forms of a number, and none, count as %+v", b.Counts)
		}
		for _, text := range []string{"{{contact.name", "{{recipient.a|{{contact.name}}}}"} {
			call(sale+`,"components":[{"type":"body","parameters":[{"type":"text","text":"`+text+`"}]}]}}`).RequireFailure(t, "invalid_field_value", "template.components")
		}
		call(sale+`},"scheduled_at":"2099-01-01T00:00:00Z","time_zone":"Local"}`).RequireFailure(t, "invalid_field_value", "time_zone")
		saleSays(t, c, "Hi {{1}}, all is half the price.")
		call(sale+`,"components":[{"type":"body","parameters":[{"type":"text","text":""}]}]}}`).
			RequireFailure(t, "invalid_field_value", "template.components[0].parameters[0].text")
		call(sale+`,"components":[{"type":"body","parameters":[{"type":"text"}]}]}}`).
			RequireFailure(t, "missing_required_field", "template.components[0].parameters[0].text")
	})
}

// A copy has its recipients and its name. One that is cut off leaves nothing behind: it would look like a whole one.
func TestBroadcastCopy(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasSale(t, c)
		call := func(method, path, body string) *apitest.Response {
			t.Helper()
			return c.Call(t, apitest.Request{Method: method, Path: "/v1/${number}/broadcasts" + path, Body: body})
		}
		var b, double draft
		call(http.MethodPost, "", `{"name":"Sale","template":{"name":"sale","language":"en"},"audience":{"recipients":[{"to":"+4915510000001"}]}}`).
			RequireStatus(t, http.StatusCreated).Data(t, &b)
		call(http.MethodPost, "/"+b.ID+"/duplicate", "").RequireStatus(t, http.StatusCreated).Data(t, &double)
		if double.Name != "Sale" || double.Counts.Waiting != 1 {
			t.Errorf("the copy is %+v", double)
		}
		call(http.MethodDelete, "/"+double.ID, "").RequireStatus(t, http.StatusOK)

		hasCrowd(t, c, b.ID, 20_000)
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/v1/"+c.Get("number")+"/broadcasts/"+b.ID+"/duplicate", nil)
		must(t, err)
		request.Header.Set("Authorization", "Bearer "+c.Org.Key)
		over := make(chan error)
		go func() {
			_, err := http.DefaultClient.Do(request)
			over <- err
		}()
		count := func() int {
			var found []draft
			call(http.MethodGet, "", "").RequireStatus(t, http.StatusOK).Data(t, &found)
			return len(found)
		}
		for count() != 2 {
			t.Log("the copy has not begun")
		}
		cancel()
		if err := <-over; err == nil {
			t.Fatal("it was copied before it could be cut off")
		}
		for deadline := time.Now().Add(time.Minute); count() != 1; {
			if time.Now().After(deadline) {
				t.Fatal("a part of a copy stays")
			}
		}
	})
}

// hasCrowd adds people to a broadcast.
func hasCrowd(t *testing.T, c *apitest.Case, id string, people int) {
	t.Helper()
	account := accountOf(t, c)
	crowd := make([]core.NewRecipient, people)
	for i := range crowd {
		crowd[i].To = fmt.Sprintf("+4916%08d", i)
	}
	c.InTx(t, func(tx *store.Tx) error {
		_, err := core.AddRecipients(tx, account, id, crowd)
		return err
	})
}

// A broadcast that would pause at once is neither started nor resumed: the answer says what to do.
func TestBroadcastThatCannotGoOn(t *testing.T) {
	template := func(status, body string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			account := accountOf(t, c)
			c.InTx(t, func(tx *store.Tx) error {
				found, err := tx.TemplateToSend(c.Org.ID, account.WABAID, "sale", "en")
				found.SetProviderStatus(status, nil)
				found.Components = json.RawMessage(`[{"type":"BODY","text":"` + body + `"}]`)
				return errors.Join(err, tx.PutTemplate(found))
			})
		}
	}
	const same = "All is half the price."
	for name, trouble := range map[string]struct {
		begins, ends  func(*testing.T, *apitest.Case)
		start, resume string // the codes
		param         string // of the start
	}{
		"red": {changeNumber(func(a *chat.Account) { a.Quality = new("RED") }), func(*testing.T, *apitest.Case) {}, // the provider is asked
			"broadcast_state_conflict", "broadcast_state_conflict", ""},
		"restricted": {changeNumber(func(a *chat.Account) { a.Restriction = new(chat.RestrictBusiness) }), changeNumber(func(a *chat.Account) { a.Restriction = nil }),
			"account_restricted", "account_restricted", ""},
		"disconnected": {changeNumber(func(a *chat.Account) { a.Status = chat.AccountDisconnected }), changeNumber(func(a *chat.Account) { a.Status = chat.AccountConnected }),
			"upstream_error", "upstream_error", ""},
		"paused":   {template("PAUSED", same), template("APPROVED", same), "broadcast_state_conflict", "broadcast_state_conflict", ""},
		"rejected": {template("REJECTED", same), template("APPROVED", same), "broadcast_state_conflict", "broadcast_state_conflict", ""},
		"other parameters": {template("APPROVED", "For {{1}} all is half the price."), template("APPROVED", "All is a third of the price."),
			"invalid_field_value", "broadcast_state_conflict", "template.components"},
		"quota": {func(t *testing.T, c *apitest.Case) { putQuota(t, c, 0) }, func(t *testing.T, c *apitest.Case) { putQuota(t, c, 10) },
			"quota_exceeded", "quota_exceeded", ""},
	} {
		t.Run(name, func(t *testing.T) {
			apitest.Each(t, func(t *testing.T, server *apitest.Server) {
				rating := "RED"
				calling(t, &providertest.Client{OnPhoneNumber: func(provider.Number) (provider.PhoneNumber, error) { return provider.PhoneNumber{Quality: rating}, nil }})(server.API)
				c := server.NewCase(t)
				connected(t, c)
				hasSale(t, c)
				var paused, fresh draft
				call := func(path, body string) *apitest.Response {
					t.Helper()
					return c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/broadcasts" + path, Body: body})
				}
				const sale = `{"name":"Sale","template":{"name":"sale","language":"en"},"audience":{"recipients":[{"to":"+4915510000001"}]}}`
				call("", sale).RequireStatus(t, http.StatusCreated).Data(t, &paused)
				call("", sale).RequireStatus(t, http.StatusCreated).Data(t, &fresh)
				call("/"+paused.ID+"/start", "").RequireStatus(t, http.StatusOK)
				call("/"+paused.ID+"/pause", "").RequireStatus(t, http.StatusOK)
				trouble.begins(t, c)
				call("/"+fresh.ID+"/start", "").RequireFailure(t, trouble.start, trouble.param)
				call("/"+paused.ID+"/resume", "").RequireFailure(t, trouble.resume, "")
				call("/"+paused.ID+"/retry", "").RequireFailure(t, trouble.resume, "")
				call("/"+fresh.ID+"/resume", "").RequireFailure(t, "broadcast_state_conflict", "")
				trouble.ends(t, c)
				rating = "GREEN"
				call("/"+fresh.ID+"/start", "").RequireStatus(t, http.StatusOK)
				call("/"+paused.ID+"/resume", "").RequireStatus(t, http.StatusOK)
			})
		})
	}
}

// putQuota gives the organization a plan with so many messages a month.
func putQuota(t *testing.T, c *apitest.Case, messages int64) {
	t.Helper()
	c.InTx(t, func(tx *store.Tx) error {
		organization, err := tx.Organization(c.Org.ID)
		if err != nil {
			return err
		}
		plan, err := tx.Plan(organization.Plan)
		plan.Name, plan.MonthlyMessages = "small", &messages
		organization.Plan = plan.Name
		return errors.Join(err, tx.PutPlan(plan), tx.UpdateOrganization(organization))
	})
}

// An export has every recipient once, in the order of the list, however many pages it takes.
func TestBroadcastExport(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasSale(t, c)
		var b draft
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/broadcasts", Body: `{"name":"Sale","template":{"name":"sale","language":"en"},
			"audience":{"recipients":[{"to":"nobody"},{"to":"+49 1599","variables":{"a":"=1"}}]}}`}).RequireStatus(t, http.StatusCreated).Data(t, &b)
		hasCrowd(t, c, b.ID, 2_500)
		for filter, want := range map[string]int{
			"recipients.csv": 2502, "recipients.csv?status=waiting": 2500, "recipients.csv?status=skipped": 2, "recipients.csv?reason=invalid_phone_number": 2,
			"recipients.csv?status=sent": 0, "left_out.csv": 2,
		} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/v1/"+c.Get("number")+"/broadcasts/"+b.ID+"/"+filter, nil)
			must(t, err)
			request.Header.Set("Authorization", "Bearer "+c.Org.Key)
			answer, err := http.DefaultClient.Do(request)
			must(t, err)
			rows, err := csv.NewReader(answer.Body).ReadAll()
			must(t, errors.Join(err, answer.Body.Close()))
			if len(rows) != want+1 || rows[0][0] != "id" { // a mark of UTF-8 would be a part of the name
				t.Errorf("%q has %d rows below %q", filter, len(rows)-1, rows[0])
			}
			if ordered := slices.IsSortedFunc(rows[1:], func(a, b []string) int { return cmp.Compare(a[0], b[0]) }); !ordered || want > 2 && rows[len(rows)-1][1] != "+491600002499" {
				t.Errorf("%q is not in the order of the list: %v", filter, rows[len(rows)-1])
			}
			requireListed(t, c, "/broadcasts/"+b.ID+"/"+strings.Replace(filter, ".csv", "", 1), rows[1:])
		}
	})
}

// requireListed fails the test unless a list shows the same recipients as the rows of its export, in the same order.
func requireListed(t *testing.T, c *apitest.Case, path string, rows [][]string) {
	t.Helper()
	if strings.Contains(path, "left_out") {
		return // it is no list
	}
	path, rest, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(rest)
	must(t, err)
	query.Set("limit", "100")
	var shown []string
	for more := true; more; more = query.Get("cursor") != "" {
		var page struct {
			Data []struct{ ID string }
			Next string `json:"next_cursor"`
		}
		answer := c.Call(t, apitest.Request{Method: http.MethodGet, Path: "/v1/${number}" + path + "?" + query.Encode()}).RequireStatus(t, http.StatusOK)
		must(t, json.Unmarshal(answer.Body, &page))
		for _, row := range page.Data {
			shown = append(shown, row.ID)
		}
		query.Set("cursor", page.Next)
	}
	exported := make([]string, len(rows))
	for i, row := range rows {
		exported[i] = row[0]
	}
	if !slices.Equal(shown, exported) {
		t.Errorf("%s lists %d recipients, and the export has %d, or others, or in another order", path, len(shown), len(exported))
	}
}
