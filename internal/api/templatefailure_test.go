package api_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/simulator"
)

// The first bytes of files.
var (
	png  = "\x89PNG\x0D\x0A\x1A\x0A....."
	mp4  = "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2"
	gpp  = "\x00\x00\x00\x18ftyp3gp4\x00\x00\x00\x00"
	pdf  = "%PDF-1.4 ....."
	html = "<html><body>hi</body></html>"
)

// files is a host of sample files.
func files(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, content := range map[string]string{
		"/a.png": png, "/b.png": png + "b", "/a.mp4": mp4, "/a.3gp": gpp, "/a.pdf": pdf, "/a.html": html, "/empty": "",
		"/large.png": png + strings.Repeat("x", 5<<20),
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, content) })
	}
	mux.Handle("/moved", http.RedirectHandler("/a.png", http.StatusFound))
	mux.HandleFunc("/cut.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, png)
	})
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	return server
}

func sample(format, field string) string {
	return aNew("x", "de", `{"type":"HEADER","format":"`+format+`","example":{`+field+`}}`)
}

func TestSamplesAreHandedToTheProvider(t *testing.T) {
	_, option := simulated(t)
	host := files(t)
	client := host.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	taken := func(name, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: business, Request: templates(http.MethodPost, "", body), Status: http.StatusCreated, Change: apitest.Changes{"templates": "+1", "template_changes": "+1"},
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if strings.Contains(string(r.Body), host.URL) || strings.Contains(string(r.Body), "header_url") || !strings.Contains(string(r.Body), `"header_handle":["4::`) {
					t.Errorf("the address was not replaced: %s", r.Body)
				}
			}}
	}
	refused := func(name, body, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: business, Request: templates(http.MethodPost, "", body), Code: "invalid_field_value", Param: param}
	}
	const url = "components[1].example.header_url"
	card := func(i int) string {
		return fmt.Sprintf(`{"components":[{"type":"HEADER","format":"IMAGE","example":{"header_url":"%s/%c.png"}},{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Yes"}]}]}`, host.URL, "ab"[i%2])
	}
	cards := func(list ...string) string {
		return `{"name":"x","language":"de","category":"MARKETING","components":[{"type":"BODY","text":"Look here."},{"type":"CAROUSEL","cards":[` + strings.Join(list, ",") + `]}]}`
	}
	apitest.RunEach(t, []apitest.Scenario{
		taken("an image", sample("IMAGE", `"header_url":"`+host.URL+`/a.png"`)),
		taken("an image in a list", sample("IMAGE", `"header_url":["`+host.URL+`/a.png"]`)),
		taken("an address as a handle", sample("IMAGE", `"header_handle":["`+host.URL+`/a.png"]`)),
		taken("a video", sample("VIDEO", `"header_url":"`+host.URL+`/a.mp4"`)),
		taken("a video of a phone", sample("VIDEO", `"header_url":"`+host.URL+`/a.3gp"`)),
		taken("a document", sample("DOCUMENT", `"header_url":"`+host.URL+`/a.pdf"`)),
		taken("the cards of a carousel", cards(card(0), card(1), card(2))),
		{Name: "in a change", Given: having(aNew("instant_x", "de")), Request: templates(http.MethodPatch, "/instant_x",
			`{"components":[{"type":"HEADER","format":"IMAGE","example":{"header_url":"`+host.URL+`/a.png"}},{"type":"BODY","text":"Look."}]}`), Status: http.StatusOK, Change: apitest.Changes{"templates": "~1", "template_changes": "+1"}},
		refused("a page for an image", sample("IMAGE", `"header_url":"`+host.URL+`/a.html"`), url),
		refused("an image for a video", sample("VIDEO", `"header_url":"`+host.URL+`/a.png"`), url),
		refused("a file that is too large", sample("IMAGE", `"header_url":"`+host.URL+`/large.png"`), url),
		refused("an empty file", sample("IMAGE", `"header_url":"`+host.URL+`/empty"`), url),
		refused("a file that is not there", sample("IMAGE", `"header_url":"`+host.URL+`/none"`), url),
		refused("a file that moved", sample("IMAGE", `"header_url":"`+host.URL+`/moved"`), url),
		refused("a file that breaks off", sample("IMAGE", `"header_url":"`+host.URL+`/cut.png"`), url),
		refused("a host that is not there", sample("IMAGE", `"header_url":"https://127.0.0.1:1/a.png"`), url),
		refused("a page as a handle", sample("IMAGE", `"header_handle":"`+host.URL+`/a.html"`), "components[1].example.header_handle"),
		refused("a page in a card", cards(card(0), strings.Replace(card(1), "b.png", "a.html", 1)), "components[1].cards[1].components[0].example.header_url"),
	}, option, api.Fetch(client))
}

