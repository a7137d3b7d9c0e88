package trees

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// feedsSetting says what a world of Rappel nodes is like.
type feedsSetting struct {
	testnet.Sites
	config rappel.Config
	// subscriptions are the feeds that each reader follows. The numbers of feeds are those of their publishers.
	subscriptions [][]int
	feeds         int
	silent        bool // no transport reports dead connections
}

// feedsWorld is a world of Rappel nodes: first the publishers of some feeds, a node each, which stay up, then readers.
type feedsWorld struct {
	*sim.World
	feedsSetting
	run    *lab.Run
	chance *rand.Rand

	topics  []engine.ID
	number  map[engine.ID]int
	readers [][]sim.Node       // by feed
	seat    []map[int]int      // by reader and feed: where it stands among the readers of the feed
	memory  []*testnet.Friends // by node
	lives   []uint16           // by node: how often it has gone
	member  [][]bool           // by feed and seat: it has joined, in this life
	byFeed  [][]*feedNote      // by feed and number of its root, from 1
	notes   []*feedNote        // by number, from 1
	rejoins []int              // by node: periodic rejoins that came to it
	watch   *check.Watch
	noise   check.Noiseless
	twice   int

	counting bool
	traffic  []feedTraffic     // by node
	strange  map[sim.Node]bool // that were sent what they have not asked for
	watched  sim.Node          // the node with traffic counted by minutes; 0: none
	minutes  [][feedGroups]int
}

func newFeedsWorld(run *lab.Run, s feedsSetting) *feedsWorld {
	c := sim.Default(engine.NewCodec(rappel.Vocabulary, testnet.NoteVocabulary))
	c.Seed, c.Latency, c.Connections = run.Seed(), s.Latency, !s.silent
	if s.silent {
		c.Detect = 24 * time.Hour
	}
	w := &feedsWorld{
		World: sim.New(c), feedsSetting: s, run: run, chance: rand.New(rand.NewPCG(run.Seed(), 0x4a9)),
		number: make(map[engine.ID]int), strange: make(map[sim.Node]bool), readers: make([][]sim.Node, s.feeds),
		member: make([][]bool, s.feeds), byFeed: make([][]*feedNote, s.feeds),
	}
	// Updates may be under way to a child that has left, and a crashed node is still subscribed.
	w.noise.Grace = s.config.Parting
	w.noise.Except = func(n sim.Node, topic engine.ID) bool { return w.number[topic] == int(n) }
	w.watch = check.All(w.World, nil, &w.noise)
	for i := range s.feeds {
		topic := engine.IDOf(fmt.Append(nil, "feed ", i))
		w.topics = append(w.topics, topic)
		w.number[topic] = i
		w.add(nil)
	}
	for _, wants := range s.subscriptions {
		w.add(wants)
	}
	for i := range w.readers {
		w.member[i] = make([]bool, len(w.readers[i]))
	}
	w.Observe(w.observe)
	w.Tap(w.listen)
	return w
}

// add makes a node that is down, and that joins its feeds whenever it boots.
func (w *feedsWorld) add(wants []int) {
	n := sim.Node(w.Len())
	seats := make(map[int]int, len(wants))
	for _, feed := range wants {
		seats[feed] = len(w.readers[feed])
		w.readers[feed] = append(w.readers[feed], n)
	}
	memory := &testnet.Friends{}
	w.seat, w.memory = append(w.seat, seats), append(w.memory, memory)
	w.lives, w.rejoins, w.traffic = append(w.lives, 0), append(w.rejoins, 0), append(w.traffic, feedTraffic{})
	at := testnet.Fixed(w.Coordinate(n))
	for _, feed := range wants {
		w.watch.Report(n, check.Subscribed{Topic: w.topics[feed]})
	}
	w.Add(engine.DrawID(w.chance), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		node := rappel.New(env, w.config, rappel.Seams{Member: testnet.Reader{}, Directory: w, Coordinates: at,
			Memory: memory})
		for _, feed := range wants {
			node.Join(w.topics[feed])
		}
		return node
	})
}

// Root returns the publisher of a feed: every node knows it from the feed itself.
func (w *feedsWorld) Root(topic engine.ID) engine.Peer { return w.Peer(sim.Node(w.number[topic])) }

