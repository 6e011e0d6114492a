package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerSetupLinks(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/customers/{id}/setup_links", id: "listSetupLinks", tag: "Customers", platform: true,
		summary:     "List a customer's setup links, newest first",
		description: "A link whose time is over reads as expired. The address itself is only in the answer that makes the link.",
	}, listSetupLinks)

	write(a, operation{
		method: http.MethodPost, path: "/customers/{id}/setup_links", id: "createSetupLink", tag: "Customers", platform: true,
		summary: "Generate a setup link", description: "Send setup_url to the customer: under it the customer connects one business number. " +
			"It is shown in this answer only.",
		status: http.StatusCreated, secret: true, errors: []chat.Code{chat.CodeCustomerSuspended},
		inPath: func(c *call, r store.Reader, _ chat.Account) error {
			_, err := core.Customer(r, c.key.Key.OrgID, c.path[0])
			return err
		},
	}, createSetupLink)

	read(a, operation{
		method: http.MethodGet, path: "/customers/{id}/setup_links/{link_id}", id: "getSetupLink", tag: "Customers", platform: true,
		summary:     "Get a setup link",
		description: "A link whose time is over reads as expired.",
	}, getSetupLink)

	write(a, operation{
		method: http.MethodPatch, path: "/customers/{id}/setup_links/{link_id}", id: "updateSetupLink", tag: "Customers", platform: true,
		summary: "Change where an active setup link leads to afterwards", description: "Fields that are left out stay as they are, null clears; at least one is needed.",
		errors: []chat.Code{chat.CodeSetupLinkInactive},
	}, updateSetupLink)

	write(a, operation{
		method: http.MethodDelete, path: "/customers/{id}/setup_links/{link_id}", id: "revokeSetupLink", tag: "Customers", platform: true,
		summary: "Revoke an active setup link", errors: []chat.Code{chat.CodeSetupLinkInactive},
		description: "Whoever opens it afterwards is told that it was revoked.",
	}, revokeSetupLink)
}

type setupLinkView struct {
	ID                 string   `json:"id" pattern:"^csl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object             string   `json:"object" enum:"customer_setup_link"`
	CustomerID         string   `json:"customer_id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$"`
	Status             string   `json:"status" enum:"active,consumed,expired,revoked"`
	TokenLast4         string   `json:"token_last4" doc:"The last four characters of setup_url."`
	ExpiresAt          instant  `json:"expires_at"`
	ConsumedAt         *instant `json:"consumed_at" nullable:"true"`
	SuccessRedirectURL *string  `json:"success_redirect_url" doc:"Where people go after they connected a number, with customer_id, account_id and status=success."`
	FailureRedirectURL *string  `json:"failure_redirect_url" doc:"Where people go when that did not work, with customer_id, status=failed and reason."`
	CreatedAt          instant  `json:"created_at"`

	SetupURL string `json:"setup_url,omitempty" format:"uri" doc:"The link itself. Only in the answer that generates it."`
}

func (c *call) viewSetupLink(l chat.SetupLink) setupLinkView {
	l = l.At(c.api.store.Now())
	view := setupLinkView{
		ID: l.ID, Object: "customer_setup_link", Status: string(l.Status), TokenLast4: l.TokenLast4, ExpiresAt: instant(l.ExpiresAt),
		ConsumedAt: instantPtr(l.ConsumedAt), SuccessRedirectURL: l.SuccessRedirectURL, FailureRedirectURL: l.FailureRedirectURL,
		CreatedAt: instant(l.CreatedAt),
	}
	if l.CustomerID != nil {
		view.CustomerID = *l.CustomerID
	}
	return view
}

type listSetupLinksInput struct {
	ID     string `path:"id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$"`
	Status string `query:"status" enum:"active,consumed,expired,revoked"`
}

func listSetupLinks(c *call, in *listSetupLinksInput, p store.Page) (store.Slice[setupLinkView], error) {
	r := c.api.store.Read(c.ctx)
	if _, err := core.Customer(r, c.key.Key.OrgID, in.ID); err != nil {
		return store.Slice[setupLinkView]{}, err
	}
	links, err := r.SetupLinks(c.key.Key.OrgID, in.ID, chat.SetupLinkStatus(in.Status), c.api.store.Now(), p)
	return viewEach(links, c.viewSetupLink), err
}

type createSetupLinkInput struct {
	ID   string `path:"id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body createSetupLinkBody
}

type createSetupLinkBody struct {
	ExpiresInHours     int64   `json:"expires_in_hours,omitempty" minimum:"1" maximum:"720" default:"168"`
	SuccessRedirectURL *string `json:"success_redirect_url,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"Absolute and https; http for localhost only. No fragment."`
	FailureRedirectURL *string `json:"failure_redirect_url,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"Absolute and https; http for localhost only. No fragment."`
}

func createSetupLink(tx *store.Tx, c *call, in *createSetupLinkInput) (setupLinkView, error) {
	link, token, err := core.CreateSetupLink(tx, c.key.Key.OrgID, in.ID, chat.NewSetupLink(in.Body))
	view := c.viewSetupLink(link)
	view.SetupURL = c.api.publicURL + core.OnboardPath + token
	return view, err
}

type setupLinkInput struct {
	ID     string `path:"id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$"`
	LinkID string `path:"link_id" pattern:"^csl_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getSetupLink(c *call, in *setupLinkInput) (setupLinkView, error) {
	link, err := core.SetupLink(c.api.store.Read(c.ctx), c.key.Key.OrgID, in.ID, in.LinkID)
	return c.viewSetupLink(link), err
}

type updateSetupLinkInput struct {
	ID     string `path:"id" pattern:"^cus_[0-9A-HJKMNP-TV-Z]{26}$"`
	LinkID string `path:"link_id" pattern:"^csl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body   updateSetupLinkBody
}

type updateSetupLinkBody struct {
	SuccessRedirectURL chat.Patch[string] `json:"success_redirect_url,omitzero" format:"uri" maxLength:"2048" doc:"Null stays on the hosted page."`
	FailureRedirectURL chat.Patch[string] `json:"failure_redirect_url,omitzero" format:"uri" maxLength:"2048" doc:"Null stays on the hosted page."`
}

func updateSetupLink(tx *store.Tx, c *call, in *updateSetupLinkInput) (setupLinkView, error) {
	link, err := core.UpdateSetupLink(tx, c.key.Key.OrgID, in.ID, in.LinkID, chat.SetupLinkPatch(in.Body))
	return c.viewSetupLink(link), err
}

type revokedLinkView struct {
	ID      string `json:"id" pattern:"^csl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object  string `json:"object" enum:"customer_setup_link"`
	Revoked bool   `json:"revoked"`
	Status  string `json:"status" enum:"revoked"`
}

func revokeSetupLink(tx *store.Tx, c *call, in *setupLinkInput) (revokedLinkView, error) {
	err := core.RevokeSetupLink(tx, c.key.Key.OrgID, in.ID, in.LinkID)
	return revokedLinkView{ID: in.LinkID, Object: "customer_setup_link", Revoked: true, Status: string(chat.LinkRevoked)}, err
}
