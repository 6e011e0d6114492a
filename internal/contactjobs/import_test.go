package contactjobs

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// desk is a number with contacts, and an admin who imports.
type desk struct {
	*worldtest.World
	worker *Worker
	admin  chat.User
}

func newDesk(t testing.TB, st *store.Store) *desk {
	t.Helper()
	blobs, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{World: worldtest.New(t, st, nil), worker: New(st, blobs, slog.New(slog.DiscardHandler))}
	d.InTx(func(tx *store.Tx) error {
		d.admin = chat.User{ID: tx.NewID(chat.KindUser), OrgID: d.Org.ID, Email: strings.ToLower(tx.NewID(chat.KindUser)) + "@example.com", Name: "Ada", Role: chat.RoleAdmin, Sees: chat.SeesAll}
		return tx.InsertUser(d.admin)
	})
	return d
}

// begin stores a file and starts its import.
func (d *desk) begin(text []byte, mapping chat.ImportMapping) (job chat.ContactJob) {
	d.T.Helper()
	key := d.Store.NewID(chat.KindContactJob)
	info, err := d.worker.blobs.Put(context.Background(), key, Decoded(bytes.NewReader(text)), MaxFile)
	d.Must(err)
	sample, err := Sample(context.Background(), d.worker.blobs, key)
	d.Must(err)
	d.InTx(func(tx *store.Tx) (err error) {
		job, err = core.NewContactJob(tx, d.admin, chat.JobImport, chat.JobDraft, chat.ContactImport{Delimiter: sample.Delimiter})
		if err != nil {
			return err
		}
		job.BlobKey, job.Total = &key, info.Size
		if err := tx.InsertContactJob(job); err != nil {
			return err
		}
		job, err = core.StartImport(tx, d.admin, job.ID, d.Account, mapping)
		return err
	})
	return job
}

func (d *desk) work(id string, want chat.ContactJobStatus) chat.ContactJob {
	d.T.Helper()
	d.worker.settle(d.T)
	job, err := d.Read().ContactJob(d.Org.ID, id)
	if err != nil || job.Status != want {
		d.T.Fatalf("the job is %+v, %v, want %s", job, err, want)
	}
	return job
}

func (d *desk) undo(id string) chat.ContactJob {
	d.T.Helper()
	d.InTx(func(tx *store.Tx) error {
		_, err := core.UndoImport(tx, d.admin, id)
		return err
	})
	return d.work(id, chat.JobUndone)
}

