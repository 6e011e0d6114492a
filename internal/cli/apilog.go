package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

type logCommand struct {
	Request string     `arg:"" optional:"" help:"Only this request, by its id (req_…), which every answer has."`
	Org     orgID      `placeholder:"ORG" help:"The organization's id (org_…); not needed with the id of a request."`
	KeyID   string     `placeholder:"KEY" help:"Only calls with this key, by its id (key_…)."`
	Status  statuses   `placeholder:"STATUS" help:"Only answers like this: 404, 4xx, 5xx, or failed for all of 400 and above."`
	Code    string     `placeholder:"CODE" help:"Only this error code, like invalid_phone_number."`
	Path    string     `placeholder:"TEXT" help:"Only paths with this text in them."`
	After   *time.Time `placeholder:"TIME" help:"Only from this time on, like 2026-01-31T12:00:00Z."`
	Before  *time.Time `placeholder:"TIME" help:"Only before this time."`
	Limit   int64      `default:"20" placeholder:"N" help:"How many at most."`
	storeFlags
}

// statuses is a range of statuses, both ends included.
type statuses [2]int

// UnmarshalText reads 404, 4xx or failed.
func (s *statuses) UnmarshalText(raw []byte) error {
	word := string(raw)
	if class, found := strings.CutSuffix(strings.ToLower(word), "xx"); found {
		if n, err := strconv.Atoi(class); err == nil && n >= 1 && n <= 5 {
			*s = statuses{n * 100, n*100 + 99}
			return nil
		}
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 100 && n <= 599 {
		*s = statuses{n, n}
		return nil
	}
	if word == "failed" {
		*s = statuses{400, 599}
		return nil
	}
	return fmt.Errorf("%q is not a status; write one like 404, 4xx or failed", word)
}

func callRecord(call store.APICall) record {
	return record{
		{"request_id", call.RequestID}, {"at", instant(chat.TimeOf(call.RequestID))}, {"status", call.Status}, {"method", call.Method}, {"path", call.Path},
		{"ms", call.Latency.Milliseconds()}, {"key_id", call.KeyID}, {"ip", call.IP}, {"code", orNil(call.Code)}, {"param", orNil(call.Param)},
	}
}

// Help is shown above the flags.
func (*logCommand) Help() string {
	return "This reads the store, because the API has no operation for it: run it on the server's machine. In the dashboard it is under Developers."
}

// Validate is called by kong.
func (cmd *logCommand) Validate() error {
	if cmd.Request == "" && cmd.Org == "" {
		return errors.New("give --org, or the id of a request (req_…)")
	}
	return nil
}

func (cmd *logCommand) Run(c *console) error {
	if cmd.Org == "" {
		return cmd.look(c, func(r store.Reader) error { return cmd.anywhere(c, r) })
	}
	return cmd.lookInto(c, cmd.Org, func(r store.Reader) error {
		if cmd.Request != "" {
			return cmd.one(c, r)
		}
		filter := store.CallFilter{
			Statuses: cmd.Status, Path: cmd.Path, KeyID: cmd.KeyID, Code: cmd.Code, From: cmd.After, Until: cmd.Before,
		}
		rows, page := []record{}, store.Page{Limit: 100}
		for int64(len(rows)) < cmd.Limit {
			found, err := r.APICalls(string(cmd.Org), filter, page)
			if err != nil {
				return err
			}
			for _, call := range found.Rows[:min(int64(len(found.Rows)), cmd.Limit-int64(len(rows)))] {
				rows = append(rows, callRecord(call))
			}
			if page.After = found.Next; page.After == nil {
				break
			}
		}
		return cmd.printTable(c.stdout, rows, "request_id", "at", "status", "method", "path", "ms", "ip", "code", "param")
	})
}

// anywhere finds a request of any organization.
func (cmd *logCommand) anywhere(c *console, r store.Reader) error {
	orgs, err := r.Organizations()
	if err != nil {
		return err
	}
	for _, o := range orgs {
		cmd.Org = orgID(o.ID)
		if _, err = r.APICall(o.ID, cmd.Request); !errors.Is(err, store.ErrNotFound) {
			break
		}
	}
	return cmd.one(c, r)
}

func (cmd *logCommand) one(c *console, r store.Reader) error {
	call, err := r.APICall(string(cmd.Org), cmd.Request)
	if errors.Is(err, store.ErrNotFound) {
		return errors.New("there is no such request in the log: it is kept for a while only, and an organization sees its own")
	}
	if err != nil {
		return err
	}
	return cmd.printOne(c.stdout, append(callRecord(call), field{"message", orNil(call.Message)}, field{"made", orNil(call.Made)}))
}
