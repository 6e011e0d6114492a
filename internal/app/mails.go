package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// Mail is a plain text to one person, on behalf of an organization.
type Mail struct{ OrgID, To, Subject, Text string }

// mostForgotten bounds how many forgotten passwords are handled at once, and forgottenTime how long one may
// take.
const (
	mostForgotten = 8
	forgottenTime = 30 * time.Second
)

func registerForgotten(a *App) {
	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/forgotten", ID: "forgetPassword", Tag: "Session", Open: true, Status: http.StatusAccepted,
		Summary:     "Ask for a link to choose another password",
		Description: "It is mailed, if there is such a user: the answer is the same either way. Answers 404 where no mail can be sent.",
		Errors:      []chat.Code{chat.CodeRateLimitExceeded, chat.CodeResourceNotFound},
	}, a.forgetPassword)
}

type forgottenBody struct {
	Email string `json:"email" minLength:"1" maxLength:"320"`
}

type askedView struct {
	Asked bool `json:"asked"`
}

// forgetPassword answers before anything is looked up, so that neither the answer nor its timing tells whether
// the user exists.
func (a *App) forgetPassword(c *rest.Call, in *rest.Sent[forgottenBody]) (askedView, error) {
	if a.cfg.Mail == nil {
		return askedView{}, chat.NotFound("way to send mail")
	}
	if err := a.logins.admit(c, keysOf("forgotten "+in.Body.Email, "", c)); err != nil {
		return askedView{}, err
	}
	select {
	case a.forgotten <- struct{}{}:
		go func() {
			defer func() { <-a.forgotten }()
			ctx, cancel := context.WithTimeout(context.Background(), forgottenTime)
			defer cancel()
			if err := a.mailReset(ctx, in.Body.Email); err != nil {
				a.cfg.Log.Warn("a link for a forgotten password could not be made", "error", err)
			}
		}()
	default:
		a.cfg.Log.Warn("too many people have forgotten their password at once")
	}
	return askedView{true}, nil
}

// mailReset makes a link for the user with the address, if there is to be one, and mails it.
func (a *App) mailReset(ctx context.Context, email string) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		token, u, link, err := core.LinkForgotten(tx, email)
		if err != nil || token == "" {
			return err
		}
		return a.mailLink(tx, u, link, a.cfg.PublicURL+core.UserLinkPath+token)
	})
}

// mailLink mails a link after its transaction has committed.
func (a *App) mailLink(tx *store.Tx, u chat.User, link chat.UserLink, url string) error {
	if a.cfg.Mail == nil {
		return nil
	}
	org, err := tx.PeekOrganization(u.OrgID)
	if err != nil {
		return err
	}
	subject, text := linkMail(u, org, link.Kind, url)
	tx.AfterCommit(func() { a.cfg.Mail(Mail{OrgID: u.OrgID, To: u.Email, Subject: subject, Text: text}) })
	return nil
}

func linkMail(u chat.User, org chat.Organization, kind chat.UserLinkKind, url string) (subject, text string) {
	if kind == chat.LinkInvitation {
		return "Join " + org.Name + " on Parley", fmt.Sprintf(`Hello %s,

you are invited to work with %s on Parley. Choose a password here:

%s

The link works once, for seven days.
`, u.Name, org.Name, url)
	}
	return "Choose another password for Parley", fmt.Sprintf(`Hello %s,

with this link you choose another password for Parley (%s):

%s

It works once, for one day. If you did not ask for it, leave it: your password stays as it is.
`, u.Name, org.Name, url)
}
