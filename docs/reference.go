package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// document is what the reference needs of the OpenAPI document.
type document struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas   map[string]*schema  `json:"schemas"`
		Responses map[string]response `json:"responses"`
	} `json:"components"`
}

type operation struct {
	ID          string   `json:"operationId"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Parameters  []struct {
		Name        string `json:"name"`
		In          string `json:"in"`
		Required    bool   `json:"required"`
		Description string `json:"description"`
		Schema      schema `json:"schema"`
	} `json:"parameters"`
	Body      response            `json:"requestBody"`
	Responses map[string]response `json:"responses"`

	method, path string
}

type response struct {
	Ref         string `json:"$ref"`
	Description string `json:"description"`
	Content     map[string]struct {
		Schema *schema `json:"schema"`
	} `json:"content"`
}

// newReference makes the page of the API reference.
func newReference(description []byte) (*page, error) {
	var d document
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, fmt.Errorf("the API's description: %w", err)
	}
	p := &page{Path: "/api", Title: "API reference"}
	var out strings.Builder
	fmt.Fprintf(&out, "<h1>API reference</h1><p>%s</p><p>The address of the service goes before each path: <code>http://localhost:8080/v1</code> in the demo. "+
		"Examples are made of the schemas. <a href=\"%s/messages\">Messages of every type</a> and <a href=\"%s/errors\">every error</a> have pages of their own; "+
		"programs read <a href=\"/v1/openapi.json\">openapi.json</a>.</p>", inline(d.Info.Description), base, base)
	p.Sections = append(p.Sections, section{Title: p.Title, Text: "Every operation of the API with its parameters, an example of the request and of the answer, and its errors."})
	for _, tag := range d.Tags {
		operations := d.of(tag.Name)
		if len(operations) == 0 {
			continue
		}
		fmt.Fprintf(&out, "<h2 id=\"%s\">%s</h2><p>%s</p>", strings.ToLower(tag.Name), tag.Name, inline(tag.Description))
		for _, op := range operations {
			d.show(&out, op)
			p.Sections = append(p.Sections, section{
				Title: op.Summary, Anchor: op.ID, Text: op.method + " /v1" + op.path + " " + op.ID + " " + op.Description,
			})
		}
	}
	p.Body = template.HTML(out.String())
	return p, nil
}

var verbs = []string{"get", "post", "put", "patch", "delete"}

// of are the operations with a tag, by path and verb.
func (d document) of(tag string) (found []operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, verb := range verbs {
			if op, ok := d.Paths[path][verb]; ok && slices.Contains(op.Tags, tag) {
				op.method, op.path = strings.ToUpper(verb), path
				found = append(found, op)
			}
		}
	}
	return found
}

func (d document) show(out *strings.Builder, op operation) {
	fmt.Fprintf(out, "<section class=\"op\"><h3 id=\"%s\">%s</h3><p class=\"path\"><span class=\"verb\">%s</span>/v1%s</p>", op.ID, inline(op.Summary), op.method, template.HTMLEscapeString(op.path))
	if op.Description != "" {
		fmt.Fprintf(out, "<p>%s</p>", inline(op.Description))
	}
	if len(op.Parameters) > 0 {
		out.WriteString("<table><thead><tr><th>parameter</th><th>in</th><th>meaning</th></tr></thead><tbody>")
		for _, p := range op.Parameters {
			name := "<code>" + template.HTMLEscapeString(p.Name) + "</code>"
			if p.Required {
				name += " *"
			}
			fmt.Fprintf(out, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>", name, p.In, inline(strings.TrimSpace(p.Description+p.Schema.rule())))
		}
		out.WriteString("</tbody></table>")
	}
	out.WriteString("<details><summary>Request, answer and errors</summary>")
	d.showRequest(out, op)
	d.showAnswers(out, op)
	out.WriteString("</details></section>")
}

// showRequest writes a call that can be copied.
func (d document) showRequest(out *strings.Builder, op operation) {
	path := op.path
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", strings.Trim(compact(d.example(&p.Schema, p.Name, 0)), `"`))
		}
	}
	call := "curl " + map[bool]string{true: "-X " + op.method + " "}[op.method != "GET" && op.method != "POST"] + "http://localhost:8080/v1" + path +
		" \\\n  -H \"Authorization: Bearer $PARLEY_API_KEY\""
	for kind, content := range op.Body.Content {
		if kind == "application/json" {
			call += " \\\n  -H 'Content-Type: application/json' -d '" + indent(d.exampleBody(op.ID, content.Schema)) + "'"
		} else {
			call += " \\\n  -F file=@photo.jpg"
		}
	}
	if op.method == "POST" && len(op.Body.Content) == 0 {
		call += " -X POST"
	}
	fmt.Fprintf(out, "<pre><code>%s</code></pre>", template.HTMLEscapeString(call))
	for kind, content := range op.Body.Content {
		if kind == "application/json" {
			d.showFields(out, content.Schema)
		}
	}
}

