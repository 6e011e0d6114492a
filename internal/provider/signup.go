package provider

import "context"

// Signup is how somebody gives us access to a number: in the browser, on the upstream's own pages,
// which send the browser back with a code.
type Signup interface {
	// SignupURL is the page to send the browser to, or an error where the app is not set up for it.
	SignupURL(redirectURI, state string) (string, error)
	// ExchangeCode turns a code into a token. redirectURI is the one that the page was given.
	ExchangeCode(ctx context.Context, code, redirectURI string) (token string, err error)
	// SharedNumbers are the numbers that a token gives access to, the one that was connected last
	// first, and the business account they belong to.
	SharedNumbers(ctx context.Context, token string) (wabaID string, numbers []PhoneNumber, err error)
	// Subscribe turns the callbacks of a business account on, Unsubscribe off.
	Subscribe(ctx context.Context, n Number) error
	Unsubscribe(ctx context.Context, n Number) error
	// SyncApp asks for what the phone app of a number knows; it comes as callbacks. Each can be
	// asked for once: asking again is no error.
	SyncApp(ctx context.Context, n Number, what AppData) error

	Register(ctx context.Context, n Number, pin string) error
	PhoneNumber(ctx context.Context, n Number) (PhoneNumber, error)
}

// AppData is what a phone app hands over.
type AppData string

const (
	AppContacts AppData = "smb_app_state_sync"
	AppHistory  AppData = "history"
)