func TestSamplesComeFromPublicNetworksOnly(t *testing.T) {
	t.Parallel()
	_, option := simulated(t)
	host := files(t)
	for _, address := range []string{host.URL + "/a.png", "https://169.254.169.254/latest/meta-data", "https://[::1]/a.png", "https://10.0.0.1/a.png"} {
		t.Run(address, func(t *testing.T) {
			apitest.RunEach(t, []apitest.Scenario{{Name: "refused", Given: business, Request: templates(http.MethodPost, "", sample("IMAGE", `"header_url":"`+address+`"`)),
				Code: "invalid_field_value", Param: "components[1].example.header_url", Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
					if !strings.Contains(r.Failure(t).Message, "its host has no public address; the operator can open a private network with --allow-network") {
						t.Errorf("got %s", r.Body)
					}
				}}}, option, api.Fetch(netguard.New().Client(time.Second)))
		})
	}
}

// A sample without TLS may come only from a network that the operator opened.
func TestSamplesWithoutTLS(t *testing.T) {
	_, option := simulated(t)
	host := httptest.NewServer(files(t).Config.Handler)
	t.Cleanup(host.Close)
	create := func(address string) apitest.Request {
		return templates(http.MethodPost, "", sample("IMAGE", `"header_url":"`+address+`"`))
	}
	opened := netguard.New(netip.MustParsePrefix("127.0.0.0/8")).Client(time.Second)
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "inside", Given: business, Request: create(host.URL + "/a.png"), Status: http.StatusCreated, Change: apitest.Changes{"templates": "+1", "template_changes": "+1"}},
		{Name: "outside", Given: business, Request: create("http://93.184.215.14/a.png"), Code: "invalid_field_value", Param: "components[1].example.header_url",
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if !strings.Contains(r.Failure(t).Message, "must begin with https://") {
					t.Errorf("got %s", r.Body)
				}
			}},
	}, option, api.Fetch(opened))
}

