package client

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// PageOptions say which page of a list to return.
type PageOptions struct {
	// Limit is the page size, 1 to 100. Zero uses the API's default; a walk through all pages uses 100.
	Limit int
	// Cursor is NextCursor of the previous page, with the same filter.
	Cursor string
}

// Page is a part of a list.
type Page[T any] struct {
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"` // nil on the last page
	RequestID  string  `json:"request_id"`
}

// query collects the given parameters.
type query url.Values

func (p PageOptions) query() query {
	q := query{}
	if p.Limit != 0 {
		q["limit"] = []string{strconv.Itoa(p.Limit)}
	}
	return q.text("cursor", p.Cursor)
}

func (q query) text(name, value string) query {
	if value != "" {
		q[name] = []string{value}
	}
	return q
}

func (q query) instant(name string, t time.Time) query {
	if !t.IsZero() {
		q[name] = []string{t.UTC().Format(time.RFC3339Nano)}
	}
	return q
}

// list gets one page.
func list[T any](ctx context.Context, c *Client, cl *call, q query) (*Page[T], error) {
	cl.query = url.Values(q)
	var page Page[T]
	if err := c.do(ctx, cl, &page); err != nil {
		return nil, err
	}
	return &page, nil
}

// walk yields all items from the given page on; get fetches one page. It ends with the first error.
func walk[T any](at PageOptions, get func(PageOptions) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at := at // each walk starts anew
		if at.Limit == 0 {
			at.Limit = 100
		}
		for {
			page, err := get(at)
			if err == nil && page.NextCursor != nil && *page.NextCursor == at.Cursor {
				err = errors.New("client: the list goes in a circle")
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if !page.HasMore || page.NextCursor == nil {
				return
			}
			at.Cursor = *page.NextCursor
		}
	}
}
