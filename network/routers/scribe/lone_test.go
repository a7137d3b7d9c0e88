package scribe_test

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/scribe"
)

// note is an event of these tests: its number is its digest.
type note struct{ number uint64 }

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

// lone is a publisher. The test is its ring and its member. Three other nodes are the roots of everything.
type lone struct {
	*scribe.Node
	env   *enginetest.Env
	runs  int // of timers
	roots []engine.Peer
	far   bool // the ring is not sure of them
	over  int  // events that went over the ring
	asked []scribe.Ask
	old   map[uint64]bool // digests that the member admits no more
}

func (l *lone) Active() bool                                { return true }
func (l *lone) Owners(engine.ID, int) ([]engine.Peer, bool) { return l.roots, !l.far }
func (l *lone) Known() []engine.Peer                        { return l.roots }
func (l *lone) RTT(engine.ID) (time.Duration, bool)         { return 0, false }
func (l *lone) OnNeighbours(func())                         {}

func (l *lone) Route(_ engine.ID, m engine.Message) {
	switch m := m.(type) {
	case *scribe.Publish:
		l.over++
	case *scribe.Ask:
		l.asked = append(l.asked, *m)
	}
}

func (l *lone) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	digest = event.(*note).number
	return digest, 1, !l.old[digest]
}

func (l *lone) Deliver(engine.ID, engine.Message, engine.Peer) {}

// counting is an Env that counts how often timers run.
type counting struct {
	*enginetest.Env
	runs *int
}

func (c counting) After(d time.Duration, f func()) engine.Timer {
	return c.Env.After(d, func() {
		*c.runs++
		f()
	})
}

var loneTopic = engine.PrefixID("80")

func newLone() *lone {
	l := &lone{env: enginetest.NewEnv(enginetest.NewPeer("10")), old: make(map[uint64]bool)}
	for _, digits := range []string{"80", "81", "7f"} {
		l.roots = append(l.roots, enginetest.NewPeer(digits))
	}
	l.Node = scribe.New(counting{l.env, &l.runs}, l, l, scribe.Default())
	return l
}

// publish publishes so many events, and returns the numbers of those that were offered.
func (l *lone) publish(events uint64) []uint64 {
	for number := range events {
		l.Publish(loneTopic, &note{number + 1})
	}
	return l.offered()
}

// offered returns the numbers of the events that the roots were given since the last call, each once, ascending.
func (l *lone) offered() (numbers []uint64) {
	for _, s := range l.env.Sent() {
		if m, ok := s.Message.(*scribe.Publish); ok {
			numbers = append(numbers, m.Event.Payload.(*note).number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// receive makes all roots accept events.
func (l *lone) receive(numbers ...uint64) {
	for _, number := range numbers {
		for _, root := range l.roots {
			l.Receive(root, &scribe.Taken{Group: scribe.NameOf(loneTopic, loneTopic), Name: number})
		}
	}
}

// gaveUp returns how many events were given up since the last call.
func (l *lone) gaveUp() (events int) {
	for _, e := range l.env.Traced() {
		if _, ok := e.(scribe.RootTimedOut); ok {
			events++
		}
	}
	return events
}

func upTo(first, last uint64) (numbers []uint64) {
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}
