package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type userCommands struct {
	Create  userCreateCommand  `cmd:"" help:"Create a dashboard user."`
	List    userListCommand    `cmd:"" help:"List an organization's users."`
	Update  userUpdateCommand  `cmd:"" help:"Change a user's name, role, teams, what the user sees or whether the user is there, or end or restore the access."`
	Link    userLinkCommand    `cmd:"" help:"Make a link with which a user chooses a password: an invitation, or another password."`
	Signout userSignoutCommand `cmd:"" help:"Sign a user out of every browser."`
}

func userRecord(u chat.User, teams []string) record {
	return record{
		{"id", u.ID}, {"organization_id", u.OrgID}, {"email", u.Email}, {"name", u.Name}, {"role", string(u.Role)}, {"sees", string(u.Sees)},
		{"teams", strings.Join(teams, " ")}, {"away", u.Away}, {"second_step", u.SecondStep}, {"disabled_at", instantOrNil(u.DisabledAt)}, {"created_at", instant(u.CreatedAt)},
	}
}

type userCreateCommand struct {
	Org      orgID  `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	Email    string `required:"" placeholder:"EMAIL" help:"The address to sign in with."`
	Name     string `required:"" placeholder:"NAME" help:"The person's name."`
	Password secret `placeholder:"PASSWORD" help:"At least 8 characters; - reads it from the standard input, where nobody else sees it. Without one, make an invitation with \"parley user link\"."`
	Role     string `default:"agent" placeholder:"ROLE" enum:"owner,admin,agent" help:"owner, admin or agent."`
	Sees     string `default:"all" placeholder:"WHICH" enum:"all,teams,assigned" help:"Which conversations the user sees: all, teams (those of the user's teams) or assigned."`
	Team     teamID `placeholder:"TEAM" help:"The team to join (team_…); needed where there are several."`
	storeFlags
}

// hashed hashes a password, if one is given.
func hashed(c *console, given secret) (core.PasswordHash, error) {
	password, err := given.read(c, "Password")
	if password == "" || err != nil {
		return "", err
	}
	return core.HashPassword(password)
}

func (cmd *userCreateCommand) Run(c *console) error {
	hash, err := hashed(c, cmd.Password)
	if err != nil {
		return err
	}
	var user chat.User
	var teams []string
	err = cmd.change(c, func(tx *store.Tx) (err error) {
		user, err = core.CreateUser(tx, core.NewUser{
			OrgID: string(cmd.Org), Email: cmd.Email, Name: cmd.Name, Password: hash,
			Role: chat.Role(cmd.Role), Sees: chat.Visibility(cmd.Sees), TeamID: string(cmd.Team),
		})
		if err == nil {
			teams, err = tx.TeamsOf(user.OrgID, user.ID)
		}
		return err
	})
	if err != nil {
		return pointTo(explainTeam(err, cmd.Org, cmd.Team), listOrgs)
	}
	return cmd.printOne(c.stdout, userRecord(user, teams))
}

// explainTeam words core's error about team_id for --team.
func explainTeam(err error, org orgID, team teamID) error {
	if e, ok := errors.AsType[*chat.Error](err); !ok || e.Param != "team_id" {
		return err
	}
	if team == "" {
		return chat.Invalid("team", "The organization has several teams: say which one. \"parley team list --org %s\" shows them.", org)
	}
	return chat.Invalid("team", "The organization has no such team. \"parley team list --org %s\" shows its teams.", org)
}

type userListCommand struct {
	Org orgID `required:"" placeholder:"ORG" help:"The organization's id (org_…)."`
	storeFlags
}

func (cmd *userListCommand) Run(c *console) error {
	return cmd.lookInto(c, cmd.Org, func(r store.Reader) error {
		users, err := r.Users(string(cmd.Org))
		if err != nil {
			return err
		}
		teams, err := r.Members(string(cmd.Org))
		if err != nil {
			return err
		}
		var rows []record
		for _, u := range users {
			rows = append(rows, userRecord(u, teams[u.ID]))
		}
		return cmd.printAll(c.stdout, rows, names(userRecord(chat.User{}, nil))...)
	})
}

// namedUser is the user named on the command line.
type namedUser struct {
	Email string `arg:"" name:"email" help:"The address the user signs in with."`
}

func (n namedUser) find(tx *store.Tx) (chat.User, error) {
	u, err := tx.UserByEmail(n.Email)
	if errors.Is(err, store.ErrNotFound) {
		return u, fmt.Errorf("nobody signs in as %s; \"parley user list --org ORG\" shows who does", n.Email)
	}
	return u, err
}

type userUpdateCommand struct {
	namedUser
	Name      string   `placeholder:"NAME" help:"Another name."`
	Password  secret   `placeholder:"PASSWORD" help:"Another password, of at least 8 characters; - reads it from the standard input. The user is signed out of every browser."`
	Role      string   `placeholder:"ROLE" enum:"owner,admin,agent," default:"" help:"owner, admin or agent."`
	Sees      string   `placeholder:"WHICH" enum:"all,teams,assigned," default:"" help:"Which conversations the user sees: all, teams or assigned."`
	Team      []teamID `placeholder:"TEAM" help:"The user's teams (team_…), instead of those there are; repeat it for several."`
	Disable   bool     `help:"End the access. What the user wrote stays; conversations in work go back to the queue." xor:"access"`
	Enable    bool     `help:"Restore the access." xor:"access"`
	Away      bool     `help:"Give the user no new conversations for now." xor:"presence"`
	Available bool     `help:"Give the user new conversations again." xor:"presence"`
	OneStep   bool     `name:"second-step-off" help:"Take off two-step sign-in, for somebody who has lost the phone and the recovery codes. The user is signed out of every browser."`
	storeFlags
}

func (cmd *userUpdateCommand) Run(c *console) error {
	if cmd.Name == "" && cmd.Password == "" && cmd.Role == "" && cmd.Sees == "" && len(cmd.Team) == 0 &&
		!cmd.Disable && !cmd.Enable && !cmd.Away && !cmd.Available && !cmd.OneStep {
		return errors.New("nothing to change: give --name, --password, --role, --sees, --team, --disable, --enable, --away, --available or --second-step-off")
	}
	hash, err := hashed(c, cmd.Password)
	if err != nil {
		return err
	}
	var user chat.User
	var teams []string
	err = cmd.change(c, func(tx *store.Tx) (err error) {
		found, err := cmd.find(tx)
		if err != nil {
			return err
		}
		if user, err = core.UpdateUser(tx, chat.RoleOwner, found.OrgID, found.ID, cmd.patch()); err != nil {
			return explainTeam(err, orgID(found.OrgID), cmp.Or(cmd.Team...))
		}
		if hash != "" {
			if err := core.SetPassword(tx, user.OrgID, user.ID, hash); err != nil {
				return err
			}
		}
		if cmd.OneStep {
			if user, err = core.TakeOffSecondStep(tx, chat.User{Role: chat.RoleOwner}, user.OrgID, user.ID); err != nil {
				return err
			}
		}
		teams, err = tx.TeamsOf(user.OrgID, user.ID)
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, userRecord(user, teams))
}

func (cmd *userUpdateCommand) patch() (p core.UserPatch) {
	if cmd.Name != "" {
		p.Name = &cmd.Name
	}
	if cmd.Role != "" {
		p.Role = new(chat.Role(cmd.Role))
	}
	if cmd.Sees != "" {
		p.Sees = new(chat.Visibility(cmd.Sees))
	}
	if len(cmd.Team) > 0 {
		p.Teams = &[]string{}
		for _, id := range cmd.Team {
			*p.Teams = append(*p.Teams, string(id))
		}
	}
	if cmd.Disable || cmd.Enable {
		p.Disabled = &cmd.Disable
	}
	if cmd.Away || cmd.Available {
		p.Away = &cmd.Away
	}
	return p
}

type userSignoutCommand struct {
	namedUser
	storeFlags
}

func (cmd *userSignoutCommand) Run(c *console) error {
	return cmd.change(c, func(tx *store.Tx) error {
		u, err := cmd.find(tx)
		if err != nil {
			return err
		}
		return core.SignOutUser(tx, chat.RoleOwner, u.OrgID, u.ID)
	})
}

type userLinkCommand struct {
	namedUser
	PublicURL string `name:"public-url" variable:"PARLEY_PUBLIC_URL" placeholder:"URL" help:"Address of the dashboard. Empty: the one that the server was last started with."`
	storeFlags
}

func (cmd *userLinkCommand) Run(c *console) error {
	var token, address string
	var link chat.UserLink
	err := cmd.change(c, func(tx *store.Tx) error {
		u, err := cmd.find(tx)
		if err == nil {
			address, err = publicURL(c, tx.Reader, cmd.PublicURL)
		}
		if err != nil {
			return err
		}
		token, link, err = core.LinkUser(tx, chat.User{Role: chat.RoleOwner}, u.OrgID, u.ID)
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, record{
		{"url", address + core.UserLinkPath + token}, {"kind", string(link.Kind)}, {"expires_at", instant(link.ExpiresAt)},
	})
}
