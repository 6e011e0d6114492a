package chat

import (
	"strings"
	"time"
)

// Kind is the prefix of an id and names the type of its object. An id is "<kind>_<ULID>", so ids of one kind
// sort by creation time.
type Kind string

const (
	KindAccount      Kind = "acc"
	KindBroadcast    Kind = "bct"
	KindRecipient    Kind = "bcr"
	KindBulk         Kind = "blk"
	KindCallback     Kind = "cbk"
	KindConsent      Kind = "cns"
	KindContact      Kind = "ctc"
	KindContactJob   Kind = "cjb"
	KindContactNote  Kind = "ctn"
	KindConversation Kind = "cnv"
	KindCustomer     Kind = "cus"
	KindDelivery     Kind = "wbd"
	KindAudit        Kind = "aud"
	KindEvent        Kind = "evt"
	KindHappening    Kind = "hap"
	KindKey          Kind = "key"
	KindLabel        Kind = "lbl"
	KindMedia        Kind = "med"
	KindMessage      Kind = "msg"
	KindNote         Kind = "nte"
	KindOrganization Kind = "org"
	KindReply        Kind = "rpl"
	KindRequest      Kind = "req"
	KindSearchChange Kind = "srch"
	KindSecret       Kind = "sec"
	KindSession      Kind = "ses"
	KindSetupLink    Kind = "csl"
	KindSubscription Kind = "wbs"
	KindTeam         Kind = "team"
	KindSketch       Kind = "tsk"
	KindTemplate     Kind = "tmpl"
	KindTemplateNews Kind = "tch"
	KindUser         Kind = "usr"
	KindView         Kind = "viw"
)

// ulidAlphabet is Crockford's base 32: digits and capitals without I, L, O, U.
const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ULIDLength is the number of characters of an id behind its prefix.
const ULIDLength = 26

// Pattern is the regular expression that every id of the kind matches.
func (k Kind) Pattern() string {
	return "^" + string(k) + "_[0-9A-HJKMNP-TV-Z]{26}$"
}

// Valid reports whether id has the form of an id of this kind. The object need not exist.
func (k Kind) Valid(id string) bool {
	rest, ok := strings.CutPrefix(id, string(k)+"_")
	if !ok || len(rest) != ULIDLength {
		return false
	}
	for i := range len(rest) {
		if strings.IndexByte(ulidAlphabet, rest[i]) < 0 {
			return false
		}
	}
	return true
}

// TimeOf returns the creation time that an id carries.
func TimeOf(id string) time.Time {
	var ms int64
	text := id[strings.LastIndexByte(id, '_')+1:]
	for i := range min(10, len(text)) {
		ms = ms<<5 | int64(max(0, strings.IndexByte(ulidAlphabet, text[i])))
	}
	return time.UnixMilli(ms).UTC()
}
