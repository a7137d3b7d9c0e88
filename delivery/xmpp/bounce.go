package xmpp

import (
	"fmt"
	"sync"
	"time"

	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/stream"
)

const (
	maxBounces = 1000           // addresses with a kept late error
	bounceAge  = 24 * time.Hour // how long such an error is kept
	doubtful   = 24 * time.Hour // how long a message is tried that might be accepted later
	laterTries = 10             // how often at least
)

// bounces are errors that came after the server had accepted a message, by address. The next message to the address
// learns of it.
type bounces struct {
	mu  sync.Mutex
	all map[string]bounce
}

type bounce struct {
	err *stream.StanzaError
	at  time.Time
}

// note keeps an error of an address.
func (b *bounces) note(address string, err *stream.StanzaError, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = make(map[string]bounce)
	}
	if len(b.all) >= maxBounces {
		for a, old := range b.all {
			if now.Sub(old.at) > bounceAge {
				delete(b.all, a)
			}
		}
	}
	if len(b.all) < maxBounces {
		b.all[address] = bounce{err, now}
	}
}

// remove returns the error that an address sent last, once; nil if there is none.
func (b *bounces) remove(address string, now time.Time) *stream.StanzaError {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, found := b.all[address]
	delete(b.all, address)
	if !found || now.Sub(last.at) > bounceAge {
		return nil
	}
	return last.err
}

// refusal says what an error means for an address. waited is how long the message has been tried, and how often.
func refusal(e *stream.StanzaError, waited time.Duration, attempt int) *outbox.Refusal {
	r := &outbox.Refusal{Err: e}
	switch e.Condition {
	case "gone", "item-not-found", "jid-malformed", "forbidden", "not-allowed", "not-authorized",
		"registration-required",
		"subscription-required":
		r.Gone = true
	case "bad-request", "feature-not-implemented", "policy-violation", "not-acceptable":
		r.Final = e.Type == "modify" || e.Condition == "bad-request"
		r.Gone = !r.Final && e.Type == "cancel"
	case "service-unavailable", "recipient-unavailable", "remote-server-not-found", "remote-server-timeout", "redirect":
		// Three cases answer alike: an address that is no more, one that is away while its server keeps nothing, and a
		// server that is down.
		if waited > doubtful && attempt > laterTries {
			r.Gone = true
			r.Err = fmt.Errorf("%w, for a day", e)
		}
	}
	return r
}
