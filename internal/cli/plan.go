package cli

import (
	"errors"
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

type planCommands struct {
	List   planListCommand   `cmd:"" help:"List the plans."`
	Create planCreateCommand `cmd:"" help:"Make a new plan."`
	Set    planSetCommand    `cmd:"" help:"Change a plan. What is not given stays as it is."`
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

// planFlags are the limits of a plan.
type planFlags struct {
	API             *bool  `name:"api" help:"May use the API; --api=false takes it away."`
	Customers       *bool  `help:"May have end-customers who connect their own numbers; --customers=false takes it away."`
	MonthlyMessages *int64 `placeholder:"N" help:"Messages a month; -1 for no limit."`
	RetentionDays   *int64 `placeholder:"N" help:"Days that messages are kept; -1 for ever."`
	WritePerMinute  *int64 `placeholder:"N" help:"POST, PUT, PATCH and DELETE requests a minute."`
	ReadPerMinute   *int64 `placeholder:"N" help:"GET and HEAD requests a minute."`
	storeFlags
}

func (f planFlags) patch() core.PlanPatch {
	return core.PlanPatch{
		API: f.API, Customers: f.Customers, MonthlyMessages: f.MonthlyMessages,
		RetentionDays: f.RetentionDays, WritePerMinute: f.WritePerMinute, ReadPerMinute: f.ReadPerMinute,
	}
}

// put changes a plan and prints it.
func (f planFlags) put(c *console, name string, do func(*store.Tx, string, core.PlanPatch) (chat.Plan, error)) error {
	var plan chat.Plan
	err := f.change(c, func(tx *store.Tx) (err error) {
		plan, err = do(tx, name, f.patch())
		return err
	})
	if err != nil {
		return err
	}
	return f.printOne(c.stdout, planRecord(plan))
}

type planCreateCommand struct {
	Name string `arg:"" help:"The new plan's name."`
	planFlags
}

func (cmd *planCreateCommand) Run(c *console) error { return cmd.put(c, cmd.Name, core.CreatePlan) }

type planSetCommand struct {
	Name string `arg:"" help:"The plan's name."`
	planFlags
}

// Validate is called by kong.
func (cmd *planSetCommand) Validate() error {
	if cmd.Name != "" && cmd.patch() == (core.PlanPatch{}) {
		return errors.New("nothing to change: give --api, --customers, --monthly-messages, --retention-days, --write-per-minute or --read-per-minute")
	}
	return nil
}

func (cmd *planSetCommand) Run(c *console) error {
	err := cmd.put(c, cmd.Name, core.SetPlan)
	if code, _ := chat.CodeOf(err); code == chat.CodeResourceNotFound {
		return fmt.Errorf("%w; \"parley plan create\" makes a new one", pointTo(err, "parley plan list"))
	}
	return err
}
