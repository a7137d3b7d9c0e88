package feedtree

import (
	"fmt"
	"strings"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
	"tidings/lab/plot"
	"tidings/network"
	"tidings/network/engine"
	"tidings/source/query"
	"tidings/view"
)

// PushesLive has whole nodes publish by each router, and counts what nodes handle that do not follow.
var PushesLive = wording.Of("pushes-live", lab.Experiment[pushesSizes]{
	Live:   true,
	Expect: func(s pushesSizes) []lab.Expected { return pushesFigures(s).Expected() },
	Memory: func(s pushesSizes) uint64 { return uint64(s.Nodes) * (50 << 20) },
	Run:    runPushesLive,
})

type pushesSizes struct {
	Nodes     int           `json:"nodes"`     // the first publishes; of the last, one has a query
	Followers int           `json:"followers"` // one of them only after the kill; at least 2
	Items     int           `json:"items"`     // at least 2: one is revised, and one killed
	Every     time.Duration `json:"every_ns"`  // between two
	Bytes     int           `json:"bytes"`     // of an item as it travels, about
	Routers   []string      `json:"routers"`
}

// The channels of a network of pushesSizes. Its nodes are the publisher, the followers, the one that follows
// late, the one with a query, and strangers.
const (
	pushesFeed  = 0
	pushesQuery = 1

	pushesPublisher = 0
)

func (s pushesSizes) late() int    { return s.Followers }
func (s pushesSizes) queries() int { return s.Followers + 1 }

// brought is what came of one network.
type brought struct {
	tally  livenet.Tally // of followers
	query  livenet.Tally
	killed int // versions of the killed item that the late follower has shown
	gaps   int // followers that lack a number in the end
	// Messages with what was published that nodes have received, of those that do not follow.
	strangers, root, publisher, selects uint64
}

// noiseless reports whether a router promises that nobody handles what it does not follow.
func noiseless(router string) bool {
	return router == network.Rappel.String() || router == network.SpiderCast.String()
}

func pushesFigures(s pushesSizes) (all lab.Figures[map[string]*brought]) {
	for _, r := range s.Routers {
		var f lab.Figures[*brought]
		lab.Part(&f, "", func(b *brought) livenet.Tally { return b.tally }, livenet.TallyFigures())
		f.Judge("gaps", "", lab.Exactly(0), func(b *brought) float64 { return float64(b.gaps) })
		f.Judge("killed_shown", "", lab.Exactly(0), func(b *brought) float64 { return float64(b.killed) })
		within := lab.Bounds{}
		if noiseless(r) {
			within = lab.Exactly(0)
		}
		f.Judge("strangers_handled", "", within, func(b *brought) float64 { return float64(b.strangers) })
		f.Report("root_handled", "", func(b *brought) float64 { return float64(b.root) })
		f.Report("publisher_handled", "", func(b *brought) float64 { return float64(b.publisher) })
		if r == network.NewsWire.String() {
			f.Report("query_handled", "", func(b *brought) float64 { return float64(b.selects) })
			f.Judge("query_due", "", lab.AtLeast(1), func(b *brought) float64 { return float64(b.query.Due) })
			f.Judge("query_lost", "", lab.Exactly(0), func(b *brought) float64 { return float64(b.query.Lost) })
			f.Judge("query_twice", "", lab.Exactly(0), func(b *brought) float64 { return float64(b.query.Twice) })
		}
		lab.Part(&all, r+".", func(of map[string]*brought) *brought { return of[r] }, f)
	}
	return all.OfMachine()
}

func runPushesLive(run *lab.Run, s pushesSizes) error {
	all := make(map[string]*brought)
	draw := wording.Plots("pushes-live", s)("pushes-live-late")
	for _, router := range s.Routers {
		run.Stage(router, 1/float64(len(s.Routers)))
		b, err := s.publish(run, router)
		if err != nil {
			return fmt.Errorf("publishing by %s: %w", router, err)
		}
		all[router] = b
		draw = draw.With(plot.CDF(router, b.tally.Latencies))
	}
	pushesFigures(s).Give(run, all)
	run.Plot(draw)
	return nil
}

// workload is a network. Nobody polls of his own accord while the experiment runs: what comes is pushed.
func (s pushesSizes) workload(seed uint64, router network.RouterName) (livenet.Workload, error) {
	feed := livenet.Channel{Name: "feed", Kind: livenet.Published, Publisher: pushesPublisher}
	for i := range s.Followers - 1 {
		feed.Readers = append(feed.Readers, pushesPublisher+1+i)
	}
	w := livenet.Workload{Seed: seed, Nodes: s.Nodes, Interval: time.Hour, Router: router,
		Channels: []livenet.Channel{pushesFeed: feed}}
	if router != network.NewsWire {
		return w, nil
	}
	q, err := query.Parse(fmt.Sprintf("publisher = '%s'", livenet.NewsPublisher))
	if err != nil {
		return w, fmt.Errorf("writing a query: %w", err)
	}
	w.Channels = append(w.Channels, livenet.Channel{
		Name: "query", Kind: livenet.Selected, Query: q.String(), From: feed.Name, Readers: []int{s.queries()},
	})
	return w, nil
}

