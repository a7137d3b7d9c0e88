package roots

import (
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/rappel"
)

const (
	// Refresh is how often a node asks for the root of a topic.
	Refresh = time.Minute
	// Shunned is for how long a root is not believed in that was found down.
	Shunned = time.Minute

	retry    = 2 * time.Second     // after an Ask that nobody has answered; it doubles up to Refresh
	believed = Refresh + Refresh/2 // a node that was named

	maxTopics = 1 << 14 // that are looked for; as many as rappel.Config.MaxTrees
	maxNamed  = 8       // nodes that are kept of a topic
)

// Ring is what a Finder asks of Pastry; see there.
type Ring interface {
	Active() bool
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	Known() []engine.Peer
	OnNeighbours(f func())
}

// Finder is one node's knowledge of roots: a rappel.Directory, an engine.Protocol, and the application of its
// messages on the ring. It answers others, whether it looks for roots itself or not.
type Finder struct {
	env     engine.Env
	ring    Ring
	known   rappel.Directory // of polled channels; nil: there are none
	changed func(topic engine.ID)
	topics  map[engine.ID]*topic
}

// topic is one that this node looks for the root of.
type topic struct {
	id    engine.ID
	named []naming
	last  engine.ID // the root that was last reported; zero: none
	vain  int       // rounds since the last answer
	alarm engine.Alarm
}

// naming is a node that another has named as the closest. down: it was found down then, and does not count.
type naming struct {
	peer engine.Peer
	at   time.Duration
	down bool
}

// New returns a Finder that looks for nothing. known, if not nil, is asked first.
func New(env engine.Env, ring Ring, known rappel.Directory) *Finder {
	f := &Finder{env: env, ring: ring, known: known, changed: func(engine.ID) {}, topics: make(map[engine.ID]*topic)}
	ring.OnNeighbours(f.neighboursChanged)
	return f
}

// OnRoot has changed called when Root may return another node for a topic that is looked for. It is called once, before
// anything else.
func (f *Finder) OnRoot(changed func(topic engine.ID)) { f.changed = changed }

// Root returns the root of a topic, as far as it is known; zero: it is not.
func (f *Finder) Root(id engine.ID) engine.Peer {
	if f.known != nil {
		if p := f.known.Root(id); !p.IsZero() {
			return p
		}
	}
	if p, sure := f.near(id); sure {
		return p
	}
	if t := f.topics[id]; t != nil {
		return t.closest(f.env.Now())
	}
	return engine.Peer{}
}

// near returns the closest node to a topic, if this node is near enough to know.
func (f *Finder) near(id engine.ID) (engine.Peer, bool) {
	if !f.ring.Active() {
		return engine.Peer{}, false
	}
	owners, sure := f.ring.Owners(id, 1)
	if !sure || len(owners) == 0 {
		return engine.Peer{}, false
	}
	return owners[0], true
}

// closest returns the closest of the nodes that were named lately.
func (t *topic) closest(now time.Duration) (p engine.Peer) {
	for _, n := range t.named {
		if !n.down && now < n.at+believed && (p.IsZero() || engine.Closer(t.id, n.peer.ID, p.ID)) {
			p = n.peer
		}
	}
	return p
}

// Look has the root of a topic be looked for, until Forget.
func (f *Finder) Look(id engine.ID) {
	if f.topics[id] != nil {
		return
	}
	if len(f.topics) >= maxTopics {
		f.env.Trace(LimitHit{"maxTopics", maxTopics})
		return
	}
	t := &topic{id: id}
	f.topics[id] = t
	t.alarm.Set(f.env, f.env.Now(), func() { f.ask(t) })
}

// Forget ends what Look began.
func (f *Finder) Forget(id engine.ID) {
	if t := f.topics[id]; t != nil {
		t.alarm.Stop()
		delete(f.topics, id)
	}
}

