package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrNotModified is the result of a conditional read if nothing has changed; see IfNoneMatch.
var ErrNotModified = errors.New("client: not modified")

// Error is the API's refusal of a call. It may also come from something in between, such as a proxy; Type and
// Code are then empty.
type Error struct {
	Type    ErrorType
	Code    ErrorCode // never changes its meaning
	Message string    // for people; may change
	Param   string    // the offending field, as a dotted path; may be empty
	// RequestID identifies the request for support.
	RequestID  string
	HTTPStatus int
	// RetryAfter is how long the service asks to wait; zero if it does not say.
	RetryAfter time.Duration
}

// Error describes the failure on one line.
func (e *Error) Error() string {
	var details []string
	for _, detail := range []string{string(e.Code), e.Param, e.RequestID} {
		if detail != "" {
			details = append(details, detail)
		}
	}
	if len(details) == 0 {
		return e.Message
	}
	return e.Message + " (" + strings.Join(details, ", ") + ")"
}

// IsCode reports whether err is the API's refusal with the given code.
func IsCode(err error, code ErrorCode) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

type errorEnvelope struct {
	Error struct {
		Type      ErrorType `json:"type"`
		Code      ErrorCode `json:"code"`
		Message   string    `json:"message"`
		Param     string    `json:"param"`
		RequestID string    `json:"request_id"`
	} `json:"error"`
}

func newError(response *http.Response, text []byte) *Error {
	e := &Error{
		HTTPStatus: response.StatusCode, RequestID: response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(response.Header.Get("Retry-After")),
	}
	var envelope errorEnvelope
	if err := json.Unmarshal(text, &envelope); err == nil && envelope.Error.Code != "" {
		said := envelope.Error
		e.Type, e.Code, e.Message, e.Param = said.Type, said.Code, said.Message, said.Param
		if said.RequestID != "" {
			e.RequestID = said.RequestID
		}
		return e
	}
	e.Message = fmt.Sprintf("HTTP status %d, not from the API itself", response.StatusCode)
	if location := response.Header.Get("Location"); location != "" {
		e.Message += fmt.Sprintf(": it points to %q, is the base URL right?", location)
	}
	return e
}

// retryAfter reads both forms of the header: seconds and a date.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// ErrorType is the category of an error.
type ErrorType string

const (
	ErrorTypeInvalidRequest ErrorType = "invalid_request_error"
	ErrorTypeAuthentication ErrorType = "authentication_error"
	ErrorTypePermission     ErrorType = "permission_error"
	ErrorTypeNotFound       ErrorType = "not_found"
	ErrorTypeConflict       ErrorType = "conflict"
	ErrorTypeRateLimit      ErrorType = "rate_limit_error"
	ErrorTypeAPI            ErrorType = "api_error"
)

// ErrorCode says exactly what went wrong. New codes may be added.
type ErrorCode string

const (
	CodeInvalidPhoneNumber   ErrorCode = "invalid_phone_number"
	CodeInvalidTemplateName  ErrorCode = "invalid_template_name"
	CodeMissingRequiredField ErrorCode = "missing_required_field"
	CodeInvalidFieldValue    ErrorCode = "invalid_field_value"
	CodeInvalidLimit         ErrorCode = "invalid_limit"
	CodeInvalidCursor        ErrorCode = "invalid_cursor"
	CodeInvalidWebhookURL    ErrorCode = "invalid_webhook_url"
	CodeInvalidEventType     ErrorCode = "invalid_event_type"
	CodeInvalidJSON          ErrorCode = "invalid_json"

	CodeMissingAPIKey ErrorCode = "missing_api_key"
	CodeInvalidAPIKey ErrorCode = "invalid_api_key"
	CodeRevokedAPIKey ErrorCode = "revoked_api_key"
	CodeExpiredAPIKey ErrorCode = "expired_api_key"

	CodeSubscriptionInactive  ErrorCode = "subscription_inactive"
	CodeQuotaExceeded         ErrorCode = "quota_exceeded"
	CodeFeatureNotEntitled    ErrorCode = "feature_not_entitled"
	CodeFeatureNotAvailable   ErrorCode = "feature_not_available"
	CodeOrganizationSuspended ErrorCode = "organization_suspended"

	CodeResourceNotFound     ErrorCode = "resource_not_found"
	CodeMethodNotAllowed     ErrorCode = "method_not_allowed"
	CodePayloadTooLarge      ErrorCode = "payload_too_large"
	CodeUnsupportedMediaType ErrorCode = "unsupported_media_type"

	CodeIdempotencyInProgress       ErrorCode = "idempotency_in_progress"
	CodeWebhookSubscriptionDisabled ErrorCode = "webhook_subscription_disabled"
	CodeSetupLinkInactive           ErrorCode = "setup_link_inactive"
	CodeRegistrationInProgress      ErrorCode = "registration_in_progress"
	CodeTemplateAlreadyExists       ErrorCode = "template_already_exists"
	CodeContactAlreadyExists        ErrorCode = "contact_already_exists"
	CodeBroadcastState              ErrorCode = "broadcast_state_conflict"

	CodeIdempotencyKeyReuse    ErrorCode = "idempotency_key_reuse"
	CodeNumberNotVerified      ErrorCode = "whatsapp_number_not_verified"
	CodeRegistrationFailed     ErrorCode = "whatsapp_registration_failed"
	CodeCannotRevokeLastSecret ErrorCode = "cannot_revoke_last_secret"
	CodeMediaNotFound          ErrorCode = "media_not_found"
	CodeMarketingOptedOut      ErrorCode = "marketing_opted_out"
	CodeAccountRestricted      ErrorCode = "account_restricted"
	CodeConsentRequired        ErrorCode = "consent_required"
	CodeCustomerSuspended      ErrorCode = "customer_suspended"
	CodeUpstreamError          ErrorCode = "upstream_error"

	CodeRateLimitExceeded  ErrorCode = "rate_limit_exceeded"
	CodeInternalError      ErrorCode = "internal_error"
	CodeProviderFailure    ErrorCode = "whatsapp_upstream_error"
	CodeServiceUnavailable ErrorCode = "service_unavailable"
)
