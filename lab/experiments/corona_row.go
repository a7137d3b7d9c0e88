package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// coronaRow is one row of the table: a world that polls by one policy with some settings.
type coronaRow struct {
	run    *lab.Run
	work   *coronaWork
	sizes  coronaSizes
	config corona.Config
	signs  bool // nodes have keys, and hosts are seen to
	trees  bool // nodes have Scribe, for versions of channels with many subscribers
	ring   pastry.Config
	world  *sim.World
	watch  *watch
	chance *rand.Rand

	latest   int // the channel that was asked for last
	latestID engine.ID

	wants      [][]reading // by node
	homes      []uint16    // by channel: nodes that subscribe
	subscribed bool
	began      time.Duration // when all subscribed
	first      []sim.Node    // that form the ring before
	complete   *completeRing // that they form at once; nil: they join, one after the other
	up         []sim.Node    // in no order that means anything

	*coronaFigures
	spread []spreading // by channel
}

// mostLeisure is by how many times less often than by default nodes renew subscriptions and ask for aggregates
// where Pastry probes that much less often, or still less.
const mostLeisure = 2

var coronaCodec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, corona.Vocabulary)

// newCoronaRow returns a world whose nodes are down.
func newCoronaRow(run *lab.Run, work *coronaWork, s coronaSizes, settings corona.Config, p honeycomb.Policy) *coronaRow {
	settings.Policy = p
	c := sim.Default(coronaCodec)
	c.Seed, c.Latency = run.Seed(), sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}
	r := &coronaRow{
		run: run, work: work, sizes: s, config: settings, ring: pastry.Default(), world: sim.New(c), chance: rand.New(rand.NewPCG(run.Seed(), 0xc0)),
		wants: make([][]reading, s.Nodes), homes: make([]uint16, s.Channels),
		coronaFigures: newCoronaFigures(work, s, settings.Interval), spread: make([]spreading, s.Channels),
	}
	r.ring.KeepAlive *= time.Duration(s.Upkeep)
	r.ring.TablePeriod *= time.Duration(s.Upkeep)
	leisure := time.Duration(min(s.Upkeep, mostLeisure))
	r.config.AggregateEvery *= leisure
	r.config.Renew *= leisure
	r.ring.MaxSeen = 1024 // no route takes longer than that many messages
	r.watch = newWatch(r.world, s.Channels)
	r.watch.counted = func(channel int, at time.Duration) { r.poll(channel, at-r.began) }
	r.watch.found = func(n sim.Node, channel int) {
		r.world.Do(n, func(p engine.Protocol) { p.(*coronaNode).found(channel) })
	}
	r.watch.answered = r.detected
	r.world.Observe(r.observe)
	nodes := make([]int, s.Nodes)
	for i := range s.Channels {
		list := work.readings(i, nodes, s.Homes, settings.MaxCount)
		r.homes[i] = uint16(len(list))
		for _, s := range list {
			r.wants[s.node] = append(r.wants[s.node], s)
		}
	}
	r.first = r.place(s.Nodes)
	return r
}

// place makes nodes that are down.
func (r *coronaRow) place(count int) (nodes []sim.Node) {
	for range count {
		var id engine.ID
		for i := range id {
			id[i] = byte(r.chance.Uint32())
		}
		nodes = append(nodes, r.world.Add(id, r.start(sim.Node(r.world.Len()))))
	}
	return nodes
}

// channel returns the number of a channel. It is mostly asked for the same one several times.
func (r *coronaRow) channel(id engine.ID) int {
	if r.latestID != id {
		r.latest, r.latestID = r.work.number(id), id
	}
	return r.latest
}

// someone returns a node that is up.
func (r *coronaRow) someone() sim.Node { return r.up[r.chance.IntN(len(r.up))] }

// gone takes note of a node that has crashed.
func (r *coronaRow) gone(n sim.Node) {
	i, last := slices.Index(r.up, n), len(r.up)-1
	r.up[i] = r.up[last]
	r.up = r.up[:last]
	r.watch.leave(n)
}

// settling is how long the ring has to become right before anybody subscribes, in periods in
// which a node exchanges one row.
const settling = 10

