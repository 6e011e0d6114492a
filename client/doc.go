// Package client calls Parley's public API, /v1, and checks the signatures of its webhooks. It
// needs nothing but the standard library.
//
//	c, err := client.New("https://chat.example.com", os.Getenv("PARLEY_API_KEY"))
//	…
//	message, err := c.SendMessage(ctx, phoneNumberID, client.Text("+4915112345678", "Your order has left."))
//
// Every operation of the API is one method of [Client]. What belongs to a business number takes
// the number's id (phone_number_id) as its first argument; [Client.ListAccounts] shows the ids.
//
// # Lists
//
// A List method returns one page. The method without List in its name walks through all of them:
//
//	for contact, err := range c.Contacts(ctx, phoneNumberID, client.ContactFilter{Search: "ada"}) {
//		…
//	}
//
// # Errors
//
// What the API refuses comes back as an [*Error]. Branch on its Code, which never changes its
// meaning, with errors.As or [IsCode]. Every other error means that there was no answer.
//
// # Retries
//
// Calls are repeated, three times unless [WithRetries] says otherwise, when the network fails, when
// the service is busy (429, 502, 503, 504), and while an earlier attempt is still being worked on. The
// waits between grow, vary at random, and are at least what the service asks for. That is safe for
// every method: a POST carries an Idempotency-Key, so the service does its work once however often
// it is asked. Give a key of your own with [IdempotencyKey] to make a call safe to repeat across
// restarts of your program.
//
// # Unknown values
//
// The API may gain fields and values. Unknown fields are ignored; the types of status and the like
// are strings with constants for the values known today.
package client
