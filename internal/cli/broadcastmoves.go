package cli

import (
	"fmt"

	"github.com/parleyhq/parley/client"
)

// broadcastFlags name a broadcast.
type broadcastFlags struct {
	ID       string `arg:"" help:"The broadcast (bct_…)."`
	apiFlags `embed:""`
}

// print prints the broadcast that a call returned.
func (f *broadcastFlags) print(c *console, b *client.Broadcast, err error) error {
	if err != nil {
		return f.explain(err)
	}
	return f.output().printOne(c.stdout, broadcastRecord(*b))
}

type (
	broadcastShowCommand      struct{ broadcastFlags }
	broadcastStartCommand     struct{ broadcastFlags }
	broadcastPauseCommand     struct{ broadcastFlags }
	broadcastResumeCommand    struct{ broadcastFlags }
	broadcastStopCommand      struct{ broadcastFlags }
	broadcastRetryCommand     struct{ broadcastFlags }
	broadcastDuplicateCommand struct{ broadcastFlags }
)

func (cmd *broadcastShowCommand) Run(c *console, api *client.Client) error {
	b, err := api.GetBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastStartCommand) Run(c *console, api *client.Client) error {
	b, err := api.StartBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastPauseCommand) Run(c *console, api *client.Client) error {
	b, err := api.PauseBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastResumeCommand) Run(c *console, api *client.Client) error {
	b, err := api.ResumeBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastStopCommand) Run(c *console, api *client.Client) error {
	b, err := api.StopBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastRetryCommand) Run(c *console, api *client.Client) error {
	b, err := api.RetryBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

func (cmd *broadcastDuplicateCommand) Run(c *console, api *client.Client) error {
	b, err := api.DuplicateBroadcast(c.ctx, cmd.From, cmd.ID)
	return cmd.print(c, b, err)
}

type broadcastPreviewCommand struct{ broadcastFlags }

func (cmd *broadcastPreviewCommand) Run(c *console, api *client.Client) error {
	p, err := api.PreviewBroadcast(c.ctx, cmd.From, cmd.ID)
	if err != nil {
		return cmd.explain(err)
	}
	out := record{{"total", p.Total}, {"sendable", p.Sendable}, {"daily_limit", numberOrNil(p.DailyLimit)}, {"exceeds_daily_limit", p.ExceedsLimit}}
	for _, s := range p.Skipped {
		out = append(out, field{"skipped_" + s.Reason, s.Count})
	}
	if p.Unchecked > 0 {
		out = append(out, field{"unchecked", p.Unchecked})
	}
	for i, s := range p.Samples {
		shown := ""
		if s.Preview != nil {
			shown = s.Preview.Body
		} else if s.Reason != nil {
			shown = "(" + *s.Reason + ")"
		}
		out = append(out, field{fmt.Sprint("sample_", i+1), s.To + ": " + shown})
	}
	return cmd.output().printOne(c.stdout, out)
}

type broadcastTestCommand struct {
	broadcastFlags `embed:""`
	To             string `required:"" placeholder:"NUMBER" help:"The number that gets it."`
}

func (cmd *broadcastTestCommand) Run(c *console, api *client.Client) error {
	m, err := api.TestBroadcast(c.ctx, cmd.From, cmd.ID, cmd.To)
	if err != nil {
		return cmd.explain(err)
	}
	return cmd.output().printOne(c.stdout, record{{"id", m.ID}, {"status", string(m.Status)}, {"to", textOrNil(m.To)}})
}

type broadcastReportCommand struct{ broadcastFlags }

func (cmd *broadcastReportCommand) Run(c *console, api *client.Client) error {
	r, err := api.GetBroadcastReport(c.ctx, cmd.From, cmd.ID)
	if err != nil {
		return cmd.explain(err)
	}
	n := r.Counts
	out := record{
		{"total", n.Total}, {"skipped", n.Skipped}, {"waiting", n.Waiting}, {"sent", n.Sent}, {"delivered", n.Delivered}, {"read", n.Read},
		{"replied", n.Replied}, {"clicked", n.Clicked}, {"opted_out", n.OptedOut}, {"failed", n.Failed},
	}
	for _, s := range r.Skipped {
		out = append(out, field{"skipped_" + s.Reason, s.Count})
	}
	for _, s := range r.Failed {
		out = append(out, field{"failed_" + s.Reason, s.Count})
	}
	for _, s := range r.Clicked {
		out = append(out, field{"clicked_" + s.Button, s.Count})
	}
	return cmd.output().printOne(c.stdout, out)
}

type broadcastExportCommand struct {
	broadcastFlags `embed:""`
	Status         string `placeholder:"STATUS" help:"Only those: waiting, skipped, sent or failed."`
	LeftOut        bool   `help:"Instead, of a broadcast that has not begun, those who would get no message, and why."`
}

func (cmd *broadcastExportCommand) Run(c *console, api *client.Client) error {
	if cmd.LeftOut {
		if err := api.ExportBroadcastLeftOut(c.ctx, cmd.From, cmd.ID, c.stdout); err != nil {
			return cmd.explain(err)
		}
		return nil
	}
	if err := api.ExportBroadcastRecipients(c.ctx, cmd.From, cmd.ID, client.RecipientFilter{Status: cmd.Status}, c.stdout); err != nil {
		return cmd.explain(err)
	}
	return nil
}
