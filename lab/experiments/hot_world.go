package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// hotWorld is a world of nodes that all subscribe to one channel.
type hotWorld struct {
	*coronaRow
	sizes   hotSizes
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

	due  []bool // by node
	left int
	had  []time.Duration // when nodes got it; owners do before it is numbered
}

// newHotWorld returns a world whose nodes are down.
func newHotWorld(run *lab.Run, s hotSizes, router network.RouterName) *hotWorld {
	c := sim.Default(coronaCodec)
	latency := planetLab(run.Seed())
	c.Seed, c.Latency, c.Connections, c.CountByNode = run.Seed(), latency, true, true
	c.Faults.Loss = 0.01
	r := &coronaRow{
		run: run, work: newCoronaWork(run.Seed(), coronaSizes{Channels: 1, Subscriptions: s.Nodes, Hosts: 1}),
		config: corona.Default(), signs: true, trees: router == network.Scribe, ring: pastry.Default(),
		world: sim.New(c), chance: rand.New(rand.NewPCG(run.Seed(), 0x407)), wants: make([][]reading, s.Nodes),
	}
	r.config.Router, r.config.Believe = router, true
	r.ring.KeepAlive *= time.Duration(s.Upkeep)
	r.ring.TablePeriod *= time.Duration(s.Upkeep)
	r.config.AggregateEvery *= time.Duration(s.Upkeep)
	r.config.Maintenance *= 2
	r.ring.MaxSeen = 1024 // as in the experiment corona
	r.watch = newWatch(r.world, 1)
	r.watch.counted = func(int, time.Duration) {}
	r.watch.answered = func(int, question, time.Duration) {}
	r.watch.found = func(n sim.Node, channel int) {
		r.world.Do(n, func(p engine.Protocol) { p.(*coronaNode).found(channel) })
	}
	w := &hotWorld{coronaRow: r, sizes: s}
	r.world.Observe(w.observe)
	r.first = r.place(s.Nodes)
	r.complete = newCompleteRing(r.world, latency, r.ring, run.Seed())
	for _, n := range r.first {
		r.wants[n] = []reading{{0, int(n), 1}}
		r.watch.channels[0].mustMember(n)
	}
	return w
}

// observe hears what nodes trace.
func (w *hotWorld) observe(at time.Duration, n sim.Node, event any) {
	switch e := event.(type) {
	case corona.Numbered:
		if u := w.updates[contentOf(e.Hash)-1]; u.numbered == 0 {
			u.numbered, u.primary, u.before = at, n, w.world.NodeCount(n).Sent
		}
	case corona.Delivered:
		u := w.updates[contentOf(e.Hash)-1]
		if u.due[n] {
			u.due[n] = false
			u.had = append(u.had, at)
			w.less(u)
		}
	}
}

// less takes note that one node less lacks an update.
func (w *hotWorld) less(u *hotUpdate) {
	if u.left--; u.left == 0 {
		u.sent = w.world.NodeCount(u.primary).Sent - u.before
	}
}

// measure runs the world.
func (w *hotWorld) measure() error {
	if err := w.form(); err != nil {
		return err
	}
	if err := w.subscribeAll(); err != nil {
		return err
	}
	w.run.Stage("updates", 0.5)
	total := 1 + w.sizes.Updates + w.sizes.CrashedUpdates
	if err := w.change(); err != nil { // the first is not measured: only then the primary is known
		return err
	}
	primary, before := w.updates[0].primary, w.world.NodeCount(w.updates[0].primary).Sent
	if err := w.run.Pass(w.world, restLasts); err != nil {
		return err
	}
	w.rest = float64(w.world.NodeCount(primary).Sent-before) / restLasts.Seconds()
	w.pollers = w.polling()
	w.sent = w.carried()
	for i := range w.sizes.Updates {
		if err := w.change(); err != nil {
			return err
		}
		w.run.Part(1+i, total)
	}
	w.calm = w.updates[1:]
	for n, sent := range w.carried() {
		w.perNode = append(w.perNode, float64(sent-w.sent[n])/float64(len(w.calm)))
	}
	if w.sizes.Crashed == 0 {
		return nil
	}
	w.crash()
	for i := range w.sizes.CrashedUpdates {
		if err := w.change(); err != nil {
			return err
		}
		w.run.Part(1+w.sizes.Updates+i, total)
	}
	w.crashed = w.updates[1+len(w.calm):]
	return nil
}

