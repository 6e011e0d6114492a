package cloud

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

var errRedirect = errors.New("redirected to where the token must not go")

// newHTTPClient makes a client for thousands of calls a second to one host: it keeps connections, and bounds
// every wait. It sets no time limit for a whole call; Client does.
func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          1024,
			MaxIdleConnsPerHost:   512,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: checkRedirect,
	}
}

// checkRedirect allows redirects for files, and refuses them for API calls.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	if next.URL.Scheme != "https" && next.URL.Host != via[0].URL.Host {
		return errRedirect
	}
	return nil
}
