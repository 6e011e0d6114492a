package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/contactjobs"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerContactImport(a *App) {
	rest.Receive[uploadContactsInput](a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/imports", ID: "uploadContacts", Tag: "Contacts", Role: chat.RoleAdmin, Everybody: true, Status: http.StatusCreated,
		Summary:     "Send a file of contacts",
		Description: "CSV with commas, semicolons, tabs or bars, in UTF-8 or UTF-16, at most 64 MiB and 500,000 rows. Nothing is imported yet.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}},
		Errors:      []chat.Code{chat.CodeUnsupportedMediaType},
	}, a.receiveContacts, addImport)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/imports/{id}/preview", ID: "previewImport", Tag: "Contacts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Show what a mapping makes of the first rows", Description: "Nothing is changed.",
	}, a.previewImport)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/imports/{id}/start", ID: "startImport", Tag: "Contacts", Role: chat.RoleAdmin, Everybody: true, Status: http.StatusAccepted,
		Summary: "Start an import", Description: "It goes on by itself.",
	}, a.startImport)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/imports/{id}/undo", ID: "undoImport", Tag: "Contacts", Role: chat.RoleAdmin, Everybody: true, Status: http.StatusAccepted,
		Summary: "Undo an import",
		Description: "What it made is removed, unless there is a conversation or a note by now; what it changed becomes what it was, " +
			"unless it was changed since. It goes on by itself, and can be asked for within thirty days.",
	}, a.undoImport)
}

type uploadContactsInput struct {
	Filename string `query:"filename" maxLength:"200"`
}

// upload is an uploaded file of contacts.
type upload struct {
	key      string
	filename string
	size     int64
	sample   contactjobs.FileSample
}

// receiveContacts streams the file to the blob store.
func (a *App) receiveContacts(c *rest.Call) (got rest.Received[upload], err error) {
	kind, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if err != nil || kind != "text/csv" {
		return got, chat.Fail(chat.CodeUnsupportedMediaType, "Send the file itself as text/csv.")
	}
	u := upload{key: a.store.NewID(chat.KindContactJob), filename: chat.Filename(c.R.URL.Query().Get("filename"))}
	var info blob.Info
	err = c.Upload(func(body io.Reader) (err error) {
		info, err = a.cfg.Blobs.Put(c.R.Context(), u.key, contactjobs.Decoded(body), contactjobs.MaxFile)
		if errors.Is(err, blob.ErrTooLarge) {
			c.W.Header().Set("Connection", "close")
			return chat.Fail(chat.CodePayloadTooLarge, "A file of contacts can have at most %d MiB. Divide it.", contactjobs.MaxFile>>20)
		}
		return err
	})
	discard := func() { a.cfg.Blobs.Delete(context.WithoutCancel(c.R.Context()), u.key) }
	if err != nil {
		if info.SHA256 != "" { // it has arrived, but there is no slot to record it
			discard()
		}
		return got, err
	}
	u.size = info.Size
	if u.sample, err = contactjobs.Sample(c.R.Context(), a.cfg.Blobs, u.key); err != nil {
		discard()
		return got, err
	}
	return rest.Received[upload]{Value: u, Fingerprint: info.SHA256 + " " + u.filename, Discard: discard}, nil
}

type importView struct {
	Job     contactJobView `json:"job"`
	Header  bool           `json:"header" doc:"The first row looks like the columns' names."`
	Columns []columnView   `json:"columns"`
	Rows    [][]string     `json:"rows" doc:"The first ones, as they are."`
}

type columnView struct {
	Column int    `json:"column"`
	Name   string `json:"name"`
	Field  string `json:"field" doc:"What it most likely is; empty where nothing can be said."`
}