func (w *feedsWorld) at(n sim.Node) *rappel.Node { return w.Protocol(n).(*rappel.Node) }

func (w *feedsWorld) all() (list []sim.Node) {
	for n := w.feeds; n < w.Len(); n++ {
		list = append(list, sim.Node(n))
	}
	return list
}

// open boots the publishers, and readers over some time.
func (w *feedsWorld) open(readers []sim.Node, over time.Duration) {
	for n := range sim.Node(w.feeds) {
		w.Boot(n)
	}
	for i, n := range readers {
		w.After(over*time.Duration(i)/time.Duration(len(readers)), func() { w.Boot(n) })
	}
}

func (w *feedsWorld) gone(n sim.Node) {
	w.lives[n]++
	for feed, seat := range w.seat[n] {
		w.member[feed][seat] = false
	}
}

func (w *feedsWorld) observe(at time.Duration, n sim.Node, event any) {
	switch e := event.(type) {
	case rappel.Attached:
		feed := w.number[e.Topic]
		w.member[feed][w.seat[n][feed]] = true
	case rappel.Asked:
		if to, ok := w.NodeAt(e.To); ok && e.Why == "rejoins" {
			w.rejoins[to]++
		}
	case rappel.Came:
		if from, ok := w.NodeAt(e.From); ok {
			w.came(n, from, e)
		}
	case rappel.Delivered:
		w.delivered(at, n, e.Event.(*testnet.Note).Number)
	}
}

// listen reports every update, and every void one, that reaches a node to the oracle of noise, and counts traffic.
func (w *feedsWorld) listen(p sim.Delivery) {
	data := false
	switch m := p.Message.(type) {
	case *rappel.Update:
		if data = true; p.Fate == sim.Received {
			if feed := w.number[m.Topic]; feed != int(p.To) {
				if _, follows := w.seat[p.To][feed]; !follows {
					w.strange[p.To] = true
				}
			}
			w.watch.Report(p.To, check.Carried{Topic: m.Topic, Version: m.Stamp.Number})
		}
	case *rappel.Void:
		if p.Fate == sim.Received {
			w.watch.Report(p.To, check.Carried{Topic: m.Topic, Version: m.Stamp.Number})
		}
	}
	if !w.counting && w.watched == 0 {
		return
	}
	n := p.From
	if p.Fate == sim.Received {
		n = p.To
	} else if p.Fate != sim.Sent {
		return
	}
	if w.counting {
		w.traffic[n].add(p.Fate == sim.Sent, data, p.Bytes)
	}
	if n == w.watched && !data {
		for len(w.minutes) <= int(p.At/time.Minute) {
			w.minutes = append(w.minutes, [feedGroups]int{})
		}
		w.minutes[p.At/time.Minute][groupOf(p.Message)]++
	}
}

// noises returns how many updates reached nodes that do not follow the feed.
func (w *feedsWorld) noises() int {
	if err, is := w.noise.Err().(*check.Violation); is {
		w.run.Remark(err.Error())
		return 1 + err.More
	}
	return 0
}

// feedTraffic is what a node has sent and received: messages with content, and all others.
type feedTraffic struct {
	data, control           int
	controlBytes, sentBytes int // of those without content, in all and sent
}

func (t *feedTraffic) add(sent, data bool, bytes int) {
	if data {
		t.data++
		return
	}
	t.control++
	if t.controlBytes += bytes; sent {
		t.sentBytes += bytes
	}
}

// Groups of messages, as in the paper's figure 11b.
const (
	pingGroup = iota
	treeGroup
	friendGroup
	updateGroup
	feedGroups
)

var feedGroupWords = [feedGroups]string{"pings and their answers", "places in the tree", "profiles and friendship",
	"void updates, pulls"}

func groupOf(m engine.Message) int {
	switch m.(type) {
	case *rappel.Ping, *rappel.Ack:
		return pingGroup
	case *rappel.Profile, *rappel.ProfileRequest, *rappel.FriendRequest, *rappel.FriendReply, *rappel.Unfriend:
		return friendGroup
	case *rappel.Void, *rappel.Pull, *rappel.Pulled, *rappel.Publish, *rappel.Taken:
		return updateGroup
	}
	return treeGroup
}
