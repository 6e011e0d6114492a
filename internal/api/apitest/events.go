package apitest

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// EventProblems lists the differences between an event's payload and the document's schema of its type.
func (d *Document) EventProblems(kind string, payload []byte) []string {
	schema, err := d.Schema("webhooks", kind, "post", "requestBody", "content", "application/json", "schema")
	if err != nil {
		return []string{fmt.Sprintf("the schema is broken: %v", err)}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return []string{fmt.Sprintf("the payload breaks its schema: %v", err)}
	}
	return nil
}
