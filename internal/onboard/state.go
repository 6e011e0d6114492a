package onboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

// stateLife is how long somebody may take on the provider's pages. Verifying a number takes a while.
const stateLife = time.Hour

var (
	errForged  = errors.New("the state was not signed here")
	errExpired = errors.New("the state is too old")
)

// signer makes the states that go to the provider and come back. A state names the link, the browser and the
// time.
type signer struct{ key []byte }

// state is the content of a signed state.
type state struct {
	orgID   string
	linkID  string
	issued  time.Time
	browser string // the hash of the browser's nonce
}

func (s signer) sign(link chat.SetupLink, nonce string, now time.Time) string {
	body := strings.Join([]string{link.OrgID, link.ID, strconv.FormatInt(now.UnixMilli(), 36), browserOf(nonce)}, ".")
	return body + "." + s.sum(body)
}

func (s signer) sum(body string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open verifies a state. With errExpired the returned state is valid apart from its age.
func (s signer) open(text string, now time.Time) (state, error) {
	at := strings.LastIndexByte(text, '.')
	if at < 0 || !hmac.Equal([]byte(text[at+1:]), []byte(s.sum(text[:at]))) {
		return state{}, errForged
	}
	parts := strings.Split(text[:at], ".")
	if len(parts) != 4 {
		return state{}, errForged
	}
	ms, err := strconv.ParseInt(parts[2], 36, 64)
	if err != nil {
		return state{}, errForged
	}
	st := state{orgID: parts[0], linkID: parts[1], issued: time.UnixMilli(ms), browser: parts[3]}
	if now.Sub(st.issued) >= stateLife {
		return st, errExpired
	}
	return st, nil
}

// browserOf hashes a browser's nonce, so that it may be shown and stored.
func browserOf(nonce string) string {
	sum := sha256.Sum256([]byte("browser " + nonce))
	return hex.EncodeToString(sum[:16])
}

// cookie binds a signup to the browser that began it. It also holds the link's token, for the way back.
type cookie struct{ nonce, token string }

const nonceLength = 26 // the length of rand.Text

func newCookie(token string) cookie { return cookie{nonce: rand.Text(), token: token} }

// cookieName differs by link, so that a browser can follow several links at once.
func cookieName(linkID string) string { return "signup_" + linkID }

func (c cookie) header(linkID string, secure bool) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(linkID), Value: c.nonce + "." + c.token, Path: core.OnboardPath, MaxAge: int(stateLife / time.Second),
		HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteLaxMode, // it must be sent when the provider redirects the browser back
	}
}

// cookie reads the browser's cookie for a link; it is empty if there is none of ours.
func (v *visit) cookie(linkID string) cookie {
	c, err := v.r.Cookie(cookieName(linkID))
	if err != nil {
		return cookie{}
	}
	nonce, token, ok := strings.Cut(c.Value, ".")
	if !ok || len(nonce) != nonceLength || !chat.WellFormedLinkToken(token) {
		return cookie{}
	}
	return cookie{nonce, token}
}
