package feedtree

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// forest is a world in which all nodes follow some feeds.
type forest struct {
	*testnet.Ring
	feeds  []*pushedFeed
	nodes  []*forestNode
	config feedtree.Config
	tree   func(n *forestNode) feedtree.Tree // by which a node publishes; its Scribe, except in tests

	signed map[string]bool // by key, words and signature: all nodes verify the same
	delays []float64       // seconds from publishing until a reader's library has an item
}

// pushedFeed is a feed that is published at a node.
type pushedFeed struct {
	channel engine.ID
	private ed25519.PrivateKey
	topic   engine.ID
	at      *forestNode
	last    uint64
	time    int64
	sent    map[uint64]time.Duration // when items were published
	items   []*feedtree.Item
	rank    int    // of its node among all, by how close they are to the topic; see rankOf
	own     uint64 // bytes that its node has sent because it publishes
}

// forestNode is a node of a forest. Its library keeps nothing but answers, after a while.
type forestNode struct {
	*engine.Stack
	env    engine.Env
	number sim.Node
	pastry *pastry.Node
	scribe *scribe.Node
	feed   *feedtree.Node
	forest *forest
}

var forestCodec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, feedtree.Vocabulary)

func newForest(run *lab.Run, feeds int) *forest {
	c := sim.Default(forestCodec)
	c.Latency, c.CountByNode = testnet.PlanetLab(run.Seed()), true
	f := &forest{Ring: testnet.NewRing(run, c, 0xfe), config: feedtree.Default(), signed: make(map[string]bool)}
	f.tree = func(n *forestNode) feedtree.Tree { return n.scribe }
	f.Start = f.start
	for i := range feeds {
		seed := sha256.Sum256(fmt.Appendf(nil, "publisher %d of %d", i, run.Seed()))
		p := &pushedFeed{private: ed25519.NewKeyFromSeed(seed[:]), sent: make(map[uint64]time.Duration)}
		p.channel = engine.IDOf(fmt.Appendf(nil, "http://feed-%d.example/%d", i, run.Seed()))
		p.topic = feedtree.TopicOf(p.channel, p.pin())
		f.feeds = append(f.feeds, p)
	}
	f.Observe(f.observe)
	f.Tap(f.countOwn)
	return f
}

func (p *pushedFeed) pin() feedtree.Fingerprint { return feedtree.KeyOf(p.private).Fingerprint() }

func (f *forest) observe(at time.Duration, _ sim.Node, event any) {
	stored, ok := event.(feedtree.Taken)
	if !ok {
		return
	}
	for _, p := range f.feeds {
		if p.topic == stored.Topic {
			f.delays = append(f.delays, (at - p.sent[stored.Number]).Seconds())
		}
	}
}

func (f *forest) grow(nodes int) {
	f.Grow(nodes, func(int) { f.Boot(f.AddNodes(1)[0]) }, 2*pastry.Default().KeepAlive, 0.4)
}

func (f *forest) start(number sim.Node, env engine.Env) engine.Protocol {
	n := &forestNode{Stack: engine.NewStack(env), env: env, number: number, pastry: pastry.New(env, f.Config),
		forest: f}
	n.feed = feedtree.New(env, n.pastry, n, nil, f.config)
	n.scribe = scribe.New(env, n.pastry, n.feed, scribe.Default())
	n.feed.VerifyBy(f.verify)
	n.feed.Use(f.tree(n))
	n.pastry.Handle(engine.Scribe, n.scribe)
	n.pastry.Handle(engine.FeedTree, n.feed.Routed())
	n.Add(engine.Pastry, n.pastry)
	n.Add(engine.Scribe, n.scribe)
	n.Add(engine.FeedTree, n.feed)
	f.Enter(number, n.pastry)
	f.nodes = append(f.nodes, n)
	return n
}

// verify verifies each signature once for all nodes.
func (f *forest) verify(k feedtree.Key, words, signature []byte) bool {
	name := string(slices.Concat(k[:], words, signature))
	signed, known := f.signed[name]
	if !known {
		signed = k.Signed(words, signature)
		f.signed[name] = signed
	}
	return signed
}

// keepingTime is how long a library needs to store an item.
const keepingTime = 5 * time.Millisecond

