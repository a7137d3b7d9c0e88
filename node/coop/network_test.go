package coop

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/corona/version/deliver"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/pastry"
	"tidings/network/volunteer"
)

// member is a taker in a network: with Corona and the volunteers, on an Env that the test drives. Nothing is signed.
type member struct {
	*taker
	mu  sync.Mutex // is the loop
	env *enginetest.Env

	sent      []enginetest.Sent
	published []*volunteer.PollReport
	events    []any
}

// peer is another node of the network.
var peer = enginetest.NewPeer("ab")

// newMember returns a node without a channel, which is the only one of its ring. With turns, followers poll in turns.
func newMember(t *testing.T, turns bool) *member {
	t.Helper()
	k := makeTaker(t)
	m := &member{taker: k, env: enginetest.NewEnv(enginetest.NewPeer("1"))}
	m.env.WallClock = time.Now()
	k.coop.own.Volunteers, k.coop.config.Own.Volunteers = turns, turns
	k.coop.params.now.Store(&Params{Agreement: k.coop.own})
	m.in(func() {
		ring := pastry.New(m.env, pastry.Default())
		_, volunteers := k.coop.Start(m, m.env, ring)
		volunteers.Use(m)
		ring.Create()
	})
	k.run()
	return m
}

func (m *member) Keys() engine.Keys { return nil }

func (m *member) Do(_ context.Context, f func()) error {
	m.in(f)
	return nil
}

// in runs f in the loop.
func (m *member) in(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	m.sent = append(m.sent, m.env.Sent()...)
}

// Join, Leave and Publish make it the tree of the volunteers.
func (m *member) Join(engine.ID)  {}
func (m *member) Leave(engine.ID) {}
func (m *member) Publish(_ engine.ID, event engine.Message) {
	m.published = append(m.published, event.(*volunteer.PollReport))
}

// join follows the feed, which has a document, and waits until the network knows.
func (m *member) join(doc string) engine.ID {
	m.t.Helper()
	m.follow(doc)
	id := engine.ID(tidings.IDOf(m.url))
	m.await("the network knows that it is followed", func() (does bool) {
		m.in(func() { does = m.coop.corona.Subscribed(id) })
		return does
	})
	return id
}

// receive has the node receive an update from a peer.
func (m *member) receive(u *corona.Update) {
	m.in(func() { m.coop.corona.Receive(peer, u) })
}

// numbered gives an update a number that can be its content's.
func (m *member) numbered(u *corona.Update) *corona.Update {
	u.Version = (1<<30+u.Version)<<24 | u.Hash.Start()>>40
	return u
}

// messages returns the messages of a type that were sent to the peer.
func messages[M engine.Message](m *member) (all []M) {
	m.in(func() {
		for _, s := range m.sent {
			if v, is := s.Message.(M); is && s.To.ID == peer.ID {
				all = append(all, v)
			}
		}
	})
	return all
}

// An update that does not fit is not held. It is requested whole, and can come again under the same number.
func TestAnUpdateThatDoesNotFitIsNotHeld(t *testing.T) {
	t.Parallel()
	m := newMember(t, false)
	m.join(rss(item("first", "the first")))
	u := m.numbered(m.read(rss(item("x", "hello"))))
	held := func() bool {
		version, hash := m.coop.Held(u.Channel)
		return version == u.Version && hash == u.Hash
	}
	bad := *u
	bad.Payload = []byte("garbage")
	m.receive(&bad)
	m.await("it is requested whole", func() bool { return len(messages[*deliver.Missing](m)) == 1 })
	if held() || len(m.updates()) != 1 {
		t.Errorf("what was not stored is held: %v, and readers have %d updates", held(), len(m.updates()))
	}
	if base := messages[*deliver.Missing](m)[0].Base; base != (corona.Hash{}) {
		t.Errorf("the change from %x is requested", base)
	}
	m.receive(u)
	m.await("it is held", held)
	if got := m.updates(); len(got) != 2 || got[1].Items[0].ID != "x" {
		t.Errorf("readers have %+v", got)
	}
	m.receive(u)
	if got := messages[*deliver.Got](m); len(got) != 3 {
		t.Errorf("it was acknowledged %d times", len(got))
	}
	if got := m.updates(); len(got) != 2 {
		t.Errorf("readers have %d updates after it came once more", len(got))
	}
}

