package chat

import "time"

// TemplateStanding is what of a template changes without anybody editing it. An empty text is unknown.
type TemplateStanding struct {
	ID       string
	Status   string // the provider's
	Quality  string
	Category string
}

// Standing is where the template stands.
func (t Template) Standing() TemplateStanding {
	s := TemplateStanding{ID: t.ID, Status: t.ProviderStatus}
	if t.Quality != nil {
		s.Quality = *t.Quality
	}
	if t.Category != nil {
		s.Category = *t.Category
	}
	return s
}

// The aspects of a TemplateChange.
const (
	ChangedStatus       = "status"
	ChangedQuality      = "quality"
	ChangedCategory     = "category"
	ChangedNextCategory = "next_category" // the provider announces it
)

// TemplateChange is one step in the life of a template.
type TemplateChange struct {
	ID         string
	OrgID      string
	TemplateID string
	Aspect     string
	Previous   string // empty: unknown
	Value      string
	Reason     string // of a rejection
	Detail     string // in the provider's words
	At         time.Time
}

// ChangesTo are the steps from one standing to the next.
func (s TemplateStanding) ChangesTo(next TemplateStanding) (changes []TemplateChange) {
	step := func(aspect, from, to string) {
		if from != to && to != "" {
			changes = append(changes, TemplateChange{Aspect: aspect, Previous: from, Value: to})
		}
	}
	step(ChangedStatus, s.Status, next.Status)
	if s.Quality != "" || next.Quality != "UNKNOWN" { // that nothing is known yet is no news
		step(ChangedQuality, s.Quality, next.Quality)
	}
	if s.Category != "" {
		step(ChangedCategory, s.Category, next.Category)
	}
	return changes
}

// TemplateSketch is a template that somebody has begun to write. Content is the form's, whatever it holds.
type TemplateSketch struct {
	ID        string
	OrgID     string
	WABAID    string
	Name      string
	Language  string
	Category  string
	Content   string
	AuthorID  string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TemplateSample is a library file that a template shows.
type TemplateSample struct {
	Name     string
	Language string
	Place    string
	MediaID  string
}
