package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// Pace is how fast this node sends the messages of a number.
type Pace struct {
	PerSecond  float64       // the limit when nothing slows the number down
	Now        float64       // the current limit
	PausedFor  time.Duration // until sending goes on
	LastMinute int           // attempts in the last 60 seconds
}

func registerNumbers(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/numbers", ID: "listNumbers", Tag: "Numbers", Role: chat.RoleAgent,
		Summary: "List the business numbers that the user may see", Description: "Newest first, in every status.",
	}, listNumbers)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number", ID: "getNumber", Tag: "Numbers", Role: chat.RoleAgent,
		Summary: "Get a business number", Description: "As the provider last said it is.",
	}, getNumber)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number/history", ID: "getNumberHistory", Tag: "Numbers", Role: chat.RoleAgent,
		Summary:     "See how a number was",
		Description: "Its status, quality and messaging limit from each change on, newest first: the last 500 changes.",
	}, getNumberHistory)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number/pace", ID: "getNumberPace", Tag: "Numbers", Role: chat.RoleAgent,
		Summary:     "See how fast a number sends now",
		Description: "As the node that answers paces it; `sending` is null where that node sends nothing. Counts stop at 10,000.",
	}, a.getNumberPace)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/{phone_number_id}/number", ID: "updateNumber", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary: "Change a number's settings", Description: "Messages that are queued are held to them too.",
	}, updateNumber)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/number/refresh", ID: "refreshNumber", Tag: "Numbers", Role: chat.RoleAdmin, Keyless: true,
		Summary: "Ask the provider how a number is", Description: "What it says is stored, and is part of the history.",
		Errors: []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.refreshNumber)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number/holdings", ID: "getNumberHoldings", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary: "Count what goes when a number is disconnected", Description: "Counts stop at 10,000.",
	}, getNumberHoldings)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/number", ID: "disconnectNumber", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary:     "Disconnect a number",
		Description: "It is gone at once for every operation. Callbacks of the provider are ended, and all that belongs to the number is deleted for good.",
	}, disconnectNumber)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/number_links", ID: "createNumberLink", Tag: "Numbers", Role: chat.RoleAdmin, Status: http.StatusCreated, Secret: true,
		Summary:     "Begin to connect a number of the organization's own",
		Description: "Under `setup_url` one number is connected, or one that is there is taken up again with a new token. It works once, for a day.",
	}, a.createNumberLink)
}

type numberView struct {
	PhoneNumberID   *string                         `json:"phone_number_id"`
	PhoneNumber     *string                         `json:"phone_number"`
	Name            *string                         `json:"name"`
	Status          chat.AccountStatus              `json:"status"`
	StatusReason    *string                         `json:"status_reason" doc:"Why it is not connected; null while it is, or when nobody knows."`
	ProviderStatus  *string                         `json:"provider_status" doc:"The provider's own word."`
	Quality         *string                         `json:"quality" doc:"GREEN, YELLOW, RED or UNKNOWN."`
	MessagingLimit  *string                         `json:"messaging_limit" doc:"TIER_…, in the provider's words."`
	DailyLimit      *int64                          `json:"daily_limit" doc:"How many people it may write to in 24 hours; null where that is not known, or there is no limit."`
	Restriction     *string                         `json:"restriction" doc:"Which sends the provider forbids now: all, business (those that open a conversation) or customer (answers)."`
	RestrictedUntil *rest.Instant                   `json:"restricted_until" nullable:"true" doc:"When that changes: another restriction may be left then. Null: when it is lifted."`
	RequireOptIn    bool                            `json:"require_opt_in" doc:"People must have agreed before they are sent marketing."`
	WABAID          string                          `json:"waba_id" doc:"The provider's business account that it is of."`
	TeamID          string                          `json:"team_id"`
	Customer        rest.OrNull[numberCustomerView] `json:"customer" doc:"Null for the organization's own."`
	CreatedAt       rest.Instant                    `json:"created_at"`
	UpdatedAt       rest.Instant                    `json:"updated_at"`
}

type numberCustomerView struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

func viewNumber(a chat.Account, now time.Time) numberView {
	restriction, until := a.RestrictionAt(now)
	view := numberView{
		PhoneNumberID: a.PhoneNumberID, PhoneNumber: a.PhoneNumber, Name: a.Name, Status: a.Status, StatusReason: a.Reason(), ProviderStatus: a.ProviderStatus,
		Quality: a.Quality, MessagingLimit: a.MessagingLimit, DailyLimit: core.DailyLimit(a), Restriction: (*string)(restriction),
		RestrictedUntil: rest.InstantPtr(until), RequireOptIn: a.RequireOptIn, WABAID: a.WABAID, TeamID: a.TeamID,
		CreatedAt: rest.Instant(a.CreatedAt), UpdatedAt: rest.Instant(a.UpdatedAt),
	}
	if a.CustomerID != nil && a.CustomerName != nil && a.CustomerStatus != nil {
		view.Customer.Value = &numberCustomerView{*a.CustomerID, *a.CustomerName, string(*a.CustomerStatus)}
	}
	return view
}

type listNumbersInput struct {
	Q        string      `query:"q" minLength:"1" maxLength:"200" doc:"Parts of the name, the phone number or the phone_number_id, in whatever case; every word must be there."`
	TeamID   rest.TeamID `query:"team_id" doc:"Only numbers of this team."`
	Troubled string      `query:"troubled" enum:"true,false" doc:"true: only those that cannot send as they should."`
}

