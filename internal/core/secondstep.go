package core

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Seals encrypts and decrypts stored secrets.
type Seals interface {
	Sealer
	Open(sealed, context string) (string, error)
}

// SecondStepContext binds a sealed secret to its user.
func SecondStepContext(userID string) string { return "second step " + userID }

// justSignedIn is how long a session alone shows that its user is there.
const justSignedIn = 15 * time.Minute

// PasswordNeeded tells whether turning two-step sign-in on takes the password as well, because it is a while since the
// user signed in: who has taken over a browser would lock its user out. Users without a password sign in again instead.
func PasswordNeeded(begun time.Time, s chat.Session) bool {
	return begun.Sub(s.CreatedAt) > justSignedIn
}

// BeginSecondStep makes the secret that a user's authenticator app scans. Sign-in asks for no code until one was
// confirmed. Beginning again replaces the secret.
func BeginSecondStep(tx *store.Tx, seals Seals, u chat.User) (secret string, err error) {
	now, err := user(tx.Reader, u.OrgID, u.ID)
	if err != nil {
		return "", err
	}
	if now.SecondStep {
		return "", chat.Invalid("second_step", "Two-step sign-in is on already. Turn it off first.")
	}
	secret = chat.NewTOTPSecret()
	return secret, tx.PutSecondStep(chat.SecondStep{
		OrgID: u.OrgID, UserID: u.ID, Sealed: seals.Seal(secret, SecondStepContext(u.ID)), CreatedAt: tx.Now(),
	})
}

