package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type numberShown struct {
	PhoneNumberID  string `json:"phone_number_id"`
	Name           string
	Status         string
	ProviderStatus *string `json:"provider_status"`
	Quality        *string
	MessagingLimit *string `json:"messaging_limit"`
	DailyLimit     *int64  `json:"daily_limit"`
	RequireOptIn   bool    `json:"require_opt_in"`
	Customer       *struct{ Name, Status string }
}

// numberOperations are all operations on one number, with valid bodies. Those for agents change nothing.
var numberOperations = []struct {
	method, path, body string
	role               chat.Role
}{
	{"GET", "/number", "", chat.RoleAgent},
	{"GET", "/number/history", "", chat.RoleAgent},
	{"GET", "/number/pace", "", chat.RoleAgent},
	{"GET", "/number/failures", "", chat.RoleAdmin},
	{"GET", "/number/holdings", "", chat.RoleAdmin},
	{"GET", "/number/profile", "", chat.RoleAdmin},
	{"PATCH", "/number", `{"require_opt_in":true}`, chat.RoleAdmin},
	{"PATCH", "/number/profile", `{"about":"Open"}`, chat.RoleAdmin},
	{"POST", "/number/refresh", `{}`, chat.RoleAdmin},
	{"POST", "/register", `{"pin":"123456"}`, chat.RoleAdmin},
	{"DELETE", "/number", "", chat.RoleAdmin},
}

// Agents see the numbers of their teams, and change none. Another organization sees none.
func TestWhoMayDoWhatWithNumbers(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		base := "/" + *o.account.PhoneNumberID
		stranger, _ := newAdmin(t, o.World)
		outside := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams))
		for _, op := range numberOperations {
			stranger.Do(t, op.method, base+op.path, op.body).RequireFailure(t, "resource_not_found", "")
			if op.role == chat.RoleAdmin {
				o.as.Do(t, op.method, base+op.path, op.body).RequireFailure(t, "forbidden", "")
				continue
			}
			outside.Do(t, op.method, base+op.path, op.body).RequireFailure(t, "resource_not_found", "")
			o.as.Do(t, op.method, base+op.path, op.body).RequireStatus(t, http.StatusOK)
		}
		o.as.Do(t, "POST", "/number_links", `{}`).RequireFailure(t, "forbidden", "")
		var shown []numberShown
		if stranger.Get(t, "/numbers").RequireStatus(t, http.StatusOK).Data(t, &shown); len(shown) != 0 {
			t.Errorf("a stranger sees %+v", shown)
		}
		if outside.Get(t, "/numbers").RequireStatus(t, http.StatusOK).Data(t, &shown); len(shown) != 0 {
			t.Errorf("who is in no team sees %+v", shown)
		}
		if o.as.Get(t, "/numbers").RequireStatus(t, http.StatusOK).Data(t, &shown); len(shown) != 1 {
			t.Errorf("an agent of the team sees %+v", shown)
		}
		admin := o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID))
		for _, op := range numberOperations { // the last one disconnects the number
			admin.Do(t, op.method, base+op.path, op.body).RequireStatus(t, http.StatusOK)
		}
		admin.Get(t, base+"/number").RequireFailure(t, "resource_not_found", "")
	})
}