func listNumbers(c *rest.Call, in *listNumbersInput, p store.Page) (store.Slice[numberView], error) {
	filter := store.AccountFilter{Search: in.Q, TeamID: string(in.TeamID)}
	if in.Troubled == "true" {
		filter.TroubledAt = new(c.Now())
	}
	numbers, err := core.ListNumbers(c.Read(), *c.Caller.User, filter, p)
	return rest.ViewEach(numbers, func(a chat.Account) numberView { return viewNumber(a, c.Now()) }), err
}

type numberInput struct{ rest.AccountPath }

func getNumber(c *rest.Call, _ *numberInput) (numberView, error) {
	return viewNumber(c.Account, c.Now()), nil
}

type numberHistoryView struct {
	States []numberStateView `json:"states"`
}

type numberStateView struct {
	At             rest.Instant `json:"at" doc:"From when on."`
	Status         string       `json:"status"`
	ProviderStatus *string      `json:"provider_status"`
	Quality        *string      `json:"quality"`
	MessagingLimit *string      `json:"messaging_limit"`
	Restriction    *string      `json:"restriction"`
}

func getNumberHistory(c *rest.Call, _ *numberInput) (numberHistoryView, error) {
	states, err := c.Read().AccountHistory(c.OrgID(), c.Account.ID)
	view := numberHistoryView{States: []numberStateView{}}
	for _, s := range states {
		view.States = append(view.States, numberStateView{rest.Instant(s.At), string(s.Status), s.ProviderStatus, s.Quality, s.MessagingLimit, (*string)(s.Restriction)})
	}
	return view, err
}

type paceView struct {
	Waiting int                          `json:"waiting" doc:"Messages that wait to be sent."`
	Sending rest.OrNull[paceSendingView] `json:"sending"`
}

type paceSendingView struct {
	PerSecond     float64 `json:"per_second" doc:"The most that this node sends in a second."`
	PerSecondNow  float64 `json:"per_second_now" doc:"Less where the provider has said that it was too fast; it recovers."`
	PausedSeconds int64   `json:"paused_seconds" doc:"How long it still rests; 0: it goes on."`
	LastMinute    int     `json:"last_minute" doc:"Messages handed to the provider in the last 60 seconds."`
}

func (a *App) getNumberPace(c *rest.Call, _ *numberInput) (view paceView, err error) {
	if view.Waiting, err = c.Read().QueuedMessages(c.Account); err != nil || a.cfg.Pace == nil {
		return view, err
	}
	p := a.cfg.Pace(c.Account.ID)
	view.Sending.Value = &paceSendingView{p.PerSecond, p.Now, int64((p.PausedFor + time.Second - 1) / time.Second), p.LastMinute}
	return view, nil
}

type updateNumberBody struct {
	RequireOptIn *bool `json:"require_opt_in,omitempty"`
}

func updateNumber(tx *store.Tx, c *rest.Call, in *rest.NumberSent[updateNumberBody]) (numberView, error) {
	account, err := core.SetRequireOptIn(tx, c.OrgID(), c.Account.ID, *in.Body.RequireOptIn) // the only field, and the rule requires one
	return viewNumber(account, c.Now()), err
}

func (a *App) refreshNumber(c *rest.Call, _ *numberInput) (numberView, error) {
	account, err := a.cfg.Numbers.Refresh(c.Ctx, c.Account)
	return viewNumber(account, c.Now()), err
}

type holdingsView struct {
	Queued              int `json:"queued" doc:"Messages that wait to be sent."`
	Conversations       int `json:"conversations"`
	Contacts            int `json:"contacts"`
	Files               int `json:"files"`
	RunningBroadcasts   int `json:"running_broadcasts" doc:"Also those that are paused."`
	ScheduledBroadcasts int `json:"scheduled_broadcasts"`
	Templates           int `json:"templates" doc:"Those of the business account, where this is its last number."`
}

func getNumberHoldings(c *rest.Call, _ *numberInput) (holdingsView, error) {
	h, err := c.Read().AccountHoldings(c.Account)
	return holdingsView(h), err
}

type numberGoneView struct {
	PhoneNumberID string `json:"phone_number_id"`
	Disconnected  bool   `json:"disconnected"`
}

func disconnectNumber(tx *store.Tx, c *rest.Call, in *numberInput) (numberGoneView, error) {
	_, err := core.DisconnectAccount(tx, c.OrgID(), in.PhoneNumberID)
	return numberGoneView{in.PhoneNumberID, true}, err
}

type createNumberLinkBody struct {
	TeamID rest.TeamID `json:"team_id,omitempty" doc:"Whose number it is to be. Needed where there are several teams."`
}

type numberLinkView struct {
	SetupURL  string       `json:"setup_url" format:"uri"`
	ExpiresAt rest.Instant `json:"expires_at"`
}

// numberLinkHours is the life of such a link, which the user follows at once.
const numberLinkHours = 24

func (a *App) createNumberLink(tx *store.Tx, c *rest.Call, in *rest.Sent[createNumberLinkBody]) (numberLinkView, error) {
	back := a.cfg.PublicURL + "/numbers"
	wanted := chat.NewSetupLink{ExpiresInHours: numberLinkHours, SuccessRedirectURL: &back, FailureRedirectURL: &back}
	if _, err := wanted.Link(tx.Now()); err != nil { // without TLS on another machine, the hosted page itself shows the result
		wanted.SuccessRedirectURL, wanted.FailureRedirectURL = nil, nil
	}
	link, token, err := core.CreateOwnSetupLink(tx, c.OrgID(), string(in.Body.TeamID), wanted)
	return numberLinkView{a.cfg.PublicURL + core.OnboardPath + token, rest.Instant(link.ExpiresAt)}, err
}