// ConfirmSecondStep turns two-step sign-in on, with a code of the app. It returns the recovery codes, which are shown
// once. Sessions that were opened without a code end, except for the one that asks. known says that the user has given
// the password.
func ConfirmSecondStep(tx *store.Tx, seals Seals, s store.SessionContext, code string, known bool) (recovery []string, err error) {
	u, err := stillKnown(tx, s.User, "password")
	if err != nil {
		return nil, err
	}
	step, err := tx.SecondStep(u.OrgID, u.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && step.ConfirmedAt != nil {
		return nil, chat.Invalid("code", "Begin anew: there is nothing to confirm.")
	}
	if err != nil {
		return nil, err
	}
	if !known && PasswordNeeded(step.CreatedAt, s.Session) {
		return nil, chat.Invalid("password", "Give your password, or sign in again: it is a while since you signed in.")
	}
	secret, err := seals.Open(step.Sealed, SecondStepContext(u.ID))
	if err != nil {
		return nil, err
	}
	counter, ok := chat.CheckTOTP(secret, code, tx.Now(), 0)
	if !ok {
		return nil, chat.Invalid("code", "This is not the code that the app shows now. If it is, look at the phone's clock.")
	}
	step.ConfirmedAt, step.LastCounter = new(tx.Now()), counter
	if err := errors.Join(tx.PutSecondStep(step), tx.DeleteSessions(u.OrgID, u.ID, s.Session.ID)); err != nil {
		return nil, err
	}
	if err := audit(tx, u.OrgID, chat.AuditSecondStepOn, ofUser(u)); err != nil {
		return nil, err
	}
	return newRecoveryCodes(tx, u)
}

func newRecoveryCodes(tx *store.Tx, u chat.User) (codes []string, err error) {
	var hashes []string
	for range chat.RecoveryCodes {
		code := chat.NewRecoveryCode()
		codes, hashes = append(codes, code), append(hashes, chat.HashRecoveryCode(code))
	}
	return codes, tx.PutRecoveryCodes(u.OrgID, u.ID, hashes)
}

// Proof shows that the user asks, and not just somebody with the user's browser.
type Proof struct {
	Password string
	Code     string
}

// KnowsPassword refuses another password than the user's.
func KnowsPassword(u chat.User, password string) error {
	if !PasswordHash(u.PasswordHash).matches(password) {
		return chat.Invalid("password", "This is not your password.")
	}
	return nil
}

// prove runs do in a transaction, if the proof has the user's password and a code of the app or for recovery.
func prove(ctx context.Context, st *store.Store, seals Seals, u chat.User, p Proof, do func(tx *store.Tx) error) error {
	if err := KnowsPassword(u, p.Password); err != nil {
		return err
	}
	return st.InTx(ctx, func(tx *store.Tx) error {
		now, err := stillKnown(tx, u, "password")
		if err != nil {
			return err
		}
		err = takeSecondStep(tx, seals, now, p.Code)
		if e, ok := errors.AsType[*chat.Error](err); ok { // the user is signed in: only the field is wrong
			return chat.Invalid("code", "%s", e.Message)
		}
		if err != nil {
			return err
		}
		return do(tx)
	})
}

// RenewRecoveryCodes replaces a user's recovery codes.
func RenewRecoveryCodes(ctx context.Context, st *store.Store, seals Seals, u chat.User, p Proof) (codes []string, err error) {
	err = prove(ctx, st, seals, u, p, func(tx *store.Tx) (err error) {
		if !u.SecondStep {
			return chat.Invalid("second_step", "Turn on two-step sign-in first.")
		}
		if codes, err = newRecoveryCodes(tx, u); err != nil {
			return err
		}
		return audit(tx, u.OrgID, chat.AuditRecoveryCodes, ofUser(u))
	})
	return codes, err
}

// EndSecondStep turns two-step sign-in off for the user who asks.
func EndSecondStep(ctx context.Context, st *store.Store, seals Seals, u chat.User, p Proof) error {
	return prove(ctx, st, seals, u, p, func(tx *store.Tx) error {
		return errors.Join(tx.DeleteSecondStep(u.OrgID, u.ID), audit(tx, u.OrgID, chat.AuditSecondStepOff, ofUser(u)))
	})
}

// TakeOffSecondStep turns two-step sign-in off for a user who has lost the phone and the recovery codes. The caller
// has verified the person's identity. All sessions of the user end. The operator is no user, and has no id.
func TakeOffSecondStep(tx *store.Tx, by chat.User, orgID, userID string) (chat.User, error) {
	if userID == by.ID { // a session alone would do, without the password and a code
		return by, chat.Fail(chat.CodeForbidden, "Turn off your own two-step sign-in in your profile, with your password and a code.")
	}
	u, err := user(tx.Reader, orgID, userID)
	if err != nil {
		return u, err
	}
	if u.Role == chat.RoleOwner && !by.Role.Covers(chat.RoleOwner) {
		return u, chat.Fail(chat.CodeForbidden, "Only an owner can do this to an owner.")
	}
	u.SecondStep = false
	return u, errors.Join(tx.DeleteSecondStep(orgID, userID), tx.DeleteSessions(orgID, userID, ""), audit(tx, orgID, chat.AuditSecondStepOff, ofUser(u)))
}

// takeSecondStep checks and uses up the code of a user with a second step: each code works once.
func takeSecondStep(tx *store.Tx, seals Seals, u chat.User, code string) error {
	if !u.SecondStep {
		return nil
	}
	if code == "" {
		return &chat.Error{Code: chat.CodeSecondStepRequired, Param: "code", Message: "Give the code that your authenticator app shows, or one of your recovery codes."}
	}
	step, err := tx.SecondStep(u.OrgID, u.ID)
	if err != nil {
		return err
	}
	secret, err := seals.Open(step.Sealed, SecondStepContext(u.ID))
	if err != nil {
		return err
	}
	if counter, ok := chat.CheckTOTP(secret, code, tx.Now(), step.LastCounter); ok {
		return tx.UseCode(u.OrgID, u.ID, counter)
	}
	err = tx.UseRecoveryCode(u.OrgID, u.ID, chat.HashRecoveryCode(code))
	if errors.Is(err, store.ErrNotFound) {
		return &chat.Error{Code: chat.CodeInvalidSecondStep, Param: "code", Message: "This code is wrong, or was used. Each code works once: wait for the next one."}
	}
	return err
}
