package version

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/corona/version/deliver"
	"tidings/network/engine"
)

// ground is the surroundings of a test's machines: a ring that all know, one channel, and its pollers and subscribers.
type ground struct {
	nodes       []*actor // that are up
	pollers     []engine.ID
	subscribers []engine.Peer
	signs       bool
	most        int // Config.DirectUpTo; 0: the primary sends to all
	witnesses   int // Config.Witnesses
}

// news is the channel of all tests. Its ID begins with 50.
var news = Channel{ID: engine.PrefixID("50"), URL: "http://news/"}

// actor is a node with the machine alone, in surroundings that a test sets. It is a ring, a roster, a plan, ceilings, a
// library, a poller and a host.
type actor struct {
	*ground
	env     engine.Env
	machine *Machine
	owned   *ownedNews // nil: another node owns the channel
	shunned []engine.ID

	content   string // at the origin, as this node sees it
	blind     bool   // the origin does not answer
	slow      time.Duration
	barred    bool // the host has no room for polls by readers
	above     engine.Peer
	unsure    bool // it does not know the owners
	asking    bool // a proof of readers is on its way
	looks     int  // polls in an interval that it may make as a witness
	seen      Hash // by a poll
	seenIs    string
	shownHash Hash // by a poll, the last time
	version   uint64
	held      string
	refuses   bool
	deaf      bool
	offered   []offer // over the ring
	unchecked bool    // it may not poll out of turn
	passed    uint64
	hushed    bool
	first     time.Duration
	readers   int      // for which it subscribes, if it does
	asked     []string // of the ring and the origin, in order
}

// ownedNews is the channel at one of its owners.
type ownedNews struct {
	*actor
	others         []engine.Peer
	rank           int
	version, stamp uint64
	uninformed     bool
}

const owners = 3

// start makes a node.
func (g *ground) start(env engine.Env) *actor {
	a := &actor{ground: g, env: env, looks: 65, readers: 1}
	var keys engine.Keys
	if g.signs {
		keys = testKeys{env.Self().ID}
	}
	c := Config{Owners: owners, Interval: 30 * time.Minute, Maintenance: time.Hour, Witnesses: g.witnesses}
	if g.most > 0 {
		c.Router, c.DirectUpTo = network.Scribe, g.most
	}
	a.machine = New(machine.Base{Env: env, Ring: ringOf{a}, Keys: keys},
		Seams{Roster: a, Plan: a, Ceilings: a, Library: a, Poller: a, Host: a}, c)
	a.machine.Use(network.Scribe, &star{a})
	g.nodes = slices.DeleteFunc(g.nodes, func(b *actor) bool { return b.env.Self().ID == env.Self().ID })
	g.nodes = append(g.nodes, a)
	return a
}

// configure changes the configuration of a node's machine.
func (a *actor) configure(change func(*Config)) {
	c := a.machine.config
	change(&c)
	a.machine.Reconfigure(c)
}

// at returns the node at one of the channel's places for witnesses.
func (g *ground) at(number uint8, now time.Time) *actor {
	list, _ := ringOf{g.nodes[0]}.Owners(Place(news.ID, now, number), 1)
	return g.nodes[slices.IndexFunc(g.nodes, func(a *actor) bool { return a.env.Self() == list[0] })]
}

// attest signs as a witness, whatever the node has seen.
func (a *actor) attest(version uint64, h Hash, number uint8) Attestation {
	s := Attestation{Place: number, At: a.env.Wall().UnixMilli(), By: a.env.Self()}
	s.Signature = testKeys{a.env.Self().ID}.Sign(AttestationWords(news.ID, version, h, &s))
	return s
}

// settle informs the owners of the channel that they own it.
func (g *ground) settle() {
	for _, a := range g.nodes {
		a.reassess()
	}
}

func (a *actor) reassess() {
	list, _ := a.roster(news.ID, owners)
	rank := slices.IndexFunc(list, func(p engine.Peer) bool { return p == a.env.Self() })
	if rank < 0 {
		return
	}
	if a.owned == nil {
		a.owned = &ownedNews{actor: a, rank: -2}
		a.machine.Owned(a.owned)
	}
	was := a.owned.rank
	a.owned.rank, a.owned.others = rank, slices.Delete(slices.Clone(list), rank, rank+1)
	if (was == 0) != (rank == 0) {
		a.machine.Changed(news.ID)
	}
}

