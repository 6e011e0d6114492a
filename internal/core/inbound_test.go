package core_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// known are the stored fields of a contact.
type known struct{ Phone, BSUID, Parent, Username, Name string }

func (w *world) known() (all []known) {
	w.T.Helper()
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	for _, c := range w.Contacts() {
		all = append(all, known{text(c.PhoneNumber), text(c.BSUID), text(c.ParentBSUID), text(c.Username), text(c.Name)})
	}
	return all
}

// from is a text from a person.
func (w *world) from(p provider.Person, id string) provider.InboundMessage {
	m := w.Text(id, "hi")
	m.Contact = p
	return m
}

// A message's details about its sender are stored, unless they belong to another contact.
func TestInboundLearnsIdentities(t *testing.T) {
	const created, updated, got = chat.EventContactCreated, chat.EventContactUpdated, chat.EventMessageReceived
	type meeting struct {
		first, then provider.Person
		want        []known // newest first
		events      []chat.EventType
	}
	eachCase(t, map[string]meeting{
		"the same again": {ada(), ada(), []known{{adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{got}},
		"a BSUID for a number": {provider.Person{Phone: adaNumber}, provider.Person{Phone: adaNumber, UserID: adaID, ParentUserID: "DE.ENT.x"},
			[]known{{adaNumber, adaID, "DE.ENT.x", "", ""}}, []chat.EventType{got}},
		"a number for a BSUID": {provider.Person{UserID: adaID}, ada(), []known{{adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{updated, got}},
		"only the BSUID":       {ada(), provider.Person{UserID: adaID}, []known{{adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{got}},
		"only the parent":      {provider.Person{UserID: adaID, ParentUserID: "DE.ENT.x"}, provider.Person{ParentUserID: "DE.ENT.x"}, []known{{"", adaID, "DE.ENT.x", "", ""}}, []chat.EventType{got}},
		"a name":               {provider.Person{Phone: adaNumber}, provider.Person{Phone: adaNumber, ProfileName: "Ada"}, []known{{adaNumber, "", "", "", "Ada"}}, []chat.EventType{updated, got}},
		"another name":         {ada(), provider.Person{Phone: adaNumber, ProfileName: "Countess"}, []known{{adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{got}},
		"another BSUID":        {ada(), provider.Person{Phone: adaNumber, UserID: "DE.other"}, []known{{adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{got}},
		"a username":           {ada(), provider.Person{Phone: adaNumber, Username: "ada.l"}, []known{{adaNumber, adaID, "", "ada.l", "Ada"}}, []chat.EventType{got}},
		"another username":     {provider.Person{Phone: adaNumber, Username: "ada"}, provider.Person{Phone: adaNumber, Username: "ada.l"}, []known{{adaNumber, "", "", "ada.l", ""}}, []chat.EventType{got}},
		"ids that are none": {provider.Person{Phone: adaNumber, UserID: "de.ada", ParentUserID: "DE.ada"}, provider.Person{Phone: adaNumber, UserID: "DE." + strings.Repeat("a", 129), ParentUserID: "DE.ENT.a-b"},
			[]known{{adaNumber, "", "", "", ""}}, []chat.EventType{got}},
		"an id that is none, and no other": {provider.Person{UserID: "DE.a-b"}, provider.Person{UserID: "DE.a-b"}, []known{{"", "DE.a-b", "", "", ""}}, []chat.EventType{got}},
		"a blank name":                     {provider.Person{Phone: adaNumber, ProfileName: " \u00a0"}, provider.Person{Phone: adaNumber, ProfileName: " "}, []known{{adaNumber, "", "", "", ""}}, []chat.EventType{got}},
		"somebody else": {ada(), provider.Person{Phone: "+4915510000002", UserID: "DE.bob"},
			[]known{{"+4915510000002", "DE.bob", "", "", ""}, {adaNumber, adaID, "", "", "Ada"}}, []chat.EventType{created, got}},
		"somebody else with the username": {provider.Person{Phone: adaNumber, Username: "ada"}, provider.Person{Phone: "+4915510000002", Username: "ADA", ProfileName: "Bob"},
			[]known{{"+4915510000002", "", "", "", "Bob"}, {adaNumber, "", "", "ada", ""}}, []chat.EventType{created, got}},
	}, func(t *testing.T, w *world, m meeting) {
		w.Apply(w.from(m.first, "wamid.1"))
		w.Expect(created, got)
		w.Clock.Advance(time.Second)
		w.Apply(w.from(m.then, "wamid.2"))
		w.Expect(m.events...)
		if d := cmp.Diff(m.want, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
	})
}

// What somebody changes of a contact while a message from it is applied stays, whatever the message teaches.
func TestInboundKeepsWhatOthersChange(t *testing.T) {
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.Postgres, storetest.WithClock(clock)) // SQLite runs one transaction at a time
	for body, before := range map[string]provider.Person{"It is Ada": {Phone: adaNumber}, "STOP": ada()} {
		t.Run(body, func(t *testing.T) {
			w := newWorld(t, st, clock)
			w.Apply(w.from(before, "wamid.1"), w.from(provider.Person{Phone: "+4915510000002"}, "wamid.2"))
			ada, err := w.Read().ContactByNumber(w.Org.ID, w.Account.ID, adaNumber)
			w.Must(err)
			w.InTx(func(tx *store.Tx) error {
				w.Must(tx.Foresee([]store.Arrival{w.arrival(adaNumber, "wamid.3"), w.arrival("+4915510000002", "wamid.4")}))
				w.InTx(func(other *store.Tx) error {
					_, err := core.UpdateContact(other, w.Account, ada.ID, chat.ContactPatch{Email: chat.To("ada@shop.example")}, chat.Actor{})
					return err
				})
				return core.Applier{PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)}.Apply(tx, w.Text("wamid.3", body))
			})
			got, err := w.Read().Contact(w.Org.ID, w.Account.ID, ada.ID)
			w.Must(err)
			if *got.Email != "ada@shop.example" || *got.Name != "Ada" || (body == "STOP") != (got.Consent == chat.ConsentOptedOut) {
				t.Errorf("the contact is %+v", got)
			}
		})
	}
}

// arrival is what is known of a message before it is applied.
func (w *world) arrival(number, id string) store.Arrival {
	return store.Arrival{Thread: store.ThreadKey{OrgID: w.Org.ID, AccountID: w.Account.ID, Number: number}, ProviderID: id}
}

// A taken username does not keep the other fields from being learnt.
func TestInboundLearnsBesideATakenUsername(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.from(provider.Person{Phone: "+4915510000002", Username: "ada.l"}, "wamid.1"))
		w.Clock.Advance(time.Second)
		w.Apply(w.from(provider.Person{Phone: adaNumber}, "wamid.2"))
		w.Events()
		w.Apply(w.from(provider.Person{Phone: adaNumber, UserID: adaID, Username: "Ada.L", ProfileName: "Ada"}, "wamid.3"))
		w.Expect(chat.EventContactUpdated, chat.EventMessageReceived)
		want := []known{{adaNumber, adaID, "", "", "Ada"}, {"+4915510000002", "", "", "ada.l", ""}}
		if d := cmp.Diff(want, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
	})
}

func TestIdentityChanges(t *testing.T) {
	type change struct {
		previous, current provider.Person
		want              []known
		told              bool
	}
	bob := known{"+4915510000002", "DE.bob", "", "", ""}
	eachCase(t, map[string]change{
		"a new number":                     {provider.Person{Phone: adaNumber}, provider.Person{Phone: "+4915510000009"}, []known{{"+4915510000009", adaID, "", "", "Ada"}, bob}, true},
		"a new number and id":              {provider.Person{Phone: adaNumber, UserID: adaID}, provider.Person{Phone: "+4915510000009", UserID: "DE.new"}, []known{{"+4915510000009", "DE.new", "", "", "Ada"}, bob}, true},
		"a new id":                         {provider.Person{UserID: adaID}, provider.Person{UserID: "DE.new", ParentUserID: "DE.ENT.new"}, []known{{adaNumber, "DE.new", "DE.ENT.new", "", "Ada"}, bob}, true},
		"nothing new":                      {provider.Person{UserID: adaID}, provider.Person{UserID: adaID, Phone: adaNumber}, []known{{adaNumber, adaID, "", "", "Ada"}, bob}, false},
		"somebody we do not know":          {provider.Person{UserID: "DE.eve"}, provider.Person{UserID: "DE.new"}, []known{{adaNumber, adaID, "", "", "Ada"}, bob}, false},
		"an id that belongs to another":    {provider.Person{UserID: adaID}, provider.Person{UserID: "DE.bob", Phone: "+4915510000009"}, []known{{adaNumber, adaID, "", "", "Ada"}, bob}, false},
		"a number that belongs to another": {provider.Person{Phone: adaNumber}, provider.Person{Phone: "+4915510000002"}, []known{{adaNumber, adaID, "", "", "Ada"}, bob}, false},
	}, func(t *testing.T, w *world, c change) {
		w.Apply(w.from(provider.Person{Phone: bob.Phone, UserID: bob.BSUID}, "wamid.1"))
		w.Clock.Advance(time.Second)
		w.Apply(w.Text("wamid.2", "hi"))
		w.Events()
		update := provider.IdentityChange{Origin: w.Origin(), Previous: c.previous, Current: c.current}
		w.Apply(update, update) // callbacks are repeated
		if c.told {
			w.Expect(chat.EventContactIdentityUpdated)
		} else {
			w.Expect()
		}
		if d := cmp.Diff(c.want, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
	})
}

func TestInboundConversation(t *testing.T) {
	type state struct {
		status chat.ConversationStatus
		want   chat.ConversationStatus
	}
	eachCase(t, map[string]state{
		"open":     {chat.ConversationOpen, chat.ConversationOpen},
		"resolved": {chat.ConversationResolved, chat.ConversationOpen},
		"pending":  {chat.ConversationPending, chat.ConversationPending},
	}, func(t *testing.T, w *world, s state) {
		w.Send(chat.TypeText, `{"body":"x"}`)
		conversation := w.Conversations()[0].Conversation
		conversation.Status = s.status
		w.InTx(func(tx *store.Tx) error { return tx.UpdateConversation(conversation) })
		begin := w.Clock.Now()
		now := w.Clock.Advance(time.Hour)
		w.Apply(w.Text("wamid.1", "one"))
		late := w.Text("wamid.2", "two")
		late.Timestamp = begin.Add(time.Minute)
		w.Apply(late)
		w.Apply(w.Text("wamid.1", "one")) // callbacks are repeated
		conversation.Status, conversation.UnreadCount, conversation.LastMessageAt, conversation.LastInboundAt, conversation.UpdatedAt = s.want, 2, &now, &now, now
		conversation.WaitingSince = &now
		got := w.Conversations()
		if len(got) != 1 {
			t.Fatalf("there are %d conversations", len(got))
		}
		if d := cmp.Diff(conversation, got[0].Conversation); d != "" {
			t.Errorf("another conversation (-want +got):\n%s", d)
		}
	})
}

// A message gets our time, which is finer, unless it is late. An id cannot hold a time before 1970.
func TestInboundTimes(t *testing.T) {
	eachCase(t, map[string]struct{ ago, want time.Duration }{
		"now":                    {0, 0},
		"a minute late":          {time.Minute, 0},
		"over a minute late":     {time.Minute + time.Second, time.Minute + time.Second},
		"a day late":             {24 * time.Hour, 24 * time.Hour},
		"from the future":        {-time.Hour, 0},
		"before the clock began": {60 * 365 * 24 * time.Hour, 0},
	}, func(t *testing.T, w *world, c struct{ ago, want time.Duration }) {
		now := w.Clock.Now()
		m := w.Text("wamid.1", "hi")
		m.Timestamp = now.Add(-c.ago)
		w.Apply(m)
		got := w.Messages()[0]
		if at := now.Add(-c.want); !got.CreatedAt.Equal(at) || !got.UpdatedAt.Equal(now) {
			t.Errorf("it is from %v, want %v", got.CreatedAt, at)
		}
		if idOf := w.Messages(); idOf[0].ID[:14] != w.idAt(got.CreatedAt)[:14] {
			t.Errorf("the id %s is not of %v", idOf[0].ID, got.CreatedAt)
		}
	})
}

func (w *world) idAt(at time.Time) (id string) {
	w.InTx(func(tx *store.Tx) error {
		id = tx.NewIDAt(chat.KindMessage, at)
		return nil
	})
	return id
}

// The type and name of a file in a callback are cleaned before they are stored.
func TestTypesAndNamesOfFilesAreRead(t *testing.T) {
	type given struct{ mimeType, filename, wantType, wantName string }
	eachCase(t, map[string]given{
		"a voice note": {"audio/ogg; codecs=opus", "", "audio/ogg; codecs=opus", ""},
		"capitals":     {"Image/JPEG; x=y", "a.jpg", "image/jpeg", "a.jpg"},
		"none":         {"", "a.jpg", chat.UnknownMediaType, "a.jpg"},
		"a long one":   {"image/jpeg; x=" + strings.Repeat("y", 3<<20), strings.Repeat("n", 300), chat.UnknownMediaType, strings.Repeat("n", 240)},
		"broken":       {"image/jpeg\r\nX: y", "a\x00\r\n\xff.jpg", chat.UnknownMediaType, "a.jpg"},
	}, func(t *testing.T, w *world, g given) {
		m := imageFrom(w)
		m.Media.MimeType, m.Media.Filename = g.mimeType, g.filename
		job := w.Apply(m)[0]
		if job.MimeType != g.wantType || job.Filename != g.wantName {
			t.Errorf("got %.50q and %.50q, want %q and %q", job.MimeType, job.Filename, g.wantType, g.wantName)
		}
	})
}

// A message with a file is stored at once. Its event is emitted when the file was fetched or given up.
func TestFileFetched(t *testing.T) {
	eachCase(t, map[string]*core.StoredFile{"fetched": &jpeg, "given up": nil}, func(t *testing.T, w *world, file *core.StoredFile) {
		out := w.Apply(imageFrom(w))
		w.Expect(chat.EventContactCreated)
		job := out[0]
		want := store.MediaJob{
			OrgID: w.Org.ID, MessageID: job.MessageID, AccountID: w.Account.ID, ProviderMediaID: "9001", MimeType: "image/jpeg",
			SHA256: "010203", Filename: "a.jpg", DueAt: w.Clock.Now(), Owner: mediaNode,
		}
		if d := cmp.Diff(want, job); d != "" {
			t.Errorf("another job (-want +got):\n%s", d)
		}
		if again := w.Apply(imageFrom(w)); len(again) != 0 {
			t.Errorf("a repeated callback asks for %v", again)
		}
		stolen := job
		stolen.Owner = "node_other"
		w.InTx(func(tx *store.Tx) error { return core.FileFetched(tx, w.Account, stolen, &jpeg, publicURL) })
		w.Expect() // another node has the job
		w.fetched(out, file)
		w.Expect(chat.EventMessageReceived)
		w.fetched(out, file)
		w.Expect()
		m := w.Message(job.MessageID)
		if (m.MediaID != "") != (file != nil) {
			t.Fatalf("the message has the file %q", m.MediaID)
		}
		stored, err := core.MessageFile(w.Read(), w.Account, m.ID)
		if file == nil {
			requireCode(t, err, chat.CodeResourceNotFound, "")
			return
		}
		requireEqual(t, stored, err, chat.Media{
			ID: m.MediaID, OrgID: w.Org.ID, AccountID: w.Account.ID, TeamID: w.Org.TeamID, Origin: chat.MediaInbound, MimeType: file.MimeType,
			Size: file.Size, SHA256: file.SHA256, Token: stored.Token, BlobKey: file.BlobKey, CreatedAt: w.Clock.Now(),
		})
	})
}

// History is imported silently: no events, nothing unread, no window.
func TestHistoryIsQuiet(t *testing.T) {
	eachWorld(t, func(w *world) {
		now := w.Clock.Now()
		past := func(id string, days int, who provider.Person, outbound bool, status chat.MessageStatus) provider.HistoryMessage {
			m := w.Text(id, id).Message
			m.Contact, m.Timestamp = who, now.Add(-time.Duration(days)*24*time.Hour)
			return provider.HistoryMessage{Message: m, Outbound: outbound, Status: status}
		}
		bob := provider.Person{Phone: "+4915510000002", Username: "ADA.L"} // the username is Ada's
		w.Apply(w.from(provider.Person{Phone: adaNumber, UserID: adaID, Username: "ada.l"}, "wamid.new"))
		w.Events()
		chunk := provider.HistoryChunk{Origin: w.Origin(), Messages: []provider.HistoryMessage{
			past("wamid.1", 3, ada(), false, chat.StatusRead), past("wamid.2", 2, ada(), true, chat.StatusDelivered),
			past("wamid.3", 9, bob, true, ""), past("wamid.new", 0, ada(), false, chat.StatusRead),
		}}
		w.Apply(chunk, chunk)
		w.Apply(provider.HistoryChunk{Origin: w.Origin()})
		w.Expect()

		type row struct {
			ID        string
			Direction chat.Direction
			Status    chat.MessageStatus
			Source    chat.Source
			Age       time.Duration
		}
		var rows []row
		for _, m := range w.Messages() {
			rows = append(rows, row{m.ProviderID, m.Direction, m.Status, m.Source, now.Sub(m.CreatedAt)})
		}
		const day = 24 * time.Hour
		if d := cmp.Diff([]row{
			{"wamid.new", chat.Inbound, chat.StatusDelivered, "", 0},
			{"wamid.2", chat.Outbound, chat.StatusDelivered, chat.SourceApp, 2 * day},
			{"wamid.1", chat.Inbound, chat.StatusRead, "", 3 * day},
			{"wamid.3", chat.Outbound, chat.StatusDelivered, chat.SourceApp, 9 * day},
		}, rows); d != "" {
			t.Errorf("other messages (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]known{{bob.Phone, "", "", "", ""}, {adaNumber, adaID, "", "ada.l", ""}}, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
		conversations := w.Conversations()
		if len(conversations) != 2 {
			t.Fatalf("there are %d conversations", len(conversations))
		}
		withAda, withBob := conversations[0], conversations[1]
		if withAda.UnreadCount != 1 || !withAda.LastInboundAt.Equal(now) || !withAda.LastMessageAt.Equal(now) {
			t.Errorf("Ada's conversation is %+v", withAda.Conversation)
		}
		if withBob.UnreadCount != 0 || withBob.LastInboundAt != nil || !withBob.LastMessageAt.Equal(now.Add(-9*day)) {
			t.Errorf("Bob's conversation is %+v", withBob.Conversation)
		}
	})
}

// What was sent and failed has an error, as every failed message; what came in is delivered or read.
func TestHistoryStatuses(t *testing.T) {
	eachWorld(t, func(w *world) {
		var messages []provider.HistoryMessage
		add := func(id string, outbound bool, status chat.MessageStatus, placeholder bool) {
			h := provider.HistoryMessage{Message: w.Text(id, id).Message, Outbound: outbound, Status: status, Placeholder: placeholder}
			if placeholder {
				h.Type, h.Content = chat.TypeUnsupported, json.RawMessage(`{"type":"media_placeholder"}`)
			}
			messages = append(messages, h)
		}
		for _, status := range []chat.MessageStatus{"", chat.StatusPending, chat.StatusSent, chat.StatusRead, chat.StatusFailed} {
			add("wamid.in."+string(status), false, status, false)
			add("wamid.out."+string(status), true, status, false)
		}
		add("wamid.file", true, chat.StatusSent, true)
		w.Apply(provider.HistoryChunk{Origin: w.Origin(), Messages: messages})
		file := imageFrom(w).Message
		file.ProviderID, file.Media = "wamid.file", nil
		w.Apply(provider.HistoryChunk{Origin: w.Origin(), Messages: []provider.HistoryMessage{{Message: file, Outbound: true}}})

		got := map[string]string{}
		for _, m := range w.Messages() {
			got[m.ProviderID] = string(m.Status)
			if m.Error != nil {
				got[m.ProviderID] += " " + string(m.Error.Code)
			}
		}
		if d := cmp.Diff(map[string]string{
			"wamid.in.": "delivered", "wamid.in.pending": "delivered", "wamid.in.sent": "delivered", "wamid.in.read": "read",
			"wamid.in.failed": "delivered", "wamid.out.": "delivered", "wamid.out.pending": "pending", "wamid.out.sent": "sent",
			"wamid.out.read": "read", "wamid.out.failed": "failed undeliverable", "wamid.file": "sent",
		}, got); d != "" {
			t.Errorf("other statuses (-want +got):\n%s", d)
		}
	})
}

// The phone app's address book is imported silently. A contact that is removed there stays.
func TestContactSync(t *testing.T) {
	eachWorld(t, func(w *world) {
		bob := provider.Person{Phone: "+4915510000002", ProfileName: "Bob"}
		w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: bob}, provider.ContactSync{Origin: w.Origin(), Contact: bob},
			provider.ContactSync{Origin: w.Origin(), Contact: bob, Removed: true}, provider.ContactSync{Origin: w.Origin(), Contact: ada(), Removed: true})
		w.Expect()
		if d := cmp.Diff([]known{{bob.Phone, "", "", "", "Bob"}}, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
		w.Apply(w.from(bob, "wamid.1"))
		w.Expect(chat.EventMessageReceived)
	})
}

func TestPreferences(t *testing.T) {
	eachWorld(t, func(w *world) {
		wish := func(category, value string, at int64) chat.Consent {
			w.Apply(provider.Preference{Origin: w.Origin(), Contact: ada(), Category: category, Value: value, Timestamp: time.Unix(at, 0)})
			contacts := w.Contacts()
			if len(contacts) != 1 {
				t.Fatalf("there are %d contacts", len(contacts))
			}
			return contacts[0].Consent
		}
		for _, step := range []struct {
			category, value string
			at              int64
			want            chat.Consent
			events          []chat.EventType
		}{
			{"marketing_messages", "signup", 100, chat.ConsentUnknown, []chat.EventType{chat.EventContactCreated}},
			{"marketing_messages", "stop", 200, chat.ConsentOptedOut, nil},
			{"marketing_messages", "stop", 200, chat.ConsentOptedOut, nil},
			{"marketing_messages", "resume", 150, chat.ConsentOptedOut, nil}, // late, or repeated
			{"utility_messages", "resume", 300, chat.ConsentOptedOut, nil},
			{"marketing_messages", "resume", 300, chat.ConsentOptedIn, nil},
			{"marketing_messages", "stop", 200, chat.ConsentOptedIn, nil},
			{"marketing_messages", "resume", 400, chat.ConsentOptedIn, nil},
			{"marketing_messages", "stop", 350, chat.ConsentOptedIn, nil},
			{"marketing_messages", "stop", 400, chat.ConsentOptedOut, nil},
		} {
			if got := wish(step.category, step.value, step.at); got != step.want {
				t.Errorf("after %s of %s at %d: %s, want %s", step.value, step.category, step.at, got, step.want)
			}
			w.Expect(step.events...)
		}
	})
}

// The log has one short line for any number of useless updates, and one for those that somebody may miss.
func TestUselessUpdatesAreOneLine(t *testing.T) {
	eachWorld(t, func(w *world) {
		elsewhere := w.Text("wamid.1", strings.Repeat("long ", 1000))
		elsewhere.Origin = provider.Origin{PhoneNumberID: "999999999999"}
		useless := provider.Ignored{Origin: w.Origin(), Field: "flows", Reason: strings.Repeat("because ", 1000)}
		lost := provider.Ignored{Origin: w.Origin(), Field: "messages", Reason: strings.Repeat("no id ", 1000), Lost: true}
		var updates []provider.Update
		for range 1000 {
			updates = append(updates, useless, elsewhere, lost, provider.ErrorReport{Origin: w.Origin(), Errors: []*provider.Error{{Code: 1, Message: strings.Repeat("long ", 1000)}}})
		}
		logged := func(level slog.Level) string {
			var log strings.Builder
			applier := core.Applier{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))}
			w.InTx(func(tx *store.Tx) error {
				log.Reset() // a transaction may run again
				return applier.ApplyAll(tx, updates)
			})
			return log.String()
		}
		if text := logged(slog.LevelInfo); strings.Count(text, "\n") != 1 || len(text) > 1000 || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "updates=2000") ||
			!strings.Contains(text, *w.Account.PhoneNumberID) || !strings.Contains(text, "no id") {
			w.T.Errorf("the operator reads %s", text)
		}
		if text := logged(slog.LevelDebug); strings.Count(text, "\n") != 2 || len(text) > 2000 || !strings.Contains(text, "of_no_use=1000") || !strings.Contains(text, "not_connected=1000") ||
			!strings.Contains(text, "flows") {
			w.T.Errorf("logged %s", text)
		}
	})
}

// Updates of a number that is not connected, or of things that we do not store, leave no trace.
func TestUpdatesOfNoConcern(t *testing.T) {
	eachWorld(t, func(w *world) {
		elsewhere := provider.Origin{WABAID: "1", PhoneNumberID: "999999999999"}
		foreign := w.Text("wamid.1", "hi")
		foreign.Origin = elsewhere
		w.Apply(foreign, provider.AccountUpdate{Origin: elsewhere, Event: "PARTNER_REMOVED"}, provider.NumberUpdate{Origin: elsewhere, Event: "FLAGGED"},
			provider.StatusUpdate{Origin: elsewhere, ProviderID: "wamid.1", Status: "read"}, w.Status("wamid.unknown", "", "read"), w.Status("wamid.unknown", "no id of ours", "read"),
			w.Status("wamid.unknown", "msg_00000000000000000000000000", "failed"), provider.TemplateUpdate{Origin: w.Origin()}, provider.Ignored{Origin: w.Origin()}, provider.ErrorReport{Origin: w.Origin()},
			w.edit("wamid.2", "wamid.1", "x", w.Clock.Now()), provider.Revoke{Origin: w.Origin(), OriginalID: "wamid.1"})
		w.Expect()
		if n := len(w.Messages()) + len(w.Contacts()) + len(w.Conversations()); n != 0 {
			t.Errorf("they left %d rows", n)
		}
		if d := cmp.Diff(w.Account, w.Reload(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("the account changed (-before +now):\n%s", d)
		}
	})
}

// A person's "stop" counts although the number cannot send the answer to it.
func TestStopCountsWithoutItsAnswer(t *testing.T) {
	eachWorld(t, func(w *world) {
		restrict := func(r *chat.Restriction) {
			account := w.Reload()
			account.Restriction = r
			w.InTx(func(tx *store.Tx) error { return tx.UpdateAccount(account) })
		}
		expect := func(after string, consent chat.Consent, answers int) {
			n := 0
			for _, m := range w.Messages() {
				if m.Source == chat.SourceAutomatic {
					n++
				}
			}
			if got := w.Contacts()[0].Consent; got != consent || n != answers {
				t.Errorf("after %s the contact is %s with %d answers, want %s with %d", after, got, n, consent, answers)
			}
		}
		restrict(new(chat.RestrictAll))
		w.Apply(w.Text("wamid.1", "STOP"))
		expect("STOP", chat.ConsentOptedOut, 0)
		restrict(nil)
		w.Apply(w.Text("wamid.2", "START"))
		expect("START", chat.ConsentOptedIn, 1)
	})
}
