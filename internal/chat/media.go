package chat

import "time"

// MediaOrigin tells where a stored file comes from.
type MediaOrigin string

const (
	MediaLibrary MediaOrigin = "library"
	MediaInbound MediaOrigin = "inbound"
	// MediaAttachment is a file that somebody sends from the dashboard: it belongs to its message, and is not listed.
	MediaAttachment MediaOrigin = "attachment"
	// MediaLogo is an organization's logo. It belongs to no number.
	MediaLogo MediaOrigin = "logo"
)

// Media is a stored file. Token is the unguessable part of its address.
type Media struct {
	ID              string
	OrgID           string
	AccountID       string
	TeamID          string
	Origin          MediaOrigin
	MimeType        string
	Size            int64
	SHA256          string // hex
	Filename        *string
	Token           string
	BlobKey         string
	ProviderMediaID *string
	ProviderExpires *time.Time
	CreatedAt       time.Time
}
