package templates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// draftLife is how long a creation with an unknown outcome may be repeated and counts as the same.
const draftLife = 24 * time.Hour

// creation is a template that is being submitted to the provider.
type creation struct {
	account     chat.Account
	number      provider.Number
	in          chat.NewTemplate
	fingerprint string
	// again: the same template was submitted before, with an unknown outcome.
	again bool
	// files are the library files that are samples, by their places.
	files map[string]string
}

// Create submits a template for review. The provider has one template per name and language: if an answer was lost,
// submitting the same content again finds the template that was made then.
func (s *Service) Create(ctx context.Context, account chat.Account, in chat.NewTemplate) (chat.Template, error) {
	if err := in.Check(); err != nil {
		return chat.Template{}, err
	}
	c := creation{account: account, in: in, fingerprint: fingerprintOf(in)}
	made, err := s.madeBefore(ctx, &c)
	if err != nil {
		return chat.Template{}, err
	}
	if made != nil {
		return *made, nil
	}
	if c.number, err = core.NumberOf(account, s.Token); err != nil {
		return chat.Template{}, err
	}
	if c.files, err = s.uploadSamples(ctx, account, c.number, c.in.Components); err != nil {
		return chat.Template{}, err
	}
	err = s.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.PutTemplateDraft(account.OrgID, account.WABAID, in.Name, in.Language, c.fingerprint)
	})
	if err != nil {
		return chat.Template{}, err
	}
	answer, err := s.submit(ctx, c)
	if err != nil {
		return chat.Template{}, s.giveUp(ctx, c, err)
	}
	return s.keep(ctx, c, answer)
}

func fingerprintOf(in chat.NewTemplate) string {
	text, _ := json.Marshal(in) // cannot fail: it came as JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// madeBefore refuses a template that exists already. A template that an earlier attempt made is returned instead.
func (s *Service) madeBefore(ctx context.Context, c *creation) (made *chat.Template, err error) {
	err = s.Store.InTx(ctx, func(tx *store.Tx) error {
		made, c.again = nil, false
		draft, err := tx.TemplateDraft(c.account.OrgID, c.account.WABAID, c.in.Name, c.in.Language, tx.Now().Add(-draftLife))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		c.again = draft == c.fingerprint
		existing, err := tx.Template(c.account.OrgID, c.account.WABAID, c.in.Name, c.in.Language)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !c.again:
			return alreadyExists()
		}
		made = &existing
		return tx.DeleteTemplateDraft(c.account.OrgID, c.account.WABAID, c.in.Name, c.in.Language)
	})
	return made, err
}

func alreadyExists() error {
	return &chat.Error{Code: chat.CodeTemplateAlreadyExists, Param: "name",
		Message: "There is a template of this name in this language. Change it with PATCH, or choose another name."}
}

// submit submits the template, and returns it as the provider has it.
func (s *Service) submit(ctx context.Context, c creation) (provider.Template, error) {
	components, err := json.Marshal(c.in.Components)
	if err != nil {
		return provider.Template{}, err
	}
	t, err := s.Provider.CreateTemplate(ctx, c.number, provider.NewTemplate{
		Name: c.in.Name, Language: c.in.Language, Category: c.in.Category, Format: c.in.Format, TTLSeconds: c.in.TTLSeconds, Components: components,
	})
	if e, ok := errors.AsType[*provider.Error](err); ok && e.TemplateExists() {
		found, lookErr := s.lookUp(ctx, c.number, c.in.Name, c.in.Language)
		switch {
		case lookErr != nil || found == nil:
			return provider.Template{}, err
		case c.again:
			return *found, nil
		}
		_, keepErr := s.keep(ctx, c, *found) // it was made elsewhere: store it here too
		return provider.Template{}, errors.Join(alreadyExists(), keepErr)
	}
	if err != nil {
		return provider.Template{}, err
	}
	t.Components, t.Quality = components, "UNKNOWN"
	if c.in.Category == chat.CategoryAuthentication { // the provider writes its texts
		if found, err := s.lookUp(ctx, c.number, c.in.Name, c.in.Language); err == nil && found != nil {
			t = *found
		}
	}
	return t, nil
}

