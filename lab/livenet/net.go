package livenet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tidings"
	"tidings/cluster"
	"tidings/delivery/api"
	"tidings/lab"
	"tidings/lab/origin"
	"tidings/lab/process"
	"tidings/node"
)

// Options are a network's settings beside its workload.
type Options struct {
	// Change, if not nil, changes the configuration of the i-th node. It is called at each start of a node of this
	// process, for several nodes at a time, and not for processes of their own.
	Change func(i int, c *node.Config)

	// Progress, if not nil, is called about once a second with how much of a phase's time has passed.
	Progress func(done, of int)
}

// Net is a running test network. Its methods are for one goroutine.
type Net struct {
	Nodes []*Node
	Polls *Polls    // what the origin was asked
	Began time.Time // when the nodes were there, which is when all times of the network begin

	work    Workload
	options Options
	ctx     context.Context
	stop    context.CancelFunc
	deafen  context.CancelFunc // ends listening
	parts   sync.WaitGroup
	ears    sync.WaitGroup // those that listen
	dir     string
	hosts   []string // addresses of the origin
	origin  *origin.Origin
	index   map[string]int // of channels, by name
	byURL   map[string]int // likewise
	sites   []*site        // by channel; nil: recorded

	starting sync.Mutex // one node is started at a time
	cluster  *cluster.Cluster
}

// Launch starts the origin and all nodes but those that join later, and waits until they form one ring. Then the
// publishers publish what their feeds have. It leaves nothing behind if it returns an error.
func Launch(ctx context.Context, w Workload, o Options) (_ *Net, err error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("starting a test network: %w", err)
	}
	n := &Net{work: w, options: o, index: make(map[string]int), byURL: make(map[string]int),
		sites: make([]*site, len(w.Channels)), deafen: func() {}}
	n.ctx, n.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting a test network: %w", errors.Join(err, n.Close()))
		}
	}()
	if n.dir, err = os.MkdirTemp("", "tidings-live-"); err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
	}
	for _, start := range []func() error{n.startNodes, n.serve, n.publishAll} {
		if err := start(); err != nil {
			return nil, err
		}
	}
	n.Listen()
	return n, nil
}

// startNodes starts the nodes and waits for one ring.
func (n *Net) startNodes() error {
	w := &n.work
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	for i := range w.total() {
		node := &Node{net: n, Index: i, there: make(chan struct{}), follows: make(map[int][]*Subscription)}
		if i < w.Processes {
			node.process = &process.Process{
				Program: program, Data: filepath.Join(n.dir, fmt.Sprint("process-", i)), Polls: w.Interval,
				Router: w.Router,
			}
			node.data, node.Client = node.process.Data, node.process.Client()
		}
		n.Nodes = append(n.Nodes, node)
	}
	c := cluster.Default()
	c.Nodes, c.HTTP, c.Dir, c.Seed = w.Nodes, "127.0.0.1:0", n.dir, w.Seed
	c.Change = func(i int, c *node.Config) {
		c.Interval, c.Polls, c.Router = w.Interval, cmp.Or(w.Polls, c.Polls), w.Router
		if n.options.Change != nil {
			n.options.Change(w.Processes+i, c)
		}
	}
	if n.cluster, err = cluster.Start(n.ctx, c); err != nil {
		return err
	}
	join, err := n.cluster.Members()[0].Address(n.ctx)
	if err != nil {
		return err
	}
	var clients []*api.Client
	for i, node := range n.Nodes[:w.Processes+w.Nodes] {
		if node.process != nil {
			node.process.Join = join
			err = node.process.Start(n.ctx)
		} else {
			node.joined(n.cluster.Members()[i-w.Processes])
		}
		if err != nil {
			return err
		}
		clients = append(clients, node.Client)
	}
	ctx, cancel := context.WithTimeout(n.ctx, ringWithin)
	defer cancel()
	return process.AwaitRing(ctx, clients)
}

// ringWithin bounds how long the nodes need to form one ring.
const ringWithin = 5 * time.Minute

