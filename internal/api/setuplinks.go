package api

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerSetupLinks(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/customers/{id}/setup_links", ID: "listSetupLinks", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary:     "List a customer's setup links, newest first",
		Description: "A link whose time is over reads as expired. The address itself is only in the answer that makes the link.",
	}, listSetupLinks)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/customers/{id}/setup_links", ID: "createSetupLink", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Generate a setup link", Description: "Send setup_url to the customer: under it the customer connects one business number. " +
			"It is shown in this answer only.",
		Status: http.StatusCreated, Secret: true, Errors: []chat.Code{chat.CodeCustomerSuspended},
		InPath: func(c *rest.Call, r store.Reader) error {
			_, err := core.Customer(r, c.OrgID(), c.PathValue(0))
			return err
		},
	}, a.createSetupLink)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/customers/{id}/setup_links/{link_id}", ID: "getSetupLink", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary:     "Get a setup link",
		Description: "A link whose time is over reads as expired.",
	}, getSetupLink)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/customers/{id}/setup_links/{link_id}", ID: "updateSetupLink", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Change where an active setup link leads to afterwards", Description: "Fields that are left out stay as they are, null clears; at least one is needed.",
		Errors: []chat.Code{chat.CodeSetupLinkInactive},
	}, updateSetupLink)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/customers/{id}/setup_links/{link_id}", ID: "revokeSetupLink", Tag: "Customers", Platform: true, Role: chat.RoleAdmin,
		Summary: "Revoke an active setup link", Errors: []chat.Code{chat.CodeSetupLinkInactive},
		Description: "Whoever opens it afterwards is told that it was revoked.",
	}, revokeSetupLink)
}

type setupLinkView struct {
	ID                 rest.SetupLinkID `json:"id"`
	Object             string           `json:"object" enum:"customer_setup_link"`
	CustomerID         rest.CustomerID  `json:"customer_id"`
	Status             string           `json:"status" enum:"active,consumed,expired,revoked"`
	TokenLast4         string           `json:"token_last4" doc:"The last four characters of setup_url."`
	ExpiresAt          rest.Instant     `json:"expires_at"`
	ConsumedAt         *rest.Instant    `json:"consumed_at" nullable:"true"`
	SuccessRedirectURL *string          `json:"success_redirect_url" doc:"Where people go after they connected a number, with customer_id, account_id and status=success."`
	FailureRedirectURL *string          `json:"failure_redirect_url" doc:"Where people go when that did not work, with customer_id, status=failed and reason."`
	CreatedAt          rest.Instant     `json:"created_at"`

	SetupURL string `json:"setup_url,omitempty" format:"uri" doc:"The link itself. Only in the answer that generates it."`
}

func viewSetupLink(l chat.SetupLink, now time.Time) setupLinkView {
	l = l.At(now)
	view := setupLinkView{
		ID: rest.SetupLinkID(l.ID), Object: "customer_setup_link", Status: string(l.Status), TokenLast4: l.TokenLast4, ExpiresAt: rest.Instant(l.ExpiresAt),
		ConsumedAt: rest.InstantPtr(l.ConsumedAt), SuccessRedirectURL: l.SuccessRedirectURL, FailureRedirectURL: l.FailureRedirectURL,
		CreatedAt: rest.Instant(l.CreatedAt),
	}
	if l.CustomerID != nil {
		view.CustomerID = rest.CustomerID(*l.CustomerID)
	}
	return view
}

type listSetupLinksInput struct {
	ID     rest.CustomerID `path:"id"`
	Status string          `query:"status" enum:"active,consumed,expired,revoked"`
}

func listSetupLinks(c *rest.Call, in *listSetupLinksInput, p store.Page) (store.Slice[setupLinkView], error) {
	r := c.Read()
	if _, err := core.Customer(r, c.OrgID(), string(in.ID)); err != nil {
		return store.Slice[setupLinkView]{}, err
	}
	links, err := r.SetupLinks(c.OrgID(), string(in.ID), chat.SetupLinkStatus(in.Status), c.Now(), p)
	return rest.ViewEach(links, func(l chat.SetupLink) setupLinkView { return viewSetupLink(l, c.Now()) }), err
}

type createSetupLinkBody struct {
	ExpiresInHours     int64   `json:"expires_in_hours,omitempty" minimum:"1" maximum:"720" default:"168"`
	SuccessRedirectURL *string `json:"success_redirect_url,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"Absolute and https; http for localhost only. No fragment."`
	FailureRedirectURL *string `json:"failure_redirect_url,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"Absolute and https; http for localhost only. No fragment."`
}

func (a *API) createSetupLink(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.CustomerID, createSetupLinkBody]) (setupLinkView, error) {
	link, token, err := core.CreateSetupLink(tx, c.OrgID(), string(in.ID), chat.NewSetupLink(in.Body))
	view := viewSetupLink(link, c.Now())
	view.SetupURL = a.publicURL + core.OnboardPath + token
	return view, err
}

type setupLinkInput struct {
	ID     rest.CustomerID  `path:"id"`
	LinkID rest.SetupLinkID `path:"link_id"`
}

func getSetupLink(c *rest.Call, in *setupLinkInput) (setupLinkView, error) {
	link, err := core.SetupLink(c.Read(), c.OrgID(), string(in.ID), string(in.LinkID))
	return viewSetupLink(link, c.Now()), err
}

type updateSetupLinkInput struct {
	ID     rest.CustomerID  `path:"id"`
	LinkID rest.SetupLinkID `path:"link_id"`
	Body   updateSetupLinkBody
}

type updateSetupLinkBody struct {
	SuccessRedirectURL chat.Patch[string] `json:"success_redirect_url,omitzero" format:"uri" maxLength:"2048" doc:"Null stays on the hosted page."`
	FailureRedirectURL chat.Patch[string] `json:"failure_redirect_url,omitzero" format:"uri" maxLength:"2048" doc:"Null stays on the hosted page."`
}

func updateSetupLink(tx *store.Tx, c *rest.Call, in *updateSetupLinkInput) (setupLinkView, error) {
	link, err := core.UpdateSetupLink(tx, c.OrgID(), string(in.ID), string(in.LinkID), chat.SetupLinkPatch(in.Body))
	return viewSetupLink(link, c.Now()), err
}

type revokedLinkView struct {
	ID      rest.SetupLinkID `json:"id"`
	Object  string           `json:"object" enum:"customer_setup_link"`
	Revoked bool             `json:"revoked"`
	Status  string           `json:"status" enum:"revoked"`
}

func revokeSetupLink(tx *store.Tx, c *rest.Call, in *setupLinkInput) (revokedLinkView, error) {
	err := core.RevokeSetupLink(tx, c.OrgID(), string(in.ID), string(in.LinkID))
	return revokedLinkView{ID: in.LinkID, Object: "customer_setup_link", Revoked: true, Status: string(chat.LinkRevoked)}, err
}