// person holds the fields of a contact that an import can change.
type person struct {
	Number, Name, Email, Consent, Metadata string
	Labels                                 []string
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// people are all contacts, by number.
func (d *desk) people() map[string]person {
	d.T.Helper()
	r := d.Read()
	ids, err := r.ContactIDs(d.admin, store.ContactQuery{}, "", 100_000)
	d.Must(err)
	entries, err := r.ContactEntries(d.admin, ids)
	d.Must(err)
	labels, err := r.LabelsOfContacts(d.Org.ID, ids)
	d.Must(err)
	all := map[string]person{}
	for _, e := range entries {
		p := person{text(e.PhoneNumber), text(e.Name), text(e.Email), string(e.Consent), string(e.Metadata), nil}
		for _, l := range labels[e.ID] {
			p.Labels = append(p.Labels, l.Name)
		}
		slices.Sort(p.Labels)
		all[p.Number] = p
	}
	return all
}

func (d *desk) labelNames() (names []string) {
	labels, err := d.Read().LabelsOfTeam(d.Org.ID, d.Org.TeamID)
	d.Must(err)
	for _, l := range labels {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

var allColumns = chat.ImportMapping{Header: true, CreateLabels: true, Country: "DE", Columns: []chat.ImportColumn{
	{Column: 0, Field: "phone_number"}, {Column: 1, Field: "name"}, {Column: 2, Field: "labels"}, {Column: 3, Field: "consent"}, {Column: 4, Field: "metadata", Key: "city"},
}}

// written is a file, with the contacts that its rows should produce.
type written struct {
	text []byte
	want map[string]person
	bad  int
}

// writeFile writes rows as some program would.
func writeFile(t *rapid.T, before map[string]person) (w written) {
	delimiter := rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "delimiter")
	var out bytes.Buffer
	csvOut := csv.NewWriter(&out)
	csvOut.Comma, csvOut.UseCRLF = delimiter, rapid.Bool().Draw(t, "CRLF")
	csvOut.Write([]string{"Phone", "Name", "Labels", "Consent", "City"})
	w.want = map[string]person{}
	maps.Copy(w.want, before)
	seen := map[string]bool{}
	for range rapid.IntRange(0, 30).Draw(t, "rows") {
		n := rapid.IntRange(0, 12).Draw(t, "person")
		number := fmt.Sprintf("+4915100000%03d", n)
		row := []string{
			rapid.SampledFrom([]string{number, "00" + number[1:], "0" + number[3:], number[:6] + " " + number[6:], "'" + number, "nonsense"}).Draw(t, "as"),
			rapid.SampledFrom([]string{"", "Ada", "O\"Neil, \"Q\"", "Zoë;\nline two", "=SUM(A1)"}).Draw(t, "name"),
			rapid.SampledFrom([]string{"", "VIP", "vip, New", "New|Third"}).Draw(t, "labels"),
			rapid.SampledFrom([]string{"", "yes", "no", "perhaps"}).Draw(t, "consent"),
			rapid.SampledFrom([]string{"", "Bonn"}).Draw(t, "city"),
		}
		csvOut.Write(row)
		if row[0] == "nonsense" || row[3] == "perhaps" || seen[number] {
			w.bad++
			continue
		}
		seen[number] = true
		w.want[number] = expected(w.want[number], number, row)
	}
	csvOut.Flush()
	w.text = encode(t, out.Bytes())
	return w
}

func encode(t *rapid.T, text []byte) []byte {
	switch rapid.SampledFrom([]string{"plain", "BOM", "UTF-16", "delimiter named", "old Mac"}).Draw(t, "encoding") {
	case "delimiter named":
		return append([]byte("sep=;\r\n"), text...)
	case "old Mac":
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r"))
	case "BOM":
		return append([]byte("\xef\xbb\xbf"), text...)
	case "UTF-16":
		encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(text)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	return text
}

// expected is a person after a row was imported.
func expected(p person, number string, row []string) person {
	if p.Number == "" {
		p = person{Number: number, Consent: "unknown"}
	}
	if row[1] != "" {
		p.Name = row[1]
	}
	if c := map[string]string{"yes": "opted_in", "no": "opted_out"}[row[3]]; c != "" && p.Consent != "opted_out" {
		p.Consent = c
	}
	if row[4] != "" {
		fields := map[string]string{}
		json.Unmarshal([]byte(p.Metadata), &fields)
		fields["city"] = row[4]
		text, _ := json.Marshal(fields)
		p.Metadata = string(text)
	}
	labels := slices.Clone(p.Labels)
	for _, name := range strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' || r == '|' }) {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, "vip") {
			name = "VIP"
		}
		if !slices.Contains(labels, name) {
			labels = append(labels, name)
		}
	}
	slices.Sort(labels)
	p.Labels = labels
	return p
}

// For any file in any format, the import applies every row and counts it once, and undoing it restores the
// contacts.
func TestImportAndUndo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		rapid.Check(t, func(rt *rapid.T) {
			d := newDesk(t, st)
			d.existing(rt)
			before, labels := d.people(), d.labelNames()
			w := writeFile(rt, before)
			job := d.work(d.begin(w.text, allColumns).ID, chat.JobDone)
			if diff := cmp.Diff(w.want, d.people()); diff != "" {
				rt.Fatalf("after the import (-want +got):\n%s", diff)
			}
			if int(job.Failed) != w.bad || int(job.Created) != len(w.want)-len(before) || job.Done != job.Total {
				rt.Fatalf("counted %+v, want %d bad and %d new", job, w.bad, len(w.want)-len(before))
			}
			d.undo(job.ID)
			if diff := cmp.Diff(before, d.people()); diff != "" {
				rt.Fatalf("after undoing it (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(labels, d.labelNames()); diff != "" {
				rt.Fatalf("labels after undoing it (-want +got):\n%s", diff)
			}
		})
	})
}