func (a *actor) Receive(from engine.Peer, m engine.Message) { a.machine.Receive(from, m) }
func (a *actor) PeerDown(engine.Peer)                       {}
func (a *actor) Stop()                                      {}

// star is a tree of one level, in no time.
type star struct{ *actor }

func (s *star) Join(engine.ID)  { s.env.Trace(joined{}) }
func (s *star) Leave(engine.ID) { s.env.Trace(left{}) }
func (s *star) Publish(topic engine.ID, event engine.Message) {
	s.env.Trace(published{event.(*Update).Version})
	for _, a := range s.nodes {
		if a.machine.CarriedBy(topic) != network.Scribe {
			continue
		}
		if _, _, ok := a.machine.TreeMember().Admit(topic, event, s.env.Self()); ok {
			a.machine.TreeMember().Deliver(topic, event, s.env.Self())
		}
	}
}

// What the fakes trace.
type (
	joined    struct{}
	left      struct{}
	disowned  struct{ Channel engine.ID }
	published struct{ Version uint64 }
	limited   struct{ Waits bool }
	rests     struct{ Polls int }
	relays    struct{ URL string }
	releases  struct{ Channel engine.ID }
	warned    struct {
		Why     Suspicion
		Channel engine.ID
	}
	// offer is a version that was offered to a subscriber over the ring.
	offer struct {
		to      engine.ID
		version uint64
	}
	routed struct {
		To      engine.Peer
		Message engine.Message
	}
)

// The ring.

func (a *actor) Active() bool                               { return true }
func (a *actor) Nodes() int                                 { return len(a.nodes) }
func (a *actor) Contacts(int) []engine.Peer                 { return nil }
func (a *actor) WedgeContacts(engine.ID, int) []engine.Peer { return nil }
func (a *actor) Knows(engine.ID) bool                       { return true }
func (a *actor) Patience() time.Duration                    { return 0 }
func (a *actor) OnNeighbours(func())                        {}

func (a *actor) Route(key engine.ID, m engine.Message) {
	switch m := m.(type) {
	case *Missing:
		a.asked = append(a.asked, "owner "+baseOf(m))
	case *deliver.Offer:
		a.offered = append(a.offered, offer{key, m.Version})
	}
	list, _ := a.Ring().Owners(key, 1)
	if len(list) == 0 {
		return
	}
	a.env.Trace(routed{list[0], m})
	from := a.env.Self()
	a.env.After(50*time.Millisecond, func() {
		for _, b := range a.nodes {
			if b.env.Self() == list[0] && !b.deaf {
				b.machine.Deliver(key, from, m)
			}
		}
	})
}

// Ring returns the ring. Its Owners are not the roster's.
func (a *actor) Ring() machine.Ring { return ringOf{a} }

type ringOf struct{ *actor }

func (r ringOf) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	var all []engine.Peer
	for _, a := range r.nodes {
		all = append(all, a.env.Self())
	}
	slices.SortFunc(all, func(p, q engine.Peer) int {
		if engine.Closer(key, p.ID, q.ID) {
			return -1
		}
		return 1
	})
	return all[:min(k, len(all))], true
}

// The roster.

func (a *actor) roster(key engine.ID, k int) ([]engine.Peer, bool) {
	all, _ := a.Ring().Owners(key, len(a.nodes))
	all = slices.DeleteFunc(all, func(p engine.Peer) bool { return slices.Contains(a.shunned, p.ID) })
	return all[:min(k, len(all))], true
}

func (a *actor) Owned(engine.ID) Owned {
	if a.owned == nil {
		return nil
	}
	return a.owned
}

func (a *actor) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	list, _ := a.roster(key, k)
	return list, !a.unsure
}
func (a *actor) Readers(engine.ID) int {
	if slices.Contains(a.subscribers, a.env.Self()) {
		return a.readers
	}
	return 0
}
func (a *actor) Wanted(engine.ID) (Channel, bool)             { return news, a.Readers(news.ID) > 0 }
func (a *actor) Disown(channel engine.ID, _ string, _ uint64) { a.env.Trace(disowned{channel}) }
func (a *actor) MoveHome(engine.ID, engine.Peer)              {}
func (a *actor) Changed(engine.ID)                            { a.machine.Changed(news.ID) }
func (a *actor) Restate(engine.ID)                            { a.owned.stamp++ }

