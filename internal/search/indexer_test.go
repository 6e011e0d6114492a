package search

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Committed texts are found; words may be any part of a text, in any case, with or without accents.
func TestFinds(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		coffee := r.write("Zwei Cafés in der STRASSE, bitte")
		order := r.write("Where is my order 4711?")
		both := r.write("An order of coffee: café latte")
		r.found("order") // not before it is indexed
		r.sweep()
		r.found("order", order, both)
		r.found("ORDER coffee", both)
		r.found("cafe", coffee, both)
		r.found("afés", coffee)
		r.found("4711", order)
		r.found("strasse bitte", coffee)
		r.found("nothing like it")
		r.found("is my", order) // too short for the index
		r.found("my order", order)
		r.found("é", coffee, order, both)
		r.found("   ")
		r.found("")
	})
}

// A whole number finds the contact that has it in its other spelling, and nobody with the same end of a number.
func TestFindsEitherSpelling(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		ids := map[string]string{}
		for _, number := range []string{"+525512345678", "+5215598765432", "+551187654321", "+5521987654321", "+4987654321"} {
			ids[number] = r.converse(r.Account, number).ContactID
		}
		r.sweep()
		for text, want := range map[string]string{
			"+52 1 55 1234 5678": "+525512345678", "525512345678": "+525512345678", "52 55 9876 5432": "+5215598765432",
			"+55 11 98765-4321": "+551187654321", "55 21 8765 4321": "+5521987654321",
		} {
			same(t, "contacts for "+text, r.search(chat.KindContact, text), []string{ids[want]})
		}
	})
}

// Contacts are found by their name and by a part of their number, notes by their text.
func TestFindsContactsAndNotes(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		ids := []string{r.conversation.ContactID}
		var note chat.Note
		r.InTx(func(tx *store.Tx) error {
			c := storetest.NewContact(tx, r.Account, "+6281234599999")
			c.Name, c.Username = new("Siti Nurhaliza"), new("siti.n")
			ids = append(ids, c.ID)
			note = chat.Note{ID: tx.NewID(chat.KindNote), OrgID: r.Org.ID, ConversationID: r.conversation.ID, AuthorID: r.user.ID, Body: "Calls back on Friday", CreatedAt: tx.Now()}
			return errors.Join(tx.InsertContact(c), tx.InsertNote(note))
		})
		r.sweep()
		for text, want := range map[string][]string{
			"0812 345":      {ids[1], ids[0]},
			"+62 812-34":    {ids[1], ids[0]},
			"59999":         {ids[1]},
			"00 62812345":   {ids[1], ids[0]},
			"99":            {},
			"nurha siti":    {ids[1]},
			"SITI.N":        {ids[1]},
			"siti somebody": {},
		} {
			same(t, "contacts for "+text, r.search(chat.KindContact, text), want)
		}
		same(t, "notes", r.search(chat.KindNote, "friday"), []string{note.ID})
		same(t, "no messages", r.search(chat.KindMessage, "friday"), []string{})

		r.InTx(func(tx *store.Tx) error {
			c, err := tx.Contact(r.Org.ID, r.Account.ID, ids[1])
			c.Name = new("Rina")
			note.Body = "Calls back on Monday"
			return errors.Join(err, tx.UpdateContact(c), tx.UpdateNote(note))
		})
		r.sweep()
		same(t, "by the old name", r.search(chat.KindContact, "nurhaliza"), []string{})
		same(t, "by the new name", r.search(chat.KindContact, "rina"), []string{ids[1]})
		same(t, "by the old text", r.search(chat.KindNote, "friday"), []string{})
		same(t, "by the new text", r.search(chat.KindNote, "monday"), []string{note.ID})

		r.InTx(func(tx *store.Tx) error {
			return errors.Join(tx.DeleteNote(note), tx.DeleteContact(r.Org.ID, ids[1]))
		})
		r.sweep()
		same(t, "a note that is gone", r.search(chat.KindNote, "monday"), []string{})
		same(t, "a contact that is gone", r.search(chat.KindContact, "rina"), []string{})
	})
}

