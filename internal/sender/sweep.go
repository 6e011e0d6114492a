package sender

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const failedTakeOver = "messages to send could not be taken over"

func (s *Sender) sweepLoop() {
	tick := time.NewTicker(s.cfg.SweepEvery)
	defer tick.Stop()
	for s.ctx.Err() == nil {
		s.sweep()
		s.awaitSweep(tick.C)
	}
}

// awaitSweep waits until the next sweep is due. Whenever Wake is called meanwhile, it takes over jobs without a living
// owner.
func (s *Sender) awaitSweep(tick <-chan time.Time) {
	for {
		select {
		case <-tick:
			return
		case <-s.Bell:
			if err := s.takeOver(); err != nil {
				s.warn(failedTakeOver, err)
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// sweep takes over the jobs of dead nodes, picks up own jobs that are not in memory, and checks the messages whose
// outcome is in doubt.
func (s *Sender) sweep() {
	s.forgetLoaded()
	for _, part := range []struct {
		failed string
		do     func() error
	}{
		{failedTakeOver, s.takeOver},
		{"own messages to send could not be read", s.pickUp},
		{"messages in doubt could not be looked up", s.settleDoubts},
	} {
		if err := part.do(); err != nil {
			s.warn(part.failed, err)
		}
	}
}

// page is how many jobs are read at once.
func (s *Sender) page() int { return max(1, s.cfg.MaxHeld/20) }

// takeOver claims jobs that no living node has, as long as all of them fit into memory. The rest is left to other
// nodes, or to pickUp.
func (s *Sender) takeOver() error {
	for s.spare() && s.mayTake() {
		dead, err := s.cfg.Store.Read(s.ctx).AbandonedBy()
		if err != nil || len(dead) == 0 {
			return err
		}
		var jobs []store.SendJob
		err = s.cfg.Store.InTx(s.ctx, func(tx *store.Tx) (err error) {
			jobs, err = tx.ClaimSendJobs(s.Node(), s.page())
			return err
		})
		if err != nil || len(jobs) == 0 {
			return err
		}
		s.cfg.Log.Info("took over messages to send", "count", len(jobs))
		s.allowForAbsence(jobs)
		if err := s.loadClaimed(jobs); err != nil || len(s.left) > 0 || len(jobs) < s.page() {
			return err
		}
	}
	return nil
}

// allowForAbsence postpones the jobs in doubt by the time in which nobody was there, which began after the newest of them
// was accepted.
func (s *Sender) allowForAbsence(claimed []store.SendJob) {
	var newest store.Moment
	for _, j := range claimed {
		if j.InDoubt && j.Attempts == 0 {
			newest = max(newest, s.cfg.Store.MomentOf(j.DueAt))
		}
	}
	if newest.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caught = max(s.caught, s.started.Add(min(s.started.Sub(newest), mostGrace)))
}

// loadClaimed loads jobs that were just claimed into memory. If a number has left jobs of an earlier claim in the
// table, its new jobs stay there too, behind those. pickUp takes all of them up in order.
func (s *Sender) loadClaimed(jobs []store.SendJob) error {
	full := maps.Clone(s.left)
	for _, j := range jobs {
		s.left[j.AccountID] = true // until all of them are loaded
	}
	err := s.load(jobs, full)
	if err == nil {
		s.left = onlyTrue(full)
	}
	return err
}

func onlyTrue(set map[string]bool) map[string]bool {
	maps.DeleteFunc(set, func(_ string, is bool) bool { return !is })
	return set
}

// spare tells whether there is any room in memory.
func (s *Sender) spare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held) < s.cfg.MaxHeld
}

// pickUp goes through all own jobs except the newest, account by account. A job that is not in memory did not fit, or
// another node accepted it behind a message of this node. Once a job of a number does not fit, its later jobs are
// skipped, because nothing may overtake it.
func (s *Sender) pickUp() error {
	now := s.cfg.Store.Now()
	young := s.cfg.SweepEvery // younger jobs are still on their way to Enqueue
	if len(s.left) > 0 {      // some of the left jobs may be young
		young = 0
	}
	full := map[string]bool{}
	var last store.SendJob
	for s.mayTake() {
		var jobs []store.SendJob
		before, missing, err := s.skipHeld(last)
		if err == nil && missing {
			jobs, err = s.cfg.Store.Read(s.ctx).OwnSendJobs(s.Node(), young, now, before, s.page())
		}
		if err == nil {
			err = s.load(s.unheld(jobs), full)
		}
		if err != nil {
			return err
		}
		if len(jobs) < s.page() {
			s.left = onlyTrue(full)
			return nil
		}
		last = jobs[len(jobs)-1]
		if full[last.AccountID] {
			last.MessageID = "z" // behind all of its messages, however the database sorts
		}
	}
	return nil
}

// skipHeld goes on from a job over those that are in memory, and tells whether one that is not follows. A number that has
// thousands waiting has most of them in memory, second after second.
func (s *Sender) skipHeld(last store.SendJob) (before store.SendJob, missing bool, err error) {
	for {
		keys, err := s.cfg.Store.Read(s.ctx).OwnSendJobKeys(s.Node(), last, s.page())
		if err != nil {
			return last, false, err
		}
		if unheld := s.unheld(keys); len(unheld) > 0 {
			if i := slices.Index(keys, unheld[0]); i > 0 {
				last = keys[i-1]
			}
			return last, true, nil
		}
		if len(keys) < s.page() {
			return last, false, nil
		}
		last = keys[len(keys)-1]
	}
}

// unheld returns the jobs that are not in memory.
func (s *Sender) unheld(jobs []store.SendJob) (missing []store.SendJob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if !s.held[j.MessageID] {
			missing = append(missing, j)
		}
	}
	return missing
}

// load loads jobs into memory. It notes in full the accounts without room and the conversations that must wait; the
// jobs behind those stay out too. A job whose account or message is gone is being purged. A job whose message may have
// been sent waits, so that callbacks about it are applied first.
func (s *Sender) load(jobs []store.SendJob, full map[string]bool) error {
	accounts := accountCache{store: s.cfg.Store, ctx: s.ctx}
	for _, job := range jobs {
		if job.Gated && !s.gateOpen(job) {
			full[job.ConversationID] = true
		}
		if full[job.AccountID] || full[job.ConversationID] {
			continue
		}
		account, err := accounts.get(job.OrgID, job.AccountID)
		if err == nil {
			var w store.SendWork
			if w, err = s.cfg.Store.Read(s.ctx).SendWork(job); err == nil {
				full[job.AccountID] = !s.enqueue(account, s.found(w))
			}
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// found is queue for a job that was read from the table, and may have been finished since.
func (s *Sender) found(w store.SendWork) queued {
	q := s.queue(w)
	q.known = 0
	if w.Job.InDoubt {
		s.mu.Lock()
		defer s.mu.Unlock()
		q.due = max(q.due, s.cfg.Store.Moment().Add(orphanGrace), s.caught)
	}
	return q
}

// settleDoubts finds the messages in doubt that a callback has settled, on this node or another, so that the messages
// behind them need not wait until the next attempt.
func (s *Sender) settleDoubts() error {
	s.mu.Lock()
	var numbers []*number
	for _, n := range s.numbers {
		numbers = append(numbers, n)
	}
	s.mu.Unlock()
	for _, n := range numbers {
		for ids := range slices.Chunk(n.inDoubt(), s.page()) {
			open, err := s.cfg.Store.Read(s.ctx).SendJobsAmong(n.orgID, ids)
			if err != nil {
				return err
			}
			settled := make(map[string]bool, len(ids))
			for _, id := range ids {
				settled[id] = true
			}
			for _, id := range open {
				delete(settled, id)
			}
			n.hurry(settled)
		}
	}
	return nil
}
