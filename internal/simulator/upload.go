package simulator

import (
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// upload is a sample file being uploaded. Only its length is kept, because samples are never looked at.
type upload struct {
	id       string
	mimeType string
	length   int64

	mu     sync.Mutex
	offset int64
}

var uploadTypes = []string{"application/pdf", "image/jpeg", "image/jpg", "image/png", "video/3gpp", "video/mp4"}

const handleLife = 24 * time.Hour

// startUpload opens a resumable upload for the app.
func (s *Simulator) startUpload(c *call) (answer, *wire.Error) {
	if c.id != s.cfg.AppID {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	length, err := strconv.ParseInt(c.param("file_length"), 10, 64)
	if err != nil || length <= 0 || length > maxUpload {
		return answer{}, wire.BadParam("Param file_length must be the size of the file in bytes.")
	}
	kind := c.param("file_type")
	if !slices.Contains(uploadTypes, kind) {
		return answer{}, wire.BadParam("Param file_type must be one of {%s} - got %q.", strings.Join(uploadTypes, ", "), kind)
	}
	session := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "1:attachment:%x", s.ids.Next()))
	u := &upload{id: "upload:" + session, mimeType: kind, length: length}
	s.uploads.Put(recent.Key(u.id), u)
	return ok(map[string]string{"id": u.id + "?sig=" + s.mediaHash(u.id, "")}), nil
}

func (s *Simulator) findUpload(c *call) (*upload, *wire.Error) {
	u, found := s.uploads.Get(recent.Key(c.path))
	if !found || c.param("sig") != s.mediaHash(u.id, "") {
		return nil, wire.UnknownObject(c.Method, c.path)
	}
	return u, nil
}

// continueUpload takes bytes from the offset on. When the file is complete it answers with the handle.
func (s *Simulator) continueUpload(c *call) (answer, *wire.Error) {
	u, err := s.findUpload(c)
	if err != nil {
		return answer{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	offset, bad := strconv.ParseInt(c.Header.Get("file_offset"), 10, 64)
	if bad != nil || offset != u.offset {
		return answer{}, wire.BadParam("The header file_offset must be %d, the number of bytes received.", u.offset)
	}
	n, cut := io.Copy(io.Discard, io.LimitReader(c.Body, u.length-u.offset+1))
	if u.offset+n > u.length {
		return answer{}, wire.BadParam("The file is longer than its file_length of %d bytes.", u.length)
	}
	u.offset += n
	if cut != nil || u.offset < u.length {
		return answer{}, wire.BadParam("The upload is not complete: %d of %d bytes.", u.offset, u.length)
	}
	return ok(map[string]string{"h": s.uploadHandle(u.mimeType)}), nil
}

func (s *Simulator) uploadHandle(mimeType string) string {
	return fmt.Sprintf("4::%s:ARb%016x:e:%d:%s:1:AR%016x",
		base64.StdEncoding.EncodeToString([]byte(mimeType)), s.ids.Next(), s.now().Add(handleLife).Unix(), s.cfg.AppID, s.ids.Next())
}

func (s *Simulator) uploadState(c *call) (answer, *wire.Error) {
	u, err := s.findUpload(c)
	if err != nil {
		return answer{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return ok(map[string]string{"id": u.id, "file_offset": strconv.FormatInt(u.offset, 10)}), nil
}
