package fair

// reachKeys is how many keys a Reach remembers.
const reachKeys = 10_000

// Reach is how many are told of one thing of a key, such as endpoints of an organization's message, for keys whose things
// many are told of. It has no lock; the caller has one.
type Reach[K comparable] struct {
	few  int // up to so many are not worth remembering
	many map[K]int
}

// NewReach returns a Reach that knows nothing. Up to few do not count.
func NewReach[K comparable](few int) Reach[K] { return Reach[K]{few: few, many: map[K]int{}} }

// Learn remembers how many were told of each of a key's last things. Of some things nobody is told, such as an attempt
// that is made again: so it forgets half each time.
func (r *Reach[K]) Learn(key K, each int) {
	each = max(each, r.many[key]/2)
	if each <= r.few {
		delete(r.many, key)
		return
	}
	if len(r.many) >= reachKeys {
		clear(r.many)
	}
	r.many[key] = each
}

// Of is how many are told, or 0 if they are few.
func (r *Reach[K]) Of(key K) int { return r.many[key] }
