package livenet

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
)

// Rules say what is due.
type Rules struct {
	// Grace is how long after a fact was seen, or a node came back, the node may need to report it, whatever happens
	// meanwhile. What would be due in a node's last moments is not.
	Grace time.Duration

	// For is when nodes that come back are to catch up no more; 0: never.
	For time.Duration

	// First makes the facts of a channel's first version due as well, and all since the node has subscribed.
	First bool
}

// Verdict is what became of a fact that a subscriber had to report.
type Verdict struct {
	Node     *Node
	Fact     int            // by index
	From     time.Duration  // since when it was due: since it was seen, or since the node came back
	Notified []Notification // of it, as they came; none: it is lost
}

// due reports whether a subscriber had to report a fact, and since when. It is due since the fact was seen, if the node
// was up then and stayed so for the grace. Else it is due since the node came back, if the fact was still there and
// stayed so long.
func (r Rules) due(f Fact, s *Subscription, up []Span) (from time.Duration, due bool) {
	begin := max(s.Since, s.asked) // a node may have kept the channel for others before
	if r.First {
		begin = s.asked
	}
	if f.Seen == Unseen || begin >= f.Seen && !r.First {
		return 0, false
	}
	for _, span := range up {
		from, to := max(span.From, begin), min(span.To, s.Until)-r.Grace
		if from <= f.Seen && f.Seen <= to {
			return f.Seen, true
		}
		if from > f.Seen && from <= to && from <= f.Gone-r.Grace && from <= cmp.Or(r.For, Endless) {
			return from, true
		}
	}
	return 0, false
}

// verdicts judges a subscription.
func (r Rules) verdicts(facts []Fact, s *Subscription, up []Span) iter.Seq[Verdict] {
	notified := make(map[int32][]Notification)
	for _, t := range s.Notified {
		notified[t.Fact] = append(notified[t.Fact], t)
	}
	return func(yield func(Verdict) bool) {
		for i, f := range facts {
			if from, due := r.due(f, s, up); due && !yield(Verdict{Fact: i, From: from, Notified: notified[int32(i)]}) {
				return
			}
		}
	}
}

// twice returns notifications too many, due or not, each after the first notification of the same fact.
func (s *Subscription) twice() (again [][2]Notification) {
	first := make(map[int32]Notification)
	for _, t := range s.Notified {
		if f, notified := first[t.Fact]; notified {
			again = append(again, [2]Notification{f, t})
		} else {
			first[t.Fact] = t
		}
	}
	return again
}

// twice describes what nodes have reported twice.
func (n *Net) twice() (all []string) {
	for i, node := range n.Nodes {
		for channel := range n.sites {
			for _, s := range node.Subscriptions(channel) {
				for _, t := range s.twice() {
					all = append(all, fmt.Sprintf(
						"node %d, %s, fact %d: version %d, found at %v, stored at %v; again version %d, found at "+
							"%v, stored at %v",
						i, n.URL(channel), t[0].Fact, t[0].Version, t[0].Found, t[0].Stored, t[1].Version, t[1].Found,
						t[1].Stored))
				}
			}
		}
	}
	return all
}

// Verdicts judges the notifications of a channel's facts, node by node.
func (n *Net) Verdicts(channel int, facts []Fact, r Rules) iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		for _, node := range n.Nodes {
			for _, s := range node.Subscriptions(channel) {
				for v := range r.verdicts(facts, &s, node.Up) {
					v.Node = node
					if !yield(v) {
						return
					}
				}
			}
		}
	}
}

// Tally sums up the notifications.
type Tally struct {
	Due      int // facts at subscribers
	Lost     int // of them
	Twice    int // notifications too many
	Noise    int // updates that came to nodes which did not follow the channel
	Unsigned int // items of published channels after first versions that nobody has signed
	Foreign  int // items reported of channels that do not have them

	// Latencies are the seconds from when a fact was made until it was first received, if it was due since then;
	// sorted.
	Latencies []float64
}

// TallyFigures are those of a Tally. Nothing is lost, twice, or brought to nodes that have not asked for it; and they
// say how late things are.
func TallyFigures() (f lab.Figures[Tally]) {
	late := func(name string, q float64) {
		f.Report(name, "s", func(t Tally) float64 { return stats.Quantile(t.Latencies, q) })
	}
	f.Judge("due", "", lab.AtLeast(1), func(t Tally) float64 { return float64(t.Due) })
	f.Judge("lost", "", lab.Exactly(0), func(t Tally) float64 { return float64(t.Lost) })
	f.Judge("twice", "", lab.Exactly(0), func(t Tally) float64 { return float64(t.Twice) })
	f.Judge("noise", "", lab.Exactly(0), func(t Tally) float64 { return float64(t.Noise) })
	late("late_median_seconds", 0.5)
	late("late_p99_seconds", 0.99)
	late("late_last_seconds", 1)
	return f
}

// Tally judges channels, all that are not recorded if none are named. Noise is of all of them.
func (n *Net) Tally(r Rules, channels ...int) (t Tally) {
	if len(channels) == 0 {
		for i := range n.sites {
			channels = append(channels, i)
		}
	}
	for _, i := range channels {
		if n.sites[i] == nil {
			continue
		}
		facts := n.Facts(i)
		for v := range n.Verdicts(i, facts, r) {
			t.Due++
			if len(v.Notified) == 0 {
				t.Lost++
			} else if made := facts[v.Fact].Made; v.From == made {
				t.Latencies = append(t.Latencies, (v.Notified[0].Received - made).Seconds())
			}
		}
	}
	for _, i := range channels {
		for _, node := range n.Nodes {
			for _, s := range node.Subscriptions(i) {
				t.Twice += len(s.twice())
				t.Unsigned += s.Unsigned
				t.Foreign += s.Foreign
			}
		}
	}
	for _, node := range n.Nodes {
		node.mu.Lock()
		t.Noise += node.noise
		node.mu.Unlock()
	}
	slices.Sort(t.Latencies)
	return t
}
