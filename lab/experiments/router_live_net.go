package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tidings/lab"
	"tidings/lab/livenet"
	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/node"
)

// routerNet is a live network whose nodes lie at the sites of a matrix of round trips.
type routerNet struct {
	*livenet.Net
	run     *lab.Run
	sizes   routerLiveSizes
	latency *sim.Matrix
	work    livenet.Workload
	chance  *rand.Rand
	setup   routerSetup
	log     routerLog
	began   time.Time // of the log
	late    []float64 // see sampleLateness; in calm

	mu     sync.Mutex
	ids    []engine.ID       // by node
	number map[engine.ID]int // of nodes
	hung   map[int]chan struct{}
}

// routerLog takes note of what the nodes of a live network did.
type routerLog interface {
	add(d routerDeed)
	hear(at time.Duration, node int, event any) // what a node traces
	settled(channels int) bool                  // whether updates of so many channels come to all who have joined their topics
}

// routerSetup is what a live network has beside nodes that follow feeds. Fields may be nil.
type routerSetup struct {
	router   network.RouterName
	channels []livenet.Channel
	change   func(node int, c *node.Config)
	settled  func(n *routerNet) error                                             // waits for what the experiment needs to stand
	beside   func(n *routerNet, length time.Duration, away []int) []livenet.Event // what happens besides edits, by nodes that are not away
	after    func(n *routerNet) error                                             // what happens when nodes that left, or died, are back
}

// newRouterNet starts the nodes.
func newRouterNet(run *lab.Run, s routerLiveSizes, setup routerSetup, log routerLog) (*routerNet, error) {
	n := &routerNet{
		run: run, sizes: s, latency: planetLab(run.Seed()), chance: rand.New(rand.NewPCG(run.Seed(), 0x11fe)), setup: setup, log: log,
		began: time.Now(), ids: make([]engine.ID, s.Nodes), number: make(map[engine.ID]int), hung: make(map[int]chan struct{}),
	}
	n.work = livenet.Workload{
		Seed: run.Seed(), Nodes: s.Nodes, Interval: s.Interval, Polls: pollsAtATime, Router: setup.router,
	}
	followers := readersOf(subscribed(n.chance, s.Nodes, s.Channels, s.Least), s.Channels)
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
	return n, err
}

// fewestReaders is how many readers a channel has at least: with fewer there is no tree to speak of.
const fewestReaders = 3

// now is how much time the log has run.
func (n *routerNet) now() time.Duration { return time.Since(n.began) }

// change makes the i-th node one at a site, which writes into the log. It is called whenever the node starts.
func (n *routerNet) change(i int, c *node.Config) {
	c.Router, c.DirectUpTo = n.setup.router, 1
	if n.setup.change != nil {
		n.setup.change(i, c)
	}
	id, err := node.Identify(c.Data)
	if err != nil {
		panic(err) // livenet's Change cannot fail; the folder is new and ours
	}
	n.mu.Lock()
	n.ids[i], n.number[id] = id, i
	n.mu.Unlock()
	n.log.add(routerDeed{at: n.now(), node: i, what: boots})
	c.Delay = func(to engine.ID) time.Duration { return n.delay(i, to) }
	c.Trace = func(event any) {
		if hung := n.hangs(i); hung != nil {
			<-hung
			return
		}
		n.log.hear(n.now(), i, event)
	}
}

// delay returns how long a message from a node to another takes; a negative time is never.
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

// kill takes nodes out of the network as a power failure does: from one moment to the next nothing comes from them, or
// to them, and their protocols stand still. They end when the others have found out.
func (n *routerNet) kill(nodes []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, i := range nodes {
		n.hung[i] = make(chan struct{})
		n.log.add(routerDeed{at: n.now(), node: i, what: dies})
	}
}

// bury ends nodes that were killed.
func (n *routerNet) bury(nodes []int) error {
	release := time.AfterFunc(time.Second, func() { // when they have been told to stop, so that they do nothing else first
		for _, i := range nodes {
			close(n.hangs(i))
		}
	})
	defer release.Stop()
	return n.Play(livenet.Phase{Events: each(livenet.Stop, nodes)})
}

// revive starts nodes that were killed or have stopped.
func (n *routerNet) revive(nodes []int) error {
	n.mu.Lock()
	for _, i := range nodes {
		delete(n.hung, i)
	}
	n.mu.Unlock()
	return n.Play(livenet.Phase{Events: each(livenet.Start, nodes)})
}

// each returns an event for each of some nodes.
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
		events = append(events, livenet.Event{At: time.Duration(i) * step, Do: livenet.Edit, Node: livenet.Origin, Channels: channel})
	}
	return events
}

// settleWithin is how long it may take until all trees stand.
const settleWithin = 10 * time.Minute

// settle changes all feeds until each has a tree that all its subscribers are in.
func (n *routerNet) settle() error {
	for deadline := time.Now().Add(settleWithin); !n.log.settled(n.sizes.Channels); {
		if time.Now().After(deadline) {
			return fmt.Errorf("after %s some subscribers are in no tree", settleWithin)
		}
		if err := n.Play(livenet.Phase{For: n.sizes.Every, Events: n.edits(n.sizes.Every), Await: true}); err != nil {
			return err
		}
	}
	if err := n.stands(); err != nil {
		return err
	}
	return n.Wait(n.sizes.Settle)
}

