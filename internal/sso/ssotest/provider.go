// Package ssotest is an identity provider on a loopback address, as strict as real ones. Only tests may import it.
package ssotest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// What the server under test is known by.
const (
	ClientID     = "parley"
	ClientSecret = "not a secret"
)

// Provider signs in whoever Person is.
type Provider struct {
	URL string

	mu     sync.Mutex
	person map[string]any
	key    *rsa.PrivateKey
	codes  map[string]request
	// Spoil changes a token before it is signed.
	spoil func(claims map[string]any)
	// apart holds for a provider that tells of people beside the token.
	apart   bool
	subject string
}

// request is somebody who was sent here.
type request struct{ challenge, nonce, redirect string }

// Start begins to serve; the test ends it.
func Start(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, codes: map[string]request{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// SignsIn says who is sitting at the browser.
func (p *Provider) SignsIn(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = claims
}

// TellsApart has the provider tell who somebody is when it is asked, and no longer in the token. It speaks then of the
// one with that subject.
func (p *Provider) TellsApart(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apart, p.subject = true, subject
}

// Spoil has the next tokens changed before they are signed.
func (p *Provider) Spoil(spoil func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoil = spoil
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint":        p.URL + "/userinfo",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

// authorize signs in without asking, and sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = request{q.Get("code_challenge"), q.Get("nonce"), q.Get("redirect_uri")}
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

// token gives a token for a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	asked, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if unescaped, err := url.QueryUnescape(secret); err == nil {
		secret = unescaped
	}
	if id != ClientID || secret != ClientSecret || !known || asked.redirect != r.FormValue("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.challenge {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "sub": "1", "nonce": asked.nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	if !p.apart {
		maps.Copy(claims, p.person)
	}
	if p.spoil != nil {
		p.spoil(claims)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": p.sign(claims)})
}

// userinfo tells of the person, to whoever has a token.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") || !p.apart {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	said := maps.Clone(p.person)
	said["sub"] = p.subject
	answer(w, http.StatusOK, said)
}

// sign makes a JSON web token.
func (p *Provider) sign(claims map[string]any) string {
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // only for claims that a test made up
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]string{"alg": "RS256", "kid": "1", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	b64 := base64.RawURLEncoding.EncodeToString
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "n": b64(p.key.N.Bytes()), "e": b64(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}
