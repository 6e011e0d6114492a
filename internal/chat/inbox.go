package chat

// InboxFilter selects and sorts the conversations that a user sees. Saved views and bulk changes store it as
// well.
type InboxFilter struct {
	View       InboxView `json:"view,omitempty" enum:"mine,unassigned,all,mentions,snoozed"`
	Status     string    `json:"status,omitempty" enum:"open,pending,resolved,any" doc:"open where it is left out. Of what is snoozed, all is shown."`
	Number     string    `json:"number,omitempty" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
	LabelID    string    `json:"label_id,omitempty" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only those that have this label, or whose contact has."`
	AssignedTo string    `json:"assigned_to,omitempty" pattern:"^usr_[0-9A-HJKMNP-TV-Z]{26}$"`
	TeamID     string    `json:"team_id,omitempty" pattern:"^team_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only of this team's numbers."`
	Unread     bool      `json:"unread,omitzero" doc:"Only those with something unread."`
	Sort       InboxSort `json:"sort,omitempty" enum:"newest,oldest,waiting" doc:"waiting: only those in which a person waits for an answer, the longest wait first."`
}

// InboxView is a part of the inbox.
type InboxView string

const (
	ViewAll        InboxView = "all"
	ViewMine       InboxView = "mine"
	ViewUnassigned InboxView = "unassigned"
	ViewMentions   InboxView = "mentions"
	ViewSnoozed    InboxView = "snoozed"
)

// InboxViews are all there are.
var InboxViews = []InboxView{ViewMine, ViewUnassigned, ViewAll, ViewSnoozed, ViewMentions}

// InboxSort is the order of a list of conversations.
type InboxSort string

const (
	SortNewest  InboxSort = "newest"
	SortOldest  InboxSort = "oldest"
	SortWaiting InboxSort = "waiting"
)

// AnyStatus is the status filter that leaves nothing out.
const AnyStatus = "any"

// Statuses are the statuses that the filter matches.
func (f InboxFilter) Statuses() []ConversationStatus {
	switch {
	case f.View == ViewSnoozed:
		return []ConversationStatus{ConversationPending}
	case f.Status == "":
		return []ConversationStatus{ConversationOpen}
	case f.Status == AnyStatus:
		return ConversationStatuses
	default:
		return []ConversationStatus{ConversationStatus(f.Status)}
	}
}

// ConversationStatuses are all there are.
var ConversationStatuses = []ConversationStatus{ConversationOpen, ConversationPending, ConversationResolved}

// InboxEntry is a conversation as the inbox lists it, without the parts that are read for a whole page at once.
type InboxEntry struct {
	Conversation
	ContactName     *string
	ContactNumber   *string
	ContactBSUID    *string
	ContactUsername *string
	AssigneeName    *string
	PhoneNumberID   *string
	PhoneNumber     *string
	NumberName      *string
	TeamID          string
}

// InboxCount is the number of conversations in a view, and of those with unread messages. Neither exceeds
// MostCounted.
type InboxCount struct{ Open, Unread int }

// MostCounted is where counts of conversations stop.
const MostCounted = 1000
