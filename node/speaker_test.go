package node

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// speaker is a publisher that runs the nodes' protocols without a node around them.
type speaker struct {
	*live.Host
	t     *testing.T
	env   engine.Env
	stack *engine.Stack
	ring  *pastry.Node
	tree  *scribe.Node
	trees *feedtree.Node

	key     ed25519.PrivateKey
	url     string
	silence time.Duration

	wants func(*feedtree.Item) bool // what came for it; nil: nothing

	mu    sync.Mutex
	items []*feedtree.Item
	lends func(*feedtree.Item) bool // nil: all
}

func newSpeaker(t *testing.T, seed string) *speaker {
	t.Helper()
	sum := sha256.Sum256([]byte(seed))
	s := &speaker{t: t, key: ed25519.NewKeyFromSeed(sum[:]), silence: 4 * time.Second}
	_, hostKey, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := live.Default()
	c.Key, c.Codec, c.Listen, c.MDNS, c.Relay = hostKey, Codec(), []string{"/ip4/127.0.0.1/tcp/0"}, false, false
	if s.Host, err = live.New(c); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, s.start) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-s.Ready()
	return s
}

func (s *speaker) start(env engine.Env) engine.Protocol {
	s.env, s.ring = env, pastry.New(env, pastry.Default())
	s.trees = feedtree.New(env, s.ring, s, nil, feedtree.Default())
	s.tree = scribe.New(env, s.ring, s.trees, scribe.Default())
	s.trees.Use(s.tree)
	s.ring.Handle(engine.Scribe, s.tree)
	s.ring.Handle(engine.FeedTree, s.trees.Routed())
	stack := engine.NewStack(env)
	stack.Add(engine.Pastry, s.ring)
	stack.Add(engine.Scribe, s.tree)
	stack.Add(engine.FeedTree, s.trees)
	s.stack = stack
	return stack
}

func (s *speaker) do(f func()) {
	s.t.Helper()
	if err := s.Do(context.Background(), f); err != nil {
		s.t.Fatal(err)
	}
}

// reach connects a host to a node that has not banned it, however long that takes: one attempt has ten seconds.
func reach(t *testing.T, from *live.Host, address string) (peer engine.Peer) {
	t.Helper()
	await(t, "they are connected", func() bool {
		var err error
		if peer, err = from.Connect(t.Context(), address); errors.Is(err, live.ErrBanned) {
			t.Fatal(err)
		}
		return err == nil
	})
	return peer
}

// joins joins the ring of a node.
func (s *speaker) joins(r *restartable) {
	s.t.Helper()
	peer := reach(s.t, s.Host, r.address())
	s.do(func() { s.ring.Join(peer) })
	await(s.t, "the publisher is in the ring", func() (active bool) {
		s.do(func() { active = s.ring.Active() })
		return active
	})
}

func (s *speaker) channel() engine.ID                { return engine.ID(tidings.IDOf(s.url)) }
func (s *speaker) fingerprint() feedtree.Fingerprint { return feedtree.KeyOf(s.key).Fingerprint() }
func (s *speaker) topic() engine.ID                  { return feedtree.TopicOf(s.channel(), s.fingerprint()) }

// announcement is the element that names the publisher's key in its feed.
func (s *speaker) announcement(rotations ...*feedtree.Rotation) string {
	inside := ""
	for _, r := range rotations {
		text, err := r.MarshalText()
		if err != nil {
			s.t.Fatal(err)
		}
		inside += "<tidings:rotation>" + string(text) + "</tidings:rotation>"
	}
	topic := s.topic()
	return fmt.Sprintf(`<tidings:push xmlns:tidings="%s" topic="%x" fingerprint="%s" silence="%d">%s</tidings:push>`,
		feed.AnnouncementSpace, topic[:], s.fingerprint(), s.silence/time.Second, inside)
}

// speaks begins to speak for the publisher.
func (s *speaker) speaks() {
	s.t.Helper()
	topic := s.topic()
	s.do(func() {
		if err := s.trees.Author(feedtree.Authoring{Topic: topic, Last: uint64(len(s.items)), Silence: s.silence,
			Beat: s.beat}); err != nil {
			s.t.Error(err)
		}
	})
}

// isStopped reports whether the publisher has found its key to be used elsewhere.
func (s *speaker) isStopped() (stopped bool) {
	s.do(func() { stopped = errors.Is(s.trees.Publish(s.topic(), s.beat()), feedtree.ErrContested) })
	return stopped
}

// resumes has the publisher go on after that.
func (s *speaker) resumes() {
	s.do(func() { s.trees.Unauthor(s.topic()) })
	s.speaks()
}

func (s *speaker) beat() engine.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &feedtree.Heartbeat{Number: uint64(len(s.items)), Time: time.Now().UnixMilli(),
		Silence: uint32(s.silence / time.Second)}
	h.Sign(s.topic(), s.key)
	return h
}

// entry is an item of the feed, as its document lists it.
func entry(guid, title, text string) string {
	return `<item><guid>` + guid + `</guid><title>` + title + `</title><description>` + text + `</description></item>`
}

// packed is what a publisher signs of an item; rich, if not empty, is more than its feed has.
func packed(t *testing.T, url, item, rich string) []byte {
	t.Helper()
	d, err := feed.Parse([]byte(rss(item)), "", url, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	p := &changeset.Set{Kind: tidings.KindFeed, Title: d.Title}
	for _, i := range feed.Match(nil, d) {
		if rich != "" {
			i.Content = rich
		}
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
	}
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sign makes the next item.
func (s *speaker) sign(payload []byte) *feedtree.Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := &feedtree.Item{Number: uint64(len(s.items)) + 1, Time: time.Now().UnixMilli(), Entry: payload}
	item.Sign(s.topic(), s.key)
	s.items = append(s.items, item)
	return item
}

// publish publishes an item. It gets its number and goes out in one step of the loop. A heartbeat between the two would
// announce an item that was never sent, and the item itself would be refused as another's.
func (s *speaker) publish(item, rich string) (i *feedtree.Item) {
	s.t.Helper()
	payload := packed(s.t, s.url, item, rich)
	var err error
	s.do(func() {
		i = s.sign(payload)
		err = s.trees.Publish(s.topic(), i)
	})
	if err != nil {
		s.t.Fatal(err) // no node will ever have it
	}
	return i
}

// Keep implements feedtree.Library.
func (s *speaker) Keep(topic engine.ID, item *feedtree.Item) {
	wanted := s.wants != nil && s.wants(item)
	s.env.After(0, func() { s.trees.Kept(topic, item.Number, wanted) })
}

// Lend implements feedtree.Library.
func (s *speaker) Lend(_ engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*feedtree.Item
	for _, i := range s.items {
		if i.Number >= from && (to == 0 || i.Number <= to) && len(list) < most && (s.lends == nil || s.lends(i)) {
			list = append(list, i)
		}
	}
	s.env.After(0, func() { found(slices.Clone(list)) })
}

// serve makes a document of the feed's items at the origin: state after state.
func (s *speaker) serve(o *origin.Origin, base, name string, states ...string) {
	s.t.Helper()
	s.url = base + name
	body := func(state int) []byte { return []byte(states[min(state, len(states)-1)]) }
	if err := o.AddMade(name, body, origin.Options{}); err != nil {
		s.t.Fatal(err)
	}
}

// rssOf is a document with an announcement.
func rssOf(announcement string, items ...string) string {
	all := ""
	for _, i := range items {
		all += i
	}
	return `<rss version="2.0"><channel><title>T</title>` + announcement + all + `</channel></rss>`
}
