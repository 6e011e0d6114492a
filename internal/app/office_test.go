package app_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// office is an organization that people write to, with an agent who sees everything.
type office struct {
	*apptest.World
	org     storetest.Organization
	account chat.Account
	agent   chat.User
	as      *apptest.Browser // the agent's
}

func newOffice(t testing.TB, w *apptest.World) *office {
	t.Helper()
	o := &office{World: w, org: storetest.Org(t, w.Store)}
	o.account = newNumber(t, w.Store, o.org)
	o.agent = w.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID)
	o.as = w.As(t, o.agent)
	return o
}

// each runs a test on each engine, in what build makes of a world.
func each[P any](t *testing.T, build func(testing.TB, *apptest.World) P, test func(t *testing.T, place P)) {
	t.Helper()
	apptest.Each(t, func(t *testing.T, w *apptest.World) { test(t, build(t, w)) })
}

var numbers atomic.Int64

func newNumber(t testing.TB, st *store.Store, org storetest.Organization) chat.Account {
	t.Helper()
	return storetest.Account(t, st, org, fmt.Sprint(100_000_000+numbers.Add(1)))
}

// receive takes in a text from a person and returns the conversation's id.
func (o *office) receive(t testing.TB, account chat.Account, phone, providerID, text string) string {
	t.Helper()
	content, err := json.Marshal(map[string]string{"body": text})
	must(t, err)
	return o.receiveAs(t, account, phone, provider.Message{ProviderID: providerID, Type: chat.TypeText, Content: content})
}

func (o *office) receiveAs(t testing.TB, account chat.Account, phone string, m provider.Message) (conversationID string) {
	t.Helper()
	m.Contact, m.Timestamp, m.Raw.Item = provider.Person{Phone: phone, ProfileName: "Person " + phone}, o.Clock.Now(), json.RawMessage("{}")
	update := provider.InboundMessage{Origin: provider.Origin{WABAID: account.WABAID, PhoneNumberID: *account.PhoneNumberID}, Message: m}
	storetest.InTx(t, o.Store, func(tx *store.Tx) error {
		applier := core.Applier{PublicURL: o.URL, Log: slog.New(slog.DiscardHandler)}
		if err := applier.ApplyAll(tx, []provider.Update{update}); err != nil {
			return err
		}
		message, err := tx.MessageByProviderID(account.OrgID, account.ID, m.ProviderID)
		conversationID = message.ConversationID
		return err
	})
	return conversationID
}

// seen holds the fields of a conversation that the tests compare.
type seen struct {
	ID           string
	Status       string
	SnoozedUntil *string `json:"snoozed_until"`
	WaitingSince *string `json:"waiting_since"`
	Window       *string `json:"window_expires_at"`
	Assignee     *struct{ ID, Name string }
	Labels       []struct{ Name string }
	UnreadCount  int `json:"unread_count"`
	Draft        bool
	LastMessage  *struct{ Type, Direction, Status, Preview string } `json:"last_message"`
	Number       struct {
		PhoneNumberID string `json:"phone_number_id"`
	}
}

func (o *office) conversation(t testing.TB, id string) (c seen) {
	t.Helper()
	o.as.Get(t, "/conversations/"+id).RequireStatus(t, http.StatusOK).Data(t, &c)
	return c
}

// list returns the ids of a list.
func list(t testing.TB, b *apptest.Browser, query string) []string {
	t.Helper()
	var all []seen
	b.Get(t, "/conversations?"+query).RequireStatus(t, http.StatusOK).Data(t, &all)
	ids := []string{}
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

type count struct{ Open, Unread int }

func counts(t testing.TB, b *apptest.Browser) (all map[string]count) {
	t.Helper()
	b.Get(t, "/conversations/counts").RequireStatus(t, http.StatusOK).Data(t, &all)
	return all
}

// item holds the fields of a timeline's item that the tests compare.
type item struct {
	ID, Kind string
	Message  *struct {
		ID        string
		Direction string
		Source    *string
		SentBy    *struct{ ID, Name string } `json:"sent_by"`
		Quoted    *struct{ ID, Preview string }
		Reactions []struct{ Emoji, Direction, From string }
	}
	Note      *struct{ Body string }
	Happening *struct {
		What  string
		By    *struct{ ID string }
		To    *struct{ ID string }
		Label *struct{ Name string }
		Until *string
		Why   *string
	}
}

// name is the item in a word or two.
func (i item) name() string {
	switch {
	case i.Message != nil:
		return i.Message.Direction
	case i.Note != nil:
		return "note: " + i.Note.Body
	default:
		return i.Happening.What
	}
}

func timeline(t testing.TB, b *apptest.Browser, id, query string) (items []item) {
	t.Helper()
	b.Get(t, "/conversations/"+id+"/timeline?"+query).RequireStatus(t, http.StatusOK).Data(t, &items)
	return items
}

func names(items []item) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = item.name()
	}
	return all
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
