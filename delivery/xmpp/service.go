package xmpp

import (
	"context"
	"maps"
	"strconv"
	"sync"
	"time"

	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

const (
	maxServed = 16 // requests of others that are answered at a time
	// flightTimeout bounds a request that is answered only once the messages under way are done.
	flightTimeout = 40 * time.Second
)

// ledger is what a node knows to be sent and has granted. Its methods do not wait.
type ledger interface {
	// page is share.State.Page.
	page(after uint64, most int) (keys []share.Key, last uint64)
	// grantTo is share.State.Claim for another node.
	grantTo(other, address string, keys []share.Key) (granted []int, wait bool)
}

// service answers the requests of other nodes.
type service struct {
	write      func(stanza *stream.Element) error
	ledger     ledger
	followings followings
	flights    *flights
	slots      chan struct{}
}

func newService(write func(stanza *stream.Element) error, l ledger, f followings, under *flights) *service {
	return &service{write, l, f, under, make(chan struct{}, maxServed)}
}

// onRequest answers a request of another node. What needs time is done beside it, until ctx is done.
func (s *service) onRequest(ctx context.Context, e *stream.Element, other string, asked *stream.Element) {
	switch kind := e.Get("type") + " " + asked.Local; kind {
	case "get claim":
		s.reply(e, s.grant(other, asked))
	case "get seen", "get followings", "set followings":
		select {
		case s.slots <- struct{}{}:
		default:
			s.refuse(e, "wait", "resource-constraint")
			return
		}
		go func() {
			defer func() { <-s.slots }()
			ctx, cancel := context.WithTimeout(ctx, flightTimeout)
			defer cancel()
			s.serve(ctx, e, asked, kind)
		}()
	default:
		s.refuse(e, "cancel", "feature-not-implemented")
	}
}

func (s *service) serve(ctx context.Context, e, asked *stream.Element, kind string) {
	switch kind {
	case "get seen":
		after, err := strconv.ParseUint(asked.Get("after"), 10, 64)
		if err != nil {
			s.refuse(e, "modify", "bad-request")
			return
		}
		if after == 0 {
			s.flights.land(ctx)
		}
		s.reply(e, seenElement(s.ledger.page(after, seenPage)))
	case "get followings":
		answer, err := s.followings.page(ctx, asked)
		if err != nil {
			s.refuse(e, "wait", "internal-server-error")
			return
		}
		s.reply(e, answer)
	case "set followings":
		if err := s.followings.merge(ctx, asked); err != nil {
			s.refuse(e, "wait", "internal-server-error")
			return
		}
		s.reply(e, nil)
	}
}

// grant answers what another node asks about parts of a message.
func (s *service) grant(other string, asked *stream.Element) *stream.Element {
	address, parts := asked.Get("address"), readParts(asked.Text)
	if bare, err := stream.Bare(address); err != nil || bare != address || len(parts) == 0 {
		return claimElement(address, stateWait, nil)
	}
	granted, wait := s.ledger.grantTo(other, address, keysOf(address, parts))
	switch {
	case wait:
		return claimElement(address, stateWait, nil)
	case len(granted) == 0:
		return claimElement(address, stateSent, nil)
	}
	names := make([]string, len(granted))
	for i, at := range granted {
		names[i] = parts[at]
	}
	return claimElement(address, stateYours, names)
}

func (s *service) reply(e, content *stream.Element) {
	_ = s.write(stream.New("", "iq", "type", "result", "to", e.Get("from"), "id", e.Get("id")).With(content))
}

func (s *service) refuse(e *stream.Element, kind, condition string) {
	_ = s.write(stream.New("", "iq", "type", "error", "to", e.Get("from"), "id", e.Get("id")).
		With(stream.New("", "error", "type", kind).With(stream.New(stream.Stanzas, condition))))
}

// flights are the messages that this node is sending, or asks another node whether to send. The zero value has none.
// Its methods may be called by many goroutines at once.
type flights struct {
	mu    sync.Mutex
	under map[chan struct{}]bool
}

// begin notes a message, and returns what is called when it is sent, or is not.
func (f *flights) begin() (landed func()) {
	done := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.under == nil {
		f.under = make(map[chan struct{}]bool)
	}
	f.under[done] = true
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.under, done)
		close(done)
	}
}

// land waits until all that is being sent now is over, or ctx is done.
func (f *flights) land(ctx context.Context) {
	f.mu.Lock()
	under := maps.Clone(f.under)
	f.mu.Unlock()
	for done := range under {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}
