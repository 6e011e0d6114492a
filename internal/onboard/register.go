package onboard

import (
	"context"
	"log/slog"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// needsRegistration reports whether a number must be registered before it can send. One that stays in the phone app
// must not be.
func needsRegistration(number provider.PhoneNumber) bool {
	return number.Standing() == chat.AccountOnboarding && !number.OnBusinessApp
}

// register registers a number and returns its state after that. A failure is not fatal, because a number may have a
// PIN of its own: it is connected, and can be registered through the API.
func register(ctx context.Context, p provider.Signup, n provider.Number, number provider.PhoneNumber, pin string, log *slog.Logger) provider.PhoneNumber {
	if err := p.Register(ctx, n, pin); err != nil {
		log.Warn("the number could not be registered; register it through the API", "phone_number_id", n.PhoneNumberID, "error", err)
	}
	now, err := p.PhoneNumber(ctx, n)
	if err != nil || now.ID == "" {
		return number
	}
	return now
}
