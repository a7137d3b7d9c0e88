package queries

import (
	"sync"
	"time"
)

// Event is an event for the nodes with queries that may select it. It is a new version of a public feed, an item that
// its publisher has pushed, or one that a node has sent to a zone.
type Event struct {
	Channel string // URL: of the feed, or of the zone's channel
	// of the feed, the network's number of it; of an item sent to a zone, a later one for what its sender has sent
	// later
	Version     uint64
	Hash        [32]byte // of the feed's content
	Payload     []byte   // a changeset
	FoundBy     string   // ID of the node that found it, or sent it
	ConfirmedBy []string // IDs of nodes that have seen it as well
	Found       time.Time
	Changed     time.Time // when the origin changed; zero: unknown
	// fingerprint of the key of the sender or publisher, which has signed the payload; empty: it is polled, and its
	// items prove themselves
	Signed string
	// its feed's publisher has signed it, if the feed names the key; Version is then the item's number
	Pushed bool
}

// Bounds of what waits to be matched. Beyond, the oldest goes.
const (
	maxEvents     = 256
	maxEventBytes = 32 << 20 // of payloads
)

// events wait to be matched.
type events struct {
	come chan struct{} // holds one when there is something

	mu      sync.Mutex
	waiting []Event
	bytes   int
	lost    int // since the last time that was asked
}

func newEvents() events { return events{come: make(chan struct{}, 1)} }

func (e *events) add(event Event) {
	e.mu.Lock()
	e.waiting = append(e.waiting, event)
	e.bytes += len(event.Payload)
	for len(e.waiting) > maxEvents || e.bytes > maxEventBytes && len(e.waiting) > 1 {
		e.drop()
		e.lost++
	}
	e.mu.Unlock()
	select {
	case e.come <- struct{}{}:
	default:
	}
}

// drop removes the first. The caller holds e.mu.
func (e *events) drop() Event {
	first := e.waiting[0]
	e.waiting[0] = Event{}
	e.waiting = e.waiting[1:]
	e.bytes -= len(first.Payload)
	return first
}

func (e *events) next() (Event, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		e.waiting = nil
		return Event{}, false
	}
	return e.drop(), true
}

// dropped returns how many events were given up since it was called last.
func (e *events) dropped() (lost int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	lost, e.lost = e.lost, 0
	return lost
}
