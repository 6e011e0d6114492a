package store

import (
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// firstFailure is the lowest status of a failed call. Statements contain it literally, because neither engine
// matches a parameter with the condition of the partial index.
const firstFailure = 400

// CallFilter narrows the API log. From is inclusive, Until exclusive.
type CallFilter struct {
	Method   string
	Statuses [2]int // from, to; zero for all
	Path     string // any part of it, in any case
	Route    string
	KeyID    string
	Code     string
	From     *time.Time
	Until    *time.Time
}

var callsByID = order[APICall]{position: func(c APICall) Position { return Position{ID: c.RequestID} }}

func (f CallFilter) look(orgID string) *look[APICall] {
	l := &look[APICall]{columns: callColumns, table: "api_log", scan: scanCall, order: callsByID, most: maxLooked}
	l.within.add("org_id = ?", orgID)
	if f.From != nil {
		l.within.add("id >= ?", firstID(chat.KindRequest, *f.From))
	}
	if f.Until != nil {
		l.within.add("id < ?", firstID(chat.KindRequest, ceilMillisecond(*f.Until)))
	}
	if f.Code != "" || f.Statuses[0] >= firstFailure {
		l.within.add("status >= 400")
	}
	if f.Statuses != [2]int{} && f.Statuses != [2]int{firstFailure, 599} {
		l.want("status BETWEEN ? AND ?", f.Statuses[0], f.Statuses[1])
	}
	l.wantIf("code = ?", f.Code)
	l.wantIf("method = ?", f.Method)
	l.wantIf("key_id = ?", f.KeyID)
	l.wantIf("route = ?", f.Route)
	if f.Path != "" {
		l.want(`LOWER(path) LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(strings.ToLower(f.Path))+"%") // it is escaped: all ASCII
	}
	return l
}

// APICalls returns a page of an organization's calls, newest first. It skips a bounded number of calls that the
// filter does not match, so more may follow a page that is not full.
func (r Reader) APICalls(orgID string, f CallFilter, p Page) (Slice[APICall], error) {
	return f.look(orgID).run(r, p)
}

// APICall returns a call of the organization, or ErrNotFound.
func (r Reader) APICall(orgID, id string) (APICall, error) {
	return one(r, scanCall, "SELECT "+callColumns+" FROM api_log WHERE org_id = $1 AND id = $2", orgID, id)
}

// CallThatMade returns the call that was answered with the id of an object made at the instant, or ErrNotFound.
// A request is older than the object it makes, by at most longest.
func (r Reader) CallThatMade(orgID, id string, at time.Time, longest time.Duration) (APICall, error) {
	f := CallFilter{From: new(at.Add(-longest)), Until: new(at.Add(time.Second))}
	l := f.look(orgID)
	l.want("made = ?", id)
	found, err := l.run(r, Page{Limit: 1})
	if err == nil && len(found.Rows) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return APICall{}, err
	}
	return found.Rows[0], nil
}

// Failures is a group of calls that failed in the same way.
type Failures struct {
	Code   string
	Method string
	Route  string
	Status int
	Count  int
	Latest string // the id of the last call
}

// FailedCalls groups the failed calls of a period by error and place, most frequent first. It reads a bounded
// number of the latest; whole is true if these were all.
func (r Reader) FailedCalls(orgID string, f CallFilter, limit int) (groups []Failures, whole bool, err error) {
	f.Statuses = [2]int{firstFailure, 599}
	l := f.look(orgID)
	text, c := l.from("code, method, route, MAX(status), COUNT(*), MAX(id)")
	text += " GROUP BY code, method, route ORDER BY 5 DESC, 6 DESC LIMIT " + c.arg(limit)
	groups, err = many(r, func(row scanner) (g Failures, err error) {
		err = row.Scan(&g.Code, &g.Method, &g.Route, &g.Status, &g.Count, &g.Latest)
		return g, err
	}, text, c.args...)
	if err != nil {
		return nil, false, err
	}
	end, err := l.end(r)
	return groups, end == nil, err
}
