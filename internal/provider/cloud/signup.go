package cloud

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

// App is the upstream's app to which numbers are connected.
type App struct {
	ID     string
	Secret string
	// ConfigID is the login configuration of the signup pages. If it is empty, the permissions are requested by
	// name.
	ConfigID string
	// DialogURL is the page where a signup begins. If it is empty, the upstream's own is used.
	DialogURL string
}

var _ provider.Signup = (*Client)(nil)

var errNoApp = errors.New("no app is set up: give its id and secret")

// signupExtras lets people keep using their number in the phone app.
const signupExtras = `{"setup":{},"featureType":"whatsapp_business_app_onboarding","sessionInfoVersion":"3","version":"v4"}`

var neededScopes = []string{"whatsapp_business_management", "whatsapp_business_messaging"}

// SignupURL is the address of the dialog for the browser.
func (c *Client) SignupURL(redirectURI, state string) (string, error) {
	if c.app.ID == "" || c.app.Secret == "" {
		return "", errNoApp
	}
	query := url.Values{
		"client_id": {c.app.ID}, "redirect_uri": {redirectURI}, "state": {state}, "response_type": {"code"},
		"override_default_response_type": {"true"}, "extras": {signupExtras},
	}
	if c.app.ConfigID != "" {
		query.Set("config_id", c.app.ConfigID)
	} else {
		query.Set("scope", strings.Join(neededScopes, ","))
	}
	return c.DialogURL() + "?" + query.Encode(), nil
}

// DialogURL is the page where a signup begins: beside the API, or, for the real network, on its host for
// browsers.
func (c *Client) DialogURL() string {
	if c.app.DialogURL != "" {
		return c.app.DialogURL
	}
	dialog := *c.base
	if dialog.Host == "graph.facebook.com" {
		dialog.Host = "www.facebook.com"
	}
	return strings.TrimRight(dialog.String(), "/") + "/dialog/oauth"
}

// ExchangeCode posts the code, so that neither the code nor the app's secret appears in an address.
func (c *Client) ExchangeCode(ctx context.Context, code, redirectURI string) (string, error) {
	form := url.Values{"client_id": {c.app.ID}, "client_secret": {c.app.Secret}, "code": {code}, "redirect_uri": {redirectURI}}
	req, err := http.NewRequest(http.MethodPost, c.prefix+"oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", unsendable(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := c.call(ctx, "", req)
	if err != nil {
		return "", err
	}
	token := answer.text("access_token")
	if token == "" {
		return "", unusable("The network gave no token for the code")
	}
	return token, nil
}

func unusable(message string) *provider.Error {
	return &provider.Error{HTTPStatus: http.StatusOK, Message: message}
}

// SharedNumbers asks for the scope of the token. There is no other source of the ids, because the redirect
// carries only a code.
func (c *Client) SharedNumbers(ctx context.Context, token string) (string, []provider.PhoneNumber, error) {
	accounts, err := c.sharedAccounts(ctx, token)
	if err != nil {
		return "", nil, err
	}
	for _, waba := range accounts {
		numbers, err := c.numbersOf(ctx, token, waba)
		if err != nil || len(numbers) > 0 {
			return waba, numbers, err
		}
	}
	return "", nil, nil
}

// sharedAccounts are the business accounts of the token, newest first.
func (c *Client) sharedAccounts(ctx context.Context, token string) ([]string, error) {
	answer, err := c.get(ctx, c.app.ID+"|"+c.app.Secret, "debug_token?input_token="+url.QueryEscape(token))
	if err != nil {
		return nil, err
	}
	data := answer.get("data")
	switch {
	case !data.flag("is_valid"):
		return nil, unusable("The network does not know the token that it gave")
	case data.text("app_id") != c.app.ID:
		return nil, unusable("The token belongs to another app")
	}
	var accounts []string
	for scope := range data.elements("granular_scopes") {
		if !slices.Contains(neededScopes, scope.text("scope")) {
			continue
		}
		for id := range scope.elements("target_ids") {
			if text := id.str(); text != "" && !slices.Contains(accounts, text) {
				accounts = append(accounts, text)
			}
		}
	}
	return accounts, nil
}

// numbersOf are the numbers of a business account, the last connected first.
func (c *Client) numbersOf(ctx context.Context, token, waba string) ([]provider.PhoneNumber, error) {
	answer, err := c.get(ctx, token, url.PathEscape(waba)+"/phone_numbers?limit=100&fields="+phoneNumberFields+",last_onboarded_time")
	if err != nil {
		return nil, err
	}
	type dated struct {
		provider.PhoneNumber
		onboarded time.Time
	}
	var found []dated
	for n := range answer.elements("data") {
		at, _ := time.Parse("2006-01-02T15:04:05-0700", n.text("last_onboarded_time")) // without it: in the order given
		found = append(found, dated{phoneNumber(n), at})
	}
	slices.SortStableFunc(found, func(a, b dated) int { return b.onboarded.Compare(a.onboarded) })
	numbers := make([]provider.PhoneNumber, len(found))
	for i, n := range found {
		numbers[i] = n.PhoneNumber
	}
	return numbers, nil
}

// Subscribe turns on the callbacks of the number's business account.
func (c *Client) Subscribe(ctx context.Context, n provider.Number) error {
	return c.command(ctx, n.Token, url.PathEscape(n.WABAID)+"/subscribed_apps", []byte("{}"))
}

// Unsubscribe turns the callbacks off, for all numbers of the business account.
func (c *Client) Unsubscribe(ctx context.Context, n provider.Number) error {
	req, err := http.NewRequest(http.MethodDelete, c.prefix+url.PathEscape(n.WABAID)+"/subscribed_apps", http.NoBody)
	if err != nil {
		return unsendable(err)
	}
	_, err = c.call(ctx, n.Token, req)
	return err
}

// codeSyncedBefore is the error of a repeated request for the same data.
const codeSyncedBefore = 2593107

// SyncApp requests the contacts or the history of a number that is also used in the phone app.
func (c *Client) SyncApp(ctx context.Context, n provider.Number, what provider.AppData) error {
	body := appendMember([]byte(`{"messaging_product":"whatsapp"`), "sync_type", string(what))
	_, err := c.post(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+"/smb_app_data", append(body, '}'))
	if refused, ok := errors.AsType[*provider.Error](err); ok && refused.Code == codeSyncedBefore {
		return nil
	}
	return err
}
