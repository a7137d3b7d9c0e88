package homes

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// phase is a time in which the origin publishes changes, after something has befallen the nodes.
type phase struct {
	name   string
	title  string
	befall func(ctx context.Context, w *world) error // nil: nothing does
}

var phases = []phase{
	{"rest", "news at rest", nil},
	{"relay_killed", "the relay is killed", func(_ context.Context, w *world) error {
		w.relay.process.Kill()
		return nil
	}},
	{"restarted", "both public nodes start again", func(ctx context.Context, w *world) error {
		w.plain.process.Kill()
		starts, ctx := errgroup.WithContext(ctx)
		for _, m := range []*member{w.relay, w.plain} {
			starts.Go(func() error { return m.start(ctx) })
		}
		return starts.Wait()
	}},
	{"moved", "a home gets another address", func(_ context.Context, w *world) error { return w.homes[0].home.Move() }},
}

// course is how a phase went.
type course struct {
	// since its beginning, until the nodes saw one ring for good; as long as the phase, if they did not
	healed time.Duration
	faults faults // why they did not
}

// during lets the phase of an index happen. It ends when all is as it should be, or when it has lasted as long as it
// may.
func (w *world) during(ctx context.Context, index int) (c course, err error) {
	began := time.Now()
	if err := w.note("phase " + phases[index].name); err != nil {
		return c, err
	}
	if p := phases[index]; p.befall != nil {
		if err := p.befall(ctx, w); err != nil {
			return c, err
		}
	}
	next := time.Now()
	for made := 0; time.Since(began) < w.sizes.Phase; {
		if made < w.sizes.Changes && time.Now().After(next) {
			if err := w.change(index); err != nil {
				return c, err
			}
			made, next = made+1, next.Add(w.sizes.Every)
		}
		if c.faults, err = w.ringFaults(ctx); err != nil {
			return c, err
		}
		if len(c.faults) > 0 {
			c.healed = time.Since(began)
		} else if made == w.sizes.Changes && time.Now().After(next) && w.allDelivered() {
			return c, nil
		}
		if err := pause(ctx, between); err != nil {
			return c, err
		}
	}
	return c, nil
}

// between is how much time passes until it is asked again how the nodes stand.
const between = 200 * time.Millisecond

// allDelivered reports whether all nodes at homes have delivered all changes.
func (w *world) allDelivered() bool {
	for _, c := range w.changes {
		for _, h := range w.homes {
			if len(h.received.of(c.item)) == 0 {
				return false
			}
		}
	}
	return true
}
