package api

import "sync"

// crowd counts each organization's requests under way.
type crowd struct {
	most      int // of one organization
	mostInAll int
	mu        sync.Mutex
	inside    map[string]int
	inAll     int
}

func newCrowd(most, mostInAll int) *crowd {
	return &crowd{most: most, mostInAll: mostInAll, inside: map[string]int{}}
}

// enter lets a request in unless its organization has too many inside already.
func (c *crowd) enter(orgID string) (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[orgID] >= c.most || c.inAll >= c.mostInAll {
		return nil, false
	}
	c.inside[orgID]++
	c.inAll++
	return func() { c.leave(orgID) }, true
}

func (c *crowd) leave(orgID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inAll--
	if c.inside[orgID]--; c.inside[orgID] == 0 {
		delete(c.inside, orgID)
	}
}
