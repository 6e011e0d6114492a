// Package simulator imitates the upstream messaging network over real HTTP with the same wire format, so that the whole
// product works and can be tested on a laptop.
//
// It is a separate implementation: it imports nothing of the product, and shares no types with the adapter that talks
// to it, so that each checks the other. All state is in memory and bounded.
//
// Code that does not need the simulator's state has its own packages: wire (errors, parameters, JSON), names (ids),
// files, templates, validation of sends. This package has the objects, the handlers, and everything that happens
// without a request.
//
// Everything that happens later (statuses, reviews, retries, expiry) runs on one scheduler that reads Config.Now, so a
// test moves time by moving its clock and calling Settle.
package simulator
