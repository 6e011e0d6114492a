package app

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerAudit(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/audit", ID: "listAudit", Tag: "Audit", Role: chat.RoleAdmin,
		Summary: "List who did what", Description: "Newest first. It is kept for 400 days, and has neither secrets nor what people write to each other.",
	}, listAudit)

	rest.Download(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/audit/export", ID: "exportAudit", Tag: "Audit", Role: chat.RoleAdmin,
		Summary: "Export the audit log as CSV", Description: "What the filters let pass, newest first. The export is an entry of its own.",
	}, "audit.csv", a.exportAudit)
}

type auditFilter struct {
	By     string     `query:"by" pattern:"^(operator|(usr|key|csl)_[0-9A-HJKMNP-TV-Z]{26})$" doc:"The id of a user, an API key or a setup link, or operator."`
	Action string     `query:"action" pattern:"^[a-z0-9_]{1,40}\\.[a-z0-9_]{1,40}$"`
	Object string     `query:"object" minLength:"1" maxLength:"64" doc:"The id of what something was done to."`
	From   *time.Time `query:"from"`
	Until  *time.Time `query:"until"`
}

func (f auditFilter) filter() store.AuditFilter {
	filter := store.AuditFilter{DoerID: f.By, Action: chat.AuditAction(f.Action), ObjectID: f.Object, From: f.From, Until: f.Until}
	if f.By == string(chat.DoerOperator) {
		filter.DoerID, filter.DoerKind = "", chat.DoerOperator
	}
	return filter
}

type auditView struct {
	ID      rest.AuditID      `json:"id"`
	At      rest.Instant      `json:"at"`
	By      auditByView       `json:"by"`
	Action  string            `json:"action"`
	Object  auditObjectView   `json:"object" doc:"What it was done to."`
	Details map[string]string `json:"details"`
}

type auditByView struct {
	Kind    string  `json:"kind" enum:"user,key,operator,link"`
	ID      *string `json:"id" nullable:"true"`
	Name    string  `json:"name" doc:"At that time."`
	Address *string `json:"address" nullable:"true"`
}

type auditObjectView struct {
	ID   *string `json:"id" nullable:"true"`
	Name *string `json:"name" nullable:"true" doc:"At that time."`
}

func viewAudit(e chat.AuditEntry) auditView {
	return auditView{
		ID: rest.AuditID(e.ID), At: rest.Instant(e.At), Action: string(e.Action), Details: e.Details,
		By:     auditByView{string(e.By.Kind), orNil(e.By.ID), e.By.Name, orNil(e.By.Address)},
		Object: auditObjectView{orNil(e.Object.ID), orNil(e.Object.Name)},
	}
}

func listAudit(c *rest.Call, in *auditFilter, p store.Page) (store.Slice[auditView], error) {
	found, err := c.Read().AuditLog(c.OrgID(), in.filter(), p)
	return rest.ViewEach(found, viewAudit), err
}

// exportAudit writes the log page by page, so that it is never in memory as a whole.
func (a *App) exportAudit(c *rest.Call, in *auditFilter, w io.Writer) error {
	if err := core.AuditNow(c.Ctx, a.store, c.OrgID(), chat.AuditLogExport); err != nil {
		return err
	}
	out := newSheet(w)
	out.write("at", "by", "by_kind", "by_id", "address", "action", "object", "object_id", "details")
	for page := (store.Page{Limit: exportPage}); ; {
		found, err := c.Read().AuditLog(c.OrgID(), in.filter(), page)
		if err != nil {
			return err
		}
		for _, e := range found.Rows {
			out.write(e.At.UTC().Format(time.RFC3339Nano), e.By.Name, string(e.By.Kind), e.By.ID, e.By.Address, string(e.Action), e.Object.Name, e.Object.ID, detailsText(e.Details))
		}
		if err := out.end(nil); err != nil || found.Next == nil {
			return err
		}
		page.After = found.Next
	}
}

// detailsText puts all details into one cell.
func detailsText(details map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(details)) {
		parts = append(parts, name+": "+details[name])
	}
	return strings.Join(parts, "; ")
}
