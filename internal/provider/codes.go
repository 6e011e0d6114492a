package provider

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
)

// CodeOutage is the upstream's code for an outage. It also stands for an upstream that gave no answer.
const CodeOutage = 131000

// Class says what a failure means for a message and for the number that sent it.
type Class struct {
	// Code is the error code of the message.
	Code chat.MessageErrorCode
	// Transient means that the same call may succeed later.
	Transient bool
	// Throttled means that the number (or the app) is too fast. Pause the number instead of using up the
	// message's attempts.
	Throttled bool
	// PairLimited means too fast for this one recipient. Pause the conversation, not the number.
	PairLimited bool
	// TokenLost means that no call with this token will succeed again. The number must be connected anew.
	TokenLost bool
	// NumberGone means that the number was deleted upstream.
	NumberGone bool
	// Unregistered means that the number cannot send until it is registered again.
	Unregistered bool
}

// The classes that several codes share.
var (
	refused      = Class{Code: chat.FailUpstream}
	outage       = Class{Code: chat.FailUpstream, Transient: true}
	tokenLost    = Class{Code: chat.FailAuthExpired, TokenLost: true}
	noPermission = Class{Code: chat.FailPermissionRevoked}
	restricted   = Class{Code: chat.FailAccountRestricted}
	unreachable  = Class{Code: chat.FailRecipientUnavailable}
	undelivered  = Class{Code: chat.FailUndeliverable}
	appLimit     = Class{Code: chat.FailAppRateLimited, Transient: true, Throttled: true}
	accountLimit = Class{Code: chat.FailAccountRateLimited, Transient: true, Throttled: true}
	// longLimit ends only after hours or days, which is too long for a message to wait.
	longLimit    = Class{Code: chat.FailAccountRateLimited}
	unregistered = Class{Code: chat.FailUpstream, Unregistered: true}
)

// classes is the upstream's table of codes. For an unknown code the HTTP status decides.
var classes = map[int]Class{
	1:   outage, // unknown; also used for the upstream's own faults
	2:   outage, // overloaded or down
	3:   noPermission,
	4:   appLimit,
	10:  noPermission,
	17:  appLimit,
	32:  appLimit,
	33:  {Code: chat.FailUpstream, NumberGone: true},
	100: refused, // invalid parameter; for subcode 33 see Classify
	102: tokenLost,
	104: tokenLost,
	190: tokenLost,
	341: appLimit,
	368: restricted,
	506: refused,
	613: appLimit,

	2500:  tokenLost,
	80007: accountLimit,
	80008: accountLimit,

	130429: accountLimit,
	130472: undelivered, // the recipient is part of an experiment
	130497: restricted,  // country not allowed

	CodeOutage: outage,
	131005:     noPermission,
	131008:     refused, // parameter missing
	131009:     refused, // parameter invalid
	131016:     outage,
	131021:     unreachable, // recipient is the sender
	131026:     unreachable,
	131030:     unreachable, // not on a test number's allow list
	131031:     {Code: chat.FailAccountLocked},
	131037:     restricted, // display name not approved
	131042:     restricted, // payment
	131043:     undelivered,
	131044:     restricted, // payment
	131045:     unregistered,
	131047:     {Code: chat.FailOutsideWindow},
	131048:     longLimit,   // suspected spam
	131049:     undelivered, // per-user marketing cap
	131050:     {Code: chat.FailMarketingOptedOut},
	131051:     {Code: chat.FailUnsupportedType},
	131052:     {Code: chat.FailMediaDownload},
	131053:     {Code: chat.FailMediaUpload},
	131055:     refused,
	131056:     {Code: chat.FailAccountRateLimited, Transient: true, PairLimited: true},
	131057:     outage, // number in maintenance for about a minute
	131059:     refused,
	131062:     {Code: chat.FailUnsupportedType}, // not possible to a BSUID
	131063:     restricted,
	131064:     longLimit, // misclassified templates

	132000: refused, // parameter count
	132001: {Code: chat.FailTemplateNotFound},
	132005: refused, // text too long once filled in
	132007: {Code: chat.FailTemplatePolicy},
	132008: refused,
	132012: refused,
	132015: {Code: chat.FailTemplatePaused},
	132016: {Code: chat.FailTemplatePaused}, // disabled for good
	132018: refused,
	132068: {Code: chat.FailFlowBlocked},
	132069: {Code: chat.FailFlowBlocked},

	133000: refused, // deregistration incomplete
	133001: refused,
	133002: refused,
	133003: refused,
	133004: outage,  // registration server
	133005: refused, // wrong PIN
	133006: refused, // number not verified
	133007: refused,
	133008: refused, // PIN guessed too often
	133009: refused, // PIN guessed too fast
	133010: unregistered,
	133015: refused, // number deleted minutes ago
	133016: refused, // registered too often

	134011: {Code: chat.FailPolicyViolation},
	134100: refused,
	134101: outage, // template still syncing
	134102: refused,
	135000: refused,
	137000: unreachable, // recipient's identity changed

	2494100: outage, // account in maintenance
}

