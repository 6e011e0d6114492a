package app

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// registerPhone adds the phones of simulated people. The phones belong to no organization; each organization
// sees its own numbers' chats on them.
func registerPhone(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/phone/handsets", ID: "listHandsets", Tag: "Phone", Role: chat.RoleAgent, Whole: true,
		Summary: "List the simulated phones", Description: "`unread` counts what the numbers that the user may see have sent.",
	}, a.listHandsets)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/phone/handsets", ID: "createHandset", Tag: "Phone", Role: chat.RoleAgent, Status: http.StatusCreated,
		Summary: "Add a simulated phone", Description: "Of a person who then can write to the numbers.",
	}, a.createHandset)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/phone/handsets/{id}", ID: "updateHandset", Tag: "Phone", Role: chat.RoleAgent,
		Summary: "Change a simulated phone", Errors: []chat.Code{chat.CodeResourceNotFound},
		Description: "What is sent to a phone that is not `online` waits until it is. What is sent to one that is `blocked` fails.",
	}, a.updateHandset)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/phone/handsets/{id}/messages", ID: "listHandsetMessages", Tag: "Phone", Role: chat.RoleAgent, Everybody: true, Whole: true,
		Summary: "Show a chat on a simulated phone", Description: "Oldest first.", Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.listHandsetMessages)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/phone/handsets/{id}/messages", ID: "writeFromHandset", Tag: "Phone", Role: chat.RoleAgent, Everybody: true, Status: http.StatusCreated,
		Summary: "Write from a simulated phone", Errors: []chat.Code{chat.CodeResourceNotFound},
		Description: "It reaches the number as a message of a real phone would: by a signed callback.",
	}, a.writeFromHandset)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/phone/handsets/{id}/read", ID: "readOnHandset", Tag: "Phone", Role: chat.RoleAgent, Everybody: true,
		Summary: "Read a chat on a simulated phone", Description: "The number is told that its messages were read.",
		Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.readOnHandset)

	rest.ServeFile(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/phone/files/{id}", ID: "getHandsetFile", Tag: "Phone", Role: chat.RoleAgent, Everybody: true,
		Summary: "Get a file of a simulated phone", Description: "As long as the simulator has it.", Errors: []chat.Code{chat.CodeResourceNotFound},
	}, a.handsetFile)
}

type handsetView struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	PhoneNumber string `json:"phone_number"`
	AvatarHue   int    `json:"avatar_hue" minimum:"0" maximum:"7"`
	Online      bool   `json:"online"`
	Blocked     bool   `json:"blocked" doc:"Refuses what businesses send."`
	Unread      int    `json:"unread"`
}

func viewHandset(h simulator.Handset) handsetView {
	hue := 0
	for _, digit := range h.ID {
		hue += int(digit)
	}
	return handsetView{h.ID, h.Name, h.Phone, hue % 8, h.Online, h.Blocked, h.Unread}
}

// phoneNumbers are the numbers whose chats the caller may see.
func phoneNumbers(c *rest.Call) ([]string, error) {
	return core.PhoneNumberIDsFor(c.Read(), *c.Caller.User)
}

// phoneNumber refuses a number that is not the caller's.
func phoneNumber(c *rest.Call, id string) error {
	_, err := core.SeenNumber(c.Read(), *c.Caller.User, id)
	return err
}

func (a *App) listHandsets(c *rest.Call, _ *noInput, _ store.Page) (store.Slice[handsetView], error) {
	numbers, err := phoneNumbers(c)
	return rest.ViewEach(store.Slice[simulator.Handset]{Rows: a.cfg.Phones.List(numbers)}, viewHandset), err
}

type createHandsetBody struct {
	Name        string `json:"name" minLength:"1" maxLength:"60" trimmed:"true"`
	PhoneNumber string `json:"phone_number" minLength:"1" maxLength:"40"`
}

func (a *App) createHandset(_ *rest.Call, in *rest.Sent[createHandsetBody]) (handsetView, error) {
	h, err := a.cfg.Phones.Add(in.Body.Name, in.Body.PhoneNumber)
	return viewHandset(h), handsetFailure(err)
}

type handsetPath struct {
	ID string `path:"id" pattern:"^[0-9]{7,15}$"`
}

type updateHandsetInput struct {
	handsetPath
	Body updateHandsetBody
}

type updateHandsetBody struct {
	Name    *string `json:"name,omitempty" minLength:"1" maxLength:"60" trimmed:"true"`
	Online  *bool   `json:"online,omitempty"`
	Blocked *bool   `json:"blocked,omitempty"`
}

func (a *App) updateHandset(c *rest.Call, in *updateHandsetInput) (handsetView, error) {
	numbers, err := phoneNumbers(c)
	if err != nil {
		return handsetView{}, err
	}
	h, err := a.cfg.Phones.Change(in.ID, simulator.HandsetChange{Name: in.Body.Name, Online: in.Body.Online, Blocked: in.Body.Blocked}, numbers)
	return viewHandset(h), handsetFailure(err)
}

// handsetFailure turns a phone's error into one for the user.
func handsetFailure(err error) error {
	refused, ok := errors.AsType[*simulator.HandsetError](err)
	switch {
	case ok:
		return chat.Invalid(refused.Param, "%s", refused.Message)
	case errors.Is(err, simulator.ErrNoHandset):
		return chat.NotFound("handset")
	}
	return err
}

type readOnHandsetInput struct {
	handsetPath
	Body readOnHandsetBody
}

type readOnHandsetBody struct {
	Number string `json:"number" pattern:"^[0-9]{6,20}$"`
}

type readView struct {
	Read bool `json:"read"`
}

func (a *App) readOnHandset(c *rest.Call, in *readOnHandsetInput) (readView, error) {
	if err := phoneNumber(c, in.Body.Number); err != nil {
		return readView{}, err
	}
	return readView{true}, handsetFailure(a.cfg.Phones.Read(in.ID, in.Body.Number))
}

type handsetFileInput struct {
	ID string `path:"id" pattern:"^[0-9]{1,20}$"`
}

func (a *App) handsetFile(c *rest.Call, in *handsetFileInput) (rest.File, error) {
	numbers, err := phoneNumbers(c)
	if err != nil {
		return rest.File{}, err
	}
	mimeType, name, data, found := a.cfg.Phones.File(in.ID, numbers)
	if !found {
		return rest.File{}, chat.NotFound("file")
	}
	known, ok := chat.MediaType(mimeType)
	if !ok {
		known = chat.UnknownMediaType
	}
	return rest.File{MimeType: known, Disposition: disposition(known, name), Data: data}, nil
}

// disposition makes a browser show pictures, play sound, and save everything else.
func disposition(mimeType, name string) string {
	kind := "attachment"
	family, _, _ := strings.Cut(mimeType, "/")
	if slices.Contains([]string{"image", "audio", "video"}, family) && !strings.HasPrefix(mimeType, "image/svg") {
		kind = "inline"
	}
	if name == "" {
		return kind
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": name})
}
