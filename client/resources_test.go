package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

func TestMeAndHealth(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if h := must(s.Health(t.Context()))(t); h.Status != "ok" {
		t.Errorf("health is %+v", h)
	}
	me := must(s.Me(t.Context()))(t)
	if me.Organization.ID != s.org.ID || me.APIKey.ID != s.org.KeyID || me.APIKey.ExpiresAt != nil || me.RateLimits.ReadPerMinute != 6_000_000 ||
		me.Organization.SubscriptionStatus != client.SubscriptionActive || len(me.Teams) != 1 || me.Teams[0].ID != s.org.Team.ID {
		t.Errorf("me is %+v", me)
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.rows.ConnectAccount(t, chat.NewAccount{OrgID: s.org.ID, Status: chat.AccountDisconnected, Name: new("Other")})
	connected := must(s.ListAccounts(t.Context(), client.AccountFilter{}))(t)
	if len(connected.Data) != 1 || *connected.Data[0].PhoneNumberID != s.number || connected.Data[0].Status != client.AccountConnected {
		t.Errorf("connected: %+v", connected.Data)
	}
	var ids []string
	for account, err := range s.Accounts(t.Context(), client.AccountFilter{All: true, PageOptions: client.PageOptions{Limit: 1}}) {
		ids = append(ids, must(account, err)(t).ID)
	}
	if diff := cmp.Diff([]string{other.ID, s.acct.ID}, ids); diff != "" {
		t.Error(diff)
	}
}

func TestRegisterNumber(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.rows.ConnectAccount(t, chat.NewAccount{OrgID: s.org.ID, Status: chat.AccountDegraded})
	got := must(s.RegisterNumber(t.Context(), *account.PhoneNumberID, "123456"))(t)
	if !got.Registered || got.Status != client.AccountConnected || *got.ProviderStatus != "CONNECTED" || got.PhoneNumberID != *account.PhoneNumberID {
		t.Errorf("got %+v", got)
	}
	_, err := s.RegisterNumber(t.Context(), *account.PhoneNumberID, "12")
	refused(t, err, client.CodeInvalidFieldValue, "pin")
	_, err = s.RegisterNumber(t.Context(), *account.PhoneNumberID, "654321")
	refused(t, err, client.CodeRegistrationFailed, "")
}

func upload(t *testing.T, s *service) *client.Media {
	t.Helper()
	return must(s.UploadMedia(t.Context(), s.number, client.File{Name: "bird.jpg", Content: strings.NewReader("picture")}))(t)
}

func TestMedia(t *testing.T) {
	t.Parallel()
	s := newService(t)
	media := upload(t, s)
	if media.MimeType != "image/jpeg" || media.Size != 7 || *media.Filename != "bird.jpg" || media.Object != "media" || media.URL == "" {
		t.Errorf("uploaded %+v", media)
	}
	if diff := cmp.Diff(media, must(s.GetMedia(t.Context(), s.number, media.ID))(t)); diff != "" {
		t.Error(diff)
	}
	if deleted := must(s.DeleteMedia(t.Context(), s.number, media.ID))(t); *deleted != (client.Deleted{ID: media.ID, Object: "media", Deleted: true}) {
		t.Errorf("got %+v", deleted)
	}
	_, err := s.DeleteMedia(t.Context(), s.number, media.ID)
	refused(t, err, client.CodeResourceNotFound, "")
}

// TestUploads checks that content of every kind arrives complete, with its name and type, from its current
// position.
func TestUploads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("skipped and the rest"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := must(os.Open(path))(t)
	defer file.Close()
	must(file.Seek(8, io.SeekStart))(t)
	for name, content := range map[string]io.Reader{
		`böse "name".pdf`: file,
		"stream.pdf":      io.MultiReader(strings.NewReader("and "), strings.NewReader("the rest")),
	} {
		media := must(s.UploadMedia(t.Context(), s.number, client.File{Name: name, MimeType: "application/pdf", Content: content}))(t)
		if *media.Filename != name || media.MimeType != "application/pdf" || media.Size != int64(len("and the rest")) {
			t.Errorf("uploaded %+v", media)
		}
	}
	_, err := s.UploadMedia(t.Context(), s.number, client.File{Name: "virus.exe", Content: strings.NewReader("x")})
	if err == nil {
		t.Error("a program was taken")
	}
}

func TestContacts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	big := json.Number("9007199254740993") // more than a float64 can tell from its neighbour
	created := must(s.CreateContact(t.Context(), s.number, client.NewContact{
		PhoneNumber: person, Username: "ada", Name: "Ada", Email: "ada@example.com", Metadata: map[string]any{"tier": "gold", "id": big},
	}))(t)
	if *created.Name != "Ada" || *created.PhoneNumber != person || created.BSUID != nil || created.MarketingConsent != client.ConsentUnknown ||
		created.ChatAccount.PhoneNumberID == nil || created.ChatAccount.Customer != nil || created.Metadata["id"] != big {
		t.Errorf("created %+v", created)
	}
	_, err := s.CreateContact(t.Context(), s.number, client.NewContact{PhoneNumber: person})
	refused(t, err, client.CodeContactAlreadyExists, "phone_number")

	changed := must(s.UpdateContact(t.Context(), s.number, created.ID, client.ContactPatch{
		Name: client.Clear[string](), Email: client.Set("ada@acme.example"), MarketingConsent: client.Set(client.ConsentOptedIn),
	}))(t)
	if changed.Name != nil || *changed.Email != "ada@acme.example" || *changed.Username != "ada" || changed.MarketingConsent != client.ConsentOptedIn || changed.Metadata["id"] != big {
		t.Errorf("changed to %+v", changed)
	}
	if cleared := must(s.UpdateContact(t.Context(), s.number, created.ID, client.ContactPatch{Metadata: client.Clear[map[string]any]()}))(t); cleared.Metadata != nil {
		t.Errorf("cleared to %+v", cleared)
	}
	_, err = s.UpdateContact(t.Context(), s.number, created.ID, client.ContactPatch{})
	if !client.IsCode(err, client.CodeMissingRequiredField) {
		t.Errorf("nothing changed: %v", err)
	}
	for _, f := range []client.ContactFilter{{}, {Phone: person[1:]}, {Username: "ADA"}, {Search: "acme"}} {
		if page := must(s.ListContacts(t.Context(), s.number, f))(t); len(page.Data) != 1 || page.Data[0].ID != created.ID {
			t.Errorf("%+v found %+v", f, page.Data)
		}
	}
	must(s.GetContact(t.Context(), s.number, created.ID))(t)
	must(s.DeleteContact(t.Context(), s.number, created.ID))(t)
	for _, err := range s.Contacts(t.Context(), s.number, client.ContactFilter{}) {
		t.Errorf("there is one left, %v", err)
	}
}

