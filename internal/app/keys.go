package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerKeys(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/keys", ID: "listKeys", Tag: "Developers", Role: chat.RoleAdmin, Whole: true,
		Summary: "List API keys", Description: "Newest first, also those that are revoked or have expired. Their text is not kept.",
	}, listKeys)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/keys", ID: "createKey", Tag: "Developers", Role: chat.RoleAdmin, Status: http.StatusCreated, Secret: true,
		Summary: "Create an API key", Description: "Its text is shown once.",
	}, createKey)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/keys/{id}", ID: "revokeKey", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "Revoke an API key", Description: "From the next request on, for good.",
	}, revokeKey)
}

type keyView struct {
	ID         rest.KeyID    `json:"id"`
	Name       string        `json:"name"`
	Last4      string        `json:"last4" doc:"The end of its text, to know it by."`
	CreatedAt  rest.Instant  `json:"created_at"`
	LastUsedAt *rest.Instant `json:"last_used_at" nullable:"true" doc:"To the minute."`
	ExpiresAt  *rest.Instant `json:"expires_at" nullable:"true"`
	RevokedAt  *rest.Instant `json:"revoked_at" nullable:"true"`
}

func viewKey(k chat.APIKey, uses map[string]time.Time) keyView {
	view := keyView{
		ID: rest.KeyID(k.ID), Name: k.Name, Last4: k.Last4, CreatedAt: rest.Instant(k.CreatedAt),
		ExpiresAt: rest.InstantPtr(k.ExpiresAt), RevokedAt: rest.InstantPtr(k.RevokedAt),
	}
	if at, used := uses[k.ID]; used {
		view.LastUsedAt = new(rest.Instant(at))
	}
	return view
}

func listKeys(c *rest.Call, _ *noInput, _ store.Page) (all store.Slice[keyView], err error) {
	r := c.Read()
	keys, err := r.Keys(c.OrgID())
	if err != nil {
		return all, err
	}
	uses, err := r.KeyUses(c.OrgID())
	all.Rows = []keyView{}
	for i := range keys {
		all.Rows = append(all.Rows, viewKey(keys[len(keys)-1-i], uses))
	}
	return all, err
}

type createKeyBody struct {
	Name      string     `json:"name" minLength:"1" maxLength:"200" trimmed:"true"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"When it stops working. Without it, never."`
}

type madeKeyView struct {
	Key  keyView `json:"key"`
	Text string  `json:"text" pattern:"^svc_live_[A-Za-z0-9_-]{24}$" doc:"Shown once."`
}

func createKey(tx *store.Tx, c *rest.Call, in *rest.Sent[createKeyBody]) (madeKeyView, error) {
	key, text, err := core.CreateKey(tx, c.OrgID(), in.Body.Name, in.Body.ExpiresAt)
	return madeKeyView{viewKey(key, nil), text}, err
}

func revokeKey(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.KeyID]) (keyView, error) {
	key, err := core.RevokeKeyOf(tx, c.OrgID(), string(in.ID))
	if err != nil {
		return keyView{}, err
	}
	uses, err := tx.KeyUses(c.OrgID())
	return viewKey(key, uses), err
}
