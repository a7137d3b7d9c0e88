package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/corona/levels"
	"tidings/lab/experiments/testnet"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// row is one row of the table: a world that polls by one policy with some settings.
type row struct {
	*polled
	config corona.Config
	signs  bool        // nodes have keys, and hosts are seen to
	trees  bool        // nodes have Scribe, for versions of channels with many subscribers
	random bool        // nodes poll at random phases, as in the paper (section 3.3)
	begun  bool        // channels have a content when nodes subscribe, by which these learn how long documents are
	trust  *trustWorld // in which some lie; nil: nobody does

	latest   int // the channel that was asked for last
	latestID engine.ID

	wants      [][]reading // by node
	homes      []uint16    // by channel: nodes that subscribe
	subscribed bool
	first      []sim.Node    // that form the ring before
	complete   *completeRing // that they form at once; nil: they join, one after the other
	spread     []spreading   // by channel
}

// mostLeisure is by how many times at most nodes renew subscriptions and request aggregates less often than by default.
// It is used where Pastry probes as much less often, or still less.
const mostLeisure = 2

var codec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, corona.Vocabulary, levels.Vocabulary)

// newWorld returns a world with all nodes down.
func newWorld(run *lab.Run, c sim.Config, salt uint64, m *measured, config corona.Config) *row {
	r := &row{polled: newPolled(run, c, salt, m), config: config, wants: make([][]reading, m.sizes.Nodes)}
	r.Start, r.Hasty = r.start, true
	r.Config.KeepAlive *= time.Duration(m.sizes.Upkeep)
	r.Config.TablePeriod *= time.Duration(m.sizes.Upkeep)
	r.Config.MaxSeen = 1024 // no route needs longer than that many messages
	r.watch.found = func(n sim.Node, channel int) { r.Do(n, func(p engine.Protocol) { p.(*node).found(channel) }) }
	r.first = r.AddNodes(m.sizes.Nodes)
	return r
}

// newRow returns a world of the table with all nodes down.
func newRow(run *lab.Run, work *workload, s sizes, config corona.Config, p honeycomb.Policy) *row {
	config.Policy = p
	leisure := time.Duration(min(s.Upkeep, mostLeisure))
	config.AggregateEvery *= leisure
	config.Renew *= leisure
	c := sim.Default(codec)
	c.Latency = testnet.Spread
	r := newWorld(run, c, 0xc0, newMeasured(work, s, config.Interval), config)
	r.homes, r.spread = make([]uint16, s.Channels), make([]spreading, s.Channels)
	r.changes, r.watch.answered = r.changed, r.detected
	r.Observe(r.observe)
	nodes := make([]int, s.Nodes)
	for i := range s.Channels {
		list := work.readings(i, nodes, s.Homes, config.MaxCount)
		r.homes[i] = uint16(len(list))
		for _, s := range list {
			r.wants[s.node] = append(r.wants[s.node], s)
		}
	}
	return r
}

// channel returns the number of a channel. It is mostly asked for the same one several times.
func (r *row) channel(id engine.ID) int {
	if r.latestID != id {
		r.latest, r.latestID = r.work.number(id), id
	}
	return r.latest
}

// gone notes that a node has crashed.
func (r *row) gone(n sim.Node) {
	r.Gone(n)
	r.watch.leave(n)
}

// measure runs the world, and returns what was measured.
func (r *row) measure() *measured {
	r.subscribe()
	r.live()
	return r.measured
}

// subscribe forms the ring and has all nodes subscribe to all that they want, at one moment.
func (r *row) subscribe() {
	r.form(r.first, 0.05)
	r.subscribed = true
	for _, n := range slices.Sorted(slices.Values(r.Live)) {
		r.Do(n, func(p engine.Protocol) { p.(*node).subscribe() })
	}
	for i := range r.work.channels {
		if r.begun {
			r.changes(i)
			r.watch.change(i)
		}
		r.changeLater(i, 0)
		r.probeLater(i, 0)
	}
}

// changed begins to watch how a new content spreads.
func (r *row) changed(channel int) {
	if r.spread[channel].overtaken(r.Now()) {
		r.versions--
	}
	r.spread[channel].changed(r.homes[channel])
}

// detected notes how long a change, or a probe, waited for the next poll.
func (r *row) detected(channel int, q question, at time.Duration) {
	if q.change {
		r.spread[channel].found(at)
	}
	r.answered(channel, q, at)
}

// observe receives the trace events of nodes.
func (r *row) observe(at time.Duration, _ sim.Node, event any) {
	switch e := event.(type) {
	case corona.Numbered:
		if r.spread[r.channel(e.Channel)].numbered(contentOf(e.Hash)) {
			r.versions++
		}
	case corona.Delivered:
		i := r.channel(e.Channel)
		if elapsed, all := r.spread[i].delivered(at, contentOf(e.Hash)); all {
			r.spreads = append(r.spreads, elapsed.Seconds())
		}
	}
}

// live lets the time pass that is measured, and some more for what has not been detected at its end.
func (r *row) live() {
	r.Run.Stage("polling", 0.95)
	r.Run.Advance(r.World, r.sizes.For+r.interval)
	r.watch.finish()
	r.close()
	r.Run.Ran(r.World)
}

// spreading is how the latest content of a channel comes to its subscribers.
type spreading struct {
	content uint32
	at      time.Duration // when a poll found it; 0: none has
	left    uint16        // nodes that have not got it
	version bool          // it has one
}

func (s *spreading) changed(homes uint16) { *s = spreading{content: s.content + 1, left: homes} }

// overtaking is how soon after a content was found the next one makes it one that need not reach all.
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
func (s *spreading) delivered(at time.Duration, content uint32) (elapsed time.Duration, all bool) {
	if s.at == 0 || s.left == 0 || content != s.content {
		return 0, false
	}
	s.left--
	return at - s.at, s.left == 0
}
