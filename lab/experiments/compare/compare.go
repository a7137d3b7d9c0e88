// Package compare runs all routers side by side: one workload, one matrix of latencies, one churn and one seed for
// each, in one process. Beside them run yardsticks that are no routers of the network: see contestants.
//
// Every system gets the same nodes with their IDs and sites, the topics that each follows, the events with their times
// and lengths, and the nodes that fail. Events of a topic enter at the same node: the one that is closest to the topic
// on the ring, as a channel's primary owner is. A system without a ring asks a directory that is never wrong.
//
// What is measured is the same too: messages, as they are sent and received, and what members are handed. The meter
// knows of each protocol only which of its messages have events in them.
package compare

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/dataset"
	"tidings/lab/experiments/testnet"
	"tidings/lab/experiments/wording"
)

// Experiment runs all routers, and yardsticks, on one workload.
var Experiment = wording.Of("compare", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return s.figures().Expected() },
	Memory: func(s sizes) uint64 { return 256<<20 + uint64(s.Nodes)*200_000 },
	Run:    run,
})

type sizes struct {
	Systems []string `json:"systems"`
	Rows    []string `json:"rows"`  // workloads
	Nodes   int      `json:"nodes"` // of the rows that are large
	Small   int      `json:"small"` // nodes of the others
	Topics  int      `json:"topics"`
	Follows int      `json:"follows"` // topics that a node follows, on average, where a row does not say otherwise
	Events  int      `json:"events"`  // that are published in each part of the time

	Settle time.Duration `json:"settle_ns"` // until the first event
	Warm   time.Duration `json:"warm_ns"`   // while each topic has one event
	For    time.Duration `json:"for_ns"`    // each part of the time
	Joins  int           `json:"joins"`     // nodes that join another topic, in each row without trouble

	Observed float64 `json:"observed"` // share of the nodes that an observer holds

	Grown []int `json:"grown"` // nodes, by world
	// Topics, and topics that a node follows, by world. Each has as many nodes as the one in the middle of Grown.
	GrownTopics  []int `json:"grown_topics"`
	GrownFollows []int `json:"grown_follows"`
}

// size returns a size with so many nodes.
func (s sizes) size(nodes int) size {
	return size{nodes: nodes, topics: s.Topics, follows: s.Follows, events: s.Events}
}

// times are how long the parts of a world's time are, and what happens besides events.
type times struct {
	settle, warm, calm, trouble, after time.Duration
	joins                              int
	observed                           float64 // share of the nodes that an observer holds
}

func (t times) of(p part) time.Duration {
	return [parts]time.Duration{warm: t.warm, calm: t.calm, trouble: t.trouble, after: t.after}[p]
}

func (s sizes) times() times {
	return times{s.Settle, s.Warm, s.For, s.For, s.For / 2, s.Joins, s.Observed}
}

// row is a workload, and the trouble in it.
type row struct {
	trial
	kind  kind
	large bool
}

// trial is what goes wrong. All shares are 0: nothing does.
type trial struct {
	name  string
	loss  float64 // share of the messages
	crash float64 // share of the nodes that crash at once
	churn float64 // share of the nodes that crash, one after the other, and return

	// Shares of the nodes that misbehave from the beginning of the trouble to the end.
	riders, liars float64
}

func (t trial) quiet() bool { return t.loss == 0 && t.crash == 0 && t.churn == 0 && !t.misbehaves() }

// misbehaves reports whether nodes do, so that no router can promise that nothing is lost.
func (t trial) misbehaves() bool { return t.riders > 0 || t.liars > 0 }

var rows = []row{
	{trial{name: "zipf05"}, zipf05, true},
	{trial{name: "copied"}, copied, true},
	{trial{name: "shuffled"}, shuffled, true},
	{trial{name: "recorded"}, recorded, true},
	{trial{name: "zipf1"}, zipf1, false},
	{trial{name: "hot"}, hot, false},
	{trial{name: "entering"}, entering, false},
	{trial{name: "loss1", loss: 0.01}, zipf05, false},
	{trial{name: "loss10", loss: 0.1}, zipf05, false},
	{trial{name: "crash30", crash: 0.3}, zipf05, false},
	{trial{name: "churn", churn: 0.2}, zipf05, false},
	{trial{name: "riders10", riders: 0.1}, zipf05, false},
	{trial{name: "liars10", liars: 0.1}, zipf05, false},
}

