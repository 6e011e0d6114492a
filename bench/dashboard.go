package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"
)

// The dashboard is measured on the same large inbox as the lists, on a server that has all of it in its search index.
const (
	dashboards  = 200
	idleTime    = 20 * time.Second
	hintsSent   = 50
	fetchRounds = 30
	indexTime   = 30 * time.Minute
	restTime    = 5 * time.Second // so long a server must have been idle

	users        = 10 // a node keeps up to 64 windows of each
	userPassword = "a password for the bench"
)

func emailOf(user int) string { return fmt.Sprintf("ada%d@bench.example", user) }

// dashboardScenario is a row about the dashboard. run decides what it times, and how often.
type dashboardScenario struct {
	name string
	run  func(context.Context, *office) (figures, error)
}

var dashboardScenarios = append(inboxScenarios, homeScenarios...)

var inboxScenarios = []dashboardScenario{
	{"dashboard, inbox usable", inBrowser(openInbox)},
	{"dashboard, conversation opened", inBrowser(openConversations)},
	{"dashboard, keystroke", inBrowser(typeInShortThread)},
	{"dashboard, keystroke, long thread", inBrowser(typeInLongThread)},
	{"dashboard, keystroke, 20 messages/s", typeBesideMessages},
	{"dashboard, frame while scrolling", inBrowser(scrollList)},
	{"dashboard, search: rare word", searchFor(rareWord)},
	{"dashboard, search: common word", searchFor(commonWord)},
	{"dashboard, search: word of long ago", searchFor(oldWord)},
	{"dashboard, search: two words", searchFor("urgent " + oldWord)},
	{"dashboard, search: part of a number", searchFor("49150000123")},
	{"dashboard, search: nothing found", searchFor("zyzzyva")},
	{"dashboard, 200 idle for a second", idleDashboards},
	{"dashboard, a message on 200", messageOnAll},
}

// office is a running server with a large inbox, and a user who is signed in.
type office struct {
	server
	tmp      string
	client   *http.Client // the first user's client
	people   []*http.Client
	browser  *browser      // opened when a row needs it
	pageTime time.Duration // processor time that the page used in a row; 0 if it is not known
}

func (b *bench) dashboard(ctx context.Context, g *group, databaseURL string) error {
	wanted := matching(dashboardScenarios, b.options)
	if b.messages > 0 {
		wanted = matching(homeScenarios, b.options)
	}
	if len(wanted) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	o, err := b.openOffice(ctx, g.Name, databaseURL)
	if err != nil {
		return err
	}
	defer o.close()
	for _, sc := range wanted {
		f, err := sc.run(ctx, o)
		if err != nil {
			f.Failure = err.Error()
		}
		f.Name = sc.name
		f.RSS, f.PeakRSS = memory(o.process.pid())
		b.add(g, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// openOffice fills the inbox before the server starts, so that the search index contains everything.
func (b *bench) openOffice(ctx context.Context, engine, databaseURL string) (*office, error) {
	databaseURL, err := anotherDatabase(ctx, databaseURL, "dashboard")
	if err != nil {
		return nil, err
	}
	s, err := b.prepareEngine(ctx, engine, databaseURL)
	if err != nil {
		return nil, err
	}
	texts := 0
	if b.messages > 0 {
		err = fillMonths(ctx, &s, b.messages, 100)
	} else {
		texts, err = inboxConversations*perConversation, b.fillInbox(ctx, &s, s.store)
	}
	if err != nil {
		return nil, err
	}
	for i := range users {
		_, err = b.run(ctx, append([]string{"user", "create", "--org", s.target.org, "--email", emailOf(i), "--name", "Ada",
			"--role", "owner", "--password", userPassword}, s.store...))
		if err != nil {
			return nil, err
		}
	}
	if err := b.serve(ctx, &s); err != nil {
		return nil, err
	}
	o := &office{server: s, tmp: b.tmp}
	for i := range users {
		client, err := o.signIn(ctx, emailOf(i))
		if err != nil {
			o.close()
			return nil, err
		}
		o.people = append(o.people, client)
	}
	o.client = o.people[0]
	err = o.awaitIndex(ctx, texts)
	if err == nil {
		err = o.awaitRest(ctx)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

func (o *office) close() {
	if o.browser != nil {
		o.browser.close()
	}
	o.process.stop()
}

func (o *office) url(path string) string { return "http://" + o.target.addr + path }

// signIn makes a client with a session.
func (o *office) signIn(ctx context.Context, email string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar}
	body, err := json.Marshal(map[string]string{"email": email, "password": userPassword})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url("/app/api/session"), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return client, do(client, request)
}

// do sends a request and expects a 2xx.
func do(client *http.Client, request *http.Request) error {
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: status %d: %s", request.Method, request.URL.Path, answer.StatusCode, body[:min(len(body), 500)])
	}
	return err
}

// awaitIndex waits until searches find everything: so many texts.
func (o *office) awaitIndex(ctx context.Context, texts int) error {
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	for {
		indexed, err := metric(ctx, o.ops, "parley_search_indexed_total")
		if err != nil {
			return fmt.Errorf("the search index is not ready: %w", err)
		}
		rebuilding, err := metric(ctx, o.ops, "parley_search_rebuilding")
		if err != nil {
			return fmt.Errorf("the search index is not ready: %w", err)
		}
		if indexed >= float64(texts) && rebuilding == 0 {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the search index is not ready: %.0f texts of %d", indexed, texts)
		}
	}
}

// awaitRest waits until the server does nothing by itself: after its start it counts for Home what was there before.
func (s server) awaitRest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	before, known := cpuTime(s.process.pid())
	for known {
		select {
		case <-time.After(restTime):
		case <-ctx.Done():
			return errors.New("the server does not come to rest")
		}
		after, _ := cpuTime(s.process.pid())
		if after-before < restTime/50 {
			return nil
		}
		before = after
	}
	return nil
}

// searchFor times the first page of a search, one at a time.
func searchFor(words string) func(context.Context, *office) (figures, error) {
	return fetching("/search?q=" + url.QueryEscape(words))
}

// fetching times a request of the dashboard's, one at a time.
func fetching(path string) func(context.Context, *office) (figures, error) {
	return func(ctx context.Context, o *office) (f figures, err error) {
		var t tally
		before, known := cpuTime(o.process.pid())
		begin := time.Now()
		for range fetchRounds {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url("/app/api"+path), nil)
			if err != nil {
				return f, err
			}
			sent := time.Now()
			if err := do(o.client, request); err != nil {
				return f, err
			}
			t.latencies = append(t.latencies, time.Since(sent))
		}
		t.elapsed = time.Since(begin)
		f.count(&t)
		if after, _ := cpuTime(o.process.pid()); known {
			f.CPUMicros = float64((after - before).Microseconds()) / fetchRounds
		}
		return f, nil
	}
}
