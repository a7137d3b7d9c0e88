package trees

import (
	"cmp"
	"slices"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/churn"
)

// halved is what was measured of a feed half of whose readers fail and return (figure 7).
type halved struct {
	latency, stretch, ways band     // by update
	calm                   delivery // of all updates but those of the minutes after nodes came or went
	all                    delivery
	direct                 []float64 // by reader: half of the round trip to the publisher, in seconds
	// ascending, by reader: ways in a tree that is made with all coordinates at hand; see greedy
	best []float64
}

// band is a median and a 95th percentile over time.
type band struct{ median, high []plot.Point }

func (b *band) add(at time.Duration, sorted []float64) {
	b.median = append(b.median, plot.Point{X: at.Hours(), Y: stats.Quantile(sorted, 0.5)})
	b.high = append(b.high, plot.Point{X: at.Hours(), Y: stats.Quantile(sorted, 0.95)})
}

// afterwards is how long after many nodes have come or gone at once a network is not called calm.
const afterwards = 10 * time.Minute

func (h *halved) run(w *feedsWorld, s rappelSizes) {
	w.run.Stage("half fail", 1)
	readers, length := w.all(), s.SmallFor
	w.open(readers, length/48)
	var failed []sim.Node
	w.After(length/2, func() {
		for _, i := range w.chance.Perm(len(readers))[:len(readers)/2] {
			w.Crash(readers[i])
			w.gone(readers[i])
			failed = append(failed, readers[i])
		}
	})
	w.After(length*3/4, func() {
		for _, n := range failed {
			w.Boot(n)
		}
	})
	w.every(0, time.Minute, time.Minute/2, length)
	w.run.Advance(w.World, length+lateAtMostPull+time.Second)
	var calm []*feedNote
	for _, p := range w.notes {
		d := w.outcome([]*feedNote{p}, nil)
		if len(d.delays) == 0 {
			continue
		}
		h.latency.add(p.at, d.delays)
		h.stretch.add(p.at, d.stretch)
		h.ways.add(p.at, d.ways)
		if since := p.at % (length / 4); since > min(afterwards, length/8) || p.at > length/4 && p.at < length/2 {
			calm = append(calm, p)
		}
	}
	h.calm, h.all = w.outcome(calm, nil), w.total()
	for _, n := range readers {
		h.direct = append(h.direct, w.RTT(0, n).Seconds()/2)
	}
	h.best = greedy(w.Distance, 0, readers, w.config.Children)
}

// feedTrades are how dead parents are found: where no transport reports them, and where one does.
var feedTrades = [...]struct {
	name, words string
	config      func() rappel.Config
	silent      bool
}{
	{"paper", "the paper's way: a ping each 30 s, 15 s for an answer", rappel.Paper, true},
	{"ours", "pings repeated, orphans called", rappel.Default, true},
	{"told", "pings repeated, orphans called, and the transport tells", rappel.Default, false},
}

// churnedFeed is what was measured of a feed while readers came and went (figures 8b and 11b).
type churnedFeed struct {
	all, observed delivery
	bytes         []float64         // by reader that stayed up: of control a second, sent
	bothBytes     []float64         // likewise, sent and received
	messages      []float64         // of control a second, sent and received
	left          float64           // readers that went in an hour, as a share
	minutes       [][feedGroups]int // messages of the reader that is watched
	height        int               // of that reader at the end
}

// watchedRate returns how many messages without updates the watched reader sends and receives in a second. It is the
// median of the minutes in which it was up, without the first eighth of the time.
func (c *churnedFeed) watchedRate() float64 {
	var rates []float64
	for _, counts := range c.minutes[len(c.minutes)/8:] {
		all := 0
		for _, n := range counts {
			all += n
		}
		if all > 0 {
			rates = append(rates, float64(all)/60)
		}
	}
	return stats.QuantileOf(rates, 0.5)
}

