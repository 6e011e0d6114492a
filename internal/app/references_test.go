package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	inbox     = `"view":"all"`
	mapping   = `"header":true,"country":"DE","columns":[{"column":0,"field":"phone_number"}]`
	promotion = `"name":"x","template":{"name":"promo","language":"en"}`
	message   = `"messaging_product":"chat","recipient":"${conversations}"`
)

// references are queries and bodies that name rows, each once: <labels> is the id of a label that the caller should not
// be able to use, ${labels} one of the caller's own.
var references = map[string][]string{
	"GET /api_log":                                {"?key_id=<keys>"},
	"GET /api_log/failures":                       {"?key_id=<keys>"},
	"GET /audit":                                  {"?by=<users>"},
	"GET /audit/export":                           {"?by=<users>"},
	"GET /accounts":                               {"?customer_id=<customers>"},
	"GET /contacts":                               {"?label_ids=<labels>", "?number=<>"},
	"GET /contacts/count":                         {"?label_ids=<labels>", "?number=<>"},
	"GET /contacts/export":                        {"?label_ids=<labels>", "?number=<>"},
	"GET /contacts/{id}/merge":                    {"?with=<contacts>"},
	"GET /conversations":                          {"?assigned_to=<users>", "?label_id=<labels>", "?number=<>", "?team_id=<teams>"},
	"GET /conversations/counts":                   {"?number=<>", "?team_id=<teams>"},
	"GET /conversations/matching":                 {"?assigned_to=<users>", "?label_id=<labels>", "?number=<>", "?team_id=<teams>"},
	"GET /conversations/{id}/timeline":            {"?around=<messages>", "?newer=<messages>"},
	"GET /customers":                              {"?team_id=<teams>"},
	"GET /event_subjects":                         {"?ids=<events>"},
	"GET /events":                                 {"?number=<>"},
	"GET /figures":                                {"?number=<>"},
	"GET /labels":                                 {"?team_id=<teams>"},
	"GET /numbers":                                {"?team_id=<teams>"},
	"GET /search":                                 {"?q=hello&number=<>"},
	"GET /story":                                  {"?id=<messages>"},
	"GET /webhook_deliveries":                     {"?event_id=<events>", "?subscription_id=<webhook_subscriptions>"},
	"GET /webhook_deliveries/replayable":          {"?subscription_id=<webhook_subscriptions>"},
	"GET /{phone_number_id}/contacts":             {"?label_id=<labels>"},
	"GET /{phone_number_id}/conversations":        {"?assigned_to=<users>", "?contact_id=<contacts>", "?label_id=<labels>"},
	"GET /{phone_number_id}/messages":             {"?conversation_id=<conversations>", "?message_id=<wamid>"},
	"PATCH /conversations/{id}":                   {`{"assigned_to":"<users>"}`},
	"PATCH /conversations/{id}/notes/{note_id}":   {`{"body":"x","mentions":["<users>"]}`},
	"PATCH /replies/{id}":                         {`{"media_id":"<media>"}`, `{"team_id":"<teams>"}`},
	"PATCH /users/{id}":                           {`{"teams":["<teams>"]}`},
	"PATCH /views/{id}":                           {`{"filter":{"assigned_to":"<users>"}}`, `{"filter":{"label_id":"<labels>"}}`, `{"filter":{"number":"<>"}}`, `{"filter":{"team_id":"<teams>"}}`},
	"PATCH /webhook_subscriptions/{id}":           {`{"phone_number_ids":["<>"]}`},
	"PATCH /{phone_number_id}/broadcasts/{id}":    {`{"audience":{"filter":{"label_ids":["<labels>"]}}}`, `{"audience":{"filter":{"number":"<>"}}}`, `{"audience":{"label_ids":["<labels>"]}}`},
	"PATCH /{phone_number_id}/conversations/{id}": {`{"assigned_to":"<users>"}`},
	"POST /contacts/bulk": {
		`{"ids":["${contacts}"],"change":{"label_id":"<labels>"}}`, `{"ids":["${contacts}"],"change":{"remove_label_id":"<labels>"}}`,
		`{"filter":{"label_ids":["<labels>"]},"change":{"label_id":"${labels}"}}`, `{"filter":{"number":"<>"},"change":{"label_id":"${labels}"}}`,
		`{"ids":["<contacts>"],"change":{"label_id":"${labels}"}}`,
	},
	"POST /contacts/imports/{id}/preview": {`{"number":"${}","mapping":{"label_ids":["<labels>"],` + mapping + `}}`, `{"number":"<>","mapping":{` + mapping + `}}`},
	"POST /contacts/imports/{id}/start":   {`{"number":"${}","mapping":{"label_ids":["<labels>"],` + mapping + `}}`, `{"number":"<>","mapping":{` + mapping + `}}`},
	"POST /conversations/bulk": {
		`{"ids":["${conversations}"],"change":{"assigned_to":"<users>"}}`, `{"ids":["${conversations}"],"change":{"label_id":"<labels>"}}`,
		`{"ids":["${conversations}"],"change":{"remove_label_id":"<labels>"}}`, `{"filter":{"assigned_to":"<users>",` + inbox + `},"change":{"status":"open"}}`,
		`{"filter":{"label_id":"<labels>",` + inbox + `},"change":{"status":"open"}}`, `{"filter":{"number":"<>",` + inbox + `},"change":{"status":"open"}}`,
		`{"filter":{"team_id":"<teams>",` + inbox + `},"change":{"status":"open"}}`, `{"ids":["<conversations>"],"change":{"status":"open"}}`,
	},
	"POST /conversations/bulk/undo":        {`{"token":"<bulk>"}`},
	"POST /conversations/{id}/labels":      {`{"label_id":"<labels>"}`},
	"POST /conversations/{id}/notes":       {`{"body":"x","mentions":["<users>"]}`},
	"POST /customers":                      {`{"name":"x","team_id":"<teams>"}`},
	"POST /labels":                         {`{"name":"new","team_id":"<teams>"}`},
	"POST /number_links":                   {`{"team_id":"<teams>"}`},
	"POST /replies":                        {`{"name":"x","body":"x","media_id":"<media>"}`, `{"name":"x","body":"x","team_id":"<teams>"}`},
	"POST /users":                          {`{"name":"x","email":"x@example.com","role":"agent","team_id":"<teams>"}`},
	"POST /views":                          {`{"name":"x","filter":{"assigned_to":"<users>"}}`, `{"name":"x","filter":{"label_id":"<labels>"}}`, `{"name":"x","filter":{"number":"<>"}}`, `{"name":"x","filter":{"team_id":"<teams>"}}`},
	"POST /webhook_deliveries/bulk_replay": {`{"subscription_id":"<webhook_subscriptions>"}`},
	"POST /webhook_subscriptions":          {`{"url":"https://example.com/hook","events":["*"],"phone_number_ids":["<>"]}`},
	"POST /{phone_number_id}/broadcasts": {
		`{` + promotion + `,"audience":{"contact_ids":["<contacts>"]}}`, `{` + promotion + `,"audience":{"filter":{"label_ids":["<labels>"]}}}`,
		`{` + promotion + `,"audience":{"filter":{"number":"<>"}}}`, `{` + promotion + `,"audience":{"label_ids":["<labels>"]}}`,
	},
	"POST /{phone_number_id}/contacts/bulk_label":       {`{"operation":"attach","contact_ids":["<contacts>"],"label_id":"${labels}"}`, `{"operation":"attach","contact_ids":["${contacts}"],"label_id":"<labels>"}`},
	"POST /{phone_number_id}/contacts/{id}/labels":      {`{"label_id":"<labels>"}`},
	"POST /{phone_number_id}/contacts/{id}/merge":       {`{"contact_id":"<contacts>"}`},
	"POST /{phone_number_id}/conversations/{id}/labels": {`{"label_id":"<labels>"}`},
	"POST /{phone_number_id}/messages": {
		`{` + message + `,"type":"audio","audio":{"id":"<media>"}}`, `{` + message + `,"type":"document","document":{"id":"<media>"}}`,
		`{` + message + `,"type":"image","image":{"id":"<media>"}}`, `{` + message + `,"type":"video","video":{"id":"<media>"}}`,
		`{` + message + `,"type":"text","text":{"body":"x"},"context":{"message_id":"<wamid>"}}`, `{` + message + `,"type":"text","text":{"body":"x"},"context":{"message_id":"<messages>"}}`,
		`{` + message + `,"type":"interactive","interactive":{"type":"button","header":{"type":"document","document":{"id":"<media>"}},` + buttons + `}}`,
		`{` + message + `,"type":"interactive","interactive":{"type":"button","header":{"type":"image","image":{"id":"<media>"}},` + buttons + `}}`,
		`{` + message + `,"type":"interactive","interactive":{"type":"button","header":{"type":"video","video":{"id":"<media>"}},` + buttons + `}}`,
		`{"messaging_product":"chat","status":"read","message_id":"<wamid>"}`, `{"messaging_product":"chat","status":"read","message_id":"<messages>"}`,
		`{` + message + `,"type":"reaction","reaction":{"message_id":"<wamid>","emoji":"x"}}`, `{` + message + `,"type":"reaction","reaction":{"message_id":"<messages>","emoji":"x"}}`,
		`{"messaging_product":"chat","recipient":"<conversations>","type":"text","text":{"body":"x"}}`, `{"messaging_product":"chat","recipient":"<contacts>","type":"text","text":{"body":"x"}}`,
	},
}

