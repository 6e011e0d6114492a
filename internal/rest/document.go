package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
)

func init() {
	huma.DefaultArrayNullable = false // a list is never null, neither in an answer nor in a body
}

// document describes the operations of a surface. While they are registered, it makes their rules from schemas; the
// OpenAPI document itself takes forty megabytes of work, and is made when somebody first asks for it.
type document struct {
	base       string
	about      Description
	registry   huma.Registry // of schemas; nil outside of the registration
	operations []documented
	written    func() writtenDocument
}

// documented is an operation with the type of its answer.
type documented struct {
	op       *Operation
	envelope reflect.Type
}

// draft is a document that is being made.
type draft struct {
	api      *huma.OpenAPI
	registry huma.Registry
	about    Description
}

// writtenDocument is the description as it is served.
type writtenDocument struct {
	text []byte
	tag  string
}

// Description is the part of a surface's document that is not derived from operations.
type Description struct {
	// About fills in the head: title, tags and security schemes.
	About func(*huma.OpenAPI)
	// Security names the security scheme of operations that are not open.
	Security string
	// Aliases maps types to the types by which they are described.
	Aliases map[reflect.Type]reflect.Type
	// Finish adds the parts that are not operations.
	Finish func(*huma.OpenAPI)
}

func newDocument(base string, about Description) *document {
	return &document{base: base, about: about}
}

// schemas are the schemas from which rules are made. They are forgotten when the registration has ended.
func (d *document) schemas() huma.Registry {
	if d.registry == nil {
		d.registry = newRegistry(d.about)
	}
	return d.registry
}

func newRegistry(about Description) huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	r.RegisterTypeAlias(reflect.TypeFor[chat.Patch[string]](), reflect.TypeFor[*string]())
	r.RegisterTypeAlias(reflect.TypeFor[chat.Patch[json.RawMessage]](), reflect.TypeFor[FreeForm]())
	r.RegisterTypeAlias(reflect.TypeFor[chat.Patch[[]string]](), reflect.TypeFor[[]string]())
	r.RegisterTypeAlias(reflect.TypeFor[chat.Patch[int64]](), reflect.TypeFor[*int64]())
	r.RegisterTypeAlias(reflect.TypeFor[chat.Patch[Instant]](), reflect.TypeFor[*Instant]())
	for _, aliases := range []map[reflect.Type]reflect.Type{enums, about.Aliases} {
		for from, to := range aliases {
			r.RegisterTypeAlias(from, to)
		}
	}
	return r
}

func newDraft(base string, about Description) *draft {
	d := &draft{registry: newRegistry(about), about: about}
	d.api = &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Servers: []*huma.Server{{URL: base}},
		Components: &huma.Components{
			Schemas: d.registry, Responses: map[string]*huma.Response{}, Headers: sharedHeaders,
		},
	}
	about.About(d.api)
	return d
}

// schemaName names schemas after resources: labelView becomes Label, its envelope LabelEnvelope, a list of it
// LabelPage.
func schemaName(t reflect.Type, hint string) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.Name()
	if name == "" {
		name = hint
	}
	outer, inner, generic := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !generic {
		name = strings.TrimSuffix(outer, "View")
		if part, ok := strings.CutSuffix(name, "Struct"); ok { // of an event's data, without a type of its own: SentEventContact
			name = strings.Replace(part, "EventData", "Event", 1)
		}
		return strings.ToUpper(name[:1]) + name[1:]
	}
	inner = inner[strings.LastIndexByte(inner, '.')+1:]
	inner = strings.TrimSuffix(inner, "View")
	inner = strings.ToUpper(inner[:1]) + inner[1:]
	switch outer {
	case "Page":
		return inner + "Page"
	case "Single":
		return inner + "Envelope"
	case "nativeEvent": // its data is sentEventData, it is SentEvent
		return strings.TrimSuffix(inner, "Data")
	default: // providerEvent and its parts: with receivedValue they are ReceivedEvent, ReceivedEventEntry, …
		return strings.TrimSuffix(inner, "Value") + strings.TrimPrefix(outer, "provider")
	}
}

// paramSchema is the schema of a parameter, which is text and never null.
func paramSchema(reg huma.Registry, f reflect.StructField) *huma.Schema {
	pattern := f.Tag.Get("pattern")
	f.Tag = reflect.StructTag(strings.Replace(string(f.Tag), `pattern:"`, `kept:"`, 1)) // or huma compiles it for each parameter
	s := huma.SchemaFromField(reg, f, f.Name)
	s.Nullable, s.Pattern = false, cmp.Or(pattern, s.Pattern)
	return s
}

func (d *document) paramRule(f reflect.StructField) *rule {
	return newRule(d.schemas(), f.Type, paramSchema(d.schemas(), f))
}

func (d *document) typeRule(t reflect.Type) *rule {
	return newRule(d.schemas(), t, d.schemas().Schema(t, true, t.Name()))
}

