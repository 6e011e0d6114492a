package app

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

// knownBrowser is the sealed state of a browser in which a user has signed in. The user's wrong passwords are counted by
// themselves there, so that whoever guesses at the password elsewhere does not keep the user from signing in.
type knownBrowser struct {
	ID    string    `json:"id"`
	Email string    `json:"email"`
	Until time.Time `json:"until"`
}

const (
	knownContext = "a browser in which a user has signed in"
	knownCookie  = "-known"
	// knownFor is how long a browser is known after a sign-in.
	knownFor = 180 * 24 * time.Hour
)

// know makes the browser a known one of a user.
func (a *App) know(c *rest.Call, email string) error {
	text, err := json.Marshal(knownBrowser{rand.Text(), chat.FoldEmail(email), c.Now().Add(knownFor)})
	if err != nil {
		return err
	}
	cookie := a.cookie()
	cookie.Name += knownCookie
	cookie.Value, cookie.MaxAge = a.cfg.Vault.Seal(string(text), knownContext), int(knownFor/time.Second)
	http.SetCookie(c.W, cookie)
	return nil
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
	return b.ID
}

// keysOf are the buckets of an attempt to prove to be a user: those of the browser if it is known, else those of its
// place and of the e-mail address, which strangers share.
func (a *App) keysOf(email, code string, c *rest.Call) map[string]float64 {
	id := a.known(c, email)
	if id == "" {
		return keysOf(email, code, c)
	}
	keys := map[string]float64{"browser " + id: triesHere}
	if code != "" {
		keys[codeKey+"browser "+id] = triesOfCode
	}
	return keys
}
