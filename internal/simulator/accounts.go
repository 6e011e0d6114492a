package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// waba is a business account: it owns numbers and templates.
type waba struct {
	id       string
	business string
	name     string
	users    userCipher // ids of people as this business sees them
	parents  userCipher

	templates *templateSet

	mu          sync.Mutex
	parentsOn   bool // parent ids are sent too
	subscribed  bool
	overrideURL string
	// restrictions are what the account may not do, and until when.
	restrictions map[string]time.Time
}

// number is a business phone number.
type number struct {
	id     string
	waba   atomic.Pointer[waba]
	faults atomic.Pointer[Faults]
	bucket rateBucket
	blocks blockList

	mu          sync.Mutex
	digits      string
	name        string
	status      string
	quality     string
	verified    bool
	onApp       bool // also lives in the phone app
	pin         string
	wrongPINs   int
	lockedUntil time.Time
	attempts    []time.Time // registrations and deregistrations
	code        string      // the one that was sent, to be verified
	overrideURL string
	onboarded   time.Time
	synced      map[string]bool // coexistence: sync types used
	mode        string          // LIVE or SANDBOX
	// historyDeclined: the business does not share its history.
	historyDeclined bool
	tier            string
	nameStatus      string
	profile         profile
	settings        numberSettings
	qrCodes         []qrCode
}

const connected = "CONNECTED"

func (n *number) snapshot() (digits, status string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.digits, n.status
}

// accounts is what exists. Reading is frequent, change is rare.
type accounts struct {
	mu      sync.RWMutex
	numbers map[string]*number
	wabas   map[string]*waba
	digits  map[string]*number
	owners  map[string]*waba     // of templates
	named   map[string][]*waba   // accounts that a token was used with by name
	loose   map[string][]*number // numbers that a token was used with while their account was unknown
}

// maxAccounts bounds what unknown ids can make us remember.
const maxAccounts = 200_000

func newAccounts() *accounts {
	return &accounts{
		numbers: map[string]*number{}, wabas: map[string]*waba{}, digits: map[string]*number{},
		owners: map[string]*waba{}, named: map[string][]*waba{}, loose: map[string][]*number{},
	}
}

func (a *accounts) reset() {
	fresh := newAccounts()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.numbers, a.wabas, a.digits = fresh.numbers, fresh.wabas, fresh.digits
	a.owners, a.named, a.loose = fresh.owners, fresh.named, fresh.loose
}

func (a *accounts) number(id string) *number {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.numbers[id]
}

func (a *accounts) waba(id string) *waba {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.wabas[id]
}

func (a *accounts) byDigits(digits string) *number {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.digits[digits]
}