// Texts that are edited, revoked or deleted leave the index itself, not only the results of searches.
func TestTextsLeave(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		edited, revoked, deleted := r.write("the first wording"), r.write("wording to take back"), r.write("wording to delete")
		r.sweep()
		r.found("wording", edited, revoked, deleted)
		r.InTx(func(tx *store.Tx) error {
			edited.Content = json.RawMessage(`{"body":"something else"}`)
			revoked.Revoked = true
			return errors.Join(tx.ReviseMessage(edited), tx.ReviseMessage(revoked))
		})
		r.found("wording", deleted) // at once, even before the index changes
		r.sweep()
		r.found("something", edited)
		same(t, "the index", r.indexed("wording"), []string{deleted.ID})
		r.InTx(func(tx *store.Tx) error { return tx.DeleteConversation(r.Org.ID, r.conversation.ID) })
		r.sweep()
		same(t, "the index after all was deleted", append(r.indexed("wording"), r.indexed("something")...), []string(nil))
		left, err := r.Read().SearchChanges(10)
		same(t, "what is left to follow", left, []store.SearchChange(nil))
		same(t, "error", err, nil)
	})
}

// A message with an old id is found like any other, at its place in time.
func TestOldIDs(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		first := r.write("parcel one")
		r.Clock.Advance(time.Hour)
		last := r.write("parcel three")
		r.sweep()
		at := first.CreatedAt.Add(time.Minute)
		imported := r.writeAt(r.conversation, "parcel two", at, at)
		ancient := r.writeAt(r.conversation, "parcel zero", time.UnixMilli(1), time.UnixMilli(1))
		r.sweep()
		r.found("parcel", first, imported, last, ancient)
	})
}

// A transaction may commit long after it made its ids. The indexer finds its rows when it looks at that time
// again.
func TestLateCommits(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		before := r.Clock.Now()
		r.Clock.Advance(time.Minute)
		r.write("on time")
		r.sweep()
		late := r.writeAt(r.conversation, "much too late", before, r.Clock.Now())
		soon := r.writeAt(r.conversation, "a little late", r.Clock.Now().Add(-time.Second), r.Clock.Now())
		r.sweep()
		r.found("late", soon)
		r.Clock.Advance(settling)
		r.sweep()
		r.found("late", soon, late)
	})
}

// A clock that was ahead does not hide rows that are written after it was corrected.
func TestTurnedClock(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		r.Clock.Step(10 * time.Minute)
		ahead := r.write("hello from tomorrow")
		r.sweep()
		r.Clock.Step(-10 * time.Minute)
		now := r.write("hello from today")
		r.sweep()
		r.found("hello", ahead, now)
	})
}

// Messages beyond the plan's retention leave the index, even if their rows were deleted before.
func TestRetention(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		r.InTx(func(tx *store.Tx) error {
			o, err := tx.Organization(r.Org.ID)
			o.Plan = "short"
			return errors.Join(err, tx.PutPlan(chat.Plan{Name: o.Plan, RetentionDays: new(int64(7))}), tx.UpdateOrganization(o))
		})
		r.writeMany(batch+1, "old news")
		r.sweep()
		r.Clock.Advance(4 * 24 * time.Hour)
		young := r.write("new news")
		r.sweep()
		same(t, "the index", len(r.indexed("news")), batch+2)
		r.Clock.Advance(4 * 24 * time.Hour)
		r.InTx(func(tx *store.Tx) error {
			_, err := tx.PurgeMessages(r.Org.ID, tx.Now().Add(-7*24*time.Hour), 1000)
			return err
		})
		r.found("news", young)
		r.sweep()
		same(t, "the index after a week", r.indexed("news"), []string{young.ID})
	})
}

// When an indexer stops in the middle, the next one goes on: no row is left out, none is indexed twice.
func TestEndedInTheMiddle(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		all := r.writeMany(3*batch+1, "item")
		r.Clock.Advance(time.Hour) // so that a whole index is built from old rows
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		r.indexer.rest = func(context.Context, time.Duration) {
			if steps++; steps == 2 {
				cancel()
			}
		}
		if err := r.indexer.Sweep(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("the sweep ended with %v", err)
		}
		if n := len(r.indexed("item")); n == 0 || n >= len(all) {
			t.Fatalf("%d of %d were indexed before the end", n, len(all))
		}
		if behind, err := NewSearcher(r.Store, r.index).Indexing(t.Context(), r.Org.ID); !behind || err != nil {
			t.Errorf("that the index is not complete is told: %v, %v", behind, err)
		}
		r.index.Close()
		r.open()
		r.sweep()
		r.found("item", all...) // over several pages
		if behind, err := NewSearcher(r.Store, r.index).Indexing(t.Context(), r.Org.ID); behind || err != nil {
			t.Errorf("that the index is not complete is told: %v, %v", behind, err)
		}
	})
}

