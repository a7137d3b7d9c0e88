package campaign

import (
	"context"
	"slices"
	"testing"
	"time"
)

// A world that fails because of one crash of node 3, in a channel that changes often, keeps little else.
func TestShrinkKeepsWhatFails(t *testing.T) {
	w := Draw(5)
	w.Nodes, w.Late = 200, 40
	w.Channels = append(w.Channels, Channel{Host: 1, Readers: 60, Every: Seconds(7 * time.Second)})
	w.Faults = append(w.Faults, Fault{At: 3 * time.Second, For: time.Second, Kind: Crash, Node: 3})
	w.Publishers = []Publisher{{Node: 2, Readers: 150, Every: Seconds(time.Second)},
		{Node: 150, Readers: 1, Every: Seconds(time.Second)}}
	runs := 0
	fails := func(small *World) bool {
		runs++
		if err := small.Validate(); err != nil {
			t.Fatalf("a world that cannot be: %v", err)
		}
		return slices.ContainsFunc(small.Faults, func(f Fault) bool {
			return f.Kind == Crash && f.Node == 3 &&
				f.At == 3*time.Second
		}) &&
			slices.ContainsFunc(small.Channels, func(c Channel) bool {
				return c.Every == Seconds(7*time.Second) &&
					c.Readers >= 5
			})
	}
	if !fails(w) {
		t.Fatal("it does not fail")
	}
	before := w.clone()
	small := shrink(context.Background(), w, fails)
	if len(small.Faults) != 1 || len(small.Channels) != 1 || len(small.Publishers) != 0 || small.Nodes != MinNodes ||
		small.Channels[0].Readers > 9 || small.Storm.D() > 6*time.Second || small.Private {
		t.Errorf("it is shrunk to %s", small.Scene())
	}
	if runs > 200 {
		t.Errorf("%d runs", runs)
	}
	if string(before.Scene()) != string(w.Scene()) {
		t.Error("shrinking has changed the world")
	}
}

// Shrinking ends when its time is over, with what it has.
func TestShrinkEndsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	small := shrink(ctx, Draw(5), func(*World) bool {
		if runs++; runs == 3 {
			cancel()
		}
		return true
	})
	if runs != 3 || small.Validate() != nil {
		t.Errorf("%d runs", runs)
	}
}
