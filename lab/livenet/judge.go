package livenet

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
)

// Rules say what is due.
type Rules struct {
	// Grace is how long after a fact was seen, or a node came back, it may take until the node has told it,
	// whatever happens meanwhile. What would be due in a node's last moments is not.
	Grace time.Duration

	// For is when nodes that come back are to catch up no more; 0: never.
	For time.Duration

	// First says that what a channel's first version tells is due as well, and all since the node has subscribed.
	First bool
}

// Verdict is what became of a fact that a subscriber was to be told.
type Verdict struct {
	Node *Node
	Fact int           // by index
	From time.Duration // since when it was due: since it was seen, or since the node came back
	Told []Telling     // of it, as they came; none: it is lost
}

// due reports whether a subscriber was to tell a fact, and since when: since the fact was seen, if the node was up then and
// stayed so for the grace; else since the node came back, if the fact was still there and stayed so long.
func (r Rules) due(f Fact, s *Subscription, up []Span) (from time.Duration, due bool) {
	begin := s.Since
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
	told := make(map[int32][]Telling)
	for _, t := range s.Told {
		told[t.Fact] = append(told[t.Fact], t)
	}
	return func(yield func(Verdict) bool) {
		for i, f := range facts {
			if from, due := r.due(f, s, up); due && !yield(Verdict{Fact: i, From: from, Told: told[int32(i)]}) {
				return
			}
		}
	}
}

// twice counts tellings too many, due or not.
func (s *Subscription) twice() (sum int) {
	facts := make(map[int32]bool)
	for _, t := range s.Told {
		if facts[t.Fact] {
			sum++
		}
		facts[t.Fact] = true
	}
	return sum
}

// Verdicts judges what was told of a channel's facts, node by node.
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

// Tally sums up what was told.
type Tally struct {
	Due      int // facts at subscribers
	Lost     int // of them
	Twice    int // tellings too many
	Noise    int // updates that came to nodes which did not follow the channel
	Unsigned int // items of published channels after first versions that nobody has signed
	Foreign  int // items told of channels whose they are not

	// Latencies are the seconds from when a fact was made until it was first heard, if it was due since then; sorted.
	Latencies []float64
}

// TallyFigures are those of a Tally: that nothing is lost, twice, or brought to nodes that have not asked,
// and how late things are.
func TallyFigures() (f lab.Figures[Tally]) {
	late := func(name string, q float64) {
		f.Tell(name, "s", func(t Tally) float64 { return stats.Quantile(t.Latencies, q) })
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
			if len(v.Told) == 0 {
				t.Lost++
			} else if made := facts[v.Fact].Made; v.From == made {
				t.Latencies = append(t.Latencies, (v.Told[0].Heard - made).Seconds())
			}
		}
	}
	for _, i := range channels {
		for _, node := range n.Nodes {
			for _, s := range node.Subscriptions(i) {
				t.Twice += s.twice()
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
