package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// APICall is a line of the API log.
type APICall struct {
	OrgID     string
	RequestID string
	KeyID     string
	Method    string
	Path      string
	Route     string // the operation's path with its variables; empty if there is none
	Status    int
	Latency   time.Duration
	IP        string
	Code      string // the error's code, field and message
	Param     string
	Message   string
	Made      string // the id of the object that a POST made
}

const callColumns = "org_id, id, key_id, method, path, route, status, latency_us, ip, code, param, message, made"

// AppendAPILog writes calls.
func (tx *Tx) AppendAPILog(calls []APICall) error {
	for _, c := range calls {
		err := tx.later("INSERT INTO api_log ("+callColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
			c.OrgID, c.RequestID, c.KeyID, c.Method, c.Path, c.Route, c.Status, c.Latency.Microseconds(), c.IP, c.Code, c.Param, c.Message, c.Made)
		if err != nil {
			return err
		}
	}
	return nil
}

func scanCall(row scanner) (c APICall, err error) {
	var micros int64
	err = row.Scan(&c.OrgID, &c.RequestID, &c.KeyID, &c.Method, &c.Path, &c.Route, &c.Status, &micros, &c.IP, &c.Code, &c.Param, &c.Message, &c.Made)
	c.Latency = time.Duration(micros) * time.Microsecond
	return c, err
}

// PurgeAPILog deletes up to limit of an organization's calls from before the instant and returns how many.
func (tx *Tx) PurgeAPILog(orgID string, before time.Time, limit int) (int64, error) {
	return tx.exec("DELETE FROM api_log WHERE "+tx.dialect.oneOfThose("org_id, id", "api_log WHERE org_id = $1 AND id < $2 LIMIT $3"),
		orgID, firstID(chat.KindRequest, before), limit)
}
