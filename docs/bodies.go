package docs

import "encoding/json"

// bodies are examples of requests that a schema cannot tell how to fill, by operation. The tests send those that need
// nothing but the demo.
var bodies = map[string]string{
	"sendMessage": `{"messaging_product": "chat", "to": "+12025550100", "type": "text", "text": {"body": "Your order has left."}}`,
	"createLabel": `{"name": "Wholesale", "color": "violet"}`,
	"updateLabel": `{"name": "Wholesale", "color": "amber"}`,
	"createTemplate": `{"name": "order_shipped", "language": "en_US", "category": "UTILITY", "components": [
		{"type": "BODY", "text": "Hi {{1}}, order {{2}} is on its way.", "example": {"body_text": [["Ada", "A-17"]]}}]}`,
	"updateTemplate": `{"components": [
		{"type": "BODY", "text": "Hi {{1}}, your order {{2}} is on its way.", "example": {"body_text": [["Ada", "A-17"]]}}]}`,
	"createBroadcast": `{"name": "Winter sale", "template": {"name": "promo", "language": "en_US", "components": [
		{"type": "body", "parameters": [{"type": "text", "text": "{{recipient.percent|10}}"}]},
		{"type": "button", "sub_type": "url", "index": "1", "parameters": [{"type": "text", "text": "{{recipient.percent|10}}"}]}]},
		"audience": {"recipients": [{"to": "+4915510000001", "variables": {"percent": "20"}}, {"to": "+4915510000002"}]}}`,
	"updateBroadcast":           `{"name": "Winter sale", "scheduled_at": "2027-01-04T09:00:00Z", "time_zone": "Europe/Berlin"}`,
	"addBroadcastRecipients":    `{"recipients": [{"to": "+4915510000001", "variables": {"percent": "20"}}, {"to": "+4915510000002"}]}`,
	"createCustomer":            `{"name": "Toko Maju", "email": "owner@toko.example"}`,
	"updateCustomer":            `{"status": "suspended"}`,
	"createSetupLink":           `{"expires_in_hours": 48, "success_redirect_url": "https://platform.example/done"}`,
	"updateSetupLink":           `{"success_redirect_url": "https://platform.example/done"}`,
	"createWebhookSubscription": `{"url": "https://acme.example/webhooks", "events": ["message.received", "message.status"], "description": "Orders"}`,
	"updateWebhookSubscription": `{"status": "paused"}`,
	"setOptOutWords":            `{"stop": ["stop", "enough"], "stop_reply": "You get no more offers from us."}`,
}

// exampleBody is an example of an operation's request.
func (d document) exampleBody(operation string, s *schema) any {
	if body, ok := bodies[operation]; ok {
		return json.RawMessage(body)
	}
	return d.example(s, "", 0)
}
