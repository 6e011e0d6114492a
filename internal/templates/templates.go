// Package templates is what is done with message templates at the provider: reading them, making and changing them,
// and finding the one that a message names. Its calls are between transactions, never in one; what a transaction does
// is in core.
package templates

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Service is what is done with templates at the provider. Its methods run transactions of their
// own, before and after the calls.
type Service struct {
	Store    *store.Store
	Provider provider.Client
	Token    func(chat.Account) (string, error)
	// Open opens a stored file, for the samples that are in the library.
	Open func(ctx context.Context, blobKey string) (io.ReadSeekCloser, error)
	// Fetch reads the samples that users name; it must not reach private networks.
	Fetch *http.Client
	// RefuseAfter is how long it takes to say that a sample's host has no public address. It is longer than
	// looking a name up, so that names of our network cannot be told from those that do not exist.
	RefuseAfter time.Duration

	first firstSyncs
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// callFailed is a provider's refusal of a call about templates as the caller sees it. given are the
// fields of the request that it can be about.
func callFailed(err error, given ...string) error {
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return err
	}
	class := e.Class()
	switch {
	case errors.Is(err, provider.ErrNoApp):
		return chat.Fail(chat.CodeServiceUnavailable, "This service cannot upload samples yet: its operator has to set --provider-app-id. The provider's own handles work.")
	case e.HTTPStatus == 0 || e.HTTPStatus >= 500 || e.Transient || class.Transient:
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	case class.TokenLost || class.Code == chat.FailPermissionRevoked || class.Code == chat.FailAccountRestricted:
		return chat.Fail(chat.CodeUpstreamError, "The provider does not let this number manage templates: %s", e.Message)
	}
	words := e.Message
	if e.Title != "" && e.Title != e.Message {
		words = e.Title + ": " + e.Message
	}
	return chat.Invalid(refusedField(e, given), "The provider refused: %s", words)
}

// namedField finds the field that the provider names in its words: "Param category must be …".
var namedField = regexp.MustCompile(`(?i)\bparam(?:eter)? '?([a-z_]+)`)

// refusedField is the field that a refusal is about: the one that the provider names, or else the first.
func refusedField(e *provider.Error, given []string) string {
	if named := namedField.FindStringSubmatch(e.Message); named != nil && slices.Contains(given, named[1]) {
		return named[1]
	}
	if e.AboutTemplateName() && slices.Contains(given, "name") {
		return "name"
	}
	return given[0]
}
