package rest

import "sync"

// Crowd counts what is in use by each organization and by all together: requests, files or bytes.
type Crowd struct {
	most      int // of one organization
	mostInAll int
	mu        sync.Mutex
	inside    map[string]int
	inAll     int
}

// NewCrowd sets the limits of one organization and of all together.
func NewCrowd(most, mostInAll int) *Crowd {
	return &Crowd{most: most, mostInAll: mostInAll, inside: map[string]int{}}
}

// Enter admits a request unless its organization or all together are at the limit.
func (c *Crowd) Enter(orgID string) (leave func(), ok bool) {
	if !c.take(orgID, 1) {
		return nil, false
	}
	return func() { c.give(orgID, 1) }, true
}

// take adds n to an organization's count. It returns false if that passes a limit.
func (c *Crowd) take(orgID string, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[orgID]+n > c.most || c.inAll+n > c.mostInAll {
		return false
	}
	c.inside[orgID] += n
	c.inAll += n
	return true
}

// give subtracts what take added.
func (c *Crowd) give(orgID string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inAll -= n
	if c.inside[orgID] -= n; c.inside[orgID] == 0 {
		delete(c.inside, orgID)
	}
}

// Inside is the total count and the number of organizations in it.
func (c *Crowd) Inside() (inAll, orgs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inAll, len(c.inside)
}
