package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

const broadcastPath = "/{phone_number_id}/broadcasts"

func registerBroadcasts(a *API) {
	rest.List(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath, ID: "listBroadcasts", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "List broadcasts, newest first", Description: "A broadcast is one template for many people, with texts of their own for each.",
	}, listBroadcasts)

	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPost, Path: broadcastPath, ID: "createBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Create a broadcast", Status: http.StatusCreated,
		Description: "It is a draft until it is started, or starts by itself at `scheduled_at`. In the texts of the template's parameters, " +
			"`{{contact.name}}`, `{{contact.metadata.KEY}}` and `{{recipient.KEY}}` are filled in for each recipient, with a fallback behind `|` " +
			"where there is no value. More recipients are added with POST …/recipients.",
		Errors: []chat.Code{chat.CodeInvalidTemplateName, chat.CodeProviderFailure},
	}, a.checkNewBroadcast, createBroadcast)

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: broadcastPath + "/{id}", ID: "getBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Get a broadcast", Description: "Its counts are as of now: total = skipped + waiting + sent + failed; the others are parts of sent.",
	}, getBroadcast)

	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: broadcastPath + "/{id}", ID: "updateBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Change a broadcast that has not begun", Description: "Fields that are left out stay as they are; at least one is needed.",
		Errors: []chat.Code{chat.CodeBroadcastState, chat.CodeInvalidTemplateName, chat.CodeProviderFailure},
	}, a.checkBroadcastPatch, updateBroadcast)

	rest.InSteps(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: broadcastPath + "/{id}", ID: "deleteBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Delete a broadcast that has not begun", Description: "With its recipients. One that has begun can be stopped, and stays.",
		Errors: []chat.Code{chat.CodeBroadcastState},
	}, deleteSomeRecipients, deleteBroadcast)
	registerBroadcastMoves(a)
	registerBroadcastRecipients(a)
	registerOptOutWords(a)
}

// broadcastInPath loads the broadcast that the path of a POST names.
func broadcastInPath(c *rest.Call, r store.Reader) error {
	_, err := core.Broadcast(r, c.Account, c.PathValue(1))
	return err
}

// BroadcastView is a broadcast in the API's shape.
type BroadcastView struct {
	ID            rest.BroadcastID      `json:"id"`
	Object        string                `json:"object" enum:"broadcast"`
	Name          string                `json:"name"`
	PhoneNumberID string                `json:"phone_number_id"`
	Status        chat.BroadcastStatus  `json:"status"`
	StatusReason  *string               `json:"status_reason" doc:"Why it is paused, stopped or failed: by_user, quality_red, template_paused, template_disabled, template_edited, account_restricted, account_disconnected, failure_rate, quota_exceeded, subscription_inactive, organization_suspended, media_not_found, no_recipients, label_deleted or restored."`
	Template      broadcastTemplateView `json:"template"`
	Audience      audienceView          `json:"audience"`
	PerSecond     *int64                `json:"per_second" doc:"Messages a second; null: as fast as the number may."`
	ScheduledAt   *rest.Instant         `json:"scheduled_at" nullable:"true"`
	TimeZone      *string               `json:"time_zone" doc:"In which scheduled_at was chosen."`
	StartedAt     *rest.Instant         `json:"started_at" nullable:"true"`
	CompletedAt   *rest.Instant         `json:"completed_at" nullable:"true"`
	Counts        broadcastCountsView   `json:"counts"`
	CreatedAt     rest.Instant          `json:"created_at"`
	UpdatedAt     rest.Instant          `json:"updated_at"`
}

type broadcastTemplateView struct {
	Name       string       `json:"name"`
	Language   string       `json:"language"`
	Components rest.AnyJSON `json:"components"`
}

type audienceView struct {
	LabelIDs []string            `json:"label_ids"`
	Match    string              `json:"match" enum:"any,all"`
	Filter   *chat.ContactFilter `json:"filter,omitzero" doc:"The contacts of the number whom this lets pass, instead of labels."`
}