// stands waits until all nodes have what the experiment needs beside trees.
func (n *routerNet) stands() error {
	if n.setup.settled == nil {
		return nil
	}
	return n.setup.settled(n)
}

// live lets everything happen.
func (n *routerNet) live() (parts rappelSpans, err error) {
	s := n.sizes
	var begin livenet.Phase
	for i := range s.Nodes {
		at := s.Subscribe * time.Duration(i) / time.Duration(s.Nodes)
		begin.Events = append(begin.Events, n.work.Subscribe(i, n.work.Follows(i), at, 0)...)
	}
	begin.Await = true
	n.run.Stage("subscribing", 0.2)
	if err = n.Play(begin); err != nil {
		return parts, err
	}
	if err = n.settle(); err != nil {
		return parts, err
	}
	n.run.Stage("updates", 0.4)
	parts.calm = n.now()
	ctx, stop := context.WithCancel(n.run.Context())
	var sampling sync.WaitGroup
	sampling.Go(func() { n.late = sampleLateness(ctx) })
	err = n.Play(livenet.Phase{For: s.Calm, Events: n.happens(s.Calm), Await: true})
	stop()
	sampling.Wait()
	if err != nil {
		return parts, err
	}
	parts.trouble = n.now()
	if err = n.trouble(); err != nil {
		return parts, err
	}
	if n.setup.after != nil {
		if err = n.setup.after(n); err != nil {
			return parts, err
		}
	}
	parts.end = n.now()
	rest := s.Interval
	if s.full() {
		rest = treeGrace
	}
	err = n.Wait(rest)
	parts.over = n.now()
	return parts, err
}

// trouble has nodes leave trees, stop, be killed and come back, while channels change.
func (n *routerNet) trouble() error {
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
	if err := n.Play(livenet.Phase{For: s.Part, Events: append(n.happens(s.Part, goers...), leave...)}); err != nil {
		return err
	}
	for _, i := range stopped {
		n.log.add(routerDeed{at: n.now(), node: i, what: stops})
	}
	if err := n.Play(livenet.Phase{Events: each(livenet.Stop, stopped)}); err != nil {
		return err
	}
	return n.killFor(s.Part, killed, stopped, n.happens(s.Part, goers...))
}

// killFor kills nodes while something happens, and has them come back, with others that have stopped.
func (n *routerNet) killFor(length time.Duration, killed, stopped []int, happens []livenet.Event) error {
	n.kill(killed)
	away := length
	if len(killed) > 0 {
		away = max(away, unnoticed)
	}
	if err := n.Play(livenet.Phase{For: away, Events: happens}); err != nil {
		return err
	}
	if err := n.bury(killed); err != nil {
		return err
	}
	if err := n.revive(append(stopped, killed...)); err != nil {
		return err
	}
	if err := n.stands(); err != nil {
		return err
	}
	return n.Play(livenet.Phase{For: length, Events: n.happens(length), Await: true})
}

// unnoticed is how long nodes that hang are left in the network: others know then that they do.
const unnoticed = 15 * time.Second

// runRouterLive lets everything happen to whole nodes with a router, and gives the figures that all such experiments have.
func runRouterLive(run *lab.Run, s routerLiveSizes, setup routerSetup, log routerLog) (*routerNet, error) {
	run.Stage("starting the nodes", 0.1)
	n, err := newRouterNet(run, s, setup, log)
	if err != nil {
		return nil, err
	}
	_, err = n.live()
	n.Deafen()
	ends := n.Close()
	if err != nil {
		return nil, errors.Join(err, ends)
	}
	var feeds []int
	for i := range s.Channels {
		feeds = append(feeds, i)
	}
	told := n.Tally(routerRules, feeds...)
	run.Figure("live.told_median_seconds", quantile(told.Latencies, 0.5))
	run.Figure("live.told_p95_seconds", quantile(told.Latencies, 0.95))
	run.Figure("live.due", float64(told.Due))
	run.Figure("live.lost", float64(told.Lost))
	run.Figure("live.twice", float64(told.Twice))
	run.Figure("live.noise", float64(told.Noise))
	giveFailures(run, "live.node_errors", n.Failures())
	if ends != nil {
		run.Remark("At the end, " + ends.Error()) // what was measured stands all the same
	}
	return n, nil
}

// routerRules say what is due in experiments with whole nodes.
var routerRules = livenet.Rules{Grace: treeGrace, First: true}

// expectRouterLive returns the figures of runRouterLive, with those of an experiment between what is due and how soon it is told.
func expectRouterLive(own ...lab.Expected) []lab.Expected {
	all := []lab.Expected{
		{Name: "live.told_median_seconds", Unit: "s", Aside: true},
		{Name: "live.told_p95_seconds", Unit: "s", Aside: true},
	}
	all = append(append(all, own...),
		lab.Expected{Name: "live.due", Within: lab.AtLeast(1)},
		lab.Expected{Name: "live.lost", Within: lab.Exactly(0)},
		lab.Expected{Name: "live.twice", Within: lab.Exactly(0)},
		lab.Expected{Name: "live.noise", Within: lab.Exactly(0)},
		lab.Expected{Name: "live.node_errors", Within: lab.Exactly(0)},
	)
	for i := range all {
		all[i].OfMachine = true
	}
	return all
}
