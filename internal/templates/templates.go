// Package templates works with message templates at the provider: it reads, creates and changes them, and finds the
// template that a message names. It calls the provider between transactions, never inside one; the transactions
// themselves are in core.
package templates

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Service works with templates at the provider. Its methods run their own transactions, before and after the calls.
type Service struct {
	Store    *store.Store
	Provider provider.Client
	Token    func(chat.Account) (string, error)
	// Open opens a stored file, for samples from the library.
	Open func(ctx context.Context, blobKey string) (io.ReadSeekCloser, error)
	// Fetch downloads the samples that users name. It must not reach private networks.
	Fetch *http.Client
	// RefuseAfter is how long a refusal takes because a sample's host has no public address. It is longer than a name
	// lookup, so that names of our network cannot be told from names that do not exist.
	RefuseAfter time.Duration

	first firstSyncs
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// refused is callFailed for a call with an account's token. If that is no longer good, the account is marked, as a send
// would do.
func (s *Service) refused(ctx context.Context, account chat.Account, err error, given ...string) error {
	_, failed := core.NoteLostToken(ctx, s.Store, account, err)
	return errors.Join(callFailed(err, given...), failed)
}

// callFailed turns the provider's refusal of a template call into the caller's error. given are the fields of the
// request to which the refusal can refer.
func callFailed(err error, given ...string) error {
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return err
	}
	class := e.Class()
	switch {
	case errors.Is(err, provider.ErrNoApp):
		return chat.Fail(chat.CodeServiceUnavailable, "This service cannot upload samples yet: its operator has to set --provider-app-id. The provider's own handles work.")
	case e.Throttled || class.Throttled:
		return chat.Fail(chat.CodeProviderFailure, "The provider takes no more requests for now: %s. Try again later; its limits are counted by the hour.", strings.TrimSuffix(e.Message, "."))
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

// namedField finds the field that the provider's message names: "Param category must be …".
var namedField = regexp.MustCompile(`(?i)\bparam(?:eter)? '?([a-z_]+)`)

// refusedField is the field to which a refusal refers: the one that the provider names, or else the first.
func refusedField(e *provider.Error, given []string) string {
	if named := namedField.FindStringSubmatch(e.Message); named != nil && slices.Contains(given, named[1]) {
		return named[1]
	}
	if e.AboutTemplateName() && slices.Contains(given, "name") {
		return "name"
	}
	return given[0]
}
