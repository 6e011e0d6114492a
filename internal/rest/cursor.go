package rest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	cursorVersion = 1
	cursorMACSize = 16
)

// cursorCodec makes the opaque cursors of lists. A cursor is a position with a MAC over the position and its
// scope: the organization, the list and the filters. A cursor of another scope is refused.
type cursorCodec struct{ key []byte }

// cursorScope is the list for which a cursor is valid.
type cursorScope struct {
	orgID   string
	list    string
	filters string
}

func (cc cursorCodec) encode(scope cursorScope, p store.Position) string {
	data := append([]byte{cursorVersion}, binary.BigEndian.AppendUint64(nil, uint64(p.At.UnixMilli()))...)
	data = append(data, p.ID...)
	return base64.RawURLEncoding.EncodeToString(append(data, cc.mac(scope, data)...))
}

func (cc cursorCodec) decode(scope cursorScope, text string) (store.Position, error) {
	bad := &chat.Error{Code: chat.CodeInvalidCursor, Param: "cursor",
		Message: "Pass next_cursor of the previous page unchanged, with the same filters; or leave it out to start anew."}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	unchanged := base64.RawURLEncoding.EncodeToString(raw) == text // decoding skips line breaks and loose bits
	if err != nil || !unchanged || len(raw) < 1+8+cursorMACSize || raw[0] != cursorVersion {
		return store.Position{}, bad
	}
	data, mac := raw[:len(raw)-cursorMACSize], raw[len(raw)-cursorMACSize:]
	if !hmac.Equal(mac, cc.mac(scope, data)) {
		return store.Position{}, bad
	}
	ms := binary.BigEndian.Uint64(data[1:9])
	return store.Position{At: time.UnixMilli(int64(ms)).UTC(), ID: string(data[9:])}, nil
}

// mac writes the length of each part before it, so that two scopes never give the same bytes.
func (cc cursorCodec) mac(scope cursorScope, data []byte) []byte {
	h := hmac.New(sha256.New, cc.key)
	for _, part := range []string{scope.orgID, scope.list, scope.filters, string(data)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)[:cursorMACSize]
}
