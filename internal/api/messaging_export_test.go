package api

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// PublicURL is where a node that Connect has changed says it is reached.
const PublicURL = "https://parley.example"

// Connect gives a node a provider to call and a folder for files.
func Connect(t testing.TB, client provider.Client, dir string) func(*API) {
	blobs, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return func(a *API) {
		a.blobs, a.publicURL = blobs, PublicURL
		token := func(account chat.Account) (string, error) { return "opened " + account.Token, nil }
		a.numbers.Provider, a.numbers.Token = client, token
		a.templates.Provider, a.templates.Token = client, token
	}
}

// Fetch makes a node read the samples of templates with client.
func Fetch(client *http.Client) func(*API) { return func(a *API) { a.templates.Fetch = client } }
