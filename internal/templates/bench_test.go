package templates_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// BenchmarkChoose measures the cost of a template for a send, before its transaction.
func BenchmarkChoose(b *testing.B) {
	st := storetest.Open(b, storetest.SQLite)
	account := worldtest.New(b, st, nil).Account
	shelf := newShelf(1)
	shelf.list[0].Components = []byte(`[{"type":"HEADER","format":"TEXT","text":"Hello World"},{"type":"BODY","text":"Welcome! This message shows that your number can send. Thank you for trying it."},{"type":"FOOTER","text":"Simulated business"}]`)
	service := shelf.templates(st)
	if _, err := service.Sync(b.Context(), account); err != nil {
		b.Fatal(err)
	}
	content := &chat.TemplateContent{Name: "template_0", Language: chat.TemplateLanguage{Code: "de"}}
	b.ReportAllocs()
	for b.Loop() {
		if choice := service.Choose(b.Context(), account, content, true); choice.Err != nil {
			b.Fatal(choice.Err)
		}
	}
}