// existing makes some contacts before the import.
func (d *desk) existing(t *rapid.T) {
	vip := storetest.Label(d.T, d.Store, d.Org, "VIP")
	kinds := rapid.SliceOfN(rapid.IntRange(0, 3), 12, 12).Draw(t, "existing")
	d.InTx(func(tx *store.Tx) error {
		for n, kind := range kinds {
			if kind == 0 {
				continue
			}
			c, err := core.CreateContact(tx, d.Account, chat.NewContact{PhoneNumber: new(fmt.Sprintf("+4915100000%03d", n)), Name: new("Before"), Metadata: json.RawMessage(`{"k":"v"}`)})
			if err == nil && kind == 2 {
				err = core.LabelContact(tx, d.Account, c.ID, vip.ID)
			}
			if err == nil && kind == 3 {
				_, err = core.UpdateContact(tx, d.Account, c.ID, chat.ContactPatch{Consent: new(chat.ConsentOptedOut)}, chat.Actor{Source: chat.ConsentByUser, ID: d.admin.ID})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A row that changes nothing says only why, and not that the rest of it was imported.
func TestRefusedRowSaysNothingElse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		fields := map[string]string{}
		for i := range 64 {
			fields[fmt.Sprint("key ", i)] = "x"
		}
		metadata, err := json.Marshal(fields)
		d.Must(err)
		d.InTx(func(tx *store.Tx) error {
			contact, err := core.CreateContact(tx, d.Account, chat.NewContact{PhoneNumber: new("+4915100000100"), Metadata: metadata})
			if err == nil {
				_, err = core.UpdateContact(tx, d.Account, contact.ID, chat.ContactPatch{Consent: new(chat.ConsentOptedOut)}, chat.Actor{})
			}
			return err
		})
		job := d.work(d.begin([]byte("number,name,labels,consent,city\n+4915100000100,Ada,,yes,Bonn\n"), allColumns).ID, chat.JobDone)
		problems, err := d.Read().JobErrors(d.Org.ID, job.ID, 0)
		d.Must(err)
		if len(problems) != 1 || !strings.Contains(problems[0].Problem, "at most 64 keys") {
			t.Errorf("the row is told of with %+v", problems)
		}
	})
}

// A label that a row or the mapping names twice, in whatever case, is one label.
func TestLabelsThatAreNamedTwice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d, mapping := newDesk(t, st), allColumns
		known := storetest.Label(t, st, d.Org, "Known")
		mapping.LabelIDs = []string{known.ID, known.ID}
		job := d.begin([]byte("Phone,Name,Labels\n+4915100000001,Ada,\"VIP, vip;known | VIP\"\n"), mapping)
		if job = d.work(job.ID, chat.JobDone); job.Created != 1 || job.Failed != 0 {
			t.Errorf("the job is %+v", job)
		}
		if diff := cmp.Diff([]string{"Known", "VIP"}, d.labelNames()); diff != "" {
			t.Errorf("other labels:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"Known", "VIP"}, d.people()["+4915100000001"].Labels); diff != "" {
			t.Errorf("other labels of the contact:\n%s", diff)
		}
		d.undo(job.ID)
		if diff := cmp.Diff([]string{"Known"}, d.labelNames()); diff != "" {
			t.Errorf("other labels after the undoing:\n%s", diff)
		}
	})
}

// A label that is deleted while an import runs stays deleted: nobody has it afterwards.
func TestLabelThatIsDeletedDuringAnImport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d, mapping := newDesk(t, st), allColumns
		label := storetest.Label(t, st, d.Org, "Spring")
		mapping.LabelIDs = []string{label.ID}
		job := d.begin([]byte("Phone,Name,Labels\n+4915100000001,Ada,VIP\n"), mapping)
		d.InTx(func(tx *store.Tx) error { return core.DeleteLabel(tx, d.Org.ID, label.ID) })
		if job = d.work(job.ID, chat.JobDone); job.Created != 1 || job.Failed != 0 {
			t.Errorf("the job is %+v", job)
		}
		if used, err := d.Read().LabelIsUsed(d.Org.ID, label.ID); used || err != nil {
			t.Errorf("somebody has the deleted label: %v, %v", used, err)
		}
		if diff := cmp.Diff([]string{"VIP"}, d.people()["+4915100000001"].Labels); diff != "" {
			t.Errorf("other labels of the contact:\n%s", diff)
		}
	})
}

// A person whose number is in a file as people write it, and known as the network does, stays one contact. So does one
// who is in the file in both spellings.
func TestNumbersWithTwoSpellings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		storetest.Contact(t, st, d.Account, "+5215512345678")
		job := d.begin([]byte("Phone,Name,Tags,Consent,City\n+525512345678,Ada,,,\n+5531987654321,Bea,,,\n+553187654321,,Friends,,\n"), allColumns)
		job = d.work(job.ID, chat.JobDone)
		if job.Created != 1 || job.Changed != 2 || job.Failed != 0 {
			t.Errorf("the job says %+v", job)
		}
		want := map[string]person{
			"+5215512345678": {Number: "+5215512345678", Name: "Ada", Consent: "unknown"},
			"+5531987654321": {Number: "+5531987654321", Name: "Bea", Consent: "unknown", Labels: []string{"Friends"}},
		}
		if diff := cmp.Diff(want, d.people()); diff != "" {
			t.Errorf("the contacts (-want +got):\n%s", diff)
		}
	})
}

// Empty rows before the columns' names, and between others, change nothing, and rows are told of by the number that a
// spreadsheet shows.
func TestEmptyRows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		text := "\r\n;;\r\nPhone;Name\r\n\r\n+4915100000001;\"Ada\r\nL.\"\r\n;\r\n\r\nnonsense;Bob\r\n+4915100000001;Ada again\r\n"
		job := d.work(d.begin([]byte(text), twoColumns).ID, chat.JobDone)
		if people := d.people(); len(people) != 1 || people["+4915100000001"].Name != "Ada\nL." {
			t.Errorf("there are %+v", people)
		}
		problems, err := d.Read().JobErrors(d.Org.ID, job.ID, 0)
		d.Must(err)
		if len(problems) != 2 || problems[0].Row != 8 || problems[1].Row != 9 || problems[1].Problem != "Row 5 has the same number." {
			t.Errorf("refused are %+v", problems)
		}
	})
}
