package corona

import (
	"fmt"
	"slices"
	"time"

	"tidings/lab/livenet"
)

// liveJudge compares what nodes have reported with what the origin has served.
type liveJudge struct {
	work  *liveWork
	sizes liveSizes
	net   *livenet.Net
	all   livenet.Tally

	calm, trouble, unproven liveTally
	joined                  int // made by nodes that joined half way
	caught                  int // made by nodes that came back, of what was seen while they were down
	gone                    int // facts that were gone before anybody polled
	changes                 []liveSpread
	// seconds from the first poll that saw a fact to a subscriber's notification, before half time
	waits  []float64
	moved  []float64 // the same after half time
	late   []float64 // seconds from the change to a subscriber's notification, at any time
	losses []string  // what a node did not report though it was due, in words
}

// liveTally counts notifications that were due. Facts are told apart by when they were first seen: before half time,
// after it, or so shortly before it that they may have been under way when nodes were killed. A fact is unproven if it
// was gone within an interval, and the origin served it to fewer than believers. The network does not believe what so
// few have seen.
type liveTally struct{ due, lost int }

// believers is how many polls have to see a content before nodes that do not see it themselves believe it: the
// finder's, and those of four witnesses (package version, Who is believed). Within an interval of its end they may come
// too late.
const believers = 5

// liveSpread is one change of a channel that says something new.
type liveSpread struct {
	at      time.Duration
	seen    time.Duration // first
	readers int
}

// judgeLive judges a network that has ended.
func judgeLive(work *liveWork, s liveSizes, net *livenet.Net) *liveJudge {
	j := &liveJudge{work: work, sizes: s, net: net, all: net.Tally(livenet.Rules{})}
	for i := range work.channels {
		j.channel(i)
	}
	slices.Sort(j.waits)
	slices.Sort(j.moved)
	return j
}

// channel judges the notifications of a channel.
func (j *liveJudge) channel(i int) {
	c := &j.work.channels[i]
	facts, witnesses := make([]livenet.Fact, len(c.facts.list)), make([]int, len(c.facts.list))
	changed := -1 // the snapshot that said something new last
	for f, fact := range c.facts.list {
		at := j.changed(c, fact.from)
		facts[f].Seen = livenet.Unseen
		if fact.void || fact.from <= c.first || at > j.sizes.For {
			continue
		}
		from, to := fact.from-c.first, fact.to-c.first
		seen := j.net.Polls.First(i, from, to)
		if seen == livenet.Unseen {
			j.gone++
			continue
		}
		facts[f], witnesses[f] = livenet.Fact{Made: at, Seen: seen, Gone: j.changed(c, fact.to+1)},
			j.net.Polls.Witnesses(i, from, to)
		if fact.from != changed {
			changed = fact.from
			j.changes = append(j.changes, liveSpread{at, seen, j.readers(i)})
		}
	}
	for v := range j.net.Verdicts(i, facts, livenet.Rules{Grace: j.sizes.grace(), For: j.sizes.For}) {
		if len(v.Notified) == 0 {
			f := facts[v.Fact]
			j.losses = append(j.losses,
				fmt.Sprintf("Lost: node %d, channel %d: made at %v, seen at %v, gone at %v, served %d times, due "+
					"from %v.",
					v.Node.Index, i, f.Made, f.Seen, f.Gone, witnesses[v.Fact], v.From))
		}
		j.verdict(v, facts[v.Fact], witnesses[v.Fact])
	}
}

// readers counts the nodes that have subscribed to a channel, with those that joined half way.
func (j *liveJudge) readers(channel int) (count int) {
	for _, n := range j.net.Nodes {
		if len(n.Subscriptions(channel)) > 0 {
			count++
		}
	}
	return count
}

// changed returns when the origin made a snapshot current; endless: not in this run.
func (j *liveJudge) changed(c *liveChannel, snapshot int) time.Duration {
	if snapshot >= len(c.history.Snapshots) {
		return livenet.Endless
	}
	return j.sizes.Calm + time.Duration(float64(c.history.Snapshots[snapshot].Time.Sub(c.from))/j.sizes.Speed)
}

// verdict counts what became of a fact that a node had to report. Witnesses is how often the origin has served it to
// nodes that did not have it.
func (j *liveJudge) verdict(v livenet.Verdict, fact livenet.Fact, witnesses int) {
	tally := j.tally(v.From, fact, witnesses)
	tally.due++
	if len(v.Notified) == 0 {
		tally.lost++
		return
	}
	switch {
	case v.From != fact.Seen:
		j.caught++
	case v.Node.Index >= j.sizes.Nodes:
		j.joined++
	}
	if v.From != fact.Seen || fact.Seen < j.sizes.Settle {
		return
	}
	wait := (v.Notified[0].Stored - fact.Seen).Seconds()
	if fact.Seen < j.sizes.half() {
		j.waits = append(j.waits, wait)
	} else {
		j.moved = append(j.moved, wait)
	}
	j.late = append(j.late, (v.Notified[0].Stored - fact.Made).Seconds())
}

func (j *liveJudge) tally(due time.Duration, fact livenet.Fact, witnesses int) *liveTally {
	switch {
	case fact.Gone-j.sizes.Interval < fact.Made && witnesses < believers:
		return &j.unproven
	case due >= j.sizes.half()-j.sizes.Interval:
		return &j.trouble
	}
	return &j.calm
}

// before and after return what the origin was asked before half time, once all had settled, and after it.
func (j *liveJudge) before() livenet.Window { return j.net.Polls.Sum(j.sizes.Settle, j.sizes.half()) }
func (j *liveJudge) after() livenet.Window  { return j.net.Polls.Sum(j.sizes.half(), j.sizes.For) }

// load returns the requests before half time, as a share of legacy's.
func (j *liveJudge) load() float64 {
	return j.polls(j.before(), j.sizes.half()-j.sizes.Settle) / j.sizes.legacyPolls()
}

// troubleLoad returns the requests after half time, as a share of those of as many subscribers as there are then.
func (j *liveJudge) troubleLoad() float64 {
	s := j.sizes
	return j.polls(j.after(), s.For-s.half()) / s.legacyPolls() * float64(s.Nodes) / float64(s.Nodes+s.Joined)
}

// polls returns how many requests a channel got in an interval.
func (j *liveJudge) polls(w livenet.Window, in time.Duration) float64 {
	return float64(w.Requests) / in.Seconds() * j.sizes.Interval.Seconds() / float64(j.sizes.Channels)
}

// changesDetection is the mean time from a change to the first poll that saw it, weighted by subscriptions.
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

// foundByOthers is the share of all updates that a node received from others.
func (j *liveJudge) foundByOthers() float64 {
	own, all := 0, 0
	for _, n := range j.net.Nodes {
		byOthers, found := n.Found()
		all, own = all+byOthers, own+found
	}
	return 1 - float64(own)/float64(max(all, 1))
}
