// Package routers measures routers with whole nodes, and connections as slow as those between sites of PlanetLab.
package routers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/livenet"
	"tidings/lab/stats"
	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/latency"
	"tidings/node"
	"tidings/node/identity"
)

// routerNet is a live network with nodes at the sites of a matrix of round trips.
type routerNet struct {
	*livenet.Net
	run     *lab.Run
	sizes   sizes
	latency *latency.Matrix
	work    livenet.Workload
	chance  *rand.Rand
	setup   routerSetup
	log     routerLog
	began   time.Time // of the log
	late    []float64 // see sampleLateness; in calm
	parts   spans
	tally   livenet.Tally // of the feeds, by the nodes' streams

	mu     sync.Mutex
	ids    []engine.ID       // by node
	number map[engine.ID]int // of nodes
	hung   map[int]chan struct{}
}

// routerLog records the actions of a live network's nodes.
type routerLog interface {
	add(d deed)
	observe(at time.Duration, node int, event any) // what a node traces
	// whether updates of so many channels come to all nodes that have joined their topics
	settled(channels int) bool
}

// routerSetup is what a live network has beside nodes that follow feeds. Fields may be nil.
type routerSetup struct {
	router   network.RouterName
	channels []livenet.Channel
	change   func(node int, c *node.Config)
	// waits for what the experiment needs to stand
	settled func(n *routerNet)
	// what happens besides edits, by nodes that are not away
	beside func(n *routerNet, length time.Duration, away []int) []livenet.Event
	// what happens when nodes that left, or died, are back
	after func(n *routerNet)
	ends  func() // called before nodes are stopped
}

func newRouterNet(run *lab.Run, s sizes, setup routerSetup, log routerLog) *routerNet {
	n := &routerNet{
		run: run, sizes: s, latency: testnet.PlanetLab(run.Seed()), chance: rand.New(rand.NewPCG(run.Seed(), 0x11fe)),
		setup: setup, log: log,
		began: time.Now(), ids: make([]engine.ID, s.Nodes), number: make(map[engine.ID]int),
		hung: make(map[int]chan struct{}),
	}
	n.work = livenet.Workload{
		Seed: run.Seed(), Nodes: s.Nodes, Interval: s.Interval, Polls: livenet.PollsAtATime, Router: setup.router,
	}
	followers := testnet.ReadersOf(testnet.Subscribed(n.chance, s.Nodes, s.Channels, s.Least), s.Channels)
	for i, readers := range followers {
		for len(readers) < min(fewestReaders, s.Nodes) { // word of mouth has not reached more
			if r := n.chance.IntN(s.Nodes); !slices.Contains(readers, r) {
				readers = append(readers, r)
			}
		}
		c := livenet.Channel{Name: fmt.Sprint("feed-", i), Kind: livenet.Edited, Readers: readers}
		n.work.Channels = append(n.work.Channels, c)
	}
	n.work.Channels = append(n.work.Channels, setup.channels...)
	var err error
	n.Net, err = livenet.Launch(run.Context(), n.work, livenet.Options{Change: n.change, Progress: run.Part})
	run.Must(err)
	return n
}

// fewestReaders is how many readers a channel has at least: with fewer there is no tree to speak of.
const fewestReaders = 3

func (n *routerNet) now() time.Duration { return time.Since(n.began) }

// change makes the i-th node one at a site, which writes into the log. It is called whenever the node starts.
func (n *routerNet) change(i int, c *node.Config) {
	// The subject is how updates travel. Hosts have no ceiling, so that no node waits for grants anew when owners of
	// hosts are killed.
	c.Router, c.DirectUpTo, c.HostCeiling = n.setup.router, 1, 0
	if n.setup.change != nil {
		n.setup.change(i, c)
	}
	c.New = true // it has its key already
	id, err := identity.Identify(c.Data)
	if err != nil {
		panic(err) // livenet's Change cannot fail; the folder is new and ours
	}
	n.mu.Lock()
	n.ids[i], n.number[id] = id, i
	n.mu.Unlock()
	n.log.add(deed{at: n.now(), node: i, what: boots})
	c.Delay = func(to engine.ID) time.Duration { return n.delay(i, to) }
	c.Trace = func(event any) {
		if hung := n.hangs(i); hung != nil {
			<-hung
			return
		}
		n.log.observe(n.now(), i, event)
	}
}

