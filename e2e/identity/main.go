// Command identity is an OpenID provider, built on a certified third-party implementation (github.com/zitadel/oidc),
// with users that the tests name. It prints its address, then reads one line of JSON with the users and the address to
// send them back to, and ends when its input ends.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// task is what the tests tell the program.
type task struct {
	ClientID, ClientSecret, RedirectURL string
	People                              []storage.User
}

// people are the users, by id and by name.
type people []storage.User

func (p people) find(is func(storage.User) bool) *storage.User {
	for i := range p {
		if is(p[i]) {
			return &p[i]
		}
	}
	return nil
}

func (p people) GetUserByID(id string) *storage.User {
	return p.find(func(u storage.User) bool { return u.ID == id })
}

func (p people) GetUserByUsername(name string) *storage.User {
	return p.find(func(u storage.User) bool { return u.Username == name })
}

func (people) ExampleClientID() string { return "" }

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	issuer := "http://" + listener.Addr().String()
	fmt.Println(issuer)
	in := json.NewDecoder(os.Stdin)
	var t task
	if err := in.Decode(&t); err != nil {
		log.Fatal(err)
	}
	storage.RegisterClients(storage.WebClient(t.ClientID, t.ClientSecret, t.RedirectURL))
	handler := exampleop.SetupServer(issuer, storage.NewStorage(people(t.People)), slog.New(slog.NewTextHandler(os.Stderr, nil)), false)
	go func() { log.Fatal(http.Serve(listener, handler)) }()
	io.Copy(io.Discard, os.Stdin)
}
