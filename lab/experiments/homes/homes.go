// Package homes has the experiment of nodes behind home routers.
package homes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/homes"
)

// Experiment tries whether nodes behind home routers find each other, keep each other, and find each other again.
var Experiment = wording.Of("homes", lab.Experiment[sizes]{
	Live:   true,
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return 512 << 20 }, // the nodes are processes of their own
	Run:    run,
})

// sizes are the parameters.
type sizes struct {
	Kinds     []homes.Kind  `json:"kinds"` // of homes
	Each      int           `json:"each"`  // homes of a kind
	RoundTrip time.Duration `json:"round_trip_ns"`
	// after how long routers forget which addresses exchanged packets over UDP
	Forget    time.Duration `json:"forget_ns"`
	Interval  time.Duration `json:"interval_ns"`
	Channels  int           `json:"channels"`
	Gather    time.Duration `json:"gather_ns"`     // how long nodes have at most to form one ring
	Settle    time.Duration `json:"settle_ns"`     // until changes at rest begin
	Changes   int           `json:"changes"`       // in each phase
	Every     time.Duration `json:"every_ns"`      // between two changes
	Phase     time.Duration `json:"phase_ns"`      // how long a phase lasts at most, since what it begins with
	RestKinds []homes.Kind  `json:"rest_kinds"`    // homes of the rings without channels; none: there are no such rings
	RestAfter time.Duration `json:"rest_after_ns"` // since that ring was whole, until its nodes are at rest
	RestFor   time.Duration `json:"rest_for_ns"`   // how long traffic is counted
}

// relay, plain and source are the names of public machines: the node that relays, the node with default settings, and
// the origin.
const (
	relay  = "relay.example"
	plain  = "plain.example"
	source = "origin.example"
)

func run(run *lab.Run, s sizes) error {
	if err := homes.Check(); err != nil {
		run.Skip(err.Error())
	}
	run.Stage("making homes", 0.02)
	m := &measured{}
	// The rings of few nodes are each on an Internet of its own, beside.
	parts, ctx := errgroup.WithContext(run.Context())
	parts.Go(func() (err error) {
		if m.lone, err = measureLone(ctx, s, run); err != nil {
			return err
		}
		m.rest, err = measureRest(ctx, s, run)
		return err
	})
	parts.Go(func() error { return measureNews(ctx, s, run, m) })
	if err := parts.Wait(); err != nil {
		return err
	}
	figures(s).Give(run, m)
	for _, remark := range m.remarks() {
		run.Remark(remark)
	}
	return nil
}

// keep returns where the logs of a part of a run are kept; empty: nowhere.
func keep(run *lab.Run, part string) string {
	if run.Dir() == "" {
		return ""
	}
	return filepath.Join(run.Dir(), fmt.Sprintf("homes-%s-seed%d", part, run.Seed()))
}

// measureNews has the nodes gather, follow the origin's channels, and suffer what befalls them.
func measureNews(ctx context.Context, s sizes, run *lab.Run, m *measured) (err error) {
	w, err := newWorld(ctx, s, s.Kinds, s.Each, false, keep(run, "news"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	w.seed = run.Seed()
	if err := w.publish(); err != nil {
		return err
	}
	run.Stage("gathering", 0.2)
	if m.gathered, err = w.gather(ctx); err != nil {
		return err
	}
	run.Stage("settling", 0.1)
	w.net.ForgetTalk()
	if err := pause(ctx, s.Settle); err != nil {
		return err
	}
	for i, p := range phases {
		run.Stage(p.title, 0.17)
		c, err := w.during(ctx, i)
		if err != nil {
			return err
		}
		m.courses = append(m.courses, c)
		if p.befall == nil {
			if m.pairs, err = w.pairs(ctx); err != nil {
				return err
			}
		}
	}
	m.judge(w)
	return nil
}

// pause lets time pass. It returns an error if the run is to end early.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
