package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}

const many = 20_000

// sendMany sends numbered pings from node 0 to node 1, a millisecond apart, and returns what
// came.
func sendMany(w recorders) []uint64 {
	for i := range uint64(many) {
		w.ping(0, 1, i)
		w.Run(time.Millisecond)
	}
	w.Run(2 * time.Minute)
	return w.at(1).numbers()
}

func TestHostile30Loss(t *testing.T) {
	t.Parallel()
	for _, loss := range []float64{0, 0.01, 0.1, 0.5, 1} {
		w := newRecorders(2, func(c *Config) { c.Faults.Loss = loss })
		came := sendMany(w)
		near(t, "share lost", 1-float64(len(came))/many, loss, 0.015)
		if !slices.IsSorted(came) {
			t.Error("loss changed the order")
		}
		if got := w.Counters().Dropped[Lost]; int(got) != many-len(came) {
			t.Errorf("%d counted as lost, of %d", got, many-len(came))
		}
		if len(w.at(0).downs) > 0 {
			t.Error("a loss by chance was reported")
		}
	}
}

func TestHostile30Duplicates(t *testing.T) {
	t.Parallel()
	w := newRecorders(2, func(c *Config) { c.Faults.Duplicate = 0.1 })
	came := sendMany(w)
	near(t, "share doubled", float64(len(came))/many-1, 0.1, 0.015)
	slices.Sort(came)
	if n := len(slices.Compact(came)); n != many {
		t.Errorf("%d different messages came", n)
	}
}

func TestHostile30Reordering(t *testing.T) {
	t.Parallel()
	w := newRecorders(2, func(c *Config) {
		c.Faults.Reorder, c.Faults.ReorderBy = 0.1, 100*time.Millisecond
	})
	came := sendMany(w)
	late, highest := 0, uint64(0)
	for _, n := range came {
		if n < highest {
			late++
		}
		highest = max(highest, n)
	}
	// One in a hundred of those reordered is late by less than the millisecond to the next.
	near(t, "share overtaken", float64(late)/many, 0.1, 0.015)
	if len(came) != many {
		t.Errorf("%d came", len(came))
	}
}

func TestHostile30DelaySpikes(t *testing.T) {
	t.Parallel()
	w := newRecorders(2, func(c *Config) {
		c.Faults.Spike, c.Faults.SpikeBy = 0.001, 30*time.Second
	})
	came := sendMany(w)
	if len(came) != many || !slices.IsSorted(came) {
		t.Errorf("%d came, in order: %v", len(came), slices.IsSorted(came))
	}
	longest := time.Duration(0)
	for i, h := range w.at(1).heard {
		longest = max(longest, h.at-time.Duration(i)*time.Millisecond)
	}
	if want := 30*time.Second + 50*time.Millisecond; longest != want {
		t.Errorf("the latest came after %v, want %v", longest, want)
	}
}

func TestFaultsOfNodesAndLinks(t *testing.T) {
	t.Parallel()
	w := newRecorders(4)
	w.SetLinkFaults(0, 1, Faults{Loss: 1})
	w.SetNodeFaults(3, Faults{Loss: 1})
	all := func() string {
		for from := range Node(4) {
			for to := range Node(4) {
				if from != to {
					w.ping(from, to, uint64(from))
				}
			}
		}
		w.Run(time.Second)
		came := fmt.Sprint(w.at(0).numbers(), w.at(1).numbers(), w.at(2).numbers(), w.at(3).numbers())
		for n := range Node(4) {
			w.at(n).heard = nil
		}
		return came
	}
	if got, want := all(), "[1 2] [2] [0 1] []"; got != want {
		t.Errorf("came %s, want %s", got, want)
	}
	w.SetLinkFaults(0, 1, Faults{})
	w.SetNodeFaults(3, Faults{})
	if got, want := all(), "[1 2 3] [0 2 3] [0 1 3] [0 1 2]"; got != want {
		t.Errorf("came %s after the faults, want %s", got, want)
	}
	if w.faulty {
		t.Error("faults are still looked for")
	}
}

// With no fault, messages between two nodes keep their order however latencies vary.
func TestOrderOfPairs(t *testing.T) {
	t.Parallel()
	w := newRecorders(3, func(c *Config) { c.Latency = Uniform{0, 50 * time.Millisecond} })
	var want []uint64
	for i := range uint64(5000) {
		w.ping(0, 1, i)
		w.ping(2, 1, 1_000_000+i)
		want = append(want, i)
		w.Run(100 * time.Microsecond)
	}
	w.Run(time.Second)
	var a, b []uint64
	for _, n := range w.at(1).numbers() {
		if n >= 1_000_000 {
			b = append(b, n-1_000_000)
		} else {
			a = append(a, n)
		}
	}
	if !slices.Equal(a, want) || !slices.Equal(b, want) {
		t.Error("messages of one pair came in another order")
	}
	if n := len(w.order.slots); n > 256 {
		t.Errorf("%d slots are kept for two pairs", n)
	}
}

func TestMessageToOneself(t *testing.T) {
	t.Parallel()
	w := newRecorders(1, func(c *Config) { c.Faults.Loss = 1 })
	w.ping(0, 0, 7)
	if len(w.at(0).heard) > 0 {
		t.Error("Send called back before it returned")
	}
	w.Run(time.Second)
	if got := w.at(0).heard; len(got) != 1 || got[0].from != w.Peer(0) {
		t.Errorf("heard %v", got)
	}
}

func TestFaultsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, f := range []Faults{{Loss: 1.1}, {Duplicate: -1}, {Spike: math.NaN()}, {Reorder: 0.1}, {Spike: 0.1}} {
		if f.Validate() == nil {
			t.Errorf("%+v is valid", f)
		}
	}
}
