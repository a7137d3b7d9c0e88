package interest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

func topicOf(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

func filterWith(topics ...int) (f Filter) {
	for _, i := range topics {
		f.Add(topicOf(i))
	}
	return f
}

// The paper's example (section 3.2): A wants f1 to f5; B wants f1, f3, f5 and f7, C wants f2, f4 and f6. By itself B
// shares half, C a third. In one set each is the only one for what it shares.
func TestUtilityOfThePaper(t *testing.T) {
	a, b, c := filterWith(1, 2, 3, 4, 5), filterWith(1, 3, 5, 7), filterWith(2, 4, 6)
	jaccard := func(x, y Filter) float64 {
		both, either := 0, 0
		for i := range 1024 {
			in, there := x[i/64]>>(i%64)&1 == 1, y[i/64]>>(i%64)&1 == 1
			if in && there {
				both++
			}
			if in || there {
				either++
			}
		}
		return float64(both) / float64(either)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9*want }
	alone := Utility(&a, []Proximity{{&b, 100 * time.Millisecond}})
	if want := 10 * (jaccard(a, b) + 3.0/5); !near(alone, want) {
		t.Errorf("B alone is worth %v, want %v", alone, want)
	}
	if closer := Utility(&a, []Proximity{{&b, 10 * time.Millisecond}}); !near(closer, 10*alone) {
		t.Errorf("ten times as near it is worth %v, want %v", closer, 10*alone)
	}
	both := Utility(&a, []Proximity{{&b, 100 * time.Millisecond}, {&c, 100 * time.Millisecond}})
	if want := 10 * (jaccard(a, b) + 3.0/5 + jaccard(a, c) + 2.0/5); !near(both, want) {
		t.Errorf("B and C are worth %v, want %v", both, want)
	}
	twins := Utility(&a, []Proximity{{&b, 100 * time.Millisecond}, {&b, 100 * time.Millisecond}})
	if want := 20 * jaccard(a, b); !near(twins, want) {
		t.Errorf("two that want the same are worth %v, want %v: neither is the only one", twins, want)
	}
}

// A filter of all ones shares all that is wanted. It is worth no more than the small part that this is of it, and the
// bounded bonus (hostile 41).
func TestUtilityOfAFullFilter(t *testing.T) {
	a := filterWith(1, 2, 3, 4, 5)
	var full Filter
	for i := range full {
		full[i] = 1<<64 - 1
	}
	same := Utility(&a, []Proximity{{&a, 100 * time.Millisecond}})
	if got := Utility(&a, []Proximity{{&full, 100 * time.Millisecond}}); got > .6*same {
		t.Errorf("a filter of all ones is worth %v, one with the same interests %v", got, same)
	}
	if at := Utility(&a, []Proximity{{&a, 0}}); at > 2/nearest.Seconds() {
		t.Errorf("a node that claims to be here is worth %v", at)
	}
}

// Algorithm 1: the set is best without the victim, and must be better by more than the gain. If coverage goes first, a
// set that covers more is better in any case, and one that covers less is worse.
func TestImprovement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topics := rapid.SliceOfN(rapid.IntRange(0, 8), 1, 6)
		distance := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
		})
		draw := func() Proximity {
			f := filterWith(topics.Draw(t, "topics")...)
			return Proximity{&f, distance.Draw(t, "distance")}
		}
		own := filterWith(topics.Draw(t, "own")...)
		var set []Proximity
		for range rapid.IntRange(1, 6).Draw(t, "friends") {
			set = append(set, draw())
		}
		candidate := draw()
		cover := rapid.Bool().Draw(t, "cover")
		base, best, want := Utility(&own, set), 0.0, -1
		bits := func(set []Proximity) int {
			if !cover {
				return 0
			}
			var all Filter
			for _, p := range set {
				for w := range all {
					all[w] |= p.Filter[w] & own[w]
				}
			}
			return all.count()
		}
		most := bits(set)
		for i := range set {
			trial := append([]Proximity(nil), set...)
			trial[i] = candidate
			u, n := Utility(&own, trial), bits(trial)
			if n > most || n == most && u > best && (want >= 0 || u > base*1.01) {
				most, best, want = n, u, i
			}
		}
		if got := Improvement(&own, set, candidate, .01, cover); got != want {
			t.Fatalf("victim %d, want %d", got, want)
		}
	})
}

// A replacement must be worth 1 %: half of a percent is not enough, two are.
func TestGain(t *testing.T) {
	a := filterWith(1, 2)
	set := []Proximity{{&a, 100 * time.Millisecond}}
	if Improvement(&a, set, Proximity{&a, 99500 * time.Microsecond}, .01, false) != -1 {
		t.Error("a candidate that is half a percent better replaces a friend")
	}
	if Improvement(&a, set, Proximity{&a, 98 * time.Millisecond}, .01, false) != 0 {
		t.Error("a candidate that is two percent better does not")
	}
}

// A topic that was added is found; others seldom are (section 2.2: 1,024 bits, 3 hashes).
func TestFilter(t *testing.T) {
	var f Filter
	for i := range 100 {
		f.Add(topicOf(i))
	}
	for i := range 100 {
		if topic := topicOf(i); !f.Has(topic) {
			t.Fatalf("topic %d is not found", i)
		}
	}
	wrong := 0
	for i := range 10_000 {
		if topic := topicOf(1000 + i); f.Has(topic) {
			wrong++
		}
	}
	if wrong < 50 || wrong > 400 { // (1 - e^(-300/1024))^3 is 1.6 %
		t.Errorf("%d of 10,000 topics are found that were not added", wrong)
	}
	if g := FromWire(f.Wire()); g != f || g.count() != f.count() || g.count() < 200 || g.count() > 300 {
		t.Errorf("%d bits become %d on the wire", f.count(), g.count())
	}
}

// A friend that alone covers a topic is not given up for one that is near.
func TestCoverageGoesFirst(t *testing.T) {
	own, a, b := filterWith(1, 2), filterWith(1), filterWith(2)
	far, near := Proximity{&b, 300 * time.Millisecond}, Proximity{&a, 2 * time.Millisecond}
	set := []Proximity{{&a, 20 * time.Millisecond}, {&a, 20 * time.Millisecond}, far}
	if got := Improvement(&own, set, near, .01, false); got != 2 {
		t.Errorf("by utility alone the victim is %d, want the one that is far", got)
	}
	if got := Improvement(&own, set, near, .01, true); got != 0 {
		t.Errorf("with coverage first the victim is %d, want one that covers the same", got)
	}
	if got := Improvement(&own, []Proximity{near, near}, far, .01, true); got < 0 {
		t.Error("one that covers more is turned away, as it is far")
	}
}
