package client

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
)

// WebhookHandler receives webhooks: it checks the signature, leaves out what was handled before, and calls
// the function of the event's type. It is an http.Handler, ready to use:
//
//	http.Handle("POST /webhooks", &client.WebhookHandler{
//		Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
//		MessageReceived: func(ctx context.Context, m client.MessageReceived) error {
//			_, err := c.SendMessage(ctx, m.PhoneNumberID, client.ReplyTo(m).Text("Thank you!"))
//			return err
//		},
//	})
//
// An event whose function returns nil is answered with 200, and so is one that has no function. An error is
// answered with 500: the service sends the event again. Functions have ten seconds; take longer work off them.
//
// Samples that test the subscription are verified, logged and answered with 200. They reach none of the functions but
// Test, because nobody should answer a person who does not exist.
type WebhookHandler struct {
	Secrets []string // one, or two while you replace it

	MessageReceived        func(context.Context, MessageReceived) error
	MessageStatusChanged   func(context.Context, MessageStatusChanged) error
	MessageSent            func(context.Context, MessageSent) error
	MessageRevoked         func(context.Context, MessageRevoked) error
	MessageEdited          func(context.Context, MessageEdited) error
	ConversationAssigned   func(context.Context, ConversationAssigned) error
	ConversationClosed     func(context.Context, ConversationClosed) error
	ContactCreated         func(context.Context, ContactCreated) error
	ContactUpdated         func(context.Context, ContactUpdated) error
	ContactIdentityUpdated func(context.Context, ContactIdentityUpdated) error
	CustomerCreated        func(context.Context, CustomerCreatedEvent) error
	CustomerUpdated        func(context.Context, CustomerUpdatedEvent) error
	CustomerArchived       func(context.Context, CustomerArchivedEvent) error
	CustomerOnboarded      func(context.Context, CustomerOnboardedEvent) error
	SetupLinkCreated       func(context.Context, SetupLinkCreatedEvent) error
	SetupLinkConsumed      func(context.Context, SetupLinkConsumedEvent) error

	// Other gets the events without a function above, including those of future types.
	Other func(context.Context, WebhookEvent) error

	// Test gets the samples that `parley webhook test` sends. Nil: they are only logged.
	Test func(context.Context, WebhookEvent) error

	// Memory knows the handled events. Nil: the last 10,000 events, until the process ends. Use a persistent
	// one, for example in your database, if handling an event twice would do harm, and an EventLedger if losing one would.
	Memory EventMemory
	// Log gets a line for each refusal and failure. Nil: slog.Default().
	Log *slog.Logger

	recent   recentEvents
	underway underway
}

// EventMemory remembers the handled events.
type EventMemory interface {
	// Begin claims an event. It returns false if it was claimed before.
	Begin(ctx context.Context, key string) (first bool, err error)
	// Forget releases an event whose handling failed, so that its repetition is handled.
	Forget(ctx context.Context, key string) error
}

// EventLedger is an EventMemory that knows which events are done. To a Memory without Done, an event whose process ended
// before its function did is a handled one, and its repetition is left out. One with Done has Begin claim an event for a
// while: for one that is claimed and not done Begin returns an error, so that it comes again, and true when the claim is
// older than a function may take.
type EventLedger interface {
	EventMemory
	// Done notes that an event was handled.
	Done(ctx context.Context, key string) error
}

// Key identifies an event: it is the same for every repetition, and different for each status of a message.
func (e WebhookEvent) Key() string {
	key := string(e.Type) + ":" + e.EventID
	if e.Type == EventMessageStatus {
		if v, err := e.Value(); err == nil {
			key += ":" + v.(*MessageStatusChanged).Status
		}
	}
	return key
}

// ServeHTTP handles one delivery.
func (h *WebhookHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	event, err := ReadWebhook(r, h.Secrets...)
	if err != nil {
		h.log().WarnContext(r.Context(), "a webhook is refused", "error", err)
		http.Error(w, "the signature is not valid", http.StatusBadRequest)
		return
	}
	if err := h.once(r.Context(), *event); err != nil {
		h.log().ErrorContext(r.Context(), "an event could not be handled; it comes again", "type", event.Type, "event_id", event.EventID, "error", err)
		http.Error(w, "the event could not be handled", http.StatusInternalServerError)
	}
}

func (h *WebhookHandler) log() *slog.Logger { return cmp.Or(h.Log, slog.Default()) }

func (h *WebhookHandler) memory() EventMemory {
	if h.Memory != nil {
		return h.Memory
	}
	return &h.recent
}

