package chat

import "time"

// TemplateStanding holds the values of a template that change without an edit. An empty text means unknown.
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

// The values of TemplateChange.Aspect.
const (
	ChangedStatus       = "status"
	ChangedQuality      = "quality"
	ChangedCategory     = "category"
	ChangedNextCategory = "next_category" // announced by the provider
)

// TemplateChange is one entry in the history of a template.
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

// ChangesTo lists the changes from one standing to the next.
func (s TemplateStanding) ChangesTo(next TemplateStanding) (changes []TemplateChange) {
	step := func(aspect, from, to string) {
		if from != to && to != "" {
			changes = append(changes, TemplateChange{Aspect: aspect, Previous: from, Value: to})
		}
	}
	step(ChangedStatus, s.Status, next.Status)
	if s.Quality != "" || next.Quality != "UNKNOWN" { // the first UNKNOWN is no news
		step(ChangedQuality, s.Quality, next.Quality)
	}
	if s.Category != "" {
		step(ChangedCategory, s.Category, next.Category)
	}
	return changes
}

// TemplateSketch is an unfinished template. Content holds the state of the dashboard's form.
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

// TemplateSample is a library file that a template shows as a sample.
type TemplateSample struct {
	Name     string
	Language string
	Place    string
	MediaID  string
}
