package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/cluster"
	"tidings/lab/origin"
	"tidings/node"
	"tidings/store"
)

// SoakConfig says how long nodes are under load, and how much.
type SoakConfig struct {
	Nodes    int           // whole nodes in this process that share their polling
	Channels int           // of the origin; every node follows all of them
	For      time.Duration // of the load
	Clients  int           // at each node, of each kind: see client.go
	Samples  int           // of what must not grow, over the whole time
}

// leastSamples are needed to compare the middle third of them with the last.
const leastSamples = 3

// DefaultSoak returns the load of a busy afternoon, in 20 minutes. There are more channels than a node has slots for
// polls, so that all slots of all nodes hang in the end.
func DefaultSoak() SoakConfig {
	return SoakConfig{Nodes: 3, Channels: 400, For: 20 * time.Minute, Clients: 4, Samples: 120}
}

// Validate reports a size that measures nothing.
func (c SoakConfig) Validate() error {
	if c.Nodes < 1 || c.Channels < 1 || c.For <= 0 || c.Clients < 0 || c.Samples < leastSamples {
		return fmt.Errorf("%w soak: every size must be positive, and samples at least 3", tidings.ErrInvalid)
	}
	return nil
}

// interval is the time between the polls of a channel. Documents have changed some thirty times when the first third is
// over, by which time old content has begun to be removed.
func (c SoakConfig) interval() time.Duration { return max(c.For/100, node.MinLabInterval) }

// judgedAfter is how long a soak must last for its growth to mean anything. In the minutes before, caches fill, and old
// content is removed for the first time.
const judgedAfter = 5 * time.Minute

// stopAim is how long a node may need to stop, whatever it waits for.
const stopAim = 5 * time.Second

// stopWithin is when they are given up.
const stopWithin = time.Minute

// soak is a running one.
type soak struct {
	config  SoakConfig
	out     io.Writer
	dir     string
	origin  *origin.Origin
	base    string // of its documents' addresses
	names   []string
	cluster *cluster.Cluster
	samples []gauges
	silent  []net.Conn // clients and peers that say nothing while the nodes stop
}

// Soak loads nodes with changing documents, an origin of which one document in a hundred misbehaves at any time, and
// with clients that come and go, read slowly or say nothing. It samples memory, goroutines, descriptors and databases.
// Then it hangs as many polls at each node as it has slots, or channels if they are fewer. It opens streams that nobody
// reads and connections of peers that say nothing, stops the nodes and sees whether anything is left of them. It prints
// all that. Growth in a run of five minutes and more is an error, and so is what is left.
func Soak(ctx context.Context, c SoakConfig, out io.Writer) (err error) {
	if err := c.Validate(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tidings-soak-")
	if err != nil {
		return fmt.Errorf("making a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	before, err := readGauges(dir)
	if err != nil {
		return err
	}
	s := &soak{config: c, out: out, dir: dir}
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("soaking: %w", err)
	}
	return errors.Join(s.judge(), s.leftovers(ctx, before))
}

// run returns when the nodes and their origin have stopped.
func (s *soak) run(ctx context.Context) (err error) {
	stopOrigin, err := s.serve()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopOrigin()) }()
	config := cluster.Default()
	config.Nodes, config.HTTP, config.Dir = s.config.Nodes, "127.0.0.1:0", s.dir
	config.Change = func(_ int, n *node.Config) {
		n.Listen = append(n.Listen, "/ip4/127.0.0.1/tcp/0") // for silentPeers
		n.Interval, n.PruneEvery = s.config.interval(), s.config.interval()
		n.Keep = store.Retention{Versions: 5, Marks: 10, Orphans: time.Second}
	}
	if s.cluster, err = cluster.Start(ctx, config); err != nil {
		return err
	}
	defer func() {
		for _, conn := range s.silent {
			_ = conn.Close() // the node has closed it already
		}
	}()
	if err = s.load(ctx); err == nil {
		err = errors.Join(s.hang(ctx), s.fallSilent(ctx))
	}
	return errors.Join(err, s.stop())
}

