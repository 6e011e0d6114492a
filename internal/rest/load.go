package rest

// Load says how much of a surface's capacity is in use.
type Load struct {
	Requests, Organizations int
	BodyBytes               int
	Uploads                 int
	IdempotencyKeys         int
	Buckets                 int // rate limit buckets in the node's memory
}

// Load returns the capacity in use.
func (s *Surface) Load() (l Load) {
	l.Requests = len(s.inFlight)
	_, l.Organizations = s.perOrg.Inside()
	l.BodyBytes, _ = s.bodies.Inside()
	l.Uploads, _ = s.uploads.Inside()
	s.claims.mu.Lock()
	l.IdempotencyKeys = len(s.claims.held)
	s.claims.mu.Unlock()
	s.limiter.mu.Lock()
	l.Buckets = len(s.limiter.buckets)
	s.limiter.mu.Unlock()
	return l
}

// SetBounds changes the limits. It must be called before the first request.
func (s *Surface) SetBounds(b Bounds) {
	s.inFlight = make(chan struct{}, b.Requests)
	s.perOrg, s.bodies = NewCrowd(b.RequestsPerOrg, b.Requests), NewCrowd(b.BodiesPerOrg, b.Bodies)
	s.uploads = NewCrowd(b.UploadsPerOrg, b.Uploads)
}

// Occupy takes n request slots, of an organization or of none, as if requests were under way. It waits for
// slots without an organization.
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

// OccupyUploads takes the places of n files of an organization, as if they arrived.
func (s *Surface) OccupyUploads(orgID string, n int) (release func(), ok bool) {
	return func() { s.uploads.give(orgID, n) }, s.uploads.take(orgID, n)
}
