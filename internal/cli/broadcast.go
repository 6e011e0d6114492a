package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/parleyhq/parley/client"
)

type broadcastCommands struct {
	List      broadcastListCommand      `cmd:"" help:"List a number's broadcasts."`
	Create    broadcastCreateCommand    `cmd:"" help:"Create a broadcast, from labels or a table of numbers."`
	Add       broadcastAddCommand       `cmd:"" help:"Add recipients from a table to a broadcast that has not begun."`
	Show      broadcastShowCommand      `cmd:"" help:"Show a broadcast and how far it is."`
	Preview   broadcastPreviewCommand   `cmd:"" help:"Show whom a broadcast would go to, and three of its messages."`
	Test      broadcastTestCommand      `cmd:"" help:"Send a broadcast's message to one number."`
	Start     broadcastStartCommand     `cmd:"" help:"Start a broadcast."`
	Pause     broadcastPauseCommand     `cmd:"" help:"Pause a broadcast."`
	Resume    broadcastResumeCommand    `cmd:"" help:"Go on with a broadcast that is paused."`
	Stop      broadcastStopCommand      `cmd:"" help:"Stop a broadcast for good."`
	Retry     broadcastRetryCommand     `cmd:"" help:"Send again to those whose message failed."`
	Duplicate broadcastDuplicateCommand `cmd:"" help:"Make a draft like a broadcast."`
	Report    broadcastReportCommand    `cmd:"" help:"Show what has become of a broadcast."`
	Export    broadcastExportCommand    `cmd:"" help:"Print a broadcast's recipients as a CSV table."`
}

type broadcastListCommand struct {
	Status   string `placeholder:"STATUS" help:"Only those: draft, scheduled, sending, paused, completed, stopped or failed."`
	apiFlags `embed:""`
}

func (cmd *broadcastListCommand) Run(c *console, api *client.Client) error {
	var rows []record
	filter := client.BroadcastFilter{Status: client.BroadcastStatus(cmd.Status), PageOptions: client.PageOptions{Limit: 100}}
	for b, err := range api.Broadcasts(c.ctx, cmd.From, filter) {
		if err != nil {
			return cmd.explain(err)
		}
		rows = append(rows, broadcastRecord(b))
	}
	return cmd.output().printAll(c.stdout, rows, names(broadcastRecord(client.Broadcast{}))...)
}

func broadcastRecord(b client.Broadcast) record {
	return record{
		{"id", b.ID}, {"name", b.Name}, {"status", string(b.Status)}, {"status_reason", textOrNil(b.StatusReason)}, {"template", b.Template.Name},
		{"total", b.Counts.Total}, {"skipped", b.Counts.Skipped}, {"waiting", b.Counts.Waiting}, {"sent", b.Counts.Sent},
		{"delivered", b.Counts.Delivered}, {"read", b.Counts.Read}, {"replied", b.Counts.Replied}, {"failed", b.Counts.Failed},
		{"scheduled_at", instantOrNil(b.ScheduledAt)}, {"started_at", instantOrNil(b.StartedAt)}, {"completed_at", instantOrNil(b.CompletedAt)},
	}
}

type broadcastCreateCommand struct {
	Name      string     `required:"" placeholder:"NAME" help:"What colleagues know it by."`
	Template  string     `required:"" placeholder:"NAME" help:"The template."`
	Language  string     `default:"en_US" placeholder:"CODE" help:"The template's language."`
	Label     []string   `xor:"audience" placeholder:"ID" help:"Goes to the contacts with this label. Repeatable."`
	All       bool       `help:"To those with all of the labels, instead of any."`
	Everybody bool       `xor:"audience" help:"Goes to all contacts of the number."`
	CSV       string     `name:"csv" placeholder:"FILE" help:"Goes to the numbers in a table; - reads it from the standard input. Commas, semicolons or tabs divide it. The column with the numbers is called to, number, phone or phone_number, or is the first."`
	PerSecond *int64     `placeholder:"N" help:"Messages a second. Without it, as fast as the number may."`
	At        *time.Time `placeholder:"TIME" help:"When it starts by itself, like 2026-12-01T09:00:00+07:00."`
	TimeZone  string     `placeholder:"ZONE" help:"In which --at was chosen, like Asia/Jakarta."`
	Start     bool       `help:"Start it at once."`

	templateFlags `embed:""`
	apiFlags      `embed:""`
}

// Help is shown above the flags.
func (*broadcastCreateCommand) Help() string {
	return "--param, --suffix and the address in --header may have variables: {{recipient.COLUMN|fallback}}, {{contact.name}}."
}

