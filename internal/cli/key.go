package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type keyCommands struct {
	Create keyCreateCommand `cmd:"" help:"Issue an API key and print it, once."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key, for good."`
	List   keyListCommand   `cmd:"" help:"List an organization's keys."`
}

func keyRecord(k chat.APIKey) record {
	return record{
		{"id", k.ID}, {"organization_id", k.OrgID}, {"name", k.Name}, {"last4", k.Last4},
		{"expires_at", instantOrNil(k.ExpiresAt)}, {"revoked_at", instantOrNil(k.RevokedAt)}, {"created_at", instant(k.CreatedAt)},
	}
}

type keyCreateCommand struct {
	Org       orgID      `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Name      string     `default:"default" placeholder:"NAME" help:"A name to know it by."`
	ExpiresAt *time.Time `placeholder:"TIME" help:"When it stops working, as 2026-01-31T12:00:00Z. Without: never."`
	ExpiresIn *span      `placeholder:"TIME" help:"How long it works, as 30d, 2w or 12h."`
	storeFlags
}

// Validate is called by kong.
func (cmd *keyCreateCommand) Validate() error {
	if cmd.ExpiresAt != nil && cmd.ExpiresIn != nil {
		return errors.New("give --expires-at or --expires-in, not both")
	}
	return nil
}

func (cmd *keyCreateCommand) Run(c *console) error {
	var key chat.APIKey
	var text string
	if cmd.ExpiresIn != nil {
		cmd.ExpiresAt = new(time.Now().Add(time.Duration(*cmd.ExpiresIn)))
	}
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		key, text, err = core.CreateKey(tx, string(cmd.Org), cmd.Name, cmd.ExpiresAt)
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	if !cmd.JSON {
		fmt.Fprintln(c.stderr, "Keep the key: it is not shown again.")
	}
	return cmd.printOne(c.stdout, append(keyRecord(key), field{"key", text}))
}

type keyRevokeCommand struct {
	ID keyID `arg:"" name:"key-id" help:"The key's id (key_…); \"parley key list\" shows it."`
	storeFlags
}

func (cmd *keyRevokeCommand) Run(c *console) error {
	var key chat.APIKey
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		key, err = core.RevokeKey(tx, string(cmd.ID))
		return err
	})
	if err != nil {
		return pointTo(err, "parley key list --org ORG")
	}
	return cmd.printOne(c.stdout, keyRecord(key))
}

type keyListCommand struct {
	Org orgID `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *keyListCommand) Run(c *console) error {
	return cmd.lookInto(c, cmd.Org, func(r store.Reader) error {
		keys, err := r.Keys(string(cmd.Org))
		if err != nil {
			return err
		}
		var rows []record
		for _, k := range keys {
			rows = append(rows, keyRecord(k))
		}
		return cmd.printAll(c.stdout, rows, names(keyRecord(chat.APIKey{}))...)
	})
}