// subscribe forms the ring and has all nodes subscribe to all that they want, at one moment.
func (r *coronaRow) subscribe() error {
	r.run.Stage("joining", 0.05)
	const step = 50 * time.Millisecond
	for i, n := range r.first {
		r.world.At(time.Duration(i)*step, func() { r.world.Boot(n) })
	}
	if err := r.run.Advance(r.world, time.Duration(len(r.first))*step+settling*r.ring.TablePeriod); err != nil {
		return err
	}
	r.began, r.subscribed = r.world.Now(), true
	for _, n := range slices.Sorted(slices.Values(r.up)) {
		r.world.Do(n, func(p engine.Protocol) { p.(*coronaNode).subscribe() })
	}
	for i := range r.work.channels {
		r.changeLater(i, 0)
		r.probeLater(i, 0)
	}
	return nil
}

// changeLater has a channel change for the k-th time and on.
func (r *coronaRow) changeLater(channel, k int) {
	gap := r.work.untilChange(channel, k)
	if r.world.Now()+gap >= r.began+r.sizes.For {
		return
	}
	r.world.After(gap, func() {
		if r.spread[channel].overtaken(r.world.Now()) {
			r.versions--
		}
		r.spread[channel].changed(r.homes[channel])
		r.watch.change(channel)
		r.changeLater(channel, k+1)
	})
}

// probeLater asks, for the k-th time and on, when the next poll of a channel is: at a random moment
// of each part of a polling interval.
func (r *coronaRow) probeLater(channel, k int) {
	part := r.config.Interval / time.Duration(r.sizes.Probes)
	at := time.Duration(k)*part + time.Duration(r.work.chance(chanceProbe, channel, k).Int64N(int64(part)))
	if at >= r.sizes.For {
		return
	}
	r.world.At(r.began+at, func() {
		r.watch.ask(channel, question{at: r.world.Now()})
		r.probeLater(channel, k+1)
	})
}

// detected notes how long a change, or a probe, waited for the next poll.
func (r *coronaRow) detected(channel int, q question, at time.Duration) {
	if q.change {
		r.spread[channel].found(at)
		r.change(channel, q.at-r.began, at-q.at)
		return
	}
	r.probe(channel, q.at-r.began, at-q.at)
}

// observe hears what nodes trace.
func (r *coronaRow) observe(at time.Duration, _ sim.Node, event any) {
	switch e := event.(type) {
	case corona.Numbered:
		if r.spread[r.channel(e.Channel)].numbered(contentOf(e.Hash)) {
			r.versions++
		}
	case corona.Delivered:
		i := r.channel(e.Channel)
		if took, all := r.spread[i].delivered(at, contentOf(e.Hash)); all {
			r.spreads = append(r.spreads, took.Seconds())
		}
	}
}

// live lets the time pass that is measured, and some more for what has not been detected at its
// end.
func (r *coronaRow) live() error {
	r.run.Stage("polling", 0.95)
	if err := r.run.Advance(r.world, r.sizes.For+r.config.Interval); err != nil {
		return err
	}
	r.watch.finish()
	r.close()
	return nil
}

// spreading is how the latest content of a channel comes to its subscribers.
type spreading struct {
	content uint32
	at      time.Duration // when a poll found it; 0: none has
	left    uint16        // nodes that have not got it
	version bool          // it has one
}

func (s *spreading) changed(homes uint16) { *s = spreading{content: s.content + 1, left: homes} }

// overtaking is how soon after a content was found the next one makes it one that need not reach
// all.
const overtaking = 10 * time.Second

// overtaken reports whether a content is replaced on its way.
func (s *spreading) overtaken(at time.Duration) bool {
	return s.version && s.left > 0 && at < s.at+overtaking
}

func (s *spreading) found(at time.Duration) {
	if s.at == 0 {
		s.at = at
	}
}

// numbered notes that a content has a version, and reports whether it is the first.
func (s *spreading) numbered(content uint32) bool {
	first := content == s.content && !s.version
	s.version = s.version || first
	return first
}

// delivered notes that a node has got a content, and returns after what time all have.
func (s *spreading) delivered(at time.Duration, content uint32) (took time.Duration, all bool) {
	if s.at == 0 || s.left == 0 || content != s.content {
		return 0, false
	}
	s.left--
	return at - s.at, s.left == 0
}
