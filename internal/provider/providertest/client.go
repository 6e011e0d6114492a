// Package providertest is a fake upstream network: functions of the test answer the calls, which are recorded.
// Only tests import it.
package providertest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// Client answers the calls of provider.Client. A call without a function succeeds.
type Client struct {
	OnSend        func(ctx context.Context, from provider.Number, m provider.Outbound) (provider.Sent, error)
	OnMarkRead    func(messageID string, typing bool) error
	OnRegister    func(ctx context.Context, n provider.Number, pin string) error
	OnPhoneNumber func(n provider.Number) (provider.PhoneNumber, error)
	OnProfile     func(n provider.Number) (chat.BusinessProfile, error)
	OnUpdate      func(n provider.Number, p chat.ProfileChange) error // of the profile
	OnMedia       func(ctx context.Context, mediaID string) (provider.MediaInfo, error)
	OnDownload    func(ctx context.Context, url string) (io.ReadCloser, error)

	OnTemplates      func(n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error)
	OnCreateTemplate func(ctx context.Context, t provider.NewTemplate) (provider.Template, error)
	OnEditTemplate   func(id string, e provider.TemplateEdit) error
	OnDeleteTemplate func(name, id string) error

	mu    sync.Mutex
	calls []string
	ids   int
}

var _ provider.Client = (*Client)(nil)

// Calls lists the calls so far, one line each, in order.
func (c *Client) Calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.calls...)
}

// note records a call and returns its number.
func (c *Client) note(format string, args ...any) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
	c.ids++
	return c.ids
}

// Send answers with ids wamid.1, wamid.2, …
func (c *Client) Send(ctx context.Context, from provider.Number, m provider.Outbound) (provider.Sent, error) {
	n := c.note("send %s", m.ID)
	if c.OnSend != nil {
		return c.OnSend(ctx, from, m)
	}
	return provider.Sent{MessageID: fmt.Sprint("wamid.", n)}, nil
}

// MarkRead succeeds.
func (c *Client) MarkRead(_ context.Context, from provider.Number, messageID string, typing bool) error {
	c.note("read %s %s typing=%t token=%s", from.PhoneNumberID, messageID, typing, from.Token)
	if c.OnMarkRead != nil {
		return c.OnMarkRead(messageID, typing)
	}
	return nil
}

// Register succeeds.
func (c *Client) Register(ctx context.Context, n provider.Number, pin string) error {
	c.note("register %s %s", n.PhoneNumberID, pin)
	if c.OnRegister != nil {
		return c.OnRegister(ctx, n, pin)
	}
	return nil
}

// PhoneNumber answers that the number is connected.
func (c *Client) PhoneNumber(_ context.Context, n provider.Number) (provider.PhoneNumber, error) {
	if c.OnPhoneNumber != nil {
		return c.OnPhoneNumber(n)
	}
	return provider.PhoneNumber{ID: n.PhoneNumberID, Status: "CONNECTED"}, nil
}

// Profile answers with an empty profile.
func (c *Client) Profile(_ context.Context, n provider.Number) (chat.BusinessProfile, error) {
	if c.OnProfile != nil {
		return c.OnProfile(n)
	}
	return chat.BusinessProfile{}, nil
}

// UpdateProfile accepts any change.
func (c *Client) UpdateProfile(_ context.Context, n provider.Number, p chat.ProfileChange) error {
	c.note("profile %s", n.PhoneNumberID)
	if c.OnUpdate != nil {
		return c.OnUpdate(n, p)
	}
	return nil
}

// UploadMedia accepts any file.
func (c *Client) UploadMedia(_ context.Context, _ provider.Number, f provider.File) (string, error) {
	return fmt.Sprint("media.", c.note("upload %s", f.Name)), nil
}

// Media knows every file.
func (c *Client) Media(ctx context.Context, _ provider.Number, mediaID string) (provider.MediaInfo, error) {
	if c.OnMedia != nil {
		return c.OnMedia(ctx, mediaID)
	}
	return provider.MediaInfo{URL: "https://files.example/" + mediaID}, nil
}

// Download returns the address itself as the file's content.
func (c *Client) Download(ctx context.Context, _ provider.Number, url string) (io.ReadCloser, error) {
	if c.OnDownload != nil {
		return c.OnDownload(ctx, url)
	}
	return io.NopCloser(strings.NewReader(url)), nil
}

// Templates answers that there are none.
func (c *Client) Templates(_ context.Context, n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
	c.note("templates %s %s%s", n.WABAID, q.Name, q.After)
	if c.OnTemplates != nil {
		return c.OnTemplates(n, q)
	}
	return provider.TemplatePage{}, nil
}

// CreateTemplate accepts any template.
func (c *Client) CreateTemplate(ctx context.Context, _ provider.Number, t provider.NewTemplate) (provider.Template, error) {
	id := fmt.Sprint(800100, c.note("create template %s %s", t.Name, t.Language))
	if c.OnCreateTemplate != nil {
		return c.OnCreateTemplate(ctx, t)
	}
	return provider.Template{ID: id, Name: t.Name, Language: t.Language, Status: "PENDING", Category: t.Category, Format: t.Format}, nil
}

// EditTemplate accepts any change.
func (c *Client) EditTemplate(_ context.Context, _ provider.Number, id string, e provider.TemplateEdit) error {
	c.note("edit template %s", id)
	if c.OnEditTemplate != nil {
		return c.OnEditTemplate(id, e)
	}
	return nil
}

// DeleteTemplate succeeds.
func (c *Client) DeleteTemplate(_ context.Context, _ provider.Number, name, id string) error {
	c.note("delete template %s %s", name, id)
	if c.OnDeleteTemplate != nil {
		return c.OnDeleteTemplate(name, id)
	}
	return nil
}

// UploadSample reads and accepts the file.
func (c *Client) UploadSample(_ context.Context, _ provider.Number, f provider.File) (string, error) {
	content, err := io.ReadAll(f.Body)
	return fmt.Sprint("4::handle", c.note("sample %s %s %d", f.Name, f.MimeType, len(content))), err
}