// delay returns how long a message from a node to another is under way; a negative time is never.
func (n *routerNet) delay(from int, id engine.ID) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	to, known := n.number[id]
	switch {
	case !known:
		return 0
	case n.hung[from] != nil || n.hung[to] != nil:
		return -1
	}
	return n.latency.Between(nil, sim.Node(from), sim.Node(to))
}

// hangs returns what closes when a node that hangs is to end; nil: it does not hang.
func (n *routerNet) hangs(i int) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hung[i]
}

// kill removes nodes from the network as a power failure does. From one moment to the next nothing comes from them, or
// to them, and their protocols stand still. They end when the others have noticed.
func (n *routerNet) kill(nodes []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, i := range nodes {
		n.hung[i] = make(chan struct{})
		n.log.add(deed{at: n.now(), node: i, what: dies})
	}
}

func (n *routerNet) bury(nodes []int) {
	release := time.AfterFunc(time.Second, func() { // once they are stopping, so that they do nothing else first
		for _, i := range nodes {
			close(n.hangs(i))
		}
	})
	defer release.Stop()
	n.run.Must(n.Play(livenet.Phase{Events: each(livenet.Stop, nodes)}))
}

// revive starts nodes that were killed or have stopped.
func (n *routerNet) revive(nodes []int) {
	n.mu.Lock()
	for _, i := range nodes {
		delete(n.hung, i)
	}
	n.mu.Unlock()
	n.run.Must(n.Play(livenet.Phase{Events: each(livenet.Start, nodes)}))
}

func each(do livenet.Action, nodes []int) (events []livenet.Event) {
	for _, i := range nodes {
		events = append(events, livenet.Event{Do: do, Node: i})
	}
	return events
}

// happens returns what happens in a time that has no trouble of its own, by nodes that are not away.
func (n *routerNet) happens(length time.Duration, away ...int) []livenet.Event {
	events := n.edits(length)
	if n.setup.beside != nil {
		events = append(events, n.setup.beside(n, length, away)...)
	}
	return events
}

// edits changes all feeds again and again for a time, one after the other.
func (n *routerNet) edits(length time.Duration) (events []livenet.Event) {
	step := n.sizes.Every / time.Duration(n.sizes.Channels)
	for i := 0; time.Duration(i)*step < length; i++ {
		channel := []int{i % n.sizes.Channels}
		events = append(events, livenet.Event{At: time.Duration(i) * step, Do: livenet.Edit, Node: livenet.Origin,
			Channels: channel})
	}
	return events
}

// settleWithin is how long all trees may need to stand.
const settleWithin = 10 * time.Minute

// settle changes all feeds until each has a tree that all its subscribers are in.
func (n *routerNet) settle() {
	for deadline := time.Now().Add(settleWithin); !n.log.settled(n.sizes.Channels); {
		if time.Now().After(deadline) {
			n.run.Must(fmt.Errorf("after %s some subscribers are in no tree", settleWithin))
		}
		n.run.Must(n.Play(livenet.Phase{For: n.sizes.Every, Events: n.edits(n.sizes.Every), Await: true}))
	}
	n.stands()
	n.run.Must(n.Wait(n.sizes.Settle))
}

// stands waits until all nodes have what the experiment needs beside trees.
func (n *routerNet) stands() {
	if n.setup.settled != nil {
		n.setup.settled(n)
	}
}

// spans are the times of a run: when its parts begin, from when on items are not judged any more, and when the run is
// over.
type spans struct{ calm, trouble, end, over time.Duration }

func (n *routerNet) live() {
	s := n.sizes
	var begin livenet.Phase
	for i := range s.Nodes {
		at := s.Subscribe * time.Duration(i) / time.Duration(s.Nodes)
		begin.Events = append(begin.Events, n.work.Subscribe(i, n.work.Follows(i), at, 0)...)
	}
	begin.Await = true
	n.run.Stage("subscribing", 0.2)
	n.run.Must(n.Play(begin))
	n.settle()
	n.run.Stage("updates", 0.4)
	n.parts.calm = n.now()
	ctx, stop := context.WithCancel(n.run.Context())
	var sampling sync.WaitGroup
	sampling.Go(func() { n.late = sampleLateness(ctx) })
	err := n.Play(livenet.Phase{For: s.Calm, Events: n.happens(s.Calm), Await: true})
	stop()
	sampling.Wait()
	n.run.Must(err)
	n.parts.trouble = n.now()
	n.trouble()
	if n.setup.after != nil {
		n.setup.after(n)
	}
	n.parts.end = n.now()
	rest := s.Interval
	if s.full() {
		rest = treeGrace
	}
	n.run.Must(n.Wait(rest))
	n.parts.over = n.now()
}

