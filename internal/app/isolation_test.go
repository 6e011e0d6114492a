package app_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// holder is an organization that has one of everything that a path can name. ids are found by the fixed words of
// the path before them: "contacts/notes" is the note of /contacts/{id}/notes/{note_id}, and "" the number.
type holder struct {
	*console
	owner *apptest.Browser
	key   *apptest.Browser
	ids   map[string]string
}

func newHolder(t testing.TB, w *apptest.World) *holder {
	t.Helper()
	h := &holder{console: newConsole(t, w)}
	h.owner, h.key = w.As(t, w.User(t, h.org, chat.RoleOwner, chat.SeesAll, h.org.TeamID)), w.WithKey(t, h.org.ID)
	h.makeAll(t)
	return h
}

// makeAll makes one of everything.
func (h *holder) makeAll(t testing.TB) {
	t.Helper()
	h.ids = map[string]string{"": *h.account.PhoneNumberID}
	h.talk(t)
	h.administer(t)
	h.makeCustomer(t)
	h.makeCampaign(t)
}

// make creates an object on the dashboard and returns its id.
func (h *holder) make(t testing.TB, words, path, body string, header ...string) string {
	t.Helper()
	r := h.owner.Do(t, "POST", path, body, header...)
	var made struct {
		ID       string
		Job, Key struct{ ID string }
	}
	if r.Status >= 300 {
		t.Fatalf("POST %s answered %d %s", path, r.Status, r.Body)
	}
	r.Data(t, &made)
	h.ids[words] = made.ID + made.Job.ID + made.Key.ID // it has one of them
	return h.ids[words]
}

// talk makes a conversation with all that belongs to it.
func (h *holder) talk(t testing.TB) {
	number := "/" + h.ids[""]
	h.ids["wamid"] = "wamid." + h.ids[""]
	conversation := h.receive(t, h.account, "+4915112345678", h.ids["wamid"], "Hello")
	h.ids["conversations"] = conversation
	label := h.make(t, "labels", "/labels", `{"name":"VIP","team_id":"`+h.org.TeamID+`"}`)
	h.ids["conversations/labels"], h.ids["contacts/labels"] = label, label
	h.owner.Do(t, "POST", "/conversations/"+conversation+"/labels", `{"label_id":"`+label+`"}`).RequireStatus(t, http.StatusOK)
	h.make(t, "conversations/notes", "/conversations/"+conversation+"/notes", `{"body":"x"}`)
	contact := h.make(t, "contacts", number+"/contacts", `{"phone_number":"+4915112345679"}`)
	h.owner.Do(t, "POST", number+"/contacts/"+contact+"/labels", `{"label_id":"`+label+`"}`).RequireStatus(t, http.StatusOK)
	h.make(t, "contacts/notes", "/contacts/"+contact+"/notes", `{"body":"x"}`)
	h.make(t, "contacts/twin", number+"/contacts", `{"bsuid":"DE.twin"}`)
	h.make(t, "messages", number+"/messages", `{"messaging_product":"chat","to":"+4915112345678","type":"image","image":{"link":"https://files.example/a.png"}}`)
	h.ids["media"] = h.store(t, h.account, "a.pdf", "application/pdf").ID
}

