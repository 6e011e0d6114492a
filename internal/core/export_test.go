package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// MostSketches is mostSketches.
const MostSketches = mostSketches

// ConnectAgain is a signup with the number of an existing account.
func ConnectAgain(tx *store.Tx, account chat.Account) error {
	account.Status = chat.AccountConnected
	_, err := takeUpAgain(tx, account, func(string) string { return "token" })
	return err
}

// SetUpIn is SetUp in a transaction.
func SetUpIn(tx *store.Tx, in FirstUser) error {
	_, err := setUp(tx, in, "hash", Browser{})
	return err
}

// Record stores an event as use cases do.
func Record(tx *store.Tx, e chat.Event) error { return record(tx, e) }

// AtOnce is how many deliveries of an event are written with it.
const AtOnce = atOnce
