package core

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// StoredFile is a file that has been written to the blob store.
type StoredFile struct {
	BlobKey  string
	MimeType string
	Size     int64
	SHA256   string
	Filename string
}

// MediaPath is the public path of a stored file. It cannot be guessed and does not change.
func MediaPath(m chat.Media) string { return "/media/" + m.Token }

// libraryURL is the public address of the library file that a message was sent with, if any.
func libraryURL(r store.Reader, m chat.Message, publicURL string) (string, error) {
	if m.MediaID == "" {
		return "", nil
	}
	media, err := r.Media(m.OrgID, m.MediaID)
	if err != nil {
		return "", ignoreNotFound(err)
	}
	return publicURL + MediaPath(media), nil
}

// AddMedia records a stored file.
func AddMedia(tx *store.Tx, account chat.Account, origin chat.MediaOrigin, f StoredFile) (chat.Media, error) {
	m := chat.Media{
		ID: tx.NewID(chat.KindMedia), OrgID: account.OrgID, AccountID: account.ID, TeamID: account.TeamID, Origin: origin,
		MimeType: f.MimeType, Size: f.Size, SHA256: f.SHA256, Filename: orNil(f.Filename), Token: newToken(), BlobKey: f.BlobKey,
		CreatedAt: tx.Now(),
	}
	if err := tx.InsertMedia(m); err != nil || origin != chat.MediaLibrary {
		return m, err
	}
	return m, auditPeople(tx, m.OrgID, chat.AuditMediaAdded, ofMedia(m))
}

func ofMedia(m chat.Media) chat.AuditObject {
	return chat.AuditObject{ID: m.ID, Name: deref(m.Filename)}
}

// tokenSize is how many random bytes the token in a file's address has.
const tokenSize = 24

