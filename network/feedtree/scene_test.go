package feedtree_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	vaults := make(map[*scene.Scene]vault)
	role := func(tamper func(m engine.Message) engine.Message) sim.Start {
		return func(env engine.Env, disk *sim.Disk) engine.Protocol {
			env = tamperer{env, func(_ engine.Peer, m engine.Message) engine.Message { return tamper(m) }}
			return newActor(env, disk, false)
		}
	}
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, scribe.Vocabulary, feedtree.Vocabulary},
		Start:        func(env engine.Env, disk *sim.Disk) engine.Protocol { return newActor(env, disk, false) },
		Roles: map[string]sim.Start{
			"suppressor": role(suppress),
			"forger":     role(forge),
			"liar":       func(env engine.Env, disk *sim.Disk) engine.Protocol { return newActor(env, disk, true) },
		},
		Commands: map[string]scene.Command{
			"create": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).pastry.Create() },
			"join": func(c *scene.Call) {
				for _, n := range c.Nodes() {
					scene.On[*actor](c, n).pastry.Join(c.NodeOf("via").Peer())
				}
			},
			"archive": func(c *scene.Call) {
				if vaults[c.Scene] == nil {
					vaults[c.Scene] = make(vault)
				}
				for _, n := range c.Nodes() {
					scene.On[*actor](c, n).vault = vaults[c.Scene]
				}
			},
			"author":    authorCommand,
			"unauthor":  func(c *scene.Call) { a := scene.On[*actor](c, c.Node(0)); a.feed.Unauthor(a.topic()) },
			"publish":   publishCommand,
			"retract":   retractCommand,
			"bring":     bringCommand,
			"rotate":    rotateCommand,
			"revoke":    revokeCommand,
			"follow":    followCommand,
			"unfollow":  func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).feed.Unfollow(sceneTopic(firstKey)) },
			"show tree": showTree,
			"show":      showCommand,
		},
	})
}

// The one feed of all scenes. Its topic begins with 71, its publisher's first key is firstKey.
var sceneChannel = engine.PrefixID("71")

const firstKey = "first"

func sceneTopic(key string) engine.ID {
	return feedtree.TopicOf(sceneChannel, feedtree.KeyOf(feedtreetest.PrivateKey(key)).Fingerprint())
}

// actor is a node of a scene. Its tree is Scribe's, with at most two children a node.
type actor struct {
	*engine.Stack
	env     engine.Env
	pastry  *pastry.Node
	scribe  *scribe.Node
	feed    *feedtree.Node
	library *feedtreetest.Library
	disk    *sim.Disk
	vault   vault // nil: there is no archive
}

// newActor returns a node. If it lies it brings anything into the tree.
func newActor(env engine.Env, disk *sim.Disk, lies bool) *actor {
	a := &actor{disk: disk, library: feedtreetest.NewLibrary(env, disk)}
	a.env = watcher{env, a}
	a.Stack = engine.NewStack(a.env)
	a.pastry = pastry.New(a.env, pastry.Default())
	a.feed = feedtree.New(a.env, a.pastry, shelves{a.library, a.env}, a, feedtree.Default())
	a.library.Use(a.feed)
	narrow := scribe.Default()
	narrow.MaxChildren = 2
	member := network.Member(a.feed)
	if lies {
		member = liar{a.feed}
	}
	a.scribe = scribe.New(a.env, a.pastry, member, narrow)
	a.scribe.OnRootAcked(func(e scribe.RootAcked) { a.feed.Arrived(e.Group.Topic, e.Event, e.Root) })
	a.feed.Use(a.scribe)
	a.pastry.Handle(engine.Scribe, a.scribe)
	a.pastry.Handle(engine.FeedTree, a.feed.Routed())
	a.Add(engine.Pastry, a.pastry)
	a.Add(engine.Scribe, a.scribe)
	a.Add(engine.FeedTree, a.feed)
	return a
}

// shelves is a library that traces what it is given.
type shelves struct {
	*feedtreetest.Library
	env engine.Env
}

// Given is an item that a library is given.
type Given struct {
	Number uint64
	Entry  []byte
}

// Keep implements feedtree.Library.
func (s shelves) Keep(topic engine.ID, i *feedtree.Item) {
	s.env.Trace(Given{i.Number, i.Content()})
	s.Library.Keep(topic, i)
}

// liar is a member that admits everything.
type liar struct{ *feedtree.Node }

// Admit implements network.Member.
func (liar) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	i, isItem := event.(*feedtree.Item)
	if !isItem {
		return 1, 1, true
	}
	id := engine.IDOf(append(i.Signature, i.Entry...))
	return binary.BigEndian.Uint64(id[:]), len(i.Entry), true
}

