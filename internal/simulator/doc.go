// Package simulator is the upstream messaging network, imitated over real HTTP with the same wire
// format, so that the whole product works and can be tested on a laptop.
//
// It is an implementation of its own: it imports nothing of the product, and shares no types with
// the adapter that talks to it, so that each checks the other. All state is in memory and bounded.
//
// What needs no state of the whole has a room of its own: wire (errors, parameters, JSON), names (ids), files,
// templates, validation of sends. Here are the objects, the handlers, and what happens by itself.
//
// Everything that happens later (statuses, reviews, retries, expiry) runs on one scheduler that
// reads Config.Now, so a test moves time by moving its clock and calling Settle.
package simulator
