package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tidings/cmd/cli"
	"tidings/network"
	"tidings/network/honeycomb"
)

// span is a duration of a flag.
type span = cli.Span

// policy is what polling together is to achieve.
type policy struct{ honeycomb.Policy }

// UnmarshalText reads a policy such as "fast:30s".
func (p *policy) UnmarshalText(text []byte) (err error) {
	if p.Policy, err = honeycomb.ParsePolicy(string(text)); err == nil && p.Policy.Goal == honeycomb.Legacy {
		err = errors.New("policy \"legacy\" is for comparison in experiments alone; to check alone, use --no-network")
	}
	return err
}

// routerName is a router that a node can be set to use.
type routerName struct{ network.RouterName }

// UnmarshalText reads a router's name.
func (r *routerName) UnmarshalText(text []byte) (err error) {
	r.RouterName, err = network.ParseRouter(string(text))
	return err
}

// moment is a time of a flag: a span before now, a date, or RFC 3339.
type moment struct{ time.Time }

// UnmarshalText reads a moment. Spans count back from the time of the call.
func (m *moment) UnmarshalText(text []byte) error {
	given := string(text)
	if d, err := cli.ParseSpan(given); err == nil {
		m.Time = time.Now().Add(-d)
		return nil
	}
	if t, err := time.Parse(time.RFC3339, given); err == nil {
		m.Time = t
		return nil
	}
	t, err := time.ParseInLocation(time.DateOnly, given, time.Local)
	if err != nil {
		return fmt.Errorf("%q is no time such as 2h, 2d, 2006-01-02 or 2006-01-02T15:04:05Z", given)
	}
	m.Time = t
	return nil
}

// size is a number of bytes of a flag: 65536, 64KiB, 5MiB, 1GiB.
type size int64

// Decode reads a size.
func (s *size) Decode(ctx *kong.DecodeContext) error {
	text, err := cli.Pop(ctx)
	if err != nil {
		return err
	}
	*s, err = parseSize(text)
	return err
}

func parseSize(text string) (size, error) {
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if before, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = strings.TrimSpace(before), 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > 1<<33 {
		return 0, fmt.Errorf("%q is no size such as 65536, 64KiB or 5MiB", text)
	}
	return size(n << shift), nil
}

// level is how much is logged.
type level slog.Level

// UnmarshalText reads debug, info, warn or error, and slog's steps between, such as info+2.
func (l *level) UnmarshalText(text []byte) error {
	if err := (*slog.Level)(l).UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is none of debug, info, warn, error", text)
	}
	return nil
}

// address is that of a channel, or of what may become one. The node says what is wrong
// with it, unless it is nothing at all.
type address string

// UnmarshalText reads an address.
func (a *address) UnmarshalText(text []byte) error {
	if *a = address(strings.TrimSpace(string(text))); *a == "" {
		return errors.New("the address is empty")
	}
	return nil
}

// prefix is an address or a network of addresses.
type prefix netip.Prefix

// UnmarshalText reads "192.0.2.1" or "192.0.2.0/24".
func (p *prefix) UnmarshalText(text []byte) error {
	if addr, err := netip.ParseAddr(string(text)); err == nil {
		*p = prefix(netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	network, err := netip.ParsePrefix(string(text))
	if err != nil {
		return fmt.Errorf("%q is no address or network such as 192.0.2.1 or 192.0.2.0/24", text)
	}
	*p = prefix(network)
	return nil
}
