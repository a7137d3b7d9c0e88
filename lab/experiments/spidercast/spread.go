package spidercast

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
)

// spiderSpread is what became of events that were published.
type spiderSpread struct {
	lost       int        // deliveries to followers that were up and stayed up
	came       int        // events at nodes, for the first time
	repeated   int        // and once more
	seconds    []float64  // deliveries' delays
	unfollowed int        // events at nodes that do not follow the topic
	ways       spreadWays // of events of publishers that stayed
	others     spreadWays // of those published by others afterwards, over trees that had grown before
}

// spreadWays is how far the events of a round went, by topic.
type spreadWays struct {
	hops   []float64 // the longest way, over the topic's diameter
	delays []float64 // delay of the event at the last follower, over the least that links allow
}

// duplicates returns how many events came again, for each that came.
func (s *spiderSpread) duplicates() float64 { return stats.Share(float64(s.repeated), float64(s.came)) }

// How events are published: rounds of one event for each topic, by one of its followers.
const (
	spreadSettles = 10 * time.Minute // for how long an overlay has time at most, after it is built, to swap its links
	spreadWarm    = 2                // rounds before it counts: trees grow
	spreadCounted = 3
	spreadEvery   = 50 * time.Millisecond // between two events
	spreadLate    = 2 * time.Minute       // when an event that has not come is lost
	spreadJoined  = 10 * time.Second      // for how long a follower is up before an event is due to it
)

// spreadEvent is an event, and the nodes to which it is due.
type spreadEvent struct {
	topic     int32
	publisher int32
	at        time.Duration
	due       map[int32]bool // followers that have not got it yet
	farthest  int            // hops to a follower
	last      time.Duration  // until the last follower had it
}

// spreadWorld is a world in which events are published.
type spreadWorld struct {
	*spiderWorld
	chance *rand.Rand
	events []*spreadEvent // by number, from 1
	counts bool
	stays  bool // each topic is published on by its last publisher
	spiderSpread
}

// spreadTrial is a way in which events are tried.
type spreadTrial struct {
	name string
	loss float64
	life time.Duration // for how long a node is up, on average; 0: all stay

	// stays makes one follower publish on each topic, as the primary does on a channel, until one more round by others
	// at the end.
	stays bool
	// far places nodes at PlanetLab's sites, where they find each other by gossip and know their coordinates; near
	// makes them prefer near neighbours.
	far, near bool
}

var spreadTrials = []spreadTrial{
	{name: "rest"}, {name: "loss5", loss: 0.05}, {name: "churn100", life: 100 * time.Second},
	{name: "stays", stays: true}, {name: "near", stays: true, far: true, near: true},
	{name: "anywhere", stays: true, far: true},
}

// setting returns what a trial's world is like.
func (t spreadTrial) setting(run *lab.Run, s sizes) spiderSetting {
	w := settings(s.Spread, overlay.Default())
	if t.far {
		w = settings(s.Near, overlay.Default())
		p := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), min(s.Near, testnet.PlanetLabSites), false)
		w.sites, w.near, w.gossip = &p, t.near, true
	}
	w.loss, w.member = t.loss, testnet.Reader{}
	return w
}

// measure builds an overlay of whole nodes and publishes.
func (t spreadTrial) measure(run *lab.Run, sizes sizes) spiderSpread {
	s := t.setting(run, sizes)
	up := s.Nodes
	if t.life > 0 {
		s.Nodes = s.Nodes * 5 / 4
	}
	w := &spreadWorld{spiderWorld: newSpiderWorld(run, s), chance: rand.New(rand.NewPCG(run.Seed(), 0x5d)),
		stays: t.stays}
	w.Observe(w.observe)
	if t.life > 0 {
		w.churn(up, t.life, w.gone)
		run.Pass(w.World, time.Minute)
	} else {
		w.build()
		w.settle(spreadSettles)
	}
	for range spreadWarm {
		w.round()
	}
	w.counts = true
	for range spreadCounted {
		w.round()
	}
	counted := len(w.events)
	if t.stays {
		w.counts, w.stays = false, false
		w.round()
	}
	run.Pass(w.World, spreadLate)
	for _, e := range w.events[spreadWarm*s.Topics:] {
		w.lost += len(e.due)
	}
	if t.stays {
		w.ways, w.others = w.compared(w.events[counted-s.Topics:counted]), w.compared(w.events[counted:])
	}
	run.Ran(w.World)
	return w.spiderSpread
}

func (w *spreadWorld) round() {
	for t := range int32(w.Topics) {
		w.publish(t)
		w.run.Pass(w.World, spreadEvery)
	}
	w.run.Pass(w.World, 10*time.Second)
}

func (w *spreadWorld) publish(topic int32) {
	e := &spreadEvent{topic: topic, at: w.Now(), due: make(map[int32]bool)}
	var ready []int32
	for n := range int32(w.Nodes) {
		if w.at(n) != nil && w.booted[n] <= w.Now()-spreadJoined && slices.Contains(w.work.Follows[n], topic) {
			ready = append(ready, n)
			e.due[n] = true
		}
	}
	w.events = append(w.events, e)
	if len(ready) == 0 {
		return
	}
	if last := len(w.events) - 1 - w.Topics; w.stays && last >= 0 {
		e.publisher = w.events[last].publisher
	} else {
		e.publisher = ready[w.chance.IntN(len(ready))]
	}
	m := testnet.NewNote(len(w.events))
	w.Do(sim.Node(e.publisher), func(p engine.Protocol) { p.(*spidercast.Node).Publish(w.ids[topic], m) })
}

func (w *spreadWorld) gone(n int32) {
	for _, e := range w.events {
		delete(e.due, n)
	}
}

func (w *spreadWorld) observe(at time.Duration, n sim.Node, event any) {
	switch t := event.(type) {
	case spread.Delivered:
		e := w.events[t.Digest-1]
		e.last = at - e.at
		if e.due[int32(n)] && w.counts {
			w.seconds = append(w.seconds, (at - e.at).Seconds())
		}
		delete(e.due, int32(n))
	case spread.Came:
		e := w.events[t.Digest-1]
		e.farthest = max(e.farthest, int(t.Hops))
		if !slices.Contains(w.work.Follows[n], e.topic) {
			w.unfollowed++
		}
		if w.counts {
			w.came++
		}
	case spread.Repeated:
		if w.counts {
			w.repeated++
		}
	}
}

// compared holds the longest ways of a round's events against their topics' diameters, and against the quickest over
// links.
func (w *spreadWorld) compared(round []*spreadEvent) (ways spreadWays) {
	g := w.graph(0)
	shapes := g.Shapes(true)
	for _, e := range round {
		ways.hops = append(ways.hops, stats.Share(float64(e.farthest), float64(max(shapes[e.topic].Diameter, 1))))
		ways.delays = append(ways.delays,
			stats.Share(float64(e.last), float64(g.Soonest(e.topic, e.publisher, w.oneWay))))
	}
	return ways
}
