package housekeeping_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A deleted organization goes with its files, once its numbers are gone and its last requests are over.
func TestSweepRemovesDeletedOrganizations(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		other := storetest.Org(t, h.Store)
		h.appendCalls(other.ID, 1)
		h.appendCalls(h.Org.ID, 2*batch)
		h.Send(chat.TypeText, `{"body":"hello"}`)
		logo := h.putFile()
		h.InTx(func(tx *store.Tx) error {
			_, err := core.SetLogo(tx, h.Org.ID, &core.StoredFile{BlobKey: logo})
			return err
		})
		h.InTx(func(tx *store.Tx) error {
			_, err := core.DeleteOrganization(tx, h.Org.ID, "Test")
			return err
		})
		isThere := func() bool {
			_, err := h.Read().Organization(h.Org.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			return err == nil
		}
		h.Clock.Advance(time.Minute)
		if h.sweep(); !isThere() {
			t.Fatal("the organization did not wait for its number")
		}
		h.InTx(func(tx *store.Tx) error {
			_, err := tx.PurgeAccount(h.Org.ID, h.Account.ID, 1000)
			return errors.Join(err, tx.RemoveAccount(h.Org.ID, h.Account.ID))
		})
		if h.sweep(); !isThere() {
			t.Fatal("the organization did not wait for its last requests")
		}
		h.Clock.Advance(time.Millisecond)
		if h.sweep(); isThere() {
			t.Error("the organization is still there")
		}
		if _, err := h.blobs.Get(t.Context(), logo); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its logo is still there (%v)", err)
		}
		calls, err := h.Read().APICalls(other.ID, store.CallFilter{}, store.Page{Limit: 10})
		if err != nil || len(calls.Rows) != 1 {
			t.Errorf("another organization has %d calls, %v", len(calls.Rows), err)
		}
	})
}
