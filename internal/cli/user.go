package cli

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type userCommands struct {
	Create userCreateCommand `cmd:"" help:"Create a dashboard user."`
}

type userCreateCommand struct {
	Org      orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Email    string `required:"" placeholder:"EMAIL" help:"The address to sign in with."`
	Name     string `required:"" placeholder:"NAME" help:"The person's name."`
	Password string `required:"" placeholder:"PASSWORD" help:"At least 8 characters."`
	Role     string `default:"agent" placeholder:"ROLE" enum:"owner,admin,agent" help:"owner, admin or agent."`
	Team     teamID `placeholder:"TEAM" help:"The team to join (team_…); needed where there are several."`
	storeFlags
}

func (cmd *userCreateCommand) Run(c *console) error {
	hash, err := core.HashPassword(cmd.Password)
	if err != nil {
		return err
	}
	var user chat.User
	err = cmd.change(c, func(tx *store.Tx) (err error) {
		user, err = core.CreateUser(tx, core.NewUser{
			OrgID: string(cmd.Org), Email: cmd.Email, Name: cmd.Name, Password: hash,
			Role: chat.Role(cmd.Role), TeamID: string(cmd.Team),
		})
		return err
	})
	if err != nil {
		return pointTo(cmd.explainTeam(err), listOrgs)
	}
	return cmd.printOne(c.stdout, record{
		{"id", user.ID}, {"organization_id", user.OrgID}, {"email", user.Email}, {"name", user.Name},
		{"role", cmd.Role}, {"created_at", instant(user.CreatedAt)},
	})
}

// explainTeam says of --team what core says of the API's team_id.
func (cmd *userCreateCommand) explainTeam(err error) error {
	if e, ok := errors.AsType[*chat.Error](err); !ok || e.Param != "team_id" {
		return err
	}
	if cmd.Team == "" {
		return chat.Invalid("team", "The organization has several teams: say which one. \"parley team list --org %s\" shows them.", cmd.Org)
	}
	return chat.Invalid("team", "The organization has no such team. \"parley team list --org %s\" shows its teams.", cmd.Org)
}