func TestProviderFailuresLeaveNoTemplate(t *testing.T) {
	failures := map[string]error{
		"invalid":  &provider.Error{HTTPStatus: 400, Code: 100, Subcode: 2388072, Title: "Body is odd", Message: "The body has an odd word."},
		"outage":   &provider.Error{HTTPStatus: 500, Code: 131000, Message: "Something went wrong"},
		"gateway":  &provider.Error{HTTPStatus: 502},
		"throttle": &provider.Error{HTTPStatus: 400, Code: 80008, Message: "Too many calls", Transient: true, Throttled: true},
		"token":    &provider.Error{HTTPStatus: 401, Code: 190, Message: "Token expired"},
		"rights":   &provider.Error{HTTPStatus: 403, Code: 10, Message: "Not allowed"},
		"full":     &provider.Error{HTTPStatus: 400, Code: 100, Subcode: 2388019, Message: "Too many templates"},
		"lost":     &provider.Error{OutcomeUnknown: true, Transient: true, Cause: context.DeadlineExceeded},
		"unheard":  &provider.Error{Transient: true},
		"language": &provider.Error{HTTPStatus: 400, Code: 100, Message: "(#100) Param language must be a supported language code - got \"de\"."},
		"lifetime": &provider.Error{HTTPStatus: 400, Code: 100, Message: "(#100) The parameter message_send_ttl_seconds is too small."},
		"strange":  &provider.Error{HTTPStatus: 400, Code: 100, Message: "(#100) Param of ours must be odd."},
	}
	client := &providertest.Client{
		OnCreateTemplate: func(_ context.Context, n provider.NewTemplate) (provider.Template, error) {
			if err := failures[n.Name]; err != nil {
				return provider.Template{}, err
			}
			return provider.Template{ID: "1", Name: n.Name, Language: n.Language, Status: "APPROVED", Category: n.Category}, nil
		},
		OnEditTemplate: func(_ string, e provider.TemplateEdit) error {
			for name, err := range failures {
				if bytes.Contains(e.Components, []byte(name)) {
					return err
				}
			}
			return nil
		},
		OnDeleteTemplate: func(name, _ string) error {
			if name == "undeletable" {
				return failures["outage"]
			}
			if name == "kept" {
				return failures["invalid"]
			}
			return &provider.Error{HTTPStatus: 400, Code: 100, Subcode: 2593002, Message: "Not found"}
		},
		OnTemplates: func(_ provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
			return provider.TemplatePage{}, nil
		},
	}
	broken := &providertest.Client{OnTemplates: func(provider.Number, provider.TemplateQuery) (provider.TemplatePage, error) {
		return provider.TemplatePage{}, failures["outage"]
	}}
	code := map[string]string{
		"invalid": "invalid_field_value", "full": "invalid_field_value", "token": "upstream_error", "rights": "upstream_error",
		"outage": "whatsapp_upstream_error", "gateway": "whatsapp_upstream_error", "throttle": "whatsapp_upstream_error",
		"lost": "whatsapp_upstream_error", "unheard": "whatsapp_upstream_error",
		"language": "invalid_field_value", "lifetime": "invalid_field_value", "strange": "invalid_field_value",
	}
	// The field of a refusal: the one that the provider names, if the request has it.
	created := map[string]string{"invalid": "components", "full": "name", "language": "language", "lifetime": "message_send_ttl_seconds", "strange": "components"}
	edited := map[string]string{"invalid": "components", "full": "name", "language": "components", "lifetime": "components", "strange": "components"}
	var scenarios []apitest.Scenario
	for name := range failures {
		change := apitest.Changes(nil)
		switch name {
		case "lost":
			change = apitest.Changes{"template_drafts": "+1", "template_syncs": "+1 -1"}
		case "token":
			change = degraded
		}
		then := func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
			m := r.Failure(t).Message
			if name == "invalid" && m != "The provider refused: Body is odd: The body has an odd word." || name == "throttle" && !strings.Contains(m, "Too many calls") {
				t.Errorf("got %q", m)
			}
		}
		scenarios = append(scenarios, apitest.Scenario{Name: "create: " + name, Given: business, Request: templates(http.MethodPost, "", aNew(name, "de")), Code: code[name], Param: created[name], Change: change, Then: then})
		if name == "lost" {
			change = apitest.Changes{"template_syncs": "+1 -1"}
		}
		scenarios = append(scenarios, apitest.Scenario{Name: "edit: " + name, Given: having(aNew("mine", "de")), Code: code[name], Param: edited[name], Change: change, Then: then,
			Request: templates(http.MethodPatch, "/mine", `{"components":[{"type":"BODY","text":"It is `+name+` now."}]}`)})
	}
	scenarios = append(scenarios,
		apitest.Scenario{Name: "delete: outage", Given: having(aNew("undeletable", "de")), Request: templates(http.MethodDelete, "/undeletable", ""), Code: "whatsapp_upstream_error"},
		apitest.Scenario{Name: "delete: refused", Given: having(aNew("kept", "de")), Request: templates(http.MethodDelete, "/kept", ""), Code: "invalid_field_value", Param: "name"},
		apitest.Scenario{Name: "delete: it was gone", Given: having(aNew("mine", "de")), Request: templates(http.MethodDelete, "/mine", ""), Status: http.StatusOK, Change: apitest.Changes{"templates": "-1", "template_changes": "-1"}},
	)
	apitest.RunEach(t, scenarios, calling(t, client))
	t.Run("sync", func(t *testing.T) {
		apitest.RunEach(t, []apitest.Scenario{{Name: "outage", Given: connected, Request: templates(http.MethodPost, "/sync", ""), Code: "whatsapp_upstream_error",
			Change: apitest.Changes{"template_syncs": "+1 -1"}}}, calling(t, broken))
	})
}

