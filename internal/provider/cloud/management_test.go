package cloud

import (
	"reflect"
	"testing"

	"github.com/parleyhq/parley/internal/provider"
)

func TestAccountUpdates(t *testing.T) {
	tests := []struct {
		name, field, value string
		want               provider.AccountUpdate
	}{
		{
			"partner removed", "account_update", `{"event":"PARTNER_REMOVED","waba_info":{"waba_id":777,"owner_business_id":"666"},"disconnection_info":{"reason":"PRIMARY_INACTIVITY","initiated_by":"SYSTEM"}}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "777"}, Event: "PARTNER_REMOVED"},
		},
		{
			"one number removed", "account_update", `{"phone_number":"4930555000","event":"PARTNER_REMOVED"}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: "PARTNER_REMOVED", Phone: "+4930555000"},
		},
		{
			"ban", "account_update", `{"event":"DISABLED_UPDATE","ban_info":{"waba_ban_state":"SCHEDULE_FOR_DISABLE","waba_ban_date":"April 17, 2026"}}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: "DISABLED_UPDATE", BanState: "SCHEDULE_FOR_DISABLE"},
		},
		{
			"restrictions", "account_update", `{"event":"ACCOUNT_RESTRICTION","restriction_info":[{"restriction_type":"RESTRICTED_BIZ_INITIATED_MESSAGING","expiration":1767225600},
				{"restriction_type":"A","expiration":"1767225600"},{"restriction_type":"B","expiration":"2026-01-01T00:00:00+0000"},{"restriction_type":"C"},{"expiration":1},"bad"]}`,
			provider.AccountUpdate{
				Origin: provider.Origin{WABAID: "555"}, Event: "ACCOUNT_RESTRICTION",
				Restrictions: []provider.Restriction{{Type: "RESTRICTED_BIZ_INITIATED_MESSAGING", Until: newYear}, {Type: "A", Until: newYear}, {Type: "B", Until: newYear}, {Type: "C"}},
			},
		},
		{
			"one restriction", "account_update", `{"event":"ACCOUNT_RESTRICTION","restriction_info":{"restriction_type":"A","expiration":1767225600}}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: "ACCOUNT_RESTRICTION", Restrictions: []provider.Restriction{{Type: "A", Until: newYear}}},
		},
		{
			"violation", "account_update", `{"event":"ACCOUNT_VIOLATION","violation_info":{"violation_type":"SPAM"}}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: "ACCOUNT_VIOLATION"},
		},
		{
			"app installed", "account_update", `{"event":"PARTNER_APP_INSTALLED","waba_info":{"waba_id":"777","owner_business_id":"666","partner_app_id":"888"}}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "777"}, Event: "PARTNER_APP_INSTALLED"},
		},
		{
			"review", "account_review_update", `{"decision":"APPROVED"}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: provider.EventAccountReview},
		},
		{
			"capability as a number", "business_capability_update", `{"max_daily_conversations_per_business":2000,"max_phone_numbers_per_business":2}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: provider.EventCapability, MessagingLimit: "2000"},
		},
		{
			"capability as a word", "business_capability_update", `{"max_daily_conversations_per_business":"TIER_UNLIMITED"}`,
			provider.AccountUpdate{Origin: provider.Origin{WABAID: "555"}, Event: provider.EventCapability, MessagingLimit: "TIER_UNLIMITED"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := decodeOne[provider.AccountUpdate](t, test.field, test.value); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestNumberUpdates(t *testing.T) {
	of := provider.Origin{WABAID: "555", DisplayPhoneNumber: "4930555000"}
	tests := []struct {
		name, field, value string
		want               provider.NumberUpdate
	}{
		{
			"quality", "phone_number_quality_update", `{"display_phone_number":"4930555000","event":"THROUGHPUT_UPGRADE","old_limit":"TIER_2K","current_limit":"TIER_10K"}`,
			provider.NumberUpdate{Origin: of, Phone: "+4930555000", Event: "THROUGHPUT_UPGRADE", Limit: "TIER_10K"},
		},
		{
			"quality, newer", "phone_number_quality_update", `{"display_phone_number":4930555000,"event":"ONBOARDING","max_daily_conversations_per_business":"TIER_UNLIMITED"}`,
			provider.NumberUpdate{Origin: of, Phone: "+4930555000", Event: "ONBOARDING", Limit: "TIER_UNLIMITED"},
		},
		{
			"name", "phone_number_name_update", `{"display_phone_number":"4930555000","decision":"REJECTED","requested_verified_name":"Shop","rejection_reason":"NAME_NOT_CONSISTENT"}`,
			provider.NumberUpdate{Origin: of, Phone: "+4930555000", Event: provider.EventNameUpdate, Name: "Shop", NameDecision: "REJECTED"},
		},
		{
			"name without a reason", "phone_number_name_update", `{"display_phone_number":"4930555000","decision":"APPROVED","requested_verified_name":"Shop","rejection_reason":null}`,
			provider.NumberUpdate{Origin: of, Phone: "+4930555000", Event: provider.EventNameUpdate, Name: "Shop", NameDecision: "APPROVED"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := decodeOne[provider.NumberUpdate](t, test.field, test.value); got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestTemplateUpdates(t *testing.T) {
	const template = `"message_template_id":800100200,"message_template_name":"promo_x","message_template_language":"en-US"`
	tests := []struct {
		name, field, value string
		want               provider.TemplateUpdate
	}{
		{
			"rejected", "message_template_status_update", `{"event":"REJECTED","reason":"INVALID_FORMAT","message_template_category":"MARKETING","rejection_info":{"reason":"Bad.","recommendation":"Better."}}`,
			provider.TemplateUpdate{Aspect: provider.TemplateStatus, Event: "REJECTED", Reason: "INVALID_FORMAT", Category: "MARKETING", Description: "Bad. Better."},
		},
		{
			"approved", "message_template_status_update", `{"event":"APPROVED","reason":null}`,
			provider.TemplateUpdate{Aspect: provider.TemplateStatus, Event: "APPROVED"},
		},
		{
			"paused", "message_template_status_update", `{"event":"PAUSED","disable_info":{"disable_date":"1767225600"},"other_info":{"title":"FIRST_PAUSE","description":"Low quality"}}`,
			provider.TemplateUpdate{Aspect: provider.TemplateStatus, Event: "PAUSED", Description: "Low quality"},
		},
		{
			"quality", "message_template_quality_update", `{"previous_quality_score":"GREEN","new_quality_score":"YELLOW"}`,
			provider.TemplateUpdate{Aspect: provider.TemplateQuality, Quality: "YELLOW"},
		},
		{
			"quality under another field", "message_template_status_update", `{"previous_quality_score":"GREEN","new_quality_score":"RED"}`,
			provider.TemplateUpdate{Aspect: provider.TemplateQuality, Quality: "RED"},
		},
		{
			"category to come", "template_category_update", `{"new_category":"UTILITY","correct_category":"MARKETING","category_update_timestamp":1767225600}`,
			provider.TemplateUpdate{Aspect: provider.TemplateCategory, Category: "UTILITY", NextCategory: "MARKETING", NextCategoryAt: newYear},
		},
		{
			"category changed", "template_category_update", `{"previous_category":"UTILITY","new_category":"MARKETING"}`,
			provider.TemplateUpdate{Aspect: provider.TemplateCategory, Category: "MARKETING"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.want.Origin = provider.Origin{WABAID: "555"}
			test.want.ID, test.want.Name, test.want.Language = "800100200", "promo_x", "en_US"
			got := decodeOne[provider.TemplateUpdate](t, test.field, `{`+template+`,`+test.value[1:])
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestTemplateComponents(t *testing.T) {
	u := decodeOne[provider.TemplateUpdate](t, "message_template_components_update", `{"message_template_id":"800100200","message_template_name":"n","message_template_language":"de","message_template_title":"h","message_template_element":"body",
		"message_template_buttons":[{"message_template_button_type":"URL","message_template_button_url":"https://x.test/"}]}`)
	if u.Aspect != provider.TemplateComponents || u.ID != "800100200" || u.Name != "n" || u.Language != "de" {
		t.Errorf("got %+v", u)
	}
}