// watcher is the Env of an actor, which goes on above numbers that others know.
type watcher struct {
	engine.Env
	actor *actor
}

// Trace implements engine.Env.
func (w watcher) Trace(event any) {
	if e, ok := event.(feedtree.Overtaken); ok && e.Topic == w.actor.topic() {
		b := w.actor.read()
		b.Last = max(b.Last, e.Last)
		w.actor.write(b)
	}
	w.Env.Trace(event)
}

// vault is an archive that nodes share.
type vault map[place]*feedtree.Item

type place struct {
	topic  engine.ID
	number uint64
}

// Find implements feedtree.Archive.
func (a *actor) Find(topic engine.ID, number uint64, found func(*feedtree.Item, *feedtree.Withdrawal)) {
	a.env.After(200*time.Millisecond, func() { found(a.vault[place{topic, number}], nil) })
}

// book is what a publisher's node has on its disk.
type book struct {
	Last   uint64
	Time   int64
	Key    string
	Before string // the key before that; empty: there was none
}

func (a *actor) read() book {
	b := book{Key: firstKey}
	if data, ok := a.disk.Get("book"); ok {
		if err := json.Unmarshal(data, &b); err != nil {
			panic(err)
		}
	}
	return b
}

func (a *actor) write(b book) {
	data, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	a.disk.Put("book", data)
}

// topic returns the topic that the node publishes on.
func (a *actor) topic() engine.ID { return sceneTopic(a.read().Key) }

// now returns the time of what is signed next, and notes it.
func (a *actor) now() int64 {
	b := a.read()
	b.Time = feedtree.NextTime(a.env.Wall(), b.Time)
	a.write(b)
	return b.Time
}

// author has the node speak for the publisher.
func (a *actor) author(silence time.Duration) error {
	b, topic := a.read(), a.topic()
	return a.feed.Author(feedtree.Authoring{Topic: topic, Last: b.Last, Silence: silence, Beat: func() engine.Message {
		if topic != a.topic() {
			return a.rotation()
		}
		h := &feedtree.Heartbeat{Number: a.read().Last, Time: a.now(), Silence: uint32(silence / time.Second)}
		h.Sign(topic, feedtreetest.PrivateKey(a.read().Key))
		return h
	}})
}

// rotation returns the rotation to the present key.
func (a *actor) rotation() *feedtree.Rotation {
	b := a.read()
	r := &feedtree.Rotation{New: feedtree.KeyOf(feedtreetest.PrivateKey(b.Key)), Time: a.now()}
	r.Sign(feedtreetest.PrivateKey(b.Before))
	return r
}

// say prints what is wrong with what a node does, if anything is.
func say(c *scene.Call, n *scene.Node, err error) {
	if err != nil {
		c.Printf("%s may not: %v\n", n.Name(), err)
	}
}

// authorCommand has a node speak for the publisher: author 10 silence=1m.
func authorCommand(c *scene.Call) {
	n := c.Node(0)
	say(c, n, scene.On[*actor](c, n).author(c.Duration("silence", time.Minute)))
}

// publishCommand has a node publish the next item, or several: publish 10 count=5 text=hello. One with withdraws=(2, 3)
// withdraws earlier ones.
func publishCommand(c *scene.Call) {
	n := c.Node(0)
	a := scene.On[*actor](c, n)
	for range c.Int("count", 1) {
		number := a.read().Last + 1
		entry := []byte(c.Text("text", fmt.Sprintf("news%d", number)))
		var numbers []uint64
		for _, text := range c.Values("withdraws") {
			back, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				c.Fatalf("%q is no number", text)
			}
			numbers = append(numbers, back)
		}
		i := &feedtree.Item{Number: number, Time: a.now(), Entry: feedtree.Withdrawing(numbers, entry)}
		i.Sign(a.topic(), feedtreetest.PrivateKey(a.read().Key))
		err := a.feed.Publish(a.topic(), i)
		say(c, n, err)
		if err != nil {
			return
		}
		b := a.read()
		b.Last = number
		a.write(b)
		a.library.Put(a.topic(), i)
		if a.vault != nil {
			a.vault[place{a.topic(), number}] = i
		}
	}
}

// retractCommand has a node send a heartbeat that promises no further word: retract 30.
func retractCommand(c *scene.Call) {
	n := c.Node(0)
	a := scene.On[*actor](c, n)
	h := &feedtree.Heartbeat{Number: a.read().Last, Time: a.now()}
	h.Sign(a.topic(), feedtreetest.PrivateKey(a.read().Key))
	say(c, n, a.feed.Publish(a.topic(), h))
}

