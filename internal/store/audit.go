package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

type doerKey struct{}

// WithDoer says who makes the changes in a context. Without a doer there are no audit entries, as for workers.
func WithDoer(ctx context.Context, d chat.Doer) context.Context {
	return context.WithValue(ctx, doerKey{}, d)
}

// SameCaller copies the doer and the turn of another context.
func SameCaller(ctx, as context.Context) context.Context {
	return context.WithValue(WithTurn(ctx, turnOf(as)), doerKey{}, as.Value(doerKey{}))
}

// Doer is who makes the changes of the transaction; ok is false if nobody does.
func (tx *Tx) Doer() (d chat.Doer, ok bool) {
	d, ok = tx.ctx.Value(doerKey{}).(chat.Doer)
	return d, ok
}

const auditColumns = "org_id, id, doer_kind, doer_id, doer_name, address, action, object_id, object_name, details"

// InsertAudit writes an audit entry.
func (tx *Tx) InsertAudit(e chat.AuditEntry) error {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return err
	}
	return tx.later("INSERT INTO audit_log ("+auditColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		e.OrgID, e.ID, string(e.By.Kind), e.By.ID, e.By.Name, e.By.Address, string(e.Action), e.Object.ID, e.Object.Name, string(details))
}

// AuditFilter narrows the audit log. From is inclusive, Until exclusive.
type AuditFilter struct {
	DoerID   string
	DoerKind chat.DoerKind
	Action   chat.AuditAction
	ObjectID string
	From     *time.Time
	Until    *time.Time
}

var auditByID = order[chat.AuditEntry]{position: func(e chat.AuditEntry) Position { return Position{ID: e.ID} }}

// AuditLog returns a page of an organization's audit log, newest first.
func (r Reader) AuditLog(orgID string, f AuditFilter, p Page) (Slice[chat.AuditEntry], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.addIf("doer_id = ?", f.DoerID)
	c.addIf("doer_kind = ?", string(f.DoerKind))
	c.addIf("action = ?", string(f.Action))
	c.addIf("object_id = ?", f.ObjectID)
	if f.From != nil {
		c.add("id >= ?", firstID(chat.KindAudit, *f.From))
	}
	if f.Until != nil {
		c.add("id < ?", firstID(chat.KindAudit, ceilMillisecond(*f.Until)))
	}
	return newestFirst(r, scanAudit, "SELECT "+auditColumns+" FROM audit_log", c, auditByID, p)
}

func scanAudit(row scanner) (e chat.AuditEntry, err error) {
	var details string
	err = row.Scan(&e.OrgID, &e.ID, &e.By.Kind, &e.By.ID, &e.By.Name, &e.By.Address, &e.Action, &e.Object.ID, &e.Object.Name, &details)
	if err != nil {
		return e, err
	}
	e.At = chat.TimeOf(e.ID)
	return e, json.Unmarshal([]byte(details), &e.Details)
}

// PurgeAudit deletes up to limit of an organization's entries from before the instant, and returns how many.
func (tx *Tx) PurgeAudit(orgID string, before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM audit_log WHERE "+tx.dialect.oneOfThose("org_id, id", "audit_log WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT $3"),
		orgID, firstID(chat.KindAudit, before), limit)
}
