package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// The lists are measured on an inbox that has been in use for years: 1,000,000 messages in 100,000 conversations of one
// number.
const (
	inboxConversations = 100_000
	perConversation    = 10
	inboxNumber        = "1002009"
	inLongThread       = 400
	seedBatch          = 500
)

var listScenarios = []scenario{
	listOf("messages, first page", "messages"),
	listOf("messages, deep page", "messages", "cursor"),
	listOf("messages, status=failed", "messages?status=failed"),
	listOf("messages, type=reaction", "messages?type=reaction"),
	listOf("messages, direction=inbound", "messages?direction=inbound"),
	listOf("messages of a conversation", "messages?conversation_id="+seededConversation),
	listOf("conversations, first page", "conversations"),
	listOf("conversations, deep page", "conversations", "cursor"),
	listOf("conversations, status=pending", "conversations?status=pending"),
	listOf("conversations, rare label", "conversations?label_id="+rareLabel),
	listOf("conversations, common label", "conversations?label_id="+commonLabel),
}

// The ids used in the scenarios are made up, so that they can be written here.
const (
	seededConversation = "cnv_00000000000000000000000500"
	longThread         = "cnv_00000000000000000000000600"
	rareLabel          = "lbl_00000000000000000000000001"
	commonLabel        = "lbl_00000000000000000000000002"
)

// listOf requests one page over and over. With "cursor" it is a page half way down.
func listOf(name, list string, deep ...string) scenario {
	return scenario{
		name: name, want: 200, bare: bareHTTPGet, inbox: true,
		requests: func(t target) requestFunc {
			path := "/v1/" + inboxNumber + "/" + list
			if len(deep) > 0 {
				path += "?cursor=" + t.deep[list]
			}
			return always(t.get(path))
		},
	}
}

// fillInbox writes the rows straight into the store, beside the server.
func (b *bench) fillInbox(ctx context.Context, s *server, dataFlags []string) error {
	var account struct{ ID string }
	err := b.runJSON(ctx, &account, append([]string{"account", "connect", "--org", s.target.org, "--phone-number-id", inboxNumber,
		"--phone-number", "+15559990000", "--waba-id", "200300400500600", "--token", "bench", "--json"}, dataFlags...))
	if err != nil {
		return err
	}
	st, err := openBeside(ctx, dataFlags)
	if err != nil {
		return err
	}
	in := inbox{org: s.target.org, account: account.ID}
	for first := 0; first < inboxConversations && err == nil; first += seedBatch {
		err = st.InTx(ctx, func(tx *store.Tx) error { return in.fill(tx, first) })
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return fmt.Errorf("fill the inbox: %w", err)
	}
	return nil
}

type inbox struct{ org, account string }

