package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// passing returns which of three nodes' messages pass, as "01 10 …".
func passing(w recorders) string {
	for n := range Node(3) {
		w.at(n).heard = nil
	}
	for from := range Node(3) {
		for to := range Node(3) {
			if from != to {
				w.ping(from, to, uint64(from))
			}
		}
	}
	w.Run(100 * time.Millisecond)
	var all []string
	for to := range Node(3) {
		for _, from := range w.at(to).numbers() {
			all = append(all, fmt.Sprint(from, to))
		}
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

const all = "[0 1 0 2 1 0 1 2 2 0 2 1]"

func TestHostile31Partitions(t *testing.T) {
	t.Parallel()
	w := newRecorders(3)
	for _, c := range []struct {
		name string
		cut  func() *Cut
		want string
	}{
		{"halves", func() *Cut { return w.Partition([]Node{0, 1}) }, "[0 1 1 0]"},
		{"three parts", func() *Cut { return w.Partition([]Node{0}, []Node{1}) }, "[]"},
		{"one way", func() *Cut { return w.CutOneWay([]Node{0}, []Node{1}) }, "[0 2 1 0 1 2 2 0 2 1]"},
		{"0 hears 1 only", func() *Cut { return w.CutOneWay([]Node{2}, []Node{0}) }, "[0 1 0 2 1 0 1 2 2 1]"},
		{"between", func() *Cut { return w.CutBetween([]Node{0}, []Node{1, 2}) }, "[1 2 2 1]"},
	} {
		cut := c.cut()
		if got := passing(w); got != c.want {
			t.Errorf("%s: %s pass, want %s", c.name, got, c.want)
		}
		cut.Heal()
		if got := passing(w); got != all {
			t.Errorf("%s: %s pass after healing, want %s", c.name, got, all)
		}
	}
	w.Partition([]Node{0})
	w.CutOneWay([]Node{1}, []Node{2})
	w.Heal()
	if got := passing(w); got != all {
		t.Errorf("%s pass after healing all", got)
	}
}

func TestHostile31Flapping(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	cut := w.Partition([]Node{0})
	cut.Flap(10 * time.Second)
	came := func(d time.Duration) (share float64) {
		w.at(1).heard = nil
		for range int(d / time.Second) {
			w.Run(500 * time.Millisecond)
			w.ping(0, 1, 0)
			w.Run(500 * time.Millisecond)
		}
		return float64(len(w.at(1).heard)) / d.Seconds()
	}
	for i, want := range []float64{0, 1, 0, 1, 0} {
		near(t, fmt.Sprintf("share that came in time %d", i), came(10*time.Second), want, 0)
	}
	w.Heal()
	near(t, "share after healing", came(time.Minute), 1, 0)
}

// A message into a cut is reported once. What comes from beyond ends the outage, and the next message into the cut is
// reported again.
func TestHostile31OneWayLinkIsReported(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.CutOneWay([]Node{0}, []Node{1})
	for range 30 {
		w.ping(0, 1, 0)
		w.Run(time.Second)
	}
	r := w.at(0)
	if !slices.Equal(r.downs, []engine.Peer{w.Peer(1)}) || r.at[0] != 5*time.Second {
		t.Fatalf("notified of %v at %v", r.downs, r.at)
	}
	for range 20 { // it is heard, and does not hear
		w.ping(1, 0, 0)
		w.ping(0, 1, 0)
		w.Run(time.Second)
	}
	if len(r.downs) < 3 || len(w.at(1).downs) > 0 {
		t.Errorf("notified %d times; the other side %d times", len(r.downs), len(w.at(1).downs))
	}
}

func TestMessagesUnderWayAreCut(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.ping(0, 1, 0)
	w.Run(10 * time.Millisecond)
	w.Partition([]Node{0})
	w.Run(10 * time.Second)
	if len(w.at(1).heard) != 0 || len(w.at(0).downs) != 1 {
		t.Errorf("received %v, notified of %v", w.at(1).heard, w.at(0).downs)
	}
}
