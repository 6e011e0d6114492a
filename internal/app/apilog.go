package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerAPILog(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/api_log", ID: "listCalls", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "List calls of the API, newest first",
		Description: "They are kept for 30 days. One request looks at a bounded number of calls: has_more may be true with few of them " +
			"or none, and the cursor goes on behind what was looked at.",
	}, listCalls)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/api_log/failures", ID: "groupFailures", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "Group failed calls", Description: "By code and operation, the most frequent first, of at most the latest 20,000 failures.",
	}, groupFailures)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/api_log/{id}", ID: "getCall", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "Get a call of the API", Description: "By its request id.",
	}, getCall)
}

type callView struct {
	ID        rest.RequestID `json:"id"`
	KeyID     string         `json:"key_id"`
	Method    string         `json:"method"`
	Path      string         `json:"path" doc:"As it was called, without the query."`
	Route     *string        `json:"route" nullable:"true" doc:"The operation's path with its variables. Null where there is no such operation."`
	Status    int            `json:"status"`
	LatencyMS float64        `json:"latency_ms"`
	IP        string         `json:"ip"`
	Code      *string        `json:"code" nullable:"true" doc:"What went wrong."`
	Param     *string        `json:"param" nullable:"true"`
	Message   *string        `json:"message" nullable:"true"`
	Made      *string        `json:"made" nullable:"true" doc:"The id of what the call made, or was about."`
	CreatedAt rest.Instant   `json:"created_at"`
}

func viewCall(c store.APICall) callView {
	return callView{
		ID: rest.RequestID(c.RequestID), KeyID: c.KeyID, Method: c.Method, Path: c.Path, Route: orNil(c.Route), Status: c.Status,
		LatencyMS: float64(c.Latency.Microseconds()) / 1000, IP: c.IP, Code: orNil(c.Code), Param: orNil(c.Param),
		Message: orNil(c.Message), Made: orNil(c.Made), CreatedAt: rest.Instant(chat.TimeOf(c.RequestID)),
	}
}

// orNil is nil for an empty text.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type callFilter struct {
	Method string     `query:"method" enum:"GET,POST,PATCH,PUT,DELETE"`
	Status string     `query:"status" pattern:"^([1-5]xx|[1-5][0-9][0-9]|failed)$" doc:"One, such as 404; a hundred of them, such as 4xx; or failed: 400 and above."`
	Path   string     `query:"path" minLength:"1" maxLength:"200" doc:"Any part of it, in whatever case."`
	Route  string     `query:"route" minLength:"1" maxLength:"200" doc:"The operation's path with its variables."`
	KeyID  rest.KeyID `query:"key_id"`
	Code   string     `query:"code" pattern:"^[a-z0-9_]{1,64}$"`
	From   *time.Time `query:"from"`
	Until  *time.Time `query:"until"`
}

func (f callFilter) filter() store.CallFilter {
	return store.CallFilter{
		Method: f.Method, Statuses: statusesOf(f.Status), Path: f.Path, Route: f.Route, KeyID: string(f.KeyID), Code: f.Code, From: f.From, Until: f.Until,
	}
}

// statusesOf are the first and the last status that a filter names. The pattern accepted it.
func statusesOf(text string) [2]int {
	switch {
	case text == "":
		return [2]int{}
	case text == "failed":
		return [2]int{400, 599}
	case text[1:] == "xx":
		first := int(text[0]-'0') * 100
		return [2]int{first, first + 99}
	default:
		n, _ := strconv.Atoi(text)
		return [2]int{n, n}
	}
}

func listCalls(c *rest.Call, in *callFilter, p store.Page) (store.Slice[callView], error) {
	found, err := c.Read().APICalls(c.OrgID(), in.filter(), p)
	return rest.ViewEach(found, viewCall), err
}

func getCall(c *rest.Call, in *rest.ByID[rest.RequestID]) (callView, error) {
	call, err := c.Read().APICall(c.OrgID(), string(in.ID))
	return viewCall(call), err
}

type failuresView struct {
	Groups []failureGroupView `json:"groups"`
	Whole  bool               `json:"whole" doc:"All failures of the time were looked at."`
}

type failureGroupView struct {
	Code   *string      `json:"code" nullable:"true"`
	Method string       `json:"method"`
	Route  *string      `json:"route" nullable:"true"`
	Status int          `json:"status"`
	Count  int          `json:"count"`
	Latest string       `json:"latest" doc:"The request id of the last of them."`
	At     rest.Instant `json:"at" doc:"When that was."`
}

// maxGroups is the number of groups of failures shown.
const maxGroups = 50

func groupFailures(c *rest.Call, in *callFilter) (failuresView, error) {
	groups, whole, err := c.Read().FailedCalls(c.OrgID(), in.filter(), maxGroups)
	view := failuresView{Groups: make([]failureGroupView, len(groups)), Whole: whole}
	for i, g := range groups {
		view.Groups[i] = failureGroupView{orNil(g.Code), g.Method, orNil(g.Route), g.Status, g.Count, g.Latest, rest.Instant(chat.TimeOf(g.Latest))}
	}
	return view, err
}