// observers is how many readers are kept from going (section 6.2.3).
const observers = 10

// churning is how readers come and go, and when updates come.
type churning struct {
	driver  func(gone func(sim.Node)) churn.Model
	up      func(readers []sim.Node) []sim.Node // that are up at the beginning
	length  time.Duration
	updates int
	watch   bool // the traffic of the reader nearest to the publisher, which is away for a quarter of the time
}

func (c *churnedFeed) run(w *feedsWorld, k churning) {
	w.run.Stage("churn", 1)
	readers := w.all()
	still := min(observers, len(readers)/4)
	observed, others := readers[:still], readers[still:]
	if k.watch {
		nearest := 0
		for i, n := range others {
			if w.Distance(0, n) < w.Distance(0, others[nearest]) {
				nearest = i
			}
		}
		w.watched = others[nearest]
		others = slices.Concat(others[:nearest], others[nearest+1:])
		w.After(k.length/2, func() { w.Crash(w.watched); w.gone(w.watched) })
		w.After(k.length*3/4, func() { w.Boot(w.watched) })
		observed = append(observed[:still:still], w.watched)
	}
	up := k.up(others)
	w.open(slices.Concat(observed, up), k.length/12)
	w.run.AdvancePart(w.World, k.length/8, 0, 8)
	left := 0
	k.driver(func(n sim.Node) { w.gone(n); left++ }).Drive(w.World, others)
	w.counting = true
	rest := k.length - k.length/8
	w.every(0, rest/time.Duration(k.updates), time.Second, rest)
	for i := range 7 {
		w.run.AdvancePart(w.World, rest/7, i+1, 8)
	}
	w.counting = false
	if k.watch {
		v, _ := w.at(w.watched).Tree(w.topics[0])
		c.height = v.Height
	}
	c.left = float64(left) / float64(len(up)) / rest.Hours()
	w.run.Pass(w.World, lateAtMostPull+time.Second)
	c.all = w.total()
	c.observed = w.outcome(w.notes, func(n sim.Node) bool { return int(n) <= still })
	c.bytes, c.bothBytes, c.messages = w.control(rest)
	c.minutes = w.minutes
}

// replaced returns churn as in Overnet: nodes come back after others have, and crash.
func replaced(length time.Duration) func(gone func(sim.Node)) churn.Model {
	return func(gone func(sim.Node)) churn.Model {
		return churn.Replacement{Hourly: testnet.ReplacedHourly, For: length, Leaving: churn.Leaving{Gone: gone}}
	}
}

// fourFifths returns the nodes that are up where a quarter as many are down.
func fourFifths(nodes []sim.Node) []sim.Node { return nodes[:len(nodes)*4/5] }

// greedy returns the ways from a root to some nodes over the direct ones, ascending, in a tree that is made with all
// coordinates at hand. It keeps the paper's invariant, that a parent is nearer to the root than its children (section
// 4.2). Nodes come in the order of their distance, and each goes where its way is shortest and there is room.
func greedy(distance func(a, b sim.Node) time.Duration, root sim.Node, nodes []sim.Node,
	children int) (ways []float64) {
	type placed struct {
		node sim.Node
		way  time.Duration
		room int
	}
	tree := []placed{{root, 0, children}}
	byDistance := slices.SortedStableFunc(slices.Values(nodes),
		func(a, b sim.Node) int { return cmp.Compare(distance(root, a), distance(root, b)) })
	for _, n := range byDistance {
		parent, way := -1, time.Duration(0)
		for i, candidate := range tree {
			if through := candidate.way + distance(candidate.node, n); candidate.room > 0 &&
				(parent < 0 || through < way) {
				parent, way = i, through
			}
		}
		tree[parent].room--
		tree = append(tree, placed{n, way, children})
		ways = append(ways, stats.Share(way.Seconds(), distance(root, n).Seconds()))
	}
	slices.Sort(ways)
	return ways
}
