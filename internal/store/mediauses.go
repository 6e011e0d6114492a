package store

import "github.com/parleyhq/parley/internal/chat"

// mediaLeaves are the changes of rows that name a deleted file, up to the file's id.
var mediaLeaves = []string{
	"UPDATE canned_replies SET media_id = NULL WHERE org_id = $1 AND media_id",
	"DELETE FROM template_samples WHERE org_id = $1 AND media_id",
}

// MediaMessagesCounted is where the count of a file's messages stops.
const MediaMessagesCounted = 1000

// MediaMessages counts the messages sent with a file.
func (r Reader) MediaMessages(orgID, mediaID string) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE org_id = $1 AND media_id = $2 LIMIT $3) m",
		orgID, mediaID, MediaMessagesCounted)
}

// MediaReplies returns the canned replies with a file, of all users and teams.
func (r Reader) MediaReplies(orgID, mediaID string) ([]chat.CannedReply, error) {
	return many(r, scanCannedReply, "SELECT "+cannedReplyColumns+" FROM canned_replies WHERE org_id = $1 AND media_id = $2 ORDER BY name, id", orgID, mediaID)
}

// MediaTemplates returns the templates that show a file.
func (r Reader) MediaTemplates(orgID, mediaID string) ([]chat.TemplateSample, error) {
	return many(r, scanTemplateSample, "SELECT name, language, place, media_id FROM template_samples WHERE org_id = $1 AND media_id = $2 ORDER BY name, language, place",
		orgID, mediaID)
}

// MediaSketches returns the names of unfinished templates whose form contains a file.
func (r Reader) MediaSketches(orgID, mediaID string) ([]string, error) {
	return many(r, scanText, "SELECT name FROM template_sketches WHERE org_id = $1 AND content LIKE $2 ORDER BY name", orgID, "%"+mediaID+"%")
}

// MediaBroadcasts returns the names of the broadcasts that will still send a file.
func (r Reader) MediaBroadcasts(orgID, mediaID string) ([]string, error) {
	return many(r, scanText, `SELECT name FROM broadcasts WHERE org_id = $1 AND status IN ('draft', 'scheduled', 'sending', 'paused') AND template LIKE $2 ORDER BY name`,
		orgID, "%"+mediaID+"%")
}
