package api

import (
	"bytes"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
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

// part is an object of a body that the document describes as T, and that is checked only when
// another field calls for it.
type part[T any] struct{ text []byte }

func (p *part[T]) UnmarshalJSON(text []byte) error {
	p.text = bytes.Clone(text)
	return nil
}

// Schema describes it in the OpenAPI document.
func (part[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return r.Schema(t, true, t.Name())
}

func (part[T]) unchecked() {}

// deletedView answers a DELETE.
type deletedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}
