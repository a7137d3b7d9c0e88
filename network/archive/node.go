package archive

import (
	"tidings/network/engine"
)

// Node is one node's part in the archive: an engine.Protocol, and the application of the archive's messages
// on the ring.
type Node struct {
	env      engine.Env
	config   Config
	ring     Ring
	verifier Verifier
	store    Store
	source   LocalSource // nil: there is none
	onLied   func(Lied)  // never nil

	loaded    bool // held is all that is in the store
	held      index
	admitting int // bytes; see maxAdmitting
	standing  standing

	inquiries map[Name][]*inquiry
	lookups   map[Name]*lookup
	inserts   map[Name]*insert
	settling  int // of the inserts
	offers    offers
	pull      pull
	serving   serving
	replicas  replicas
	surplus   surplus
	penalties penalties
}

var _ engine.Protocol = (*Node)(nil)

// New returns a node that takes part as soon as ring is active and it has read what is in the store.
// Nothing is to be delivered to the node before. It panics if c is not valid.
func New(env engine.Env, ring Ring, verifier Verifier, store Store, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c, ring: ring, verifier: verifier, store: store, held: newIndex(), onLied: func(Lied) {},
		inquiries: make(map[Name][]*inquiry), lookups: make(map[Name]*lookup), inserts: make(map[Name]*insert),
	}
	n.pull.wanted, n.pull.pendingAcks = make(map[Name]*want), make(map[Name][]pendingAck)
	n.serving.bucket = engine.NewBucket(c.ServeRate, c.ServeBurst)
	ring.OnNeighbours(n.neighboursChanged)
	n.neighboursChanged()
	n.load(nil)
	return n
}

// Use has items taken from a local source that would be fetched from others. It is called once, before any message comes.
func (n *Node) Use(s LocalSource) { n.source = s }

// OnLied has f told of peers that have sent what is not genuine; f is called in the loop and calls nothing back. It is called once,
// before any message comes.
func (n *Node) OnLied(f func(Lied)) { n.onLied = f }

// load reads what is in the store, page by page.
func (n *Node) load(after *engine.ID) {
	n.store.List(after, loadAtOnce, func(items []Held) {
		for _, item := range items {
			if n.held.find(item.Name) == nil {
				n.held.add(newEntry(item))
			}
		}
		if len(items) > 0 {
			last := items[len(items)-1].Name.Key()
			n.load(&last)
			return
		}
		n.loaded = true
		n.trim()
		n.neighboursChanged()
	})
}

// loadAtOnce is how many items are listed at a time.
const loadAtOnce = 1024

// Receive takes a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Find:
		n.takeFind(m)
	case *Where:
		n.takeWhere(from, m)
	case *Fetch:
		n.takeFetch(from, m)
	case *Item:
		n.takeItem(from, m)
	case *Fetched:
		n.takeFetched(from, m)
	case *Give:
		n.takeGive(from, m)
	case *Taken:
		n.takeTaken(from, m)
	case *Offer:
		n.takeOffer(from, m)
	case *Offered:
		n.takeOffered(from, m)
	case *Compare:
		n.takeCompare(from, m)
	case *Equal:
		n.takeEqual(from)
	case *Have:
		n.takeHave(from, m)
	}
}

// Deliver takes a message that was routed to a key which this node is closest to.
func (n *Node) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	if m, ok := m.(*Find); ok {
		n.answerFind(m, true)
	}
}

// Forward is called where a message passes: a Find ends where somebody knows the answer.
func (n *Node) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	if m, ok := m.(*Find); ok {
		return n.isSelf(m.Asker) || !n.answerFind(m, false)
	}
	return true
}

// PeerDown has what was asked of a peer asked of another.
func (n *Node) PeerDown(p engine.Peer) {
	n.lookupsLost(p)
	n.insertsLost(p)
	n.pullLost(p)
}

// Stop does nothing: the other owners have what this node has.
func (n *Node) Stop() {}

// owners returns the owners of a key, closest first, if this node knows them for sure.
func (n *Node) owners(key engine.ID) ([]engine.Peer, bool) {
	owners, sure := n.ring.Owners(key, n.config.Replicas)
	return owners, sure && n.ring.Active()
}

// has returns the entry of an item that is in the store.
func (n *Node) has(name Name) *entry {
	if e := n.held.find(name); e != nil && !e.coming {
		return e
	}
	return nil
}

func (n *Node) isSelf(p engine.Peer) bool { return p.ID == n.env.Self().ID }

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }
