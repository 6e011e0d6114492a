package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// otherTeam makes a label of a second team: ${other_label}.
func otherTeam(t *testing.T, c *apitest.Case) {
	secondTeam(t, c)
	c.Make(t, "other_label", "/v1/labels", `{"name":"Other","team_id":"${second}"}`)
}

func TestLabelContact(t *testing.T) {
	given := all(hasContact(`{"phone_number":"+4915112345678"}`), hasLabel(`{"name":"VIP"}`))
	attach := func(contact, body string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: contacts + "/" + contact + "/labels", Body: body}
	}
	vip := attach("${contact}", `{"label_id":"${label}"}`)
	labelled := func(t *testing.T, c *apitest.Case) {
		given(t, c)
		c.Call(t, vip).RequireStatus(t, http.StatusOK)
	}
	const attached = `{"data":{"contact_id":"${contact}","label_id":"${label}","attached":true},"request_id":"<req>"}`
	event := contactEvent("contact.updated", `phone_number="+4915112345678"`, "labels")
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "attach", Given: given, Request: vip, Status: http.StatusOK, Want: attached,
			Change: apitest.Changes{"contact_labels": "+1"}, Events: []string{event}},
		{Name: "attach again", Given: labelled, Request: vip, Status: http.StatusOK, Want: attached},
		{Name: "shown", Given: labelled, Request: apitest.Request{Path: contacts + "/${contact}"}, Status: http.StatusOK,
			Want: contactWith("phone_number=\"+4915112345678\"\n" + `labels=[{"id":"${label}","name":"VIP","color":"gray"}]`)},
		{Name: "shown after a change", Given: labelled, Request: apitest.Request{Method: http.MethodPatch, Path: contacts + "/${contact}", Body: `{"name":"Ada"}`}, Status: http.StatusOK,
			Want:   contactWith("phone_number=\"+4915112345678\"\nname=\"Ada\"\n" + `labels=[{"id":"${label}","name":"VIP","color":"gray"}]`),
			Change: apitest.Changes{"contacts": "~1", "events": "+1"}},
		{Name: "no label", Given: given, Request: attach("${contact}", `{}`), Code: "missing_required_field", Param: "label_id"},
		{Name: "malformed label", Given: given, Request: attach("${contact}", `{"label_id":"VIP"}`), Code: "invalid_field_value", Param: "label_id"},
		{Name: "unknown label", Given: given, Request: attach("${contact}", `{"label_id":"`+noLabel+`"}`), Code: "resource_not_found"},
		{Name: "foreign label", Given: all(given, foreign), Request: attach("${contact}", `{"label_id":"${foreign_label}"}`), Code: "resource_not_found"},
		{Name: "another team's label", Given: all(given, otherTeam), Request: attach("${contact}", `{"label_id":"${other_label}"}`), Code: "invalid_field_value", Param: "label_id"},
		{Name: "unknown contact", Given: given, Request: attach(noContact, `{"label_id":"${label}"}`), Code: "resource_not_found"},
		{Name: "another number's contact", Given: all(given, siblingContact), Request: attach("${sibling_contact}", `{"label_id":"${label}"}`), Code: "resource_not_found"},
		{Name: "foreign contact", Given: all(given, foreignContact), Request: attach("${foreign_contact}", `{"label_id":"${label}"}`), Code: "resource_not_found"},
		{Name: "the same request again", Given: all(given, func(t *testing.T, c *apitest.Case) { c.Call(t, withKey(vip, "k")).RequireStatus(t, http.StatusOK) }),
			Request: withKey(vip, "k"), Status: http.StatusOK, Want: attached, Header: map[string]string{"Idempotent-Replayed": "true"}},
	})
}

func TestUnlabelContact(t *testing.T) {
	given := all(hasContact(`{"phone_number":"+4915112345678"}`), hasLabel(`{"name":"VIP"}`))
	labelled := all(given, func(t *testing.T, c *apitest.Case) {
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/${contact}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
	})
	detach := func(contact, label string) apitest.Request {
		return apitest.Request{Method: http.MethodDelete, Path: contacts + "/" + contact + "/labels/" + label}
	}
	const detached = `{"data":{"contact_id":"${contact}","label_id":"${label}","attached":false},"request_id":"<req>"}`
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "detach", Given: labelled, Request: detach("${contact}", "${label}"), Status: http.StatusOK, Want: detached,
			Change: apitest.Changes{"contact_labels": "-1"}, Events: []string{contactEvent("contact.updated", `phone_number="+4915112345678"`, "labels")}},
		{Name: "not attached", Given: given, Request: detach("${contact}", "${label}"), Status: http.StatusOK, Want: detached},
		{Name: "another team's", Given: all(labelled, otherTeam), Request: detach("${contact}", "${other_label}"), Status: http.StatusOK},
		{Name: "unknown label", Given: labelled, Request: detach("${contact}", noLabel), Code: "resource_not_found"},
		{Name: "malformed label", Given: labelled, Request: detach("${contact}", "VIP"), Code: "invalid_field_value", Param: "label_id"},
		{Name: "unknown contact", Given: labelled, Request: detach(noContact, "${label}"), Code: "resource_not_found"},
		{Name: "malformed contact", Given: labelled, Request: detach("x", "${label}"), Code: "invalid_field_value", Param: "id"},
	})
}

func TestDeletedLabelsAreDetached(t *testing.T) {
	given := func(t *testing.T, c *apitest.Case) {
		hasContact(`{"phone_number":"+4915112345678"}`)(t, c)
		conversationWith(t, c, "contact")
		hasLabel(`{"name":"VIP"}`)(t, c)
		fillConversation(t, c, "contact")
		label := c.Get("label")
		hasLabel(`{"name":"Other"}`)(t, c)
		fillConversation(t, c, "contact")
		c.Set("label", label)
	}
	apitest.RunEach(t, []apitest.Scenario{{
		Name: "one of two", Given: given, Request: apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/${label}"}, Status: http.StatusOK,
		Change: apitest.Changes{"labels": "-1", "contact_labels": "-1", "conversation_labels": "-1"},
	}})
}

func TestBulkLabel(t *testing.T) {
	// ${contact} and ${second_contact} of the number, the first of them labelled.
	given := func(t *testing.T, c *apitest.Case) {
		hasContact(`{"phone_number":"+4915112345678"}`)(t, c)
		c.Make(t, "second_contact", contacts, `{"phone_number":"+4915112345679"}`)
		hasLabel(`{"name":"VIP"}`)(t, c)
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/${contact}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
		siblingContact(t, c)
		foreignContact(t, c)
	}
	bulk := func(operation, label string, ids ...string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: contacts + "/bulk_label",
			Body: `{"contact_ids":["` + strings.Join(ids, `","`) + `"],"label_id":"` + label + `","operation":"` + operation + `"}`}
	}
	result := func(operation, label string, applied, already, crossOrg, mismatch int) string {
		return fmt.Sprintf(`{"data":{"object":"bulk_label_result","operation":%q,"label_id":%q,"applied":%d,"already":%d,"skipped_cross_org":%d,"skipped_team_mismatch":%d},"request_id":"<req>"}`,
			operation, label, applied, already, crossOrg, mismatch)
	}
	body := func(text string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: contacts + "/bulk_label", Body: text}
	}
	everyone := []string{"${contact}", "${second_contact}", "${sibling_contact}", "${foreign_contact}", noContact, "${second_contact}"}
	thousand := slices.Repeat([]string{noContact}, 1000)
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "attach", Given: given, Request: bulk("attach", "${label}", everyone...), Status: http.StatusOK, Want: result("attach", "${label}", 1, 1, 3, 0),
			Change: apitest.Changes{"contact_labels": "+1"}, Events: []string{contactEvent("contact.updated", "id=\"${second_contact}\"\nphone_number=\"+4915112345679\"", "labels")}},
		{Name: "detach", Given: given, Request: bulk("detach", "${label}", everyone...), Status: http.StatusOK, Want: result("detach", "${label}", 1, 1, 3, 0),
			Change: apitest.Changes{"contact_labels": "-1"}, Events: []string{contactEvent("contact.updated", "id=\"${contact}\"\nphone_number=\"+4915112345678\"", "labels")}},
		{Name: "nothing to do", Given: given, Request: bulk("attach", "${label}", "${contact}", "${contact}"), Status: http.StatusOK, Want: result("attach", "${label}", 0, 1, 0, 0)},
		{Name: "another team's label", Given: all(given, otherTeam), Request: bulk("attach", "${other_label}", everyone...), Status: http.StatusOK, Want: result("attach", "${other_label}", 0, 0, 3, 2)},
		{Name: "detach another team's label", Given: all(given, otherTeam), Request: bulk("detach", "${other_label}", everyone...), Status: http.StatusOK, Want: result("detach", "${other_label}", 0, 0, 3, 2)},
		{Name: "a thousand times the same", Given: given, Request: bulk("attach", "${label}", thousand...), Status: http.StatusOK, Want: result("attach", "${label}", 0, 0, 1, 0)},
		{Name: "a thousand and one", Given: given, Request: bulk("attach", "${label}", append(thousand, noContact)...), Code: "invalid_field_value", Param: "contact_ids"},
		{Name: "none", Given: given, Request: body(`{"contact_ids":[],"label_id":"${label}","operation":"attach"}`), Code: "invalid_field_value", Param: "contact_ids"},
		{Name: "a malformed id", Given: given, Request: bulk("attach", "${label}", "${contact}", "${second_contact}", "ctc_1"), Code: "invalid_field_value", Param: "contact_ids[2]"},
		{Name: "null for a list", Given: given, Request: body(`{"contact_ids":null,"label_id":"${label}","operation":"attach"}`), Code: "invalid_field_value", Param: "contact_ids"},
		{Name: "no list", Given: given, Request: body(`{"label_id":"x","operation":"attach"}`), Code: "missing_required_field", Param: "contact_ids"},
		{Name: "no label", Given: given, Request: body(`{"contact_ids":["${contact}"],"operation":"attach"}`), Code: "missing_required_field", Param: "label_id"},
		{Name: "no operation", Given: given, Request: body(`{"contact_ids":["${contact}"],"label_id":"${label}"}`), Code: "missing_required_field", Param: "operation"},
		{Name: "another operation", Given: given, Request: bulk("toggle", "${label}", "${contact}"), Code: "invalid_field_value", Param: "operation"},
		{Name: "unknown label", Given: given, Request: bulk("attach", noLabel, "${contact}"), Code: "resource_not_found"},
		{Name: "foreign label", Given: all(given, foreign), Request: bulk("attach", "${foreign_label}", "${contact}"), Code: "resource_not_found"},
	})
}

func TestBulkLabelAThousand(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		hasLabel(`{"name":"VIP"}`)(t, c)
		account := accountOf(t, c)
		var ids []string
		c.InTx(t, func(tx *store.Tx) error {
			for i := range 1000 {
				contact := chat.Contact{ID: tx.NewID(chat.KindContact), OrgID: account.OrgID, AccountID: account.ID, PhoneNumber: new(fmt.Sprint("+491510000", 1000+i)), Consent: chat.ConsentUnknown}
				ids = append(ids, contact.ID)
				if err := tx.InsertContact(contact); err != nil {
					return err
				}
			}
			return nil
		})
		body := func(operation string) string {
			return `{"contact_ids":["` + strings.Join(ids, `","`) + `"],"label_id":"${label}","operation":"` + operation + `"}`
		}
		for _, operation := range []string{"attach", "detach"} {
			var got struct{ Applied, Already int }
			c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/bulk_label", Body: body(operation)}).RequireStatus(t, http.StatusOK).Data(t, &got)
			if got.Applied != 1000 || got.Already != 0 {
				t.Errorf("%s: got %+v", operation, got)
			}
		}
		if n := len(c.Events(t, "")); n != 2000 {
			t.Errorf("%d events, want 2000", n)
		}
		if n := c.Count(t, "contact_labels", c.Org.ID); n != 0 {
			t.Errorf("%d labels are left", n)
		}
	})
}
