package rest

import (
	"errors"
	"reflect"
	"regexp"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// Instant is a time in the API's format.
type Instant time.Time

func (t Instant) MarshalText() ([]byte, error) {
	return []byte(chat.FormatTime(time.Time(t))), nil
}

// UnmarshalText reads a time of a request.
func (t *Instant) UnmarshalText(text []byte) error {
	at, err := parseInstant(string(text))
	*t = Instant(at.UTC().Truncate(time.Millisecond))
	return err
}

// instantShape is what RFC 3339 takes and time.Parse does not insist on: hours of two digits, a point before the
// fraction, and offsets under a day.
var instantShape = regexp.MustCompile(`T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

func parseInstant(text string) (time.Time, error) {
	if !instantShape.MatchString(text) {
		return time.Time{}, errors.New("it is not in the form of RFC 3339")
	}
	t, err := time.Parse(time.RFC3339, text)
	if year := t.UTC().Year(); err == nil && (year < 0 || year > 9999) { // by its offset: it could not be shown in UTC
		err = errors.New("in UTC it is in a year of more than four digits")
	}
	return t, err
}

func (Instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "RFC 3339 in UTC, with milliseconds."}
}

// InstantPtr is an instant that may be absent.
func InstantPtr(t *time.Time) *Instant {
	if t == nil {
		return nil
	}
	i := Instant(*t)
	return &i
}

// AnyJSON is JSON that is passed on as it is.
type AnyJSON jsontext.Value

func (v AnyJSON) MarshalJSON() ([]byte, error) { return v, nil }

func (AnyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// Part is an object in a body that the document describes as T. It counts only if another field calls for it: the
// operation forgets what was found in the others, and decodes this one.
type Part[T any] struct{}

func (Part[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return r.Schema(t, true, t.Name())
}

func (Part[T]) partOf() reflect.Type { return reflect.TypeFor[T]() }

// OrNull is an object that may be null.
type OrNull[T any] struct{ Value *T }

func (o OrNull[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, o.Value)
}

func (OrNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// FreeForm is an object whose fields the caller chooses, or null.
type FreeForm jsontext.Value

func (f FreeForm) MarshalJSONTo(enc *jsontext.Encoder) error {
	if f == nil {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(f))
}

func (f *FreeForm) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	*f = nil
	if err == nil && value.Kind() != jsontext.KindNull {
		*f = FreeForm(value.Clone())
	}
	return err
}

func (FreeForm) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

// DeletedView answers a DELETE.
type DeletedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// IDsOf collects the ids of a page's rows.
func IDsOf[T any](rows []T, id func(T) string) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return ids
}
