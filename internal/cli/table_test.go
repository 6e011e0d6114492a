package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
)

// Tables are read in the forms that spreadsheets write them.
func TestTableForms(t *testing.T) {
	t.Parallel()
	mueller := []client.NewRecipient{{To: "+491", Variables: map[string]string{"name": "Müller"}}, {To: "+492", Variables: map[string]string{"name": `"A", B`}}}
	plain := []client.NewRecipient{{To: "+49 155 10000001", Variables: map[string]string{}}, {To: "+4915510000002", Variables: map[string]string{}}}
	for name, c := range map[string]struct {
		table string
		want  []client.NewRecipient
	}{
		"commas":              {"phone,name\n+491,Müller\n+492,\"\"\"A\"\", B\"\n", mueller},
		"semicolons":          {"\ufeffPhone;name\r\n\"+491\";Müller\r\n+492;\"\"\"A\"\", B\"\r\n", mueller},
		"tabs, Windows":       {"name\tphone\nM\xfcller\t+491\n\"\"\"A\"\", B\"\t+492\n", mueller},
		"as Excel says so":    {"sep=;\r\nPhone;name\r\n\"+491\";Müller\r\n+492;\"\"\"A\"\", B\"\r\n", mueller},
		"lines of old Macs":   {"phone,name\r+491,Müller\r+492,\"\"\"A\"\", B\"\r", mueller},
		"numbers alone":       {"+49 155 10000001\n+4915510000002\n", plain},
		"a name, and numbers": {"Kunden\n+49 155 10000001\n+4915510000002\n", plain},
	} {
		var got []client.NewRecipient
		people, err := newTable(strings.NewReader(c.table))
		if err == nil {
			people.want(json.RawMessage(wants))
			err = people.each(10, func(page []client.NewRecipient) error {
				got = append(got, page...)
				return nil
			})
		}
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s: read %v (-want +got):\n%s", name, err, d)
		}
	}
	_, err := newTable(strings.NewReader("phone,name\n+491,5\" pipe\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a quotation mark inside a cell says %v", err)
	}
}
