package chat

import (
	"errors"
	"fmt"
)

// Code names a failure for programs. A published code never changes its meaning.
type Code string

// The codes of the HTTP contract. The API's catalogue gives each its type and status.
const (
	CodeInvalidPhoneNumber   Code = "invalid_phone_number"
	CodeInvalidTemplateName  Code = "invalid_template_name"
	CodeMissingRequiredField Code = "missing_required_field"
	CodeInvalidFieldValue    Code = "invalid_field_value"
	CodeInvalidLimit         Code = "invalid_limit"
	CodeInvalidCursor        Code = "invalid_cursor"
	CodeInvalidWebhookURL    Code = "invalid_webhook_url"
	CodeInvalidEventType     Code = "invalid_event_type"
	CodeInvalidJSON          Code = "invalid_json"

	CodeMissingAPIKey Code = "missing_api_key"
	CodeInvalidAPIKey Code = "invalid_api_key"
	CodeRevokedAPIKey Code = "revoked_api_key"
	CodeExpiredAPIKey Code = "expired_api_key"

	CodeSubscriptionInactive  Code = "subscription_inactive"
	CodeQuotaExceeded         Code = "quota_exceeded"
	CodeFeatureNotEntitled    Code = "feature_not_entitled"
	CodeFeatureNotAvailable   Code = "feature_not_available"
	CodeOrganizationSuspended Code = "organization_suspended"

	CodeResourceNotFound     Code = "resource_not_found"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodePayloadTooLarge      Code = "payload_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"

	CodeIdempotencyInProgress       Code = "idempotency_in_progress"
	CodeIdempotencyKeyReuse         Code = "idempotency_key_reuse"
	CodeWebhookSubscriptionDisabled Code = "webhook_subscription_disabled"
	CodeSetupLinkInactive           Code = "setup_link_inactive"
	CodeRegistrationInProgress      Code = "registration_in_progress"
	CodeTemplateAlreadyExists       Code = "template_already_exists"
	CodeContactAlreadyExists        Code = "contact_already_exists"
	CodeBroadcastState              Code = "broadcast_state_conflict"

	CodeNumberNotVerified      Code = "whatsapp_number_not_verified"
	CodeRegistrationFailed     Code = "whatsapp_registration_failed"
	CodeCannotRevokeLastSecret Code = "cannot_revoke_last_secret"
	CodeMediaNotFound          Code = "media_not_found"
	CodeMarketingOptedOut      Code = "marketing_opted_out"
	CodeAccountRestricted      Code = "account_restricted"
	CodeConsentRequired        Code = "consent_required"
	CodeCustomerSuspended      Code = "customer_suspended"
	CodeUpstreamError          Code = "upstream_error"

	CodeRateLimitExceeded  Code = "rate_limit_exceeded"
	CodeInternalError      Code = "internal_error"
	CodeProviderFailure    Code = "whatsapp_upstream_error"
	CodeServiceUnavailable Code = "service_unavailable"
)

// Error is a failure that the caller can act on: Code for programs, Message for people,
// Param the dotted path of the offending field when there is one.
type Error struct {
	Code    Code
	Param   string
	Message string
}

func (e *Error) Error() string {
	if e.Param == "" {
		return e.Message
	}
	return e.Param + ": " + e.Message
}

// Fail makes an Error that concerns the request as a whole.
func Fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Missing makes the error for a required field that is absent.
func Missing(param string) *Error {
	return &Error{Code: CodeMissingRequiredField, Param: param, Message: requiredMessage}
}

const requiredMessage = "This field is required."

// Invalid makes the error for a field whose value breaks a rule.
func Invalid(param, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidFieldValue, Param: param, Message: fmt.Sprintf(format, args...)}
}

// NotFound makes the error for something that is missing. A thing of another organization gets the same error,
// so that nobody learns that it exists.
func NotFound(noun string) *Error {
	return Fail(CodeResourceNotFound, "No such %s.", noun)
}

// CodeOf returns the code of the first Error in err's chain, and whether there is one.
func CodeOf(err error) (Code, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code, true
	}
	return "", false
}

// indexed is the path of an item of an array.
func indexed(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