// fill adds a batch of conversations with their messages, spread over the past year.
func (in inbox) fill(tx *store.Tx, first int) error {
	teams, err := tx.Teams(in.org)
	if err != nil {
		return err
	}
	if first == 0 {
		for name, id := range map[string]string{"rare": rareLabel, "common": commonLabel} {
			label := chat.Label{ID: id, OrgID: in.org, TeamID: teams[0].ID, Name: name, Color: "gray", CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			if err := tx.InsertLabel(label); err != nil {
				return err
			}
		}
	}
	for i := first; i < first+seedBatch; i++ {
		if err := in.conversation(tx, i); err != nil {
			return err
		}
	}
	return nil
}

func (in inbox) conversation(tx *store.Tx, i int) error {
	at := tx.Now().Add(-365 * 24 * time.Hour).Add(time.Duration(i) * 5 * time.Minute)
	number := fmt.Sprintf("+4915%09d", i)
	contact := chat.Contact{ID: tx.NewIDAt(chat.KindContact, at), OrgID: in.org, AccountID: in.account, PhoneNumber: &number,
		Consent: chat.ConsentUnknown, CreatedAt: at, UpdatedAt: at}
	conversation := chat.Conversation{ID: tx.NewIDAt(chat.KindConversation, at), OrgID: in.org, AccountID: in.account, ContactID: contact.ID,
		Status: chat.ConversationOpen, LastMessageAt: &at, LastInboundAt: &at, CreatedAt: at, UpdatedAt: at}
	count := perConversation
	switch i {
	case 500:
		conversation.ID = seededConversation
	case 600:
		conversation.ID, count = longThread, inLongThread
	}
	if i%1000 == 0 {
		conversation.Status = chat.ConversationPending
	}
	if err := errors.Join(tx.InsertContact(contact), tx.InsertConversation(conversation)); err != nil {
		return err
	}
	if err := in.label(tx, conversation.ID, i); err != nil {
		return err
	}
	for n := range count {
		if err := tx.InsertMessage(in.message(tx, conversation, i, n, at)); err != nil {
			return err
		}
	}
	return nil
}

func (in inbox) label(tx *store.Tx, conversationID string, i int) (err error) {
	if i%2 == 0 {
		_, err = tx.AttachToConversation(in.org, conversationID, commonLabel)
	}
	if i%5000 == 0 && err == nil {
		_, err = tx.AttachToConversation(in.org, conversationID, rareLabel)
	}
	return err
}

func (in inbox) message(tx *store.Tx, c chat.Conversation, i, n int, at time.Time) chat.Message {
	at = at.Add(time.Duration(n) * 10 * time.Second)
	m := chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, at), OrgID: in.org, AccountID: in.account, ConversationID: c.ID, ContactID: c.ContactID,
		Direction: chat.Outbound, Type: chat.TypeText, Status: chat.StatusRead, Source: chat.SourceAPI,
		ProviderID: fmt.Sprintf("wamid.%d.%d", i, n), Content: json.RawMessage(`{"body":"` + line(i, n) + `"}`),
		CreatedAt: at, UpdatedAt: at,
	}
	switch {
	case n%2 == 1:
		m.Direction, m.Source, m.Status = chat.Inbound, "", chat.StatusDelivered
	case i%2000 == 0:
		m.Status = chat.StatusFailed
	}
	if i%3000 == 0 && n == 3 {
		m.Type, m.Content = chat.TypeReaction, json.RawMessage(`{"message_id":"wamid.x","emoji":"👍"}`)
	}
	return m
}

// Words that searches look for: one is in every second message, one only in the older half of the messages, and one in
// ten messages.
const (
	commonWord = "delivery"
	oldWord    = "harvest"
	rareWord   = "marmalade"
)

// everydayWords are the words of the rest of a message.
var everydayWords = strings.Fields("about after again always another answer around before between bring change colour " +
	"customer evening exactly finally friday garden glass green happy invoice kitchen letter little market measure " +
	"monday morning nothing number office only orange package people perhaps picture please question quickly ready " +
	"return school second several shipping shoes silver simple single smaller something sunday table thanks tomorrow " +
	"total travel tuesday under until update urgent volume wednesday weekend white window without wonder yellow")

// line is the text of a message, always the same for the same place: some words, and the order's number.
func line(i, n int) string {
	at := (i*perConversation + n) * 2654435761 % (1 << 32)
	words := make([]string, 0, 10)
	for range 6 {
		words = append(words, everydayWords[at%len(everydayWords)])
		at /= 7
	}
	switch {
	case i%10_000 == 77 && n == 0:
		words[1] = rareWord
	case i < inboxConversations/2 && n == 1:
		words[1] = oldWord
	case n%2 == 0:
		words[1] = commonWord
	}
	return fmt.Sprintf("%s, order %07d", strings.Join(words, " "), i)
}

// walkDown follows the cursors to a place far down each list.
func (s *server) walkDown(ctx context.Context) error {
	s.target.deep = map[string]string{}
	c, err := dial(ctx, s.target.addr, time.Now().Add(5*time.Minute))
	if err != nil {
		return err
	}
	defer c.Close()
	for _, list := range []string{"messages", "conversations"} {
		cursor := ""
		for range 500 { // pages of 100 each
			path := "/v1/" + inboxNumber + "/" + list + "?limit=100"
			if cursor != "" {
				path += "&cursor=" + cursor
			}
			_, body, err := c.roundTrip(s.target.get(path), 0)
			var page struct {
				NextCursor string `json:"next_cursor"`
			}
			if err := errors.Join(err, json.Unmarshal(body, &page)); err != nil || page.NextCursor == "" {
				return fmt.Errorf("%s ended early: %w", list, errors.Join(err, errors.New(strings.TrimSpace(string(body[:min(len(body), 200)])))))
			}
			cursor = page.NextCursor
		}
		s.target.deep[list] = cursor
	}
	return nil
}
