package rest

// Load is how much of a surface is under way.
type Load struct {
	Requests, Organizations int
	BodyBytes               int
	IdempotencyKeys         int
	Buckets                 int // of rate limits that the node remembers
}

// Load tells how much is under way.
func (s *Surface) Load() (l Load) {
	l.Requests = len(s.inFlight)
	_, l.Organizations = s.perOrg.Inside()
	l.BodyBytes, _ = s.bodies.Inside()
	s.claims.mu.Lock()
	l.IdempotencyKeys = len(s.claims.held)
	s.claims.mu.Unlock()
	s.limiter.mu.Lock()
	l.Buckets = len(s.limiter.buckets)
	s.limiter.mu.Unlock()
	return l
}

// SetBounds changes how much may be under way, before the first request.
func (s *Surface) SetBounds(b Bounds) {
	s.inFlight = make(chan struct{}, b.Requests)
	s.perOrg, s.bodies = NewCrowd(b.RequestsPerOrg, b.Requests), NewCrowd(b.BodiesPerOrg, b.Bodies)
}

// Occupy takes the places of n requests, an organization's or nobody's, as if they were under way. It waits
// for those of nobody.
func (s *Surface) Occupy(orgID string, n int) (release func(), ok bool) {
	if orgID != "" {
		return func() { s.perOrg.give(orgID, n) }, s.perOrg.take(orgID, n)
	}
	for range n {
		s.inFlight <- struct{}{}
	}
	return func() {
		for range n {
			<-s.inFlight
		}
	}, true
}