const buttons = `"body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"x","title":"x"}}]}`

// ofTheSender are ids that whoever sends a message makes up.
var ofTheSender = []string{"interactive.action.buttons.reply.id", "interactive.action.sections.rows.id"}

// namesRows is how a member or a parameter that names rows is called, where its pattern does not show it.
var namesRows = regexp.MustCompile(`(^|_)(id|ids)$|^(number|mentions|teams)$`)

// withFile is a template of the world whose header takes a kind of file, filled with one.
func withFile(kind string) string {
	return `"template":{"name":"with_` + kind + `","language":"en","components":[` + headerOf(kind) + `]}`
}

// withCards is the same with cards.
func withCards(kind string) string {
	return `"template":{"name":"cards_` + kind + `","language":"en","components":[{"type":"carousel","cards":[{"card_index":0,"components":[` + headerOf(kind) + `]}]}]}`
}

func headerOf(kind string) string {
	return `{"type":"header","parameters":[{"type":"` + kind + `","` + kind + `":{"id":"<media>"}}]}`
}

// withTemplates are the bodies that begin with a text and go on with each template that takes a file.
func withTemplates(before string) (all []string) {
	for _, kind := range []string{"image", "video", "document"} {
		all = append(all, before+withFile(kind)+`}`, before+withCards(kind)+`}`)
	}
	return all
}