// trouble has nodes leave trees, stop, be killed and come back, while channels change.
func (n *routerNet) trouble() {
	s := n.sizes
	n.run.Stage("leaving, dying and coming back", 0.4)
	goers := n.chance.Perm(s.Nodes - 1)[:s.Killed+s.Stopped+s.Leaving] // all but the first, by which others join
	for i := range goers {
		goers[i]++
	}
	killed, stopped, leaving := goers[:s.Killed], goers[s.Killed:s.Killed+s.Stopped], goers[s.Killed+s.Stopped:]
	var leave []livenet.Event
	for _, i := range leaving {
		follows := n.work.Follows(i)
		leave = append(leave, livenet.Event{Do: livenet.Unsubscribe, Node: i, Channels: follows[:(len(follows)+1)/2]})
	}
	n.run.Must(n.Play(livenet.Phase{For: s.Part, Events: append(n.happens(s.Part, goers...), leave...)}))
	for _, i := range stopped {
		n.log.add(deed{at: n.now(), node: i, what: stops})
	}
	n.run.Must(n.Play(livenet.Phase{Events: each(livenet.Stop, stopped)}))
	n.killFor(s.Part, killed, stopped, n.happens(s.Part, goers...))
}

// killFor kills nodes while something happens, and has them come back, with others that have stopped.
func (n *routerNet) killFor(length time.Duration, killed, stopped []int, happens []livenet.Event) {
	n.kill(killed)
	away := length
	if len(killed) > 0 {
		away = max(away, unnoticed)
	}
	n.run.Must(n.Play(livenet.Phase{For: away, Events: happens}))
	n.bury(killed)
	n.revive(append(stopped, killed...))
	n.stands()
	n.run.Must(n.Play(livenet.Phase{For: length, Events: n.happens(length), Await: true}))
}

// unnoticed is how long nodes that hang are left in the network: others know then that they do.
const unnoticed = 15 * time.Second

// treeGrace is how long a node that stays up may lack an update. A part of one of Rappel's trees may need as long to
// notice that the root is another, three pings, and then to join and pull.
const treeGrace = 2 * time.Minute

var rules = livenet.Rules{Grace: treeGrace, First: true}

// measure lets everything happen to whole nodes with a router.
func measure(run *lab.Run, s sizes, setup routerSetup, log routerLog) *routerNet {
	run.Stage("starting the nodes", 0.1)
	n := newRouterNet(run, s, setup, log)
	ends := n.While(func() {
		n.live()
		n.Deafen()
		if setup.ends != nil {
			setup.ends()
		}
	})
	n.Remark(run, ends)
	var feeds []int
	for i := range s.Channels {
		feeds = append(feeds, i)
	}
	n.tally = n.Tally(rules, feeds...)
	return n
}

// figures are those of a router. Its own ones stand between what is due and how soon it is delivered.
func figures(own lab.Figures[*routerNet]) (f lab.Figures[*routerNet]) {
	f.Report("live.told_median_seconds", "s",
		func(n *routerNet) float64 { return stats.Quantile(n.tally.Latencies, 0.5) })
	f.Report("live.told_p95_seconds", "s",
		func(n *routerNet) float64 { return stats.Quantile(n.tally.Latencies, 0.95) })
	f = append(f, own...)
	f.Judge("live.due", "", lab.AtLeast(1), func(n *routerNet) float64 { return float64(n.tally.Due) })
	f.Judge("live.lost", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(n.tally.Lost) })
	f.Judge("live.twice", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(n.tally.Twice) })
	f.Judge("live.noise", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(n.tally.Noise) })
	f.Judge("live.node_errors", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(n.Failures().Count) })
	return f.OfMachine()
}

// sampleLateness measures, until ctx ends, by how many seconds short sleeps of this process are too long. A busy
// machine adds that at each node on an update's way. The result is ascending.
func sampleLateness(ctx context.Context) (seconds []float64) {
	const pause = 50 * time.Millisecond
	for {
		begin := time.Now()
		select {
		case <-ctx.Done():
			slices.Sort(seconds)
			return seconds
		case <-time.After(pause):
			seconds = append(seconds, (time.Since(begin) - pause).Seconds())
		}
	}
}