// administer makes what the pages for administrators show.
func (h *holder) administer(t testing.TB) {
	h.ids["api_log"] = h.log(t, store.APICall{Method: "GET", Path: "/v1/me", Status: 200})
	h.make(t, "contacts/imports", "/contacts/imports?filename=people.csv", peopleFile, "Content-Type", "text/csv")
	h.ids["contacts/jobs"] = h.ids["contacts/imports"]
	h.make(t, "keys", "/keys", `{"name":"x"}`)
	h.make(t, "replies", "/replies", `{"name":"x","body":"x"}`)
	h.make(t, "teams", "/teams", `{"name":"Beside `+h.ids[""]+`"}`)
	h.make(t, "views", "/views", `{"name":"x","filter":{},"shared":true}`)
	h.ids["users"] = h.User(t, h.org, chat.RoleAgent, chat.SeesAll, h.org.TeamID).ID
	h.ids["webhook_subscriptions"], _, h.ids["webhook_subscriptions/secrets"] = h.endpoint(t)
	h.ids["webhook_deliveries"] = h.deliver(t, h.ids["webhook_subscriptions"], chat.DeliveryDead, 500)
	h.owner.Do(t, "POST", "/webhook_subscriptions/"+h.ids["webhook_subscriptions"]+"/secrets", `{}`).RequireStatus(t, http.StatusCreated)
	h.ids["events"] = ids(t, h.owner, "/events")[0]
}

// makeCustomer makes a customer with a link and a number.
func (h *holder) makeCustomer(t testing.TB) {
	customer := h.make(t, "customers", "/customers", `{"name":"x","team_id":"`+h.org.TeamID+`"}`)
	h.make(t, "customers/setup_links", "/customers/"+customer+"/setup_links", `{}`)
	account := newNumber(t, h.Store, h.org)
	account.CustomerID = &customer
	storetest.InTx(t, h.Store, func(tx *store.Tx) error { return tx.UpdateAccount(account) })
	h.ids["customers/whatsapp_accounts"] = *account.PhoneNumberID
}

// templateParts are the templates of everybody. Most of them take a file.
var templateParts = map[string]string{
	"promo":         `[{"type":"BODY","text":"Hi"}]`,
	"with_image":    `[{"type":"HEADER","format":"IMAGE"},{"type":"BODY","text":"Hi"}]`,
	"with_video":    `[{"type":"HEADER","format":"VIDEO"},{"type":"BODY","text":"Hi"}]`,
	"with_document": `[{"type":"HEADER","format":"DOCUMENT"},{"type":"BODY","text":"Hi"}]`,
	"cards_image":   `[{"type":"BODY","text":"Hi"},{"type":"CAROUSEL","cards":[{"components":[{"type":"HEADER","format":"IMAGE"},{"type":"BODY","text":"Hi"}]}]}]`,
	"cards_video":   `[{"type":"BODY","text":"Hi"},{"type":"CAROUSEL","cards":[{"components":[{"type":"HEADER","format":"VIDEO"},{"type":"BODY","text":"Hi"}]}]}]`,
}

// makeCampaign makes templates, a draft of one, and a broadcast.
func (h *holder) makeCampaign(t testing.TB) {
	h.ids["templates"] = "promo"
	h.Provider.OnTemplates = func(provider.Number, provider.TemplateQuery) (provider.TemplatePage, error) {
		return provider.TemplatePage{}, errors.New("the network would say that there are none, and they would go")
	}
	storetest.InTx(t, h.Store, func(tx *store.Tx) error {
		for name, parts := range templateParts {
			if err := tx.InsertTemplate(chat.Template{
				ID: tx.NewID(chat.KindTemplate), OrgID: h.org.ID, WABAID: h.account.WABAID, Name: name, Language: "en", Status: chat.TemplateApproved, ProviderStatus: "APPROVED",
				Category: new("UTILITY"), Format: chat.FormatPositional, Components: json.RawMessage(parts), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}); err != nil {
				return err
			}
		}
		b, err := core.CreateBroadcast(tx, h.account, core.NewBroadcast{
			Name: "Sale", Template: chat.BroadcastTemplate{Name: "promo", Language: "en"}, Recipients: []core.NewRecipient{{To: "+4915510000001"}},
		})
		h.ids["broadcasts"] = b.ID
		return err
	})
	h.make(t, "template-drafts", "/"+h.ids[""]+"/template-drafts", `{"name":"","language":"","category":"","content":{}}`)
}

