package api_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
)

// changeNumber changes the account of ${number} directly in the store.
func changeNumber(change func(*chat.Account)) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		account := accountOf(t, c)
		change(&account)
		c.InTx(t, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
	}
}

// post is a message with this body.
func post(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/messages", Body: body}
}

// toAda is a message to Ada with these fields.
func toAda(fields string) string {
	return `{"messaging_product":"chat","to":"+15550001111",` + fields + `}`
}

// content is a message to Ada with a content under the name of its type.
func content(kind, object string) string {
	return toAda(`"type":"` + kind + `","` + kind + `":` + object)
}

// messageWith is an outbound message's envelope. Its variable part is given as JSON fields.
func messageWith(fields string) string {
	return `{"data":{"object":"message","direction":"outbound","from":"${phone}","bsuid":null,"parent_bsuid":null,"username":null,
		"status":"queued","source":"api","is_revoked":false,"created_at":"<now>","updated_at":"<now>",` + fields + `},"request_id":"<req>"}`
}

// newContactEvent is the event that tells of a new contact.
func newContactEvent(number string) string {
	return `{"id":"<evt>","type":"contact.created","created_at":"<now>","data":{"contact":{"id":"<ctc>","object":"contact",
		"phone_number":` + number + `,"name":null,"email":null,"metadata":null,"phone_number_id":"${number}","created_at":"<now>","updated_at":"<now>"}}}`
}

// firstMessage is what the first message to a person adds, beside the event of the new contact.
var firstMessage = apitest.Changes{"messages": "+1", "contacts": "+1", "conversations": "+1", "send_jobs": "+1"}

// eachNamed is apitest.Each as a part of a test.
func eachNamed(t *testing.T, name string, test func(t *testing.T, s *apitest.Server)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		apitest.Each(t, test)
	})
}

// refusedBody is a body that must be refused.
type refusedBody struct{ name, body, code, param string }

// refuseAll sends bodies to one number. Each must be refused without a trace.
func refuseAll(t *testing.T, bodies []refusedBody) {
	t.Helper()
	eachNamed(t, "refused", func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		connected(t, c)
		c.Set("other", otherTeamsMedia(t, c))
		libraryFiles(t, c)
		s.Unchanged(t, c.Org.ID, func() {
			for _, b := range bodies {
				r := c.Call(t, post(b.body))
				got := r.Failure(t)
				if got.Code != b.code || got.Param != b.param || r.Status != apitest.Codes[b.code].Status {
					t.Errorf("%s: got %d %s at %q, want %s at %q", b.name, r.Status, got.Code, got.Param, b.code, b.param)
				}
			}
		})
	})
}

// takenBody is a body that must be accepted; want is the content that the answer shows, as sent
// when empty.
type takenBody struct{ name, kind, object, want string }

// takeAll sends contents to one person, each of which must be accepted and shown.
func takeAll(t *testing.T, bodies []takenBody) {
	t.Helper()
	eachNamed(t, "taken", func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		connected(t, c)
		libraryFiles(t, c)
		for _, b := range bodies {
			r := c.Call(t, post(content(b.kind, b.object)))
			if r.Status != http.StatusOK {
				t.Errorf("%s: got %s", b.name, r.Body)
				continue
			}
			var shown map[string]any
			r.Data(t, &shown)
			var want any
			if err := json.Unmarshal([]byte(c.Expand(cmp.Or(b.want, b.object))), &want); err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
			if d := gocmp.Diff(want, shown[b.kind]); d != "" || shown["type"] != b.kind {
				t.Errorf("%s: shown otherwise (-want +got):\n%s", b.name, d)
			}
		}
		for table, want := range map[string]int{"messages": len(bodies), "send_jobs": len(bodies), "contacts": 1, "conversations": 1, "events": 1} {
			if n := s.Count(t, table, c.Org.ID); n != want {
				t.Errorf("%d rows in %s, want %d", n, table, want)
			}
		}
	})
}

// libraryFiles puts a file of each kind into the number's library: ${media_image} and so on.
func libraryFiles(t *testing.T, c *apitest.Case) {
	t.Helper()
	for kind, mimeType := range map[string]string{"image": "image/png", "video": "video/mp4", "audio": "audio/ogg; codecs=opus", "document": "application/pdf"} {
		c.Set("media_"+kind, libraryFile(t, c, accountOf(t, c), mimeType).ID)
	}
}

// libraryFile puts a file into an account's library.
func libraryFile(t *testing.T, c *apitest.Case, account chat.Account, mimeType string) (m chat.Media) {
	t.Helper()
	c.InTx(t, func(tx *store.Tx) (err error) {
		m, err = core.AddMedia(tx, account, chat.MediaLibrary, core.StoredFile{
			BlobKey: "med_x", MimeType: mimeType, Size: 3, SHA256: strings.Repeat("a", 64), Filename: "a.png",
		})
		return err
	})
	return m
}

// otherTeamsMedia is a library file of another team of the same organization.
func otherTeamsMedia(t *testing.T, c *apitest.Case) string {
	t.Helper()
	team := c.NewTeam(t, c.Org.ID, "Other")
	return libraryFile(t, c, c.ConnectAccount(t, chat.NewAccount{OrgID: c.Org.ID, TeamID: team.ID}), "image/png").ID
}

// received applies an inbound message to the number that ${number} names.
func received(t *testing.T, c *apitest.Case, m provider.Message) chat.Message {
	t.Helper()
	if m.Type == "" {
		m.Type, m.Content = chat.TypeText, json.RawMessage(`{"body":"hi"}`)
	}
	if m.Contact.Phone == "" {
		m.Contact.Phone = "+15550001111"
	}
	m.Raw.Item = json.RawMessage(`{}`)
	origin := provider.Origin{PhoneNumberID: c.Get("number")}
	c.InTx(t, func(tx *store.Tx) error {
		return applier().Apply(tx, provider.InboundMessage{Origin: origin, Message: m})
	})
	stored, err := c.Store.Read(t.Context()).MessageByProviderID(c.Org.ID, accountOf(t, c).ID, m.ProviderID)
	must(t, err)
	return stored
}

func applier() core.Applier {
	return core.Applier{Log: slog.New(slog.DiscardHandler)}
}

// calling is a node whose provider is client.
func calling(t *testing.T, client *providertest.Client) apitest.Option {
	return api.Connect(t, client, t.TempDir())
}

// sentAs has sent a message to Ada that the provider knows under this id; ${sent} names it.
func sentAs(providerID string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		var made struct{ ID string }
		c.Call(t, post(content("text", `{"body":"x"}`))).RequireStatus(t, http.StatusOK).Data(t, &made)
		c.Set("sent", made.ID)
		c.InTx(t, func(tx *store.Tx) error {
			_, err := tx.MarkSent(c.Org.ID, store.SentMessage{ID: made.ID, ProviderID: providerID})
			return err
		})
	}
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