type broadcastCountsView struct {
	Total     int64 `json:"total"`
	Skipped   int64 `json:"skipped"`
	Waiting   int64 `json:"waiting"`
	Sent      int64 `json:"sent"`
	Delivered int64 `json:"delivered"`
	Read      int64 `json:"read"`
	Replied   int64 `json:"replied"`
	Clicked   int64 `json:"clicked" doc:"Pressed a button."`
	OptedOut  int64 `json:"opted_out" doc:"Said, as an answer, that they want no marketing any more."`
	Failed    int64 `json:"failed"`
}

// ViewBroadcast makes the view of a broadcast.
func ViewBroadcast(phoneNumberID string, b chat.Broadcast, n chat.BroadcastCounts) BroadcastView {
	v := BroadcastView{
		ID: rest.BroadcastID(b.ID), Object: "broadcast", Name: b.Name, PhoneNumberID: phoneNumberID, Status: b.Status, PerSecond: b.PerSecond,
		Template:    broadcastTemplateView{b.Template.Name, b.Template.Language, rest.AnyJSON(b.Template.Components)},
		Audience:    audienceView{LabelIDs: append([]string{}, b.Audience.LabelIDs...), Match: "any", Filter: b.Audience.Filter},
		ScheduledAt: instantOf(b.ScheduledAt), StartedAt: instantOf(b.StartedAt), CompletedAt: instantOf(b.CompletedAt),
		Counts:    viewCounts(n),
		CreatedAt: rest.Instant(b.CreatedAt), UpdatedAt: rest.Instant(b.UpdatedAt),
	}
	if len(v.Template.Components) == 0 {
		v.Template.Components = rest.AnyJSON("[]")
	}
	if b.Audience.MatchAll {
		v.Audience.Match = "all"
	}
	if b.Reason != "" {
		v.StatusReason = new(string(b.Reason))
	}
	if b.TimeZone != "" {
		v.TimeZone = &b.TimeZone
	}
	return v
}

func viewCounts(n chat.BroadcastCounts) broadcastCountsView {
	return broadcastCountsView{
		Total: n.Total, Skipped: n.Skipped, Waiting: n.Waiting, Sent: n.Sent, Delivered: n.Delivered, Read: n.Read, Replied: n.Replied,
		Clicked: n.Clicked, OptedOut: n.OptedOut, Failed: n.Failed,
	}
}

func instantOf(t *time.Time) *rest.Instant { return (*rest.Instant)(t) }

// showBroadcast reads the counts and makes the view.
func showBroadcast(r store.Reader, c *rest.Call, b chat.Broadcast, err error) (BroadcastView, error) {
	if err != nil {
		return BroadcastView{}, err
	}
	n, err := core.Counts(r, b.ID)
	return ViewBroadcast(*c.Account.PhoneNumberID, b, n), err
}

type listBroadcastsInput struct {
	rest.AccountPath
	Status chat.BroadcastStatus `query:"status" doc:"Only those."`
}

func listBroadcasts(c *rest.Call, in *listBroadcastsInput, p store.Page) (store.Slice[BroadcastView], error) {
	r := c.Read()
	found, err := r.Broadcasts(c.Account.OrgID, c.Account.ID, store.BroadcastFilter{Status: in.Status}, p)
	if err != nil {
		return store.Slice[BroadcastView]{}, err
	}
	counts, err := r.Tallies(rest.IDsOf(found.Rows, func(b chat.Broadcast) string { return b.ID })...)
	return rest.ViewEach(found, func(b chat.Broadcast) BroadcastView {
		return ViewBroadcast(*c.Account.PhoneNumberID, b, chat.CountsOf(counts[b.ID]))
	}), err
}

type createBroadcastBody struct {
	Name        string                `json:"name" minLength:"1" maxLength:"200" collapsed:"true" doc:"1 to 200 characters; white space is collapsed. Only colleagues see it."`
	Template    broadcastTemplateBody `json:"template"`
	Audience    *audienceBody         `json:"audience,omitempty" doc:"Whom it goes to. Those with the labels are looked up when it starts."`
	PerSecond   *int64                `json:"per_second,omitempty" minimum:"1" maximum:"1000" nullable:"true" doc:"Messages a second; without it, as fast as the number may."`
	ScheduledAt *rest.Instant         `json:"scheduled_at,omitempty" nullable:"true" doc:"When it starts by itself. Without it, it is a draft."`
	TimeZone    *string               `json:"time_zone,omitempty" minLength:"1" maxLength:"64" nullable:"true" doc:"In which scheduled_at was chosen, such as Asia/Jakarta; it is only shown."`

	checked chat.BroadcastTemplate
}

