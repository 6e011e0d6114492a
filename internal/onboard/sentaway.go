package onboard

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// SentAway tells the provider's page about a visitor whom we sent there with a state: where they return to, and
// which numbers they have connected already. callback is empty if the state is not ours.
func (p *Page) SentAway(ctx context.Context, text string) (callback string, numbers []string, err error) {
	st, err := p.states.open(text, p.cfg.Store.Now())
	if errors.Is(err, errForged) {
		return "", nil, nil
	}
	r := p.cfg.Store.Read(ctx)
	invited, err := core.InvitationByID(r, st.orgID, st.linkID)
	if _, gone := errors.AsType[*core.OnboardError](err); gone {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	filter := store.AccountFilter{}
	if invited.Link.CustomerID != nil {
		filter.CustomerID = *invited.Link.CustomerID
	}
	accounts, err := r.Accounts(st.orgID, filter, store.Page{Limit: 100})
	for _, account := range accounts.Rows {
		if account.PhoneNumberID != nil && same(account.CustomerID, invited.Link.CustomerID) {
			numbers = append(numbers, *account.PhoneNumberID)
		}
	}
	return p.callback, numbers, err
}
