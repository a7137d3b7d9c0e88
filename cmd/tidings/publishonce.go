package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/node"
	"tidings/view"
)

// onceFlags are for where no node runs all the time, such as where a site is built.
type onceFlags struct {
	Once   bool `help:"End when another node has everything. If no node runs here, one is started for that time. Exit status 3: no other node had everything --within the time; the items are kept, and sent the next time."`
	Within span `default:"10m" help:"With --once: how long that may take; default ${default}. The first time, the node makes its key, which takes minutes." placeholder:"DURATION"`

	Join       []string `help:"With --once: address of another node to join by; may be repeated." placeholder:"MULTIADDR" sep:"none"`
	Listen     []string `help:"With --once: address to listen at for other nodes; may be repeated." placeholder:"MULTIADDR" sep:"none"`
	NoMDNS     bool     `name:"no-mdns" help:"With --once: do not look for nodes in the local network."`
	NetworkKey string   `help:"With --once: file with the key of the network, as for tidings up." placeholder:"FILE"`
	IDWork     *int     `name:"id-work" most:"40" help:"With --once: as for tidings up." placeholder:"BITS"`
}

// unsent is why not everything that was published has come to another node.
type unsent struct{ error }

func (u *unsent) Unwrap() error { return u.error }

const (
	// onceEvery is how often the node is asked whether others have what is published.
	onceEvery = 250 * time.Millisecond
	// onceStarting bounds the wait for a node that is about to start, or to start anew with another key.
	onceStarting = time.Minute
)

// config returns how a node runs for one command.
func (f onceFlags) config(p *program) node.Config {
	c := node.Default()
	c.Data, c.HTTP = p.data, "127.0.0.1:0"
	c.Join, c.Listen, c.NoMDNS, c.NetworkKeyFile = f.Join, f.Listen, f.NoMDNS, f.NetworkKey
	if f.IDWork != nil {
		c.IDWork = *f.IDWork
	}
	c.Passphrase = p.env(passphraseVariable)
	c.Logger = slog.New(slog.NewTextHandler(p.errors.Out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c
}

// once publishes with a node that runs here. If none runs, it starts one that runs until everything has come to another
// node. That one promises readers nothing, as no node of the publisher runs between two runs.
func (c *publishCmd) once(p *program) (err error) {
	if c.Watch {
		return usage("--once ends, and --watch goes on", "give one of them")
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Duration(c.Within))
	defer cancel()
	stop, err := c.nodeFor(ctx, p)
	if err != nil {
		return err
	}
	silence := int64(0)
	if stop != nil {
		silence = -1
		defer func() { err = errors.Join(err, stop()) }()
	}
	within := *p
	within.ctx = ctx
	published, err := c.publish(&within, silence)
	switch {
	case ctx.Err() != nil:
		return c.tooLate(p, "not everything was published")
	case err != nil:
		return err
	}
	return c.awaitOthers(ctx, p, published)
}

// tooLate returns an error for what was not done in time, or before a person ended it.
func (c *publishCmd) tooLate(p *program, what string) error {
	when := " after " + console.Span(time.Duration(c.Within))
	if p.ctx.Err() != nil {
		when = " when it was ended"
	}
	return &unsent{failure(what+when, "what was published is kept in "+p.data+", and sent the next time")}
}

// nodeFor starts a node unless one runs, and returns what ends it; nil if one runs.
func (c *publishCmd) nodeFor(ctx context.Context, p *program) (stop func() error, err error) {
	if _, err := p.client.Status(ctx); !errors.Is(err, api.ErrNoNode) {
		return nil, err
	}
	config := c.config(p)
	running, cancel := context.WithCancel(context.WithoutCancel(p.ctx)) // it stops when it was said why
	ended, up := make(chan error, 1), make(chan struct{}, 1)
	go func() { ended <- runUntil(running, config, up) }()
	stop = func() error {
		cancel()
		select {
		case err := <-ended:
			if errors.Is(err, node.ErrNewIdentity) {
				err = nil
			}
			return err
		case <-time.After(stopWithin):
			return failure("the node did not stop within "+console.Span(stopWithin),
				"nothing is lost: it will put itself in order when it starts")
		}
	}
	select {
	case <-up:
		return stop, nil
	case <-ctx.Done():
		return nil, errors.Join(c.tooLate(p, "the node has not started"), stop())
	case err := <-ended:
		cancel()
		if errors.Is(err, tidings.ErrInvalid) {
			err = usage(err.Error(), "see: tidings publish --help")
		}
		return nil, err
	}
}

// runUntil runs a node until ctx ends, anew when it has made its key; up gets a value when it is up.
func runUntil(ctx context.Context, config node.Config, up chan<- struct{}) (err error) {
	for err = node.ErrNewIdentity; errors.Is(err, node.ErrNewIdentity) && ctx.Err() == nil; {
		n, wrong := node.New(config)
		if wrong != nil {
			return wrong
		}
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx) }()
		select {
		case <-n.Ready():
			select {
			case up <- struct{}{}:
			default: // it was up before
			}
			err = <-ended
		case err = <-ended:
		}
	}
	return err
}