// bodies are what the operations with a path that names something need beside it.
var bodies = map[string]string{
	"PATCH /labels/{id}":                                 `{"name":"x"}`,
	"PATCH /teams/{id}":                                  `{"name":"x"}`,
	"PATCH /users/{id}":                                  `{"name":"x"}`,
	"PATCH /views/{id}":                                  `{"name":"x"}`,
	"PATCH /replies/{id}":                                `{"name":"x"}`,
	"PATCH /customers/{id}":                              `{"name":"x"}`,
	"PATCH /customers/{id}/setup_links/{link_id}":        `{"success_redirect_url":null}`,
	"PATCH /webhook_subscriptions/{id}":                  `{"description":"x"}`,
	"POST /webhook_subscriptions/{id}/test":              `{"event_type":"message.sent"}`,
	"POST /contacts/imports/{id}/preview":                `{"number":"${}","mapping":{"header":true,"country":"DE","columns":[{"column":0,"field":"phone_number"}]}}`,
	"POST /contacts/imports/{id}/start":                  `{"number":"${}","mapping":{"header":true,"country":"DE","columns":[{"column":0,"field":"phone_number"}]}}`,
	"POST /contacts/{id}/notes":                          `{"body":"x"}`,
	"PATCH /contacts/{id}/notes/{note_id}":               `{"body":"y"}`,
	"PATCH /conversations/{id}":                          `{"status":"resolved"}`,
	"PUT /conversations/{id}/draft":                      `{"body":"x"}`,
	"POST /conversations/{id}/labels":                    `{"label_id":"${labels}"}`,
	"POST /conversations/{id}/notes":                     `{"body":"x"}`,
	"PATCH /conversations/{id}/notes/{note_id}":          `{"body":"y"}`,
	"POST /conversations/{id}/presence":                  `{"state":"viewing"}`,
	"POST /{phone_number_id}/broadcasts":                 `{"name":"x","template":{"name":"promo","language":"en"},"recipients":[{"to":"+4915510000001"}]}`,
	"PATCH /{phone_number_id}/broadcasts/{id}":           `{"name":"x"}`,
	"POST /{phone_number_id}/broadcasts/{id}/recipients": `{"recipients":[{"to":"+4915510000002"}]}`,
	"POST /{phone_number_id}/broadcasts/{id}/test":       `{"to":"+4915510000003"}`,
	"POST /{phone_number_id}/contacts":                   `{"phone_number":"+4915510000004"}`,
	"POST /{phone_number_id}/contacts/bulk_label":        `{"operation":"attach","contact_ids":["${contacts}"],"label_id":"${labels}"}`,
	"PATCH /{phone_number_id}/contacts/{id}":             `{"name":"x"}`,
	"POST /{phone_number_id}/contacts/{id}/labels":       `{"label_id":"${labels}"}`,
	"POST /{phone_number_id}/contacts/{id}/merge":        `{"contact_id":"${contacts/twin}"}`,
	"PATCH /{phone_number_id}/conversations/{id}":        `{"status":"resolved"}`,
	"POST /{phone_number_id}/conversations/{id}/labels":  `{"label_id":"${labels}"}`,
	"POST /{phone_number_id}/messages":                   `{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"x"}}`,
	"PATCH /{phone_number_id}/number":                    `{"require_opt_in":true}`,
	"PATCH /{phone_number_id}/number/profile":            `{"about":"x"}`,
	"POST /{phone_number_id}/register":                   `{"pin":"123456"}`,
	"POST /{phone_number_id}/template-drafts":            `{"name":"","language":"","category":"","content":{}}`,
	"PUT /{phone_number_id}/template-drafts/{id}":        `{"name":"","language":"","category":"","content":{}}`,
	"POST /{phone_number_id}/templates":                  `{"name":"hello","language":"en","category":"UTILITY","components":[{"type":"BODY","text":"Hi"}]}`,
	"PATCH /{phone_number_id}/templates/{name}":          `{"components":[{"type":"BODY","text":"Hi"}]}`,
}

