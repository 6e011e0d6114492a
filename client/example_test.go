package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/parleyhq/parley/client"
)

const phoneNumberID = "100200300400500"

// example is a service for the examples; use the address of your own.
func example(status int, body string) (url string, stop func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	return server.URL, server.Close
}

func Example() {
	url, stop := example(200, `{"data": {"id": "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV", "status": "queued"}}`)
	defer stop()

	c, err := client.New(url, "svc_live_0123456789abcdefghijklmn")
	if err != nil {
		fmt.Println(err)
		return
	}
	message, err := c.SendMessage(context.Background(), phoneNumberID, client.Text("+4915112345678", "Your order has left."))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(message.ID, message.Status)
	// Output: msg_01ARZ3NDEKTSV4RRFFQ69G5FAV queued
}

func ExampleError() {
	url, stop := example(400, `{"error": {"type": "invalid_request_error", "code": "invalid_phone_number",
		"message": "Must be 7 to 15 digits.", "param": "to", "request_id": "req_01ARZ3NDEKTSV4RRFFQ69G5FAV"}}`)
	defer stop()
	c, _ := client.New(url, "svc_live_0123456789abcdefghijklmn")

	_, err := c.SendMessage(context.Background(), phoneNumberID, client.Text("12", "Hello"))
	var refusal *client.Error
	switch {
	case client.IsCode(err, client.CodeInvalidPhoneNumber):
		fmt.Println("that is no number")
	case errors.As(err, &refusal):
		fmt.Println("refused:", refusal.Code, refusal.RequestID)
	case err != nil:
		fmt.Println("no answer:", err)
	}
	// Output: that is no number
}

func ExampleClient_Contacts() {
	url, stop := example(200, `{"data": [{"id": "ctc_1", "name": "Ada"}, {"id": "ctc_2", "name": null}], "has_more": false, "next_cursor": null}`)
	defer stop()
	c, _ := client.New(url, "svc_live_0123456789abcdefghijklmn")

	for contact, err := range c.Contacts(context.Background(), phoneNumberID, client.ContactFilter{Search: "a"}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(contact.ID, contact.Name != nil)
	}
	// Output:
	// ctc_1 true
	// ctc_2 false
}

func ExampleIfNoneMatch() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"1"`)
		if r.Header.Get("If-None-Match") == `W/"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, `{"data": {"id": "msg_1", "status": "sent"}}`)
	}))
	defer server.Close()
	c, _ := client.New(server.URL, "svc_live_0123456789abcdefghijklmn")

	var seen client.Response
	for range 2 {
		message, err := c.GetMessage(context.Background(), phoneNumberID, "msg_1", client.IfNoneMatch(seen.ETag), client.Capture(&seen))
		if errors.Is(err, client.ErrNotModified) {
			fmt.Println("as before")
		} else if err == nil {
			fmt.Println(message.Status)
		}
	}
	// Output:
	// sent
	// as before
}

func ExampleClient_UpdateContact() {
	url, stop := example(200, `{"data": {"id": "ctc_1", "name": "Ada", "email": null}}`)
	defer stop()
	c, _ := client.New(url, "svc_live_0123456789abcdefghijklmn")

	contact, err := c.UpdateContact(context.Background(), phoneNumberID, "ctc_1", client.ContactPatch{
		Name:  client.Set("Ada"),
		Email: client.Clear[string](),
		// Other fields stay as they are.
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*contact.Name, contact.Email == nil)
	// Output: Ada true
}

func ExampleVerifyWebhook() {
	secrets := []string{"whsec_…"} // two while you replace one by another
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if err := client.VerifyWebhook(secrets, r.Header.Get(client.HeaderWebhookSignature), body, time.Now(), 0); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		// Store the event id, to handle each event once; then answer quickly and work later.
		_ = r.Header.Get(client.HeaderWebhookEventID)
	}

	forged := httptest.NewRecorder()
	receive(forged, httptest.NewRequest(http.MethodPost, "/webhook", nil))
	fmt.Println(forged.Code)
	// Output: 401
}
