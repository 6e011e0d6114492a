package api

import "sync"

// crowd counts what organizations have under way, each and together: requests, files, bytes.
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
	if !c.take(orgID, 1) {
		return nil, false
	}
	return func() { c.give(orgID, 1) }, true
}

// take counts n more of an organization, unless that is too much.
func (c *crowd) take(orgID string, n int) bool {
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
func (c *crowd) give(orgID string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inAll -= n
	if c.inside[orgID] -= n; c.inside[orgID] == 0 {
		delete(c.inside, orgID)
	}
}
