package simulator

import (
	"net/http"
	"slices"
	"sync"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// blockList is the list of people blocked by a number, in the order they were blocked. A blocked person neither reaches
// the number nor gets messages from it.
type blockList struct {
	mu     sync.Mutex
	keys   map[string]bool
	people []recipient
}

const (
	maxBlocked     = 64_000
	maxBlockedOnce = 1_000 // per request
)

func (b *blockList) has(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keys[key]
}

// add reports false when the list is full.
func (b *blockList) add(who recipient) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keys[who.key()] {
		return true
	}
	if len(b.people) >= maxBlocked {
		return false
	}
	if b.keys == nil {
		b.keys = map[string]bool{}
	}
	b.keys[who.key()] = true
	b.people = append(b.people, who)
	return true
}

func (b *blockList) remove(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.keys, key)
	b.people = slices.DeleteFunc(b.people, func(r recipient) bool { return r.key() == key })
}

func (b *blockList) nodes() []node {
	b.mu.Lock()
	defer b.mu.Unlock()
	nodes := make([]node, len(b.people))
	for i, who := range b.people {
		fields := map[string]any{"messaging_product": "whatsapp", "wa_id": nil, "user_id": nil}
		if who.byUser {
			fields["user_id"] = who.userID
		} else {
			fields["wa_id"] = who.phone
		}
		nodes[i] = node{kind: "WhatsAppBlockedUser", id: who.key(), anonymous: true, defaults: sortedKeys(fields), fields: fields}
	}
	return nodes
}

func (s *Simulator) listBlocked(c *call, n *number) (answer, *wire.Error) {
	return listAnswer(c, n.blocks.nodes(), 25)
}

func (s *Simulator) blockUsers(c *call, n *number) (answer, *wire.Error) {
	return s.changeBlocks(c, n, "added_users", "Failed to block some users, see the block_users response list for details", s.block)
}

func (s *Simulator) unblockUsers(c *call, n *number) (answer, *wire.Error) {
	return s.changeBlocks(c, n, "removed_users", "Failed to unblock some users, see the block_users response list for details", func(n *number, who recipient) *wire.Error {
		n.blocks.remove(who.key())
		return nil
	})
}

// userRef names a person by phone or by user id.
type userRef struct {
	Phone  wire.Loose `json:"user"`
	UserID string     `json:"user_id"`
}

// changedUser is the outcome for one person.
type changedUser struct {
	Input  string      `json:"input"`
	WaID   string      `json:"wa_id,omitempty"`
	UserID string      `json:"user_id,omitempty"`
	Errors []userError `json:"errors,omitempty"`
}

type userError struct {
	Message string            `json:"message"`
	Code    int               `json:"code"`
	Data    map[string]string `json:"error_data"`
}

// changeBlocks changes the list for each of the named people. Each has their own outcome: if some failed the answer is
// an error, but the others were still changed.
func (s *Simulator) changeBlocks(c *call, n *number, done, failure string, change func(*number, recipient) *wire.Error) (answer, *wire.Error) {
	refs, err := readUserRefs(c)
	if err != nil {
		return answer{}, err
	}
	outcome := map[string][]changedUser{}
	for _, ref := range refs {
		who, out, err := s.findUser(n, ref)
		if err == nil {
			err = change(n, who)
		}
		if err == nil {
			outcome[done] = append(outcome[done], out)
			continue
		}
		out.Errors = []userError{{titleOfBlock(err.Code), err.Code, map[string]string{"details": err.Details}}}
		outcome["failed_users"] = append(outcome["failed_users"], out)
	}
	body := map[string]any{"messaging_product": "whatsapp", "block_users": outcome}
	if len(outcome["failed_users"]) == 0 {
		return ok(body), nil
	}
	refused := wire.Refuse(139100, failure)
	body["error"] = s.errorObject(refused)
	a := jsonAnswer(http.StatusBadRequest, body)
	return a, nil
}

func readUserRefs(c *call) ([]userRef, *wire.Error) {
	var in struct {
		Product string    `json:"messaging_product"`
		Users   []userRef `json:"block_users"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := checkProduct(in.Product); err != nil {
		return nil, err
	}
	switch {
	case len(in.Users) == 0:
		return nil, wire.BadParam("The parameter block_users is required.")
	case len(in.Users) > maxBlockedOnce:
		return nil, wire.Refuse(130429, "At most %d users can be in one request", maxBlockedOnce)
	}
	return in.Users, nil
}

// findUser finds the person meant. A value that cannot be a phone has no wa_id in its outcome.
func (s *Simulator) findUser(n *number, ref userRef) (recipient, changedUser, *wire.Error) {
	unknown := wire.Refuse(131047, "This is not a person who has sent a message to the business in the last 24 hours")
	if ref.Phone == "" {
		out := changedUser{Input: ref.UserID, UserID: ref.UserID}
		who, known := s.withUserID(n.waba.Load(), ref.UserID)
		if !known {
			return who, out, unknown
		}
		return who, out, nil
	}
	out := changedUser{Input: string(ref.Phone)}
	digits, valid := names.NormalizePhone(string(ref.Phone))
	if !valid {
		return recipient{}, out, unknown
	}
	out.WaID = names.CanonicalPhone(digits)
	return s.withPhone(n.waba.Load(), out.WaID), out, nil
}

func (s *Simulator) block(n *number, who recipient) *wire.Error {
	if own, _ := n.snapshot(); who.phone == own {
		return wire.Refuse(131021, "A number cannot block itself")
	}
	if !s.windowOpen(n, who, s.now()) {
		return wire.Refuse(131047, "User has not messaged in the last 24 hours")
	}
	if !n.blocks.add(who) {
		return wire.Refuse(139101, "The list has reached its limit of 64,000 users")
	}
	return nil
}

// titleOfBlock is the title of an error code in the blocking API.
func titleOfBlock(code int) string {
	switch code {
	case 131021:
		return "Self block"
	case 131047:
		return "Re-engagement required"
	}
	return wire.TitleOf(code)
}
