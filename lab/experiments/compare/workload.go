package compare

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab/dataset"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/sim"
)

// workload is all that happens to a network, whatever system it runs. It is a function of the seed.
type workload struct {
	size
	ids       []engine.ID // of nodes
	topicIDs  []engine.ID
	number    map[engine.ID]int32 // of topics
	byID      map[engine.ID]sim.Node
	interests *graph.Interests
	events    []event   // in the order of their times
	moves     []move    // likewise
	loss      float64   // share of the messages, in the trouble
	conducts  []conduct // by node, from the beginning of the trouble on
	joins     []join
}

// size is how large a workload is.
type size struct {
	nodes, topics int
	follows       int // topics of a node, on average
	events        int // in each part of the time
}

// event is an event of a topic. It enters at the topic's entry: the node that is closest to the topic on the ring.
type event struct {
	at    time.Duration // since its part of the time began
	part  part
	topic int32
	bytes int
}

// move is a node that goes or returns.
type move struct {
	at   time.Duration // since the trouble began
	node sim.Node
	up   bool
}

// join is a node that joins another topic, while events of it are published at intervals.
type join struct {
	node  sim.Node
	topic int32
}

// part is a part of the time.
type part uint8

// The parts, in their order. Events of the first let trees form.
const (
	warm part = iota
	calm
	trouble
	after
	joining // events that show when a node that has joined a topic gets the next
	parts
)

// kind is a way in which nodes follow topics and topics change.
type kind struct {
	name string
	draw func(chance *rand.Rand, s size) [][]int32 // the topics of each node
	hot  float64                                   // share of the events that are of the first topic; 0: by rate alone
	own  bool                                      // where a topic's events enter, the node follows the topic
}

// kinds are those of the rows.
var (
	zipf05 = kind{name: "zipf05", draw: byPopularity(graph.RSS)}
	zipf1  = kind{name: "zipf1", draw: byPopularity(graph.Zipf1)}
	// Readers copy what others follow: interests are correlated, and how many topics a node follows is by a power law.
	copied = kind{name: "copied", draw: func(chance *rand.Rand, s size) [][]int32 {
		return narrow(testnet.Subscribed(chance, s.nodes, s.topics, 1))
	}}
	// As copied, with each node's topics replaced by as many that are drawn by the same popularity: uncorrelated.
	shuffled = kind{name: "shuffled", draw: func(chance *rand.Rand, s size) [][]int32 {
		return shuffle(chance, testnet.Subscribed(chance, s.nodes, s.topics, 1))
	}}
	// All follow one topic, of which half of the events are, and few others that are cold.
	hot = kind{name: "hot", hot: 0.5, draw: func(chance *rand.Rand, s size) [][]int32 {
		follows := graph.DrawInterests(chance, s.nodes, s.topics-1, 1, 3, graph.Uniform).Follows
		for n, cold := range follows {
			all := []int32{0}
			for _, t := range cold {
				all = append(all, t+1)
			}
			follows[n] = all
		}
		return follows
	}}
)

// entering is zipf05 among nodes that follow the topics whose events enter at them.
var entering = kind{name: "entering", draw: zipf05.draw, own: true}

// recorded is the kinds of music that listeners were recorded to like. It needs documents that are not everywhere.
var recorded = kind{name: "recorded", draw: func(chance *rand.Rand, s size) [][]int32 {
	people, err := dataset.DeezerTopics.Read()
	if err != nil {
		panic(err) // they were at hand
	}
	return narrow(testnet.Recorded(chance, people, s.nodes, s.topics))
}}

// byPopularity returns interests of 1 to nearly twice as many topics as a node follows on average.
func byPopularity(p graph.Popularity) func(chance *rand.Rand, s size) [][]int32 {
	return func(chance *rand.Rand, s size) [][]int32 {
		return graph.DrawInterests(chance, s.nodes, s.topics, 1, min(2*s.follows-1, s.topics), p).Follows
	}
}

func narrow(lists [][]int) [][]int32 {
	all := make([][]int32, len(lists))
	for n, list := range lists {
		for _, t := range list {
			all[n] = append(all[n], int32(t))
		}
	}
	return all
}

// shuffle deals the followed topics out anew: each node gets as many as it had, and each topic keeps about as many
// followers.
func shuffle(chance *rand.Rand, lists [][]int) [][]int32 {
	var deck []int32
	for _, list := range lists {
		for _, t := range list {
			deck = append(deck, int32(t))
		}
	}
	all := make([][]int32, len(lists))
	for n, list := range lists {
		for tries := 0; len(all[n]) < len(list) && tries < 100*len(list); tries++ {
			if t := deck[chance.IntN(len(deck))]; !slices.Contains(all[n], t) {
				all[n] = append(all[n], t)
			}
		}
		slices.Sort(all[n])
	}
	return all
}

// Bounds of an event's length: what a short item takes, and what a router carries. Larger contents travel in pieces,
// whatever the router.
const (
	leastBytes = 200
	mostBytes  = 60_000
)

