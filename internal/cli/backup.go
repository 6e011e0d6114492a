package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// errNotEmbedded sends users of PostgreSQL to its own tools, which can do more.
var errNotEmbedded = errors.New("this is for the embedded store: back PostgreSQL up with pg_dump or by archiving its log, and copy the media folder (docs/backup.md)")

type backupCommand struct {
	File         string `arg:"" placeholder:"FILE" help:"Where the copy goes. A name that ends in .gz is compressed."`
	WithoutMedia bool   `help:"Leave stored files out."`
	WithKey      bool   `help:"Put secret.key into the copy. Whoever has the copy can then read every token in it."`
	filesFlags
}

func (cmd *backupCommand) Run(c *console) error {
	if cmd.DatabaseURL != "" {
		return errNotEmbedded
	}
	o := backup.Options{Version: version, Media: !cmd.WithoutMedia, Key: cmd.WithKey}
	if cmd.MediaURL != "" {
		place, err := blob.ParseAddress(cmd.MediaURL)
		if err != nil {
			return err
		}
		o.MediaAt = place.String()
	}
	s, err := backup.Write(c.ctx, cmd.Data, cmd.File, o)
	if err != nil {
		return explainFolder(err, cmd.Store)
	}
	err = cmd.printOne(c.stdout, record{{"file", cmd.File}, {"bytes", s.Bytes}, {"media_files", s.Files}, {"made_at", chat.FormatTime(s.Manifest.MadeAt)}})
	if o.MediaAt != "" {
		fmt.Fprintf(c.stderr, "Stored files are not in it: they are in %s. Keep copies or versions of what is deleted there.\n", o.MediaAt)
	}
	if !cmd.WithKey {
		fmt.Fprintln(c.stderr, "The master key is not in it: keep a copy of secret.key, or of PARLEY_SECRET_KEY, somewhere else.")
	}
	return err
}

type restoreCommand struct {
	File string `arg:"" placeholder:"FILE" help:"A copy that \"parley backup\" has made."`
	storeFlags
}

func (cmd *restoreCommand) Run(c *console) error {
	if cmd.DatabaseURL != "" {
		return errNotEmbedded
	}
	r, err := backup.Restore(c.ctx, cmd.File, cmd.Data)
	if err != nil {
		return explainFolder(err, cmd.Store)
	}
	err = cmd.printOne(c.stdout, record{
		{"data", cmd.Data}, {"made_at", chat.FormatTime(r.Manifest.MadeAt)}, {"media_files", r.Files},
		{"held_messages", r.Held.Messages}, {"held_broadcasts", r.Held.Broadcasts},
	})
	if r.Manifest.MediaAt != "" {
		fmt.Fprintf(c.stderr, "Stored files are in %s: start the server with that --media-url.\n", r.Manifest.MediaAt)
	}
	if !r.HasKey {
		fmt.Fprintln(c.stderr, "There is no master key in the folder: put secret.key there, or set PARLEY_SECRET_KEY, before you start the server.")
	}
	if r.Held.Messages > 0 {
		fmt.Fprintln(c.stderr, "Messages that waited then may have gone out since. They are held: \"parley held send\" sends them, \"parley held discard\" gives them up.")
	}
	if r.Held.Broadcasts > 0 {
		fmt.Fprintln(c.stderr, "Broadcasts are held too: those that were being sent are paused, scheduled ones are drafts. \"parley held\" names them.")
	}
	return err
}

type heldCommands struct {
	List    heldListCommand    `cmd:"" default:"withargs" help:"List the messages that are held."`
	Hold    heldHoldCommand    `cmd:"" help:"Hold all that waits to be sent, and pause broadcasts. For a restored PostgreSQL database, before a server starts on it."`
	Send    heldSendCommand    `cmd:"" help:"Send all held messages, or some."`
	Discard heldDiscardCommand `cmd:"" help:"Give all held messages up, or some: they fail."`
}

type heldListCommand struct{ storeFlags }

// mostHeldListed is the number of messages in the list, and of broadcasts.
const mostHeldListed = 1000

func (cmd *heldListCommand) Run(c *console) error {
	return cmd.look(c, func(r store.Reader) error {
		held, err := r.HeldSends(mostHeldListed)
		if err != nil {
			return err
		}
		broadcasts, err := r.HeldBroadcasts(mostHeldListed)
		if err != nil {
			return err
		}
		var rows []record
		for _, h := range held {
			rows = append(rows, heldRecord(h))
		}
		if err := cmd.printTable(c.stdout, rows, "message", "written_at", "to", "content"); err != nil || cmd.JSON {
			return err
		}
		for _, b := range broadcasts {
			when := ""
			if b.ScheduledAt != nil {
				when = ", was to start at " + chat.FormatTime(*b.ScheduledAt)
			}
			fmt.Fprintf(c.stderr, "Broadcast %s %s is held: %s%s. Start, resume or delete it in the dashboard or with \"parley broadcast\".\n",
				b.ID, text(b.Name), b.Status, when)
		}
		return nil
	})
}

func heldRecord(h store.HeldSend) record {
	return record{
		{"message", h.MessageID}, {"org", h.OrgID}, {"account", h.AccountID}, {"to", orNil(h.To)}, {"type", string(h.Type)}, {"content", heldContent(h)},
		{"written_at", instant(h.WrittenAt)}, {"held_at", instant(h.HeldAt)},
	}
}

// heldContent is a message's text, or what else it is.
func heldContent(h store.HeldSend) string {
	var content struct {
		Body, Caption, Name string
	}
	_ = json.Unmarshal(h.Content, &content) // of other shapes the type says enough
	return short(contentAs(client.MessageType(h.Type), cmp.Or(content.Body, content.Caption, content.Name)))
}

type heldHoldCommand struct{ storeFlags }

func (cmd *heldHoldCommand) Run(c *console) error {
	var held core.Held
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		held, err = core.HoldSends(tx)
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, record{{"held_messages", held.Messages}, {"held_broadcasts", held.Broadcasts}})
}

// heldChoice says which of the held messages are meant.
type heldChoice struct {
	Messages []string `arg:"" optional:"" name:"message" help:"Only these, by their ids (msg_…). Without: all."`
	storeFlags
}

type heldSendCommand struct{ heldChoice }

func (cmd *heldSendCommand) Run(c *console) error {
	return cmd.with(c, func(st *store.Store) error {
		n, err := core.SendHeld(c.ctx, st, cmd.Messages...)
		if err != nil && n == 0 {
			return err
		}
		return errors.Join(cmd.printOne(c.stdout, record{{"sent", n}}), err)
	})
}

type heldDiscardCommand struct{ heldChoice }

func (cmd *heldDiscardCommand) Run(c *console) error {
	return cmd.with(c, func(st *store.Store) error {
		n, err := core.DiscardHeld(c.ctx, st, cmd.Messages...)
		if err != nil && n == 0 {
			return err
		}
		return errors.Join(cmd.printOne(c.stdout, record{{"discarded", n}}), err)
	})
}
