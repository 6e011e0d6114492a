// An echo bot: it answers every text with the same text.
//
//	export PARLEY_API_KEY=svc_live_…
//	parley listen --forward-to localhost:3000/webhooks      # prints a signing secret
//	WEBHOOK_SECRET=whsec_… go run ./examples/echo-go
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/parleyhq/parley/client"
)

func main() {
	api, err := client.New(cmp.Or(os.Getenv("PARLEY_API_URL"), "http://localhost:8080"), os.Getenv("PARLEY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /webhooks", &client.WebhookHandler{
		Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
		MessageReceived: func(ctx context.Context, m client.MessageReceived) error {
			if m.Text == nil { // an image, a reaction, a tapped button …
				return nil
			}
			// m.From.PhoneNumber may be empty, because some people hide their number. ReplyTo uses the right
			// address.
			_, err := api.SendMessage(ctx, m.PhoneNumberID, client.ReplyTo(m).Text(m.Text.Body))
			return err
		},
	})
	address := cmp.Or(os.Getenv("LISTEN"), "localhost:3000")
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", address)
	log.Fatal(http.Serve(listener, nil))
}
