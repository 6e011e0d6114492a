package core

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// touchEvery is how often the last use of a session is stored, and touchTime how long that may take.
	touchEvery = time.Minute
	touchTime  = 2 * time.Second
)

// Browser is the browser in which a user signs in.
type Browser struct {
	Client  string // the name that it sends
	Address string
}

const maxClient = 300

// Credentials are for signing in. The code is needed if the user has a second step.
type Credentials struct {
	Email string
	Proof
}

// SignIn opens a session for a person who knows the password of an address, and has the user's phone if there is a
// second step. Neither the answer nor its time tells whether the address or the password is wrong.
func SignIn(ctx context.Context, st *store.Store, seals Seals, in Credentials, b Browser) (token string, u chat.User, err error) {
	u, err = st.Read(ctx).UserByEmail(strings.TrimSpace(in.Email))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", chat.User{}, err
	}
	known := err == nil && u.PasswordHash != ""
	hash := PasswordHash(u.PasswordHash)
	if !known {
		hash = nobody()
	}
	if !hash.matches(in.Password) || !known || u.DisabledAt != nil {
		return "", chat.User{}, chat.Fail(chat.CodeInvalidCredentials, "The e-mail address or the password is wrong.")
	}
	err = st.InTx(ctx, func(tx *store.Tx) (err error) {
		now, err := user(tx.Reader, u.OrgID, u.ID)
		if err != nil {
			return err
		}
		if now.PasswordHash != u.PasswordHash || now.DisabledAt != nil { // changed while the password was checked
			return chat.Fail(chat.CodeInvalidCredentials, "The e-mail address or the password is wrong.")
		}
		if err := takeSecondStep(tx, seals, now, in.Code); err != nil {
			return err
		}
		if err := auditAs(tx, doerOf(now, b), now.OrgID, chat.AuditSignedIn, ofUser(now), "client", b.Client); err != nil {
			return err
		}
		token, err = OpenSession(tx, now, b)
		return err
	})
	return token, u, err
}

// OpenSession makes a session and returns its token, which is not stored.
func OpenSession(tx *store.Tx, u chat.User, b Browser) (token string, err error) {
	token = chat.NewToken()
	return token, tx.InsertSession(chat.Session{
		ID: tx.NewID(chat.KindSession), OrgID: u.OrgID, UserID: u.ID, Hash: chat.HashToken(token),
		Client: firstRunes(b.Client, maxClient), Address: b.Address, CreatedAt: tx.Now(), SeenAt: tx.Now(),
	})
}

// Session finds the session of a token. It stores at most once a minute that the session is in use. If it cannot, the user
// goes on all the same: who only reads needs no store that can be written.
func Session(ctx context.Context, st *store.Store, token string) (store.SessionContext, error) {
	signedOut := chat.Fail(chat.CodeNotSignedIn, "Sign in to go on.")
	c, err := st.Read(ctx).SessionContext(chat.HashToken(token))
	if errors.Is(err, store.ErrNotFound) {
		return c, signedOut
	}
	if err != nil {
		return c, err
	}
	if c.Session.Over(st.Now()) || c.User.DisabledAt != nil {
		return store.SessionContext{}, signedOut
	}
	if now := st.Now(); now.Sub(c.Session.SeenAt) >= touchEvery {
		c.Session.SeenAt = now
		touch(ctx, st, c.Session)
	}
	return c, nil
}

func touch(ctx context.Context, st *store.Store, s chat.Session) {
	ctx, cancel := context.WithTimeout(ctx, touchTime)
	defer cancel()
	_ = st.InTx(ctx, func(tx *store.Tx) error { return tx.TouchSession(s) }) // the next request tries again
}

// SignOut ends a session.
func SignOut(tx *store.Tx, s chat.Session) error {
	err := tx.DeleteSession(s.OrgID, s.UserID, s.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// SignOutEverywhere ends a user's sessions, except for the given one, if any.
func SignOutEverywhere(tx *store.Tx, orgID, userID, except string) error {
	return tx.DeleteSessions(orgID, userID, except)
}

// ChangePassword gives a user another password. Other sessions end, and the current one continues under a new token.
func ChangePassword(ctx context.Context, st *store.Store, c store.SessionContext, current, next string, b Browser) (token string, err error) {
	if !PasswordHash(c.User.PasswordHash).matches(current) {
		return "", chat.Invalid("current_password", "This is not your password.")
	}
	hash, err := HashPassword(next)
	if err != nil {
		return "", err
	}
	err = st.InTx(ctx, func(tx *store.Tx) (err error) {
		if _, err := stillKnown(tx, c.User, "current_password"); err != nil {
			return err
		}
		if err := SetPassword(tx, c.User.OrgID, c.User.ID, hash); err != nil {
			return err
		}
		token, err = OpenSession(tx, c.User, b)
		return err
	})
	return token, err
}

// stillKnown reads a user whose password, in the given field, was checked before the transaction. It refuses a user who has
// another password by now, or has left.
func stillKnown(tx *store.Tx, u chat.User, field string) (chat.User, error) {
	now, err := user(tx.Reader, u.OrgID, u.ID)
	if err == nil && (now.PasswordHash != u.PasswordHash || now.DisabledAt != nil) {
		err = chat.Invalid(field, "This is not your password.")
	}
	return now, err
}

// SetPassword gives a user another password, and ends everything that was opened with the old one.
func SetPassword(tx *store.Tx, orgID, userID string, hash PasswordHash) error {
	u, err := user(tx.Reader, orgID, userID)
	if err != nil {
		return err
	}
	u.PasswordHash, u.UpdatedAt = string(hash), tx.Now()
	return errors.Join(tx.UpdateUser(u), tx.DeleteUserLink(orgID, userID), tx.DeleteSessions(orgID, userID, ""),
		audit(tx, orgID, chat.AuditPassword, ofUser(u)))
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
