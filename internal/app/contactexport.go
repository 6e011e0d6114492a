package app

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// exportPage is the number of contacts in memory at a time.
const exportPage = 500

func registerContactExport(a *App) {
	rest.Download(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/export", ID: "exportContacts", Tag: "Contacts", Role: chat.RoleAdmin,
		Summary: "Export contacts as CSV",
		Description: "Those that the filters let pass. Cells that a spreadsheet would take for a formula begin with an apostrophe; " +
			"phone numbers are as they are.",
	}, "contacts.csv", a.exportContacts)

	rest.Download(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/imports/{id}/errors", ID: "getImportErrors", Tag: "Contacts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Get the rows that an import could not take", Description: "As CSV: the row's number, what is wrong with it, and its cells.",
	}, "import-errors.csv", getImportErrors)
}

var exportColumns = []string{"phone_number", "name", "email", "labels", "consent", "username", "bsuid", "number", "last_seen_at", "created_at", "metadata"}

func (a *App) exportContacts(c *rest.Call, in *contactFilterInput, w io.Writer) error {
	r, u := c.Read(), *c.Caller.User
	query, ok, err := core.ContactQuery(r, u, in.filter())
	if err != nil {
		return err
	}
	if err := core.AuditNow(c.Ctx, a.store, u.OrgID, chat.AuditContactsExport); err != nil {
		return err
	}
	out := newSheet(w)
	out.write(exportColumns...)
	for after := ""; ok; {
		ids, err := r.ContactIDs(u, query, after, exportPage)
		if err != nil || len(ids) == 0 {
			return out.end(err)
		}
		if err := exportSome(r, u, out, ids); err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
	return out.end(nil)
}

func exportSome(r store.Reader, u chat.User, out *sheet, ids []string) error {
	entries, err := r.ContactEntries(u, ids)
	if err != nil {
		return err
	}
	labels, err := r.LabelsOfContacts(u.OrgID, ids)
	if err != nil {
		return err
	}
	for _, e := range entries {
		names := []string{}
		for _, l := range labels[e.ID] {
			names = append(names, l.Name)
		}
		slices.Sort(names)
		seen := ""
		if e.LastSeenAt != nil {
			seen = e.LastSeenAt.UTC().Format(time.RFC3339)
		}
		out.write(deref(e.PhoneNumber), deref(e.Name), deref(e.Email), strings.Join(names, ", "), string(e.Consent), deref(e.Username),
			deref(e.BSUID), deref(e.OwnNumber), seen, e.CreatedAt.UTC().Format(time.RFC3339), string(e.Metadata))
	}
	return out.end(nil)
}

func getImportErrors(c *rest.Call, in *rest.ByID[rest.ContactJobID], w io.Writer) error {
	r := c.Read()
	job, err := core.ContactJob(r, *c.Caller.User, string(in.ID))
	if err != nil {
		return err
	}
	width, err := widestProblem(r, job)
	if err != nil {
		return err
	}
	out := newSheet(w)
	head := []string{"row", "problem"}
	for i := range width {
		head = append(head, fmt.Sprintf("column %d", i+1))
	}
	out.write(head...)
	for slice := range job.Slices {
		problems, err := r.JobErrors(job.OrgID, job.ID, slice)
		if err != nil {
			return err
		}
		for _, p := range problems {
			row := make([]string, len(head)) // strict readers want as many cells in each row
			row[0], row[1] = strconv.Itoa(p.Row), p.Problem
			copy(row[2:], p.Cells)
			out.write(row...)
		}
	}
	return out.end(nil)
}

// widestProblem returns the most cells that a refused row has.
func widestProblem(r store.Reader, job chat.ContactJob) (width int, err error) {
	for slice := range job.Slices {
		problems, err := r.JobErrors(job.OrgID, job.ID, slice)
		if err != nil {
			return 0, err
		}
		for _, p := range problems {
			width = max(width, len(p.Cells))
		}
	}
	return width, nil
}

// sheet is a CSV file that is safe to open in a spreadsheet.
type sheet struct{ csv *csv.Writer }

func newSheet(w io.Writer) *sheet {
	io.WriteString(w, "\ufeff") // without it spreadsheets do not recognize UTF-8
	s := &sheet{csv.NewWriter(w)}
	s.csv.UseCRLF = true
	return s
}

func (s *sheet) write(cells ...string) {
	guarded := make([]string, len(cells))
	for i, cell := range cells {
		guarded[i] = chat.Guarded(cell)
	}
	s.csv.Write(guarded) // end returns its errors
}

func (s *sheet) end(err error) error {
	if err != nil {
		return err
	}
	s.csv.Flush()
	return s.csv.Error()
}
