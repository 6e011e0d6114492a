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

// waba is a business account. It owns numbers and templates.
type waba struct {
	id       string
	business string
	name     string
	users    names.UserCipher // the ids of people as this business sees them
	parents  names.UserCipher

	templates *templates.Set

	mu          sync.Mutex
	parentsOn   bool // callbacks also carry parent ids
	subscribed  bool
	overrideURL string
	// restrictions are the things the account may not do, and until when.
	restrictions map[string]time.Time
}

// number is a business phone number.
type number struct {
	id     string
	waba   atomic.Pointer[waba]
	faults atomic.Pointer[Faults]
	bucket rateBucket
	// guessed is set if the phone, and perhaps the account, were made up for an id that came from elsewhere.
	guessed atomic.Bool
	// taken is set if others use the number already, so the signup page does not offer it.
	taken atomic.Bool

	mu          sync.Mutex
	digits      string
	name        string
	status      string
	quality     string
	verified    bool
	onApp       bool // the number is also used in the phone app
	pin         string
	wrongPINs   int
	lockedUntil time.Time
	attempts    []time.Time // times of registrations and deregistrations
	code        string      // the verification code that was sent
	overrideURL string
	onboarded   time.Time
	synced      map[string]bool // coexistence: the sync types already used
	mode        string          // LIVE or SANDBOX
	// historyDeclined is set if the business does not share its history.
	historyDeclined bool
	tier            string
	nameStatus      string
	profile         profile
}

const connected = "CONNECTED"

func (n *number) snapshot() (digits, status string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.digits, n.status
}

// accounts are all known accounts and numbers. They are read often and change rarely.
type accounts struct {
	mu      sync.RWMutex
	numbers map[string]*number
	wabas   map[string]*waba
	digits  map[string]*number
	owners  map[string]*waba     // by template id
	named   map[string][]*waba   // accounts that were named in calls with a token
	loose   map[string][]*number // numbers that a token was used with while their account was unknown
}

// maxAccounts bounds how much unknown ids can make the simulator remember.
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

// NumberSpec describes a number to add. Empty fields are made up.
type NumberSpec struct {
	ID            string `json:"id"`
	WABAID        string `json:"waba_id"`
	BusinessID    string `json:"business_id"`
	Phone         string `json:"phone"`
	Name          string `json:"name"`
	Status        string `json:"status"`     // empty means CONNECTED
	Unverified    bool   `json:"unverified"` // the verification code has not been entered yet
	PIN           string `json:"pin"`
	OnBusinessApp bool   `json:"on_business_app"`
	Unsubscribed  bool   `json:"unsubscribed"` // there are no callbacks until the app subscribes
	ParentUserIDs bool   `json:"parent_user_ids"`
	// HistoryDeclined is set if the owner of a number in the phone app does not share its history.
	HistoryDeclined bool `json:"history_declined"`
}

// AddNumber adds a number together with its account, or changes the number with that id. It returns the specification
// with the made-up fields filled in.
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

// isObjectID tells whether an id can only belong to media or a template.
func isObjectID(id string) bool {
	return len(id) == 16 && (id[0] == names.Media || id[0] == names.Template)
}

// formatPhone formats a number's own phone for display.
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
