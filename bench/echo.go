package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
)

// serveEcho is the bare HTTP limit: it reads the body and answers with about as many bytes as a label takes. It runs as
// its own process, like the program under test.
func serveEcho(ctx context.Context, addr string) error {
	answer := append(append([]byte(`{"data":"`), bytes.Repeat([]byte("x"), 288)...), `"}`...)
	length := strconv.Itoa(len(answer))
	server := &http.Server{
		Addr:              addr,
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", length)
			_, _ = w.Write(answer) // fails only if the client is gone
		}),
	}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}