// bringCommand has a node bring an item into the tree as no publisher's node would. It is signed, unless it was altered
// afterwards, by the publisher's key or another one:
//
//	bring 30 number=6 text=other
//	bring 30 number=6 key=thief
//	bring 30 number=6 altered
//	bring 30 number=6 ahead=1h          dated ahead
func bringCommand(c *scene.Call) {
	a := scene.On[*actor](c, c.Node(0))
	i := &feedtree.Item{
		Number: uint64(c.Int("number", 1)), Time: a.env.Wall().Add(c.Duration("ahead", 0)).UnixMilli(),
		Entry: []byte(c.Text("text", "news")),
	}
	i.Sign(sceneTopic(firstKey), feedtreetest.PrivateKey(c.Text("key", firstKey)))
	if c.Text("altered", "") != "" {
		i.Entry = []byte(c.Text("altered", ""))
	}
	a.scribe.Publish(sceneTopic(firstKey), i)
}

// rotateCommand gives the publisher another key, and revokeCommand declares its key void: rotate 10 key=second.
func rotateCommand(c *scene.Call) {
	n := c.Node(0)
	a := scene.On[*actor](c, n)
	old, b := a.topic(), a.read()
	b.Before, b.Key = b.Key, c.Need("key")
	a.write(b)
	say(c, n, a.feed.Publish(old, a.rotation()))
	say(c, n, a.author(time.Minute))
}

func revokeCommand(c *scene.Call) {
	n := c.Node(0)
	a := scene.On[*actor](c, n)
	r := &feedtree.Revocation{Time: a.now()}
	r.Sign(feedtreetest.PrivateKey(a.read().Key))
	say(c, n, a.feed.Publish(a.topic(), r))
}

// followCommand has nodes follow the publisher, from the first key that it had: follow 30 50.
func followCommand(c *scene.Call) {
	silence := c.Duration("silence", time.Minute)
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		have, later := a.library.Have(sceneTopic(firstKey))
		say(c, n, a.feed.Follow(feedtree.Following{
			Topic: sceneTopic(firstKey), Channel: sceneChannel, Have: have, Later: later, Silence: silence,
			Pin: feedtree.KeyOf(feedtreetest.PrivateKey(firstKey)).Fingerprint(),
		}))
	}
}

// showCommand prints what nodes have of the feed, and how it is: show 30 50.
func showCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		entries := make(map[uint64]string)
		for _, key := range []string{firstKey, "second"} {
			for _, number := range a.library.Numbers(sceneTopic(key)) {
				entries[number] = string(a.library.Item(sceneTopic(key), number).Content())
			}
		}
		var kept []string
		for _, number := range slices.Sorted(maps.Keys(entries)) {
			kept = append(kept, entries[number])
		}
		c.Printf("%s has %s", n.Name(), c.Format(kept))
		s, follows := a.feed.Status(sceneTopic(firstKey))
		for _, state := range []struct {
			is   bool
			word string
		}{
			{s.Healthy(), "healthy"}, {s.Have < s.Last, fmt.Sprintf("knows of %d", s.Last)}, {s.Overdue, "overdue"},
			{s.Revoked, "revoked"}, {s.Doubled, "doubled"},
		} {
			if follows && state.is {
				c.Printf(", %s", state.word)
			}
		}
		c.Printf("\n")
	}
}

// showTree prints the parent of each node in the feed's tree: show tree.
func showTree(c *scene.Call) {
	for _, n := range c.Cast() {
		if !n.Up() {
			continue
		}
		topic := sceneTopic(firstKey)
		if p, in := scene.On[*actor](c, n).scribe.Place(scribe.Group{Topic: topic, Key: topic}); in {
			c.Printf("%s: parent %s children %s\n", n.Name(), c.Format(p.Parent), c.Format(p.Children))
		}
	}
}

// suppress drops the items in a message, and leaves the heartbeats.
func suppress(m engine.Message) engine.Message {
	if carriesItem(m) {
		return nil
	}
	if items, ok := m.(*feedtree.Items); ok {
		return &feedtree.Items{Topic: items.Topic, From: items.From}
	}
	return m
}

// forge alters the items in a message.
func forge(m engine.Message) engine.Message {
	alter := func(m engine.Message) engine.Message {
		if i, ok := m.(*feedtree.Item); ok {
			other := *i
			other.Entry = append(slices.Clone(i.Entry), '!')
			return &other
		}
		return m
	}
	switch m := m.(type) {
	case *scribe.Disseminate:
		other := *m
		other.Event.Payload = alter(m.Event.Payload)
		return &other
	case *scribe.Missed:
		other := *m
		other.Event.Payload = alter(m.Event.Payload)
		return &other
	case *feedtree.Items:
		other := *m
		other.Items = nil
		for _, i := range m.Items {
			other.Items = append(other.Items, alter(i))
		}
		return &other
	}
	return m
}
