package sharing

import (
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
)

// Primary is what a channel's primary says of how all nodes together poll it.
type Primary struct {
	Router router.RouterName // by which its updates come here
	fact   corona.Fact       // the primary's report, of ToldAt
	toldAt time.Time         // zero: none so far
	asked  time.Time         // when the primary was asked last
}

const (
	factsFresh = 5 * time.Second // what primaries have said is not asked again before
	factsLast  = 3               // maintenance intervals, after which it counts no more
)

// Answer notes a primary's report.
func (f *Primary) Answer(fact corona.Fact, now time.Time) { f.fact, f.toldAt = fact, now }

// knows reports whether the primary's report is still valid.
func (c *Channel) knows(t Terms, now time.Time) bool {
	return c.Acked && c.Readers > 0 && !c.toldAt.IsZero() && now.Sub(c.toldAt) < factsLast*t.Maintenance
}

// ToAsk returns those of some channels whose primaries are to be asked, and the ones among them without any facts. They
// count as asked from then on.
func (t *Table) ToAsk(ids []engine.ID, now time.Time) (ask, unknown []engine.ID) {
	for _, id := range ids {
		t.Alter(id, func(c *Channel) {
			if !c.Acked || now.Sub(c.asked) < factsFresh {
				return
			}
			c.asked = now
			ask = append(ask, id)
			if c.toldAt.IsZero() {
				unknown = append(unknown, id)
			}
		})
	}
	return ask, unknown
}

// Unknown reports whether nothing is known of any of the channels.
func (t *Table) Unknown(ids []engine.ID) bool {
	for _, id := range ids {
		if c, ok := t.Get(id); ok && c.Acked && c.toldAt.IsZero() {
			return true
		}
	}
	return false
}

// Due returns the channels followed here without a report of their primaries for the time after, who were not asked
// within the time asked.
func (t *Table) Due(now time.Time, after, asked time.Duration) []engine.ID {
	return t.All(func(c *Channel) bool {
		return c.Acked && c.Readers > 0 && now.Sub(c.toldAt) >= after && now.Sub(c.asked) >= asked
	})
}

// Describe fills in what primaries have reported.
func (t *Table) Describe(followed []tidings.Subscription, terms Terms, now time.Time) {
	for i := range followed {
		c, ok := t.Get(engine.ID(tidings.IDOf(followed[i].URL)))
		if !ok || followed[i].Privacy != tidings.Public || !c.knows(terms, now) {
			continue
		}
		f := &c.fact
		followed[i].Polling = &tidings.PollingStats{
			Nodes: int(f.Pollers), Readers: int(f.Readers), Interval: time.Duration(f.Interval) * time.Millisecond,
			Update: time.Duration(f.Update) * time.Second, Expected: time.Duration(f.Detection) * time.Millisecond,
			Told:   c.toldAt,
			Router: c.Router.String(),
		}
	}
}

// Spared returns how many polls of the channels followed here other nodes make in some time, and how many their readers
// would make, had each polled by itself.
func (t *Table) Spared(within time.Duration, terms Terms, now time.Time) (byOthers, readers float64) {
	t.Each(func(c *Channel) {
		if c.Readers == 0 {
			return
		}
		interval, others := terms.Interval, 0
		if c.knows(terms, now) {
			interval, others = time.Duration(c.fact.Interval)*time.Millisecond, int(c.fact.Pollers)
			if c.IsPolled() {
				others--
			}
		}
		turns := float64(within) / float64(interval)
		readers += turns * float64(c.Readers)
		byOthers += turns * float64(max(0, others))
	})
	return byOthers, readers
}
