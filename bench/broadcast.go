package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/parleyhq/parley/client"
)

const (
	// broadcastRate is how many messages per second the number may send: more than the program can.
	broadcastRate = 5_000
	// besideBroadcast is how many messages per second people send from the same number.
	besideBroadcast = 20
	broadcastWait   = 10 * time.Minute

	importedRow       = "broadcast, recipients imported"
	replyAlone        = "reply of an agent, alone"
	replyBesideRow    = "reply of an agent, beside a broadcast at 80/s"
	replyFlatOutRow   = "reply of an agent, beside a broadcast flat out"
	usualRate         = 80 // per number
	broadcastNewRow   = "broadcast to new people, messages sent"
	broadcastSentRow  = "broadcast, messages sent"
	recipientsPerCall = 1_000
)

// broadcastScenario is the rows about broadcasts: how fast one is, and the latency of an agent's messages beside it.
type broadcastScenario struct{ name string }

var broadcastScenarios = []broadcastScenario{{name: broadcastSentRow}}

func (s broadcastScenario) title() string { return s.name }
func (s broadcastScenario) long() bool    { return false }

// broadcast measures on its own server, whose provider is the simulator.
func (b *bench) broadcast(ctx context.Context, g *group, databaseURL string) error {
	if len(matching(broadcastScenarios, b.options)) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	databaseURL, err := anotherDatabase(ctx, databaseURL, "broadcast")
	if err != nil {
		return err
	}
	s, err := b.startEngine(ctx, g.Name, databaseURL, "--messages-per-second", strconv.Itoa(broadcastRate))
	if err != nil {
		return err
	}
	defer s.process.stop()
	api, err := client.New("http://"+s.target.addr, s.target.key)
	if err != nil {
		return err
	}
	m := mailing{bench: b, g: g, s: s, api: api, number: phoneNumberID(numbers - 1)}
	imported, sent := 1_000_000, 100_000
	if b.short {
		imported, sent = 20_000, 8_000
	}
	if err := m.load(ctx, imported); err != nil {
		return err
	}
	for _, row := range []string{broadcastNewRow, broadcastSentRow} { // the second one is to the same people
		if err := m.alone(ctx, row, sent); err != nil {
			return err
		}
	}
	return m.besideAgent(ctx, sent)
}

// mailing measures the broadcasts of one number.
type mailing struct {
	*bench
	g      *group
	s      server
	api    *client.Client
	number string
}

// load adds recipients to a broadcast that is not being sent, page by page.
func (m mailing) load(ctx context.Context, people int) error {
	begin := time.Now()
	if _, err := m.create(ctx, people); err != nil {
		return err
	}
	f := figures{Name: importedRow, Requests: people, Elapsed: time.Since(begin)}
	f.PerSecond = float64(people) / f.Elapsed.Seconds()
	f.RSS, f.PeakRSS = memory(m.s.process.pid())
	m.add(m.g, f)
	return nil
}

func (m mailing) create(ctx context.Context, people int) (*client.Broadcast, error) {
	made, err := m.api.CreateBroadcast(ctx, m.number, client.NewBroadcast{Name: "bench", Template: client.BroadcastTemplate{Name: "hello_world", Language: "en_US"}})
	if err != nil {
		return nil, err
	}
	page := make([]client.NewRecipient, 0, recipientsPerCall)
	for i := range people {
		page = append(page, client.NewRecipient{To: fmt.Sprintf("+4917%09d", i), Variables: map[string]string{"name": "Ada", "city": "Ulm"}})
		if len(page) == recipientsPerCall || i == people-1 {
			if _, err := m.api.AddBroadcastRecipients(ctx, m.number, made.ID, page); err != nil {
				return nil, err
			}
			page = page[:0]
		}
	}
	return made, nil
}

