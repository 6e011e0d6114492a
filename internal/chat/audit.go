package chat

import "time"

// DoerKind says whether a person, a key, the operator or a link makes a change.
type DoerKind string

const (
	DoerUser     DoerKind = "user"     // in the dashboard
	DoerKey      DoerKind = "key"      // through the API
	DoerOperator DoerKind = "operator" // at the shell
	DoerLink     DoerKind = "link"     // on a setup page
)

// Doer is who makes a change. Name is kept as it was then, because users and keys are deleted and their entries
// stay readable.
type Doer struct {
	Kind    DoerKind
	ID      string // the operator has none
	Name    string
	Address string
}

// AuditEntry tells administrators who did what. It never holds secrets or the text of messages.
type AuditEntry struct {
	ID      string
	OrgID   string
	At      time.Time
	By      Doer
	Action  AuditAction
	Object  AuditObject
	Details map[string]string // short, in the words of the API
}

// AuditObject is the thing that was changed, with the name it had then.
type AuditObject struct {
	ID   string
	Name string
}

// AuditAction is what was done.
type AuditAction string

const (
	AuditSignedIn        AuditAction = "session.opened"
	AuditRefused         AuditAction = "session.refused"
	AuditUserCreated     AuditAction = "user.created"
	AuditUserUpdated     AuditAction = "user.updated"
	AuditUserLinked      AuditAction = "user.link_created"
	AuditUserSignedOut   AuditAction = "user.signed_out"
	AuditPassword        AuditAction = "user.password_changed"
	AuditSecondStepOn    AuditAction = "user.second_step_on"
	AuditSecondStepOff   AuditAction = "user.second_step_off"
	AuditRecoveryCodes   AuditAction = "user.recovery_codes_renewed"
	AuditTeamCreated     AuditAction = "team.created"
	AuditTeamUpdated     AuditAction = "team.updated"
	AuditKeyCreated      AuditAction = "api_key.created"
	AuditKeyRevoked      AuditAction = "api_key.revoked"
	AuditWebhookCreated  AuditAction = "webhook.created"
	AuditWebhookUpdated  AuditAction = "webhook.updated"
	AuditWebhookDeleted  AuditAction = "webhook.deleted"
	AuditSecretCreated   AuditAction = "webhook.secret_created"
	AuditSecretRevoked   AuditAction = "webhook.secret_revoked"
	AuditSecretRevealed  AuditAction = "webhook.secret_revealed"
	AuditSettings        AuditAction = "organization.updated"
	AuditNumberConnected AuditAction = "number.connected"
	AuditNumberUpdated   AuditAction = "number.updated"
	AuditNumberRegister  AuditAction = "number.registered"
	AuditNumberProfile   AuditAction = "number.profile_changed"
	AuditNumberGone      AuditAction = "number.disconnected"
	AuditCustomerCreated AuditAction = "customer.created"
	AuditCustomerUpdated AuditAction = "customer.updated"
	AuditLinkCreated     AuditAction = "setup_link.created"
	AuditLinkRevoked     AuditAction = "setup_link.revoked"
	AuditTemplateCreated AuditAction = "template.created"
	AuditTemplateUpdated AuditAction = "template.updated"
	AuditTemplateDeleted AuditAction = "template.deleted"
	AuditBroadcastStart  AuditAction = "broadcast.started"
	AuditBroadcastPause  AuditAction = "broadcast.paused"
	AuditBroadcastResume AuditAction = "broadcast.resumed"
	AuditBroadcastStop   AuditAction = "broadcast.stopped"
	AuditBroadcastRetry  AuditAction = "broadcast.retried"
	AuditBroadcastGone   AuditAction = "broadcast.deleted"
	AuditConsent         AuditAction = "contact.consent_changed"
	AuditContactMerged   AuditAction = "contact.merged"
	AuditContactDeleted  AuditAction = "contact.deleted"
	AuditContactsLabel   AuditAction = "contacts.labelled"
	AuditContactsDelete  AuditAction = "contacts.deleted"
	AuditContactsImport  AuditAction = "contacts.imported"
	AuditContactsUndo    AuditAction = "contacts.import_undone"
	AuditContactsExport  AuditAction = "contacts.exported"
	AuditLogExport       AuditAction = "audit.exported"
	AuditContactCreated  AuditAction = "contact.created"
	AuditContactUpdated  AuditAction = "contact.updated"
	AuditLabelCreated    AuditAction = "label.created"
	AuditLabelUpdated    AuditAction = "label.updated"
	AuditLabelDeleted    AuditAction = "label.deleted"
	AuditReplyCreated    AuditAction = "reply.created"
	AuditReplyUpdated    AuditAction = "reply.updated"
	AuditReplyDeleted    AuditAction = "reply.deleted"
	AuditMediaAdded      AuditAction = "media.added"
	AuditMediaDeleted    AuditAction = "media.deleted"
	AuditWordsUpdated    AuditAction = "opt_out_words.updated"
	AuditWordsReset      AuditAction = "opt_out_words.reset"
	AuditLinkUpdated     AuditAction = "setup_link.updated"
	AuditWebhookTested   AuditAction = "webhook.tested"
	AuditReplayed        AuditAction = "webhook.replayed"
)
