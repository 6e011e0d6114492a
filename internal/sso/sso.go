// Package sso signs people in at an identity provider, by OpenID Connect: the code flow with PKCE, a state and a
// nonce. It knows nothing of users; it tells which address somebody has proved to own there.
package sso

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Config is what the provider and this server know of each other.
type Config struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	// RedirectURL is the page that people come back to.
	RedirectURL string
}

// timeout is how long a call of the provider may take.
const timeout = 15 * time.Second

// askAgain is for how long a provider that failed is not asked again what it offers.
const askAgain = 2 * time.Second

// AttemptLife is how long somebody may take to sign in there.
const AttemptLife = 10 * time.Minute

// Provider is an identity provider.
type Provider struct {
	cfg    Config
	client *http.Client

	mu      sync.Mutex
	found   *oidc.Provider
	failure error     // of the last question what it offers
	asked   time.Time // when that was answered
}

// New makes a provider. What it offers is asked when somebody first needs it: it may be down when this server starts.
func New(cfg Config) *Provider {
	return &Provider{cfg: cfg, client: &http.Client{Timeout: timeout}}
}

// Attempt is what is known of somebody on the way there and back. It is a secret of that browser and this server.
type Attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Ends     time.Time `json:"ends"`
}

// Identity is who has signed in there.
type Identity struct {
	Email string
	Name  string
}

// Errors that are the person's, or the provider's. Others are about calls that failed.
var (
	// ErrAttempt means that it did not begin here, or too long ago.
	ErrAttempt = errors.New("this sign-in did not begin in this browser, or took too long")
	// ErrUnverified means that the provider does not vouch for the address.
	ErrUnverified = errors.New("the identity provider does not say that the e-mail address is the person's")
)

// discover asks the provider what it offers, until it has said so. Everybody who comes meanwhile waits for the same
// answer: they are strangers, and each would otherwise wait for the questions of all before.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil || p.failure != nil && time.Since(p.asked) < askAgain {
		return p.found, p.failure
	}
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	if err != nil {
		p.failure, p.asked = fmt.Errorf("ask the identity provider what it offers: %w", err), time.Now()
		return nil, p.failure
	}
	p.found, p.failure = found, nil
	return p.found, nil
}

func (p *Provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, RedirectURL: p.cfg.RedirectURL,
		Endpoint: found.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// Begin returns where to send a browser, and what to remember of it until it comes back.
func (p *Provider) Begin(ctx context.Context, now time.Time) (address string, a Attempt, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", Attempt{}, err
	}
	a = Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Ends: now.Add(AttemptLife)}
	return p.oauth(found).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// Finish takes the code that a browser came back with, and tells who it is.
func (p *Provider) Finish(ctx context.Context, a Attempt, state, code string, now time.Time) (Identity, error) {
	if a.State == "" || subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) != 1 || !now.Before(a.Ends) {
		return Identity{}, ErrAttempt
	}
	found, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth(found).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("exchange the code: %w", err)
	}
	text, _ := token.Extra("id_token").(string)
	verified, err := found.Verifier(&oidc.Config{ClientID: p.cfg.ClientID}).Verify(ctx, text)
	if err != nil {
		return Identity{}, fmt.Errorf("check the identity provider's word: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(a.Nonce)) != 1 {
		return Identity{}, ErrAttempt
	}
	said, err := claimsOf(verified)
	if err == nil && said.Email == "" {
		said, err = p.ask(ctx, found, token, verified.Subject)
	}
	if err != nil {
		return Identity{}, err
	}
	if said.Email == "" || !said.Verified {
		return Identity{}, ErrUnverified
	}
	return Identity{Email: said.Email, Name: said.Name}, nil
}

// claims are what the provider says of somebody. Some write "true" where others write true.
type claims struct {
	Email    string  `json:"email"`
	Verified boolean `json:"email_verified"`
	Name     string  `json:"name"`
}

type boolean bool

// UnmarshalJSON takes anything but true for false.
func (b *boolean) UnmarshalJSON(text []byte) error {
	*b = string(text) == `true` || string(text) == `"true"`
	return nil
}

func claimsOf(token interface{ Claims(any) error }) (said claims, err error) {
	if err := token.Claims(&said); err != nil {
		return claims{}, fmt.Errorf("read the identity provider's word: %w", err)
	}
	return said, nil
}

// ask gets what the token did not say. The standard lets a provider keep the address out of a token when it also gives
// access to an endpoint that tells it, and several do.
func (p *Provider) ask(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string) (claims, error) {
	if found.UserInfoEndpoint() == "" {
		return claims{}, nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return claims{}, fmt.Errorf("ask the identity provider who it is: %w", err)
	}
	if info.Subject != subject { // another person's access
		return claims{}, ErrUnverified
	}
	return claimsOf(info)
}