func (a *actor) Near(_ engine.ID, p engine.Peer) bool {
	list, _ := a.Ring().Owners(news.ID, 2*owners)
	return slices.Contains(list, p)
}

func (a *actor) SendToOwner(_ engine.ID, m engine.Message) {
	if list, _ := a.roster(news.ID, 2); len(list) == 2 && list[1] != a.env.Self() {
		a.env.Send(list[1], m)
	}
}

func (a *actor) CouldOwn(channel, node engine.ID) bool {
	list, _ := a.Ring().Owners(channel, 16)
	return slices.ContainsFunc(list, func(p engine.Peer) bool { return p.ID == node })
}

func (a *actor) Shun(node, _ engine.ID, _ time.Duration) {
	a.shunned = append(a.shunned, node)
	a.reassess()
}

// Subscribers returns a page of all subscribers, in their order.
func (a *actor) Subscribers(_ engine.ID, at, most int) (page []engine.Peer, next int) {
	at = max(at, 0)
	if next = at + most; next >= len(a.subscribers) {
		return a.subscribers[at:], -1
	}
	return a.subscribers[at:next], next
}

func (a *actor) Subscribes(_ engine.ID, p engine.Peer) bool { return slices.Contains(a.subscribers, p) }

func (o *ownedNews) Channel() Channel               { return news }
func (o *ownedNews) Primary() bool                  { return o.rank == 0 }
func (o *ownedNews) Rank() int                      { return o.rank }
func (o *ownedNews) Others() []engine.Peer          { return o.others }
func (o *ownedNews) Informed() bool                 { return !o.uninformed }
func (o *ownedNews) Shared() bool                   { return true }
func (o *ownedNews) Gone() bool                     { return false }
func (o *ownedNews) Live() int                      { return len(o.subscribers) }
func (o *ownedNews) Version() uint64                { return o.version }
func (o *ownedNews) Stamp() uint64                  { return o.stamp }
func (o *ownedNews) SetState(version, stamp uint64) { o.version, o.stamp = version, stamp }

func (a *actor) Passed(engine.ID) (version uint64, hushed, in bool) {
	_, in = a.Polled(news.ID)
	return a.passed, a.hushed, in
}

func (a *actor) Pass(_ engine.ID, version uint64, hushed bool) []engine.Peer {
	a.passed, a.hushed = version, hushed
	return a.Below(news.ID)
}

// The plan: the primary leads, and all other pollers are below it.

func (a *actor) Polled(engine.ID) (Channel, bool) {
	return news, slices.Contains(a.pollers, a.env.Self().ID)
}

func (a *actor) Below(engine.ID) (list []engine.Peer) {
	if a.owned == nil || a.owned.rank != 0 {
		return nil
	}
	for _, b := range a.nodes {
		if b != a && slices.Contains(a.pollers, b.env.Self().ID) {
			list = append(list, b.env.Self())
		}
	}
	return list
}

func (a *actor) Pollers(engine.ID) (uint32, machine.Size) {
	return uint32(len(a.pollers)), machine.Size{}
}
func (a *actor) CountNodes() (about, least, most int) { return a.Nodes(), a.Nodes(), a.Nodes() }

func (a *actor) Above(engine.ID) (engine.Peer, bool)  { return a.above, !a.above.IsZero() }
func (a *actor) Limits(engine.ID) Limits              { return Limits{} }
func (a *actor) Limited(_ engine.ID, waits bool)      { a.env.Trace(limited{waits}) }
func (a *actor) Hosted() bool                         { return a.unchecked }
func (a *actor) MayCheck(engine.ID) bool              { return false }
func (a *actor) PollsAlone(engine.ID) bool            { return false }
func (a *actor) ReserveGapPoll(Channel) bool          { return true }
func (a *actor) LetsReaders(Channel) bool             { return !a.barred }
func (a *actor) MayLead(node, channel engine.ID) bool { return true }
func (a *actor) Rest(_ engine.ID, polls int)          { a.env.Trace(rests{polls}) }
func (a *actor) Contradicted(e Contradicted)          {}

