package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type totals struct{ Inbound, Outbound, Failed int64 }

type period struct {
	Messages           totals
	Answered, Resolved struct {
		Count         int
		MedianSeconds int64 `json:"median_seconds"`
	}
}

type homeFigures struct {
	Days        []struct{ Messages totals }
	Hours       [][]int64
	Now, Before period
}

func (o *office) figures(t testing.TB, b *apptest.Browser, query string) (f homeFigures) {
	t.Helper()
	counter := figures.New(figures.Config{Store: o.Store, Log: slog.New(slog.DiscardHandler)})
	must(t, counter.Sweep(t.Context()))
	b.Get(t, "/figures?"+query).RequireStatus(t, http.StatusOK).Data(t, &f)
	return f
}

func TestFigures(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		o.receive(t, o.account, "+6281200000009", "wamid.before", "last week")
		o.Clock.Advance(7 * 24 * time.Hour)
		o.as = o.As(t, o.agent) // the session has ended meanwhile
		conversation := o.receive(t, o.account, "+6281200000001", "wamid.1", "hello?")
		o.receive(t, o.account, "+6281200000002", "wamid.2", "hi")
		o.Clock.Advance(90 * time.Second)
		o.as.Do(t, http.MethodPost, "/"+*o.account.PhoneNumberID+"/messages",
			`{"messaging_product":"chat","to":"+6281200000001","type":"text","text":{"body":"Good morning!"}}`).RequireStatus(t, http.StatusOK)
		o.Clock.Advance(30 * time.Second)
		o.as.Do(t, http.MethodPatch, "/conversations/"+conversation, `{"status":"resolved"}`).RequireStatus(t, http.StatusOK)
		o.Clock.Advance(time.Second)

		f := o.figures(t, o.as, "days=7&zone=Asia/Jakarta")
		if f.Now.Messages.Inbound != 2 || f.Now.Messages.Outbound != 1 || f.Before.Messages.Inbound != 1 || len(f.Days) != 7 || f.Days[6].Messages.Inbound != 2 || len(f.Hours) != 7 {
			t.Errorf("figures are %+v", f)
		}
		if f.Now.Answered.Count != 1 || f.Now.Answered.MedianSeconds != 90 || f.Now.Resolved.Count != 1 || f.Now.Resolved.MedianSeconds != 120 {
			t.Errorf("times are %+v", f.Now)
		}
		o.as.Get(t, "/figures?zone=Mars/Olympus").RequireFailure(t, "invalid_field_value", "zone")

		elsewhere := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams))
		if f := o.figures(t, elsewhere, "days=7"); f.Now.Messages.Inbound != 0 || f.Now.Answered.Count != 0 {
			t.Errorf("who is in no team of the number sees %+v", f.Now)
		}
		if f := o.figures(t, o.as, "days=7&number=999999999"); f.Now.Messages.Inbound != 0 {
			t.Errorf("a number that there is not has %+v", f.Now)
		}
		o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesAssigned, o.org.TeamID)).Get(t, "/figures").
			RequireFailure(t, "forbidden", "")
	})
}

type attention struct {
	Waiting struct {
		Count int
		Since *string
	}
	Unassigned int
	Numbers    []struct {
		PhoneNumberID string `json:"phone_number_id"`
	}
	Endpoints []struct{ ID string }
	Templates []struct{ Name string }
	Quota     *struct{ Used, Limit int64 }
}

func attentionOf(t testing.TB, b *apptest.Browser) (a attention) {
	t.Helper()
	b.Get(t, "/attention").RequireStatus(t, http.StatusOK).Data(t, &a)
	return a
}

func TestAttention(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		o.receive(t, o.account, "+6281200000001", "wamid.1", "hello?")
		o.Clock.Advance(time.Minute)
		o.receive(t, o.account, "+6281200000002", "wamid.2", "hi")
		troubled := newNumber(t, o.Store, o.org)
		troubled.Quality = new("RED")
		storetest.InTx(t, o.Store, func(tx *store.Tx) error {
			sub := chat.WebhookSubscription{
				ID: tx.NewID(chat.KindSubscription), OrgID: o.org.ID, URL: "https://127.0.0.1/hook", Status: chat.WebhookActive,
				FailingSince: new(tx.Now()), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			template := chat.Template{
				ID: tx.NewID(chat.KindTemplate), OrgID: o.org.ID, WABAID: o.account.WABAID, Name: "sale", Language: "en_US",
				Status: chat.TemplateRejected, ProviderStatus: "REJECTED", CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			if err := tx.UpdateAccount(troubled); err != nil {
				return err
			}
			if err := tx.InsertWebhookSubscription(sub); err != nil {
				return err
			}
			return tx.InsertTemplate(template)
		})

		a := attentionOf(t, o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID)))
		if a.Waiting.Count != 2 || a.Waiting.Since == nil || a.Unassigned != 2 {
			t.Errorf("conversations: %+v", a)
		}
		if len(a.Numbers) != 1 || a.Numbers[0].PhoneNumberID != *troubled.PhoneNumberID {
			t.Errorf("numbers: %+v", a.Numbers)
		}
		if len(a.Endpoints) != 1 || len(a.Templates) != 1 || a.Templates[0].Name != "sale" || a.Quota != nil {
			t.Errorf("for admins: %+v", a)
		}
		a = attentionOf(t, o.as)
		if a.Waiting.Count != 2 || len(a.Numbers) != 1 || len(a.Endpoints)+len(a.Templates) != 0 {
			t.Errorf("an agent sees %+v", a)
		}
		a = attentionOf(t, o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams)))
		if a.Waiting.Count+a.Unassigned+len(a.Numbers) != 0 {
			t.Errorf("who is in no team sees %+v", a)
		}
		stranger := storetest.Org(t, o.Store)
		a = attentionOf(t, o.As(t, o.User(t, stranger, chat.RoleOwner, chat.SeesAll, stranger.TeamID)))
		if a.Waiting.Count+a.Unassigned+len(a.Numbers)+len(a.Endpoints)+len(a.Templates) != 0 {
			t.Errorf("another organization sees %+v", a)
		}
	})
}

// Organizations have more numbers than the dashboard lists at once, and each of them counts.
func TestHomeOfManyNumbers(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		o.receive(t, o.account, "+6281200000001", "wamid.1", "hello?")
		o.account.Quality = new("RED")
		o.Clock.Advance(time.Minute)
		storetest.InTx(t, o.Store, func(tx *store.Tx) error {
			for range 500 { // newer, so that they come first in lists
				another := o.account
				another.ID, another.CreatedAt, another.Quality = tx.NewID(chat.KindAccount), tx.Now(), nil
				another.PhoneNumberID = new(fmt.Sprint(100_000_000 + numbers.Add(1)))
				if err := tx.InsertAccount(another); err != nil {
					return err
				}
			}
			return tx.UpdateAccount(o.account)
		})
		member := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams, o.org.TeamID))
		for _, b := range []*apptest.Browser{o.as, member} {
			for _, query := range []string{"days=7", "days=7&number=" + *o.account.PhoneNumberID} {
				if f := o.figures(t, b, query); f.Now.Messages.Inbound != 1 {
					t.Errorf("%s: %d messages came in, want 1", query, f.Now.Messages.Inbound)
				}
			}
			if a := attentionOf(t, b); len(a.Numbers) != 1 || a.Numbers[0].PhoneNumberID != *o.account.PhoneNumberID {
				t.Errorf("numbers in trouble: %+v", a.Numbers)
			}
		}
	})
}