// examplesOf are the references of an operation, with those to files that templates take.
func examplesOf(operation string) []string {
	before := map[string]string{
		"PATCH /{phone_number_id}/broadcasts/{id}": `{"audience":{},`, // without the filters of the other references
		"POST /{phone_number_id}/broadcasts":       `{"name":"x",`,
		"POST /{phone_number_id}/messages":         `{` + message + `,"type":"template",`,
	}[operation]
	if before == "" {
		return references[operation]
	}
	return slices.Concat(references[operation], withTemplates(before))
}

// reference is a place in a request that names rows.
type reference struct{ operation, place string }

// referencesIn are all such places of a surface.
func referencesIn(t testing.TB, d *apitest.Document) (all []reference) {
	t.Helper()
	for path, item := range d.At("paths") {
		for method, operation := range item.(map[string]any) {
			name := strings.ToUpper(method) + " " + path
			found := func(place string, schema map[string]any) {
				pattern, _ := schema["pattern"].(string)
				if last := place[strings.LastIndexAny(place, ".?")+1:]; strings.Contains(pattern, "{26}") || namesRows.MatchString(last) {
					all = append(all, reference{name, place})
				}
			}
			parameters, _ := operation.(map[string]any)["parameters"].([]any)
			for _, p := range parameters {
				if p := resolved(d, p); p["in"] == "query" {
					found("?"+p["name"].(string), resolved(d, p["schema"]))
				}
			}
			if schema := d.At("paths", path, method, "requestBody", "content", "application/json", "schema"); schema != nil {
				eachText(d, schema, "", nil, found)
			}
		}
	}
	slices.SortFunc(all, func(a, b reference) int { return strings.Compare(a.operation+a.place, b.operation+b.place) })
	return slices.Compact(all)
}

