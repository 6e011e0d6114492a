package e2e

import (
	"testing"

	"github.com/parleyhq/parley/internal/store"
)

// world is a server that several tests use at the same time, each with its own numbers.
type world struct {
	srv *Server
	sim Sim
	log *store.Store
}

func newWorld(t *testing.T, engine Option) world {
	t.Helper()
	srv := Start(t, engine, WithProvider(""))
	return world{srv: srv, sim: srv.Sim(), log: srv.stored()}
}

// number connects a number for a test.
func (w world) number(t *testing.T) *Number {
	t.Helper()
	return plant(t, w.srv, w.sim, w.log)
}

// TestMessaging sends and receives messages through the program's own simulator.
func TestMessaging(t *testing.T) {
	tests := []struct {
		name string
		run  func(*testing.T, world)
	}{
		{"send each type", testSendEachType},
		{"send library files", testSendLibraryFiles},
		{"voice note", testVoiceNote},
		{"odd statuses", testOddStatuses},
		{"refused by the provider", testRefusedByProvider},
		{"failed later", testFailedLater},
		{"refused before sending", testRefusedBeforeSending},
		{"lost token", testLostToken},
		{"receive each type", testReceiveEachType},
		{"receive files", testReceiveFiles},
		{"inbox", testInbox},
		{"new person at once", testNewPersonAtOnce},
		{"people without numbers", testPeopleWithoutNumbers},
		{"read receipts", testReadReceipts},
		{"reactions", testReactions},
		{"edits and revocations", testEditsAndRevocations},
		{"identity", testIdentity},
		{"merge", testMerge},
		{"preferences", testPreferences},
		{"phone app echoes", testEchoes},
		{"phone app history", testHistory},
		{"phone app contacts", testContactSync},
		{"account updates", testAccountUpdates},
		{"account updates of one number", testUpdatesOfOneNumber},
		{"number updates", testNumberUpdates},
		{"callback verification", testCallbackVerification},
		{"callback signatures", testCallbackSignatures},
		{"repeated callbacks", testRepeatedCallbacks},
		{"thousand updates", testThousandUpdates},
	}
	onEachEngine(t, func(t *testing.T, engine Option) {
		w := newWorld(t, engine)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				test.run(t, w)
			})
		}
	})
}
