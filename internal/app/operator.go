package app

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// Storage gives the sizes of the embedded store's files beside the database; nil for PostgreSQL.
type Storage struct{ Journal, Search func() int64 }

func registerOperator(a *App) {
	forOperator(a, rest.Operation{
		Method: http.MethodGet, Path: "/operator/organizations", ID: "getOperatorOrganizations", Tag: "Operator",
		Summary:     "See all organizations of the service, with counts",
		Description: "Messages are those of this month in UTC. Nothing of what people write is shown.",
	}, operatorOrganizations)
	forOperator(a, rest.Operation{
		Method: http.MethodGet, Path: "/operator/system", ID: "getOperatorSystem", Tag: "Operator",
		Summary: "See the nodes, what waits, and what is stored", Description: "Counts of what waits stop at 10,000.",
	}, a.operatorSystem)
}

// forOperator registers an operation for operators only. The server's settings name the operators; no role in
// an organization is enough.
func forOperator[O any](a *App, op rest.Operation, fn func(c *rest.Call) (O, error)) {
	op.Role = chat.RoleAgent
	rest.Read(a.surface, op, func(c *rest.Call, _ *noInput) (out O, err error) {
		if !a.isOperator(c.Caller.User) {
			return out, chat.Fail(chat.CodeForbidden, "This is for the operator of the service.")
		}
		return fn(c)
	})
}

func (a *App) isOperator(u *chat.User) bool { return slices.Contains(a.cfg.Operators, u.ID) }

type operatorOrganizationsView struct {
	Since         rest.Instant               `json:"since" doc:"From when on messages are counted."`
	Organizations []operatorOrganizationView `json:"organizations"`
	Plans         []operatorPlanView         `json:"plans"`
}

type operatorOrganizationView struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Plan         string       `json:"plan"`
	Subscription string       `json:"subscription"`
	Suspended    bool         `json:"suspended"`
	Numbers      int64        `json:"numbers"`
	Users        int64        `json:"users"`
	Sent         int64        `json:"sent" doc:"Outbound messages."`
	Received     int64        `json:"received"`
	CreatedAt    rest.Instant `json:"created_at"`
}

type operatorPlanView struct {
	Name            string `json:"name"`
	API             bool   `json:"api"`
	Customers       bool   `json:"customers"`
	MonthlyMessages *int64 `json:"monthly_messages" doc:"Null: no limit."`
	RetentionDays   *int64 `json:"retention_days" doc:"Null: for ever."`
	WritePerMinute  int64  `json:"write_per_minute"`
	ReadPerMinute   int64  `json:"read_per_minute"`
}

func operatorOrganizations(c *rest.Call) (view operatorOrganizationsView, err error) {
	now := c.Now().UTC()
	since := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	view = operatorOrganizationsView{Since: rest.Instant(since), Organizations: []operatorOrganizationView{}, Plans: []operatorPlanView{}}
	r := c.Read()
	organizations, err := r.OrganizationFigures(since)
	if err != nil {
		return view, err
	}
	for _, o := range organizations {
		view.Organizations = append(view.Organizations, operatorOrganizationView{
			o.ID, o.Name, o.Plan, string(o.Subscription), o.Suspended, o.Numbers, o.Users, o.Messages, o.Received, rest.Instant(o.CreatedAt),
		})
	}
	plans, err := r.Plans()
	for _, p := range plans {
		view.Plans = append(view.Plans, operatorPlanView{
			p.Name, p.API, p.Customers, p.MonthlyMessages, p.RetentionDays, p.WritePerMinute, p.ReadPerMinute,
		})
	}
	return view, err
}

type operatorSystemView struct {
	Version string             `json:"version" doc:"Of the node that answers."`
	Node    string             `json:"node" doc:"The one that answers."`
	Nodes   []operatorNodeView `json:"nodes" doc:"Those that the others take for alive."`
	Queues  operatorQueuesView `json:"queues"`
	Storage operatorStoreView  `json:"storage"`
}

type operatorNodeView struct {
	ID    string        `json:"id"`
	Until *rest.Instant `json:"until" nullable:"true" doc:"How long its last sign of life holds; null where no other node can use the store, so that it gives none."`
	Late  bool          `json:"late" doc:"It should have given another by now."`
}

type operatorQueuesView struct {
	Messages   int `json:"messages" doc:"To be sent."`
	Deliveries int `json:"deliveries" doc:"Of webhooks."`
	Lanes      int `json:"lanes" doc:"Webhook endpoints with deliveries that wait."`
	Callbacks  int `json:"callbacks" doc:"Of the provider, stored until they can be applied."`
	Files      int `json:"files" doc:"To be fetched from the provider."`
}

type operatorStoreView struct {
	Engine   string `json:"engine"`
	Database int64  `json:"database_bytes"`
	Journal  int64  `json:"journal_bytes" doc:"Of the embedded store; else 0."`
	Search   int64  `json:"search_bytes" doc:"Likewise."`
	Files    int64  `json:"files"`
	Media    int64  `json:"media_bytes"`
}

func (a *App) operatorSystem(c *rest.Call) (view operatorSystemView, err error) {
	r := c.Read()
	view = operatorSystemView{Version: a.cfg.Version, Nodes: []operatorNodeView{}, Storage: operatorStoreView{Engine: a.store.Engine()}}
	if a.cfg.Node != nil {
		view.Node = a.cfg.Node()
	}
	nodes, err := r.NodeBeats()
	if err != nil {
		return view, err
	}
	slices.SortFunc(nodes, func(a, b store.NodeBeat) int { return cmp.Compare(b.Beat, a.Beat) })
	for _, n := range nodes {
		node := operatorNodeView{ID: n.Node}
		if until := time.UnixMilli(n.Beat); !a.store.Alone() {
			node.Until, node.Late = rest.InstantPtr(&until), until.Before(c.Now())
		}
		view.Nodes = append(view.Nodes, node)
	}
	queues, err := r.ServiceQueues()
	if err != nil {
		return view, err
	}
	view.Queues = operatorQueuesView(queues)
	return view, a.storage(r, &view.Storage)
}

func (a *App) storage(r store.Reader, view *operatorStoreView) (err error) {
	if a.cfg.Storage != nil {
		view.Journal, view.Search = a.cfg.Storage.Journal(), a.cfg.Storage.Search()
	}
	if view.Database, err = r.DatabaseBytes(); err != nil {
		return err
	}
	view.Files, view.Media, err = r.MediaBytes()
	return err
}
