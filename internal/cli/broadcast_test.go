package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
)

// The columns of a table become variables, even if rows are short, and rows are read in batches.
func TestReadRecipients(t *testing.T) {
	t.Parallel()
	table := "\ufeffname,Phone,city\nAda,+491,\nBob,492,Ulm\n,,\nEve,493\n"
	var pages [][]client.NewRecipient
	err := readRecipients(strings.NewReader(table), 3, func(page []client.NewRecipient) error {
		pages = append(pages, append([]client.NewRecipient{}, page...))
		return nil
	})
	want := [][]client.NewRecipient{
		{{To: "+491", Variables: map[string]string{"name": "Ada"}}, {To: "492", Variables: map[string]string{"name": "Bob", "city": "Ulm"}}, {To: "-", Variables: map[string]string{}}},
		{{To: "493", Variables: map[string]string{"name": "Eve"}}},
	}
	if d := cmp.Diff(want, pages); d != "" || err != nil {
		t.Errorf("read %v (-want +got):\n%s", err, d)
	}
	if err := readRecipients(strings.NewReader(""), 3, nil); err == nil {
		t.Error("an empty table has no columns")
	}
}
