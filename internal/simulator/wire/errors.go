// Package wire has the upstream's wire format: its errors, the way it reads parameters, and its JSON, which is that of
// PHP.
package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Error is a refusal in the upstream's terms.
type Error struct {
	Status    int
	Code      int
	Subcode   int
	Kind      string // the envelope's type; empty means OAuthException
	Message   string // empty means "(#code) title"
	Details   string
	UserTitle string
	UserText  string
	Transient *bool
}

func (e *Error) Text() string {
	if e.Message != "" {
		return e.Message
	}
	return fmt.Sprintf("(#%d) %s", e.Code, TitleOf(e.Code))
}

type errorFact struct {
	status int
	title  string
}

// errorFacts are the labels and HTTP statuses of the upstream's codes.
var errorFacts = map[int]errorFact{
	0:       {401, "AuthException"},
	1:       {400, "API Unknown"},
	2:       {503, "API Service"},
	3:       {500, "API Method"},
	4:       {400, "API Too Many Calls"},
	10:      {403, "API Permission Denied"},
	17:      {400, "User request limit reached"},
	32:      {403, "Page request limit reached"},
	33:      {400, "Parameter value is not valid"},
	100:     {400, "Invalid parameter"},
	102:     {401, "API Session"},
	104:     {401, "Access token required"},
	190:     {401, "Access token has expired"},
	200:     {403, "API Permission"},
	341:     {400, "Application limit reached"},
	368:     {403, "Temporarily blocked for policies violations"},
	506:     {400, "Duplicate Post"},
	613:     {400, "Calls to this API have exceeded the rate limit"},
	2500:    {400, "An active access token must be used"},
	80007:   {400, "Rate limit issues"},
	80008:   {400, "Too many calls to this WhatsApp Business account"},
	130429:  {400, "Rate limit hit"},
	130472:  {400, "User's number is part of an experiment"},
	130497:  {403, "Business account is restricted from messaging users in this country."},
	131000:  {500, "Something went wrong"},
	131005:  {403, "Access denied"},
	131008:  {400, "Required parameter is missing"},
	131009:  {400, "Parameter value is not valid"},
	131016:  {500, "Service unavailable"},
	131021:  {400, "Recipient cannot be sender"},
	131026:  {400, "Message undeliverable"},
	131030:  {400, "Recipient phone number not in allowed list"},
	131031:  {403, "Business Account locked"},
	131037:  {400, "WhatsApp provided number needs display name approval before message can be sent."},
	131042:  {400, "Business eligibility payment issue"},
	131044:  {400, "Business eligibility payment issue"},
	131045:  {500, "Incorrect certificate"},
	131047:  {400, "Re-engagement message"},
	131048:  {400, "Spam rate limit hit"},
	131049:  {400, "This message was not delivered to maintain healthy ecosystem engagement."},
	131050:  {400, "Recipient has stopped marketing messages from this business"},
	131051:  {400, "Unsupported message type"},
	131052:  {400, "Media download error"},
	131053:  {400, "Media upload error"},
	131055:  {400, "Method not allowed"},
	131056:  {400, "(Business Account, Consumer Account) pair rate limit hit"},
	131057:  {500, "Account in maintenance mode"},
	131059:  {400, "Invalid cursor"},
	131060:  {400, "This message is currently unavailable"},
	131062:  {400, "Business-scoped user ID recipients are not supported for this message"},
	131063:  {400, "Marketing templates are disabled on this API"},
	131064:  {400, "Messaging limit reached"},
	132000:  {400, "Number of parameters does not match the expected number of params"},
	132001:  {404, "Template name does not exist in the translation"},
	132005:  {400, "Translated text too long"},
	132007:  {400, "Template Format Character Policy Violated"},
	132008:  {400, "Parameter value is not valid"},
	132012:  {400, "Parameter format does not match format in the created template"},
	132015:  {400, "Template is Paused"},
	132016:  {400, "Template is Disabled"},
	132018:  {400, "There is an issue with the parameters in your template"},
	132068:  {400, "Flow is in blocked state"},
	132069:  {400, "Flow is in throttled state"},
	133000:  {500, "Incomplete deregistration"},
	133004:  {503, "Server Temporarily Unavailable"},
	133005:  {400, "Two step verification PIN Mismatch"},
	133006:  {400, "Phone number re-verification needed"},
	133008:  {400, "Too Many two step verification PIN Guesses"},
	133009:  {400, "Two step verification PIN Guessed Too Fast"},
	133010:  {400, "Phone number Not Registered"},
	133015:  {400, "Please wait a few minutes before attempting to register this phone number"},
	133016:  {400, "Account register/deregister rate limit exceeded"},
	134011:  {400, "Terms of service not accepted"},
	134101:  {400, "Template is still syncing"},
	134102:  {500, "Template is unavailable"},
	135000:  {400, "Generic user error"},
	136025:  {400, "Verify code error"},
	137000:  {400, "Recipient identity key hash mismatch"},
	139100:  {400, "Failed to block/unblock users"},
	139101:  {400, "Blocklist limit reached"},
	139102:  {400, "Blocklist concurrent update"},
	139103:  {500, "Internal error"},
	2388019: {400, "Message template limit exceeded"},
	2494100: {400, "Account in maintenance mode"},
	2593107: {400, "Synchronization request limit exceeded"},
	2593108: {400, "Synchronization request outside the allowed time"},
	2593109: {400, "History sharing is turned off by the business"},
}