// The history records the provider's reports about a number: from callbacks, from a registration and from a
// check.
func TestNumberHistory(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		account := newNumber(t, w.Store, org)
		base := "/" + *account.PhoneNumberID
		stream := admin.Listen(t)
		apply := func(u provider.Update) {
			t.Helper()
			w.Clock.Advance(time.Minute)
			storetest.InTx(t, w.Store, func(tx *store.Tx) error {
				return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, u)
			})
		}
		origin := provider.Origin{WABAID: account.WABAID}
		apply(provider.NumberUpdate{Origin: origin, Phone: *account.PhoneNumber, Event: "FLAGGED", Limit: "TIER_2K"})
		stream.Await(t, "numbers", "")
		apply(provider.NumberUpdate{Origin: origin, Phone: *account.PhoneNumber, Event: "FLAGGED", Limit: "TIER_2K"}) // no change
		apply(provider.AccountUpdate{Origin: origin, Event: provider.EventCapability, MessagingLimit: "10000"})
		w.Clock.Advance(time.Minute)
		w.Provider.OnPhoneNumber = func(provider.Number) (provider.PhoneNumber, error) {
			return provider.PhoneNumber{Status: "PENDING", Quality: "YELLOW", Limit: "TIER_10K", VerifiedName: "Shop"}, nil
		}
		var now numberShown
		admin.Do(t, "POST", base+"/number/refresh", `{}`).RequireStatus(t, http.StatusOK).Data(t, &now)
		if now.Status != "degraded" || *now.ProviderStatus != "PENDING" || now.Name != "Shop" || *now.DailyLimit != 10_000 {
			t.Errorf("after a look it is %+v", now)
		}
		w.Clock.Advance(time.Minute)
		w.Provider.OnPhoneNumber = nil
		admin.Do(t, "POST", base+"/register", `{"pin":"123456"}`).RequireStatus(t, http.StatusOK)

		var history struct{ States []numberShown }
		admin.Get(t, base+"/number/history").RequireStatus(t, http.StatusOK).Data(t, &history)
		var got []string
		for _, s := range history.States {
			got = append(got, strings.Join([]string{s.Status, text(s.ProviderStatus), text(s.Quality), text(s.MessagingLimit)}, " "))
		}
		want := []string{
			"connected CONNECTED YELLOW TIER_10K", "degraded PENDING YELLOW TIER_10K", "connected - RED TIER_10K", "connected - RED TIER_2K", "connected - - -",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("it was\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func text(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// failMessages makes messages to somebody new that have failed.
func failMessages(t *testing.T, st *store.Store, of chat.Account, to string, code chat.MessageErrorCode, times int) {
	t.Helper()
	contact := storetest.Contact(t, st, of, to)
	conversation := storetest.Conversation(t, st, contact, nil)
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for range times {
			m := chat.Message{
				ID: tx.NewID(chat.KindMessage), OrgID: of.OrgID, AccountID: of.ID, ConversationID: conversation.ID, ContactID: contact.ID,
				Direction: chat.Outbound, Type: chat.TypeText, Status: chat.StatusFailed, Source: chat.SourceAPI, Content: []byte(`{"body":"x"}`),
				Error: &chat.MessageError{Code: code, Message: "It failed."}, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
		}
		return nil
	})
}

// The figures count the same failed messages as the list, by reason.
func TestNumberFailuresAgreeWithFigures(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		_, org := newAdmin(t, w)
		account := newNumber(t, w.Store, org)
		other := newNumber(t, w.Store, org)
		failMessages(t, w.Store, account, "+628120000001", chat.FailUpstream, 2) // eight days ago
		w.Clock.Advance(8 * 24 * time.Hour)
		failMessages(t, w.Store, account, "+628120000002", chat.FailOutsideWindow, 3)
		failMessages(t, w.Store, account, "+628120000003", chat.FailUpstream, 1)
		failMessages(t, w.Store, other, "+628120000004", chat.FailUpstream, 4)
		w.Clock.Advance(time.Second)
		admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
		must(t, figures.New(figures.Config{Store: w.Store, Log: slog.New(slog.DiscardHandler)}).Sweep(t.Context()))
		for _, days := range []string{"1", "7", "30"} {
			query := "?days=" + days + "&zone=Asia/Jakarta"
			var counted struct {
				Failures []struct {
					Code  string
					Count int
				}
			}
			admin.Get(t, "/figures"+query+"&number="+*account.PhoneNumberID).RequireStatus(t, http.StatusOK).Data(t, &counted)
			if len(counted.Failures) != 2 {
				t.Errorf("in %s days there are the reasons %+v", days, counted.Failures)
			}
			for _, f := range counted.Failures {
				var listed []struct {
					Code string `json:"error_code"`
				}
				admin.Get(t, "/"+*account.PhoneNumberID+"/number/failures"+query+"&code="+f.Code).RequireStatus(t, http.StatusOK).Data(t, &listed)
				if len(listed) != f.Count || listed[0].Code != f.Code {
					t.Errorf("of %s in %s days %d are counted and %+v listed", f.Code, days, f.Count, listed)
				}
			}
		}
		var all struct {
			Failures []struct {
				Code    string
				Count   int
				Numbers []struct {
					PhoneNumberID string `json:"phone_number_id"`
					Count         int
				}
			}
		}
		admin.Get(t, "/figures?days=30").RequireStatus(t, http.StatusOK).Data(t, &all)
		if want := fmt.Sprintf("{[{upstream_error 7 [{%s 4} {%s 3}]} {outside_24h_window 3 [{%s 3}]}]}", *other.PhoneNumberID, *account.PhoneNumberID, *account.PhoneNumberID); fmt.Sprint(all) != want {
			t.Errorf("the failures of all numbers are %+v, not %s", all, want)
		}
		admin.Get(t, "/"+*account.PhoneNumberID+"/number/failures?zone=Mars/Olympus").RequireFailure(t, "invalid_field_value", "zone")
	})
}