// queries are what they need in their addresses.
var queries = map[string]string{
	"GET /contacts/{id}/merge": "?with=${contacts/twin}",
}

// namesNothing are the words before a part of a path that names no row of an organization.
var namesNothing = map[string]string{
	"links":         "the token of a link is its permission",
	"opt_out_words": "a language",
}

// op is an operation whose path names something.
type op struct {
	method, path string
	words        []string // for each part that names something
}

func (o op) name() string { return o.method + " " + o.path }

// operationsOnRows are the operations of a surface whose path names a row: those that only read first, and what
// deletes last, the innermost before what contains it.
func operationsOnRows(t testing.TB, d *apitest.Document) (all []op) {
	t.Helper()
	for path, item := range d.At("paths") {
		for method := range item.(map[string]any) {
			o := op{method: strings.ToUpper(method), path: path, words: wordsOf(path)}
			if len(o.words) > 0 && namesNothing[o.words[0]] == "" {
				all = append(all, o)
			}
		}
	}
	order := []string{"GET", "PUT", "PATCH", "POST", "DELETE"}
	slices.SortFunc(all, func(a, b op) int {
		if a.method != b.method {
			return slices.Index(order, a.method) - slices.Index(order, b.method)
		}
		if depth := strings.Count(b.path, "/") - strings.Count(a.path, "/"); depth != 0 {
			return depth
		}
		return strings.Compare(a.path, b.path)
	})
	return all
}

// wordsOf are the fixed words before each part of a path that names something.
func wordsOf(path string) (words []string) {
	var fixed []string
	for _, part := range strings.Split(path, "/")[1:] {
		if strings.HasPrefix(part, "{") {
			words = append(words, strings.Join(fixed, "/"))
		} else {
			fixed = append(fixed, part)
		}
	}
	return words
}

// fill puts ids into a path, and those of the caller's own organization into the body and the query.
func (o op) fill(ids, own map[string]string) (target, body string) {
	parts, next := strings.Split(o.path, "/"), 0
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = ids[o.words[next]]
			next++
		}
	}
	target, body = strings.Join(parts, "/")+queries[o.name()], bodies[o.name()]
	for words, id := range own {
		target, body = strings.ReplaceAll(target, "${"+words+"}", id), strings.ReplaceAll(body, "${"+words+"}", id)
	}
	return target, body
}

// missing are ids of the same form, and of the same instant, that nothing has.
func (h *holder) missing() map[string]string {
	ids := map[string]string{}
	for words, id := range h.ids {
		switch kind, ulid, is := strings.Cut(id, "_"); {
		case is:
			ids[words] = kind + "_" + ulid[:10] + "0000000000000000"
		case words == "templates":
			ids[words] = "missing"
		case words == "wamid":
			ids[words] = "wamid.99999999999"
		default:
			ids[words] = "99999999999"
		}
	}
	return ids
}

// ask calls an operation and returns what the caller learns of it, which must be one of the codes.
func (o op) ask(t testing.TB, b *apptest.Browser, ids, own map[string]string, codes ...string) string {
	t.Helper()
	target, body := o.fill(ids, own)
	r := b.Do(t, o.method, target, body)
	if f := r.Failure(t); !slices.Contains(codes, f.Code) {
		t.Errorf("%s %s answered %d %s, want %v", o.method, target, r.Status, r.Body, codes)
	}
	text := strings.ReplaceAll(string(r.Body), r.Header.Get("X-Request-Id"), "")
	for _, id := range ids {
		text = strings.ReplaceAll(text, id, "(id)")
	}
	return text
}

