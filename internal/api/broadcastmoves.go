package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerBroadcastMoves(a *API) {
	for _, m := range []struct {
		move                 chat.BroadcastMove
		summary, description string
		do                   func(*store.Tx, chat.Account, string) (chat.Broadcast, error)
	}{
		{chat.MoveStart, "Start a broadcast", "Whoever has the labels of its audience becomes a recipient. Messages follow at its pace.", core.StartBroadcast},
		{chat.MovePause, "Pause a broadcast", "No message goes out any more, within a second.", pauseByUser},
		{chat.MoveResume, "Go on with a broadcast", "After a pause, whoever made it.", core.ResumeBroadcast},
		{chat.MoveStop, "Stop a broadcast for good", "Who waits is skipped, with the reason `broadcast_stopped`.", core.StopBroadcast},
	} {
		op := rest.Operation{
			Method: http.MethodPost, Path: broadcastPath + "/{id}/" + string(m.move), ID: string(m.move) + "Broadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
			Summary: m.summary, Description: m.description + " A state that does not allow it is 409 `broadcast_state_conflict`.",
			Errors: []chat.Code{chat.CodeBroadcastState}, InPath: broadcastInPath,
		}
		ask := func(*rest.Call, *rest.NumberByID[rest.BroadcastID]) error { return nil }
		if m.move == chat.MoveStart || m.move == chat.MoveResume {
			ask = a.askFor(m.move)
			op.Description, op.Errors = op.Description+refusedToGoOn, refusalsToGoOn
		}
		rest.WriteAfter(a.shared, op, ask, func(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (BroadcastView, error) {
			b, err := m.do(tx, c.Account, string(in.ID))
			return showBroadcast(tx.Reader, c, b, err)
		})
	}
	rest.InStepsAfter(a.shared, rest.Operation{
		Method: http.MethodPost, Path: broadcastPath + "/{id}/retry", ID: "retryBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Send again to those whose message failed",
		Description: "And to those who were skipped because the customer was suspended meanwhile. Each gets a new message, as a recipient with a new id. A state that does not allow it is 409 `broadcast_state_conflict`." +
			refusedToGoOn,
		Errors: refusalsToGoOn, InPath: broadcastInPath,
	}, a.askFor(chat.MoveRetry), func(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID], limit int) (int64, error) {
		return core.RetrySome(tx, c.Account, string(in.ID), limit)
	}, func(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (BroadcastView, error) {
		b, err := core.RetryBroadcast(tx, c.Account, string(in.ID))
		return showBroadcast(tx.Reader, c, b, err)
	})
	rest.Flow(a.shared, rest.Operation{
		Method: http.MethodPost, Path: broadcastPath + "/{id}/duplicate", ID: "duplicateBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Make a draft like a broadcast", Status: http.StatusCreated, InPath: broadcastInPath, Errors: []chat.Code{chat.CodeBroadcastState},
		Description: "With its template, its labels and the recipients that were named; those who came by labels are looked up anew at the start.",
	}, a.duplicateBroadcast)
	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPost, Path: broadcastPath + "/{id}/test", ID: "testBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary:     "Send a broadcast's message to one number, as a test",
		Description: "Filled in as for its first recipient. It is an ordinary message, and no recipient of the broadcast.",
		InPath:      broadcastInPath,
		Errors: []chat.Code{
			chat.CodeInvalidPhoneNumber, chat.CodeNumberNotVerified, chat.CodeUpstreamError, chat.CodeAccountRestricted, chat.CodeCustomerSuspended,
			chat.CodeQuotaExceeded, chat.CodeInvalidTemplateName, chat.CodeMediaNotFound, chat.CodeMarketingOptedOut, chat.CodeConsentRequired,
		},
	}, prepareTest, a.testBroadcast)
}

const refusedToGoOn = " It is also refused, with what to do, while it would pause at once: the number is rated RED, its template is not approved " +
	"(409 as well), the number or the plan cannot send, or a file of its header is gone."

var refusalsToGoOn = []chat.Code{
	chat.CodeBroadcastState, chat.CodeInvalidTemplateName, chat.CodeNumberNotVerified, chat.CodeUpstreamError, chat.CodeAccountRestricted,
	chat.CodeCustomerSuspended, chat.CodeQuotaExceeded, chat.CodeMediaNotFound,
}

