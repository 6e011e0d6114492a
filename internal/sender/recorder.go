package sender

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	recordBatch = 256
	recordQueue = 512
)

// recorder writes outcomes in batches: whatever has come in while the last batch was written.
type recorder struct {
	sender *Sender
	queue  chan outcome
	done   chan struct{}
}

type outcome struct {
	result core.SendResult
	after  func(error)
}

func startRecorder(s *Sender) *recorder {
	r := &recorder{sender: s, queue: make(chan outcome, recordQueue), done: make(chan struct{})}
	go r.run()
	return r
}

func (r *recorder) add(result core.SendResult, after func(error)) {
	r.queue <- outcome{result, after}
}

// stop writes what is queued. Nothing may be added any more.
func (r *recorder) stop() {
	close(r.queue)
	<-r.done
}

func (r *recorder) run() {
	defer close(r.done)
	batch := make([]outcome, 0, recordBatch)
	for first := range r.queue {
		batch = append(batch[:0], first)
		for len(batch) < recordBatch && len(r.queue) > 0 {
			batch = append(batch, <-r.queue)
		}
		r.write(batch)
	}
}

// write records a batch. When that fails each outcome is tried alone, and again for a while: a
// message whose outcome is not written would be sent twice.
func (r *recorder) write(batch []outcome) {
	err := r.record(batch)
	if err == nil {
		for _, o := range batch {
			o.after(nil)
		}
		return
	}
	r.sender.warn("the outcomes of sends could not be written", err)
	for _, o := range batch {
		o.after(r.recordAlone(o))
	}
}

func (r *recorder) recordAlone(o outcome) (err error) {
	for _, wait := range []time.Duration{0, 100 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second} {
		select {
		case <-time.After(wait):
		case <-r.sender.ctx.Done():
		}
		if err = r.record([]outcome{o}); err == nil {
			return nil
		}
	}
	return err
}

func (r *recorder) record(batch []outcome) error {
	results := make([]core.SendResult, len(batch))
	for i, o := range batch {
		results[i] = o.result
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	accounts := accountCache{store: r.sender.cfg.Store, ctx: ctx}
	results, err := core.PrepareSends(accounts.get, results)
	if err != nil {
		return err
	}
	return r.sender.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return core.RecordSends(tx, results) })
}

// demote marks an account from which the provider takes nothing any more: its sends would all fail
// until it is connected or registered anew.
func (s *Sender) demote(account chat.Account, status chat.AccountStatus) {
	err := s.cfg.Store.InTx(context.WithoutCancel(s.ctx), func(tx *store.Tx) error {
		return core.DemoteAccount(tx, account, status)
	})
	if err != nil {
		s.warn("an account could not be marked as "+string(status), err)
	}
}
