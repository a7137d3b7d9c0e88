package report

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// node is the surroundings of one machine, as a test sets them, and the channel's record at it if it owns that.
type node struct {
	*Machine
	env     *enginetest.Env
	ring    []engine.Peer // the owners
	primary bool
	acts    bool // for the primary
	version uint64
	lacks   bool // the library does not have the latest version
	held    map[uint64]update.Hash
	content update.Hash
	below   []engine.Peer
	floor   uint64
	polls   int
	host    ceilings
	routed  []engine.Message
	next    update.Steps // what the machine has returned
	said    []Suspected
}

// news is the channel of all tests.
var news = update.Channel{ID: engine.PrefixID("50"), URL: "http://news/"}

func newNode(name string, owns bool) *node {
	n := &node{env: enginetest.NewEnv(enginetest.NewPeer(name)), primary: true, held: make(map[uint64]update.Hash)}
	n.Machine = New(machine.Base{Env: n.env, Ring: ring{n: n}, Keys: keys{n.env.Self().ID}},
		Seams{Contents: n, Owners: func(engine.ID) ([]engine.Peer, bool) { return n.ring, true },
			Readers: func(engine.ID) int { return 1 }, Plan: plans{n}, Ceilings: &n.host, Host: n},
		update.Config{Interval: halfHour})
	if owns {
		n.Own(owned{n})
	}
	n.env.Advance(24 * time.Hour)
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

// publish has the accepted content become a version.
func (n *node) publish() {
	for _, a := range returned[Accepted](n) {
		n.version++
		n.content = a.Update.Hash
		n.held[n.version] = n.content
		n.Numbered(news.ID, n.content)
		n.do(n.Published(news.ID, &a.Update))
	}
}

// receives has the machine receive a report over the ring.
func (n *node) receives(from engine.Peer, text string) {
	u := find(text)
	u.FoundAt = n.env.Wall().UnixMilli()
	u.FoundBy, u.Seal.Finder = from.ID, from.Address
	u.Seal.Found = keys{from.ID}.Sign(u.ReportWords())
	n.do(n.Receive(from, &Detected{Update: u}))
}

// sees has the machine learn what a poll shows.
func (n *node) sees(text string) {
	u := find(text)
	r := &update.PollResult{Verified: true, Hash: u.Hash}
	if n.held[n.version] != u.Hash {
		r.Update = &u
	}
	n.Sees(news.ID, u.Hash)
	next, _ := n.Polled(news.ID, r)
	n.do(next)
}

// find returns what a poll finds.
func find(text string) update.Update {
	u := update.Update{Channel: news.ID, Payload: []byte(text), Size: uint32(len(text))}
	copy(u.Hash[:], text)
	return u
}

// versions makes versions of contents, an hour apart.
func (n *node) versions(texts ...string) {
	for _, text := range texts {
		n.receives(one, text)
		n.sees(text)
		n.publish()
		n.env.Advance(2 * halfHour)
	}
}

// confirmedTo returns the answers that were sent to a node since the last call.
func (n *node) confirmedTo(by engine.Peer) (list []Heard) {
	for _, s := range n.env.Sent() {
		if h, ok := s.Message.(*Heard); ok && s.To == by {
			list = append(list, *h)
		}
	}
	return list
}

func (n *node) After(d time.Duration, f func() update.Steps) engine.Timer {
	return n.env.After(d, func() { n.do(f()) })
}
func (n *node) Makes(engine.ID) bool                   { return n.primary || n.acts }
func (n *node) Channel(engine.ID) update.Channel       { return news }
func (n *node) Poll(update.Channel)                    { n.polls++ }
func (n *node) Relay(engine.ID)                        {}
func (n *node) Header(channel engine.ID) update.Header { return update.Header{Channel: channel} }
func (n *node) FoundAs(u *update.Update)               { u.FoundBy = n.env.Self().ID }
func (n *node) Floor(engine.ID) uint64                 { return n.floor }
func (n *node) Limited(engine.ID, bool)                {}
func (n *node) Suspected(e Suspected)                  { n.said = append(n.said, e) }
func (n *node) Content(engine.ID) update.Hash          { return n.content }

func (n *node) Held(engine.ID) (version uint64, h update.Hash) {
	if version = n.version; n.lacks {
		version--
	}
	return version, n.held[version]
}

// plans is a polling set. ceilings bound nothing by default.
type (
	plans    struct{ n *node }
	ceilings struct {
		hosted, barred, alone bool
		gapPolls              int // that are left
	}
)

func (p plans) Polled(engine.ID) (update.Channel, bool) { return news, true }
func (p plans) Below(engine.ID) []engine.Peer           { return slices.Clone(p.n.below) }
func (p plans) Limits(engine.ID) Limits                 { return Limits{} }
func (p plans) Pollers(engine.ID) (uint32, machine.Size) {
	return uint32(1 + len(p.n.below)), machine.Size{}
}
func (c *ceilings) Hosted() bool              { return c.hosted }
func (c *ceilings) MayCheck(engine.ID) bool   { return !c.barred }
func (c *ceilings) PollsAlone(engine.ID) bool { return c.alone }
func (c *ceilings) ReserveGapPoll(update.Channel) bool {
	c.gapPolls--
	return c.gapPolls >= 0
}

// owned is the roster's record of the channel.
type owned struct{ n *node }

func (r owned) Channel() update.Channel { return news }
func (r owned) Primary() bool           { return r.n.primary }
func (r owned) Informed() bool          { return true }
func (r owned) Shared() bool            { return true }
func (r owned) Gone() bool              { return false }
func (r owned) Version() uint64         { return r.n.version }

type ring struct {
	machine.Ring
	n *node
}

func (r ring) Patience() time.Duration             { return 0 }
func (r ring) Nodes() int                          { return 100 }
func (r ring) Route(_ engine.ID, m engine.Message) { r.n.routed = append(r.n.routed, m) }

// keys sign by the signer's ID.
type keys struct{ self engine.ID }

func (k keys) Sign(data []byte) []byte {
	sum := engine.IDOf(append(k.self[:], data...))
	return append(sum[:], make([]byte, engine.SignatureLength-len(sum))...)
}

func (k keys) Signed(p engine.Peer, data, signature []byte) bool {
	return string(keys{p.ID}.Sign(data)) == string(signature)
}
