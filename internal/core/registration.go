package core

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// registrationLease is how long a registration may take before another may be tried.
const registrationLease = 2 * time.Minute

// Register completes a number at the provider with its PIN. One registration of a number runs at
// a time, on whatever node; the call happens between two transactions.
func Register(ctx context.Context, st *store.Store, client provider.Client, token func(chat.Account) (string, error),
	account chat.Account, pin string,
) (chat.Account, error) {
	if err := beginRegistration(ctx, st, &account); err != nil {
		return chat.Account{}, err
	}
	callErr := register(ctx, client, token, &account, pin)
	err := st.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		current, err := tx.Account(account.OrgID, account.ID)
		if err != nil {
			return orNotFound(err, "account")
		}
		current.RegisteringUntil = nil
		if callErr != nil {
			account = current
			return tx.UpdateAccount(current)
		}
		current.Status, current.ProviderStatus = chat.AccountConnected, account.ProviderStatus
		account = current
		return errors.Join(tx.UpdateAccount(current), audit(tx, account.OrgID, chat.AuditNumberRegister, ofNumber(account)))
	})
	return account, errors.Join(callErr, err)
}

func beginRegistration(ctx context.Context, st *store.Store, account *chat.Account) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		current, err := tx.Account(account.OrgID, account.ID)
		if err != nil {
			return orNotFound(err, "account")
		}
		if current.RegisteringUntil != nil && registering(tx.Now(), *current.RegisteringUntil) {
			return chat.Fail(chat.CodeRegistrationInProgress, "A registration of this number is running. Wait for it to end.")
		}
		until := tx.Now().Add(registrationLease)
		current.RegisteringUntil = &until
		*account = current
		return tx.UpdateAccount(current)
	})
}

// registering tells whether a registration may still be under way. None has much more than its lease left:
// where it seems so, the clock was turned back since it began.
func registering(now, until time.Time) bool {
	left := until.Sub(now)
	return left > 0 && left <= 2*registrationLease
}

func register(ctx context.Context, client provider.Client, token func(chat.Account) (string, error), account *chat.Account, pin string) error {
	number, err := NumberOf(*account, token)
	if err != nil {
		return err
	}
	if err := client.Register(ctx, number, pin); err != nil {
		return registrationFailed(err)
	}
	status := "CONNECTED"
	if info, err := client.PhoneNumber(ctx, number); err == nil && info.Status != "" {
		status = info.Status
	}
	account.ProviderStatus = &status
	return nil
}

func registrationFailed(err error) error {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case e.HTTPStatus == 0 || e.HTTPStatus >= 500 || e.Transient || e.Class().Transient:
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	default:
		return chat.Fail(chat.CodeRegistrationFailed, "The provider refused the registration: %s", e.Message)
	}
}
