package cli

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type orgCommands struct {
	Create orgCreateCommand `cmd:"" help:"Create an organization with its first team."`
	Update orgUpdateCommand `cmd:"" help:"Change an organization's plan, subscription or suspension."`
	List   orgListCommand   `cmd:"" help:"List the organizations."`
	Delete orgDeleteCommand `cmd:"" help:"Delete an organization with everything in it."`
}

func orgRecord(o chat.Organization) record {
	return record{
		{"id", o.ID}, {"name", o.Name}, {"plan", o.Plan}, {"subscription_status", string(o.Subscription)},
		{"trial_ends_at", instantOrNil(o.TrialEndsAt)}, {"suspended", o.Suspended}, {"created_at", instant(o.CreatedAt)},
		{"deleted_at", instantOrNil(o.DeletedAt)},
	}
}

type orgCreateCommand struct {
	Name string `required:"" placeholder:"NAME" help:"Its name."`
	Plan string `default:"enterprise" placeholder:"PLAN" help:"Its plan; \"parley plan list\" shows them."`
	storeFlags
}

func (cmd *orgCreateCommand) Run(c *console) error {
	var org chat.Organization
	var team chat.Team
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		org, team, err = core.CreateOrganization(tx, cmd.Name, cmd.Plan)
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, append(orgRecord(org), field{"team_id", team.ID}))
}

type orgUpdateCommand struct {
	ID           orgID      `arg:"" name:"org" help:"Its id (org_…)."`
	Plan         *string    `placeholder:"PLAN" help:"A new plan; \"parley plan list\" shows them."`
	Subscription *string    `placeholder:"STATUS" enum:"active,trialing,inactive" help:"active, trialing or inactive."`
	TrialEndsAt  *time.Time `placeholder:"TIME" help:"When a trial ends, as 2026-01-31T12:00:00Z."`
	Suspended    *bool      `help:"Refuse every API call of the organization; --suspended=false lifts it."`
	storeFlags
}

// listOrgs is the command that lists the valid ids.
const listOrgs = "parley org list"

// Validate is called by kong.
func (cmd *orgUpdateCommand) Validate() error {
	if cmd.ID != "" && cmd.Plan == nil && cmd.Subscription == nil && cmd.TrialEndsAt == nil && cmd.Suspended == nil {
		return errors.New("nothing to change: give --plan, --subscription, --trial-ends-at or --suspended")
	}
	return nil
}

func (cmd *orgUpdateCommand) Run(c *console) error {
	var org chat.Organization
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		org, err = core.UpdateOrganization(tx, string(cmd.ID), core.OrganizationPatch{
			Plan: cmd.Plan, Subscription: (*chat.SubscriptionStatus)(cmd.Subscription),
			TrialEndsAt: cmd.TrialEndsAt, Suspended: cmd.Suspended,
		})
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	return cmd.printOne(c.stdout, orgRecord(org))
}

type orgDeleteCommand struct {
	ID   orgID  `arg:"" name:"org" help:"Its id (org_…)."`
	Name string `required:"" placeholder:"NAME" help:"Its name, to be sure that it is the right one: this cannot be undone."`
	storeFlags
}

// Help is shown above the flags.
func (*orgDeleteCommand) Help() string {
	return "Its keys and sessions end at once, its numbers are disconnected and its endpoints get nothing more. " +
		"A running server deletes its messages, people and files in the background; \"parley org list\" shows it until they are gone. " +
		"Back-ups that were made before still have them."
}

func (cmd *orgDeleteCommand) Run(c *console) error {
	var org chat.Organization
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		org, err = core.DeleteOrganization(tx, string(cmd.ID), cmd.Name)
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	return cmd.printOne(c.stdout, orgRecord(org))
}

type orgListCommand struct{ storeFlags }

func (cmd *orgListCommand) Run(c *console) error {
	return cmd.look(c, func(r store.Reader) error {
		orgs, err := r.Organizations()
		if err != nil {
			return err
		}
		var rows []record
		for _, o := range orgs {
			rows = append(rows, orgRecord(o))
		}
		return cmd.printAll(c.stdout, rows, names(orgRecord(chat.Organization{}))...)
	})
}
