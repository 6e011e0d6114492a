package cloud

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

func BenchmarkEncodeText(b *testing.B) {
	m := outbound(chat.TypeText, `{"body":"Your order is ready."}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeTemplate(b *testing.B) {
	m := outbound(chat.TypeTemplate, `{"name":"order_ready","language":"de","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"text","text":"A-17"}]}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSend is a whole call over a local socket, many at a time.
func BenchmarkSend(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, accepted)
	}))
	defer server.Close()
	c, err := New(Options{BaseURL: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	m := outbound(chat.TypeText, `{"body":"Your order is ready."}`)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Send(context.Background(), number, m); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, n := range map[string]int{"1": 1, "1000": 1000} {
		body := batch(n)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if updates, err := Decode(body); err != nil || len(updates) != n {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUnmarshal is what the standard library takes to read the same text into a tree.
func BenchmarkUnmarshal(b *testing.B) {
	body := batch(1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tree any
		if err := json.Unmarshal(body, &tree); err != nil {
			b.Fatal(err)
		}
	}
}
