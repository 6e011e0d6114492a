package app_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A draft keeps the state of the form, and is shared by all admins of the business account.
func TestTemplateDrafts(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		path := "/" + *d.account.PhoneNumberID + "/template-drafts"
		type draft struct {
			ID, Name string
			Content  map[string]any
		}
		var made, kept draft
		var all []draft
		stream := d.boss.Listen(t)
		d.boss.Do(t, "POST", path, `{"name":"","language":"","category":"","content":{"body":"Hello {{1}"}}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
		stream.Await(t, "templates", "")
		colleague := d.As(t, d.User(t, d.org, chat.RoleOwner, chat.SeesAll))
		colleague.Do(t, "PUT", path+"/"+made.ID, `{"name":"hello","language":"de","category":"UTILITY","content":{"body":"Hallo"}}`).RequireStatus(t, http.StatusOK)
		d.boss.Get(t, path+"/"+made.ID).RequireStatus(t, http.StatusOK).Data(t, &kept)
		same(t, "what is kept", kept, draft{made.ID, "hello", map[string]any{"body": "Hallo"}})
		d.boss.Get(t, path).RequireStatus(t, http.StatusOK).Data(t, &all)
		same(t, "all", all, []draft{kept})
		d.boss.Do(t, "PUT", path+"/"+made.ID, `{"name":"","language":"","category":"","content":{"x":"`+strings.Repeat("x", 64<<10)+`"}}`).
			RequireFailure(t, "invalid_field_value", "content")

		stranger := storetest.Org(t, d.Store)
		foreign := newNumber(t, d.Store, stranger)
		theirs := d.As(t, d.User(t, stranger, chat.RoleOwner, chat.SeesAll, stranger.TeamID))
		for _, at := range []string{path, "/" + *foreign.PhoneNumberID + "/template-drafts"} {
			theirs.Get(t, at+"/"+made.ID).RequireFailure(t, "resource_not_found", "")
			theirs.Do(t, "PUT", at+"/"+made.ID, `{"name":"","language":"","category":"","content":{}}`).RequireFailure(t, "resource_not_found", "")
			theirs.Do(t, "DELETE", at+"/"+made.ID, "").RequireFailure(t, "resource_not_found", "")
		}
		d.boss.Do(t, "DELETE", path+"/"+made.ID, "").RequireStatus(t, http.StatusOK)
		d.boss.Get(t, path+"/"+made.ID).RequireFailure(t, "resource_not_found", "")
	})
}

// The history keeps the callbacks about a template in order, in the provider's words.
func TestTemplateHistory(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		storetest.InTx(t, d.Store, func(tx *store.Tx) error {
			return tx.InsertTemplate(chat.Template{
				ID: tx.NewID(chat.KindTemplate), OrgID: d.org.ID, WABAID: d.account.WABAID, Name: "promo", Language: "en", Status: chat.TemplatePending,
				ProviderStatus: "PENDING", Category: new("UTILITY"), Format: chat.FormatPositional, Components: json.RawMessage(`[{"type":"BODY","text":"Hi"}]`),
				CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			})
		})
		for _, u := range []provider.TemplateUpdate{
			{Aspect: provider.TemplateStatus, Event: "REJECTED", Reason: "INVALID_FORMAT", Description: "The link is broken."},
			{Aspect: provider.TemplateStatus, Event: "APPROVED", Reason: "NONE"},
			{Aspect: provider.TemplateQuality, Quality: "UNKNOWN"},
			{Aspect: provider.TemplateQuality, Quality: "GREEN"},
			{Aspect: provider.TemplateQuality, Quality: "GREEN"},
			{Aspect: provider.TemplateQuality, Quality: "RED"},
			{Aspect: provider.TemplateCategory, Category: "UTILITY", NextCategory: "MARKETING", NextCategoryAt: time.Unix(1_800_000_000, 0)},
			{Aspect: provider.TemplateCategory, Category: "MARKETING"},
			{Aspect: provider.TemplateStatus, Event: "FLAGGED"},
			{Aspect: provider.TemplateStatus, Event: "PAUSED", Description: "Paused for 3 hours."},
		} {
			d.Clock.Advance(time.Second)
			u.Origin, u.Name, u.Language = provider.Origin{WABAID: d.account.WABAID}, "promo", "en"
			storetest.InTx(t, d.Store, func(tx *store.Tx) error {
				return core.Applier{Log: slog.New(slog.DiscardHandler)}.ApplyAll(tx, []provider.Update{u})
			})
		}
		var history struct {
			Changes []struct {
				Aspect           string
				Previous, Reason *string
				Value            string
				Detail           *string
			}
		}
		path := "/" + *d.account.PhoneNumberID + "/templates/promo/history"
		d.as.Get(t, path+"?language=en").RequireStatus(t, http.StatusOK).Data(t, &history)
		var lines []string
		for _, c := range history.Changes {
			line := c.Aspect + " " + c.Value
			for _, more := range []*string{c.Previous, c.Reason, c.Detail} {
				if more != nil {
					line += " | " + *more
				}
			}
			lines = append(lines, line)
		}
		same(t, "the history", lines, []string{
			"status PAUSED | APPROVED | Paused for 3 hours.",
			"category MARKETING | UTILITY",
			"next_category MARKETING | UTILITY | 2027-01-15T08:00:00Z",
			"quality RED | GREEN",
			"quality GREEN | UNKNOWN",
			"status APPROVED | REJECTED",
			"status REJECTED | PENDING | INVALID_FORMAT | The link is broken.",
		})
		d.as.Get(t, path+"?language=de").RequireFailure(t, "resource_not_found", "")
	})
}
