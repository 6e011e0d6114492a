package chat

// Each enum has its values in the order in which the API documents them.

func (AccountStatus) Values() []AccountStatus {
	return []AccountStatus{AccountConnected, AccountDisconnected, AccountDegraded, AccountOnboarding}
}

func (BroadcastStatus) Values() []BroadcastStatus {
	return []BroadcastStatus{BroadcastDraft, BroadcastScheduled, BroadcastSending, BroadcastPaused, BroadcastCompleted, BroadcastStopped, BroadcastFailed}
}

func (Consent) Values() []Consent { return []Consent{ConsentUnknown, ConsentOptedIn, ConsentOptedOut} }

func (ConversationStatus) Values() []ConversationStatus {
	return []ConversationStatus{ConversationOpen, ConversationResolved, ConversationPending}
}

func (DeliveryStatus) Values() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliverySucceeded, DeliveryFailed, DeliveryDead}
}

func (Direction) Values() []Direction { return []Direction{Inbound, Outbound} }

func (MessageStatus) Values() []MessageStatus { return MessageStatuses }

func (Role) Values() []Role { return []Role{RoleOwner, RoleAdmin, RoleAgent} }

func (Visibility) Values() []Visibility { return []Visibility{SeesAll, SeesTeams, SeesAssigned} }
