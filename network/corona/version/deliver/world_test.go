package deliver

import (
	"cmp"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// node is the surroundings of one machine, as a test sets them.
type node struct {
	*Machine
	env         *enginetest.Env
	primary     bool
	readers     int
	subscribers []engine.Peer
	below       []engine.Peer
	doubts      bool // it believes nothing
	awaits      bool // witnesses are asked
	refuses     bool // the library stores nothing
	first       time.Duration
	record      *owned
	version     uint64 // that the library holds
	held        update.Hash
	content     update.Hash // that it has without a number, as by a poll; zero: held
	restated    int
	stored      []uint64
	polls       int
	offered     []engine.ID // the nodes to which a version was offered over the ring
	routed      []engine.Message
	published   []uint64     // down the tree
	next        update.Steps // what the machine has returned
}

// news is the channel of all tests.
var news = update.Channel{ID: engine.PrefixID("50"), URL: "http://news/"}

const halfHour = 30 * time.Minute

func newNode(owns bool) *node {
	n := &node{env: enginetest.NewEnv(enginetest.NewPeer("51")), primary: owns, readers: 1}
	n.Machine = New(machine.Base{Env: n.env, Ring: ring{n: n}, Keys: keys{n.env.Self().ID}},
		Seams{Library: n, Roster: n, Plan: n, Poller: n, Host: host{n}},
		update.Config{Interval: halfHour, Maintenance: time.Hour, Router: network.Scribe, DirectUpTo: 4})
	if owns {
		n.record = &owned{n: n, others: []engine.Peer{enginetest.NewPeer("49"), enginetest.NewPeer("58")}}
		n.Own(n.record)
	}
	n.env.Advance(time.Hour)
	return n
}

// do does what the machine has returned, as far as it concerns the machine itself, and keeps the rest.
func (n *node) do(steps update.Steps) {
	for _, s := range steps {
		switch f := s.(type) {
		case func() update.Steps:
			n.do(f())
		case func():
			f()
		default:
			n.next = append(n.next, s)
		}
	}
}

// returned returns the steps of a type since the last call. All others are dropped.
func returned[S any](n *node) (list []S) {
	for _, s := range n.next {
		if s, ok := s.(S); ok {
			list = append(list, s)
		}
	}
	n.next = nil
	return list
}

// sent returns the messages of a type that were sent since the last call, and to which nodes. All others are dropped.
func sent[M engine.Message](n *node) (to []engine.Peer, list []M) {
	for _, s := range n.env.Sent() {
		if m, ok := s.Message.(M); ok {
			to, list = append(to, s.To), append(list, m)
		}
	}
	return to, list
}

// peers returns so many subscribers.
func peers(count int) (list []engine.Peer) {
	for i := range count {
		p := enginetest.NewPeer("d0")
		p.ID[10], p.ID[11] = byte(i>>8), byte(i)
		p.Address += engine.Address(rune('a'+i%26)) + engine.Address(rune('a'+i/26))
		list = append(list, p)
	}
	return list
}

// after returns the version after another, with the whole content.
func after(number uint64, base update.Hash, text string) *update.Update {
	u := &update.Update{Channel: news.ID, Base: base, Payload: []byte(text), Size: uint32(len(text))}
	copy(u.Hash[3:], text)
	u.Version, _ = update.Follow(number, u.Hash, 0, 1<<40)
	return u
}

// brings has the machine receive an update.
func (n *node) brings(from engine.Peer, u *update.Update) (room bool) {
	next, room := n.Bring(from, u, false)
	n.do(next)
	return room
}

func (n *node) Store(u *update.Update) {
	n.env.After(time.Millisecond, func() {
		if !n.refuses {
			n.version, n.held = u.Version, u.Hash
			n.stored = append(n.stored, u.Version)
		}
		n.do(n.Stored(u.Channel, u.Version, !n.refuses))
	})
}

func (n *node) Lend(_ engine.ID, _ update.Hash, found func(*update.Update)) {
	n.env.After(time.Millisecond, func() {
		found(&update.Update{Channel: news.ID, Version: n.version, Hash: n.held, Size: 1, Payload: []byte("x")})
	})
}

func (n *node) Held(engine.ID) (uint64, update.Hash)       { return n.version, n.held }
func (n *node) Content(engine.ID) update.Hash              { return cmp.Or(n.content, n.held) }
func (n *node) Readers(engine.ID) int                      { return n.readers }
func (n *node) MoveHome(engine.ID, engine.Peer)            {}
func (n *node) CouldOwn(_, _ engine.ID) bool               { return true }
func (n *node) Restate(engine.ID)                          { n.restated++ }
func (n *node) Below(engine.ID) []engine.Peer              { return slices.Clone(n.below) }
func (n *node) FirstPoll(engine.ID) time.Duration          { return n.first }
func (n *node) PollForGap(update.Channel) bool             { n.polls++; return true }
func (n *node) Subscribes(_ engine.ID, p engine.Peer) bool { return slices.Contains(n.subscribers, p) }
func (n *node) Subscribers(_ engine.ID, at, most int) (page []engine.Peer, next int) {
	at = max(at, 0)
	if next = at + most; next >= len(n.subscribers) {
		return n.subscribers[at:], -1
	}
	return n.subscribers[at:next], next
}

// host is the node as the machine sees it.
type host struct{ n *node }

func (h host) After(d time.Duration, f func() update.Steps) engine.Timer {
	return h.n.env.After(d, func() { h.n.do(f()) })
}
func (h host) Wants(engine.ID) (update.Channel, bool) { return news, true }
func (h host) Makes(engine.ID) bool                   { return h.n.primary }
func (h host) Relay(engine.ID)                        {}
func (h host) Believes(*update.Update) bool           { return !h.n.doubts }
func (h host) Sealed(*update.Update) bool             { return true }
func (h host) Noisy(engine.ID) bool                   { return false }
func (h host) Carried(Carried)                        {}
func (h host) State(engine.ID) State                  { return State{Version: h.n.record.version} }
func (h host) Witnesses(engine.ID, uint64) (seen []update.Attestation, asked, awaited bool) {
	return nil, h.n.awaits, h.n.awaits
}

// owned is the roster's record of the channel.
type owned struct {
	n              *node
	others         []engine.Peer
	version, stamp uint64
}

func (o *owned) Channel() update.Channel        { return news }
func (o *owned) Primary() bool                  { return o.n.primary }
func (o *owned) Others() []engine.Peer          { return o.others }
func (o *owned) Gone() bool                     { return false }
func (o *owned) Live() int                      { return len(o.n.subscribers) }
func (o *owned) Version() uint64                { return o.version }
func (o *owned) Stamp() uint64                  { return o.stamp }
func (o *owned) SetState(version, stamp uint64) { o.version, o.stamp = version, stamp }

type ring struct {
	machine.Ring
	n *node
}

func (r ring) Patience() time.Duration { return 0 }
func (r ring) Nodes() int              { return 100 }
func (r ring) Route(key engine.ID, m engine.Message) {
	r.n.routed = append(r.n.routed, m)
	if _, is := m.(*Offer); is {
		r.n.offered = append(r.n.offered, key)
	}
}
func (r ring) Owners(engine.ID, int) ([]engine.Peer, bool) {
	return []engine.Peer{r.n.env.Self()}, true
}

// keys check nothing: no signature is checked in this package.
type keys struct{ self engine.ID }

func (k keys) Sign([]byte) []byte                      { return make([]byte, engine.SignatureLength) }
func (k keys) Signed(engine.Peer, []byte, []byte) bool { return true }

// scribe is the network's router.
type scribe struct{ n *node }

func (s scribe) Join(engine.ID)  {}
func (s scribe) Leave(engine.ID) {}
func (s scribe) Publish(_ engine.ID, m engine.Message) {
	s.n.published = append(s.n.published, m.(*update.Update).Version)
}