func (d *document) add(op *Operation, envelope reflect.Type) {
	d.operations = append(d.operations, documented{op, envelope})
}

func (d *draft) add(op *Operation, envelope reflect.Type) {
	doc := &huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.Description,
		Parameters: d.parameters(op),
		Responses:  d.responses(op, envelope),
		Extensions: map[string]any{"x-error-codes": op.Errors}, // what descriptions of responses say, for programs
	}
	doc.Security = []map[string][]string{} // empty says that no key is needed, absent would say nothing
	if !op.Open {
		doc.Security = append(doc.Security, map[string][]string{d.about.Security: {}})
	}
	if b := op.input.body; b != nil {
		doc.RequestBody = &huma.RequestBody{
			Required: slices.ContainsFunc(b.rule.fields, func(f fieldRule) bool { return f.required }),
			Content:  jsonContent(d.registry.Schema(b.typ, true, b.typ.Name())),
		}
	}
	if op.RequestBody != nil {
		doc.RequestBody = op.RequestBody
	}
	d.api.AddOperation(doc)
}

func (d *draft) parameters(op *Operation) []*huma.Param {
	var params []*huma.Param
	for _, p := range op.input.params {
		schema := paramSchema(d.registry, op.input.typ.FieldByIndex(p.field))
		about := schema.Description
		schema.Description = "" // it is the parameter's
		params = append(params, &huma.Param{Name: p.name, In: p.in, Required: p.in == "path", Description: about, Schema: schema})
	}
	if slices.Contains(op.Errors, chat.CodeInvalidCursor) {
		params = append(params, op.limitParam(), cursorParam)
	}
	if slices.Contains(op.Errors, chat.CodeIdempotencyInProgress) {
		params = append(params, idempotencyParam)
	}
	if op.Conditional {
		params = append(params, conditionParam)
	}
	return params
}

func (op *Operation) limitParam() *huma.Param {
	limit := &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit))}
	if op.Whole {
		return &huma.Param{Name: "limit", In: "query", Description: "How many items a page holds at most; without it, all there are.", Schema: limit}
	}
	limit.Default = DefaultLimit
	return &huma.Param{Name: "limit", In: "query", Description: "How many items a page holds at most.", Schema: limit}
}

var (
	cursorParam = &huma.Param{Name: "cursor", In: "query",
		Description: "next_cursor of the previous page, unchanged and with the same filters.", Schema: &huma.Schema{Type: huma.TypeString}}
	idempotencyParam = &huma.Param{Name: headerIdempotencyKey, In: "header",
		Description: "Makes a repeated request safe: within 24 hours the same key and request get the first answer again.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255)}}
	conditionParam = &huma.Param{Name: "If-None-Match", In: "header",
		Description: "The ETag of the answer that you have: while it is current, you get 304 and no body.", Schema: &huma.Schema{Type: huma.TypeString}}
)

// responses lists the success and, for each status, its error codes.
func (d *draft) responses(op *Operation, envelope reflect.Type) map[string]*huma.Response {
	status := op.Status
	if status == 0 {
		status = http.StatusOK
	}
	responses := map[string]*huma.Response{
		strconv.Itoa(status): {Description: "Success.", Headers: op.headers(status),
			Content: op.content(d.registry.Schema(envelope, true, envelope.Name()))},
	}
	if op.Conditional {
		responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{
			Description: "The client has this version already.", Headers: op.headers(http.StatusNotModified),
		}
	}
	byStatus := map[int][]chat.Code{}
	for _, code := range op.Errors {
		byStatus[catalogue[code].status] = append(byStatus[catalogue[code].status], code)
	}
	for status, codes := range byStatus {
		responses[strconv.Itoa(status)] = d.failure(op, status, codes)
	}
	return responses
}

// content describes the body of a success.
func (op *Operation) content(s *huma.Schema) map[string]*huma.MediaType {
	if op.answers == "" {
		return jsonContent(s)
	}
	return map[string]*huma.MediaType{op.answers: {Schema: s}}
}

// failure refers to the refusals with a status, and says which codes they carry here. All have the same body, so that
// generated clients have one type of error; they differ in their headers.
func (d *draft) failure(op *Operation, status int, codes []chat.Code) *huma.Response {
	headers := op.headers(status)
	if status == http.StatusTooManyRequests || slices.ContainsFunc(codes, passesSoon) {
		headers["Retry-After"] = headerRef("Retry-After")
	}
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	switch { // what has the same status may have other headers
	case headers[headerReplayed] != nil:
		name = "Keyed" + name
	case op.Open:
		name = "Open" + name
	}
	if known := d.api.Components.Responses[name]; known != nil {
		maps.Copy(known.Headers, headers) // Retry-After comes with some codes only
	} else {
		d.api.Components.Responses[name] = &huma.Response{
			Description: http.StatusText(status) + ": error.code says why.", Headers: headers,
			Content: jsonContent(d.registry.Schema(reflect.TypeFor[errorEnvelope](), true, "")),
		}
	}
	return &huma.Response{Ref: "#/components/responses/" + name, Description: errorDescription(codes)}
}

func errorDescription(codes []chat.Code) string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
	}
	return strings.Join(names, ", ")
}