// lookUp reads one template from the provider; nil if there is none.
func (s *Service) lookUp(ctx context.Context, n provider.Number, name, language string) (*provider.Template, error) {
	page, err := s.Provider.Templates(ctx, n, provider.TemplateQuery{Name: name})
	for _, t := range page.Templates {
		if t.Name == name && t.Language == language {
			return &t, nil
		}
	}
	return nil, err
}

// giveUp cleans up after a failed creation: it deletes the draft if the provider has refused, and keeps it if the
// outcome is unknown.
func (s *Service) giveUp(ctx context.Context, c creation, callErr error) error {
	if _, ours := chat.CodeOf(callErr); ours {
		return callErr
	}
	e, ok := errors.AsType[*provider.Error](callErr)
	err := s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if ok && e.OutcomeUnknown {
			return tx.ScheduleTemplateSync(c.account.OrgID, c.account.WABAID, tx.Now())
		}
		return tx.DeleteTemplateDraft(c.account.OrgID, c.account.WABAID, c.in.Name, c.in.Language)
	})
	if ok && e.TemplateExists() {
		return errors.Join(alreadyExists(), err)
	}
	return errors.Join(s.refused(ctx, c.account, callErr, "components", "name", "language", "category", "parameter_format", "message_send_ttl_seconds"), err)
}

// keep stores a template that the provider has accepted.
func (s *Service) keep(ctx context.Context, c creation, t provider.Template) (row chat.Template, err error) {
	err = s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if row, err = core.KeepTemplate(tx, c.account, t, c.files); err != nil {
			return err
		}
		return tx.DeleteTemplateDraft(c.account.OrgID, c.account.WABAID, c.in.Name, c.in.Language)
	})
	return row, err
}

// Patch changes the fields that are given.
type Patch struct {
	Language   string // empty: the only language
	Category   string
	TTLSeconds *int
	Components []chat.TemplatePart
	Sent       chat.Sent
}

// Edit changes a template at the provider, which then reviews it again.
func (s *Service) Edit(ctx context.Context, account chat.Account, name string, patch Patch) (chat.Template, error) {
	row, err := s.variant(ctx, account, name, patch.Language)
	if err != nil {
		return chat.Template{}, err
	}
	if err := patch.check(row); err != nil {
		return chat.Template{}, err
	}
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.Template{}, err
	}
	files, err := s.uploadSamples(ctx, account, number, patch.Components)
	if err != nil {
		return chat.Template{}, err
	}
	edit := provider.TemplateEdit{Category: patch.Category, TTLSeconds: patch.TTLSeconds}
	if patch.Components != nil {
		if edit.Components, err = json.Marshal(patch.Components); err != nil {
			return chat.Template{}, err
		}
	}
	if row.ProviderID == nil {
		return chat.Template{}, chat.Fail(chat.CodeUpstreamError, "The provider's id of this template is not known yet. Synchronize the templates first.")
	}
	if err := s.Provider.EditTemplate(ctx, number, *row.ProviderID, edit); err != nil {
		if s.isGone(ctx, number, row, err) {
			err = chat.Fail(chat.CodeResourceNotFound, "The template was deleted at the provider. Make a new one.")
			return chat.Template{}, errors.Join(err, s.syncNow(ctx, account))
		}
		return chat.Template{}, errors.Join(s.refused(ctx, account, err, patch.given()...), s.syncSoon(ctx, account, err))
	}
	if row.Is(chat.CategoryAuthentication) && edit.Components != nil {
		if found, err := s.lookUp(ctx, number, row.Name, row.Language); err == nil && found != nil {
			edit.Components = found.Components
		}
	}
	return s.keepEdit(ctx, row, edit, files)
}

