package experiments

import (
	"slices"
	"time"

	"tidings/lab"
)

// liveJudge holds what nodes have told against what the origin has served.
type liveJudge struct {
	town *liveTown

	calm, trouble, unproven liveTally
	twice                   int // tellings too many
	joined                  int // made by nodes that joined half way
	caught                  int // made by nodes that came back, of what was seen while they were down
	gone                    int // facts that were gone before anybody looked
	changes                 []liveSpread
	waits                   []float64 // seconds from the first look that saw a fact to a subscriber's telling, before half time
	moved                   []float64 // the same after half time
	late                    []float64 // seconds from the change to a subscriber's telling, at any time
}

// liveTally counts tellings that were due. Facts are told apart by when they were first seen: before half
// time, or after it, or so shortly before that they may have been under way when nodes were killed. Those that were gone
// within an interval, and that the origin served once, are unproven: nobody but the finder can have seen them, and the
// network does not believe one node alone.
type liveTally struct{ due, lost int }

// liveSpread is one change of a channel that says something new.
type liveSpread struct {
	at      time.Duration
	seen    time.Duration // first
	readers int
}

func judgeLive(t *liveTown) *liveJudge {
	j := &liveJudge{town: t}
	readers := make([][]*liveNode, len(t.work.channels))
	for _, n := range t.nodes {
		for _, c := range n.channels {
			readers[c] = append(readers[c], n)
		}
	}
	for i := range t.work.channels {
		j.channel(i, readers[i])
	}
	slices.Sort(j.waits)
	slices.Sort(j.moved)
	return j
}

// channel judges what was told of a channel.
func (j *liveJudge) channel(i int, readers []*liveNode) {
	c := &j.town.work.channels[i]
	told := make([]map[int32][]time.Duration, len(readers)) // by node and fact
	for k, n := range readers {
		told[k] = make(map[int32][]time.Duration)
		if h := n.stream.heard[i]; h != nil {
			for _, one := range h.told {
				told[k][one.fact] = append(told[k][one.fact], one.at)
			}
		}
		for _, times := range told[k] {
			j.twice += len(times) - 1
		}
	}
	changes := make(map[int]bool) // by snapshot
	for f, fact := range c.facts.list {
		at := j.changed(c, fact.from)
		if fact.void || fact.from <= c.first || at > j.town.sizes.For {
			continue
		}
		seen := j.town.looks.first(i, fact.from-c.first, fact.to-c.first)
		if seen == unseen {
			j.gone++
			continue
		}
		witnesses := j.town.looks.witnesses(i, fact.from-c.first, fact.to-c.first)
		if !changes[fact.from] {
			changes[fact.from] = true
			j.changes = append(j.changes, liveSpread{at, seen, len(readers)})
		}
		for k, n := range readers {
			j.fact(i, n, liveSight{at, seen, j.changed(c, fact.to+1), witnesses}, told[k][int32(f)])
		}
	}
}

// changed returns when the origin made a snapshot current; endless: not in this run.
func (j *liveJudge) changed(c *liveChannel, snapshot int) time.Duration {
	if snapshot >= len(c.history.Snapshots) {
		return endless
	}
	return j.town.sizes.Calm + time.Duration(float64(c.history.Snapshots[snapshot].Time.Sub(c.from))/j.town.sizes.Speed)
}

// liveSight is when a fact changed, was first seen, and was gone, and how often the origin has served it to who did not
// have it.
type liveSight struct {
	at, seen, gone time.Duration
	witnesses      int
}

// fact judges what a node has told of a fact.
func (j *liveJudge) fact(channel int, n *liveNode, fact liveSight, told []time.Duration) {
	h, seen, at := n.stream.heard[channel], fact.seen, fact.at
	if h == nil || h.since >= seen {
		return
	}
	when, due := n.due(seen, fact.gone, j.town.sizes)
	if !due {
		return
	}
	tally := j.tally(when, fact)
	tally.due++
	if len(told) == 0 {
		tally.lost++
		return
	}
	switch {
	case when != seen:
		j.caught++
	case n.isNew():
		j.joined++
	}
	if when != seen || seen < j.town.sizes.Settle {
		return
	}
	wait := (told[0] - seen).Seconds()
	if seen < j.town.sizes.half() {
		j.waits = append(j.waits, wait)
	} else {
		j.moved = append(j.moved, wait)
	}
	j.late = append(j.late, (told[0] - at).Seconds())
}

