package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/templates"
)

// waba is a business account: it owns numbers and templates.
type waba struct {
	id       string
	business string
	name     string
	users    names.UserCipher // ids of people as this business sees them
	parents  names.UserCipher

	templates *templates.Set

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
	// guessed: the phone and perhaps the account were made up for an id that came from elsewhere.
	guessed atomic.Bool
	// taken: others know it as theirs, so that the signup page does not offer it.
	taken atomic.Bool

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

func (a *accounts) Reset() {
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
		spec.ID = s.ids.Account(names.Number)
	}
	if spec.Phone == "" {
		spec.Phone = inventPhone(spec.ID)
	}
	digits, valid := names.NormalizePhone(spec.Phone)
	if !valid {
		return spec, fmt.Errorf("phone %q must be 7 to 15 digits", spec.Phone)
	}
	if spec.WABAID == "" {
		spec.WABAID = names.DerivedID(names.WABA, spec.ID)
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
		business = names.DerivedID(names.Business, id)
	}
	if name == "" {
		name = "Simulated business"
	}
	w := &waba{
		id: id, business: business, name: name, subscribed: subscribed,
		users: names.NewUserCipher(business), parents: names.NewUserCipher("portfolio"), templates: templates.NewSet(id),
	}
	s.accounts.wabas[id] = w
	for _, t := range w.templates.List(func(*templates.Template) bool { return true }) {
		s.accounts.owners[t.ID] = w
	}
	return w, nil
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
	return len(id) == 16 && (id[0] == names.Media || id[0] == names.Template)
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