// ask asks for the root, unless this node sees it, and again later.
func (f *Finder) ask(t *topic) {
	now, wait := f.env.Now(), min(retry<<min(t.vain, 8), Refresh)
	if _, sure := f.near(t.id); sure {
		wait = Refresh
	} else if f.ring.Active() {
		t.vain++
		f.send(t)
	}
	f.compare(t)
	t.alarm.Set(f.env, now+wait-wait/8+time.Duration(f.env.Rand().Int64N(int64(wait/4))), func() { f.ask(t) })
}

// send asks on the node's own way to the topic, and on that of a random node.
func (f *Finder) send(t *topic) {
	f.ring.Route(t.id, &Ask{Topic: t.id, Asker: f.env.Self()})
	if known := f.ring.Known(); len(known) > 0 {
		f.env.Send(known[f.env.Rand().IntN(len(known))], &Ask{Topic: t.id, Asker: f.env.Self(), Start: true})
	}
}

// compare reports a root that is another.
func (f *Finder) compare(t *topic) {
	if now := f.Root(t.id).ID; now != t.last {
		t.last = now
		f.changed(t.id)
	}
}

// Receive handles a message.
func (f *Finder) Receive(_ engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Ask:
		if m.Start && !f.answer(m) {
			f.ring.Route(m.Topic, &Ask{Topic: m.Topic, Asker: m.Asker})
		}
	case *Closest:
		if t := f.topics[m.Topic]; t != nil && t.vain > 0 && !m.Peer.IsZero() {
			f.note(t, m.Peer)
		}
	}
}

// note stores a node that was named.
func (f *Finder) note(t *topic, p engine.Peer) {
	now := f.env.Now()
	t.named = slices.DeleteFunc(t.named, func(n naming) bool {
		return now >= n.at+believed || n.down && now >= n.at+Shunned || !n.down && n.peer.ID == p.ID
	})
	if slices.ContainsFunc(t.named, func(n naming) bool { return n.peer.ID == p.ID }) {
		return // it was found down
	}
	t.vain = 0
	if len(t.named) >= maxNamed {
		t.named = slices.Delete(t.named, 0, 1)
	}
	t.named = append(t.named, naming{peer: p, at: now})
	f.compare(t)
}

// answer answers an Ask, if this node is sure.
func (f *Finder) answer(m *Ask) bool {
	p, sure := f.near(m.Topic)
	if sure {
		f.env.Send(m.Asker, &Closest{m.Topic, p})
	}
	return sure
}

// Forward ends an Ask where somebody knows the answer.
func (f *Finder) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	a, ok := m.(*Ask)
	return !ok || a.Asker.ID == f.env.Self().ID || !f.answer(a)
}

// Deliver answers an Ask at its end.
func (f *Finder) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	if a, ok := m.(*Ask); ok {
		f.answer(a)
	}
}

// PeerDown has another root looked for where the peer was it.
func (f *Finder) PeerDown(p engine.Peer) {
	now := f.env.Now()
	for _, t := range f.all() {
		for i := range t.named {
			if n := &t.named[i]; n.peer.ID == p.ID && !n.down {
				n.at, n.down = now, true
				f.compare(t)
				t.vain = 0
				t.alarm.Set(f.env, now, func() { f.ask(t) })
			}
		}
	}
}

func (f *Finder) neighboursChanged() {
	for _, t := range f.all() {
		f.compare(t)
	}
}

// all returns the topics that are looked for, in order.
func (f *Finder) all() (list []*topic) {
	for _, id := range slices.SortedFunc(maps.Keys(f.topics), engine.ID.Compare) {
		list = append(list, f.topics[id])
	}
	return list
}

// Stop ends the search.
func (f *Finder) Stop() {
	for _, t := range f.all() {
		t.alarm.Stop()
	}
}

// LimitHit says that a bound was reached and something left undone.
type LimitHit struct {
	What  string // the bound's name
	Limit int
}

var (
	_ engine.Protocol  = (*Finder)(nil)
	_ pastry.App       = (*Finder)(nil)
	_ rappel.Directory = (*Finder)(nil)
)