// of returns those of a list that have one of the names.
func of[T any](all []T, names []string, name func(T) string) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !slices.Contains(names, name(x)) })
}

func (s sizes) systems() []*contestant {
	return of(contestants, s.Systems, func(c *contestant) string { return c.name })
}

// rows returns the workloads. That of recorded interests is left out where they are not at hand.
func (s sizes) rows() []row {
	all := of(rows, s.Rows, func(r row) string { return r.name })
	return slices.DeleteFunc(all, func(r row) bool { return r.name == "recorded" && !dataset.DeezerTopics.AtHand() })
}

// quiet returns the rows without trouble.
func (s sizes) quiet() []row {
	return slices.DeleteFunc(s.rows(), func(r row) bool { return !r.trial.quiet() })
}

// nodes returns how many nodes a row has.
func (s sizes) nodes(r row) int {
	if r.large {
		return s.Nodes
	}
	return s.Small
}

// results are what was measured.
type results struct {
	of     map[string]*outcome // by system and row, or size
	polled map[string]*polled  // by manner and row without trouble
}

func key(c *contestant, r row) string { return c.name + "." + r.name }

func run(run *lab.Run, s sizes) error {
	most := max(s.Nodes, s.Small, slices.Max(s.Grown))
	sites := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), min(testnet.PlanetLabSites, most), false)
	all, parts := results{make(map[string]*outcome), make(map[string]*polled)}, lab.Parts{}
	add := func(key string, c *contestant, r row, z size) {
		all.of[key] = lab.AddPart(&parts, func(part *lab.Run) outcome {
			return *measure(part, c, r, z, s.times(), sites)
		})
	}
	for _, r := range s.rows() { // the longest come first
		for _, c := range s.systems() {
			add(key(c, r), c, r, s.size(s.nodes(r)))
		}
	}
	for _, z := range s.grown() {
		for _, c := range s.systems() {
			add(grownKey(c, z), c, row{kind: zipf05}, z)
		}
	}
	for _, r := range s.quiet() {
		for _, as := range manners {
			all.polled[as.name+"."+r.name] = lab.AddPart(&parts, func(part *lab.Run) polled {
				work := newWorkload(part.Seed(), r.kind, s.size(s.nodes(r)), r.trial, s.times())
				return *poll(work, part.Seed(), sites, as)
			})
		}
	}
	run.Parts(parts)
	for _, text := range s.remarks(all) {
		run.Remark(text)
	}
	s.figures().Give(run, all)
	all.plot(run, s)
	return nil
}

// measure runs one system with one workload.
func measure(run *lab.Run, c *contestant, r row, s size, times times, sites testnet.Sites) *outcome {
	runtime.LockOSThread() // its processor time is counted
	defer runtime.UnlockOSThread()
	work := newWorkload(run.Seed(), r.kind, s, r.trial, times)
	w := newWorld(run, c, work, times, sites)
	w.run(r.quiet())
	if r.quiet() {
		return w.meter.outcome(calm, times.calm)
	}
	return w.meter.outcome(trouble, times.trouble)
}

// remarks say which deliveries were lost or made twice.
func (s sizes) remarks(all results) (texts []string) {
	for _, r := range s.rows() {
		for _, c := range s.systems() {
			if o := all.of[key(c, r)]; o.lost+o.twice+o.troubledLost > 0 {
				texts = append(texts,
					fmt.Sprintf("%s: of %d deliveries %d were lost; of %d due in trouble %d; %d were made twice.",
						key(c, r), o.due, o.lost, o.troubledDue, o.troubledLost, o.twice))
			}
		}
	}
	return texts
}