// listCodes names the codes and types of all errors in the document. New codes are added for new failures, so the codes are
// no enum: a program made from this document must not break on one.
func (d *draft) listCodes(codes []chat.Code) {
	fields := d.registry.SchemaFromRef(d.registry.Schema(reflect.TypeFor[errorView](), true, "").Ref).Properties
	slices.Sort(codes)
	var known []string
	for _, code := range slices.Compact(codes) {
		known = append(known, string(code))
		if kind := catalogue[code].kind; !slices.Contains(fields["type"].Enum, any(kind)) {
			fields["type"].Enum = append(fields["type"].Enum, kind)
		}
	}
	fields["code"].Extensions = map[string]any{"x-extensible-enum": known}
}

func jsonContent(s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s}}
}

var sharedHeaders = map[string]*huma.Header{
	headerRequestID:         textHeader("The request's id; support asks for it."),
	"X-RateLimit-Limit":     integerHeader("How many requests of this class a minute allows."),
	"X-RateLimit-Remaining": integerHeader("How many of them are left now."),
	"X-RateLimit-Reset":     integerHeader("When all of them will be there again, in Unix seconds."),
	"Retry-After":           integerHeader("How many seconds to wait before trying again."),
	"Content-Disposition":   textHeader("The name to save the file under."),
	"Location":              textHeader("The file's permanent address."),
	"ETag":                  textHeader("The version; send it as If-None-Match to be answered 304 while it is current."),
	headerReplayed:          textHeader("true when the answer was given before under the same Idempotency-Key."),
}

func textHeader(doc string) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
}

func integerHeader(doc string) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: huma.TypeInteger}}
}

func headerRef(name string) *huma.Param {
	return &huma.Param{Ref: "#/components/headers/" + name}
}

func (op *Operation) headers(status int) map[string]*huma.Param {
	names := []string{headerRequestID}
	if !op.Open && status != http.StatusUnauthorized {
		names = append(names, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
	}
	if status == http.StatusFound {
		names = append(names, "Location")
	}
	if op.answers != "" && status == http.StatusOK {
		names = append(names, "Content-Disposition")
	}
	if slices.Contains(op.Errors, chat.CodeIdempotencyInProgress) {
		names = append(names, headerReplayed)
	}
	if op.Conditional && status < http.StatusBadRequest {
		names = append(names, "ETag")
	}
	headers := map[string]*huma.Param{}
	for _, name := range names {
		headers[name] = headerRef(name)
	}
	return headers
}

// finish ends the registration.
func (d *document) finish() {
	d.registry = nil
	d.written = sync.OnceValue(d.write)
}

func (d *document) write() writtenDocument {
	draft := newDraft(d.base, d.about)
	codes := []chat.Code{chat.CodeMethodNotAllowed} // no operation answers with it, but a path does
	for _, o := range d.operations {
		draft.add(o.op, o.envelope)
		codes = append(codes, o.op.Errors...)
	}
	draft.listCodes(codes)
	draft.finish()
	text, err := json.Marshal(draft.api)
	if err != nil {
		panic(err)
	}
	return writtenDocument{text: text, tag: WeakETag(string(text))}
}

// finish adds what does not follow from operations. Unknown fields are allowed everywhere, because requests may carry them
// and answers may gain some. A nullable enum must list null among its values.
func (d *draft) finish() {
	if d.about.Finish != nil {
		d.about.Finish(d.api)
	}
	for _, s := range d.registry.Map() {
		if s.AdditionalProperties == false {
			s.AdditionalProperties = nil
		}
		for _, p := range s.Properties {
			if p.Nullable && p.Enum != nil && !slices.Contains(p.Enum, nil) {
				p.Enum = append(p.Enum, nil)
			}
		}
	}
}

// Document is the description of the surface, as JSON.
func (s *Surface) Document() []byte { return s.document.written().text }

// ServeDocument registers the operation that serves the surface's own description.
func (s *Surface) ServeDocument(op Operation) {
	op.Open, op.Conditional, op.input = true, true, &inputBinder{}
	op.handle = func(c *Call) (Answer, error) {
		c.W.Header().Set("Cache-Control", "public, max-age=60")
		document := s.document.written()
		if c.Unchanged(document.tag) {
			return Answer{}, ErrNotModified
		}
		return Answer{status: http.StatusOK, body: document.text}, nil // no envelope, because tools read it
	}
	add[struct{}, documentView](s, &op)
}

// documentView is any OpenAPI document.
type documentView struct{}

// Schema describes only as much as tools need to recognize a document.
func (documentView) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"openapi"}, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{"openapi": {Type: huma.TypeString}}}
}
