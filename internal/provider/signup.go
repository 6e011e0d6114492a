package provider

import "context"

// Signup is how somebody gives us access to a number: in the browser, on the upstream's own pages, which
// redirect back with a code.
type Signup interface {
	// SignupURL is the page for the browser, or an error if the app is not set up for it.
	SignupURL(redirectURI, state string) (string, error)
	// ExchangeCode turns a code into a token. redirectURI must be the one that the page was given.
	ExchangeCode(ctx context.Context, code, redirectURI string) (token string, err error)
	// SharedNumbers are the numbers that a token gives access to, last connected first, and their business
	// account.
	SharedNumbers(ctx context.Context, token string) (wabaID string, numbers []PhoneNumber, err error)
	// Subscribe turns the callbacks of a business account on; Unsubscribe turns them off.
	Subscribe(ctx context.Context, n Number) error
	Unsubscribe(ctx context.Context, n Number) error
	// SyncApp requests the data of a number's phone app, which arrives as callbacks. The upstream sends each
	// kind once; a second request is no error.
	SyncApp(ctx context.Context, n Number, what AppData) error

	Register(ctx context.Context, n Number, pin string) error
	PhoneNumber(ctx context.Context, n Number) (PhoneNumber, error)
}

// AppData is a kind of data that a phone app hands over.
type AppData string

const (
	AppContacts AppData = "smb_app_state_sync"
	AppHistory  AppData = "history"
)
