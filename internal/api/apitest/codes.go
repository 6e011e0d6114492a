package apitest

import "net/http"

// Code is the status and the type of an error code.
type Code struct {
	Status int
	Type   string
}

// Codes is the contract's table of errors. It is written down apart from the program, so that a mistake in
// either shows.
var Codes = codes(map[int]map[string][]string{
	http.StatusBadRequest: {"invalid_request_error": {
		"invalid_phone_number", "invalid_template_name", "missing_required_field", "invalid_field_value",
		"invalid_limit", "invalid_cursor", "invalid_webhook_url", "invalid_event_type", "invalid_json",
	}},
	http.StatusUnauthorized: {"authentication_error": {
		"missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key",
	}},
	http.StatusPaymentRequired: {"permission_error": {
		"subscription_inactive", "quota_exceeded", "feature_not_entitled",
	}},
	http.StatusForbidden:             {"permission_error": {"feature_not_available", "organization_suspended"}},
	http.StatusNotFound:              {"not_found": {"resource_not_found"}},
	http.StatusMethodNotAllowed:      {"invalid_request_error": {"method_not_allowed"}},
	http.StatusRequestEntityTooLarge: {"invalid_request_error": {"payload_too_large"}},
	http.StatusUnsupportedMediaType:  {"invalid_request_error": {"unsupported_media_type"}},
	http.StatusConflict: {"conflict": {
		"idempotency_in_progress", "webhook_subscription_disabled", "setup_link_inactive",
		"registration_in_progress", "template_already_exists", "contact_already_exists", "broadcast_state_conflict",
	}},
	http.StatusUnprocessableEntity: {"invalid_request_error": {
		"idempotency_key_reuse", "whatsapp_number_not_verified", "whatsapp_registration_failed",
		"cannot_revoke_last_secret", "media_not_found", "marketing_opted_out", "account_restricted",
		"consent_required", "customer_suspended", "upstream_error",
	}},
	http.StatusTooManyRequests:     {"rate_limit_error": {"rate_limit_exceeded"}},
	http.StatusInternalServerError: {"api_error": {"internal_error"}},
	http.StatusBadGateway:          {"api_error": {"whatsapp_upstream_error"}},
	http.StatusServiceUnavailable:  {"api_error": {"service_unavailable"}},
})

// dashboardCodes are the codes that only the dashboard's surface has.
var dashboardCodes = codes(map[int]map[string][]string{
	http.StatusUnauthorized: {"authentication_error": {"not_signed_in", "invalid_credentials", "second_step_required", "invalid_second_step"}},
	http.StatusForbidden:    {"permission_error": {"second_step_setup_required", "forbidden"}},
	http.StatusNotFound:     {"not_found": {"link_inactive"}},
})

func codeOf(name string) Code {
	if code, ok := Codes[name]; ok {
		return code
	}
	return dashboardCodes[name]
}

func codes(table map[int]map[string][]string) map[string]Code {
	all := map[string]Code{}
	for status, kinds := range table {
		for kind, names := range kinds {
			for _, name := range names {
				all[name] = Code{status, kind}
			}
		}
	}
	return all
}
