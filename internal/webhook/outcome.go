package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/netguard"
)

// Reasons why an attempt failed.
const (
	codeDNS      = "dns_failure"
	codeRefused  = "connection_refused"
	codeReset    = "connection_reset"
	codeTLS      = "tls_failure"
	codeTimeout  = "timeout"
	codeBlocked  = "blocked_address"
	codeHTTP     = "http_error"
	codeRedirect = "redirect"
	codeGone     = "gone"
)

const (
	// maxSnippet is how much of an answer's body is kept.
	maxSnippet = 1 << 10
	// maxRetryAfter is the longest wait an endpoint can ask for.
	maxRetryAfter = 24 * time.Hour
	// tooManyWait is the shortest wait after a 429.
	tooManyWait = time.Minute
)

// judge interprets the status and headers of an answer.
func judge(response *http.Response, now time.Time) answer {
	status := response.StatusCode
	switch {
	case status >= 200 && status <= 299:
		return answer{verdict: good}
	case status >= 300 && status <= 399:
		return answer{verdict: failed, attempt: failure(codeRedirect, "The endpoint answered with a redirect (%d). Redirects are not followed; set the final URL.", status)}
	case status == http.StatusGone:
		return answer{verdict: failed, gone: true, attempt: failure(codeGone, "The endpoint answered %d: it is gone for good.", status)}
	}
	a := answer{verdict: failed, attempt: failure(codeHTTP, "The endpoint answered %d.", status)}
	if status == http.StatusTooManyRequests || status >= 500 {
		a.verdict = choking
	}
	wait, asked := retryAfter(response, now)
	switch {
	case status == http.StatusTooManyRequests && !asked:
		a.retryAfter = tooManyWait
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		a.retryAfter = wait
	}
	return a
}

// retryAfter reads how long the endpoint asks to be left alone: seconds, or a date.
func retryAfter(response *http.Response, now time.Time) (wait time.Duration, asked bool) {
	text := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // then it is the largest
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second, true
	}
	if date, err := http.ParseTime(text); err == nil {
		return min(max(0, date.Sub(now)), maxRetryAfter), true
	}
	return 0, false
}

// explain says why there was no answer, in words that reveal nothing about our network.
func explain(err error) chat.DeliveryAttempt {
	switch {
	case errors.Is(err, netguard.ErrBlocked):
		return failure(codeBlocked, "The URL leads to an address that is not public. The operator can open a private network with --allow-network.")
	case errors.Is(err, netguard.ErrPlain):
		return failure(codeBlocked, "The URL must begin with https://. The operator can open a private network for http with --allow-network.")
	case errors.Is(err, netguard.ErrLookup):
		return failure(codeDNS, "The host name could not be resolved.")
	case isTimeout(err):
		return failure(codeTimeout, "The endpoint did not answer completely in time.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return failure(codeRefused, "The endpoint refused the connection.")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return failure(codeRefused, "The endpoint could not be reached.")
	case isTLS(err):
		return failure(codeTLS, "No secure connection to the endpoint could be made. Check its certificate.")
	case broken(err):
		return failure(codeReset, "The endpoint closed the connection without an answer.")
	default:
		return failure(codeHTTP, "The endpoint's answer was not understood.")
	}
}

func verdictOn(err error) verdict {
	if isTimeout(err) {
		return choking
	}
	return failed
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

func isTLS(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		op          *net.OpError
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return true
	case errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"): // the names that TLS gives its alerts
		return true
	default: // these errors have no type of their own
		return strings.HasPrefix(err.Error(), "tls: ") || strings.Contains(err.Error(), "HTTP response to HTTPS client")
	}
}

func failure(code, format string, args ...any) chat.DeliveryAttempt {
	return chat.DeliveryAttempt{ErrorCode: &code, ErrorMessage: new(fmt.Sprintf(format, args...))}
}

// clean turns the beginning of an answer into text: valid UTF-8, without NUL, and not longer than allowed.
func clean(body []byte) string {
	text := string(body)
	if len(body) == maxSnippet {
		text = withoutPartialRune(text)
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxSnippet {
		return text
	}
	return withoutPartialRune(text[:maxSnippet])
}

// withoutPartialRune drops a character that is cut off at the end.
func withoutPartialRune(text string) string {
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRuneInString(text[len(text)-i:]) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
