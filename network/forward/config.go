package forward

import (
	"errors"
	"time"
)

// Config holds the times and bounds of forwarding. Start from Default.
type Config struct {
	// Hedge is how long a direct connection is waited for before introducers are asked. It is to outlast a dial that
	// succeeds: below that, more is sent twice. It is also how long the first rest of a peer is to which none forwards;
	// see Retry.
	Hedge time.Duration

	// Within is how long a route may need to open: the peer counts as up meanwhile. A node that has died is reported
	// down so much later where introducers have not noticed it.
	Within time.Duration

	// Stagger is how long one introducer has before the next is asked as well.
	Stagger time.Duration

	// Silence is how long nothing may have come from a peer before it is asked to answer, with the next message to it.
	// Answer is how long it waits for that.
	Silence, Answer time.Duration

	// Retry is the time until the next try of a direct connection with a peer that has a route. It doubles up to
	// RetryMax, as does the rest after which a route is looked for again, when something is sent to a peer to which
	// none forwarded.
	Retry, RetryMax time.Duration

	// Idle is how long a route is kept that nobody uses.
	Idle time.Duration

	MaxIntroduced int // peers whose introducers are remembered, at least; twice that at most
	MaxRoutes     int // peers to which there is a route, or was, or is to be
	MaxHeld       int // messages that wait for a route
	MaxPayload    int // bytes of a message that is forwarded; at most MaxPayload

	// Messages and Bytes are what is forwarded for a neighbour a second, and TotalBytes for all together. Names is how
	// many peers somebody may introduce a second, so that no crowd of names has the others' forgotten. Of all that,
	// there may be Burst times as much at once. Senders is for how many neighbours that is counted apart.
	Messages, Bytes, TotalBytes int
	Names                       int
	Burst                       int
	Senders                     int
}

// Default returns what an ordinary node at home uses. At most a quarter of a megabyte a second is forwarded.
func Default() Config {
	return Config{
		Hedge: time.Second, Within: 3 * time.Second, Stagger: 500 * time.Millisecond, Silence: 10 * time.Second,
		Answer: 3 * time.Second,
		Retry:  10 * time.Second, RetryMax: 10 * time.Minute, Idle: 10 * time.Minute,
		MaxIntroduced: 2048, MaxRoutes: 512, MaxHeld: 32, MaxPayload: MaxPayload,
		Messages: 100, Bytes: 32 << 10, TotalBytes: 256 << 10, Names: 50, Burst: 8, Senders: 512,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	switch {
	case min(c.Hedge, c.Within, c.Stagger, c.Silence, c.Answer, c.Retry, c.Idle) <= 0 || c.RetryMax < c.Retry:
		return errors.New("forward: a time that is not above zero, or RetryMax below Retry")
	case min(c.MaxIntroduced, c.MaxRoutes, c.MaxHeld, c.MaxPayload, c.Senders) < 1:
		return errors.New("forward: a bound below one")
	case min(c.Messages, c.Bytes, c.TotalBytes, c.Names, c.Burst) < 1:
		return errors.New("forward: nothing would be forwarded, or nobody introduced")
	case c.MaxPayload > MaxPayload:
		return errors.New("forward: a payload that does not fit into a message")
	}
	return nil
}