// numbersOf lists an account's numbers, the newest first.
func (a *accounts) numbersOf(w *waba) []*number {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var list []*number
	for _, n := range a.numbers {
		if n.waba.Load() == w {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(x, y *number) int {
		if c := y.onboarded.Compare(x.onboarded); c != 0 {
			return c
		}
		return strings.Compare(x.id, y.id)
	})
	return list
}

// NumberSpec describes a number to add. Whatever is left empty is made up.
type NumberSpec struct {
	ID            string `json:"id"`
	WABAID        string `json:"waba_id"`
	BusinessID    string `json:"business_id"`
	Phone         string `json:"phone"`
	Name          string `json:"name"`
	Status        string `json:"status"`     // empty: CONNECTED
	Unverified    bool   `json:"unverified"` // the code has not been entered yet
	PIN           string `json:"pin"`
	OnBusinessApp bool   `json:"on_business_app"`
	Unsubscribed  bool   `json:"unsubscribed"` // no callbacks until the app subscribes
	ParentUserIDs bool   `json:"parent_user_ids"`
	// HistoryDeclined: the owner of a number in the phone app does not share its history.
	HistoryDeclined bool `json:"history_declined"`
}

// AddNumber makes a number exist, together with its account, or changes the one with that id. It
// returns the specification with what was made up.
func (s *Simulator) AddNumber(spec NumberSpec) (NumberSpec, error) {
	if spec.ID == "" {
		spec.ID = s.ids.account(prefixNumber)
	}
	if spec.Phone == "" {
		spec.Phone = inventPhone(spec.ID)
	}
	digits, valid := normalizePhone(spec.Phone)
	if !valid {
		return spec, fmt.Errorf("phone %q must be 7 to 15 digits", spec.Phone)
	}
	if spec.WABAID == "" {
		spec.WABAID = derivedID(prefixWABA, spec.ID)
	}
	if spec.Name == "" {
		spec.Name = "Simulated shop " + digits[len(digits)-4:]
	}
	if spec.Status == "" {
		spec.Status = connected
	}
	w, err := s.addWABA(spec.WABAID, spec.BusinessID, spec.Name, !spec.Unsubscribed)
	if err != nil {
		return spec, err
	}
	spec.BusinessID = w.business
	if spec.ParentUserIDs {
		w.mu.Lock()
		w.parentsOn = true
		w.mu.Unlock()
	}
	spec.Phone = "+" + digits
	return spec, s.accounts.put(spec, digits, w, s.now())
}

func (a *accounts) put(spec NumberSpec, digits string, w *waba, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if other := a.digits[digits]; other != nil && other.id != spec.ID {
		return fmt.Errorf("phone +%s already belongs to number %s", digits, other.id)
	}
	n := a.numbers[spec.ID]
	if n == nil {
		if len(a.numbers) >= maxAccounts {
			return fmt.Errorf("too many numbers")
		}
		n = &number{id: spec.ID, quality: "GREEN", mode: "LIVE", tier: "TIER_2K", nameStatus: "APPROVED", onboarded: now, synced: map[string]bool{}}
		a.numbers[spec.ID] = n
	}
	n.waba.Store(w)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.digits != "" {
		delete(a.digits, n.digits)
	}
	n.digits, n.name, n.status, n.verified = digits, spec.Name, spec.Status, !spec.Unverified
	n.onApp, n.historyDeclined = spec.OnBusinessApp, spec.HistoryDeclined
	if spec.PIN != "" {
		n.pin = spec.PIN
	}
	a.digits[digits] = n
	return nil
}

// addWABA finds or makes an account.
func (s *Simulator) addWABA(id, business, name string, subscribed bool) (*waba, error) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	if w := s.accounts.wabas[id]; w != nil {
		return w, nil
	}
	if len(s.accounts.wabas) >= maxAccounts {
		return nil, fmt.Errorf("too many accounts")
	}
	if business == "" {
		business = derivedID(prefixBusiness, id)
	}
	if name == "" {
		name = "Simulated business"
	}
	w := &waba{
		id: id, business: business, name: name, subscribed: subscribed,
		users: newUserCipher(business), parents: newUserCipher("portfolio"), templates: newTemplateSet(id),
	}
	s.accounts.wabas[id] = w
	for _, t := range w.templates.byID {
		s.accounts.owners[t.id] = w
	}
	return w, nil
}

// provisionNumber makes an unknown number exist. Its phone and its account follow from the id, so
// they are the same after a restart; a token of our own also remembers which they were.
func (s *Simulator) provisionNumber(id string, tok token) *number {
	if n := s.accounts.number(id); n != nil {
		return n
	}
	if s.cfg.Strict || !isDecimal(id) {
		return nil
	}
	spec := NumberSpec{ID: id}
	if tok.grant != nil {
		if !tok.grant.recall(id, &spec) {
			return nil
		}
	} else if w := s.accounts.namedBy(tok.raw); w != nil {
		spec.WABAID, spec.BusinessID = w.id, w.business
	}
	n := s.inventNumber(spec)
	if n != nil && spec.WABAID == "" {
		s.accounts.leave(tok.raw, n)
	}
	return n
}

// inventNumber adds a number whose phone may be taken already: made-up phones are few.
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

// provisionWABA makes an unknown account exist, and moves numbers into it that the same token used
// before their account was known.
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

// maxNamed bounds the accounts remembered for one token; a token used with more tells nothing.
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

// namedBy is the only account that a token was used with, if there is just one.
func (a *accounts) namedBy(token string) *waba {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if list := a.named[token]; len(list) == 1 {
		return list[0]
	}
	return nil
}

// inventPhone is a number in a block that is kept free for fiction.
func inventPhone(id string) string {
	return fmt.Sprintf("+1555%07d", hashString("phone"+id)%10_000_000)
}

func isDecimal(s string) bool {
	if s == "" || len(s) > 20 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// isObjectID reports ids that could only be media or templates.
func isObjectID(id string) bool {
	return len(id) == 16 && (id[0] == prefixMedia || id[0] == prefixTemplate)
}

// formatPhone is how a number's own phone is displayed.
func formatPhone(digits string) string {
	if len(digits) < 7 {
		return "+" + digits
	}
	cc := 2
	if digits[0] == '1' || digits[0] == '7' {
		cc = 1
	}
	rest := digits[cc:]
	return "+" + digits[:cc] + " " + rest[:3] + " " + rest[3:]
}
