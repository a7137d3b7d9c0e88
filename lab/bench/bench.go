// Package bench measures a whole node against an origin on loopback, in one process: how many polls it makes a second
// and what they cost, how much memory it holds, and the time of a change from the origin to the node's listeners.
//
// CPU time is that of the whole process, origin included, so that a poll's cost is the cost of both ends. Figures of
// one run can be compared with one another; machines differ.
package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/node"
)

// Config says how large and how long the measurements are.
type Config struct {
	Channels int           // watched at a time, for polls a second
	Held     int           // watched at a time, for memory
	For      time.Duration // of each measurement of polls
	Changes  int           // for latency
	Bytes    int           // of a feed's document
	Items    int           // in it
}

// Validate reports a size that measures nothing.
func (c Config) Validate() error {
	if c.Channels < 1 || c.Held < 1 || c.For <= 0 || c.Changes < 1 || c.Bytes < 1 || c.Items < 1 {
		return fmt.Errorf("%w benchmark: every size must be positive", tidings.ErrInvalid)
	}
	return nil
}

// Default returns sizes that give steady figures in about a minute.
func Default() Config {
	return Config{Channels: 4000, Held: 10_000, For: 8 * time.Second, Changes: 200, Bytes: 20_000, Items: 20}
}

// bed is a node and an origin that know nothing of the rest of the world.
type bed struct {
	origin   *origin.Origin
	base     string
	dir      string
	interval time.Duration
	change   func(*node.Config) // of the node's next start; nil: nothing
	node     *node.Node
	client   *api.Client
	stopNode func() error // again: nothing
	stop     func() error
}

// newBed starts a node that polls everything every interval.
func newBed(ctx context.Context, interval time.Duration) (_ *bed, err error) {
	dir, err := os.MkdirTemp("", "tidings-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
	}
	b, err := newBedIn(ctx, dir, interval)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := b.stop
	b.stop = func() error { return errors.Join(stop(), os.RemoveAll(dir)) }
	return b, nil
}

// newBedIn starts a node that has its data in a folder, which stays.
func newBedIn(ctx context.Context, dir string, interval time.Duration) (_ *bed, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the origin: %w", err)
	}
	o := origin.New(origin.Config{LogSize: 1})
	server := &http.Server{Handler: o, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with Close
	b := &bed{origin: o, base: "http://" + l.Addr().String() + "/", dir: dir, interval: interval}
	b.stopNode = func() error { return nil }
	b.stop = func() error { return errors.Join(b.stopNode(), server.Close()) }
	if err := b.start(ctx); err != nil {
		return nil, errors.Join(err, b.stop())
	}
	return b, nil
}

// start starts the node, and waits until it is ready.
func (b *bed) start(ctx context.Context) error {
	c := node.Default()
	c.Data, c.HTTP, c.LabOrigins, c.NoNetwork, c.Interval = b.dir, "127.0.0.1:0", true, true, b.interval
	c.Logger = slog.New(slog.DiscardHandler)
	if b.change != nil {
		b.change(&c)
	}
	n, err := node.New(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	b.node, b.client = n, api.Dial(api.SocketPath(b.dir))
	b.stopNode = sync.OnceValue(func() error {
		cancel()
		b.client.Close()
		return <-ended
	})
	select {
	case <-n.Ready():
		return nil
	case err := <-ended:
		ended <- nil
		return fmt.Errorf("starting a node: %w", err)
	}
}

// follow subscribes to documents and waits until each was polled.
func (b *bed) follow(ctx context.Context, names []string) error {
	orders := make([]tidings.SubscribeRequest, len(names))
	for i, name := range names {
		orders[i].URL = b.base + name
	}
	errs, err := b.node.SubscribeLater(ctx, tidings.Owner, orders)
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	for {
		status, err := b.node.Status(ctx)
		if err != nil {
			return err
		}
		good := status.ByHealth[tidings.HealthGood] + status.ByHealth[tidings.HealthNoisy]
		// A poll is counted after its channel is shown as good, and the first of each is counted as a change.
		if good >= len(names) && status.ByOutcome[tidings.OutcomeChanged] >= int64(len(names)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