// showFields writes what the fields of a body mean.
func (d document) showFields(out *strings.Builder, s *schema) {
	s = d.resolve(s)
	if len(s.Properties) == 0 {
		return
	}
	out.WriteString("<table><thead><tr><th>field</th><th>meaning</th></tr></thead><tbody>")
	d.showRows(out, s, "", 0)
	out.WriteString("</tbody></table>")
}

// mostNested is how far the table of fields goes down.
const mostNested = 2

// showRows writes a row for each field, and below it those of the fields inside: audience.recipients[].to.
func (d document) showRows(out *strings.Builder, s *schema, prefix string, depth int) {
	for _, name := range s.names() {
		mark, field := "", s.Properties[name]
		if slices.Contains(s.Required, name) {
			mark = " *"
		}
		fmt.Fprintf(out, "<tr><td><code>%s</code>%s</td><td>%s</td></tr>", template.HTMLEscapeString(prefix+name), mark,
			inline(strings.TrimSpace(field.Description+d.rules(field))))
		inside, path := d.resolve(field), prefix+name+"."
		if inside.Items != nil {
			inside, path = d.resolve(inside.Items), prefix+name+"[]."
		}
		if depth < mostNested {
			d.showRows(out, inside, path, depth+1)
		}
	}
}

// showAnswers writes an example of what comes back, and the codes of what can go wrong.
func (d document) showAnswers(out *strings.Builder, op operation) {
	var failures []string
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		answer := op.Responses[status]
		if answer.Ref != "" {
			about := answer.Description
			answer = d.Components.Responses[strings.TrimPrefix(answer.Ref, "#/components/responses/")]
			answer.Description = cmp.Or(about, answer.Description)
		}
		if status >= "400" {
			failures = append(failures, fmt.Sprintf("<tr><td>%s</td><td>%s</td></tr>", status, linked(answer.Description)))
			continue
		}
		fmt.Fprintf(out, "<p>%s %s</p>", status, inline(answer.Description))
		if content, ok := answer.Content["application/json"]; ok {
			fmt.Fprintf(out, "<pre><code>%s</code></pre>", template.HTMLEscapeString(indent(d.example(content.Schema, "", 0))))
		}
	}
	if len(failures) > 0 {
		fmt.Fprintf(out, "<table><thead><tr><th>status</th><th><a href=\"%s/errors\">error.code</a></th></tr></thead><tbody>%s</tbody></table>", base, strings.Join(failures, ""))
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// linked is a list of error codes, each with a link to what it means.
func linked(codes string) string {
	return quoted.ReplaceAllString(template.HTMLEscapeString(codes), `<a href="`+base+`/errors#$1"><code>$1</code></a>`)
}

// inline is a sentence of the description, with its code marked.
func inline(text string) string {
	return quoted.ReplaceAllString(template.HTMLEscapeString(text), "<code>$1</code>")
}
