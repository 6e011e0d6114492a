package app

import (
	"encoding/json"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/contactjobs"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerContactBulk(a *App) {
	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/bulk", ID: "changeContacts", Tag: "Contacts", Role: chat.RoleAgent, Status: http.StatusAccepted,
		Summary: "Label or delete many contacts",
		Description: "Those that are named, or all that a filter lets pass. The answer is a job that goes on by itself. " +
			"Contacts of numbers of other teams than the label's are left out, and counted as failed. Deleting is for admins.",
		Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.changeContacts)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/jobs", ID: "listContactJobs", Tag: "Contacts", Role: chat.RoleAgent, Whole: true,
		Summary: "List work on many contacts", Description: "The newest first: one's own, and for admins everybody's, of imports those into numbers that they see.",
	}, listContactJobs)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/jobs/{id}", ID: "getContactJob", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Tell how far work on many contacts is", Description: "One's own, and for admins everybody's, of imports those into numbers that they see.",
	}, getContactJob)
}

type contactBulkBody struct {
	IDs    []rest.ContactID    `json:"ids,omitempty" maxItems:"1000" doc:"Either these or filter."`
	Filter *chat.ContactFilter `json:"filter,omitempty"`
	Change contactChangeBody   `json:"change"`
}

type contactChangeBody struct {
	LabelID       rest.LabelID `json:"label_id,omitempty"`
	RemoveLabelID rest.LabelID `json:"remove_label_id,omitempty"`
	Delete        bool         `json:"delete,omitempty"`
}

// kind is the kind of the change. The body must ask for exactly one.
func (b contactChangeBody) kind() (chat.ContactJobKind, error) {
	switch {
	case b.Delete && b.LabelID == "" && b.RemoveLabelID == "":
		return chat.JobDelete, nil
	case !b.Delete && (b.LabelID == "") != (b.RemoveLabelID == ""):
		return chat.JobLabel, nil
	}
	return "", chat.Invalid("change", "Give one of label_id, remove_label_id and delete.")
}

func (a *App) changeContacts(tx *store.Tx, c *rest.Call, in *rest.Sent[contactBulkBody]) (contactJobView, error) {
	b := in.Body
	kind, err := b.Change.kind()
	if err != nil {
		return contactJobView{}, err
	}
	if (len(b.IDs) == 0) == (b.Filter == nil) {
		return contactJobView{}, chat.Invalid("ids", "Give either ids or filter.")
	}
	if kind == chat.JobDelete && !c.Caller.User.Role.Covers(chat.RoleAdmin) {
		return contactJobView{}, chat.Fail(chat.CodeForbidden, "Only admins delete contacts.")
	}
	bulk := chat.ContactBulk{IDs: rest.Texts(b.IDs), Filter: b.Filter, LabelID: string(b.Change.LabelID)}
	if b.Change.RemoveLabelID != "" {
		bulk.LabelID, bulk.Detach = string(b.Change.RemoveLabelID), true
	}
	job, err := core.ChangeContacts(tx, *c.Caller.User, kind, bulk)
	tx.AfterCommit(a.wakeContactJobs)
	return viewContactJob(job), err
}

// wakeContactJobs wakes this node's worker, if it has one.
func (a *App) wakeContactJobs() {
	if a.cfg.ContactWork != nil {
		a.cfg.ContactWork()
	}
}

type contactJobView struct {
	ID       rest.ContactJobID `json:"id"`
	Kind     string            `json:"kind" enum:"import,label,delete"`
	Status   string            `json:"status" enum:"draft,running,done,undoing,undone,failed"`
	Filename string            `json:"filename" doc:"Of an import."`
	Total    int64             `json:"total" doc:"In contacts; of an import in bytes."`
	Done     int64             `json:"done" doc:"How far it is."`
	Rows     int64             `json:"rows" doc:"Of an import: how many rows were read."`
	Created  int64             `json:"created"`
	Changed  int64             `json:"changed" doc:"Changed, or deleted."`
	Failed   int64             `json:"failed" doc:"Rows that could not be taken, or contacts that could not be changed so."`
	Reason   string            `json:"reason" doc:"Why it failed."`
	UserID   string            `json:"user_id"`
	At       rest.Instant      `json:"created_at"`
}

func viewContactJob(j chat.ContactJob) contactJobView {
	view := contactJobView{
		ID: rest.ContactJobID(j.ID), Kind: string(j.Kind), Status: string(j.Status), Total: j.Total, Done: min(j.Done, j.Total), Created: j.Created, Changed: j.Changed,
		Failed: j.Failed, Reason: j.Reason, UserID: j.UserID, At: rest.Instant(j.CreatedAt),
	}
	if j.Kind == chat.JobImport {
		var task chat.ContactImport
		if json.Unmarshal(j.Task, &task) == nil {
			view.Filename = task.Filename
		}
		view.Rows = contactjobs.RowsOf(j)
	}
	return view
}

// jobsShown is how many jobs are listed.
const jobsShown = 50

func listContactJobs(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[contactJobView], error) {
	jobs, err := core.ContactJobs(c.Read(), *c.Caller.User, jobsShown)
	return rest.ViewEach(store.Slice[chat.ContactJob]{Rows: jobs}, viewContactJob), err
}

func getContactJob(c *rest.Call, in *rest.ByID[rest.ContactJobID]) (contactJobView, error) {
	job, err := core.ContactJob(c.Read(), *c.Caller.User, string(in.ID))
	return viewContactJob(job), err
}