// Keep implements feedtree.Library.
func (n *forestNode) Keep(topic engine.ID, item *feedtree.Item) {
	n.env.After(keepingTime, func() { n.feed.Kept(topic, item.Number, true) })
}

// Lend implements feedtree.Library: publishers have what they have published.
func (n *forestNode) Lend(topic engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	n.env.After(keepingTime, func() {
		var items []*feedtree.Item
		for _, p := range n.forest.feeds {
			for _, i := range p.items {
				if p.at == n && p.topic == topic && i.Number >= from && (to == 0 || i.Number <= to) &&
					len(items) < most {
					items = append(items, i)
				}
			}
		}
		found(items)
	})
}

// begin publishes each feed at a node and makes all others follow it. They receive a first word of its publisher before
// they would look for one. Otherwise each would ask many others, which know as little.
func (f *forest) begin(silence time.Duration) {
	f.Run.Stage("following", 0.2)
	for i, p := range f.feeds {
		p.at = f.nodes[(i+1)*len(f.nodes)/(len(f.feeds)+1)] // IDs are drawn: any is as good as another
		p.rank = f.rankOf(p)
		f.Do(p.at.number, func(engine.Protocol) {
			must(p.at.feed.Author(feedtree.Authoring{Topic: p.topic, Silence: silence,
				Beat: func() engine.Message { return p.beat(silence) }}))
		})
	}
	f.Run.AdvancePart(f.World, checkingTakes, 0, 3)
	for _, n := range f.nodes {
		f.follow(n, silence)
	}
	f.Run.AdvancePart(f.World, f.config.Grace*3/4, 1, 3)
	for _, p := range f.feeds {
		f.Do(p.at.number, func(engine.Protocol) { must(p.at.feed.Publish(p.topic, p.beat(silence))) })
	}
	f.Run.AdvancePart(f.World, 2*time.Minute, 2, 3)
}

// checkingTakes is how long a new publisher's numbers are checked, and a little more.
const checkingTakes = 20 * time.Second

func (f *forest) follow(n *forestNode, silence time.Duration) {
	f.Do(n.number, func(engine.Protocol) {
		for _, p := range f.feeds {
			if n != p.at {
				must(n.feed.Follow(feedtree.Following{Topic: p.topic, Channel: p.channel, Pin: p.pin(),
					Silence: silence}))
			}
		}
	})
}

func (p *pushedFeed) beat(silence time.Duration) engine.Message {
	p.time = feedtree.NextTime(p.at.env.Wall(), p.time)
	h := &feedtree.Heartbeat{Number: p.last, Time: p.time, Silence: uint32(silence / time.Second)}
	h.Sign(p.topic, p.private)
	return h
}

// publish has an item published with an entry of so many bytes.
func (f *forest) publish(p *pushedFeed, bytes int) {
	f.Do(p.at.number, func(engine.Protocol) {
		p.last++
		p.time = feedtree.NextTime(p.at.env.Wall(), p.time)
		i := &feedtree.Item{Number: p.last, Time: p.time, Entry: make([]byte, bytes)}
		i.Sign(p.topic, p.private)
		p.items = append(p.items, i)
		p.sent[p.last] = f.Now()
		must(p.at.feed.Publish(p.topic, i))
	})
}

// publishedBytes is itemBytes with what was routed: a publisher's first item looks for the roots.
func (f *forest) publishedBytes(n sim.Node) uint64 {
	return f.itemBytes(n) + f.NodeKindCount(n, new(pastry.Routed).Kind()).SentBytes
}

// itemBytes returns how many bytes a node has sent so far in messages that can carry items.
func (f *forest) itemBytes(n sim.Node) (bytes uint64) {
	for _, m := range []engine.Message{new(scribe.Publish), new(scribe.Disseminate), new(scribe.Missed),
		new(feedtree.Items)} {
		bytes += f.NodeKindCount(n, m.Kind()).SentBytes
	}
	return bytes
}

// treeBytes returns how many bytes of Scribe and FeedTree a node has sent so far.
func (f *forest) treeBytes(n sim.Node) (bytes uint64) {
	for _, kind := range forestCodec.Kinds() {
		if kind.Protocol() != engine.Pastry {
			bytes += f.NodeKindCount(n, kind).SentBytes
		}
	}
	return bytes
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
