package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

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

// deletedView answers a DELETE.
type deletedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}