type broadcastTemplateBody struct {
	Name       string                   `json:"name" minLength:"1" maxLength:"512" trimmed:"true"`
	Language   string                   `json:"language" minLength:"1" maxLength:"20"`
	Components []chat.TemplateComponent `json:"components,omitempty" doc:"As in a message. Texts in the parameters may have variables."`
}

type audienceBody struct {
	LabelIDs   []string            `json:"label_ids,omitempty" maxItems:"50" doc:"Contacts with these labels."`
	Match      string              `json:"match,omitempty" enum:"any,all" default:"any" doc:"With any of the labels, or with all of them."`
	Filter     *chat.ContactFilter `json:"filter,omitempty" doc:"Instead of labels: the contacts of the number whom this lets pass when it starts. {} is all of them."`
	ContactIDs []string            `json:"contact_ids,omitempty" maxItems:"1000" doc:"These contacts."`
	Recipients []newRecipientBody  `json:"recipients,omitempty" maxItems:"1000" doc:"These numbers, whether they are contacts or not."`
}

type newRecipientBody struct {
	To        *string           `json:"to,omitempty" maxLength:"100" doc:"Number in international form. One that is none is recorded and skipped."`
	Recipient *string           `json:"recipient,omitempty" maxLength:"200" doc:"BSUID or parent BSUID."`
	Variables map[string]string `json:"variables,omitempty" maxProperties:"64" doc:"Texts for {{recipient.KEY}}."`
}

func (b *audienceBody) audience() chat.Audience {
	if b == nil {
		return chat.Audience{}
	}
	return chat.Audience{LabelIDs: b.LabelIDs, MatchAll: b.Match == "all", Filter: b.Filter}
}

