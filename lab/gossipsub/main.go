// Command gossipsub measures GossipSub (go-libp2p-pubsub) and Tidings' trees side by side: the same number of
// nodes in one process on loopback, the same events at the same rate from one of them, one system
// after the other.
//
//	go run . [-nodes 50] [-rate 20] [-bytes 1024] [-for 20s] [-settle 65s] [-over tcp] [-only scribe]
//
// It is a module of its own, so that nothing of Tidings depends on go-libp2p-pubsub.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"text/tabwriter"
	"tidings/lab/cpu"
	"time"
)

// work is what all systems are given to do.
type work struct {
	nodes  int
	rate   int // events a second
	bytes  int // of an event
	length time.Duration
	settle time.Duration // before anything is measured
	over   string        // the transport: a key of loopback
}

// loopback is where hosts listen, by transport.
var loopback = map[string]string{"quic": "/ip4/127.0.0.1/udp/0/quic-v1", "tcp": "/ip4/127.0.0.1/tcp/0"}

// system is one way of bringing events to all nodes.
type system struct {
	name  string
	start func(ctx context.Context, w work, got func(node int, event []byte)) (running, error)
}

// running is a system with nodes that are connected and have settled.
type running struct {
	publish func(event []byte) error // at the first node
	sent    func() uint64            // bytes that all nodes have given to their streams, to send
	stop    func()
}

var systems = []system{
	{"gossipsub", startGossipSub},
	{"scribe", startScribe},
	{"feedtree", startFeedTree},
}

func main() {
	var w work
	flag.IntVar(&w.nodes, "nodes", 50, "nodes, the publisher among them")
	flag.IntVar(&w.rate, "rate", 20, "events a second")
	flag.IntVar(&w.bytes, "bytes", 1024, "bytes of an event, drawn by chance")
	flag.DurationVar(&w.length, "for", 20*time.Second, "how long events are published")
	flag.DurationVar(&w.settle, "settle", 65*time.Second,
		"how long nodes run before anything is measured: links of Tidings are at rest after a minute")
	flag.StringVar(&w.over, "over", "quic", "transport: quic, or tcp, with Noise and yamux")
	only := flag.String("only", "", "measure this system alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, w, *only); err != nil {
		fmt.Fprintln(os.Stderr, "gossipsub:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w work, only string) error {
	if w.nodes < 2 || w.rate < 1 || w.bytes < numberBytes || w.length <= 0 || w.settle < lastly {
		return fmt.Errorf("at least 2 nodes, an event a second, %d bytes and %v to settle are needed", numberBytes,
			lastly)
	}
	if loopback[w.over] == "" {
		return fmt.Errorf("-over %s: hosts speak quic or tcp", w.over)
	}
	fmt.Printf("%d nodes in one process over %s on loopback, %d events a second of %d bytes for %v; %s, %d cores\n\n",
		w.nodes, strings.ToUpper(w.over), w.rate, w.bytes, w.length, runtime.Version(), runtime.GOMAXPROCS(0))
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "system\tdelivered\tp50\tp99\tmost\tsent / payload\tCPU a delivery\tof it at rest\t")
	for _, s := range systems {
		if only != "" && s.name != only {
			continue
		}
		r, err := measure(ctx, s, w)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(table, s.name+"\t"+strings.Join(r.words(w), "\t")+"\t")
	}
	return table.Flush()
}

// measure starts a system, has it do the work, and stops it.
func measure(ctx context.Context, s system, w work) (r result, err error) {
	watch := newWatch(w)
	running, err := s.start(ctx, w, watch.got)
	if err != nil {
		return r, err
	}
	defer running.stop()
	if err := warmUp(ctx, w, running); err != nil {
		return r, err
	}
	runtime.GC()
	rest := cpu.Time()
	if err := pause(ctx, resting); err != nil {
		return r, err
	}
	r.rest = time.Duration(float64(cpu.Time()-rest) / float64(resting) * float64(w.length))
	before, sent := cpu.Time(), running.sent()
	if err := watch.publish(ctx, running.publish); err != nil {
		return r, err
	}
	r.cpu, r.sent = cpu.Time()-before, running.sent()-sent
	r.due, r.delays = watch.results()
	return r, nil
}

const (
	resting = 10 * time.Second // for which a system is measured that has nothing to do
	lastly  = 2 * time.Second  // in which the last events may still come
)

// warmUp has the publisher get to know its way: events that are not measured.
func warmUp(ctx context.Context, w work, r running) error {
	for range 20 {
		if err := r.publish(randomBytes(w.bytes)); err != nil {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return pause(ctx, w.settle)
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}
