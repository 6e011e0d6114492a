package app

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// knownBrowser is the sealed state of a browser in which a user has signed in. The user's wrong passwords are counted by
// themselves there, so that whoever guesses at the password elsewhere does not keep the user from signing in.
type knownBrowser struct {
	ID      string    `json:"id"`
	Email   string    `json:"email"`
	Secrets string    `json:"secrets"` // of the user, as secretsOf has them
	Until   time.Time `json:"until"`
}

const (
	knownContext = "a browser in which a user has signed in"
	knownCookie  = "-known"
	// knownFor is how long a browser is known after a sign-in.
	knownFor = 180 * 24 * time.Hour
)

// secretsOf changes with a user's password and second step. A browser is known by those with which somebody signed in
// there: whoever knows a password can collect known browsers, and has none left once a second step is on.
func secretsOf(r store.Reader, u chat.User) (string, error) {
	step, err := r.SecondStep(u.OrgID, u.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && step.ConfirmedAt == nil {
		step, err = chat.SecondStep{}, nil
	}
	return chat.HashToken(u.PasswordHash + " " + step.Sealed), err
}

// know makes the browser a known one of a user.
func (a *App) know(c *rest.Call, r store.Reader, u chat.User) error {
	secrets, err := secretsOf(r, u)
	if err != nil {
		return err
	}
	text, err := json.Marshal(knownBrowser{rand.Text(), chat.FoldEmail(u.Email), secrets, c.Now().Add(knownFor)})
	if err != nil {
		return err
	}
	cookie := a.cookie()
	cookie.Name += knownCookie
	cookie.Value, cookie.MaxAge = a.cfg.Vault.Seal(string(text), knownContext), int(knownFor/time.Second)
	http.SetCookie(c.W, cookie)
	return nil
}

// knowAgain keeps the browser known in which its user has changed the password or the second step.
func (a *App) knowAgain(c *rest.Call, r store.Reader) error {
	u, err := r.User(c.OrgID(), c.Caller.User.ID)
	if err != nil {
		return err
	}
	return a.know(c, r, u)
}

// known is the id of a browser that is known for a user; empty if it is not.
func (a *App) known(c *rest.Call, email string) string {
	cookie, err := c.R.Cookie(a.cookie().Name + knownCookie)
	if err != nil {
		return ""
	}
	text, err := a.cfg.Vault.Open(cookie.Value, knownContext)
	if err != nil {
		return "" // forged, or sealed with an earlier master key
	}
	var b knownBrowser
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Email != chat.FoldEmail(email) || c.Now().After(b.Until) {
		return ""
	}
	u, err := c.Read().UserByEmail(b.Email)
	if err != nil {
		return ""
	}
	if secrets, err := secretsOf(c.Read(), u); err != nil || b.Secrets != secrets {
		return ""
	}
	return b.ID
}

// keysOf are the buckets of an attempt to prove to be a user: those of the browser and of all known ones of the user if it
// is known, else those of its place and of the e-mail address, which strangers share.
func (a *App) keysOf(email, code string, c *rest.Call) map[string]float64 {
	id := a.known(c, email)
	if id == "" {
		return keysOf(email, code, c)
	}
	browser, browsers := "browser "+id, "browsers "+chat.FoldEmail(email)
	keys := map[string]float64{browser: triesHere, browsers: triesOfAddress}
	if code != "" {
		keys[codeKey+browser], keys[codeKey+browsers] = triesOfCode, triesOfKnown
	}
	return keys
}
