package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/spidercast"
	"tidings/network/spidercast/spread"
)

// spiderSpread is what became of events that were published.
type spiderSpread struct {
	lost       int       // deliveries to followers that were up and stayed up
	came       int       // events at nodes, for the first time
	repeated   int       // and once more
	hops       []float64 // by topic: the longest way of its last event, over the topic's diameter
	seconds    []float64 // deliveries' delays
	unfollowed int       // events at nodes that do not follow the topic
}

// duplicates returns how many events came again, for each that came.
func (s *spiderSpread) duplicates() float64 { return share(float64(s.repeated), float64(s.came)) }

// eventTaker wants all events.
type eventTaker struct{}

func (eventTaker) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	n, ok := event.(*note)
	if !ok {
		return 0, 0, false
	}
	return n.Number, noteBytes, true
}

func (eventTaker) Deliver(engine.ID, engine.Message, engine.Peer) {}

// How events are published: rounds of one event for each topic, by one of its followers.
const (
	spreadWarm    = 2 // rounds before it counts: trees grow
	spreadCounted = 3
	spreadEvery   = 50 * time.Millisecond // between two events
	spreadLate    = 2 * time.Minute       // when an event that has not come is lost
	spreadJoined  = 10 * time.Second      // for how long a follower is up to whom an event is due
)

// spreadEvent is an event, and to whom it is due.
type spreadEvent struct {
	topic    int32
	at       time.Duration
	due      map[int32]bool // followers that have not got it yet
	farthest int
}

// spreadWorld is a world in which events are published.
type spreadWorld struct {
	*spiderWorld
	chance *rand.Rand
	topic  map[engine.ID]int32
	events []*spreadEvent // by number, from 1
	counts bool
	spiderSpread
}

// spreadTrials are the ways in which events are tried.
var spreadTrials = []struct {
	name string
	loss float64
	life time.Duration // for how long a node is up, on average; 0: all stay
}{{"rest", 0, 0}, {"loss5", 0.05, 0}, {"churn100", 0, 100 * time.Second}}

// measureSpread builds an overlay of whole nodes and publishes. life above 0: nodes come and go meanwhile.
func measureSpread(run *lab.Run, s spiderSetting, life time.Duration) (spiderSpread, error) {
	up := s.Nodes
	if life > 0 {
		s.Nodes = s.Nodes * 5 / 4
	}
	s.member = eventTaker{}
	w := &spreadWorld{spiderWorld: newSpiderWorld(run, s), chance: rand.New(rand.NewPCG(run.Seed(), 0x5d)), topic: make(map[engine.ID]int32)}
	for t, id := range w.ids {
		w.topic[id] = int32(t)
	}
	w.Observe(w.hear)
	var err error
	if life > 0 {
		w.churn(up, life, w.gone)
		err = run.Pass(w.World, time.Minute)
	} else {
		err = w.build()
	}
	for range spreadWarm {
		err = firstError(err, w.round())
	}
	w.counts = true
	for range spreadCounted {
		err = firstError(err, w.round())
	}
	if err = firstError(err, run.Pass(w.World, spreadLate)); err != nil {
		return w.spiderSpread, err
	}
	for _, e := range w.events[spreadWarm*s.Topics:] {
		w.lost += len(e.due)
	}
	if life == 0 {
		w.compareHops()
	}
	run.Ran(w.World)
	return w.spiderSpread, nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// round publishes an event on each topic.
func (w *spreadWorld) round() error {
	for t := range int32(w.Topics) {
		w.publish(t)
		if err := w.run.Pass(w.World, spreadEvery); err != nil {
			return err
		}
	}
	return w.run.Pass(w.World, 10*time.Second)
}

func (w *spreadWorld) publish(topic int32) {
	e := &spreadEvent{topic: topic, at: w.Now(), due: make(map[int32]bool)}
	var ready []int32
	for n := range int32(w.Nodes) {
		if w.at(n) != nil && w.booted[n] <= w.Now()-spreadJoined && slices.Contains(w.work.follows[n], topic) {
			ready = append(ready, n)
			e.due[n] = true
		}
	}
	w.events = append(w.events, e)
	if len(ready) == 0 {
		return
	}
	m := &note{Number: uint64(len(w.events)), Text: make([]byte, noteBytes)}
	w.Do(sim.Node(ready[w.chance.IntN(len(ready))]), func(p engine.Protocol) { p.(*spidercast.Node).Publish(w.ids[topic], m) })
}

// gone takes note that a node has gone: nothing is due to it.
func (w *spreadWorld) gone(n int32) {
	for _, e := range w.events {
		delete(e.due, n)
	}
}

// hear takes note of what nodes trace.
func (w *spreadWorld) hear(at time.Duration, n sim.Node, event any) {
	switch t := event.(type) {
	case spread.Delivered:
		e := w.events[t.Digest-1]
		if e.due[int32(n)] && w.counts {
			w.seconds = append(w.seconds, (at - e.at).Seconds())
		}
		delete(e.due, int32(n))
	case spread.Came:
		e := w.events[t.Digest-1]
		e.farthest = max(e.farthest, int(t.Hops))
		if !slices.Contains(w.work.follows[n], e.topic) {
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

// compareHops holds the longest ways of each topic's last event against its diameter.
func (w *spreadWorld) compareHops() {
	shapes := w.graph(0).shapes(true)
	for _, e := range w.events[len(w.events)-w.Topics:] {
		w.hops = append(w.hops, share(float64(e.farthest), float64(max(shapes[e.topic].diameter, 1))))
	}
}