// deliver has the node receive a report of another follower's poll, so many minutes later than now.
func (m *member) deliver(u *corona.Update, minutes int) *volunteer.PollReport {
	r := &volunteer.PollReport{
		Channel: u.Channel, Finder: peer, Hash: volunteer.Hash(u.Hash), Payload: u.Payload,
		Time: m.env.Wall().Add(time.Duration(minutes) * time.Minute).UnixMilli(),
	}
	m.in(func() { m.coop.volunteers.Deliver(volunteer.TopicOf(u.Channel), r, peer) })
	return r
}

// traced counts the events of a type, since the node began, for which a predicate holds.
func traced[E any](m *member, holds func(E) bool) (count int) {
	m.in(func() { m.events = append(m.events, m.env.Traced()...) })
	for _, e := range m.events {
		if v, is := e.(E); is && holds(v) {
			count++
		}
	}
	return count
}

// What another follower's poll has found is stored once. What does not fit is not: this node lacks it, and has it when
// it comes as it should.
func TestWhatAnotherFollowerHasFoundIsStoredOnce(t *testing.T) {
	t.Parallel()
	m := newMember(t, true)
	id := m.joinInTurns(states("one")[0])
	took := func(u *corona.Update) int {
		return traced(m, func(e volunteer.Took) bool { return e.Hash == volunteer.Hash(u.Hash) })
	}
	two, bad := m.read(states("two")[0]), new(corona.Update)
	*bad = *two
	bad.Payload = []byte("garbage")
	m.deliver(bad, 1)
	m.await("it is lacked", func() bool {
		return traced(m, func(e volunteer.Lacks) bool { return e.Hash == volunteer.Hash(two.Hash) }) == 1
	})
	if got := fmt.Sprint(m.texts()); took(two) != 0 || got != "[one]" {
		t.Errorf("what does not fit counts as stored %d times, and readers have %s", took(two), got)
	}
	if h := m.coop.Content(id); h == two.Hash {
		t.Error("it counts as the content that is here")
	}
	m.deliver(two, 2)
	m.await("it is stored", func() bool { return took(two) == 1 })
	if h := m.coop.Content(id); h != two.Hash {
		t.Error("it does not count as the content that is here")
	}
	three := m.read(states("three")[0])
	m.deliver(three, 3)
	m.await("the next is stored", func() bool { return took(three) == 1 })
	if got := fmt.Sprint(m.texts()); got != "[one two three]" {
		t.Errorf("readers have %s", got)
	}
}

// A poll in turns reports what it has found to the others, once with what leads to it.
func TestATurnReportsWhatItHasFound(t *testing.T) {
	t.Parallel()
	m := newMember(t, true)
	s := states("one", "two")
	m.joinInTurns(s[0])
	before := m.read(s[0])
	for range 2 {
		m.poll(s[1])
	}
	two := m.read(s[1])
	m.await("both polls are reported", func() bool { return m.countReports(two) == 2 })
	var whole []*volunteer.PollReport
	m.in(func() {
		for _, r := range m.published {
			if r.Hash == volunteer.Hash(two.Hash) && len(r.Payload) > 0 {
				whole = append(whole, r)
			}
		}
	})
	if len(whole) != 1 || whole[0].Base != volunteer.Hash(before.Hash) {
		t.Errorf("%d reports have what leads to it", len(whole))
	}
}

// countReports counts the reports of a content to the other volunteers.
func (m *member) countReports(u *corona.Update) (count int) {
	m.in(func() {
		for _, r := range m.published {
			if r.Hash == volunteer.Hash(u.Hash) {
				count++
			}
		}
	})
	return count
}

// joinInTurns follows the feed, which has a document, and waits until it is polled in turns.
func (m *member) joinInTurns(doc string) engine.ID {
	m.t.Helper()
	m.follow(doc)
	id := engine.ID(tidings.IDOf(m.url))
	m.await("it is polled in turns", func() bool {
		c, ok := m.coop.Get(id)
		return ok && c.Turns && c.Holding.Content != (corona.Hash{})
	})
	return id
}
