package corona

import (
	"strings"
	"testing"
	"time"

	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// loneNode is a ring in which nobody else is, a poller that finds nothing, and a library that keeps what it is given.
type loneNode struct {
	node    *Node
	version uint64
	content Hash
	first   time.Duration // that FirstPoll tells
	refuses bool
	asked   []string // of the ring and the origin, in order
}

func (*loneNode) Active() bool { return true }
func (*loneNode) Nodes() int   { return 2 }
func (h *loneNode) Route(key engine.ID, m engine.Message) {
	if m, ok := m.(*Missing); ok {
		h.asked = append(h.asked, "owner "+baseOf(m))
	}
}

func (*loneNode) Owners(engine.ID, int) (owners []engine.Peer, _ bool) { return nil, true }
func (*loneNode) Contacts(int) []engine.Peer                           { return nil }
func (*loneNode) WedgeContacts(engine.ID, int) []engine.Peer           { return nil }
func (*loneNode) Knows(engine.ID) bool                                 { return true }
func (*loneNode) Patience() time.Duration                              { return 0 }
func (*loneNode) OnNeighbours(func())                                  {}

func (*loneNode) Poll(Channel, Task)                  {}
func (*loneNode) Stop(engine.ID)                      {}
func (h *loneNode) Verify(Channel)                    { h.asked = append(h.asked, "origin") }
func (h *loneNode) FirstPoll(engine.ID) time.Duration { return h.first }
func (h *loneNode) Held(engine.ID) (uint64, Hash)     { return h.version, h.content }
func (h *loneNode) Content(engine.ID) Hash            { return h.content }
func (*loneNode) Lend(engine.ID, Hash, func(*Update)) {}

func baseOf(m *Missing) string {
	if m.Base == (Hash{}) {
		return "whole"
	}
	return "from what is here"
}

func (h *loneNode) Relay(Channel)     {}
func (h *loneNode) Release(engine.ID) {}

func (h *loneNode) Take(u *Update) {
	if h.refuses {
		h.node.version.Taken(u.Channel, u.Version, false)
		return
	}
	h.version, h.content = u.Version, u.Hash
	h.node.version.Taken(u.Channel, u.Version, true)
}

// A subscriber that nobody can give a version any more, as the origin has changed since, does not wait for the origin
// when a later one comes: it asks who sent that one, at once, and has it. It asks anew a few times, and gives up in time
// however often it is told of later versions that nobody gives it.
func TestALaterVersionFillsAnOldGap(t *testing.T) {
	t.Parallel()
	env, owner := enginetest.NewEnv(enginetest.NewPeer("05")), enginetest.NewPeer("07")
	h := &loneNode{}
	n := New(env, h, nil, h, h, Default())
	h.node = n
	c := Channel{URL: "https://example.org/feed"}
	c.ID = engine.IDOf([]byte(c.URL))
	stamp := uint64(n.Env.Wall().UnixMilli()) // of the first subscription of a node
	n.roster.Subscribe(c, "", 1)
	number := uint64(0)
	next := func(base Hash, name byte) *Update {
		u := &Update{Channel: c.ID, Base: base, Hash: Hash{name}, Payload: []byte{name}, Size: 1}
		number, _ = follow(number, u.Hash, 0, 1<<40)
		u.Version = number
		return u
	}
	asked := func() (count int) {
		t.Helper()
		for _, s := range env.Sent() {
			if _, ok := s.Message.(*Missing); ok && s.To == owner {
				count++
			}
		}
		return count
	}
	h.content = Hash{1} // as this node's own poll has seen it
	first := next(Hash{1}, 2)
	n.acknowledge(owner, c.ID, stamp, first.Version)
	if asked() != 1 {
		t.Fatal("who told of the version was not asked for it")
	}
	env.Advance(30 * time.Second) // nobody answers
	second := next(Hash{2}, 3)
	n.Receive(owner, second)
	env.Advance(gapGrace)
	if asked() != 1 {
		t.Fatal("a later version came, and who sent it was not asked for what leads to it")
	}
	whole := *second
	whole.Base = Hash{1}
	n.Receive(owner, &whole)
	if h.version != second.Version || len(n.version.versions.gaps) != 0 {
		t.Fatalf("version %d is held, and not %d; %d gaps", h.version, second.Version, len(n.version.versions.gaps))
	}

	n.Receive(owner, next(Hash{100}, 4))
	old := n.version.versions.gaps[c.ID]
	for step := byte(5); n.version.versions.gaps[c.ID] == old; step++ {
		if step > 30 {
			t.Fatal("it never gives up")
		}
		env.Advance(30 * time.Second)
		n.Receive(owner, next(Hash{100 + step}, step))
	}
}

// A subscriber whose first poll is over before it could be told of, as the poll began before the channel was one that
// others poll too, does not wait for it until it can come no more.
func TestAFirstPollThatIsOverIsNotAwaited(t *testing.T) {
	t.Parallel()
	env, owner := enginetest.NewEnv(enginetest.NewPeer("05")), enginetest.NewPeer("07")
	h := &loneNode{first: 2 * time.Minute}
	n := New(env, h, nil, h, h, Default())
	c := Channel{URL: "https://example.org/feed"}
	c.ID = engine.IDOf([]byte(c.URL))
	stamp := uint64(n.Env.Wall().UnixMilli()) // of the first subscription of a node
	n.roster.Subscribe(c, "", 1)
	asked := func() bool {
		for _, s := range env.Sent() {
			if _, ok := s.Message.(*Missing); ok && s.To == owner {
				return true
			}
		}
		return false
	}
	version, _ := follow(0, Hash{1}, 0, 1<<40)
	n.acknowledge(owner, c.ID, stamp, version)
	if env.Advance(time.Minute); asked() {
		t.Fatal("it asked although its own poll is to come")
	}
	h.first = 0
	if env.Advance(gapWait); !asked() {
		t.Fatal("the poll is over, and it still waits for that")
	}
}

// A first poll that never comes is awaited as long as it may take, and no longer.
func TestAFirstPollIsAwaitedForItsTime(t *testing.T) {
	t.Parallel()
	env, owner := enginetest.NewEnv(enginetest.NewPeer("05")), enginetest.NewPeer("07")
	h := &loneNode{first: 2 * time.Minute}
	n := New(env, h, nil, h, h, Default())
	c := Channel{URL: "https://example.org/feed"}
	c.ID = engine.IDOf([]byte(c.URL))
	stamp := uint64(n.Env.Wall().UnixMilli()) // of the first subscription of a node
	n.roster.Subscribe(c, "", 1)
	version, _ := follow(0, Hash{1}, 0, 1<<40)
	n.acknowledge(owner, c.ID, stamp, version)
	g := n.version.versions.gaps[c.ID]
	if env.Advance(2*time.Minute - time.Second); g.first != awaited {
		t.Fatal("it is awaited no more")
	}
	if env.Advance(time.Second); g.first != over {
		t.Fatal("it is awaited still")
	}
}

// A delta that does not make the content is refused, and the whole content asked for: from who sent the delta, then from
// the owners, then from the origin (hostile 25).
func TestAfterARefusedDeltaTheWholeIsAskedFor(t *testing.T) {
	t.Parallel()
	env, parent := enginetest.NewEnv(enginetest.NewPeer("05")), enginetest.NewPeer("07")
	h := &loneNode{version: 1, content: Hash{1}, refuses: true}
	n := New(env, h, nil, h, h, Default())
	h.node = n
	c := Channel{URL: "https://example.org/feed"}
	c.ID = engine.IDOf([]byte(c.URL))
	n.roster.Subscribe(c, "", 1)
	u := &Update{Channel: c.ID, Base: Hash{1}, Hash: Hash{2}, Payload: []byte("bad"), Size: 3}
	u.Version, _ = follow(1, u.Hash, 0, 1<<40)
	n.Receive(parent, u)
	for range 120 {
		for _, s := range env.Sent() {
			if m, ok := s.Message.(*Missing); ok && s.To == parent {
				h.asked = append(h.asked, "parent "+baseOf(m))
			}
		}
		env.Advance(time.Second)
	}
	if got, want := strings.Join(h.asked, ", "), "parent whole, owner whole, owner whole, origin"; got != want {
		t.Errorf("it asked %s; want %s", got, want)
	}
	if h.version != 1 || len(n.version.versions.gaps) != 0 {
		t.Errorf("version %d is held, and %d are asked for still", h.version, len(n.version.versions.gaps))
	}

	h.refuses = false
	h.asked = nil
	whole := *u
	whole.Base, whole.Payload = Hash{}, []byte("whole")
	n.Receive(parent, &whole)
	if h.version != u.Version {
		t.Error("the whole content was not taken")
	}
}

// acknowledge has an owner acknowledge the node's subscription, and tell of a version with it.
func (n *Node) acknowledge(owner engine.Peer, channel engine.ID, stamp, version uint64) {
	n.Receive(owner, &roster.Subscribed{Entries: []roster.Acknowledged{{Channel: channel, Stamp: stamp, Count: 1, Version: version}}})
}
