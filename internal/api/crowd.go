package api

import "sync"

// crowd counts each organization's requests under way.
type crowd struct {
	most   int // of one organization
	mu     sync.Mutex
	inside map[string]int
}

func newCrowd(most int) *crowd { return &crowd{most: most, inside: map[string]int{}} }

// enter lets a request in unless its organization has too many inside already.
func (c *crowd) enter(orgID string) (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[orgID] >= c.most {
		return nil, false
	}
	c.inside[orgID]++
	return func() { c.leave(orgID) }, true
}

func (c *crowd) leave(orgID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[orgID]--; c.inside[orgID] == 0 {
		delete(c.inside, orgID)
	}
}
