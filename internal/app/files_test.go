package app_test

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Only users who may see a conversation get its files.
func TestMessageFiles(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	c := newCast(t, w)
	var id string
	storetest.InTx(t, w.Store, func(tx *store.Tx) error {
		id = tx.NewID(chat.KindMessage)
		return tx.InsertMessage(chat.Message{
			ID: id, OrgID: c.org.ID, AccountID: c.second.AccountID, ConversationID: c.second.ID, ContactID: c.second.ContactID,
			Direction: chat.Outbound, Type: chat.TypeImage, Status: chat.StatusSent, Source: chat.SourceAPI,
			Content: []byte(`{"link":"https://files.example/cat.png"}`), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		})
	})
	at := "/100000000002/messages/" + id + "/media"
	if to := w.As(t, c.all).Get(t, at).RequireStatus(t, http.StatusFound).Header.Get("Location"); to != "https://files.example/cat.png" {
		t.Errorf("the file is at %q", to)
	}
	w.As(t, c.teams).Get(t, at).RequireFailure(t, "resource_not_found", "")
	w.As(t, c.me).Get(t, at).RequireFailure(t, "resource_not_found", "")
}
