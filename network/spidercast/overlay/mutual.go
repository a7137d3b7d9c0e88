package overlay

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Mutual is a greedy task that looks at both ends of a link, where the paper's looks at its own. It comes to links that
// cover as much with fewer of them, by five rules:
//
//   - A candidate counts by what a link gains the two ends together: the topics in common that this node lacks, and those that the candidate
//     lacks. The paper's links often serve one end alone; the other has a neighbour too many, which the first cannot let go.
//   - Rare topics count more than common ones. Common ones get covered by the way.
//   - A node waits for good links: what a link must be worth at least halves again and again. Who waits while others lack something as
//     well finds them before they have settled for less. Where the others would gain little, as when a node joins a network at rest, it does not
//     wait. A node that is asked refuses if it gains less than the asker thought: views are out of date.
//   - A node says in its heartbeats which neighbours it can do without, and only those are asked to disconnect.
//   - A node may leave a few of its topics covered once less (Spare): its last links cover one topic each.
type Mutual struct {
	// Halving is in what time the threshold halves; 0: the paper's way, none of the rules holds. Longer finds better links, and
	// takes longer to find all: some six times this. It holds where Candidates are Weighing.
	Halving time.Duration

	// Spare is the share of its topics, rounded down, that a node leaves covered by one neighbour less than Greedy. 0.1 saves some
	// 7 % of the links; when nodes crash, more of the others are cut off from those topics until they have repaired it.
	Spare float64
}

// Frugal returns Paper with the fewest links: see Mutual.
func Frugal() Config {
	c := Paper()
	c.Mutual = Mutual{Halving: 10 * time.Second, Spare: 0.1}
	return c
}

// Weighing is Candidates that know what others lack, and how rare topics are.
type Weighing interface {
	Candidates
	// Worth returns how much it counts to cover a topic: the rarer, the more. Of what nodes follow, it is MeanWorth on average.
	Worth(topic engine.ID) int
	// BestPair returns the candidate whose link is worth most to both ends together, and what it is worth to each. To this node it is worth something.
	BestPair(task Task) (p engine.Peer, ours, theirs int, ok bool)
	// Unsettled returns which share of the nodes that it knows lack cover: nearly all where a network starts, few where it is at rest.
	Unsettled(task Task) float64
}

// MeanWorth is what cover of a topic is worth on average.
const MeanWorth = 64

// firstThreshold returns what a link must be worth to both ends at first, if a task lacks cover of some topics: a little more
// than a neighbour is that covers them all. It depends on nothing else, so that nodes that begin together wait together.
func firstThreshold(lacks int) int { return lacks * MeanWorth * 5 / 4 }

// threshold is what a link must be worth to both ends. It falls from when the task began to lack cover.
type threshold struct {
	first int // 0: the task lacks nothing
	since time.Duration
}

// at returns the threshold at a time: it halves in each halving, and falls steadily in between.
func (h threshold) at(now, halving time.Duration) int {
	n := (now - h.since) / halving
	if n >= 32 {
		return 0
	}
	high := h.first >> n
	part := now - h.since - n*halving
	return high - int(time.Duration(high-high/2)*part/halving)
}

// until returns when the threshold falls to a worth.
func (h threshold) until(worth int, halving time.Duration) time.Duration {
	at, high := h.since, h.first
	for ; high/2 > worth; high /= 2 {
		at += halving
	}
	if high <= worth {
		return at
	}
	fall := time.Duration(high - high/2)
	return at + (halving*time.Duration(high-worth)+fall-1)/fall
}

// choosePair returns the candidate to ask, and what it is to gain at least. If it is better to wait, it has the task rest.
func (o *Overlay) choosePair(t *task, w Weighing) (p engine.Peer, least int, ok bool) {
	p, ours, theirs, ok := w.BestPair(t.kind)
	if !ok {
		return engine.Peer{}, 0, false
	}
	now, halving := o.env.Now(), o.config.Mutual.Halving
	if t.threshold.first == 0 {
		t.threshold = threshold{firstThreshold(t.lacks()), now}
	}
	until := t.threshold.until(ours+theirs, halving)
	unsettled := w.Unsettled(t.kind)
	if o.bare(t) {
		// Of a topic that has no neighbour at all this node gets nothing: that is bearable only where nobody has one yet.
		until = min(until, t.threshold.since+2*halving)
		unsettled -= starting - atRest
	}
	if unsettled < atRest {
		until = now
	}
	switch worth := t.threshold.at(now, halving); {
	case theirs < ours/3:
		return p, 0, true // the others lack too little to be worth waiting for
	case now < until:
		t.rest = max(until-now, o.config.Interval)
		return engine.Peer{}, 0, false
	case ours+theirs < worth:
		return p, 0, true // it is time
	default:
		return p, max(worth-ours, 0), true
	}
}

// Which share of the nodes lacks cover in a network that starts, at least, and in one at rest where nodes come and go, at most.
const (
	starting = 0.5
	atRest   = 0.2
)

// bare reports whether nobody covers some topic.
func (o *Overlay) bare(t *task) bool {
	return slices.ContainsFunc(o.topics.slots, func(s topic) bool { return s.on() && s.cover[t.kind] == 0 })
}

// idle returns a bit for each set in which this node could do without a neighbour.
func (o *Overlay) idle(l *link) (bits uint8) {
	for i := range o.tasks {
		if t := &o.tasks[i]; l.sets[i].in && t.k > 0 && !l.serves && o.underWithout(t, l) == 0 {
			bits |= t.kind.bit()
		}
	}
	return bits
}

// weighing returns the candidates by which a task chooses pairs; nil: it does as the paper has it.
func (o *Overlay) weighing(t *task) Weighing {
	if o.config.Mutual.Halving == 0 || t.kind != Greedy {
		return nil
	}
	w, _ := o.candidates.(Weighing)
	return w
}

// gains reports whether a link is worth as much to this node as one that asks for it says that it is to be.
func (o *Overlay) gains(t *task, m *Connect) bool {
	w := o.weighing(t)
	if m.Least == 0 || w == nil {
		return true
	}
	worth := 0
	if t.lacks() > 0 {
		for _, slot := range o.topics.in(m.Profile.Follows) {
			if s := &o.topics.slots[slot]; int(s.cover[t.kind]) < t.k {
				worth += w.Worth(s.id)
			}
		}
	}
	return worth >= int(m.Least)
}

// lacks returns how many topics lack cover; 0 also if no more do than may be spared.
func (t *task) lacks() int {
	if t.spares(t.under, t.bare) {
		return 0
	}
	return t.under
}

// spares reports whether a task is content although so many topics lack cover, of which so many lack more than one neighbour.
func (t *task) spares(under, bare int) bool { return bare == 0 && under <= t.spare }

// settle tells candidates whether the topics that lack cover are needed: not those that are spared.
func (o *Overlay) settle(t *task) {
	if t.spare = 0; t.kind == Greedy && o.config.Mutual.Halving > 0 {
		t.spare = int(o.config.Mutual.Spare * float64(o.topics.count))
	}
	if t.lacks() == 0 {
		t.threshold = threshold{}
	}
	content := t.under > 0 && t.lacks() == 0
	if content == t.content {
		return
	}
	t.content = content
	for i := range o.topics.slots {
		if s := &o.topics.slots[i]; s.on() && int(s.cover[t.kind]) < t.k {
			o.candidates.Need(t.kind, s.id, !content)
		}
	}
}
