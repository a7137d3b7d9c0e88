package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// hotWorld is a world of nodes that all subscribe to one channel.
type hotWorld struct {
	*row
	hot     hotSizes
	updates []*hotUpdate // by content, from 1
	calm    []*hotUpdate
	crashed []*hotUpdate

	rest    float64   // messages a second that the primary sends when nothing changes
	sent    []uint64  // by node: see carried
	perNode []float64 // messages by node, for one update
	pollers int
}

// hotUpdate is a change at the origin, and what became of it.
type hotUpdate struct {
	changed  time.Duration
	numbered time.Duration // 0: not yet
	primary  sim.Node
	before   uint64 // messages that it had sent then
	sent     uint64 // messages that it has sent until all had the update

	readers int             // nodes that are to get it
	due     []bool          // by node: it has neither this content nor a later one
	left    int             // how many are due
	had     []time.Duration // when nodes got it; owners do before it is numbered
	behind  []time.Duration // how long after the change nodes had it, or a later one

	expected time.Duration // what the primary says of the time until a change is detected
}

// newHotWorld returns a world with all nodes down.
func newHotWorld(run *lab.Run, s hotSizes, router network.RouterName) *hotWorld {
	c := sim.Default(codec)
	latency := testnet.PlanetLab(run.Seed())
	c.Latency, c.Connections, c.CountByNode, c.Faults.Loss = latency, true, true, 0.01
	config := corona.Default()
	config.Router = router
	config.AggregateEvery *= time.Duration(s.Upkeep)
	config.Maintenance *= 2
	one := sizes{Nodes: s.Nodes, Channels: 1, Subscriptions: s.Nodes, Hosts: 1, Upkeep: s.Upkeep}
	w := &hotWorld{row: newWorld(run, c, 0x407, newMeasured(newWorkload(run.Seed(), one), one, config.Interval),
		config), hot: s}
	w.signs, w.trees = true, router == network.Scribe
	w.Observe(w.observe)
	w.complete = newCompleteRing(w.World, latency, w.Config, run.Seed())
	for _, n := range w.first {
		w.wants[n] = []reading{{0, int(n), 1}}
		w.watch.channels[0].mustMember(n)
	}
	return w
}

// observe notes numbers of versions, and deliveries.
func (w *hotWorld) observe(at time.Duration, n sim.Node, event any) {
	switch e := event.(type) {
	case corona.Numbered:
		if u := w.updates[contentOf(e.Hash)-1]; u.numbered == 0 {
			u.numbered, u.primary, u.before = at, n, w.NodeCount(n).Sent
		}
	case corona.Told:
		u := w.updates[len(w.updates)-1]
		u.expected = time.Duration(e.Fact.Detection) * time.Millisecond
	case corona.Delivered:
		w.delivered(n, int(contentOf(e.Hash)-1), at)
	}
}

// delivered notes that a node has an update, which stands for all before it that the node lacks.
func (w *hotWorld) delivered(n sim.Node, update int, at time.Duration) {
	if u := w.updates[update]; u.due[n] {
		u.had = append(u.had, at)
	}
	for i := update; i >= 0 && w.updates[i].due[n]; i-- {
		u := w.updates[i]
		u.due[n] = false
		u.behind = append(u.behind, at-u.changed)
		w.less(u)
	}
}

// supersededWithin is how soon after a version's number a later number excuses that the version itself does not arrive.
const supersededWithin = 10 * time.Second

// lost returns how many nodes have not got an update. A later version stands for one that it superseded, and for a
// content that no version had.
func (u *hotUpdate) lost(later []*hotUpdate) int {
	superseded := slices.ContainsFunc(later, func(v *hotUpdate) bool {
		return v.numbered != 0 && v.numbered < u.numbered+supersededWithin
	})
	if u.numbered == 0 || superseded {
		return u.left
	}
	return u.readers - len(u.had)
}

// numberedFrom returns when the first of some updates, or a later one, got a number; 0 if none did.
func numberedFrom(updates []*hotUpdate) (first time.Duration) {
	for _, u := range updates {
		if u.numbered != 0 && (first == 0 || u.numbered < first) {
			first = u.numbered
		}
	}
	return first
}

// less notes that one node less lacks an update.
func (w *hotWorld) less(u *hotUpdate) {
	if u.left--; u.left == 0 {
		u.sent = w.NodeCount(u.primary).Sent - u.before
	}
}

// measure runs the world.
func (w *hotWorld) measure() {
	w.form()
	w.subscribeAll()
	w.Run.Stage("updates", 0.5)
	total := 1 + w.hot.Updates + w.hot.CrashedUpdates
	w.change()
	primary, before := w.updates[0].primary, w.NodeCount(w.updates[0].primary).Sent
	w.Run.Pass(w.World, restLasts)
	w.rest = float64(w.NodeCount(primary).Sent-before) / restLasts.Seconds()
	w.pollers = w.polling()
	w.sent = w.carried()
	for i := range w.hot.Updates {
		w.change()
		w.Run.Part(1+i, total)
	}
	w.await(w.updates[len(w.updates)-1])
	w.calm = w.updates[1:]
	for n, sent := range w.carried() {
		w.perNode = append(w.perNode, float64(sent-w.sent[n])/float64(len(w.calm)))
	}
	if w.hot.Crashed == 0 {
		return
	}
	w.crash()
	for i := range w.hot.CrashedUpdates {
		w.change()
		w.Run.Part(1+w.hot.Updates+i, total)
	}
	w.await(w.updates[len(w.updates)-1])
	w.crashed = w.updates[1+len(w.calm):]
}

