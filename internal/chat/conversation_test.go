package chat

import "testing"

func TestConversationPatch(t *testing.T) {
	t.Parallel()
	ada := new("usr_ada")
	for name, test := range map[string]struct {
		before Conversation
		patch  ConversationPatch
		want   ConversationChange
	}{
		"nothing":             {Conversation{Status: ConversationOpen}, ConversationPatch{}, ConversationChange{}},
		"the same":            {Conversation{Status: ConversationOpen, AssignedTo: ada}, ConversationPatch{Status: new(ConversationOpen), AssignedTo: To("usr_ada")}, ConversationChange{}},
		"still nobody":        {Conversation{Status: ConversationOpen}, ConversationPatch{AssignedTo: Cleared[string]()}, ConversationChange{}},
		"pending":             {Conversation{Status: ConversationOpen}, ConversationPatch{Status: new(ConversationPending)}, ConversationChange{Any: true}},
		"resolved":            {Conversation{Status: ConversationOpen}, ConversationPatch{Status: new(ConversationResolved)}, ConversationChange{Any: true}},
		"resolved again":      {Conversation{Status: ConversationResolved}, ConversationPatch{Status: new(ConversationResolved)}, ConversationChange{}},
		"reopened":            {Conversation{Status: ConversationResolved}, ConversationPatch{Status: new(ConversationOpen)}, ConversationChange{Any: true}},
		"assigned":            {Conversation{Status: ConversationOpen}, ConversationPatch{AssignedTo: To("usr_ada")}, ConversationChange{Reassigned: true, Any: true}},
		"handed on":           {Conversation{Status: ConversationOpen, AssignedTo: ada}, ConversationPatch{AssignedTo: To("usr_bea")}, ConversationChange{Reassigned: true, Any: true}},
		"let go and resolved": {Conversation{Status: ConversationOpen, AssignedTo: ada}, ConversationPatch{Status: new(ConversationResolved), AssignedTo: Cleared[string]()}, ConversationChange{Reassigned: true, Any: true}},
	} {
		_, got, err := test.patch.Apply(test.before)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, test.want)
		}
	}
	_, _, err := ConversationPatch{Status: new(ConversationStatus("closed"))}.Apply(Conversation{})
	requireRefused(t, "unknown status", err, "invalid_field_value status")
}