// The profile is read from the provider, and invalid changes are refused before the provider is asked.
func TestNumberProfile(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	admin, org := newAdmin(t, w)
	base := "/" + *newNumber(t, w.Store, org).PhoneNumberID + "/number/profile"
	stored := chat.BusinessProfile{About: "Hello", Websites: []string{"https://127.0.0.1/"}}
	w.Provider.OnProfile = func(provider.Number) (chat.BusinessProfile, error) { return stored, nil }
	w.Provider.OnUpdate = func(_ provider.Number, c chat.ProfileChange) error {
		if c.About != nil {
			stored.About = *c.About
		}
		if c.PictureHandle != nil {
			stored.PictureURL = "https://127.0.0.1/" + *c.PictureHandle
		}
		return nil
	}
	var shown struct {
		About      string
		PictureURL string `json:"picture_url"`
		Websites   []string
	}
	admin.Do(t, "PATCH", base, `{"about":"Open all day","vertical":"RETAIL","email":"a@b.example","websites":["https://a.example"]}`).
		RequireStatus(t, http.StatusOK).Data(t, &shown)
	if shown.About != "Open all day" || len(shown.Websites) != 1 {
		t.Errorf("the profile is %+v", shown)
	}
	for param, body := range map[string]string{
		"about": `{"about":""}`, "vertical": `{"vertical":"PIRACY"}`, "email": `{"email":"nobody"}`, "websites": `{"websites":["ftp://a.example"]}`,
	} {
		admin.Do(t, "PATCH", base, body).RequireFailure(t, "invalid_field_value", param)
	}
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 100)
	admin.Do(t, "POST", base+"/picture", png, "Content-Type", "image/png").RequireStatus(t, http.StatusOK).Data(t, &shown)
	if !strings.HasPrefix(shown.PictureURL, "https://127.0.0.1/4::handle") {
		t.Errorf("the picture is at %q", shown.PictureURL)
	}
	admin.Do(t, "POST", base+"/picture", "GIF89a", "Content-Type", "image/png").RequireFailure(t, "unsupported_media_type", "")
	admin.Do(t, "POST", base+"/picture", png+strings.Repeat("x", 5<<20), "Content-Type", "image/png").RequireFailure(t, "payload_too_large", "")
	var log []struct {
		Action  string
		Details map[string]string
	}
	admin.Get(t, "/audit?action=number.profile_changed").RequireStatus(t, http.StatusOK).Data(t, &log)
	if len(log) != 2 || log[0].Details["changed"] != "picture" || log[1].Details["changed"] != "about, email, vertical, websites" {
		t.Errorf("the log has %+v", log)
	}
	w.Provider.OnProfile = func(provider.Number) (chat.BusinessProfile, error) {
		return chat.BusinessProfile{}, &provider.Error{HTTPStatus: 400, Code: 190, Message: "The token has expired."}
	}
	if failure := admin.Get(t, base).Failure(t); failure.Code != "upstream_error" || !strings.Contains(failure.Message, "The token has expired.") {
		t.Errorf("it says %+v", failure)
	}
}

// The holdings of a number are shown before it is disconnected. Templates go with the last number of their
// business account.
func TestNumberHoldings(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		account := newNumber(t, w.Store, org)
		second := newNumber(t, w.Store, org)
		storetest.Conversation(t, w.Store, storetest.Contact(t, w.Store, account, "+6281200000001"), nil)
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			return tx.InsertTemplate(chat.Template{
				ID: tx.NewID(chat.KindTemplate), OrgID: org.ID, WABAID: account.WABAID, Name: "sale", Language: "en_US",
				Status: chat.TemplateApproved, ProviderStatus: "APPROVED", CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			})
		})
		holdings := func() (h struct{ Queued, Conversations, Contacts, Templates int }) {
			admin.Get(t, "/"+*account.PhoneNumberID+"/number/holdings").RequireStatus(t, http.StatusOK).Data(t, &h)
			return h
		}
		if h := holdings(); h.Conversations != 1 || h.Contacts != 1 || h.Templates != 0 || h.Queued != 0 {
			t.Errorf("beside another number it has %+v", h)
		}
		admin.Do(t, "DELETE", "/"+*second.PhoneNumberID+"/number", "").RequireStatus(t, http.StatusOK)
		if h := holdings(); h.Templates != 1 {
			t.Errorf("as the last number it has %+v", h)
		}
	})
}