// stop stops all nodes at once and returns an error if that lasts longer than stopAim.
func (s *soak) stop() error {
	began := time.Now()
	closed := make(chan error, 1)
	go func() { closed <- s.cluster.Close() }()
	select {
	case err := <-closed:
		elapsed := time.Since(began)
		fmt.Fprintf(s.out, "all %d nodes stopped in %.1f s while their polls hung (aim: %s)\n", s.config.Nodes,
			elapsed.Seconds(), stopAim)
		if elapsed > stopAim && s.config.For >= judgedAfter {
			err = errors.Join(err, fmt.Errorf("stopping lasted longer than %s", stopAim))
		}
		return err
	case <-time.After(stopWithin):
		_ = pprof.Lookup("goroutine").WriteTo(s.out, 1)
		return fmt.Errorf("nodes have not stopped after %s", stopWithin)
	}
}

// serve starts the origin and its documents. Of twenty there are one feed that changes with each request, four pages
// with a clock in them, and feeds that never change. That is still many times what people follow. With more changes
// retention, which works in small steps, falls behind.
func (s *soak) serve() (stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the origin: %w", err)
	}
	s.origin, s.base = origin.New(origin.Config{LogSize: 1}), "http://"+l.Addr().String()+"/"
	for i := range s.config.Channels {
		name := fmt.Sprintf("document%d", i)
		s.names = append(s.names, name)
		switch i % 20 {
		case 0:
			err = s.origin.AddFeed(name, origin.MakeFeed(uint64(i), 10, 4000), origin.Options{EachRequest: true})
		case 1, 2, 3, 4:
			err = s.origin.AddMade(name, clockPage, origin.Options{EachRequest: true})
		default:
			err = s.origin.AddFeed(name, origin.MakeFeed(uint64(i), 20, 10_000), origin.Options{})
		}
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	server := &http.Server{Handler: s.origin, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with Close
	return server.Close, nil
}

// clockPage has another clock in each state, and another text in every tenth.
func clockPage(state int) []byte {
	return fmt.Appendf(nil,
		`<!DOCTYPE html><html><head><title>Prices</title></head><body><p>Generated at 12:%02d:%02d</p>
<main><h1>Prices</h1><p>A loaf of bread costs %d cents today.</p><p>Nothing else has changed.</p></main></body></html>`,
		state/60%60, state%60, 200+state/10)
}

// load follows everything, keeps clients and faults busy for as long as it was asked to, and samples meanwhile.
func (s *soak) load(ctx context.Context) error {
	for _, m := range s.cluster.Members() {
		orders := make([]tidings.SubscribeRequest, len(s.names))
		for i, name := range s.names {
			orders[i].URL = s.base + name
		}
		errs, err := m.Node().SubscribeLater(ctx, tidings.Owner, orders)
		if err := errors.Join(append(errs, err)...); err != nil {
			return err
		}
	}
	busy, cancel := context.WithTimeout(ctx, s.config.For)
	defer cancel()
	work, busy := errgroup.WithContext(busy)
	work.Go(func() error { return s.misbehave(busy) })
	for _, m := range s.cluster.Members() {
		for i := range s.config.Clients {
			c := client{soak: s, node: m.Node(), data: m.Data, seed: uint64(i)}
			for _, live := range c.kinds() {
				work.Go(func() error { return live(busy) })
			}
		}
	}
	work.Go(func() error { return s.sample(ctx, busy) })
	return errors.Join(work.Wait(), ctx.Err())
}

// sample reads the gauges for as long as the nodes are busy, and on a slow machine until there are enough to judge.
func (s *soak) sample(ctx, busy context.Context) error {
	every := s.config.For / time.Duration(s.config.Samples+1)
	for sleep(busy, every) == nil || len(s.samples) < leastSamples && ctx.Err() == nil {
		g, err := readGauges(s.dir)
		if err != nil {
			return err
		}
		s.samples = append(s.samples, g)
	}
	return nil
}

// hangWithin bounds how long polls need until they hang: so long that only what never comes exceeds it.
const hangWithin = 10 * time.Minute

// hang has every document keep its readers waiting, and asks for a poll of each at each node. It returns when each node
// has as many polls under way as it can have.
func (s *soak) hang(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hangWithin)
	defer cancel()
	for _, name := range s.names {
		if err := s.origin.Fail(name, origin.Fault{Kind: "silent"}); err != nil {
			return err
		}
	}
	all := min(node.Default().Polls, s.config.Channels)
	for i, m := range s.cluster.Members() {
		if err := s.hangAt(ctx, m.Node(), all); err != nil {
			return fmt.Errorf("waiting for %d polls of node %d to hang: %w", all, i, err)
		}
	}
	fmt.Fprintf(s.out, "%d polls of each node hang, of %d slots\n", all, node.Default().Polls)
	return nil
}