// serve starts the origin, and with it the time.
func (n *Net) serve() error {
	var err error
	n.Began = time.Now()
	n.Polls = newPolls(n)
	start := n.Began.Add(n.work.Calm)
	n.origin = origin.New(origin.Config{Start: start, Speed: n.work.Speed, LogSize: 1, Observe: n.Polls.observe})
	for range max(1, n.work.Hosts) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("starting the origin: %w", err)
		}
		n.hosts = append(n.hosts, "http://"+listener.Addr().String()+"/")
		n.parts.Go(func() { _ = n.origin.Serve(n.ctx, listener) }) // polls that fail are counted
	}
	for i := range n.work.Channels {
		n.index[n.work.Channels[i].Name], n.byURL[n.URL(i)] = i, i
	}
	for i := range n.work.Channels {
		c := &n.work.Channels[i]
		switch c.Kind {
		case Recorded:
			err = n.origin.Add(c.Name, c.History, origin.Options{})
		case Sent, Selected:
			n.sites[i] = &site{net: n, name: c.Name, index: make(map[string]int32)}
		default:
			n.sites[i], err = newSite(n, i)
		}
		if err != nil {
			return err
		}
	}
	for i, node := range n.Nodes[:n.work.Processes+n.work.Nodes] {
		if err := node.came(); err != nil {
			return fmt.Errorf("asking node %d for its status: %w", i, err)
		}
	}
	return nil
}

// URL returns the address of a channel.
func (n *Net) URL(channel int) string {
	switch c := &n.work.Channels[channel]; c.Kind {
	case Sent:
		return tidings.ZoneURL(c.Zone)
	case Selected:
		return tidings.QueryURL(c.Query)
	default:
		return n.hosts[channel%len(n.hosts)] + c.Name
	}
}

// Now is how much time has passed since the beginning.
func (n *Net) Now() time.Duration { return time.Since(n.Began) }

// Context ends when the network is closed, or a run ends.
func (n *Net) Context() context.Context { return n.ctx }

// Wait lets time pass. It returns an error if the run is to end early.
func (n *Net) Wait(d time.Duration) error { return sleep(n.ctx, time.Now().Add(d)) }

func sleep(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}

// within polls whether something has happened, until it has or time is over, and returns the last result.
func (n *Net) within(d, pause time.Duration, happened func() (bool, error)) (bool, error) {
	for deadline := time.Now().Add(d); ; {
		if ok, err := happened(); ok || err != nil || time.Now().After(deadline) {
			return ok, err
		}
		if err := n.Wait(pause); err != nil {
			return false, err
		}
	}
}

// Listen begins to listen to all nodes again, after Deafen, from where it ended.
func (n *Net) Listen() {
	var ctx context.Context
	ctx, n.deafen = context.WithCancel(n.ctx)
	for _, node := range n.Nodes {
		n.ears.Go(func() { node.listen(ctx) })
	}
}

// Deafen ends all listening. What nodes report meanwhile is received at the next Listen.
func (n *Net) Deafen() {
	n.deafen()
	n.ears.Wait()
}

// Failures returns what the nodes of this process have logged as errors. It may be called after Close.
func (n *Net) Failures() cluster.Failures { return n.cluster.Failures() }

// Remark shows the first error that a node has logged, the first of what was reported twice, and, if not nil, how the
// network ended. The measurements stand all the same.
func (n *Net) Remark(run *lab.Run, ends error) {
	if f := n.Failures(); f.Count > 0 {
		run.Remark("The first error that a node logged: " + f.First)
	}
	if again := n.twice(); len(again) > 0 {
		run.Remark(fmt.Sprintf("%d facts were reported twice, first %s.", len(again), again[0]))
	}
	if ends != nil {
		run.Remark("At the end, " + ends.Error())
	}
}

// While closes the network when something is done, even if a run ends meanwhile.
func (n *Net) While(do func()) (err error) {
	defer func() { err = n.Close() }()
	do()
	return nil
}

// Close ends everything and removes what was stored; what was measured stays.
func (n *Net) Close() error {
	n.stop()
	n.Deafen()
	for _, node := range n.Nodes {
		if node.process != nil {
			node.process.Kill()
		}
		if node.Client != nil {
			node.Client.Close()
		}
	}
	var err error
	if n.cluster != nil {
		err = n.cluster.Close()
	}
	n.parts.Wait()
	return errors.Join(err, os.RemoveAll(n.dir))
}
