package chat

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ImportRow is a parsed row of a file. An empty cell changes nothing.
type ImportRow struct {
	Row      int // the number that a spreadsheet shows
	Cells    []string
	Number   string
	Name     *string
	Email    *string
	Labels   []string // by name
	Consent  Consent
	Metadata map[string]string
	Problem  string // why the row cannot be imported
}

// Check refuses a mapping that makes no sense.
func (m ImportMapping) Check() error {
	used, columns := map[string]bool{}, map[int]bool{}
	for _, c := range m.Columns {
		name := c.Field
		if c.Field == "metadata" {
			if strings.TrimSpace(c.Key) == "" {
				return Invalid("columns", "A custom field needs a name.")
			}
			name += " " + c.Key
		}
		if used[name] || columns[c.Column] {
			return Invalid("columns", "Two columns cannot be the same field, and one column cannot be two.")
		}
		used[name], columns[c.Column] = true, true
	}
	if !used["phone_number"] {
		return Invalid("columns", "Say which column has the phone number.")
	}
	if m.Country != "" && callingCode(m.Country) == "" {
		return Invalid("country", "There is no country %s.", m.Country)
	}
	return nil
}

// Read parses a row.
func (m ImportMapping) Read(row int, cells []string) ImportRow {
	r := ImportRow{Row: row, Cells: cells}
	for _, c := range m.Columns {
		if c.Column >= len(cells) {
			continue
		}
		if err := r.take(c, m.Country, Unguarded(strings.TrimSpace(cells[c.Column]))); err != nil {
			return r.refused(err)
		}
	}
	if r.Number == "" {
		return r.refused(Invalid("phone_number", "The number is missing."))
	}
	if _, err := r.New().Contact(); err != nil {
		return r.refused(err)
	}
	return r
}

func (r ImportRow) refused(err error) ImportRow {
	r.Problem = err.Error()
	if e, ok := errors.AsType[*Error](err); ok {
		r.Problem = e.Message
		if e.Param != "" && e.Param != "consent" {
			r.Problem = e.Param + ": " + e.Message
		}
	}
	return r
}

func (r *ImportRow) take(c ImportColumn, country, cell string) (err error) {
	if cell == "" && c.Field != "phone_number" {
		return nil
	}
	switch c.Field {
	case "phone_number":
		r.Number, err = ReadNumber(cell, country)
	case "name":
		r.Name = &cell
	case "email":
		r.Email = &cell
	case "labels":
		r.Labels, err = readLabels(cell)
	case "consent":
		r.Consent, err = readConsent(cell)
	case "metadata":
		if r.Metadata == nil {
			r.Metadata = map[string]string{}
		}
		r.Metadata[c.Key] = cell
	}
	return err
}

// readLabels splits a cell into the names of labels.
func readLabels(cell string) (names []string, err error) {
	for _, name := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|\n", r) }) {
		if strings.TrimSpace(name) == "" {
			continue
		}
		if name, err = CleanLabelName(name); err != nil {
			return nil, Invalid("labels", "A label's name has 1 to 50 characters.")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// New is the contact to create from the row.
func (r ImportRow) New() NewContact {
	return NewContact{PhoneNumber: &r.Number, Name: r.Name, Email: r.Email, Metadata: r.metadata(nil)}
}

// Patch is the row's change to an existing contact. A contact that opted out stays opted out, because the file
// may be older than the opt-out; kept reports that.
func (r ImportRow) Patch(now Contact) (p ContactPatch, kept bool) {
	if r.Name != nil {
		p.Name = To(*r.Name)
	}
	if r.Email != nil {
		p.Email = To(*r.Email)
	}
	if len(r.Metadata) > 0 {
		p.Metadata = To(r.metadata(now.Metadata))
	}
	if r.Consent == "" {
		return p, false
	}
	if now.Consent == ConsentOptedOut {
		return p, r.Consent != ConsentOptedOut
	}
	p.Consent = &r.Consent
	return p, false
}

// metadata adds the row's fields to the contact's metadata.
func (r ImportRow) metadata(before json.RawMessage) json.RawMessage {
	if len(r.Metadata) == 0 {
		return before
	}
	fields, err := json.Marshal(r.Metadata)
	if err != nil {
		return before
	}
	return mergedMetadata(fields, before)
}

// guarded are the characters with which a spreadsheet begins a formula.
const guarded = "=+-@\t\r"

// Guarded puts an apostrophe before a text that a spreadsheet would take for a formula. A number with + stays
// as it is, because it calculates nothing.
func Guarded(s string) string {
	if s == "" || !strings.ContainsRune(guarded, rune(s[0])) || numberPattern.MatchString(s) {
		return s
	}
	return "'" + s
}

// Unguarded reverts Guarded.
func Unguarded(s string) string {
	if len(s) > 1 && s[0] == '\'' && strings.ContainsRune(guarded, rune(s[1])) {
		return s[1:]
	}
	return s
}