// steadily asks the node, though it starts anew with another key meanwhile.
func steadily(p *program, ask func() error) (err error) {
	for began := time.Now(); ; {
		err = ask()
		away := errors.Is(err, api.ErrNoNode) || errors.Is(err, api.ErrEnded)
		if !away || p.ctx.Err() != nil || time.Since(began) > onceStarting {
			return err
		}
		select {
		case <-time.After(onceEvery):
		case <-p.ctx.Done():
		}
	}
}

// awaitOthers waits until another node has all that was published, and says why none has if ctx ends before.
func (c *publishCmd) awaitOthers(ctx context.Context, p *program, published []view.Publication) error {
	waiting, began := p.errors.Waiting(), time.Now()
	defer waiting.Clear()
	every := time.NewTicker(onceEvery)
	defer every.Stop()
	for {
		left, err := unsentOf(p, published)
		if err != nil {
			return err
		}
		if left == 0 {
			waiting.Clear()
			if !c.JSON {
				p.out.Printf("Another node has everything\n")
			}
			return nil
		}
		if !c.JSON && time.Since(began) > waitingEvery {
			waiting.Show(c.whyUnsent(p), time.Since(began))
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			waiting.Clear()
			return c.tooLate(p, c.whyUnsent(p)+": no other node has "+console.Of(left, "item"))
		}
	}
}

// unsentOf returns how many items no other node has, of publications that were ordered.
func unsentOf(p *program, published []view.Publication) (left int, err error) {
	var all []view.Publication
	if err := steadily(p,
		func() (err error) { all, err = p.client.Publications(context.WithoutCancel(p.ctx)); return err }); err != nil {
		return 0, err
	}
	for _, a := range all {
		if !slices.ContainsFunc(published, func(b view.Publication) bool {
			return b.Channel == a.Channel &&
				b.Key == a.Key
		}) {
			continue
		}
		if a.Halted {
			return 0, failure(a.Channel+": "+a.Trouble,
				"end it on the other node, then say here: tidings publish --resume "+a.Channel)
		}
		left += a.Unsent
	}
	return left, nil
}

// whyUnsent says for what the node waits.
func (c *publishCmd) whyUnsent(p *program) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), waitingEvery)
	defer cancel()
	s, err := p.client.Status(ctx)
	n := s.Network
	switch {
	case err != nil:
		return "the node starts"
	case n.Mining != nil:
		return "the node makes its key"
	case len(n.Neighbours) == 0 && len(c.Join) == 0:
		return "the node knows no other; name one with --join"
	case len(n.Neighbours) == 0:
		return "no node answers at the address of --join"
	}
	return "the other nodes do not have it yet"
}
