package control

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Message is a message as the controls show it.
type Message struct {
	ID            string          `json:"id"`
	Direction     string          `json:"direction"`
	PhoneNumberID string          `json:"phone_number_id"`
	Phone         string          `json:"phone,omitempty"`
	UserID        string          `json:"user_id,omitempty"`
	Type          string          `json:"type"`
	State         string          `json:"state"`
	Code          int             `json:"code,omitempty"`
	Opaque        string          `json:"biz_opaque_callback_data,omitempty"`
	Read          bool            `json:"read_receipt,omitempty"`
	Created       time.Time       `json:"created"`
	Changed       time.Time       `json:"changed"`
	Body          json.RawMessage `json:"body,omitempty"`
}

// Status is a status of a message, sent out of turn.
type Status struct {
	MessageID string `json:"message_id"`
	Opaque    string `json:"biz_opaque_callback_data"`
	Status    string `json:"status"`
	Code      int    `json:"code"`
	Copies    int    `json:"copies"`
	Timestamp int64  `json:"timestamp"`
}

func (s Status) check() error {
	return unless(s.Status != "", "status is missing: sent, delivered, read, played, failed")
}

// Callback is any change, sent as it is.
type Callback struct {
	Field         string          `json:"field"`
	Value         json.RawMessage `json:"value"`
	WABAID        string          `json:"waba_id"`
	PhoneNumberID string          `json:"phone_number_id"`
	Copies        int             `json:"copies"`
	ToApp         bool            `json:"to_app"`
}

func (c Callback) check() error {
	return unless(c.Field != "" && wire.IsSet(c.Value), "field and value are needed")
}

// Token makes a token fail, or good again.
type Token struct {
	Token   string `json:"token"`
	Subcode int    `json:"subcode"`
	Valid   bool   `json:"valid"`
}

func (t Token) check() error {
	return unless(t.Token != "" && (t.Subcode != 0 || t.Valid), "token is needed, and either valid or the subcode it fails with: 463 expired, 467 revoked")
}

// Window opens or closes the 24-hour window without a message.
type Window struct {
	PhoneNumberID string `json:"phone_number_id"`
	Person        string `json:"person"` // phone or user id
	Open          bool   `json:"open"`
}

// Preference makes a person stop or resume marketing messages.
type Preference struct {
	PhoneNumberID string `json:"phone_number_id"`
	Person        string `json:"person"`
	Value         string `json:"value"` // stop, resume
	Quiet         bool   `json:"quiet"` // no callback
}

func (p Preference) check() error {
	return unless(p.Value == "stop" || p.Value == "resume", "value must be stop or resume")
}

// AccountEvent is something that happens to an account.
type AccountEvent struct {
	WABAID        string                     `json:"waba_id"`
	PhoneNumberID string                     `json:"phone_number_id"`
	Event         string                     `json:"event"`
	Quiet         bool                       `json:"quiet"`
	Fields        map[string]json.RawMessage `json:"fields"` // ban_info, restriction_info, disconnection_info …
}

func (e AccountEvent) check() error {
	return unless(e.Event != "", "event is needed, such as PARTNER_REMOVED")
}

// Number changes a number.
type Number struct {
	Status     *string `json:"status"`
	Quality    *string `json:"quality"`
	Tier       *string `json:"tier"`
	Name       *string `json:"name"`
	NameStatus *string `json:"name_decision"`
	Verified   *bool   `json:"verified"`
	PIN        *string `json:"pin"`
	OnApp      *bool   `json:"on_business_app"`
}

// Template changes the state of a template out of turn.
type Template struct {
	Status   string `json:"status"`
	Event    string `json:"event"` // sent in the callback instead of the status
	Reason   string `json:"reason"`
	Quality  string `json:"quality"`
	Category string `json:"category"`
}

// Sync hands over contacts or history without a request of the app.
type Sync struct {
	PhoneNumberID string `json:"phone_number_id"`
	Type          string `json:"sync_type"`
}

func (s Sync) check() error {
	return unless(s.Type == "history" || s.Type == "smb_app_state_sync", "sync_type must be history or smb_app_state_sync")
}

// Identity gives a person another phone.
type Identity struct {
	PhoneNumberID string `json:"phone_number_id"`
	Person        string `json:"person"`
	NewPhone      string `json:"new_phone"`
}

// Tap makes a person press a button, or choose a row, of a message they received.
type Tap struct {
	PhoneNumberID string `json:"phone_number_id"`
	To            string `json:"to"`
	From          string `json:"from"`
	MessageID     string `json:"message_id"` // empty means their newest message that has the button
	Button        string `json:"button"`     // its title or id; empty means the first
}

func unless(holds bool, problem string) error {
	if holds {
		return nil
	}
	return errors.New(problem)
}
