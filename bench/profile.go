package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const profileTime = 5 * time.Second

// profile keeps the load up while the server records its CPU profile.
func (b *bench) profile(ctx context.Context, s server, sc scenario, l *load) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loaded := make(chan error, 1)
	go func() {
		_, err := l.phase(ctx, bounds{duration: profileTime + time.Second})
		loaded <- err
	}()
	name := filepath.Join(b.profiles, s.engine+"-"+slug(sc.name)+".pprof")
	err := fetch(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.ops, int(profileTime.Seconds())), name)
	if err != nil {
		cancel()
		<-loaded
		return err
	}
	return <-loaded
}

func fetch(ctx context.Context, url, name string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, response.Body); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// slug turns a scenario's name into a file name.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}