// Validate is called by kong.
func (cmd *broadcastCreateCommand) Validate() error {
	if cmd.Start && cmd.At != nil {
		return errors.New("give --start or --at, not both")
	}
	if cmd.At != nil && cmd.At.Before(time.Now()) {
		return errors.New("--at must be in the future; --start starts it at once")
	}
	return cmd.serviceFlags.Validate()
}

func (cmd *broadcastCreateCommand) Run(c *console, api *client.Client) error {
	b, err := cmd.create(c, api)
	if err == nil && cmd.Start {
		b, err = api.StartBroadcast(c.ctx, cmd.From, b.ID)
	}
	if lacksPart(err) {
		return fmt.Errorf("%w\n%s", err, partFlags)
	}
	if err != nil {
		return cmd.explain(err)
	}
	return cmd.output().printOne(c.stdout, broadcastRecord(*b))
}

func (cmd *broadcastCreateCommand) create(c *console, api *client.Client) (*client.Broadcast, error) {
	n, err := cmd.broadcast(c, api)
	if err != nil {
		return nil, err
	}
	if cmd.CSV == "" {
		return api.CreateBroadcast(c.ctx, cmd.From, n)
	}
	source, err := openTable(cmd.CSV)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	people, err := newTable(source) // before there is a draft
	if err != nil {
		return nil, err
	}
	n.ScheduledAt = nil // so that it cannot start before all recipients are there
	b, err := api.CreateBroadcast(c.ctx, cmd.From, n)
	if err != nil {
		return b, err
	}
	if err := addTable(c, api, *b, cmd.CSV, people); err != nil {
		return b, err
	}
	if cmd.At != nil {
		return api.UpdateBroadcast(c.ctx, cmd.From, b.ID, client.BroadcastPatch{ScheduledAt: client.Set(*cmd.At)})
	}
	return api.GetBroadcast(c.ctx, cmd.From, b.ID)
}

func (cmd *broadcastCreateCommand) broadcast(c *console, api *client.Client) (client.NewBroadcast, error) {
	n := client.NewBroadcast{
		Name: cmd.Name, Template: client.BroadcastTemplate{Name: cmd.Template, Language: cmd.Language}, PerSecond: cmd.PerSecond, ScheduledAt: cmd.At,
	}
	if cmd.TimeZone != "" {
		n.TimeZone = &cmd.TimeZone
	}
	if len(cmd.Label) > 0 {
		n.Audience = &client.BroadcastAudience{LabelIDs: cmd.Label, Match: map[bool]string{true: "all", false: "any"}[cmd.All]}
	}
	if cmd.Everybody {
		n.Audience = &client.BroadcastAudience{Filter: &client.AudienceFilter{}}
	}
	parts, err := cmd.components(func(from string) (client.MediaContent, error) { return uploaded(c, api, cmd.From, from) })
	if err != nil || len(parts) == 0 {
		return n, err
	}
	n.Template.Components, err = json.Marshal(parts)
	return n, err
}

type broadcastAddCommand struct {
	broadcastFlags `embed:""`
	CSV            string `name:"csv" required:"" placeholder:"FILE" help:"A table of numbers; - reads it from the standard input."`
}

func (cmd *broadcastAddCommand) Run(c *console, api *client.Client) error {
	source, err := openTable(cmd.CSV)
	if err != nil {
		return err
	}
	defer source.Close()
	people, err := newTable(source)
	if err != nil {
		return err
	}
	b, err := api.GetBroadcast(c.ctx, cmd.From, cmd.ID)
	if err == nil {
		err = addTable(c, api, *b, cmd.CSV, people)
	}
	if err == nil {
		b, err = api.GetBroadcast(c.ctx, cmd.From, cmd.ID)
	}
	return cmd.print(c, b, err)
}

// addTable adds the recipients of a table to a broadcast.
func addTable(c *console, api *client.Client, b client.Broadcast, file string, people *table) error {
	for _, column := range people.want(b.Template.Components) {
		fmt.Fprintf(c.stderr, "%s has no column %q, which the message wants: its fallback stands there, and without one people are skipped\n", file, column)
	}
	var added, duplicate, invalid int
	err := people.each(maxRecipients, func(page []client.NewRecipient) error {
		n, err := api.AddBroadcastRecipients(c.ctx, b.PhoneNumberID, b.ID, page)
		if err == nil {
			added, duplicate, invalid = added+n.Added, duplicate+n.Duplicate, invalid+n.Invalid
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w\nso far %d recipients of %s were added to %s, a draft; \"parley broadcast add\" goes on, those that are there count once", err, added, file, b.ID)
	}
	fmt.Fprintf(c.stderr, "%d recipients added, %d duplicate, %d invalid\n", added, duplicate, invalid)
	return nil
}
