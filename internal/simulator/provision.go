package simulator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/names"
)

// provisionNumber makes an unknown number exist. Its phone and its account are derived from the id, so they are the
// same after a restart. A token made by the simulator also contains them.
func (s *Simulator) provisionNumber(id string, tok token) *number {
	if n := s.accounts.number(id); n != nil {
		return n
	}
	if s.cfg.Strict || !isDecimal(id) {
		return nil
	}
	spec, taken := NumberSpec{ID: id}, false
	if tok.grant != nil {
		if !tok.grant.recall(id, &spec) {
			return nil
		}
	} else if known, found := s.cfg.Known(id); found {
		spec, taken = known, true
	} else if w := s.accounts.namedBy(tok.raw); w != nil {
		spec.WABAID, spec.BusinessID = w.id, w.business
	}
	n := s.inventNumber(spec)
	if n == nil {
		return nil
	}
	n.guessed.Store(spec.Phone == "")
	n.taken.Store(taken)
	if spec.WABAID == "" {
		s.accounts.leave(tok.raw, n)
	}
	return n
}

// learn replaces the guessed data of a number if Known has better data by now.
func (s *Simulator) learn(n *number) {
	if !n.guessed.Load() {
		return
	}
	known, found := s.cfg.Known(n.id)
	if !found || known.Phone == "" {
		return
	}
	spec := n.spec()
	spec.WABAID, spec.BusinessID, spec.Phone, spec.Name = known.WABAID, known.BusinessID, known.Phone, known.Name
	if _, err := s.AddNumber(spec); err != nil {
		s.log.Warn("cannot take over what is known of a number", "id", n.id, "error", err)
		return
	}
	n.guessed.Store(false)
	n.taken.Store(true)
}

// inventNumber adds a number. If its made-up phone is taken, it tries another, because made-up phones are few.
func (s *Simulator) inventNumber(spec NumberSpec) *number {
	var err error
	for salt := range 20 {
		try := spec
		if try.Phone == "" || salt > 0 {
			try.Phone = inventPhone(spec.ID + strings.Repeat("'", salt))
		}
		if _, err = s.AddNumber(try); err == nil {
			return s.accounts.number(spec.ID)
		}
	}
	s.log.Warn("cannot make up a number", "id", spec.ID, "error", err)
	return nil
}

// provisionWABA makes an unknown account exist. Numbers that the same token used before their account was known move
// into it.
func (s *Simulator) provisionWABA(id string, tok token) *waba {
	w := s.accounts.waba(id)
	if w == nil {
		if s.cfg.Strict || !isDecimal(id) || tok.grant != nil && !tok.grant.covers(id) {
			return nil
		}
		var business string
		if tok.grant != nil {
			business = tok.grant.Business
		}
		var err error
		if w, err = s.addWABA(id, business, "", true); err != nil {
			return nil
		}
	}
	s.accounts.name(tok.raw, w)
	return w
}

// maxNamed bounds the accounts remembered for one token. A token used with more than one does not identify an account.
const maxNamed = 2

func (a *accounts) name(token string, w *waba) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.named[token]
	if token == "" || slices.Contains(list, w) || len(list) >= maxNamed || len(a.named) >= maxAccounts {
		return
	}
	a.named[token] = append(list, w)
	if len(list) == 0 {
		for _, n := range a.loose[token] {
			n.waba.Store(w)
		}
		delete(a.loose, token)
	}
}

// maxLoose bounds the numbers that wait for their account to be named.
const maxLoose = 64

func (a *accounts) leave(token string, n *number) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if token != "" && len(a.named[token]) == 0 && len(a.loose[token]) < maxLoose && len(a.loose) < maxAccounts {
		a.loose[token] = append(a.loose[token], n)
	}
}

// namedBy is the account that a token was used with, if there is exactly one.
func (a *accounts) namedBy(token string) *waba {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if list := a.named[token]; len(list) == 1 {
		return list[0]
	}
	return nil
}

// inventPhone is a phone number from a block reserved for fiction.
func inventPhone(id string) string {
	return fmt.Sprintf("+1555%07d", names.HashString("phone"+id)%10_000_000)
}