// Classify returns the class of an answer. A known code decides; otherwise the HTTP status does, where 0 means
// no answer. Code 0 means no code; the upstream's own 0, for a lost token, comes with 401.
func Classify(code, subcode, httpStatus int) Class {
	class := classify(code, subcode, httpStatus)
	if httpStatus == http.StatusTooManyRequests && !class.PairLimited {
		class.Transient, class.Throttled = true, true
	}
	return class
}

func classify(code, subcode, httpStatus int) Class {
	if code == 100 && subcode == 33 { // the object is hidden from this token, or does not exist
		return noPermission
	}
	if class, known := classes[code]; known {
		return class
	}
	switch {
	case code >= 200 && code <= 299:
		return noPermission
	case httpStatus == http.StatusTooManyRequests:
		return accountLimit
	case httpStatus == http.StatusUnauthorized:
		return tokenLost
	case httpStatus >= 500, code == 0 && httpStatus == 0:
		return outage
	default:
		return refused
	}
}

// advice is the first sentence that the owner of a failed message reads.
var advice = map[chat.MessageErrorCode]string{
	chat.FailOutsideWindow:        "More than 24 hours have passed since the contact last wrote. Send a template instead.",
	chat.FailMarketingOptedOut:    "The contact has stopped marketing messages from this business.",
	chat.FailRecipientUnavailable: "The recipient cannot be reached: not on the network, an outdated app, or the business is blocked.",
	chat.FailUnsupportedType:      "The network does not support this kind of message to this recipient.",
	chat.FailAccountRestricted:    "The network has restricted this account. Its business manager shows why and how to lift it.",
	chat.FailAccountLocked:        "The network has locked this account. Its business manager shows how to appeal.",
	chat.FailPermissionRevoked:    "The permission to send from this number is missing or was withdrawn. Connect the number again.",
	chat.FailAuthExpired:          "The access token of this number is no longer valid. Connect the number again.",
	chat.FailAppRateLimited:       "The network is limiting the calls of this installation. Try again later.",
	chat.FailAccountRateLimited:   "The network is limiting this number. Send more slowly and try again later.",
	chat.FailTemplateNotFound:     "The template does not exist in this language, or is not approved.",
	chat.FailTemplatePaused:       "The template is paused or disabled because of its quality.",
	chat.FailTemplatePolicy:       "The template's content breaks a policy of the network. Edit it and have it reviewed again.",
	chat.FailFlowBlocked:          "The flow is blocked or throttled by the network.",
	chat.FailMediaUpload:          "The network could not take the file. Check its type and size, and that its link is public.",
	chat.FailMediaDownload:        "The network could not provide the file.",
	chat.FailUndeliverable:        "The network decided not to deliver this message. Do not send it again within 24 hours.",
	chat.FailPolicyViolation:      "The message breaks a policy of the network.",
	chat.FailUpstream:             "The network did not accept the message.",
}
