package cli

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type teamCommands struct {
	Create teamCreateCommand `cmd:"" help:"Add a team to an organization."`
	List   teamListCommand   `cmd:"" help:"List an organization's teams."`
}

func teamRecord(t chat.Team) record {
	return record{{"id", t.ID}, {"organization_id", t.OrgID}, {"name", t.Name}, {"created_at", instant(t.CreatedAt)}}
}

type teamCreateCommand struct {
	Org  orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Name string `required:"" placeholder:"NAME" help:"The team's name, unique in the organization without regard to case."`
	storeFlags
}

func (cmd *teamCreateCommand) Run(c *console) error {
	var team chat.Team
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		team, err = core.CreateTeam(tx, string(cmd.Org), cmd.Name)
		return err
	})
	if err != nil {
		return pointTo(err, listOrgs)
	}
	return cmd.printOne(c.stdout, teamRecord(team))
}

type teamListCommand struct {
	Org orgID `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *teamListCommand) Run(c *console) error {
	return cmd.lookInto(c, cmd.Org, func(r store.Reader) error {
		teams, err := r.Teams(string(cmd.Org))
		if err != nil {
			return err
		}
		var rows []record
		for _, t := range teams {
			rows = append(rows, teamRecord(t))
		}
		return cmd.printAll(c.stdout, rows, names(teamRecord(chat.Team{}))...)
	})
}
