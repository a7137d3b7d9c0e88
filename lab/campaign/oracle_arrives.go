package campaign

import (
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// arrives checks delivery. If a content stays the newest at its origin for a time, it must reach each live node that
// follows the channel within that time. It judges from begin on, when faults have long ended. The time is two polling
// intervals plus reaching, as half of the turns may be skipped for checks (corona/plan, rests).
type arrives struct {
	verdict
	within    time.Duration
	begun     bool
	followers followers
	issued    []issue
	had       map[delivery]bool
	live      func(n sim.Node) (since time.Duration) // how long a node has been up
}

// reaching is how long an update may be under way once a poll has found it. Row 85 of docs/faults.md says a minute;
// before that, a poll is answered, verified and attested.
const reaching = 2 * time.Minute

type issue struct {
	topic   engine.ID
	content engine.ID
	at, end time.Duration // end: the next content of the topic; 0: none yet
}

type delivery struct {
	follower
	content engine.ID
}

// changed notes that an origin's content has changed.
func (a *arrives) changed(at time.Duration, topic, content engine.ID) {
	if i := a.newest(topic); i >= 0 {
		if at-a.issued[i].at < a.within { // nobody is owed it
			a.issued[i] = issue{topic, content, at, 0}
			return
		}
		a.issued[i].end = at
	}
	a.issued = append(a.issued, issue{topic, content, at, 0})
}

// begin has all that is the newest from now on be judged.
func (a *arrives) begin(at time.Duration) {
	a.begun = true
	for i := range a.issued {
		a.issued[i].at = max(a.issued[i].at, at)
	}
	a.issued = slices.DeleteFunc(a.issued, func(i issue) bool { return i.end != 0 })
}

// Observe implements check.Checker.
func (a *arrives) Observe(at time.Duration, n sim.Node, event check.Event) {
	a.followers.observe(at, n, event)
	switch e := event.(type) {
	case check.Forgot:
		maps.DeleteFunc(a.had, func(d delivery, _ bool) bool { return d.node == n })
	case check.Delivered:
		a.has(at, follower{n, e.Topic}, e.Content)
	case check.Polled: // what a node sees itself it shows
		if i := a.newest(e.Topic); i >= 0 {
			a.has(at, follower{n, e.Topic}, a.issued[i].content)
		}
	}
}

// has notes that a node has a content.
func (a *arrives) has(at time.Duration, pair follower, content engine.ID) {
	if a.had == nil {
		a.had = make(map[delivery]bool)
	}
	if !a.begun || a.onTime(pair.topic, content, at) {
		a.had[delivery{pair, content}] = true
	}
}

// newest returns the place of a topic's newest content, less than 0 if it has none.
func (a *arrives) newest(topic engine.ID) int {
	for i := len(a.issued) - 1; i >= 0; i-- {
		if a.issued[i].topic == topic {
			return i
		}
	}
	return -1
}

func (a *arrives) onTime(topic, content engine.ID, at time.Duration) bool {
	for _, i := range a.issued {
		if i.topic == topic && i.content == content {
			return at <= i.at+a.within
		}
	}
	return true
}

// Finish looks for what has not come.
func (a *arrives) Finish(w *sim.World) {
	if !a.begun {
		return
	}
	for _, i := range a.issued {
		if i.end != 0 && i.end < i.at+a.within || w.Now() < i.at+a.within {
			continue
		}
		for _, pair := range a.followers.order {
			since, on := a.followers.since[pair]
			if pair.topic != i.topic || !on || since > i.at || !w.Up(pair.node) || a.live(pair.node) > i.at {
				continue
			}
			if !a.had[delivery{pair, i.content}] {
				a.fail(i.at+a.within, pair.node, i.topic,
					"content %s, the newest at the origin from %v on, has not come within %v", i.content.Short(), i.at,
					a.within)
			}
		}
	}
}
