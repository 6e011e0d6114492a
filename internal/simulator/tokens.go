package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// token identifies the caller.
type token struct {
	raw   string
	grant *grant // set for a token from a signup; nil for any other token, which may see everything
}

// grant is the access that a signup gave. It is inside the signed token, so that the business and its number exist
// again after a restart of the simulator.
type grant struct {
	Business string        `json:"b"`
	WABA     string        `json:"w"`
	Numbers  []grantNumber `json:"n,omitempty"`
	Serial   uint64        `json:"s"`
	Issued   int64         `json:"t"`
}

type grantNumber struct {
	ID    string `json:"i"`
	Phone string `json:"p"`
	Name  string `json:"v,omitempty"`
	OnApp bool   `json:"c,omitempty"`
}

func (g *grant) covers(waba string) bool { return g.WABA == waba }

func (g *grant) recall(id string, spec *NumberSpec) bool {
	i := slices.IndexFunc(g.Numbers, func(n grantNumber) bool { return n.ID == id })
	if i < 0 {
		return false
	}
	n := g.Numbers[i]
	spec.WABAID, spec.BusinessID, spec.Phone, spec.Name, spec.OnBusinessApp = g.WABA, g.Business, n.Phone, n.Name, n.OnApp
	return true
}

const grantPrefix = "EAASIM"

func (s *Simulator) sealGrant(g grant) string {
	body, err := json.Marshal(g)
	if err != nil {
		return ""
	}
	return grantPrefix + base64.RawURLEncoding.EncodeToString(append(body, s.grantSum(body)...))
}

func (s *Simulator) openGrant(raw string) *grant {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(raw, grantPrefix))
	if err != nil || len(b) <= grantSumSize {
		return nil
	}
	body, sum := b[:len(b)-grantSumSize], b[len(b)-grantSumSize:]
	var g grant
	if !hmac.Equal(sum, s.grantSum(body)) || json.Unmarshal(body, &g) != nil {
		return nil
	}
	return &g
}

const grantSumSize = 12

func (s *Simulator) grantSum(body []byte) []byte {
	mac := hmac.New(sha256.New, []byte("simulated token "+s.cfg.AppID+s.cfg.AppSecret))
	mac.Write(body)
	return mac.Sum(nil)[:grantSumSize]
}

// tokens holds what is known about tokens beyond their form.
type tokens struct {
	mu      sync.RWMutex
	allowed map[string]bool // valid plain tokens in strict mode
	refused map[string]int  // subcodes of tokens that expired or were revoked
}

func newTokens() *tokens { return &tokens{allowed: map[string]bool{}, refused: map[string]int{}} }

func (t *tokens) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.allowed, t.refused = map[string]bool{}, map[string]int{}
}

// addToken makes a plain token valid in strict mode.
func (s *Simulator) addToken(raw string) {
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	s.tokens.allowed[raw] = true
}

// revokeToken makes a token fail with code 190 and the subcode: 463 expired, 467 revoked. Subcode 0 makes it valid
// again.
func (s *Simulator) revokeToken(raw string, subcode int) {
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	if subcode == 0 {
		delete(s.tokens.refused, raw)
		return
	}
	s.tokens.refused[raw] = subcode
}

// magicTokens fail in every call, so that a client can be tested without any set-up.
var magicTokens = []struct {
	prefix  string
	subcode int
}{{"expired", 463}, {"revoked", 467}, {"malformed", 0}}

// authenticate finds the caller. It accepts the header in both spellings, and the query parameter.
func (s *Simulator) authenticate(r *http.Request) (token, *wire.Error) {
	raw := bearer(r)
	if raw == "" {
		return token{}, &wire.Error{Status: http.StatusUnauthorized, Code: 104, Message: "An access token is required to request this resource."}
	}
	return s.checkToken(raw)
}

func (s *Simulator) checkToken(raw string) (token, *wire.Error) {
	for _, m := range magicTokens {
		if strings.HasPrefix(raw, m.prefix) {
			return token{}, wire.BadToken(m.subcode)
		}
	}
	s.tokens.mu.RLock()
	subcode, refused := s.tokens.refused[raw]
	allowed := s.tokens.allowed[raw]
	s.tokens.mu.RUnlock()
	switch {
	case refused:
		return token{}, wire.BadToken(subcode)
	case strings.HasPrefix(raw, grantPrefix):
		g := s.openGrant(raw)
		if g == nil {
			return token{}, wire.BadToken(0)
		}
		return token{raw: raw, grant: g}, nil
	case raw == s.cfg.AppID+"|"+s.cfg.AppSecret:
		return token{raw: raw}, nil
	case s.cfg.Strict && !allowed:
		return token{}, wire.BadToken(0)
	}
	return token{raw: raw}, nil
}

func bearer(r *http.Request) string {
	h := r.Header.Get("Authorization")
	scheme, raw, _ := strings.Cut(h, " ")
	if raw != "" && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "OAuth")) {
		return strings.TrimSpace(raw)
	}
	if r.URL.RawQuery != "" {
		return r.URL.Query().Get("access_token")
	}
	return ""
}

// maySee tells whether the token has access to an account.
func (t token) maySee(w *waba) bool {
	return (t.grant == nil || t.grant.covers(w.id)) && !strings.HasPrefix(t.raw, "noaccess")
}