// An admin connects a number with a link that leads back to the dashboard.
func TestNumberLinks(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite, func(c *app.Config) {
		c.Pace = func(string) app.Pace {
			return app.Pace{PerSecond: 80, Now: 40, PausedFor: 1500 * time.Millisecond, LastMinute: 12}
		}
	})
	admin, org := newAdmin(t, w)
	var made struct {
		SetupURL string `json:"setup_url"`
	}
	admin.Do(t, "POST", "/number_links", `{}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
	token, ok := strings.CutPrefix(made.SetupURL, w.URL+core.OnboardPath)
	if !ok {
		t.Fatalf("the link is %s", made.SetupURL)
	}
	found, err := core.FindInvitation(w.Store.Read(t.Context()), token)
	if err != nil || found.Organization.ID != org.ID || found.Customer != nil || *found.Link.SuccessRedirectURL != w.URL+"/numbers" {
		t.Errorf("it is %+v, %v", found, err)
	}
	storetest.Team(t, w.Store, org.ID, "Second")
	admin.Do(t, "POST", "/number_links", `{}`).RequireFailure(t, "missing_required_field", "team_id")

	var pace struct {
		Waiting int
		Sending *struct {
			PerSecondNow  float64 `json:"per_second_now"`
			PausedSeconds int     `json:"paused_seconds"`
			LastMinute    int     `json:"last_minute"`
		}
	}
	account := newNumber(t, w.Store, org)
	admin.Get(t, "/"+*account.PhoneNumberID+"/number/pace").RequireStatus(t, http.StatusOK).Data(t, &pace)
	if pace.Waiting != 0 || pace.Sending == nil || pace.Sending.PerSecondNow != 40 || pace.Sending.PausedSeconds != 2 || pace.Sending.LastMinute != 12 {
		t.Errorf("the pace is %+v", pace)
	}
}

// pagesOfNumbers are the phone_number_ids in a list of numbers, over all pages.
func pagesOfNumbers(t testing.TB, b *apptest.Browser, query string) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		var page struct {
			Data       []numberShown
			NextCursor *string `json:"next_cursor"`
		}
		b.Get(t, "/numbers?"+query+cursor).RequireStatus(t, http.StatusOK).Decode(t, &page)
		for _, n := range page.Data {
			ids = append(ids, n.PhoneNumberID)
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// Of thousands of numbers a page knows the newest from the start, and finds the others. Whoever is in another team finds none.
func TestManyNumbers(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		admin := o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID))
		outside := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams))
		known := func(b *apptest.Browser) (me struct {
			Numbers []numberShown
			More    bool `json:"more_numbers"`
		}) {
			t.Helper()
			b.Get(t, "/me").RequireStatus(t, http.StatusOK).Data(t, &me)
			return me
		}
		if me := known(admin); len(me.Numbers) != 1 || me.More {
			t.Errorf("of one number the page knows %d, more: %v", len(me.Numbers), me.More)
		}
		o.Clock.Advance(time.Second)
		team := storetest.Team(t, o.Store, o.org.ID, "Second")
		storetest.InTx(t, o.Store, func(tx *store.Tx) error {
			for i := range 500 {
				number := o.account
				number.ID, number.PhoneNumberID, number.Name = tx.NewID(chat.KindAccount), new(fmt.Sprint(700_000_000+i)), new(fmt.Sprintf("Shop %d", i))
				number.CreatedAt = tx.Now()
				if i == 7 {
					number.TeamID, number.Status = team.ID, chat.AccountDegraded
				}
				if err := tx.InsertAccount(number); err != nil {
					return err
				}
			}
			return nil
		})
		if me := known(admin); len(me.Numbers) != 500 || !me.More {
			t.Errorf("of 501 numbers the page knows %d, more: %v", len(me.Numbers), me.More)
		}
		if me := known(outside); len(me.Numbers) != 0 || me.More {
			t.Errorf("who is in no team knows %d, more: %v", len(me.Numbers), me.More)
		}
		all := pagesOfNumbers(t, admin, "limit=100")
		if len(all) != 501 || all[500] != *o.account.PhoneNumberID {
			t.Errorf("the list has %d numbers", len(all))
		}
		for query, want := range map[string][]string{
			"q=" + *o.account.PhoneNumberID: {*o.account.PhoneNumberID}, "q=sHoP+499": {"700000499"}, "q=nobody": nil,
			"q=SHOP+7&troubled=true": {"700000007"}, "troubled=true": {"700000007"}, "team_id=" + team.ID: {"700000007"},
		} {
			same(t, query, pagesOfNumbers(t, admin, query), want)
			same(t, query+" outside", pagesOfNumbers(t, outside, query), []string(nil))
		}
		member := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams, o.org.TeamID))
		same(t, "of another team", pagesOfNumbers(t, member, "q=700000007"), []string(nil))
		same(t, "of the own team", pagesOfNumbers(t, member, "q=700000008"), []string{"700000008"})
		admin.Get(t, "/numbers?q=").RequireFailure(t, "invalid_field_value", "q")
	})
}