func resolved(d *apitest.Document, node any) map[string]any {
	object, _ := node.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		return d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return object
}

// eachText calls found with every text below a schema.
func eachText(d *apitest.Document, node any, place string, within []string, found func(string, map[string]any)) {
	object, _ := node.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		if slices.Contains(within, ref) {
			return
		}
		within = append(within, ref)
	}
	schema := resolved(d, node)
	for _, kind := range []string{"oneOf", "anyOf", "allOf"} {
		choices, _ := schema[kind].([]any)
		for _, choice := range choices {
			eachText(d, choice, place, within, found)
		}
	}
	if items := schema["items"]; items != nil {
		eachText(d, items, place, within, found)
	}
	members, _ := schema["properties"].(map[string]any)
	for name, member := range members {
		eachText(d, member, strings.TrimPrefix(place+"."+name, "."), within, found)
	}
	types, _ := schema["type"].([]any)
	if schema["type"] == "string" || slices.Contains(types, any("string")) {
		found(place, schema)
	}
}

// places are where an example names rows.
func places(t testing.TB, example string) (all []string) {
	t.Helper()
	if query, is := strings.CutPrefix(example, "?"); is {
		values, err := url.ParseQuery(query)
		must(t, err)
		for name, value := range values {
			if strings.HasPrefix(value[0], "<") {
				all = append(all, "?"+name)
			}
		}
		return all
	}
	var body any
	must(t, json.Unmarshal([]byte(example), &body))
	var walk func(v any, place string)
	walk = func(v any, place string) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(member, strings.TrimPrefix(place+"."+name, "."))
			}
		case []any:
			for _, item := range v {
				walk(item, place)
			}
		case string:
			if strings.HasPrefix(v, "<") {
				all = append(all, place)
			}
		}
	}
	walk(body, "")
	return all
}

// The rows of another organization cannot be used in a query or a body either: what comes of it is what comes of an id
// that nothing has. A new member or parameter that names rows needs an example above.
func TestReferencesToAnothersRows(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		theirs, mine := newHolder(t, w), newHolder(t, w)
		theirs.ids["bulk"] = theirs.changeMany(t)
		missing := theirs.missing()
		for _, surface := range []struct {
			*apitest.Document
			as *apptest.Browser
		}{{w.Document(), mine.owner}, {w.Public(), mine.key}} {
			tried := map[string]bool{}
			w.Tables.Unchanged(t, theirs.org.ID, func() {
				for _, r := range referencesIn(t, surface.Document) {
					examples := slices.Collect(func(yield func(string) bool) {
						for _, example := range examplesOf(r.operation) {
							if slices.Contains(places(t, example), r.place) && !yield(example) {
								return
							}
						}
					})
					if len(examples) == 0 && !slices.Contains(ofTheSender, r.place) {
						t.Errorf("%s names rows in %s, which is not tried", r.operation, r.place)
					}
					for _, example := range examples {
						if !tried[r.operation+example] {
							tried[r.operation+example] = true
							mine.tryReference(t, surface.as, r, example, theirs.ids, missing)
						}
					}
				}
			})
		}
	})
}

// What a colleague may not see cannot be used in a query or a body either. hidden are the rows that the colleague does
// not see.
func TestReferencesToHiddenRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of     func(testing.TB, *holder) *holder
		hidden string
	}{
		"an admin of another team": {adminElsewhere, `<(|bulk|contacts|conversations|media|messages|wamid)>`},
		"an agent with other work": {agentBeside, `<(bulk|contacts|conversations|messages|wamid)>`},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, newHolder, func(t *testing.T, theirs *holder) {
				mine, hidden := c.of(t, theirs), regexp.MustCompile(c.hidden)
				theirs.ids["bulk"] = theirs.changeMany(t)
				missing := theirs.missing()
				for _, operation := range slices.Sorted(maps.Keys(references)) {
					for _, example := range examplesOf(operation) {
						if hidden.MatchString(example) && !ofTheOrganization.MatchString(operation) {
							mine.tryReference(t, mine.owner, reference{operation: operation}, example, theirs.ids, missing)
						}
					}
				}
			})
		})
	}
}

