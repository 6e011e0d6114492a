package rest

import "sync"

// Crowd counts what organizations have under way, each and together: requests, files, bytes.
type Crowd struct {
	most      int // of one organization
	mostInAll int
	mu        sync.Mutex
	inside    map[string]int
	inAll     int
}

// NewCrowd bounds what organizations have, each and together.
func NewCrowd(most, mostInAll int) *Crowd {
	return &Crowd{most: most, mostInAll: mostInAll, inside: map[string]int{}}
}

// Enter lets a request in unless its organization has too many inside already.
func (c *Crowd) Enter(orgID string) (leave func(), ok bool) {
	if !c.take(orgID, 1) {
		return nil, false
	}
	return func() { c.give(orgID, 1) }, true
}

// take counts n more of an organization, unless that is too much.
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

// give ends the count of what take has counted.
func (c *Crowd) give(orgID string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inAll -= n
	if c.inside[orgID] -= n; c.inside[orgID] == 0 {
		delete(c.inside, orgID)
	}
}

// Inside is how much is counted, and of how many organizations.
func (c *Crowd) Inside() (inAll, orgs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inAll, len(c.inside)
}
