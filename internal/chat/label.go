package chat

import (
	"slices"
	"strings"
	"time"
)

// Label marks conversations and contacts of one team.
type Label struct {
	ID        string
	OrgID     string
	TeamID    string
	Name      string
	Color     string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DefaultLabelColor is the color of a label created without one.
const DefaultLabelColor = "gray"

// LabelColors are the colors a label may have.
var LabelColors = []string{
	"gray", "red", "orange", "amber", "yellow", "lime", "green",
	"emerald", "teal", "sky", "blue", "violet", "pink",
}

// NewLabel is the request to make a label. TeamID may be empty where the organization has one team.
type NewLabel struct {
	Name   string
	Color  string
	TeamID string
}

// Clean trims and checks the fields in their documented order.
func (n *NewLabel) Clean() error {
	name, err := CleanLabelName(n.Name)
	if err != nil {
		return err
	}
	n.Name = name
	if n.Color == "" {
		n.Color = DefaultLabelColor
	}
	return checkLabelColor(n.Color)
}

// LabelPatch changes the fields that are not nil.
type LabelPatch struct {
	Name  *string
	Color *string
}

// Apply returns l with the patch applied, and whether that changed anything.
func (p LabelPatch) Apply(l Label) (Label, bool, error) {
	before := l
	if p.Name != nil {
		name, err := CleanLabelName(*p.Name)
		if err != nil {
			return Label{}, false, err
		}
		l.Name = name
	}
	if p.Color != nil {
		if err := checkLabelColor(*p.Color); err != nil {
			return Label{}, false, err
		}
		l.Color = *p.Color
	}
	return l, l != before, nil
}

// CleanLabelName trims a label's name and checks it holds 1 to 50 characters.
func CleanLabelName(name string) (string, error) {
	return cleanText("name", name, 50)
}

func checkLabelColor(color string) error {
	if !slices.Contains(LabelColors, color) {
		return Invalid("color", "Must be one of %s.", strings.Join(LabelColors, ", "))
	}
	return nil
}