// newWorkload draws a workload.
func newWorkload(seed uint64, k kind, s size, t trial, times times) *workload {
	chance := rand.New(rand.NewPCG(seed, 0xc0))
	w := &workload{size: s, number: make(map[engine.ID]int32), byID: make(map[engine.ID]sim.Node),
		loss: t.loss, conducts: make([]conduct, s.nodes)}
	for n := range s.nodes {
		w.ids = append(w.ids, engine.DrawID(chance))
		w.byID[w.ids[n]] = sim.Node(n)
	}
	for i := range s.topics {
		w.topicIDs = append(w.topicIDs, testnet.TopicID(i))
		w.number[w.topicIDs[i]] = int32(i)
	}
	follows := k.draw(chance, s)
	for t := 0; k.own && t < s.topics; t++ {
		if n := w.closest(t, func(sim.Node) bool { return true }); !slices.Contains(follows[n], int32(t)) {
			follows[n] = append(follows[n], int32(t))
		}
	}
	w.interests = graph.NewInterests(s.topics, follows)
	w.drawEvents(chance, k, times)
	w.drawMoves(rand.New(rand.NewPCG(seed, 0xc1)), t, times)
	w.drawJoins(chance, times)
	w.drawConducts(rand.New(rand.NewPCG(seed, 0xc4)), t)
	return w
}

// drawConducts draws which nodes misbehave. The first node does not: it is the hub where there is one.
func (w *workload) drawConducts(chance *rand.Rand, t trial) {
	among := chance.Perm(w.nodes - 1)
	riders, liars := int(t.riders*float64(w.nodes)), int(t.liars*float64(w.nodes))
	for _, i := range among[:riders] {
		w.conducts[i+1] = rides
	}
	for _, i := range among[riders : riders+liars] {
		w.conducts[i+1] = lies
	}
}

// drawEvents draws events of each part of the time. Each topic has the rate and the lengths of a recorded feed. Only
// how rates compare is as recorded: the time is too short for most feeds to change.
func (w *workload) drawEvents(chance *rand.Rand, k kind, times times) {
	feeds := recordedFeeds()
	of := make([]feed, w.topics)
	sums, sum := make([]float64, len(of)), 0.0
	for i := range of {
		of[i] = feeds[chance.IntN(len(feeds))]
		sum += of[i].rate
		sums[i] = sum
	}
	draw := func() int32 {
		if chance.Float64() < k.hot {
			return 0
		}
		x := chance.Float64() * sum
		i, _ := slices.BinarySearch(sums, x)
		return int32(min(i, len(of)-1))
	}
	length := func(topic int32) int {
		lengths := of[topic].lengths
		return lengths[chance.IntN(len(lengths))]
	}
	for t := range int32(len(of)) {
		w.events = append(w.events, event{times.warm * time.Duration(t) / time.Duration(len(of)), warm, t, length(t)})
	}
	for _, p := range []part{calm, trouble, after} {
		of := make([]event, w.size.events)
		for i := range of {
			t := draw()
			of[i] = event{time.Duration(chance.Int64N(int64(times.of(p)))), p, t, length(t)}
		}
		slices.SortFunc(of, func(a, b event) int { return cmp.Compare(a.at, b.at) })
		w.events = append(w.events, of...)
	}
}

// feed is a recorded feed's rate, compared with others, and the lengths of what was new in it.
type feed struct {
	rate    float64
	lengths []int
}

// recordedFeeds returns the feeds that were recorded.
func recordedFeeds() (feeds []feed) {
	for _, f := range dataset.Feeds() {
		var lengths []int
		for _, u := range f.Updates[1:] {
			lengths = append(lengths, min(max(u.Added, leastBytes), mostBytes))
		}
		span := f.Updates[len(f.Updates)-1].Time.Sub(f.Updates[0].Time)
		if len(lengths) > 0 && span > 0 {
			feeds = append(feeds, feed{float64(len(lengths)) / span.Hours(), lengths})
		}
	}
	return feeds
}

// drawMoves draws which nodes go, and when. The first node stays: it is the hub where there is one.
func (w *workload) drawMoves(chance *rand.Rand, t trial, times times) {
	among := chance.Perm(w.nodes - 1)
	for _, i := range among[:int(t.crash*float64(w.nodes))] {
		w.moves = append(w.moves, move{0, sim.Node(i + 1), false})
	}
	for _, i := range among[:int(t.churn*float64(w.nodes))] {
		goes := time.Duration(chance.Int64N(int64(times.trouble)))
		away := awayLeast + time.Duration(chance.Int64N(int64(awayMost-awayLeast)))
		w.moves = append(w.moves, move{goes, sim.Node(i + 1), false}, move{goes + away, sim.Node(i + 1), true})
	}
	slices.SortStableFunc(w.moves, func(a, b move) int { return cmp.Compare(a.at, b.at) })
}

// For how long a node is away that returns.
const (
	awayLeast = 30 * time.Second
	awayMost  = 90 * time.Second
)

// drawJoins draws nodes that join a topic that they do not follow, each another topic with followers.
func (w *workload) drawJoins(chance *rand.Rand, times times) {
	for _, t := range chance.Perm(w.topics) {
		if len(w.joins) == times.joins {
			break
		}
		n := int32(chance.IntN(w.nodes))
		if len(w.interests.Followers[t]) > 0 && !slices.Contains(w.interests.Follows[n], int32(t)) {
			w.joins = append(w.joins, join{sim.Node(n), int32(t)})
		}
	}
}

// closest returns which node of some is closest to a topic on the ring; below 0: there is none.
func (w *workload) closest(topic int, of func(n sim.Node) bool) sim.Node {
	best := sim.Node(-1)
	for n := range sim.Node(w.nodes) {
		if of(n) && (best < 0 || engine.Closer(w.topicIDs[topic], w.ids[n], w.ids[best])) {
			best = n
		}
	}
	return best
}
