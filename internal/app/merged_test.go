package app_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// mergeTwo makes two contacts with a conversation each one, and returns the ids of what is gone, with its notes.
func (h *holder) mergeTwo(t *testing.T) map[string]string {
	t.Helper()
	stays := storetest.Contact(t, h.Store, h.account, "+4915199999999")
	storetest.Conversation(t, h.Store, stays, new(h.Clock.Now()))
	var goes chat.Contact
	storetest.InTx(t, h.Store, func(tx *store.Tx) error {
		goes = storetest.NewContact(tx, h.account, "")
		goes.PhoneNumber, goes.BSUID = nil, new("DE.other")
		return tx.InsertContact(goes)
	})
	conversation := storetest.Conversation(t, h.Store, goes, new(h.Clock.Now()))
	ids := maps.Clone(h.ids)
	ids["contacts"], ids["conversations"] = goes.ID, conversation.ID
	ids["conversations/notes"] = h.make(t, "conversations/notes", "/conversations/"+conversation.ID+"/notes", `{"body":"x"}`)
	ids["contacts/notes"] = h.make(t, "contacts/notes", "/contacts/"+goes.ID+"/notes", `{"body":"x"}`)
	h.owner.Do(t, "POST", "/"+h.ids[""]+"/contacts/"+stays.ID+"/merge", `{"contact_id":"`+goes.ID+`"}`).RequireStatus(t, http.StatusOK)
	h.owner.Get(t, "/contacts/"+stays.ID).RequireStatus(t, http.StatusOK)
	return ids
}

// The ids of a contact that was merged, and of its conversation, go on naming them in every operation of both surfaces. A new
// operation is tried as soon as it is registered.
func TestMergedIDsNameWhatRemains(t *testing.T) {
	each(t, newHolder, func(t *testing.T, h *holder) {
		ids := h.mergeTwo(t)
		for surface, of := range map[*apptest.Browser]*apitest.Document{h.owner: h.Document(), h.key: h.Public()} {
			for _, o := range operationsOnRows(t, of) {
				last := o.path[strings.LastIndexByte(o.path, '/')+1:]
				named := slices.ContainsFunc(o.words, func(word string) bool { return word == "contacts" || word == "conversations" })
				if !named || last == "merge" || o.name() == "DELETE /{phone_number_id}/contacts/{id}" {
					continue
				}
				target, body := o.fill(ids, ids)
				if r := surface.Try(t, o.method, target, body); r.Status >= 300 {
					t.Errorf("%s %s answers %d %s", o.method, target, r.Status, r.Body)
				}
			}
		}
		for _, id := range []string{ids["contacts"], ids["conversations"]} {
			h.owner.Get(t, "/story?id="+id).RequireStatus(t, http.StatusOK)
		}
	})
}