// ratingPatience is how long a move waits for the provider to rate the number.
const ratingPatience = 3 * time.Second

// askFor asks whether a broadcast could go on. A rating of RED is read anew: news of a better one may have been lost.
func (a *API) askFor(move chat.BroadcastMove) func(*rest.Call, *rest.NumberByID[rest.BroadcastID]) error {
	return func(c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) error {
		if err := c.FindAccount(c.Read()); err != nil {
			return err
		}
		if deref(c.Account.Quality) == "RED" && c.Account.CheckConnected() == nil {
			ctx, cancel := context.WithTimeout(c.Ctx, ratingPatience)
			defer cancel()
			_ = a.numbers.Rate(ctx, c.Account) // without an answer, the last one counts
		}
		return core.CheckGoOn(c.Read(), c.Account, string(in.ID), move, a.store.Now())
	}
}

func pauseByUser(tx *store.Tx, account chat.Account, id string) (chat.Broadcast, error) {
	return core.PauseBroadcast(tx, account, id, chat.ReasonByUser)
}

// duplicateBroadcast copies the recipients in steps, because there may be many. A copy that is cut off is removed, here or by
// housekeeping: it would look like a whole one, and the caller, who got an error, duplicates again.
func (a *API) duplicateBroadcast(c *rest.Call, in *rest.NumberByID[rest.BroadcastID]) (BroadcastView, error) {
	var draft chat.Broadcast
	err := a.store.InTx(c.Ctx, func(tx *store.Tx) (err error) {
		draft, err = core.CopyBroadcast(tx, c.Account, string(in.ID))
		return err
	})
	if err != nil {
		return BroadcastView{}, err
	}
	if err = copyRecipients(c, string(in.ID), draft.ID); err == nil {
		err = a.store.InTx(c.Ctx, func(tx *store.Tx) (err error) {
			draft, err = core.FinishCopy(tx, c.Account, string(in.ID), draft.ID)
			return err
		})
	}
	if err != nil {
		return BroadcastView{}, errors.Join(err, a.discardCopy(c, draft.ID))
	}
	return showBroadcast(c.Read(), c, draft, nil)
}

func copyRecipients(c *rest.Call, from, to string) (err error) {
	step, last := c.Steps(), ""
	for more := true; more && err == nil; {
		_, err = step(func(tx *store.Tx, limit int) (int64, error) {
			next, err := core.CopyRecipients(tx, c.Account, from, to, last, limit)
			if more = next != ""; more {
				tx.AfterCommit(func() { last = next })
			}
			return 0, err
		})
	}
	return err
}

// discardCopy removes a draft, even if the client is gone.
func (a *API) discardCopy(c *rest.Call, id string) error {
	ctx, cancel := c.Patient(time.Minute)
	defer cancel()
	var err error
	for steps, more := a.store.Steps().Brisk(), true; more && err == nil; {
		_, more, err = steps.Do(ctx, func(tx *store.Tx, limit int) (int64, error) { return core.RemoveCopy(tx, c.Account, id, limit) })
	}
	return err
}

type testBroadcastBody struct {
	To string `json:"to" format:"phone-number" doc:"Number in international form, with or without +."`

	message core.NewMessage
}

func prepareTest(c *rest.Call, in *rest.NumberSentTo[rest.BroadcastID, testBroadcastBody]) error {
	to, err := chat.CleanPhoneNumber("to", in.Body.To)
	if err != nil {
		return err
	}
	if err := c.FindAccount(c.Read()); err != nil {
		return err
	}
	if in.Body.message, err = core.TestMessage(c.Read(), c.Account, string(in.ID), to); err != nil {
		return err
	}
	in.Body.message.Source, in.Body.message.By = chat.SourceAPI, c.Caller.User
	if in.Body.message.By != nil {
		in.Body.message.Source = chat.SourceDashboard
	}
	return nil
}

func (a *API) testBroadcast(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.BroadcastID, testBroadcastBody]) (MessageView, error) {
	return a.send(tx, c, in.Body.message)
}
