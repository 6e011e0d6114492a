package cli

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type userCommands struct {
	Create userCreateCommand `cmd:"" help:"Create a dashboard user."`
}

type userCreateCommand struct {
	storeFlags
	Org      string `required:"" help:"The organization's id (org_…)."`
	Email    string `required:"" help:"The address to sign in with."`
	Name     string `required:"" help:"The person's name."`
	Password string `required:"" help:"At least 8 characters."`
	Role     string `default:"agent" enum:"owner,admin,agent" help:"owner, admin or agent."`
	Team     string `placeholder:"TEAM" help:"The team to join (team_…); needed where there are several."`
}

func (cmd *userCreateCommand) Run(c *console) error {
	hash, err := core.HashPassword(cmd.Password)
	if err != nil {
		return err
	}
	var user chat.User
	err = cmd.change(c, func(tx *store.Tx) (err error) {
		user, err = core.CreateUser(tx, core.NewUser{
			OrgID: cmd.Org, Email: cmd.Email, Name: cmd.Name, Password: hash,
			Role: chat.Role(cmd.Role), TeamID: cmd.Team,
		})
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, record{
		{"id", user.ID}, {"organization_id", user.OrgID}, {"email", user.Email}, {"name", user.Name},
		{"role", cmd.Role}, {"created_at", instant(user.CreatedAt)},
	})
}
