package app

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

type previewMergeInput struct {
	rest.ByID[rest.ContactID]
	With rest.ContactID `query:"with" doc:"The other contact, of the same number. Needed."`
}

type mergePreviewView struct {
	Possible      bool             `json:"possible" doc:"false: they have different numbers or different ids, and stay two."`
	ID            string           `json:"id" doc:"The id that stays. The other goes on naming the same contact."`
	Name          *string          `json:"name"`
	PhoneNumber   *string          `json:"phone_number"`
	BSUID         *string          `json:"bsuid"`
	Username      *string          `json:"username"`
	Email         *string          `json:"email"`
	Metadata      rest.FreeForm    `json:"metadata"`
	Consent       chat.Consent     `json:"marketing_consent" doc:"The stricter of both."`
	Labels        []inboxLabelView `json:"labels" doc:"Those of both."`
	Notes         int              `json:"notes" doc:"How many there are about both."`
	Conversations int              `json:"conversations" doc:"How many become one."`
}

func previewMerge(c *rest.Call, in *previewMergeInput) (view mergePreviewView, err error) {
	if in.With == "" {
		return view, chat.Missing("with")
	}
	r, u := c.Read(), *c.Caller.User
	item, err := core.SeenContact(r, u, string(in.ID))
	if err != nil {
		return view, err
	}
	if _, err := core.SeenContact(r, u, string(in.With)); err != nil {
		return view, err
	}
	account, err := r.PeekAccount(u.OrgID, item.AccountID)
	if err != nil {
		return view, err
	}
	p, err := core.PreviewMerge(r, account, string(in.ID), string(in.With))
	if p.Contradict {
		p.Now = p.First
	}
	return mergePreviewView{
		Possible: !p.Contradict, ID: p.Now.ID, Name: p.Now.Name, PhoneNumber: p.Now.PhoneNumber, BSUID: p.Now.BSUID,
		Username: p.Now.Username, Email: p.Now.Email, Metadata: rest.FreeForm(p.Now.Metadata), Consent: p.Now.Consent,
		Labels: viewLabels(p.Labels), Notes: p.Notes, Conversations: p.Conversations,
	}, err
}
