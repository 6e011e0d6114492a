package api

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// instant is a time as the API shows it.
type instant time.Time

func (t instant) MarshalText() ([]byte, error) {
	return []byte(chat.FormatTime(time.Time(t))), nil
}

// Schema describes it in the OpenAPI document.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "RFC 3339 in UTC, with milliseconds."}
}

func instantPtr(t *time.Time) *instant {
	if t == nil {
		return nil
	}
	i := instant(*t)
	return &i
}

// anyJSON is JSON that is passed on as it is.
type anyJSON jsontext.Value

func (v anyJSON) MarshalJSON() ([]byte, error) { return v, nil }

// Schema describes it in the OpenAPI document.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// part is an object of a body that the document describes as T, and that is read and checked only
// when another field calls for it.
type part[T any] struct{}

// UnmarshalJSON leaves it to the operation.
func (part[T]) UnmarshalJSON([]byte) error { return nil }

// Schema describes it in the OpenAPI document.
func (part[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return r.Schema(t, true, t.Name())
}

func (part[T]) unchecked() {}

// orNull is an object that may be absent. It is null then, and the document says so.
type orNull[T any] struct{ value *T }

func (o orNull[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, o.value)
}

// Schema describes it in the OpenAPI document.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// freeForm is an object whose fields are the caller's own, or null.
type freeForm jsontext.Value

func (f freeForm) MarshalJSONTo(enc *jsontext.Encoder) error {
	if f == nil {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(f))
}

func (f *freeForm) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	*f = nil
	if err == nil && value.Kind() != jsontext.KindNull {
		*f = freeForm(value.Clone())
	}
	return err
}

// Schema describes it in the OpenAPI document.
func (freeForm) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

// deletedView answers a DELETE.
type deletedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// idsOf are the ids of a page's rows.
func idsOf[T any](rows []T, id func(T) string) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return ids
}
