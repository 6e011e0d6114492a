package cli

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type planCommands struct {
	List planListCommand `cmd:"" help:"List the plans."`
	Set  planSetCommand  `cmd:"" help:"Change a plan, or make a new one. What is not given stays as it is."`
}

func planRecord(p chat.Plan) record {
	return record{
		{"name", p.Name}, {"api", p.API}, {"customers", p.Customers},
		{"monthly_messages", numberOrNil(p.MonthlyMessages)}, {"retention_days", numberOrNil(p.RetentionDays)},
		{"write_per_minute", p.WritePerMinute}, {"read_per_minute", p.ReadPerMinute},
	}
}

type planListCommand struct{ storeFlags }

func (cmd *planListCommand) Run(c *console) error {
	return cmd.look(c, func(r store.Reader) error {
		plans, err := r.Plans()
		if err != nil {
			return err
		}
		var rows []record
		for _, p := range plans {
			rows = append(rows, planRecord(p))
		}
		return cmd.printAll(c.stdout, rows, names(planRecord(chat.Plan{}))...)
	})
}

type planSetCommand struct {
	Name            string `arg:"" help:"The plan's name."`
	API             *bool  `name:"api" help:"May use the API; --api=false takes it away."`
	Customers       *bool  `help:"May have end-customers who connect their own numbers; --customers=false takes it away."`
	MonthlyMessages *int64 `placeholder:"N" help:"Messages a month; -1 for no limit."`
	RetentionDays   *int64 `placeholder:"N" help:"Days that messages are kept; -1 for ever."`
	WritePerMinute  *int64 `placeholder:"N" help:"POST, PUT, PATCH and DELETE requests a minute."`
	ReadPerMinute   *int64 `placeholder:"N" help:"GET and HEAD requests a minute."`
	storeFlags
}

// Validate is called by kong. A plan is not made by its name alone: that is more likely a typo.
func (cmd *planSetCommand) Validate() error {
	if cmd.Name != "" && cmd.API == nil && cmd.Customers == nil && cmd.MonthlyMessages == nil &&
		cmd.RetentionDays == nil && cmd.WritePerMinute == nil && cmd.ReadPerMinute == nil {
		return errors.New("nothing to change: give --api, --customers, --monthly-messages, --retention-days, --write-per-minute or --read-per-minute")
	}
	return nil
}

func (cmd *planSetCommand) Run(c *console) error {
	var plan chat.Plan
	err := cmd.change(c, func(tx *store.Tx) (err error) {
		plan, err = core.SetPlan(tx, cmd.Name, core.PlanPatch{
			API: cmd.API, Customers: cmd.Customers, MonthlyMessages: cmd.MonthlyMessages,
			RetentionDays: cmd.RetentionDays, WritePerMinute: cmd.WritePerMinute, ReadPerMinute: cmd.ReadPerMinute,
		})
		return err
	})
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, planRecord(plan))
}