// form boots the nodes, which are a complete ring, and lets them count each other.
func (w *hotWorld) form() error {
	w.run.Stage("forming", 0.1)
	for _, n := range w.first {
		w.world.Boot(n)
	}
	return w.run.Advance(w.world, time.Minute)
}

const (
	subscribeStep = time.Millisecond // between two nodes that subscribe
	restLasts     = 2 * time.Minute
	changesApart  = 10 * time.Second // from when all have an update until the next change, and up to twice that
)

// subscribeAll has all nodes subscribe, and waits until Corona has chosen who polls.
func (w *hotWorld) subscribeAll() error {
	w.run.Stage("subscribing", 0.2)
	for i, n := range w.first {
		w.world.After(time.Duration(i)*subscribeStep, func() {
			w.world.Do(n, func(p engine.Protocol) { p.(*coronaNode).subscribe() })
		})
	}
	return w.run.Advance(w.world, time.Duration(len(w.first))*subscribeStep+w.sizes.Settle)
}

// change has the origin change, and waits until all nodes that are up have the update, or that is given up.
func (w *hotWorld) change() error {
	u := &hotUpdate{changed: w.world.Now(), due: make([]bool, w.world.Len()), left: len(w.up)}
	for _, n := range w.up {
		u.due[n] = true
	}
	w.updates = append(w.updates, u)
	w.watch.change(0)
	for u.left > 0 && !u.late(w.world.Now(), w.config.Interval) {
		if err := w.run.Pass(w.world, time.Second); err != nil {
			return err
		}
	}
	return w.run.Pass(w.world, changesApart+time.Duration(w.chance.Int64N(int64(changesApart))))
}

// late reports whether an update is to be waited for no longer.
func (u *hotUpdate) late(now, interval time.Duration) bool {
	if u.numbered == 0 {
		return now > u.changed+interval
	}
	return now > u.numbered+lateAtMost
}

// crash has some nodes crash at once.
func (w *hotWorld) crash() {
	for range w.sizes.Crashed {
		n := w.someone()
		w.world.Crash(n)
		w.gone(n)
	}
}

// carried returns how many messages that bear updates each node has sent so far.
func (w *hotWorld) carried() []uint64 {
	sent := make([]uint64, w.world.Len())
	for _, m := range []engine.Message{new(scribe.Publish), new(scribe.Disseminate), new(scribe.Missed), new(corona.Shared), new(corona.Update)} {
		for n := range sent {
			sent[n] += uint64(w.world.NodeKindCount(sim.Node(n), m.Kind()).Sent)
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

// hotFigures is what was measured of some updates.
type hotFigures struct {
	updates  int
	reach    []float64 // seconds from a version's number to a delivery, ascending
	change   []float64 // from the change at the origin
	lost     int
	primary  float64   // messages of the primary for an update, less those of rest: the median
	messages []float64 // by node: messages that bear an update
	pollers  int
}

// figures sums up some updates.
func (w *hotWorld) figures(updates []*hotUpdate) hotFigures {
	f := hotFigures{updates: len(updates), messages: w.perNode, pollers: w.pollers}
	var sent []float64
	for _, u := range updates {
		for _, at := range u.had {
			f.reach = append(f.reach, max(0, at-u.numbered).Seconds())
			f.change = append(f.change, (at - u.changed).Seconds())
		}
		f.lost += u.left
		if u.left == 0 {
			sent = append(sent, float64(u.sent)-w.rest*(u.had[len(u.had)-1]-u.numbered).Seconds())
		}
	}
	slices.Sort(f.reach)
	slices.Sort(f.change)
	slices.Sort(sent)
	if len(sent) > 0 {
		f.primary = quantile(sent, 0.5)
	}
	return f
}
