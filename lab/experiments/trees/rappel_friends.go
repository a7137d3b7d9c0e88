package trees

import (
	"maps"
	"slices"
	"time"

	"tidings/lab/dataset"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
)

// control returns what readers that have been up all the time have sent and received without content, a second.
func (w *feedsWorld) control(length time.Duration) (bytes, both, messages []float64) {
	seconds := length.Seconds()
	for _, n := range w.all() {
		if w.lives[n] > 0 || !w.Up(n) {
			continue
		}
		t := w.traffic[n]
		bytes = append(bytes, float64(t.sentBytes)/seconds)
		both = append(both, float64(t.controlBytes)/seconds)
		messages = append(messages, float64(t.control)/seconds)
	}
	return bytes, both, messages
}

// friendRules are how friends are chosen (figures 9b and 9c), and how many.
var friendRules = [...]struct {
	name, words string
	change      func(*rappel.Config)
}{
	{"both", "interests and distance", func(*rappel.Config) {}},
	{"interest", "interests alone", func(c *rappel.Config) { c.Useful = rappel.InterestAlone }},
	{"distance", "distance alone", func(c *rappel.Config) { c.Useful = rappel.DistanceAlone }},
	{"alpha2", "interests and distance, 2 friends", func(c *rappel.Config) { c.Friends, c.Fans = 2, 4 }},
	{"alpha4", "interests and distance, 4 friends", func(c *rappel.Config) { c.Friends, c.Fans = 4, 8 }},
	{"paper", "as in the paper, where distance can outweigh topics", func(c *rappel.Config) { c.Cover = false }},
}

// fanOuts are the numbers of children that are tried under churn (section 6.2.3, not shown in the paper): beta.
var fanOuts = [...]int{3, 5, 8}

// befriended is what was measured of readers of many feeds (figures 9, 10c, 11c and 11d).
type befriended struct {
	wanted, covered []float64 // by reader: feeds, and those that a friend follows too
	overlap         []float64 // by reader: roles of its neighbours, by neighbour
	data            []float64 // by reader: messages with updates, of one update of each feed
	messages        []float64 // by reader: of control a second
	feeds           int
	noisy           int // nodes that were sent an update that they had not asked for
	all             delivery
}

func (b *befriended) run(w *feedsWorld, length time.Duration) {
	w.run.Stage("friends", 1)
	b.feeds = w.feeds
	w.open(w.all(), length/6)
	w.run.AdvancePart(w.World, length*2/3, 0, 2)
	w.counting = true
	w.run.AdvancePart(w.World, length/3, 1, 2)
	for _, n := range w.all() {
		b.messages = append(b.messages, float64(w.traffic[n].control)/(length/3).Seconds())
		b.wanted = append(b.wanted, float64(len(w.seat[n])))
		b.roles(w, n)
	}
	clear(w.traffic)
	for feed := range w.feeds {
		w.publish(feed)
	}
	w.run.Pass(w.World, lateAtMostPull+time.Second)
	for _, n := range w.all() {
		b.data = append(b.data, float64(w.traffic[n].data))
	}
	b.all, b.noisy = w.total(), len(w.strange)
}

// roles notes a reader's friends, and which roles they have.
func (b *befriended) roles(w *feedsWorld, n sim.Node) {
	node := w.at(n)
	known := make(map[engine.ID]bool)
	roles, covered := 0, make(map[int]bool)
	role := func(p engine.Peer) {
		roles++
		known[p.ID] = true
	}
	for _, f := range node.Friends() {
		role(f.Peer)
		if friend, ok := w.NodeAt(f.Peer); ok {
			for feed := range w.seat[friend] {
				if _, shared := w.seat[n][feed]; shared {
					covered[feed] = true
				}
			}
		}
	}
	for feed := range w.seat[n] {
		v, _ := node.Tree(w.topics[feed])
		for _, c := range v.Children {
			role(c)
		}
		if len(v.Ancestors) > 0 {
			role(v.Ancestors[0].Peer)
		}
	}
	b.covered = append(b.covered, float64(len(covered)))
	b.overlap = append(b.overlap, stats.Share(float64(roles), float64(len(known))))
}

// several returns a measure of readers with at least so many feeds; ascending.
func (b *befriended) several(least int, measure func(i int) float64) (values []float64) {
	for i, n := range b.wanted {
		if int(n) >= least {
			values = append(values, measure(i))
		}
	}
	slices.Sort(values)
	return values
}

// coverage returns which share of the feeds of a reader is covered.
func (b *befriended) coverage(least int) []float64 {
	return b.several(least, func(i int) float64 { return b.covered[i] / b.wanted[i] })
}

func (b *befriended) overlaps(least int) []float64 {
	return b.several(least, func(i int) float64 { return b.overlap[i] })
}

// leastCovered returns the least number of feeds that are covered of a reader with at least so many feeds. If there is
// no such reader it is the number of friends.
func (b *befriended) leastCovered(least int) float64 {
	if feeds := b.several(least, func(i int) float64 { return b.covered[i] }); len(feeds) > 0 {
		return feeds[0]
	}
	return float64(rappel.Default().Friends)
}

// most returns the highest work of a reader for each feed that it follows. In a tree it is one update that comes, and
// one for each child. Those of a child that is about to leave are added.
func most(wanted, data []float64) (x float64) {
	for i := range wanted {
		x = max(x, stats.Share(data[i], wanted[i]))
	}
	return x
}

func mediansBy(x, y []float64) (points []plot.Point) {
	by := make(map[float64][]float64)
	for i := range x {
		by[x[i]] = append(by[x[i]], y[i])
	}
	for _, at := range slices.Sorted(maps.Keys(by)) {
		points = append(points, plot.Point{X: at, Y: stats.QuantileOf(by[at], 0.5)})
	}
	return points
}

// recordedInterests are what people were recorded to follow. Where they are at hand, they stand for subscriptions
// beside the made ones.
var recordedInterests = [...]struct {
	name string
	of   dataset.RecordedInterests
}{
	{"deezer", dataset.DeezerTopics},  // listeners and their kinds of music
	{"lastfm", dataset.LastFMArtists}, // listeners and their artists
}

// readInterests returns what people were recorded to follow; nothing where that is not wanted, or not at hand.
func (s rappelSizes) readInterests() (all [][][]int, err error) {
	if !s.interestsAtHand() {
		return nil, nil
	}
	for _, r := range recordedInterests {
		people, err := r.of.Read()
		if err != nil {
			return nil, err
		}
		all = append(all, people)
	}
	return all, nil
}

// interestsAtHand reports whether what people were recorded to follow is wanted, and on this machine.
func (s rappelSizes) interestsAtHand() bool {
	if s.Recorded == 0 {
		return false
	}
	for _, r := range recordedInterests {
		if !r.of.AtHand() {
			return false
		}
	}
	return true
}
