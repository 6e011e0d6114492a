package rest

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
)

// entry is the type and the status of a code.
type entry struct {
	status int
	kind   string
}

const (
	kindInvalid    = "invalid_request_error"
	kindAuth       = "authentication_error"
	kindPermission = "permission_error"
	kindNotFound   = "not_found"
	kindConflict   = "conflict"
	kindRateLimit  = "rate_limit_error"
	kindAPI        = "api_error"
)

// catalogue lists every error code of the contract once.
var catalogue = map[chat.Code]entry{
	chat.CodeInvalidPhoneNumber:   {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidTemplateName:  {http.StatusBadRequest, kindInvalid},
	chat.CodeMissingRequiredField: {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidFieldValue:    {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidLimit:         {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidCursor:        {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidWebhookURL:    {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidEventType:     {http.StatusBadRequest, kindInvalid},
	chat.CodeInvalidJSON:          {http.StatusBadRequest, kindInvalid},

	chat.CodeMissingAPIKey: {http.StatusUnauthorized, kindAuth},
	chat.CodeInvalidAPIKey: {http.StatusUnauthorized, kindAuth},
	chat.CodeRevokedAPIKey: {http.StatusUnauthorized, kindAuth},
	chat.CodeExpiredAPIKey: {http.StatusUnauthorized, kindAuth},

	chat.CodeNotSignedIn:        {http.StatusUnauthorized, kindAuth},
	chat.CodeInvalidCredentials: {http.StatusUnauthorized, kindAuth},
	chat.CodeSecondStepRequired: {http.StatusUnauthorized, kindAuth},
	chat.CodeInvalidSecondStep:  {http.StatusUnauthorized, kindAuth},
	chat.CodeSecondStepSetup:    {http.StatusForbidden, kindPermission},
	chat.CodeForbidden:          {http.StatusForbidden, kindPermission},
	chat.CodeLinkInactive:       {http.StatusNotFound, kindNotFound},

	chat.CodeSubscriptionInactive:  {http.StatusPaymentRequired, kindPermission},
	chat.CodeQuotaExceeded:         {http.StatusPaymentRequired, kindPermission},
	chat.CodeFeatureNotEntitled:    {http.StatusPaymentRequired, kindPermission},
	chat.CodeFeatureNotAvailable:   {http.StatusForbidden, kindPermission},
	chat.CodeOrganizationSuspended: {http.StatusForbidden, kindPermission},

	chat.CodeResourceNotFound:     {http.StatusNotFound, kindNotFound},
	chat.CodeMethodNotAllowed:     {http.StatusMethodNotAllowed, kindInvalid},
	chat.CodePayloadTooLarge:      {http.StatusRequestEntityTooLarge, kindInvalid},
	chat.CodeUnsupportedMediaType: {http.StatusUnsupportedMediaType, kindInvalid},

	chat.CodeIdempotencyInProgress:       {http.StatusConflict, kindConflict},
	chat.CodeWebhookSubscriptionDisabled: {http.StatusConflict, kindConflict},
	chat.CodeSetupLinkInactive:           {http.StatusConflict, kindConflict},
	chat.CodeRegistrationInProgress:      {http.StatusConflict, kindConflict},
	chat.CodeTemplateAlreadyExists:       {http.StatusConflict, kindConflict},
	chat.CodeContactAlreadyExists:        {http.StatusConflict, kindConflict},
	chat.CodeBroadcastState:              {http.StatusConflict, kindConflict},

	chat.CodeIdempotencyKeyReuse:    {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeNumberNotVerified:      {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeRegistrationFailed:     {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeCannotRevokeLastSecret: {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeMediaNotFound:          {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeMarketingOptedOut:      {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeAccountRestricted:      {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeConsentRequired:        {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeCustomerSuspended:      {http.StatusUnprocessableEntity, kindInvalid},
	chat.CodeUpstreamError:          {http.StatusUnprocessableEntity, kindInvalid},

	chat.CodeRateLimitExceeded:  {http.StatusTooManyRequests, kindRateLimit},
	chat.CodeInternalError:      {http.StatusInternalServerError, kindAPI},
	chat.CodeProviderFailure:    {http.StatusBadGateway, kindAPI},
	chat.CodeServiceUnavailable: {http.StatusServiceUnavailable, kindAPI},
}

// passesSoon reports whether a retry a second later may succeed; the answer then carries Retry-After.
func passesSoon(code chat.Code) bool {
	return code == chat.CodeServiceUnavailable || code == chat.CodeIdempotencyInProgress
}

type errorEnvelope struct {
	Error errorView `json:"error"`
}

type errorView struct {
	Type      string `json:"type"`
	Code      string `json:"code" doc:"What went wrong, for programs. New codes come with new failures: treat one that you do not know by its type and status."`
	Message   string `json:"message" doc:"What went wrong, for people. The text may change."`
	Param     string `json:"param,omitempty" doc:"The offending field, as a dotted path."`
	RequestID string `json:"request_id" doc:"Equal to the X-Request-Id header."`
}

// StatusOf returns the status and the error type of a code. ok is false for an unknown code.
func StatusOf(code chat.Code) (status int, kind string, ok bool) {
	e, ok := catalogue[code]
	return e.status, e.kind, ok
}

// Codes is the number of codes.
func Codes() int { return len(catalogue) }
