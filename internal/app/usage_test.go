package app_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type usage struct {
	Plan     string
	Messages struct {
		Used, Forecast int64
		Limit          *int64
		Days           []struct{ Date string }
	}
	Numbers, Users, Files, Bytes int64
	Retention                    retention
}

type retention struct {
	Plan   *int64 `json:"plan_days"`
	Chosen *int64 `json:"chosen_days"`
	Days   *int64
}

func TestUsage(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		admin := newPerson(t, w, org, chat.RoleAdmin)
		gone := newPerson(t, w, org, chat.RoleAgent)
		account := storetest.Account(t, w.Store, org, "100000000009")
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			if _, err := core.UpdateUser(tx, chat.RoleOwner, org.ID, gone.ID, core.UserPatch{Disabled: new(true)}); err != nil {
				return err
			}
			for i := range 3 {
				m := chat.Media{ID: tx.NewID(chat.KindMedia), OrgID: org.ID, AccountID: account.ID, TeamID: org.TeamID, Origin: chat.MediaLibrary, MimeType: "image/png",
					Size: int64(100 * (i + 1)), Token: tx.NewID(chat.KindMedia), BlobKey: tx.NewID(chat.KindMedia), CreatedAt: tx.Now()}
				if err := tx.InsertMedia(m); err != nil {
					return err
				}
			}
			return nil
		})
		var got usage
		admin.browser.Get(t, "/usage").RequireStatus(t, http.StatusOK).Data(t, &got)
		if got.Plan != "enterprise" || got.Messages.Limit != nil || got.Numbers != 1 || got.Users != 1 || got.Files != 3 || got.Bytes != 600 || len(got.Messages.Days) != 1 {
			t.Errorf("the usage is %+v", got)
		}
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			_, err := core.UpdateOrganization(tx, org.ID, core.OrganizationPatch{Plan: new("pro")})
			if err == nil {
				_, err = tx.TakeFromQuota(org.ID, w.Clock.Now().UTC().Format("2006-01"), 5, 5)
			}
			return err
		})
		admin.browser.Get(t, "/usage").RequireStatus(t, http.StatusOK).Data(t, &got)
		if got.Messages.Limit == nil || *got.Messages.Limit != 100_000 || got.Messages.Used != 5 || got.Messages.Forecast < 5 || *got.Retention.Days != 180 {
			t.Errorf("on a plan with limits it is %+v", got)
		}
		newPerson(t, w, org, chat.RoleAgent).browser.Get(t, "/usage").RequireFailure(t, "forbidden", "")
	})
}

func TestChoosingRetention(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner, admin := newPerson(t, w, org, chat.RoleOwner), newPerson(t, w, org, chat.RoleAdmin)
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			_, err := core.UpdateOrganization(tx, org.ID, core.OrganizationPatch{Plan: new("pro")})
			return err
		})
		account := storetest.Account(t, w.Store, org, "100000000010")
		contact := storetest.Contact(t, w.Store, account, "+4915510000001")
		conversation := storetest.Conversation(t, w.Store, contact, nil)
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			return tx.InsertMessage(chat.Message{
				ID: tx.NewID(chat.KindMessage), OrgID: org.ID, AccountID: account.ID, ConversationID: conversation.ID, ContactID: contact.ID, Direction: chat.Inbound,
				Type: chat.TypeText, Content: json.RawMessage("{}"), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			})
		})
		w.Clock.Advance(5*24*time.Hour + time.Minute)

		var removal struct{ Messages int64 }
		owner.browser = w.As(t, owner.User)
		admin.browser = w.As(t, admin.User)
		admin.browser.Get(t, "/usage/retention?days=5").RequireStatus(t, http.StatusOK).Data(t, &removal)
		if removal.Messages != 1 {
			t.Errorf("older than five days: %+v", removal)
		}
		admin.browser.Get(t, "/usage/retention?days=6").RequireStatus(t, http.StatusOK).Data(t, &removal)
		if removal.Messages != 0 {
			t.Errorf("older than six days: %+v", removal)
		}
		admin.browser.Get(t, "/usage/retention").RequireFailure(t, "missing_required_field", "days")
		admin.browser.Do(t, "PUT", "/usage/retention", `{"days":5}`).RequireFailure(t, "forbidden", "")
		owner.browser.Do(t, "PUT", "/usage/retention", `{"days":181}`).RequireFailure(t, "invalid_field_value", "days")
		owner.browser.Do(t, "PUT", "/usage/retention", `{"days":0}`).RequireFailure(t, "invalid_field_value", "days")

		requireKept := func(days int64) {
			t.Helper()
			all, err := w.Store.Read(t.Context()).Retentions()
			if err != nil || all[org.ID] != days {
				t.Errorf("messages are kept for %d days, %v", all[org.ID], err)
			}
		}
		requireKept(180)
		var got retention
		owner.browser.Do(t, "PUT", "/usage/retention", `{"days":5}`).RequireStatus(t, http.StatusOK).Data(t, &got)
		if *got.Days != 5 || *got.Chosen != 5 || *got.Plan != 180 {
			t.Errorf("it is %+v", got)
		}
		requireKept(5)
		owner.browser.Do(t, "PUT", "/usage/retention", `{"days":null}`).RequireStatus(t, http.StatusOK).Data(t, &got)
		requireKept(180)
		if got := audited(t, owner.browser, "?action=organization.updated"); len(got) != 2 || got[0].Details["changed"] != "retention_days" {
			t.Errorf("it is noted as %+v", got)
		}
	})
}

// An organization on a plan without a limit can set one, and housekeeping applies it.
func TestRetentionWithoutALimit(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org, other := storetest.Org(t, w.Store), storetest.Org(t, w.Store)
	newPerson(t, w, org, chat.RoleOwner).browser.Do(t, "PUT", "/usage/retention", `{"days":30}`).RequireStatus(t, http.StatusOK)
	all, err := w.Store.Read(t.Context()).Retentions()
	if _, limited := all[other.ID]; err != nil || all[org.ID] != 30 || limited {
		t.Errorf("messages are kept for %v days, %v", all, err)
	}
}