// ofTheOrganization finds the operations that show admins the whole organization, whatever of the inbox they see.
var ofTheOrganization = regexp.MustCompile(` /(story|events|webhook_subscriptions)`)

// adminElsewhere is an admin who sees another team, which has one of everything too.
func adminElsewhere(t testing.TB, theirs *holder) *holder {
	org := theirs.org
	org.TeamID = storetest.Team(t, theirs.Store, org.ID, "Second").ID
	o := &office{World: theirs.World, org: org, account: newNumber(t, theirs.Store, org)}
	o.as = o.As(t, o.User(t, org, chat.RoleAdmin, chat.SeesTeams, org.TeamID))
	o.account.WABAID = "200000000001" // with templates of its own
	storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.UpdateAccount(o.account) })
	mine := &holder{console: &console{o, o.as, theirs.stranger}, owner: o.as}
	mine.makeAll(t)
	return mine
}

// agentBeside is an agent of the team who sees one other conversation.
func agentBeside(t testing.TB, theirs *holder) *holder { return besides(t, theirs, chat.RoleAgent) }

// besides is a colleague of the team who sees one other conversation.
func besides(t testing.TB, theirs *holder, role chat.Role) *holder {
	u := theirs.User(t, theirs.org, role, chat.SeesAssigned, theirs.org.TeamID)
	mine := &holder{console: theirs.console, owner: theirs.As(t, u), ids: maps.Clone(theirs.ids)}
	c := theirs.receive(t, theirs.account, "+4915112345699", "wamid.own", "Hello")
	theirs.owner.Do(t, "PATCH", "/conversations/"+c, `{"assigned_to":"`+u.ID+`"}`).RequireStatus(t, http.StatusOK)
	contact, err := theirs.Store.Read(t.Context()).ContactByNumber(theirs.org.ID, theirs.account.ID, "+4915112345699")
	must(t, err)
	mine.ids["conversations"], mine.ids["contacts"] = c, contact.ID
	mine.make(t, "conversations/notes", "/conversations/"+c+"/notes", `{"body":"x"}`)
	return mine
}

// changeMany changes conversations together, and returns what undoes it.
func (h *holder) changeMany(t testing.TB) string {
	t.Helper()
	var done struct{ Undo string }
	h.owner.Do(t, "POST", "/conversations/bulk", `{"ids":["`+h.ids["conversations"]+`"],"change":{"status":"resolved"}}`).Data(t, &done)
	return done.Undo
}

func (h *holder) tryReference(t *testing.T, as *apptest.Browser, r reference, example string, theirs, missing map[string]string) {
	t.Helper()
	got, want := h.refer(t, as, r.operation, example, theirs), h.refer(t, as, r.operation, example, missing)
	if got != want {
		t.Errorf("%s with %s tells another's row from none:\n%s\n%s", r.operation, example, got, want)
	}
}

// ofOneAnswer is what is another in every answer, or stands for the id that was given: ids, and the place of a cursor.
var ofOneAnswer = regexp.MustCompile(`[a-z]+_[0-9A-HJKMNP-TV-Z]{26}|"next_cursor":"[^"]*"`)

// refer calls an operation with an example, and returns what the caller learns.
func (h *holder) refer(t *testing.T, as *apptest.Browser, operation, example string, ids map[string]string) string {
	t.Helper()
	method, path, _ := strings.Cut(operation, " ")
	target, _ := op{method: method, path: path, words: wordsOf(path)}.fill(h.ids, h.ids)
	target, _, _ = strings.Cut(target, "?")
	for words, id := range h.ids {
		example = strings.ReplaceAll(example, "${"+words+"}", id)
	}
	for words, id := range ids {
		example = strings.ReplaceAll(example, "<"+words+">", id)
	}
	body := example
	if strings.HasPrefix(example, "?") {
		target, body = target+example, ""
	}
	r := as.Try(t, method, target, body)
	text := ofOneAnswer.ReplaceAllString(string(r.Body), "(id)")
	for _, words := range []string{"", "wamid"} {
		text = strings.ReplaceAll(text, ids[words], "(id)")
	}
	return text
}
