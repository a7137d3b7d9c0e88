package queries

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// keys are which publishers' keys may push which feeds, of feeds that this node does not have. Anybody can make a key,
// and say that it is a feed's. So the first item by a key that a query selects waits until the node has read once which
// key the feed itself names. The nodes with queries that select the item spread their requests over a time, and do not
// soon repeat them. Each asks a feed's server about once in namedFor.
type keys struct {
	host Host
	log  *slog.Logger
	read chan struct{} // holds one for each feed that is being read

	running sync.WaitGroup

	mu      sync.Mutex
	known   map[claim]answer
	order   []claim // as they were noted, the oldest first
	waiting map[claim][]Event
	bytes   int // of what waits
}

// claim is that a feed is pushed with a key.
type claim struct{ channel, fingerprint string }

// answer is what its feed has said to a claim, and until when that holds.
type answer struct {
	named bool
	until time.Time
}

const (
	namedFor   = 7 * 24 * time.Hour // it holds that a feed names a key
	unnamedFor = time.Hour          // and that it does not, or could not be read: a key may have been replaced just now
	readWithin = time.Minute        // a feed's server is waited for

	maxKeys         = 4096     // with remembered answers
	maxClaims       = 64       // that wait for an answer
	maxClaimed      = 64       // items that wait for one answer; the oldest goes
	maxClaimedBytes = 16 << 20 // of all items that wait
	maxReads        = 4        // feeds that are read at a time
)

func newKeys(host Host, log *slog.Logger) *keys {
	return &keys{host: host, log: log, read: make(chan struct{}, maxReads), known: make(map[claim]answer),
		waiting: make(map[claim][]Event)}
}

// named reports whether an event's feed names the key that has signed it. If that is to be found out, the event
// waits, and is given to again when it has been. It does not wait for that.
func (k *keys) named(ctx context.Context, e *Event, again func(Event)) bool {
	c := claim{e.Channel, e.Signed}
	k.mu.Lock()
	defer k.mu.Unlock()
	if a, known := k.known[c]; known && time.Now().Before(a.until) {
		return a.named
	}
	events, asked := k.waiting[c]
	if !asked && len(k.waiting) >= maxClaims || k.bytes+len(e.Payload) > maxClaimedBytes {
		k.log.Warn("more pushed items wait for what their feeds say of them than there is room for; one was given up",
			"channel", e.Channel)
		return false
	}
	if len(events) >= maxClaimed {
		k.bytes -= len(events[0].Payload)
		events = events[1:]
	}
	k.waiting[c] = append(events, *e)
	k.bytes += len(e.Payload)
	if !asked {
		k.running.Go(func() { k.ask(ctx, c, again) })
	}
	return false
}

// ask finds out whether a feed names a key.
func (k *keys) ask(ctx context.Context, c claim, again func(Event)) {
	a := answer{until: time.Now().Add(unnamedFor)}
	if k.awaitTurn(ctx) {
		within, end := context.WithTimeout(ctx, readWithin)
		named, err := k.host.Names(within, c.channel, c.fingerprint)
		end()
		<-k.read
		switch {
		case err != nil:
			k.log.Info("a pushed item is not shown in queries: its feed cannot be asked for the publisher's key",
				"channel", c.channel, "error", err)
		case !named:
			k.log.Warn("a pushed item is not shown in queries: its feed does not name the key that has signed it",
				"channel", c.channel, "signed_by", c.fingerprint)
		default:
			a = answer{true, time.Now().Add(namedFor)}
		}
	}
	for _, e := range k.note(c, a) {
		if a.named {
			again(e)
		}
	}
}

// awaitTurn waits until this node may ask a feed's server. It reports whether that came before ctx ended.
func (k *keys) awaitTurn(ctx context.Context) bool {
	pause := time.Duration(0)
	if spread := k.host.Spread(ctx); spread > 0 {
		pause = rand.N(spread)
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return false
	}
	select {
	case k.read <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// note remembers an answer, and returns what has waited for it.
func (k *keys) note(c claim, a answer) []Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.known[c]; !known {
		if len(k.order) >= maxKeys {
			delete(k.known, k.order[0])
			k.order = k.order[1:]
		}
		k.order = append(k.order, c)
	}
	k.known[c] = a
	events := k.waiting[c]
	delete(k.waiting, c)
	for i := range events {
		k.bytes -= len(events[i].Payload)
	}
	return events
}