func newToken() string {
	var b [tokenSize]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// WellFormedMediaToken reports whether text has the form of a file's token.
func WellFormedMediaToken(text string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(b) == tokenSize && len(text) == base64.RawURLEncoding.EncodedLen(tokenSize)
}

// LibraryMedia returns a file of the account's team, or 404.
func LibraryMedia(r store.Reader, account chat.Account, id string) (chat.Media, error) {
	m, err := r.Media(account.OrgID, id)
	if err == nil && (m.TeamID != account.TeamID || m.Origin != chat.MediaLibrary) {
		err = store.ErrNotFound
	}
	return m, orNotFound(err, "media")
}

// DeleteLibraryMedia removes a file from the library.
func DeleteLibraryMedia(tx *store.Tx, account chat.Account, id string) error {
	m, err := LibraryMedia(tx.Reader, account, id)
	if err != nil {
		return err
	}
	return errors.Join(tx.DeleteMedia(account.OrgID, id), tx.RemoveFile(account.OrgID, m.BlobKey), audit(tx, account.OrgID, chat.AuditMediaDeleted, ofMedia(m)))
}

// FileFetched ends the wait for an inbound file: the message gets the file, and its event is emitted if it still
// waits. Without a file (file nil) the event is emitted too.
func FileFetched(tx *store.Tx, account chat.Account, job store.MediaJob, file *StoredFile, publicURL string) error {
	mine, err := tx.FinishMediaJob(job.OrgID, job.MessageID, job.Owner)
	if err != nil {
		return err
	}
	if !mine { // the message is gone, or another node fetches the file
		return dropFile(tx, job.OrgID, file)
	}
	m, err := tx.Message(account.OrgID, account.ID, job.MessageID)
	if errors.Is(err, store.ErrNotFound) {
		return dropFile(tx, job.OrgID, file)
	}
	if err != nil {
		return err
	}
	var url *string
	if file != nil {
		media, err := AddMedia(tx, account, chat.MediaInbound, *file)
		if err != nil {
			return err
		}
		m.MediaID, m.UpdatedAt = media.ID, tx.Now()
		if err := tx.UpdateMessage(m); err != nil {
			return err
		}
		url = new(publicURL + MediaPath(media))
	}
	return fileEvent(tx, account, m, url)
}

// ReleaseEvent emits the event of a message without the file that it waited for. The file may still come, but no event
// tells of it.
func ReleaseEvent(tx *store.Tx, account chat.Account, messageID string) error {
	m, err := tx.Message(account.OrgID, account.ID, messageID)
	if err != nil {
		return ignoreNotFound(err)
	}
	return fileEvent(tx, account, m, nil)
}

// dropFile queues the removal of bytes that no row will name.
func dropFile(tx *store.Tx, orgID string, file *StoredFile) error {
	if file == nil {
		return nil
	}
	return tx.RemoveFile(orgID, file.BlobKey)
}

// fileEvent emits the event that was held back for the file, once. Imported history has none.
func fileEvent(tx *store.Tx, account chat.Account, m chat.Message, url *string) error {
	held, err := tx.TakeHeldEvent(m.OrgID, m.ID)
	if err != nil {
		return ignoreNotFound(err)
	}
	contact, err := tx.Contact(m.OrgID, m.AccountID, m.ContactID)
	if err != nil {
		return ignoreNotFound(err)
	}
	conversation, err := tx.Conversation(m.OrgID, m.AccountID, m.ConversationID)
	if err != nil {
		return ignoreNotFound(err)
	}
	t := thread{contact: contact, conversation: conversation}
	if m.Direction == chat.Outbound { // an echo from the phone app
		work := workFor(t, m)
		work.MediaURL = deref(url)
		return messageSent(tx, account, work, m, "")
	}
	var raw provider.Raw
	if err := json.Unmarshal(held, &raw); err != nil {
		return err
	}
	return messageReceived(tx, account, t, m, raw, url)
}

// mediaLimits are the types of files that can be sent, with the provider's limits.
var mediaLimits = []struct {
	types []string
	most  int64
}{
	{[]string{"image/jpeg", "image/png"}, 5 << 20},
	{[]string{"video/mp4", "video/3gpp"}, 16 << 20},
	{[]string{"audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/opus"}, 16 << 20},
	{[]string{"image/webp"}, 500 << 10},
	{[]string{
		"text/plain", "application/pdf", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
	}, 100 << 20},
}

// mediaTypes maps file extensions to types. The system's table is not used, because it differs between machines.
var mediaTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp",
	".mp4": "video/mp4", ".3gp": "video/3gpp", ".3gpp": "video/3gpp",
	".aac": "audio/aac", ".amr": "audio/amr", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg",
	".txt": "text/plain", ".pdf": "application/pdf", ".doc": "application/msword", ".xls": "application/vnd.ms-excel", ".ppt": "application/vnd.ms-powerpoint",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// MediaType is the type of a file by the extension of its name, or empty.
func MediaType(filename string) string { return mediaTypes[strings.ToLower(path.Ext(filename))] }

// MediaLimit is how large a file of the type may be, or an error if it cannot be sent at all.
func MediaLimit(mimeType string) (int64, error) {
	base, _, _ := strings.Cut(mimeType, ";")
	base = strings.TrimSpace(strings.ToLower(base))
	var known []string
	for _, l := range mediaLimits {
		if slices.Contains(l.types, base) {
			return l.most, nil
		}
		known = append(known, l.types...)
	}
	if base == "" {
		return 0, chat.Invalid("file", "The file's type is not known. Give the part a Content-Type, or a name that ends like .pdf. Possible are %s.",
			strings.Join(known, ", "))
	}
	return 0, chat.Invalid("file", "Files of type %q cannot be sent. Possible are %s.", base, strings.Join(known, ", "))
}

// MessageFileAddress is the address of a message's file: its stored copy, or the link by which it was sent. A user who
// asks for it must see the conversation.
func MessageFileAddress(r store.Reader, account chat.Account, messageID, publicURL string, by *chat.User) (string, error) {
	m, err := r.Message(account.OrgID, account.ID, messageID)
	if err == nil && by != nil {
		_, err = r.SeenConversation(*by, m.ConversationID)
	}
	if err != nil {
		return "", orNotFound(err, "message")
	}
	if link := sentLink(m); link != "" {
		return link, nil
	}
	file, err := MessageFile(r, account, messageID)
	return publicURL + MediaPath(file), err
}

// sentLink is the link by which an outbound message's file was sent, if it was sent by one.
func sentLink(m chat.Message) string {
	var media struct {
		Link string `json:"link"`
	}
	if m.Direction != chat.Outbound || !m.Type.HasMedia() || json.Unmarshal(m.Content, &media) != nil {
		return ""
	}
	return media.Link
}

// MessageFile returns the stored file of a message, or 404 while there is none.
func MessageFile(r store.Reader, account chat.Account, messageID string) (chat.Media, error) {
	m, err := r.Message(account.OrgID, account.ID, messageID)
	if err != nil {
		return chat.Media{}, orNotFound(err, "message")
	}
	if m.MediaID == "" {
		return chat.Media{}, chat.Fail(chat.CodeResourceNotFound, "The message has no file, or the file is still being fetched.")
	}
	media, err := r.Media(account.OrgID, m.MediaID)
	return media, orNotFound(err, "media")
}
