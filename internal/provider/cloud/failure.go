package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

// unanswered is the error of a request without an answer.
func unanswered(ctx context.Context, err error, mayHaveArrived bool) *provider.Error {
	e := &provider.Error{Message: "The network did not answer", Transient: true, OutcomeUnknown: mayHaveArrived, Cause: err}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		e.Cause = wrapped.Err // without the address, which can contain a file's secret
	}
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		e.Cause = gaveUp(ctx) // the transport's own error may hide it
		e.Message = "The network did not answer in time"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Message = "The network did not answer in time"
	case !mayHaveArrived:
		e.Message = "The network could not be reached"
	}
	return e
}

// gaveUp says why the context ended a call: the caller cancelled it, or our own time limit ended.
func gaveUp(ctx context.Context) error {
	if cause := context.Cause(ctx); cause == context.DeadlineExceeded {
		return cause
	}
	return ctx.Err()
}

// lost is the error of an answer that broke off: nobody knows whether the request was carried out.
func lost(err error) *provider.Error {
	return &provider.Error{Message: "The network's answer was lost", Transient: true, OutcomeUnknown: true, Cause: err}
}

// unreadable is the error of a successful answer without usable content.
func unreadable(status int, err error) *provider.Error {
	return &provider.Error{
		HTTPStatus: status, Message: "The network's answer could not be read",
		Transient: true, OutcomeUnknown: true, Cause: err,
	}
}

// refusal decodes an error answer. whole means that the body is all of what should be an answer of the API: only then is
// the missing error object a sign of a proxy. Files come from hosts that have none.
func refusal(res *http.Response, body []byte, whole bool) *provider.Error {
	answer, _ := parse(body)
	object := answer.get("error")
	e := fault(object)
	e.HTTPStatus, e.Foreign = res.StatusCode, whole && !object.isObject()
	if e.Message == "" {
		e.Message = fmt.Sprintf("HTTP %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	if e.Trace == "" {
		e.Trace = res.Header.Get("X-Fb-Trace-Id")
	}
	class := e.Class()
	e.Transient = class.Transient || object.flag("is_transient")
	e.Throttled = class.Throttled
	e.RetryAfter = retryAfter(res.Header)
	// A gateway that answers for the upstream does not know what the upstream did. A 503 means that it did not
	// pass the request on.
	e.OutcomeUnknown = !object.isObject() && res.StatusCode >= 500 && res.StatusCode != http.StatusServiceUnavailable
	return e
}

// fault reads the upstream's error object, from an answer or a callback.
func fault(object node) *provider.Error {
	e := &provider.Error{
		Code:    int(object.integer("code")),
		Subcode: int(object.integer("error_subcode")),
		Href:    object.text("href"),
		Trace:   object.text("fbtrace_id"),
		Details: details(object),
		Text:    object.text("message"),
	}
	e.CodeZero = e.Code == 0 && object.text("code") == "0"
	message := unprefixed(object.text("message"))
	e.Title = object.text("title", "error_user_title")
	if e.Title == "" {
		e.Title = message
	}
	e.Message = cmp.Or(e.Details, object.text("error_user_msg"), message, e.Title)
	class := e.Class()
	e.Transient, e.Throttled = e.Code != 0 && class.Transient, class.Throttled
	return e
}

// details is the text about the specific case: in error_data, which is an object or the text itself, or beside
// it in older callbacks.
func details(object node) string {
	data := object.get("error_data")
	return cmp.Or(data.text("details"), data.str(), object.text("details"))
}

// unprefixed removes the "(#131008) " at the beginning of the upstream's messages.
func unprefixed(message string) string {
	if strings.HasPrefix(message, "(#") {
		if _, rest, found := strings.Cut(message, ") "); found {
			return rest
		}
	}
	return message
}

func faults(list node) []*provider.Error {
	var all []*provider.Error
	if list.isArray() {
		for object := range list.each {
			if object.isObject() {
				all = append(all, fault(object))
			}
		}
	}
	return all
}

// maxRetryAfter bounds the wait that a header can ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter is how long the upstream asks us to wait; 0 if it does not say.
func retryAfter(h http.Header) time.Duration {
	wait := waitUntilRegained(h.Get("X-Business-Use-Case-Usage"))
	if value := h.Get("Retry-After"); value != "" {
		if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // then it is the largest
			wait = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
		} else if at, err := http.ParseTime(value); err == nil {
			wait = time.Until(at)
		}
	}
	return min(max(wait, 0), maxRetryAfter)
}

// waitUntilRegained reads the usage header: lists of limits by business, each with the minutes until calls are
// allowed again.
func waitUntilRegained(header string) time.Duration {
	if header == "" {
		return 0
	}
	usage, err := parse([]byte(header))
	if err != nil {
		return 0
	}
	var longest int64
	for business := range usage.each {
		for limit := range business.each {
			longest = max(longest, limit.integer("estimated_time_to_regain_access"))
		}
	}
	return time.Duration(min(longest, int64(maxRetryAfter/time.Minute))) * time.Minute
}