// publish plays one network.
func (s pushesSizes) publish(run *lab.Run, name string) (*brought, error) {
	router, err := network.ParseRouter(name)
	if err != nil {
		return nil, err
	}
	w, err := s.workload(run.Seed(), router)
	if err != nil {
		return nil, err
	}
	net, err := livenet.Launch(run.Context(), w, livenet.Options{Progress: run.Part})
	if err != nil {
		return nil, err
	}
	b := new(brought)
	ends := net.While(func() { err = s.play(net, &w, b) })
	if err != nil {
		return nil, err
	}
	net.Remark(run, ends)
	b.tally = net.Tally(livenet.Rules{}, pushesFeed)
	if router == network.NewsWire {
		b.query = net.Tally(livenet.Rules{First: true}, pushesQuery)
	}
	for _, sub := range net.Nodes[s.late()].Subscriptions(pushesFeed) {
		for _, notified := range sub.Notified {
			if killed, ok := net.FactOf(pushesFeed, s.killed(), 1); ok && notified.Fact == killed {
				b.killed++
			}
		}
	}
	return b, nil
}

func (s pushesSizes) revised() int { return 0 }
func (s pushesSizes) killed() int  { return s.Items / 2 }

// play has the feed followed, publishes, and counts.
func (s pushesSizes) play(net *livenet.Net, w *livenet.Workload, b *brought) error {
	if err := net.Play(livenet.Phase{Events: w.Begin(0), Await: true}); err != nil {
		return err
	}
	if err := net.AwaitPushed(); err != nil {
		return err
	}
	if w.Router == network.NewsWire {
		if err := net.Until("the publisher's node knows what others want",
			func() (bool, error) { return s.isKnown(net) }); err != nil {
			return err
		}
	}
	before, err := s.handled(net, w.Router)
	if err != nil {
		return err
	}
	feed := []int{pushesFeed}
	var items livenet.Phase
	for i := range s.Items {
		items.Events = append(items.Events, livenet.Event{
			At: time.Duration(i) * s.Every, Do: livenet.Publish, Node: pushesPublisher, Channels: feed, Bytes: s.Bytes,
			News: true,
		})
	}
	items.Await = true
	later := func(e livenet.Event) livenet.Phase { return livenet.Phase{Events: []livenet.Event{e}, Await: true} }
	for _, phase := range []livenet.Phase{
		items,
		later(livenet.Event{Do: livenet.Revise, Node: pushesPublisher, Channels: feed, Bytes: s.Bytes,
			Entry: s.revised()}),
		later(livenet.Event{Do: livenet.Withdraw, Node: pushesPublisher, Channels: feed, Entry: s.killed()}),
		{Events: []livenet.Event{{Do: livenet.Subscribe, Node: s.late(), Channels: feed}}},
	} {
		if err := net.Play(phase); err != nil {
			return err
		}
	}
	if err := net.AwaitPushed(); err != nil {
		return err
	}
	if _, b.gaps, err = net.AwaitNumbers(pushesFeed, gapPatience); err != nil {
		return err
	}
	after, err := s.handled(net, w.Router)
	if err != nil {
		return err
	}
	return s.count(net, before, after, b)
}

// isKnown reports whether the zones' rows at the publisher's node say what the followers and the node with the query
// subscribe to. Items that are published before reach them only when they request what they have missed.
func (s pushesSizes) isKnown(net *livenet.Net) (bool, error) {
	z, err := net.Nodes[pushesPublisher].Client.Zone(net.Context(), "")
	if err != nil {
		return false, nil // it has none so far
	}
	lacking := make(map[string]bool)
	for i := range s.Nodes {
		if i != pushesPublisher && i < s.late() || i == s.queries() {
			lacking[net.Nodes[i].ID] = true
		}
	}
	for _, r := range z.Rows {
		if filter := r.Attributes["filter"]; r.Kind == view.ZoneMember && filter != "" &&
			!strings.HasPrefix(filter, "0 of") {
			delete(lacking, r.Issuer)
		}
	}
	return len(lacking) == 0, nil
}

// carrying are the messages by which routers carry events.
var carrying = map[network.RouterName][]string{
	network.Scribe:     {"scribe.Publish", "scribe.Disseminate", "scribe.Missed"},
	network.Rappel:     {"rappel.Publish", "rappel.Update"},
	network.SpiderCast: {"spidercast.Event"},
	network.NewsWire:   {"newswire.Forward", "newswire.Deliver", "newswire.Missed"},
}

// handled returns how many messages with events each node has received.
func (s pushesSizes) handled(net *livenet.Net, router network.RouterName) (all []uint64, err error) {
	kinds := carrying[router]
	if router == network.Direct { // pushed items travel by Scribe then
		kinds = carrying[network.Scribe]
	}
	for i := range s.Nodes {
		n, err := net.Received(i, kinds...)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// count deals out what nodes that do not follow have handled. The node closest to the topic is the root,
// where events enter.
func (s pushesSizes) count(net *livenet.Net, before, after []uint64, b *brought) error {
	topic, err := net.Topic(pushesFeed)
	if err != nil {
		return err
	}
	root := 0
	ids := make([]engine.ID, s.Nodes)
	for i := range s.Nodes {
		if ids[i], err = engine.ParseID(net.Nodes[i].ID); err != nil {
			return err
		}
		if engine.Closer(topic, ids[i], ids[root]) {
			root = i
		}
	}
	for i := range s.Nodes {
		switch n := after[i] - before[i]; {
		case i == pushesPublisher:
			b.publisher += n
		case i <= s.late(): // it follows
		case i == root:
			b.root += n
		case i == s.queries():
			b.selects += n
		default:
			b.strangers += n
		}
	}
	return nil
}
