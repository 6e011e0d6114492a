package app_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// finding holds the fields of a hit that the tests compare.
type finding struct {
	MessageID      string `json:"message_id"`
	NoteID         string `json:"note_id"`
	ConversationID string `json:"conversation_id"`
	Direction      string
	Author         struct{ ID, Name string }
	Snippet        struct {
		Text  string
		Marks [][2]int
	}
}

type findings struct {
	Items      []finding
	NextCursor *string `json:"next_cursor"`
}

// conversations are the conversations of the hits.
func (f findings) conversations() []string {
	ids := []string{}
	for _, one := range f.Items {
		ids = append(ids, one.ConversationID)
	}
	return ids
}

type found struct {
	Messages, Notes, Contacts findings
	Indexing                  bool
}

// index brings the search index up to date.
func (o *office) index(t testing.TB) {
	t.Helper()
	must(t, search.New(search.Config{Store: o.Store, Index: o.Index, Log: slog.New(slog.DiscardHandler)}).Sweep(t.Context()))
}

func find(t testing.TB, b *apptest.Browser, text, query string) (f found) {
	t.Helper()
	b.Get(t, "/search?q="+url.QueryEscape(text)+query).RequireStatus(t, http.StatusOK).Data(t, &f)
	return f
}

// A search finds messages, notes and contacts, marks the matches, and continues on the next page.
func TestSearch(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+6281234567890", "wamid.1", "Is the blue parcel there?")
		o.Clock.Advance(time.Hour)
		second := newNumber(t, o.Store, o.org)
		other := o.receive(t, second, "+6281234567891", "wamid.2", "A parcel for Person")
		o.as.Do(t, "POST", "/conversations/"+id+"/notes", `{"body":"The parcel is <b>lost</b>"}`).RequireStatus(t, http.StatusCreated)
		o.index(t)

		f := find(t, o.as, "PARCEL", "")
		same(t, "messages", f.Messages.conversations(), []string{other, id})
		same(t, "notes", f.Notes.conversations(), []string{id})
		same(t, "contacts", f.Contacts.conversations(), []string{})
		same(t, "the snippet", f.Messages.Items[1].Snippet.Text, "Is the blue parcel there?")
		same(t, "the marks", f.Messages.Items[1].Snippet.Marks, [][2]int{{12, 18}})
		same(t, "the note", f.Notes.Items[0].Snippet.Text, "The parcel is <b>lost</b>")
		same(t, "its author", f.Notes.Items[0].Author.Name, o.agent.Name)
		same(t, "contacts by number", find(t, o.as, "0812 3456 7890", "").Contacts.conversations(), []string{id})
		same(t, "contacts by name", find(t, o.as, "person", "&in=contacts").Contacts.conversations(), []string{other, id})
		same(t, "of one number", find(t, o.as, "parcel", "&number="+*second.PhoneNumberID).Messages.conversations(), []string{other})
		same(t, "of a number that is not there", find(t, o.as, "parcel", "&number=999999999").Messages.conversations(), []string{})
		noon := url.QueryEscape(chat.FormatTime(o.Clock.Now()))
		same(t, "before", find(t, o.as, "parcel", "&until="+noon).Messages.conversations(), []string{id})
		same(t, "from", find(t, o.as, "parcel", "&from="+noon).Messages.conversations(), []string{other})

		page := find(t, o.as, "parcel", "&in=messages&limit=1").Messages
		same(t, "the first page", page.conversations(), []string{other})
		page = find(t, o.as, "parcel", "&in=messages&limit=1&cursor="+*page.NextCursor).Messages
		same(t, "the second page", page.conversations(), []string{id})
		same(t, "is the last", page.NextCursor, (*string)(nil))
	})
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	o := newOffice(t, w)
	o.receive(t, o.account, "+6281234567890", "wamid.1", "one")
	o.receive(t, o.account, "+6281234567890", "wamid.2", "one more")
	o.index(t)
	cursor := *find(t, o.as, "one", "&in=messages&limit=1").Messages.NextCursor
	for query, want := range map[string][2]string{
		"":                                {"missing_required_field", "q"},
		"q=":                              {"invalid_field_value", "q"},
		"q=one&in=people":                 {"invalid_field_value", "in"},
		"q=one&limit=0":                   {"invalid_limit", "limit"},
		"q=one&cursor=" + cursor:          {"invalid_cursor", "cursor"},
		"q=one&in=notes&cursor=" + cursor: {"invalid_cursor", "cursor"},
		"q=one&in=messages&cursor=abc":    {"invalid_cursor", "cursor"},
		"q=one&from=yesterday":            {"invalid_field_value", "from"},
	} {
		o.as.Get(t, "/search?"+query).RequireFailure(t, want[0], want[1])
	}
	w.Browser().Get(t, "/search?q=one").RequireFailure(t, "not_signed_in", "")
}

// Nobody finds rows of another organization, or of a team or colleague that they may not see.
func TestSearchShowsWhatTheUserSees(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		team := storetest.Team(t, o.Store, o.org.ID, "Others")
		theirs := storetest.Organization{ID: o.org.ID, TeamID: team.ID}
		first := o.receive(t, o.account, "+6281234567890", "wamid.1", "secret word")
		second := o.receive(t, newNumber(t, o.Store, theirs), "+6281234567890", "wamid.2", "secret word")
		o.Clock.Advance(time.Second)
		third := o.receive(t, o.account, "+6281234567891", "wamid.3", "secret word")
		stranger := newOffice(t, o.World)
		strange := stranger.receive(t, stranger.account, "+6281234567890", "wamid.4", "secret word")
		for _, id := range []string{first, second, third} {
			o.as.Do(t, "POST", "/conversations/"+id+"/notes", `{"body":"a secret note"}`).RequireStatus(t, http.StatusCreated)
		}
		colleague := o.User(t, o.org, chat.RoleAgent, chat.SeesAssigned, o.org.TeamID)
		o.as.Do(t, "PATCH", "/conversations/"+third, `{"assigned_to":"`+colleague.ID+`"}`).RequireStatus(t, http.StatusOK)
		o.index(t)

		for who, test := range map[string]struct {
			as   *apptest.Browser
			want []string
		}{
			"who sees everything":       {o.as, []string{third, second, first}},
			"who sees a team":           {o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams, o.org.TeamID)), []string{third, first}},
			"who sees the other team":   {o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams, team.ID)), []string{second}},
			"who is in no team":         {o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesTeams)), []string{}},
			"who sees what is assigned": {o.As(t, colleague), []string{third}},
			"a stranger":                {stranger.as, []string{strange}},
		} {
			f := find(t, test.as, "secret", "")
			same(t, "messages for "+who, f.Messages.conversations(), test.want)
			if who != "a stranger" {
				same(t, "notes for "+who, len(f.Notes.Items), len(test.want))
			}
			same(t, "short words for "+who, find(t, test.as, "se", "").Messages.conversations(), test.want)
			same(t, "contacts for "+who, len(find(t, test.as, "81234", "").Contacts.Items), len(test.want))
		}
		storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.DeleteConversation(o.org.ID, third) })
		same(t, "after one was deleted", find(t, o.as, "secret", "").Messages.conversations(), []string{second, first})
	})
}