// isGone reports whether a call has failed because the provider has the template no more. It says the same of one that
// it does not let us see, so the account's list is asked too.
func (s *Service) isGone(ctx context.Context, n provider.Number, row chat.Template, callErr error) bool {
	e, ok := errors.AsType[*provider.Error](callErr)
	if !ok || !e.Gone() && !e.TemplateMissing() {
		return false
	}
	found, err := s.lookUp(ctx, n, row.Name, row.Language)
	return err == nil && found == nil
}

// variant picks the language of a template to change.
func (s *Service) variant(ctx context.Context, account chat.Account, name, language string) (chat.Template, error) {
	all, err := s.Store.Read(ctx).TemplatesNamed(account.OrgID, account.WABAID, name)
	if err != nil {
		return chat.Template{}, err
	}
	if language == "" && len(all) > 1 {
		return chat.Template{}, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "language",
			Message: "The template exists in several languages: say which one."}
	}
	for _, t := range all {
		if language == "" || t.Language == language {
			return t, nil
		}
	}
	return chat.Template{}, chat.NotFound("template")
}

// given are the fields in the patch.
func (p Patch) given() (names []string) {
	if p.Components != nil {
		names = append(names, "components")
	}
	if p.Category != "" {
		names = append(names, "category")
	}
	if p.TTLSeconds != nil {
		names = append(names, "message_send_ttl_seconds")
	}
	return append(names, "name")
}

// check checks the patch against its template.
func (p Patch) check(row chat.Template) error {
	category := textOf(row.Category)
	if p.Category != "" && row.Status == chat.TemplateApproved && p.Category != category {
		return chat.Invalid("category", "The category of an approved template is fixed.")
	}
	if p.Category != "" {
		category = p.Category
	}
	if p.Components == nil {
		return chat.CheckTTL(category, p.TTLSeconds)
	}
	whole := chat.NewTemplate{
		Name: row.Name, Language: row.Language, Category: category, Format: row.Format, TTLSeconds: p.TTLSeconds, Components: p.Components,
		Sent: p.Sent,
	}
	return whole.Check()
}

// syncSoon schedules a synchronization if the outcome of a call is unknown.
func (s *Service) syncSoon(ctx context.Context, account chat.Account, callErr error) error {
	e, ok := errors.AsType[*provider.Error](callErr)
	if !ok || !e.OutcomeUnknown {
		return nil
	}
	return s.syncNow(ctx, account)
}

func (s *Service) syncNow(ctx context.Context, account chat.Account) error {
	return s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.ScheduleTemplateSync(account.OrgID, account.WABAID, tx.Now())
	})
}

func (s *Service) keepEdit(ctx context.Context, row chat.Template, edit provider.TemplateEdit, files map[string]string) (current chat.Template, err error) {
	err = s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		current, err = core.KeepTemplateEdit(tx, row, edit, files)
		return err
	})
	return current, err
}

// Delete removes a template at the provider and here: in one language, or in all. It returns the newest of the removed
// ones.
func (s *Service) Delete(ctx context.Context, account chat.Account, name, language string) (chat.Template, error) {
	all, err := s.Store.Read(ctx).TemplatesNamed(account.OrgID, account.WABAID, name)
	if err != nil {
		return chat.Template{}, err
	}
	var ids []string
	var newest chat.Template
	for _, t := range all {
		if language != "" && t.Language != language {
			continue
		}
		if ids == nil {
			newest = t
		}
		ids = append(ids, t.ID)
	}
	if ids == nil {
		return chat.Template{}, chat.NotFound("template")
	}
	providerID := ""
	if language != "" {
		providerID = textOf(newest.ProviderID)
	}
	number, err := core.NumberOf(account, s.Token)
	if err != nil {
		return chat.Template{}, err
	}
	err = s.Provider.DeleteTemplate(ctx, number, name, providerID)
	if e, ok := errors.AsType[*provider.Error](err); err != nil && !(ok && e.TemplateMissing()) {
		return chat.Template{}, errors.Join(s.refused(ctx, account, err, "name"), s.syncSoon(ctx, account, err))
	}
	return newest, s.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return core.DropTemplates(tx, newest, ids, language)
	})
}