// Whatever a path names of another organization looks missing, on both surfaces and in every operation: the answer
// is that for an id that nothing has, and nothing changes. A new operation is tried as soon as it is registered.
func TestAnothersRowsLookMissing(t *testing.T) {
	t.Parallel()
	for surface, of := range map[string]func(*apptest.World, *holder) (*apitest.Document, *apptest.Browser){
		"dashboard": func(w *apptest.World, h *holder) (*apitest.Document, *apptest.Browser) { return w.Document(), h.owner },
		"API":       func(w *apptest.World, h *holder) (*apitest.Document, *apptest.Browser) { return w.Public(), h.key },
	} {
		t.Run(surface, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, w *apptest.World) {
				theirs, mine := newHolder(t, w), newHolder(t, w)
				document, stranger := of(w, mine)
				_, owner := of(w, theirs)
				operations, missing := operationsOnRows(t, document), theirs.missing()
				w.Tables.Unchanged(t, theirs.org.ID, func() {
					for _, o := range operations {
						mine.tryOn(t, o, stranger, theirs, missing)
					}
				})
				for _, o := range operations {
					o.requireItself(t, owner, theirs)
				}
			})
		})
	}
}

// What belongs to a number looks missing to colleagues who may not see the number, and to those who may see only
// what is assigned to them; or their role forbids the operation, whatever it names.
func TestHiddenNumbersRowsLookMissing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*holder) chat.User{
		"an admin of another team": func(h *holder) chat.User { return h.User(t, h.org, chat.RoleAdmin, chat.SeesTeams, h.ids["teams"]) },
		"an agent of another team": func(h *holder) chat.User { return h.User(t, h.org, chat.RoleAgent, chat.SeesTeams, h.ids["teams"]) },
		"an agent without work":    func(h *holder) chat.User { return h.User(t, h.org, chat.RoleAgent, chat.SeesAssigned) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, newHolder, func(t *testing.T, h *holder) {
				colleague, missing := h.As(t, of(h)), h.missing()
				h.Tables.Unchanged(t, h.org.ID, func() {
					for _, o := range operationsOnRows(t, h.Document()) {
						if !slices.Contains([]string{"", "conversations", "contacts", "broadcasts"}, o.words[0]) {
							continue // of the whole organization
						}
						codes := []string{"resource_not_found", "forbidden"}
						if got, want := o.ask(t, colleague, h.ids, h.ids, codes...), o.ask(t, colleague, missing, h.ids, codes...); got != want {
							t.Errorf("%s tells a hidden row from none:\n%s\n%s", o.name(), got, want)
						}
					}
				})
			})
		})
	}
}

// tryOn calls an operation with ids of another organization: all of them, and only the last, below what is one's own.
func (h *holder) tryOn(t *testing.T, o op, as *apptest.Browser, theirs *holder, missing map[string]string) {
	t.Helper()
	last := o.words[len(o.words)-1]
	mixed, absent := maps.Clone(h.ids), maps.Clone(h.ids)
	mixed[last], absent[last] = theirs.ids[last], missing[last]
	if last == "templates" { // a name, which is not an organization's alone
		mixed[last] = missing[last]
	}
	for _, try := range [][2]map[string]string{{theirs.ids, missing}, {mixed, absent}} {
		if got, want := o.ask(t, as, try[0], h.ids, "resource_not_found"), o.ask(t, as, try[1], h.ids, "resource_not_found"); got != want {
			t.Errorf("%s tells another's row from none:\n%s\n%s", o.name(), got, want)
		}
	}
}

// requireItself checks that the ids were those of rows that are there, and the body one that is taken: the owner gets
// something else than resource_not_found, and no complaint about the body.
func (o op) requireItself(t *testing.T, as *apptest.Browser, h *holder) {
	t.Helper()
	target, body := o.fill(h.ids, h.ids)
	r := as.Try(t, o.method, target, body)
	var answer struct{ Error apitest.Failure }
	if json.Unmarshal(r.Body, &answer); slices.Contains([]string{"resource_not_found", "missing_required_field", "invalid_json"}, answer.Error.Code) {
		t.Errorf("%s %s %s answers its owner %d %s", o.method, target, body, r.Status, r.Body)
	}
}
