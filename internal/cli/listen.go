package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

const (
	listenWait     = 20 * time.Second
	forwardTimeout = 10 * time.Second
	// reconnectWait is the longest pause after a failure of the service.
	reconnectWait = 10 * time.Second
)

type listenCommand struct {
	serviceFlags `embed:""`
	ForwardTo    string   `placeholder:"URL" help:"Where to send the events, as localhost:3000/webhooks. Without: they are only shown."`
	Events       []string `type:"list" placeholder:"TYPES" help:"Only these types, separated by commas, as message.received,message.status. Without: all."`
}

// Validate is called by kong.
func (cmd *listenCommand) Validate() error {
	if err := cmd.serviceFlags.Validate(); err != nil {
		return err
	}
	for _, name := range cmd.Events {
		if !chat.EventType(name).Known() {
			return fmt.Errorf("--events: there is no event %q; there are %s", name, strings.Join(texts(chat.EventTypes), ", "))
		}
	}
	if cmd.ForwardTo == "" {
		return nil
	}
	if !strings.Contains(cmd.ForwardTo, "://") {
		cmd.ForwardTo = "http://" + cmd.ForwardTo
	}
	if u, err := url.Parse(cmd.ForwardTo); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return errors.New("--forward-to must be like http://localhost:3000/webhooks")
	}
	return nil
}

func (cmd *listenCommand) Run(c *console, api *client.Client) error {
	l := &listener{
		cmd: cmd, out: c.stdout, notes: c.stdout, colours: c.colours, api: api, secret: core.NewWebhookSecret(),
		http: &http.Client{
			Timeout:       forwardTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if cmd.JSON { // the output is JSON only
		l.notes = c.stderr
	}
	err := l.run(c.ctx)
	if errors.Is(err, context.Canceled) { // interrupted by the user, which is how it ends
		return nil
	}
	return explainService(err, cmd.URL)
}

// listener forwards events.
type listener struct {
	cmd     *listenCommand
	out     io.Writer
	notes   io.Writer // messages that are not events
	colours colours
	api     *client.Client
	http    *http.Client
	secret  string

	cursor   string
	failures int
}

func (l *listener) run(ctx context.Context) error {
	start, err := l.api.FollowEvents(ctx, client.EventFeedFilter{})
	if err != nil {
		return err
	}
	l.cursor = start.Cursor
	if l.cmd.ForwardTo == "" {
		fmt.Fprintln(l.notes, "Showing events until interrupted; --forward-to sends them to your server too.")
	} else {
		fmt.Fprintf(l.notes, "Forwarding events to %s until interrupted.\nSigning secret, for this run only: %s\n", l.cmd.ForwardTo, l.secret)
	}
	for err == nil {
		err = l.round(ctx)
	}
	return err
}

// round forwards the new events, or waits until the service is back.
func (l *listener) round(ctx context.Context) error {
	began := time.Now()
	feed, err := l.api.FollowEvents(ctx, l.filter())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && refused(err):
		return err
	case err != nil:
		l.failures++
		fmt.Fprintf(l.notes, "%s  lost the service, trying again: %v\n", now(), withoutURL(err))
		return pause(ctx, min(time.Duration(l.failures)*time.Second, reconnectWait))
	}
	l.failures = 0
	for _, e := range feed.Events {
		if err := l.forward(ctx, e); err != nil {
			return err
		}
	}
	l.cursor = feed.Cursor
	if len(feed.Events) == 0 { // the service answers at once when too many wait
		return pause(ctx, time.Second-time.Since(began))
	}
	return nil
}

func (l *listener) filter() client.EventFeedFilter {
	f := client.EventFeedFilter{Wait: listenWait, PageOptions: client.PageOptions{Limit: 100, Cursor: l.cursor}}
	for _, name := range l.cmd.Events {
		f.Types = append(f.Types, client.EventType(name))
	}
	return f
}

// refused tells a final refusal from a failure that may pass.
func refused(err error) bool {
	refusal, ok := errors.AsType[*client.Error](err)
	return ok && refusal.HTTPStatus < http.StatusInternalServerError && refusal.HTTPStatus != http.StatusTooManyRequests
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forward delivers an event once, as the service would, and prints it with the result.
func (l *listener) forward(ctx context.Context, e client.Event) error {
	shown := shownEvent{at: e.CreatedAt, kind: string(e.Type), number: orText(e.PhoneNumberID, ""), payload: e.Payload, id: e.EventID}
	if l.cmd.ForwardTo != "" {
		began := time.Now()
		outcome := l.post(ctx, e, began)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		shown.beside = fmt.Sprintf("  %s  %d ms", outcome, time.Since(began).Milliseconds())
	}
	if l.cmd.JSON {
		return eventJSON(l.out, e)
	}
	_, err := io.WriteString(l.out, shown.line(l.colours))
	return err
}

func (l *listener) post(ctx context.Context, e client.Event, at time.Time) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.cmd.ForwardTo, bytes.NewReader(e.Payload))
	if err != nil {
		return err.Error()
	}
	request.Header = chat.SignedDelivery{
		// There is no delivery. Its id is derived from the event's, so that every forwarding of the event has
		// the same one.
		ID:      string(chat.KindDelivery) + strings.TrimPrefix(e.ID, string(chat.KindEvent)),
		EventID: e.EventID, EventType: chat.EventType(e.Type), Source: chat.EventSource(e.Source), Attempt: 1,
		Signature: chat.SignWebhook([]string{l.secret}, at, e.Payload),
	}.Headers()
	response, err := l.http.Do(request)
	if err != nil {
		return "failed: " + withoutURL(err).Error()
	}
	defer response.Body.Close()
	io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection can be reused
	return response.Status
}

// withoutURL removes the address from an error: the user knows it, and with a cursor it is long.
func withoutURL(err error) error {
	if failure, ok := errors.AsType[*url.Error](err); ok {
		return failure.Err
	}
	return err
}

func now() string { return time.Now().Format(time.TimeOnly) }

// checkService checks the address and the key of the service.
func checkService(address, key string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil:
		return errors.New("--url must be like https://chat.example.com") // not repeated: it may hold a password
	case !chat.WellFormedKey(key):
		return errors.New("--key must be an API key (svc_live_…); \"parley key create --org ORG\" makes one")
	default:
		return nil
	}
}

// explainService adds advice if the service does not answer or does not know the key.
func explainService(err error, address string) error {
	refusal, ok := errors.AsType[*client.Error](err)
	switch {
	case errors.As(err, new(*url.Error)):
		return fmt.Errorf("%w\nis the service running at %s? --url gives another address", err, address)
	case ok && refusal.Type == client.ErrorTypeAuthentication:
		return fmt.Errorf("%w\ncheck --key (PARLEY_API_KEY); \"parley key create --org ORG\" makes a new one", err)
	default:
		return err
	}
}