// alone measures a broadcast beside which nobody sends, up to its last message. It then waits until the people have read
// them all, so that the next row has the server to itself.
func (m mailing) alone(ctx context.Context, row string, people int) error {
	made, err := m.create(ctx, people)
	if err != nil {
		return err
	}
	pid := m.s.process.pid()
	before, known := cpuTime(pid)
	database := familyTime(m.database)
	if _, err := m.api.StartBroadcast(ctx, m.number, made.ID); err != nil {
		return err
	}
	m.profileBroadcast(ctx, row)
	b, err := m.await(ctx, made.ID, "end", func(b *client.Broadcast) bool { return b.Status == client.BroadcastCompleted })
	if err != nil {
		return err
	}
	after, _ := cpuTime(pid)
	f := figures{Name: row, Requests: int(b.Counts.Sent), Errors: people - int(b.Counts.Sent), Elapsed: b.CompletedAt.Sub(*b.StartedAt)}
	f.PerSecond = float64(f.Requests) / f.Elapsed.Seconds()
	if known && f.Requests > 0 {
		f.CPUMicros = float64((after - before).Microseconds()) / float64(f.Requests)
		f.DBMicros = float64((familyTime(m.database) - database).Microseconds()) / float64(f.Requests)
	}
	f.RSS, f.PeakRSS = memory(pid)
	m.add(m.g, f)
	_, err = m.await(ctx, made.ID, "be read", func(b *client.Broadcast) bool { return b.Counts.Read == b.Counts.Sent })
	return err
}

// profileBroadcast records a profile of the broadcast that was just started, if one is wanted. The row's figures suffer
// from it a little.
func (m mailing) profileBroadcast(ctx context.Context, row string) {
	if m.profiles == "" {
		return
	}
	name := filepath.Join(m.profiles, m.s.engine+"-"+slug(row)+".pprof")
	if err := fetch(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", m.s.ops, int(profileTime.Seconds())), name); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
	}
}

// besideAgent measures an agent alone, beside a broadcast at the usual pace, and beside one at full speed. Each begins when
// the server has done all that the messages before it cause, such as reading them into the search index.
func (m mailing) besideAgent(ctx context.Context, people int) error {
	if err := m.s.awaitRest(ctx); err != nil {
		return err
	}
	l := newLoad(m.s.target.addr, m.connections, http.StatusOK, paced(sendTemplate(m.s.target, 1), besideBroadcast))
	defer l.close()
	m.add(m.g, m.measure(ctx, replyAlone, m.s.process.pid(), m.warmUp, l.phase))
	for _, row := range []struct {
		name      string
		perSecond *int64
	}{{replyBesideRow, new(int64(usualRate))}, {replyFlatOutRow, nil}} {
		if err := m.beside(ctx, row.name, l, people, row.perSecond); err != nil {
			return err
		}
	}
	return nil
}

// beside starts a broadcast, measures an agent beside it, and stops it.
func (m mailing) beside(ctx context.Context, name string, l *load, people int, perSecond *int64) error {
	made, err := m.create(ctx, people)
	if err == nil && perSecond != nil {
		_, err = m.api.UpdateBroadcast(ctx, m.number, made.ID, client.BroadcastPatch{PerSecond: client.Set(*perSecond)})
	}
	if err == nil {
		err = m.s.awaitRest(ctx)
	}
	if err == nil {
		_, err = m.api.StartBroadcast(ctx, m.number, made.ID)
	}
	if err != nil {
		return err
	}
	f := m.measure(ctx, name, m.s.process.pid(), m.warmUp, l.phase)
	during, err := m.api.GetBroadcast(ctx, m.number, made.ID)
	if err != nil {
		return err
	}
	if during.Status != client.BroadcastSending {
		f.Failure = "the broadcast ended before the row did"
	}
	m.add(m.g, f)
	fmt.Fprintf(os.Stderr, "%-9s %d messages of the broadcast went meanwhile\n", m.g.Name, during.Counts.Sent)
	_, err = m.api.StopBroadcast(ctx, m.number, made.ID)
	return err
}

// await asks for a broadcast until it is as wanted.
func (m mailing) await(ctx context.Context, id, what string, done func(*client.Broadcast) bool) (*client.Broadcast, error) {
	ctx, cancel := context.WithTimeout(ctx, broadcastWait)
	defer cancel()
	for {
		b, err := m.api.GetBroadcast(ctx, m.number, id)
		switch {
		case err != nil:
			return nil, fmt.Errorf("waiting for the broadcast to %s: %w", what, err)
		case done(b):
			return b, nil
		case b.Status != client.BroadcastSending && b.Status != client.BroadcastCompleted:
			return nil, fmt.Errorf("the broadcast is %s", b.Status)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