func TitleOf(code int) string {
	if f, ok := errorFacts[code]; ok {
		return f.title
	}
	if code > 200 && code < 300 {
		return errorFacts[200].title
	}
	return "Unknown error"
}

func statusOf(code int) int {
	if f, ok := errorFacts[code]; ok {
		return f.status
	}
	if code > 200 && code < 300 {
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

// Refuse is the error of a code, with its own title and status.
func Refuse(code int, details string, args ...any) *Error {
	if len(args) > 0 {
		details = fmt.Sprintf(details, args...)
	}
	e := &Error{Status: statusOf(code), Code: code, Details: details}
	if isTransient(code) {
		yes := true
		e.Transient = &yes
	}
	return e
}

// isTransient lists the codes whose bodies say that they are transient. The upstream marks only some of them.
func isTransient(code int) bool {
	switch code {
	case 1, 2, 4, 131016, 131057, 133004:
		return true
	}
	return false
}

// BadParam is code 100. The whole text is in the message, as the upstream does it.
func BadParam(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: 100, Message: "(#100) " + fmt.Sprintf(format, args...)}
}

// OneOf refuses a value that is not one of those allowed.
func OneOf(param string, allowed []string, got string) *Error {
	if slices.Contains(allowed, got) {
		return nil
	}
	return BadParam("Param %s must be one of {%s} - got %q.", param, strings.Join(allowed, ", "), got)
}

// Missing is code 131008 for a parameter that a message type needs.
func Missing(param, messageType string) *Error {
	return Refuse(131008, "Parameter '%s' is mandatory for type '%s'", param, messageType)
}

func Invalid(format string, args ...any) *Error {
	return Refuse(131009, fmt.Sprintf(format, args...))
}

// UnknownObject is the answer for ids that do not exist or that the token may not see.
func UnknownObject(method, id string) *Error {
	verb := "get"
	switch method {
	case http.MethodPost:
		verb = "post"
	case http.MethodDelete:
		verb = "delete"
	}
	return &Error{
		Status: http.StatusBadRequest, Code: 100, Subcode: 33, Kind: "GraphMethodException",
		Message: fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to missing permissions, or does not support this operation", verb, id),
	}
}

// BadToken is code 190. The subcode tells why; no subcode means malformed.
func BadToken(subcode int) *Error {
	why := map[int]string{
		458: "The user has not authorized the application.",
		460: "The session has been invalidated because the user changed their password.",
		463: "Session has expired. The current time is past the expiry.",
		467: "The access token has been invalidated.",
	}[subcode]
	e := &Error{Status: http.StatusUnauthorized, Code: 190, Subcode: subcode, Message: "Invalid OAuth access token - Cannot parse access token"}
	if subcode != 0 {
		if why == "" {
			why = "The session is invalid."
		}
		e.Message = "Error validating access token: " + why
	}
	return e
}