// A missing or broken index, or one of another version, is rebuilt.
func TestMadeAnew(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(path string) error{
		"gone": os.Remove,
		"broken": func(path string) error {
			return os.WriteFile(path, []byte("this is no database at all, and long enough to be one: "), 0o600)
		},
		"another": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, storetest.SQLite)
			old := r.write("once there")
			r.Clock.Advance(time.Hour)
			m := r.write("still there")
			r.Clock.Advance(time.Minute)
			r.sweep()
			r.index.Close()
			if err := spoil(filepath.Join(r.cfg.Dir, "search.db")); err != nil {
				t.Fatal(err)
			}
			r.open()
			r.found("there")
			r.sweep()
			r.found("there", old, m)
		})
	}
}

// An index that is damaged, wherever that is noticed, is rebuilt, also if there is no room for that at first.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for what, notice := range map[string]func(*rig) error{
		"noticed by the indexer": func(r *rig) error { return r.indexer.Sweep(r.t.Context()) },
		"noticed by a search": func(r *rig) error {
			_, err := NewSearcher(r.Store, r.index).Search(r.t.Context(), Request{User: r.user, Kind: chat.KindMessage, Query: Parse("there"), Limit: 10})
			return err
		},
		"without room": func(r *rig) error {
			disk := storetest.DiskOf(r.t, r.cfg.Dir)
			disk.Fail(storetest.Write, "search.db", syscall.ENOSPC)
			defer disk.Mend()
			return errors.Join(r.indexer.Sweep(r.t.Context()), r.indexer.Sweep(r.t.Context()))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, storetest.SQLite)
			m := r.write("still there")
			r.Clock.Advance(time.Hour)
			r.sweep()
			r.index.Close()
			r.spoil()
			r.open()
			if err := notice(r); err == nil {
				t.Fatal("nothing was noticed")
			}
			if err := r.indexer.Sweep(t.Context()); err != nil { // it is made anew only now
				r.sweep()
			}
			r.found("there", m)
		})
	}
}

// spoil overwrites all pages of the index but the first.
func (r *rig) spoil() {
	r.t.Helper()
	path := filepath.Join(r.cfg.Dir, "search.db")
	content, err := os.ReadFile(path)
	r.Must(err)
	for i := 4096; i < len(content); i++ {
		content[i] = 0xff
	}
	r.Must(os.WriteFile(path, content, 0o600))
}

// Only one of two nodes updates the index at a time.
func TestOneNodeAtATime(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.Postgres)
	m := r.write("hello")
	other, err := storetest.OpenAt(t, r.cfg).OpenSearch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.index.Update(t.Context(), func(store.SearchUpdate) error {
		mine, err := other.Update(t.Context(), func(store.SearchUpdate) error {
			t.Error("two nodes change the index")
			return nil
		})
		if mine {
			t.Error("the other node was told that it has the index")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.sweep()
	r.found("hello", m)
}

// A write wakes a running indexer.
func TestRunning(t *testing.T) {
	eachRig(t, func(t *testing.T, r *rig) {
		stepped := make(chan struct{}, 1)
		x := New(Config{Store: r.Store, Index: r.index, Log: slog.New(slog.DiscardHandler)})
		x.rest = func(context.Context, time.Duration) {
			select {
			case stepped <- struct{}{}:
			default:
			}
		}
		told := 0
		r.Store.HandTo(func(h *store.Hands) { h.Changed = func([]store.Change) { told++ } })
		x.start()
		defer x.Stop(context.Background())
		m := r.write("hello")
		for len(r.indexed("hello")) == 0 {
			<-stepped
		}
		r.found("hello", m)
		if told == 0 {
			t.Error("the others are not told any more")
		}
	})
}

// While the store is busy the indexer uses a small part of the time.
func TestRests(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	x := r.indexer
	rests := func(changes int) time.Duration {
		x.changed(changes)
		begin := r.Store.Moment()
		r.Clock.Advance(10 * time.Millisecond)
		return x.due(begin)
	}
	rests(0)
	same(t, "the rest while nothing happens", rests(0), idleRest*10*time.Millisecond)
	same(t, "the rest while much happens", rests(100), busyRest*10*time.Millisecond)
	x.setLag(2 * patience)
	same(t, "the rest when that lasts", rests(100), lateRest*10*time.Millisecond)
	same(t, "the rest afterwards", rests(0), idleRest*10*time.Millisecond)
}