func addImport(tx *store.Tx, c *rest.Call, u upload) (view importView, err error) {
	job, err := core.NewContactJob(tx, *c.Caller.User, chat.JobImport, chat.JobDraft, chat.ContactImport{Filename: u.filename, Delimiter: u.sample.Delimiter})
	if err != nil {
		return view, err
	}
	job.BlobKey, job.Total = &u.key, u.size
	view = importView{Job: viewContactJob(job), Header: u.sample.Header, Rows: u.sample.Rows, Columns: []columnView{}}
	for i, name := range u.sample.Rows[0] {
		column := columnView{Column: i}
		if u.sample.Header {
			column.Name, column.Field = name, guessField(name)
		}
		view.Columns = append(view.Columns, column)
	}
	return view, tx.InsertContactJob(job)
}

// fieldNames are the names of a contact's fields in several languages.
var fieldNames = map[string][]string{
	"phone_number": {"phone", "phone number", "phone_number", "number", "mobile", "tel", "telephone", "telefon", "handy", "nomor", "nomor telepon", "no hp", "whatsapp", "msisdn"},
	"name":         {"name", "full name", "full_name", "contact", "nama", "vorname", "first name", "display name"},
	"email":        {"email", "e-mail", "mail", "email address", "e-mail address", "surel"},
	"labels":       {"labels", "label", "tags", "tag", "groups", "group"},
	"consent":      {"consent", "marketing_consent", "marketing consent", "opt-in", "opt in", "optin", "subscribed", "persetujuan"},
}

func guessField(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, field := range []string{"phone_number", "name", "email", "labels", "consent"} {
		if slices.Contains(fieldNames[field], name) {
			return field
		}
	}
	return ""
}

type mappingBody struct {
	Number  string             `json:"number" pattern:"^[0-9]{6,20}$" doc:"The number whose contacts they become."`
	Mapping chat.ImportMapping `json:"mapping"`
}

type importRowView struct {
	Row      int               `json:"row"`
	Number   string            `json:"phone_number"`
	Name     *string           `json:"name"`
	Email    *string           `json:"email"`
	Labels   []string          `json:"labels"`
	Consent  string            `json:"consent" doc:"Empty: as it is."`
	Metadata map[string]string `json:"metadata"`
	Problem  string            `json:"problem" doc:"Why it cannot be taken; empty where it can."`
}

type importPreviewView struct {
	Rows []importRowView `json:"rows"`
}

func (a *App) previewImport(c *rest.Call, in *rest.SentTo[rest.ContactJobID, mappingBody]) (view importPreviewView, err error) {
	job, err := core.ContactJob(c.Read(), *c.Caller.User, string(in.ID))
	if err != nil {
		return view, err
	}
	if err := in.Body.Mapping.Check(); err != nil {
		return view, err
	}
	if job.BlobKey == nil {
		return view, chat.NotFound("file")
	}
	var task chat.ContactImport
	if err := json.Unmarshal(job.Task, &task); err != nil {
		return view, err
	}
	task.Mapping = &in.Body.Mapping
	rows, err := contactjobs.Preview(c.R.Context(), a.cfg.Blobs, *job.BlobKey, task)
	view.Rows = []importRowView{}
	for _, r := range rows {
		view.Rows = append(view.Rows, importRowView{
			r.Row, r.Number, r.Name, r.Email, append([]string{}, r.Labels...), string(r.Consent), r.Metadata, r.Problem,
		})
	}
	return view, err
}

func (a *App) startImport(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ContactJobID, mappingBody]) (contactJobView, error) {
	account, err := core.SeenNumber(tx.Reader, *c.Caller.User, in.Body.Number)
	if err != nil {
		return contactJobView{}, err
	}
	job, err := core.StartImport(tx, *c.Caller.User, string(in.ID), account, in.Body.Mapping)
	tx.AfterCommit(a.wakeContactJobs)
	return viewContactJob(job), err
}

func (a *App) undoImport(tx *store.Tx, c *rest.Call, in *rest.ByID[rest.ContactJobID]) (contactJobView, error) {
	job, err := core.UndoImport(tx, *c.Caller.User, string(in.ID))
	tx.AfterCommit(a.wakeContactJobs)
	return viewContactJob(job), err
}