func TestMergeContacts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.rows.NewContact(t, s.acct, chat.NewContact{PhoneNumber: new(person), Name: new("Ada")})
	second := s.rows.NewContact(t, s.acct, chat.NewContact{BSUID: new("DE.ada")})
	got := must(s.MergeContacts(t.Context(), s.number, first.ID, second.ID))(t)
	if got.ID != first.ID || *got.BSUID != "DE.ada" || *got.Name != "Ada" {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(got, must(s.GetContact(t.Context(), s.number, second.ID))(t)); diff != "" {
		t.Error(diff)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	s := newService(t)
	label := must(s.CreateLabel(t.Context(), client.NewLabel{Name: "VIP", Color: client.Amber, TeamID: s.org.Team.ID}))(t)
	second := must(s.CreateLabel(t.Context(), client.NewLabel{Name: "Plain"}))(t)
	if label.Color != client.Amber || second.Color != client.Gray || label.TeamID != s.org.Team.ID {
		t.Errorf("created %+v and %+v", label, second)
	}
	changed := must(s.UpdateLabel(t.Context(), label.ID, client.LabelPatch{Color: client.Set(client.Red)}))(t)
	if diff := cmp.Diff(changed, must(s.GetLabel(t.Context(), label.ID))(t)); diff != "" || changed.Color != client.Red || changed.Name != "VIP" {
		t.Errorf("changed to %+v: %s", changed, diff)
	}
	var names []string
	for label, err := range s.Labels(t.Context(), client.LabelFilter{TeamID: s.org.Team.ID, PageOptions: client.PageOptions{Limit: 1}}) {
		names = append(names, must(label, err)(t).Name)
	}
	if diff := cmp.Diff([]string{"Plain", "VIP"}, names); diff != "" {
		t.Error(diff)
	}
	must(s.DeleteLabel(t.Context(), label.ID))(t)
	_, err := s.GetLabel(t.Context(), label.ID)
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestLabelsOnThings(t *testing.T) {
	t.Parallel()
	s := newService(t)
	label := must(s.CreateLabel(t.Context(), client.NewLabel{Name: "VIP"}))(t)
	contact := s.rows.NewContact(t, s.acct, chat.NewContact{PhoneNumber: new(person)})
	other := s.rows.NewContact(t, s.acct, chat.NewContact{PhoneNumber: new("+4915510000002")})
	conversation := s.rows.NewConversation(t, s.acct, contact.ID, nil)

	if got := must(s.AttachContactLabel(t.Context(), s.number, contact.ID, label.ID))(t); *got != (client.ContactLabel{ContactID: contact.ID, LabelID: label.ID, Attached: true}) {
		t.Errorf("got %+v", got)
	}
	if got := must(s.AttachConversationLabel(t.Context(), s.number, conversation.ID, label.ID))(t); !got.Attached || got.ConversationID != conversation.ID {
		t.Errorf("got %+v", got)
	}
	want := []client.LabelRef{{ID: label.ID, Name: "VIP", Color: client.Gray}}
	if diff := cmp.Diff(want, must(s.GetContact(t.Context(), s.number, contact.ID))(t).Labels); diff != "" {
		t.Error(diff)
	}
	if page := must(s.ListConversations(t.Context(), s.number, client.ConversationFilter{LabelID: label.ID}))(t); len(page.Data) != 1 || !cmp.Equal(page.Data[0].Labels, want) {
		t.Errorf("got %+v", page.Data)
	}
	bulk := client.BulkLabel{ContactIDs: []string{contact.ID, other.ID, "ctc_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, LabelID: label.ID, Operation: client.LabelAttach}
	result := must(s.BulkLabelContacts(t.Context(), s.number, bulk))(t)
	if result.Applied != 1 || result.Already != 1 || result.SkippedCrossOrg != 1 || result.SkippedTeamMismatch != 0 || result.Operation != client.LabelAttach {
		t.Errorf("got %+v", result)
	}
	if got := must(s.DetachContactLabel(t.Context(), s.number, contact.ID, label.ID))(t); got.Attached {
		t.Errorf("got %+v", got)
	}
	if got := must(s.DetachConversationLabel(t.Context(), s.number, conversation.ID, label.ID))(t); got.Attached {
		t.Errorf("got %+v", got)
	}
}

func TestConversations(t *testing.T) {
	t.Parallel()
	s := newService(t)
	user := s.rows.NewUser(t, s.org.ID, s.org.Team.ID, "Bob")
	contact := s.rows.NewContact(t, s.acct, chat.NewContact{PhoneNumber: new(person), Name: new("Ada")})
	made := s.rows.NewConversation(t, s.acct, contact.ID, nil)

	var answer client.Response
	read := func() (*client.Page[client.Conversation], error) {
		return s.ListConversations(t.Context(), s.number, client.ConversationFilter{ContactID: contact.ID}, client.IfNoneMatch(answer.ETag), client.Capture(&answer))
	}
	if page := must(read())(t); len(page.Data) != 1 || page.Data[0].Assignee != nil || page.Data[0].LastMessageAt != nil || *page.Data[0].Contact.Name != "Ada" {
		t.Errorf("got %+v", page.Data)
	}
	if _, err := read(); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("got %v", err)
	}
	changed := must(s.UpdateConversation(t.Context(), s.number, made.ID, client.ConversationPatch{
		Status: client.Set(client.ConversationPending), AssignedTo: client.Set(user.ID),
	}))(t)
	if changed.Status != client.ConversationPending || changed.Assignee == nil || *changed.Assignee.Name != "Bob" {
		t.Errorf("changed to %+v", changed)
	}
	if page := must(read())(t); page.Data[0].Status != client.ConversationPending {
		t.Errorf("got %+v", page.Data)
	}
	cleared := must(s.UpdateConversation(t.Context(), s.number, made.ID, client.ConversationPatch{AssignedTo: client.Clear[string]()}))(t)
	if diff := cmp.Diff(cleared, must(s.GetConversation(t.Context(), s.number, made.ID))(t)); diff != "" || cleared.Assignee != nil || cleared.Status != client.ConversationPending {
		t.Errorf("cleared to %+v: %s", cleared, diff)
	}
	for _, f := range []client.ConversationFilter{{AssignedTo: user.ID}, {Status: client.ConversationOpen}, {UpdatedSince: time.Now().Add(time.Hour)}} {
		for c, err := range s.Conversations(t.Context(), s.number, f) {
			t.Errorf("%+v found %+v, %v", f, c, err)
		}
	}
}
