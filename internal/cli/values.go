package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/chat"
)

// decoders parse the values of flags and arguments. kong's own ones say less about the mistake, and repeat
// values that may be passwords.
func decoders() []kong.Option {
	return []kong.Option{
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeText)),
		kong.KindMapper(reflect.Int64, kong.MapperFunc(decodeNumber)),
		kong.TypeMapper(reflect.TypeFor[*time.Time](), kong.MapperFunc(decodeTime)),
		kong.NamedMapper("list", kong.MapperFunc(decodeList)),
		kong.NamedMapper("cidr", kong.MapperFunc(decodePrefixes)),
	}
}

var errNoValue = errors.New("a value is missing; one that begins with a hyphen is written behind an equals sign")

func popText(ctx *kong.DecodeContext) (string, error) {
	if next := ctx.Scan.Peek(); !next.IsValue() && next.Value != "-" { // "-" is the standard input
		return "", errNoValue
	}
	return ctx.Scan.Pop().String(), nil
}

func decodeText(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := popText(ctx)
	target.SetString(text)
	return err
}

// decodeNumber also accepts a separate negative number, as in --retention-days -1.
func decodeNumber(ctx *kong.DecodeContext, target reflect.Value) error {
	next := ctx.Scan.Peek()
	n, err := strconv.ParseInt(next.String(), 10, 64)
	if err != nil && !next.IsValue() {
		return errNoValue
	}
	if err != nil {
		return fmt.Errorf("%q is not a whole number of at most 18 digits", next)
	}
	ctx.Scan.Pop()
	target.SetInt(n)
	return nil
}

func decodeTime(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := popText(ctx)
	if err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is not a time; write one like 2026-01-31T12:00:00Z", text)
	}
	target.Set(reflect.ValueOf(&t))
	return nil
}

// decodeList reads words separated by commas. A repeated flag adds to the list.
func decodeList(ctx *kong.DecodeContext, target reflect.Value) error {
	return eachPart(ctx, func(part string) error {
		target.Set(reflect.Append(target, reflect.ValueOf(part)))
		return nil
	})
}

func decodePrefixes(ctx *kong.DecodeContext, target reflect.Value) error {
	return eachPart(ctx, func(part string) error {
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			return fmt.Errorf("%q is not a range of addresses; write one like 10.0.0.0/8 or fd00::/8", part)
		}
		target.Set(reflect.Append(target, reflect.ValueOf(prefix.Masked())))
		return nil
	})
}

func eachPart(ctx *kong.DecodeContext, add func(string) error) error {
	text, err := popText(ctx)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		if err := add(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	return nil
}

// span is a duration on the command line, with days and weeks: 30d, 2w, 12h.
type span time.Duration

// UnmarshalText reads a span.
func (s *span) UnmarshalText(raw []byte) error {
	word := string(raw)
	d, err := time.ParseDuration(word)
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if count, found := strings.CutSuffix(word, unit); found {
			var n int
			n, err = strconv.Atoi(count)
			d = time.Duration(n) * length
			if n > 36_500 {
				err = errors.New("too long")
			}
		}
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a span of time; write one like 12h, 30d or 2w", word)
	}
	*s = span(d)
	return nil
}

// hours is a span in whole hours.
type hours int

// UnmarshalText reads hours.
func (h *hours) UnmarshalText(raw []byte) error {
	var s span
	if err := s.UnmarshalText(raw); err != nil {
		return err
	}
	*h = hours((time.Duration(s) + time.Hour - 1) / time.Hour)
	return nil
}

// orgID is an organization's id on the command line.
type orgID string

// Validate is called by kong.
func (id orgID) Validate() error {
	return checkID(chat.KindOrganization, string(id), "an organization's id", `"parley org list"`)
}

// someOrgID is an optional organization id on the command line.
type someOrgID string

// Validate is called by kong.
func (id someOrgID) Validate() error {
	if id == "" {
		return nil
	}
	return orgID(id).Validate()
}

// keyID is an API key's id on the command line.
type keyID string

// Validate is called by kong.
func (id keyID) Validate() error {
	if strings.HasPrefix(string(id), "svc_") { // not repeated: it is a secret
		return errors.New(`this is the key itself; give its id (key_…), which "parley key list --org ORG" shows`)
	}
	return checkID(chat.KindKey, string(id), "a key's id", `"parley key list --org ORG"`)
}

// teamID is an optional team id on the command line.
type teamID string

// Validate is called by kong.
func (id teamID) Validate() error {
	if id == "" {
		return nil
	}
	return checkID(chat.KindTeam, string(id), "a team's id", `"parley team list --org ORG"`)
}

func checkID(kind chat.Kind, id, what, where string) error {
	if kind.Valid(id) {
		return nil
	}
	return fmt.Errorf("%q is not %s (%s_…); %s shows them", id, what, kind, where)
}