func (j *liveJudge) tally(when time.Duration, fact liveSight) *liveTally {
	switch {
	case fact.gone-j.town.sizes.Interval < fact.at && fact.witnesses < 2:
		return &j.unproven
	case when >= j.town.sizes.half()-j.town.sizes.Interval:
		return &j.trouble
	}
	return &j.calm
}

// due tells from when on a node was to tell a fact: since it was seen, if the node was up then
// and stayed so for some time; else since the node has come back, if the fact stayed so long.
func (n *liveNode) due(seen, gone time.Duration, s liveSizes) (time.Duration, bool) {
	for _, up := range n.up {
		if up.from <= seen && up.to-s.grace() >= seen {
			return seen, true
		}
		if up.from > seen && gone-s.grace() >= up.from && up.to-s.grace() >= up.from && up.from <= s.For {
			return up.from, true
		}
	}
	return 0, false
}

// isNew tells whether a node has joined half way.
func (n *liveNode) isNew() bool { return n.member != nil && n.up[0].from > n.stream.town.sizes.half() }

// give hands over the figures.
func (j *liveJudge) give(run *lab.Run) {
	s, l := j.town.sizes, j.town.looks
	calm, trouble := l.sum(s.Settle, s.half()), l.sum(s.half(), s.For)
	run.Figure("live.detection_seconds", calm.detection())
	run.Figure("live.polls", j.polls(calm, s.half()-s.Settle))
	run.Figure("live.load", j.polls(calm, s.half()-s.Settle)/s.legacyPolls())
	run.Figure("live.trouble_detection_seconds", trouble.detection())
	run.Figure("live.trouble_load", j.polls(trouble, s.For-s.half())/s.legacyPolls()*float64(s.Nodes)/float64(s.Nodes+s.Joined))
	run.Figure("live.changes_detection_seconds", j.changesDetection(s.Settle, s.half()))
	run.Figure("live.changes", float64(len(j.changes)))
	run.Figure("live.gone", float64(j.gone))
	run.Figure("live.spread_median_seconds", quantile(j.waits, 0.5))
	run.Figure("live.spread_p99_seconds", quantile(j.waits, 0.99))
	run.Figure("live.trouble_spread_p99_seconds", quantile(j.moved, 0.99))
	run.Figure("live.due", float64(j.calm.due))
	run.Figure("live.lost", float64(j.calm.lost))
	run.Figure("live.trouble_due", float64(j.trouble.due))
	run.Figure("live.trouble_lost", float64(j.trouble.lost))
	run.Figure("live.unproven_due", float64(j.unproven.due))
	run.Figure("live.unproven_lost", float64(j.unproven.lost))
	run.Figure("live.joined_told", float64(j.joined))
	run.Figure("live.returned_caught_up", float64(j.caught))
	run.Figure("live.twice", float64(j.twice))
	run.Figure("live.found_by_others", j.foundByOthers())
	run.Figure("live.failed_requests", float64(l.failed))
}

// polls returns how many requests a channel got in an interval.
func (j *liveJudge) polls(w liveWindow, in time.Duration) float64 {
	s := j.town.sizes
	return float64(w.requests) / in.Seconds() * s.Interval.Seconds() / float64(s.Channels)
}

// changesDetection is the mean time from a change to the first look that saw it, weighted by
// subscriptions.
func (j *liveJudge) changesDetection(from, to time.Duration) float64 {
	sum, weight := 0., 0.
	for _, c := range j.changes {
		if c.at >= from && c.at < to {
			sum += float64(c.readers) * (c.seen - c.at).Seconds()
			weight += float64(c.readers)
		}
	}
	return sum / max(weight, 1)
}

// foundByOthers is the share of all updates that a node was told of by others.
func (j *liveJudge) foundByOthers() float64 {
	own, all := 0, 0
	for _, n := range j.town.nodes {
		for finder, count := range n.stream.finders {
			all += count
			if finder == n.id {
				own += count
			}
		}
	}
	return 1 - float64(own)/float64(max(all, 1))
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