// The provider's answer to a change is the same for a template that was deleted there and for one that it hides from us.
func TestChangeOfATemplateThatIsGone(t *testing.T) {
	client := &providertest.Client{
		OnEditTemplate: func(string, provider.TemplateEdit) error {
			return &provider.Error{HTTPStatus: 400, Code: 100, Subcode: 33, Message: "Unsupported post request. Object with ID '1' does not exist"}
		},
		OnTemplates: func(_ provider.Number, q provider.TemplateQuery) (page provider.TemplatePage, err error) {
			if q.Name == "hidden" {
				page.Templates = []provider.Template{{ID: "1", Name: "hidden", Language: "de"}}
			}
			return page, err
		},
	}
	edit := func(name string) apitest.Request {
		return templates(http.MethodPatch, "/"+name, `{"components":[{"type":"BODY","text":"It is better now."}]}`)
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "deleted", Given: having(aNew("deleted", "de")), Request: edit("deleted"), Code: "resource_not_found", Change: apitest.Changes{"template_syncs": "+1 -1"},
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if m := r.Failure(t).Message; !strings.Contains(m, "deleted at the provider") {
					t.Errorf("got %q", m)
				}
			}},
		{Name: "hidden", Given: having(aNew("hidden", "de")), Request: edit("hidden"), Code: "upstream_error"},
	}, calling(t, client))
}

// forgetful is a provider whose answer to each account's first creation gets lost after it made the template.
// It counts the templates it made, by account.
func forgetful(t *testing.T) (*sync.Map, apitest.Option) {
	t.Helper()
	sim := simulator.New(simulator.Config{Seed: 7})
	var lost, created sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			sim.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		sim.ServeHTTP(answer, r)
		if answer.Code == http.StatusOK {
			n, _ := created.LoadOrStore(r.URL.Path, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
		}
		if _, before := lost.LoadOrStore(r.URL.Path, true); !before {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	client, err := cloud.New(cloud.Options{BaseURL: server.URL + "/v24.0", Timeout: 5 * time.Second})
	must(t, err)
	return &created, api.Connect(t, client, t.TempDir())
}

func TestARetriedCreationMakesOneTemplate(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*testing.T, *apitest.Case){
		"at once":                 func(*testing.T, *apitest.Case) {},
		"after a synchronization": func(t *testing.T, c *apitest.Case) { c.Call(t, templates(http.MethodPost, "/sync", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			created, option := forgetful(t)
			apitest.Each(t, func(t *testing.T, s *apitest.Server) {
				c := s.NewCase(t)
				business(t, c)
				request := templates(http.MethodPost, "", aNew("mine", "de"))
				request.Header = http.Header{"Idempotency-Key": {"once"}}
				c.Call(t, request).RequireStatus(t, http.StatusBadGateway)
				between(t, c)
				first := c.Call(t, request).RequireStatus(t, http.StatusCreated)
				again := c.Call(t, request).RequireStatus(t, http.StatusCreated)
				if string(first.Body) != string(again.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
					t.Errorf("got %s, then %s", first.Body, again.Body)
				}
				other := templates(http.MethodPost, "", strings.Replace(aNew("mine", "de"), "well", "other", 1))
				if got := c.Call(t, other).Failure(t); got.Code != "template_already_exists" {
					t.Errorf("another template of that name: %+v", got)
				}
				n, _ := created.Load("/v24.0/" + accountOf(t, c).WABAID + "/message_templates")
				if made := n.(*atomic.Int64).Load(); made != 1 {
					t.Errorf("%d templates were created", made)
				}
				if n := s.Count(t, "templates", c.Org.ID); n != 10 {
					t.Errorf("%d templates are stored", n)
				}
				if n := s.Count(t, "template_drafts", c.Org.ID); n != 0 {
					t.Errorf("%d drafts are left", n)
				}
			}, option)
		})
	}
}
