package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Latest checks at the end, when all is healed, that each live subscriber has the latest version of its topics. The
// latest is the highest that was published.
type Latest struct {
	// Late says that a node that subscribed after the latest version was published is owed it too,
	// as subscribers of channels are.
	Late bool

	verdict
	subscriptions subscriptions
	published     map[engine.ID]publication // the latest, by topic
	held          map[subscriber]uint64     // the latest delivered
}

type publication struct {
	version uint64
	at      time.Duration
}

// Observe notes which nodes want and have what.
func (l *Latest) Observe(at time.Duration, n sim.Node, event Event) {
	if l.held == nil {
		l.held = make(map[subscriber]uint64)
		l.published = make(map[engine.ID]publication)
	}
	l.subscriptions.observe(at, n, event)
	switch e := event.(type) {
	case Published:
		if e.Version > l.published[e.Topic].version {
			l.published[e.Topic] = publication{e.Version, at}
		}
	case Delivered:
		pair := subscriber{n, e.Topic}
		l.held[pair] = max(l.held[pair], e.Version)
	case Forgot:
		for _, i := range *l.subscriptions.nodes.of(n) {
			delete(l.held, l.subscriptions.list[i].subscriber)
		}
	}
}

// Finish compares.
func (l *Latest) Finish(w *sim.World) {
	for _, s := range l.subscriptions.list {
		latest := l.published[s.topic]
		if !s.on || !w.Up(s.node) || s.since > latest.at && !l.Late {
			continue
		}
		if held := l.held[s.subscriber]; held < latest.version {
			l.fail(w.Now(), s.node, s.topic,
				fmt.Sprintf("the subscriber has version %d, and not %d, which was published at %v", held,
					latest.version, latest.at))
		}
	}
}