// newRecipients refuses a recipient without an address. That is a field by another name, not a wrong number of many.
func newRecipients(path string, bodies []newRecipientBody) ([]core.NewRecipient, error) {
	out := make([]core.NewRecipient, len(bodies))
	for i, b := range bodies {
		switch at := fmt.Sprintf("%s[%d].to", path, i); {
		case b.To == nil && b.Recipient == nil:
			return nil, chat.Missing(at)
		case strings.TrimSpace(deref(b.To)+deref(b.Recipient)) == "":
			return nil, chat.Invalid(at, "Must not be empty. Give a number in international form, or recipient for a person without one.")
		}
		out[i] = core.NewRecipient{To: deref(b.To), Recipient: deref(b.Recipient), Variables: b.Variables}
	}
	return out, nil
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// broadcastTemplate checks a broadcast's template like that of a message. The variables stand in for their
// values.
func (a *API) broadcastTemplate(c *rest.Call, b broadcastTemplateBody) (chat.BroadcastTemplate, error) {
	t := chat.BroadcastTemplate{Name: strings.TrimSpace(b.Name), Language: b.Language}
	raw, err := json.Marshal(b.Components)
	if err != nil {
		return t, err
	}
	clean, refused := chat.CleanComponents(raw)
	if refused != nil {
		return t, refused
	}
	t.Components = clean
	mailing, refused := chat.NewMailing(clean)
	if refused == nil {
		refused = mailing.CheckBraces()
	}
	if refused != nil {
		return t, refused
	}
	content, refused := t.Content(clean)
	if refused != nil {
		return t, refused
	}
	content.Check(chat.Sent{Text: c.Body()}) // so that a parameter that is empty is not told of as missing
	if err := c.FindAccount(c.Read()); err != nil {
		return t, err
	}
	return t, a.templates.Choose(c.Ctx, c.Account, content, true).Err
}

func (a *API) checkNewBroadcast(c *rest.Call, in *rest.NumberSent[createBroadcastBody]) (err error) {
	in.Body.checked, err = a.broadcastTemplate(c, in.Body.Template)
	return err
}

func createBroadcast(tx *store.Tx, c *rest.Call, in *rest.NumberSent[createBroadcastBody]) (BroadcastView, error) {
	b := in.Body
	n := core.NewBroadcast{
		Name: b.Name, Template: b.checked, Audience: b.Audience.audience(), PerSecond: b.PerSecond, ScheduledAt: (*time.Time)(b.ScheduledAt), TimeZone: deref(b.TimeZone),
	}
	if b.Audience != nil {
		recipients, err := newRecipients("audience.recipients", b.Audience.Recipients)
		if err != nil {
			return BroadcastView{}, err
		}
		n.ContactIDs, n.Recipients = b.Audience.ContactIDs, recipients
	}
	made, err := core.CreateBroadcast(tx, c.Account, n)
	return showBroadcast(tx.Reader, c, made, err)
}

func getBroadcast(c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (BroadcastView, error) {
	b, err := core.Broadcast(c.Read(), c.Account, string(in.ID))
	return showBroadcast(c.Read(), c, b, err)
}

type updateBroadcastBody struct {
	Name        *string                  `json:"name,omitempty" minLength:"1" maxLength:"200" collapsed:"true" doc:"1 to 200 characters; white space is collapsed."`
	Template    *broadcastTemplateBody   `json:"template,omitempty"`
	Audience    *labelsBody              `json:"audience,omitempty" doc:"Other labels. Recipients that were added stay."`
	PerSecond   chat.Patch[int64]        `json:"per_second,omitzero" minimum:"1" maximum:"1000" doc:"Null: as fast as the number may."`
	ScheduledAt chat.Patch[rest.Instant] `json:"scheduled_at,omitzero" nullable:"true" doc:"Null makes it a draft."`
	TimeZone    chat.Patch[string]       `json:"time_zone,omitzero" minLength:"1" maxLength:"64" doc:"Null: none is shown."`

	checked *chat.BroadcastTemplate
}

type labelsBody struct {
	LabelIDs []string            `json:"label_ids,omitempty" maxItems:"50"`
	Match    string              `json:"match,omitempty" enum:"any,all" default:"any"`
	Filter   *chat.ContactFilter `json:"filter,omitempty" doc:"Instead of labels."`
	// What a creation takes beside them. Ignored, it would take the labels away, and the caller would not know.
	ContactIDs rest.AnyJSON `json:"contact_ids,omitempty" hidden:"true"`
	Recipients rest.AnyJSON `json:"recipients,omitempty" hidden:"true"`
}

// checkNoList refuses a list of recipients.
func (b *labelsBody) checkNoList() error {
	field := "audience.contact_ids"
	switch {
	case b.ContactIDs != nil:
	case b.Recipients != nil:
		field = "audience.recipients"
	default:
		return nil
	}
	return chat.Invalid(field, "A change takes labels or a filter. Recipients are added with POST …/recipients, and removed with DELETE …/recipients.")
}

func (a *API) checkBroadcastPatch(c *rest.Call, in *rest.NumberSentTo[rest.BroadcastID, updateBroadcastBody]) error {
	if audience := in.Body.Audience; audience != nil {
		if err := audience.checkNoList(); err != nil {
			return err
		}
	}
	if in.Body.Template == nil {
		return nil
	}
	t, err := a.broadcastTemplate(c, *in.Body.Template)
	in.Body.checked = &t
	return err
}

func updateBroadcast(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.BroadcastID, updateBroadcastBody]) (BroadcastView, error) {
	b := in.Body
	p := core.BroadcastPatch{
		Name: b.Name, Template: b.checked, PerSecond: b.PerSecond, TimeZone: b.TimeZone,
		ScheduledAt: chat.Patch[time.Time]{Given: b.ScheduledAt.Given, Value: (*time.Time)(b.ScheduledAt.Value)},
	}
	if b.Audience != nil {
		p.Audience = &chat.Audience{LabelIDs: b.Audience.LabelIDs, MatchAll: b.Audience.Match == "all", Filter: b.Audience.Filter}
	}
	changed, err := core.UpdateBroadcast(tx, c.Account, string(in.ID), p)
	return showBroadcast(tx.Reader, c, changed, err)
}

func deleteSomeRecipients(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID], limit int) (int64, error) {
	return core.DeleteSomeRecipients(tx, c.Account, string(in.ID), limit)
}

func deleteBroadcast(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (rest.DeletedView, error) {
	err := core.DeleteBroadcast(tx, c.Account, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "broadcast", Deleted: true}, err
}
