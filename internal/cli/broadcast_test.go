package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
)

// wants is a message with variables for columns.
const wants = `[{"type":"body","parameters":[{"type":"text","text":"{{recipient.name}}, {{ recipient.City | here }}, {{contact.email}}, {{recipient.Größe}}"}]}]`

// Those columns of a table become variables that the message wants, even if rows are short, and rows are read in batches.
func TestReadRecipients(t *testing.T) {
	t.Parallel()
	people, err := newTable(strings.NewReader("\ufeffname,Phone,city,notes\nAda,+491,,x\nBob,492,Ulm\n,,\nEve,493\n"))
	if err != nil {
		t.Fatal(err)
	}
	if missing := people.want(json.RawMessage(wants)); !slices.Equal(missing, []string{"Größe"}) {
		t.Errorf("these columns are missing: %q", missing)
	}
	var pages [][]client.NewRecipient
	err = people.each(3, func(page []client.NewRecipient) error {
		pages = append(pages, append([]client.NewRecipient{}, page...))
		return nil
	})
	want := [][]client.NewRecipient{
		{{To: "+491", Variables: map[string]string{"name": "Ada"}}, {To: "492", Variables: map[string]string{"name": "Bob", "City": "Ulm"}}, {To: "-", Variables: map[string]string{}}},
		{{To: "493", Variables: map[string]string{"name": "Eve"}}},
	}
	if d := cmp.Diff(want, pages); d != "" || err != nil {
		t.Errorf("read %v (-want +got):\n%s", err, d)
	}
	for _, nobody := range []string{"", "\n\n", "name,phone\n"} {
		if _, err := newTable(strings.NewReader(nobody)); err == nil {
			t.Errorf("%q has no recipients", nobody)
		}
	}
}

// Long cells make smaller batches, and no cell is longer than what a template could ever take.
func TestReadLongCells(t *testing.T) {
	t.Parallel()
	people, err := newTable(strings.NewReader("phone,name\n" + strings.Repeat("+491,"+strings.Repeat("ü", 4000)+"\n", 300) + "+492," + strings.Repeat("x", 5<<20) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	people.want(json.RawMessage(wants))
	n := 0
	err = people.each(1000, func(page []client.NewRecipient) error {
		body, err := json.Marshal(page)
		if n += len(page); len(body) > 1<<20 {
			t.Errorf("a batch has %d bytes", len(body))
		}
		return err
	})
	if n != 301 || err != nil {
		t.Errorf("read %d recipients, %v", n, err)
	}
}