func (a *actor) Looks(Channel) int        { return a.looks }
func (a *actor) Asking(engine.ID) bool    { return a.asking }
func (a *actor) Adopted(engine.ID, State) {}
func (a *actor) Suspected(e Suspected) {
	a.env.Trace(warned{e.Why,
		e.Channel})
}
func (a *actor) Carried(Carried)                   {}
func (a *actor) FirstPoll(engine.ID) time.Duration { return a.first }
func (a *actor) Relay(c Channel)                   { a.env.Trace(relays{c.URL}) }
func (a *actor) Release(channel engine.ID)         { a.env.Trace(releases{channel}) }

func (a *actor) State(channel engine.ID) State {
	s := State{Version: a.owned.version, Stamp: a.owned.stamp}
	a.machine.Fill(channel, &s)
	return s
}

// The library and the poller. Contents are their texts.

// hashOf makes hashes that begin with the same 24 bits, so that any content can have any number.
func hashOf(text string) (h Hash) {
	copy(h[3:], text)
	return h
}

func (a *actor) Verify(Channel) {
	a.asked = append(a.asked, "origin")
	a.poll(true)
}

// poll polls the origin, which takes a while.
func (a *actor) poll(verified bool) {
	a.env.After(100*time.Millisecond+a.slow, func() {
		r := PollResult{Verified: verified}
		if !a.blind && a.content != "" {
			r.Hash, r.Size = hashOf(a.content), uint32(len(a.content))
		}
		if version, held := a.Held(news.ID); r.Hash != held && r.Hash != (Hash{}) {
			a.seen, a.seenIs = r.Hash, a.content
			r.Update = &Update{Channel: news.ID, Version: version, Base: held, Hash: r.Hash, Size: r.Size}
			if a.shownHash == r.Hash { // its hash alone does not show the content
				r.Update.Payload = []byte(a.content)
			}
			a.shownHash = r.Hash
		}
		a.machine.Polled(news.ID, r)
	})
}

func (a *actor) Held(engine.ID) (uint64, Hash) {
	if a.version == 0 {
		return 0, Hash{}
	}
	return a.version, hashOf(a.held)
}

func (a *actor) Content(engine.ID) Hash {
	_, held := a.Held(news.ID)
	return cmp.Or(a.seen, held)
}

func (a *actor) Store(u *Update) {
	a.env.After(time.Millisecond, func() {
		switch {
		case a.refuses:
		case len(u.Payload) > 0:
			a.version, a.held = u.Version, string(u.Payload)
		case a.seen == u.Hash:
			a.version, a.held = u.Version, a.seenIs
		case a.version > 0 && hashOf(a.held) == u.Hash:
			a.version = u.Version
		}
		a.machine.Stored(u.Channel, u.Version, a.version == u.Version)
	})
}

func (a *actor) Lend(_ engine.ID, _ Hash, found func(*Update)) {
	a.env.After(time.Millisecond, func() {
		found(&Update{Channel: news.ID, Version: a.version, Hash: hashOf(a.held), Size: uint32(len(a.held)),
			Payload: []byte(a.held)})
	})
}

func baseOf(m *Missing) string {
	if m.Base == (Hash{}) {
		return "whole"
	}
	return "from what is here"
}

// testKeys sign so that everybody can check, and nobody need know a key.
type testKeys struct{ self engine.ID }

func (k testKeys) Sign(data []byte) []byte {
	sum := sha256.Sum256(append(k.self[:], data...))
	return append(sum[:], sum[:]...)
}

func (k testKeys) Signed(p engine.Peer, data, signature []byte) bool {
	return slices.Equal(testKeys{p.ID}.Sign(data), signature)
}

// sealedBy returns a version that a node finds and numbers.
func (a *actor) sealedBy(version uint64, text string, payload bool) *Update {
	k, self := testKeys{a.env.Self().ID}, a.env.Self()
	u := &Update{Channel: news.ID, Version: version, Hash: hashOf(text), Size: uint32(len(text)), FoundBy: self.ID,
		FoundAt: a.env.Wall().UnixMilli()}
	if payload {
		u.Payload = []byte(text)
	}
	u.Seal = Seal{Finder: self.Address, Giver: self}
	u.Seal.Found = k.Sign(u.ReportWords())
	h := u.Header()
	u.Seal.Given = k.Sign(h.Words())
	return u
}
