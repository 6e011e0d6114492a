package cloud

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/provider"
)

const (
	templateFields = "id,name,language,status,category,components,parameter_format,quality_score,rejected_reason,message_send_ttl_seconds"
	// templatesPerPage keeps a page of even the largest templates below maxAnswer.
	templatesPerPage = 100
	maxTemplatePage  = 16 << 20
)

// Templates reads a page of the business account's templates.
func (c *Client) Templates(ctx context.Context, n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
	query := url.Values{"fields": {templateFields}, "limit": {strconv.Itoa(templatesPerPage)}}
	if q.Name != "" {
		query.Set("name", q.Name)
	}
	if q.After != "" {
		query.Set("after", q.After)
	}
	req, err := http.NewRequest(http.MethodGet, c.prefix+url.PathEscape(n.WABAID)+"/message_templates?"+query.Encode(), http.NoBody)
	if err != nil {
		return provider.TemplatePage{}, unsendable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.exchangeUpTo(ctx, n.Token, req, maxTemplatePage)
	if err != nil {
		return provider.TemplatePage{}, err
	}
	if !answer.get("data").isArray() {
		return provider.TemplatePage{}, unreadable(http.StatusOK, nil) // no list must not pass for an empty one
	}
	var page provider.TemplatePage
	for item := range answer.elements("data") {
		page.Templates = append(page.Templates, readTemplate(item))
	}
	paging := answer.get("paging")
	if next := paging.text("next"); next != "" {
		if page.Next = cmp.Or(paging.get("cursors").text("after"), cursorIn(next)); page.Next == "" {
			return provider.TemplatePage{}, unreadable(http.StatusOK, nil) // a part must not pass for the whole list
		}
	}
	return page, nil
}

// cursorIn is the cursor in the address of a next page; empty if it has none.
func cursorIn(next string) string {
	at, err := url.Parse(next)
	if err != nil {
		return ""
	}
	return at.Query().Get("after")
}

func readTemplate(item node) provider.Template {
	t := provider.Template{
		ID:             item.text("id"),
		Name:           item.text("name"),
		Language:       strings.ReplaceAll(item.text("language"), "-", "_"),
		Status:         strings.ToUpper(item.text("status")),
		RejectedReason: item.text("rejected_reason"),
		Category:       strings.ToUpper(item.text("category")),
		Format:         cmp.Or(strings.ToLower(item.text("parameter_format")), "positional"),
		Quality:        cmp.Or(item.get("quality_score").text("score"), item.text("quality_score")),
	}
	if ttl := item.get("message_send_ttl_seconds"); ttl.str() != "" {
		t.TTLSeconds = new(int(item.integer("message_send_ttl_seconds")))
	}
	if components := item.get("components"); components.isArray() {
		r := rewriter{}
		r.copy(components)
		t.Components = r.out
	}
	return t
}

type wireTemplate struct {
	Name       string          `json:"name,omitempty"`
	Language   string          `json:"language,omitempty"`
	Category   string          `json:"category,omitempty"`
	Format     string          `json:"parameter_format,omitempty"`
	TTLSeconds *int            `json:"message_send_ttl_seconds,omitempty"`
	Components json.RawMessage `json:"components,omitempty"`
}

// CreateTemplate submits a template.
func (c *Client) CreateTemplate(ctx context.Context, n provider.Number, t provider.NewTemplate) (provider.Template, error) {
	body, err := json.Marshal(wireTemplate(t))
	if err != nil {
		return provider.Template{}, unsendable(err)
	}
	answer, err := c.post(ctx, n.Token, url.PathEscape(n.WABAID)+"/message_templates", body)
	if err != nil {
		return provider.Template{}, err
	}
	made := provider.Template{
		ID: answer.text("id"), Name: t.Name, Language: t.Language, Format: t.Format, TTLSeconds: t.TTLSeconds,
		Status: cmp.Or(strings.ToUpper(answer.text("status")), "PENDING"), Category: cmp.Or(strings.ToUpper(answer.text("category")), t.Category),
	}
	if made.ID == "" {
		return provider.Template{}, unreadable(http.StatusOK, nil)
	}
	return made, nil
}

// EditTemplate changes a template, which is then reviewed again.
func (c *Client) EditTemplate(ctx context.Context, n provider.Number, templateID string, e provider.TemplateEdit) error {
	body, err := json.Marshal(wireTemplate{Category: e.Category, TTLSeconds: e.TTLSeconds, Components: e.Components})
	if err != nil {
		return unsendable(err)
	}
	return c.command(ctx, n.Token, url.PathEscape(templateID), body)
}

// DeleteTemplate deletes all languages of a name, or one of them by its id.
func (c *Client) DeleteTemplate(ctx context.Context, n provider.Number, name, templateID string) error {
	query := url.Values{"name": {name}}
	if templateID != "" {
		query.Set("hsm_id", templateID)
	}
	req, err := http.NewRequest(http.MethodDelete, c.prefix+url.PathEscape(n.WABAID)+"/message_templates?"+query.Encode(), http.NoBody)
	if err != nil {
		return unsendable(err)
	}
	return succeeded(c.call(ctx, n.Token, req))
}

// UploadSample uploads a file by the upstream's resumable upload, which needs the app's id.
func (c *Client) UploadSample(ctx context.Context, n provider.Number, f provider.File) (string, error) {
	if c.appID == "" {
		return "", unsendable(provider.ErrNoApp)
	}
	query := url.Values{"file_name": {f.Name}, "file_length": {strconv.FormatInt(f.Size, 10)}, "file_type": {f.MimeType}}
	session, err := c.post(ctx, n.Token, url.PathEscape(c.appID)+"/uploads?"+query.Encode(), nil)
	if err != nil {
		return "", err
	}
	id := session.text("id")
	if !strings.HasPrefix(id, "upload:") {
		return "", unreadable(http.StatusOK, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, max(c.timeout, uploadTimeout))
	defer cancel()
	req, err := http.NewRequest(http.MethodPost, c.prefix+id, io.NopCloser(f.Body)) // the id contains a query
	if err != nil {
		return "", unsendable(err)
	}
	req.ContentLength = f.Size
	req.Header.Set("file_offset", "0")
	req.Header.Set("Content-Type", "application/octet-stream")
	answer, err := c.exchange(ctx, n.Token, req)
	if err != nil {
		return "", err
	}
	handle := answer.text("h")
	if handle == "" {
		return "", unreadable(http.StatusOK, nil)
	}
	return handle, nil
}