// form boots the nodes, which are a complete ring, and lets them count each other.
func (w *hotWorld) form() {
	w.Run.Stage("forming", 0.1)
	for _, n := range w.first {
		w.Boot(n)
	}
	w.Run.Advance(w.World, time.Minute)
}

const (
	subscribeStep = time.Millisecond // between two nodes that subscribe
	restLasts     = 2 * time.Minute
	changesApart  = 10 * time.Second // from when all have an update until the next change, and up to twice that
)

// subscribeAll makes all nodes subscribe, and waits until Corona has chosen the pollers.
func (w *hotWorld) subscribeAll() {
	w.Run.Stage("subscribing", 0.2)
	for i, n := range w.first {
		w.After(time.Duration(i)*subscribeStep, func() { w.Do(n, func(p engine.Protocol) { p.(*node).subscribe() }) })
	}
	w.Run.Advance(w.World, time.Duration(len(w.first))*subscribeStep+w.hot.Settle)
}

// change changes the origin's content. It waits until all nodes that are up have the update, or that is given up.
func (w *hotWorld) change() {
	u := &hotUpdate{changed: w.Now(), due: make([]bool, w.Len()), readers: len(w.Live), left: len(w.Live)}
	for _, n := range w.Live {
		u.due[n] = true
	}
	w.updates = append(w.updates, u)
	w.watch.change(0)
	w.Do(w.Someone(), func(p engine.Protocol) { p.(*node).corona.Inquire([]engine.ID{w.work.channels[0].ID}) })
	if w.hot.Apart > 0 {
		w.Run.Pass(w.World, w.hot.Apart)
		return
	}
	w.await(u)
	w.Run.Pass(w.World, changesApart+time.Duration(w.Chance.Int64N(int64(changesApart))))
}

// await waits until all nodes that are up have an update or a later one, or that is given up.
func (w *hotWorld) await(u *hotUpdate) {
	for u.left > 0 && !u.late(w.Now(), w.config.Interval) {
		w.Run.Pass(w.World, time.Second)
	}
}

// reachWithin is how long after its number an update may come.
const reachWithin = 5 * time.Minute

// late reports whether an update is to be waited for no longer.
func (u *hotUpdate) late(now, interval time.Duration) bool {
	if u.numbered == 0 {
		return now > u.changed+interval
	}
	return now > u.numbered+reachWithin
}

// crash has some nodes crash at once.
func (w *hotWorld) crash() {
	for range w.hot.Crashed {
		n := w.Someone()
		w.Crash(n)
		w.gone(n)
	}
}

// carried returns how many messages that bear updates each node has sent so far.
func (w *hotWorld) carried() []uint64 {
	sent := make([]uint64, w.Len())
	for _, m := range []engine.Message{new(scribe.Publish), new(scribe.Disseminate), new(scribe.Missed),
		new(corona.Shared), new(corona.Update)} {
		for n := range sent {
			sent[n] += uint64(w.NodeKindCount(sim.Node(n), m.Kind()).Sent)
		}
	}
	return sent
}

// polling returns how many nodes poll the channel.
func (w *hotWorld) polling() (count int) {
	for _, m := range w.watch.channels[0].members {
		if m.every > 0 {
			count++
		}
	}
	return count
}

// hotMeasured is what was measured of some updates.
type hotMeasured struct {
	updates  int
	reach    []float64 // seconds from a version's number to a delivery, ascending
	change   []float64 // from the change at the origin
	expected float64   // seconds from a change until it is detected, as primaries say: the mean
	elapsed  float64   // seconds from a change until it has a number, or a later one: the mean
	behind   float64   // seconds from a change at the origin until the last node had it or a later one
	lost     int       // deliveries that did not come: see hotUpdate.lost
	primary  float64   // messages of the primary for an update, less those of rest: the median
	messages []float64 // by node: messages that bear an update
	pollers  int
}

// copies returns how many messages bore an update for each delivery.
func (m *hotMeasured) copies() float64 {
	return stats.Share(stats.Sum(m.messages), float64(len(m.reach))/float64(max(m.updates, 1)))
}

// figures sums up some updates.
func (w *hotWorld) figures(updates []*hotUpdate) *hotMeasured {
	m := &hotMeasured{updates: len(updates), messages: w.perNode, pollers: w.pollers}
	var sent, expected, elapsed []float64
	for i, u := range updates {
		for _, at := range u.had {
			m.reach = append(m.reach, max(0, at-u.numbered).Seconds())
			m.change = append(m.change, (at - u.changed).Seconds())
		}
		if len(u.behind) > 0 {
			m.behind = max(m.behind, slices.Max(u.behind).Seconds())
		}
		if u.expected > 0 {
			expected = append(expected, u.expected.Seconds())
		}
		if at := numberedFrom(updates[i:]); at > 0 {
			elapsed = append(elapsed, (at - u.changed).Seconds())
		}
		m.lost += u.lost(updates[i+1:])
		if u.left == 0 && len(u.had) > 0 {
			sent = append(sent, float64(u.sent)-w.rest*(u.had[len(u.had)-1]-u.numbered).Seconds())
		}
	}
	slices.Sort(m.reach)
	slices.Sort(m.change)
	m.primary = stats.QuantileOf(sent, 0.5)
	m.expected, m.elapsed = stats.Mean(expected), stats.Mean(elapsed)
	return m
}