// hangAt returns when so many polls of a node are under way. The requests for polls end then: the polls go on.
func (s *soak) hangAt(ctx context.Context, n *node.Node, all int) error {
	asking, answered := context.WithCancel(ctx)
	var asks errgroup.Group
	// errors are what a poll is refused with, or that nobody waits any more
	defer func() { answered(); _ = asks.Wait() }()
	for {
		for _, name := range s.names {
			asks.Go(func() error { _, err := n.PollNow(asking, tidings.Owner, s.base+name); return err })
		}
		for range int(askAgain / hangPause) {
			status, err := n.Status(ctx)
			if err != nil || status.PollingNow >= all {
				return err
			}
			if err := sleep(ctx, hangPause); err != nil {
				return err
			}
		}
	}
}

const (
	hangPause = 50 * time.Millisecond
	askAgain  = 5 * time.Second // a channel that was polled just now is not polled at once again
)

// Clients and peers of each node that say nothing while it stops.
const silentClients, silentPeers = 16, 16

// fallSilent opens streams of updates that nobody reads, and silent connections at the ports for other nodes.
func (s *soak) fallSilent(ctx context.Context) error {
	for _, m := range s.cluster.Members() {
		page := strings.TrimPrefix(m.Node().URL(), "http://")
		for range silentClients {
			conn, err := s.connect(ctx, page)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(conn, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				return fmt.Errorf("opening a stream: %w", err)
			}
			if _, err := conn.Read(make([]byte, 1)); err != nil { // its head comes when it is open
				return fmt.Errorf("opening a stream: %w", err)
			}
		}
		view, err := m.Node().Network(ctx)
		if err != nil {
			return err
		}
		for _, address := range view.Addresses {
			port, ok := tcpOf(address)
			for range silentPeers {
				if !ok {
					break
				}
				if _, err := s.connect(ctx, port); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// connect opens a connection that stays open until the nodes have stopped.
func (s *soak) connect(ctx context.Context, address string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	s.silent = append(s.silent, conn)
	return conn, nil
}

// tcpOf returns where a node listens by TCP: of "/ip4/127.0.0.1/tcp/4001/p2p/…", "127.0.0.1:4001".
func tcpOf(address string) (port string, ok bool) {
	parts := strings.Split(address, "/")
	if len(parts) < 5 || parts[3] != "tcp" {
		return "", false
	}
	return net.JoinHostPort(parts[2], parts[4]), true
}

// judge prints what was sampled and reports what has grown.
func (s *soak) judge() error {
	var grown []string
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tfirst\tlast\tmiddle third\tlast third\t")
	if len(s.samples) < leastSamples {
		return errors.New("fewer than three samples were read")
	}
	for _, k := range allGauges {
		before, after, more := k.growth(s.samples)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", k.name, k.text(k.of(s.samples[0])),
			k.text(k.of(s.samples[len(s.samples)-1])), k.text(before), k.text(after))
		if more {
			grown = append(grown, k.name)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	switch {
	case s.config.For < judgedAfter:
		fmt.Fprintf(s.out, "a run of %s says nothing of growth: it needs %s\n", s.config.For, judgedAfter)
	case len(grown) > 0:
		return fmt.Errorf("grown by more than 5 %%: %s", strings.Join(grown, ", "))
	default:
		fmt.Fprintln(s.out, "nothing has grown by more than 5 %")
	}
	return nil
}

// leftWithin bounds how long the remains of a stopped node need to end: connections of others notice it late.
const leftWithin = time.Minute

// leftovers reports goroutines and descriptors that are there after the nodes have stopped and were not before.
func (s *soak) leftovers(ctx context.Context, before gauges) error {
	for began := time.Now(); ; {
		now, err := readGauges(s.dir)
		if err != nil {
			return err
		}
		more := max(now.goroutines-before.goroutines, now.descriptors-before.descriptors)
		switch {
		case more <= 0:
			fmt.Fprintln(s.out, "no goroutine and no descriptor is left")
			return nil
		case time.Since(began) > leftWithin:
			_ = pprof.Lookup("goroutine").WriteTo(s.out, 1)
			return fmt.Errorf("left after all nodes have stopped: %d goroutines, %d descriptors",
				now.goroutines-before.goroutines, now.descriptors-before.descriptors)
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}