// once handles an event unless it was handled before. A repetition that comes while the event is still being handled waits
// for how that ends: answered with 200, it would be the last one, and a failure would lose the event.
func (h *WebhookHandler) once(ctx context.Context, event WebhookEvent) (err error) {
	key := event.Key()
	leave, err := h.underway.enter(ctx, key)
	if err != nil {
		return err
	}
	defer leave()
	first, err := h.memory().Begin(ctx, key)
	if err != nil || !first {
		return err
	}
	handled := false
	defer func() {
		if !handled { // it failed, or panicked
			err = errors.Join(err, h.memory().Forget(context.WithoutCancel(ctx), key))
		}
	}()
	err = h.dispatch(ctx, event)
	handled = err == nil
	if handled {
		h.noteDone(context.WithoutCancel(ctx), key)
	}
	return err
}

// noteDone tells a memory that wants to know. An event that it cannot note was handled all the same, and need not come again.
func (h *WebhookHandler) noteDone(ctx context.Context, key string) {
	ledger, ok := h.memory().(EventLedger)
	if !ok {
		return
	}
	if err := ledger.Done(ctx, key); err != nil {
		h.log().WarnContext(ctx, "an event was handled, and its memory did not note it", "key", key, "error", err)
	}
}

func (h *WebhookHandler) dispatch(ctx context.Context, event WebhookEvent) error {
	if event.Test {
		return h.test(ctx, event)
	}
	value, err := event.Value()
	if err != nil {
		return err
	}
	known, err := h.call(ctx, value)
	if !known && h.Other != nil {
		return h.Other(ctx, event)
	}
	return err
}

func (h *WebhookHandler) test(ctx context.Context, event WebhookEvent) error {
	if h.Test != nil {
		return h.Test(ctx, event)
	}
	h.log().InfoContext(ctx, "a test of the webhook arrived; its signature is valid", "type", event.Type, "delivery_id", event.DeliveryID)
	return nil
}

// call passes a value to the function of its type.
func (h *WebhookHandler) call(ctx context.Context, value any) (known bool, err error) {
	switch v := value.(type) {
	case *MessageReceived:
		return with(ctx, h.MessageReceived, v)
	case *MessageStatusChanged:
		return with(ctx, h.MessageStatusChanged, v)
	case *MessageSent:
		return with(ctx, h.MessageSent, v)
	case *MessageRevoked:
		return with(ctx, h.MessageRevoked, v)
	case *MessageEdited:
		return with(ctx, h.MessageEdited, v)
	case *ConversationAssigned:
		return with(ctx, h.ConversationAssigned, v)
	case *ConversationClosed:
		return with(ctx, h.ConversationClosed, v)
	case *ContactCreated:
		return with(ctx, h.ContactCreated, v)
	case *ContactUpdated:
		return with(ctx, h.ContactUpdated, v)
	case *ContactIdentityUpdated:
		return with(ctx, h.ContactIdentityUpdated, v)
	default:
		return h.callCustomer(ctx, value)
	}
}

func (h *WebhookHandler) callCustomer(ctx context.Context, value any) (known bool, err error) {
	switch v := value.(type) {
	case *CustomerCreatedEvent:
		return with(ctx, h.CustomerCreated, v)
	case *CustomerUpdatedEvent:
		return with(ctx, h.CustomerUpdated, v)
	case *CustomerArchivedEvent:
		return with(ctx, h.CustomerArchived, v)
	case *CustomerOnboardedEvent:
		return with(ctx, h.CustomerOnboarded, v)
	case *SetupLinkCreatedEvent:
		return with(ctx, h.SetupLinkCreated, v)
	case *SetupLinkConsumedEvent:
		return with(ctx, h.SetupLinkConsumed, v)
	default:
		return false, nil
	}
}

func with[T any](ctx context.Context, handle func(context.Context, T) error, v *T) (bool, error) {
	if handle == nil {
		return false, nil
	}
	return true, handle(ctx, *v)
}

// recentEvents remembers the last events.
type recentEvents struct {
	mu    sync.Mutex
	known map[string]bool
	order []string // oldest first
}

const maxRecentEvents = 10_000

// Begin is part of EventMemory.
func (m *recentEvents) Begin(_ context.Context, key string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[key] {
		return false, nil
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[key] = true
	m.order = append(m.order, key)
	if len(m.order) > maxRecentEvents {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
	return true, nil
}

// Forget is part of EventMemory.
func (m *recentEvents) Forget(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, key)
	m.order = slices.DeleteFunc(m.order, func(known string) bool { return known == key })
	return nil
}

// underway are the events that are being handled.
type underway struct {
	mu   sync.Mutex
	done map[string]chan struct{} // closed when the event's turn is over
}

// enter waits until nobody else handles the event, or until ctx ends.
func (u *underway) enter(ctx context.Context, key string) (leave func(), err error) {
	for {
		u.mu.Lock()
		other, busy := u.done[key]
		if !busy {
			break
		}
		u.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer u.mu.Unlock()
	if u.done == nil {
		u.done = map[string]chan struct{}{}
	}
	mine := make(chan struct{})
	u.done[key] = mine
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.done, key)
		close(mine)
	}, nil
}
