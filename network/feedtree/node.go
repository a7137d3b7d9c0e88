package feedtree

import (
	"time"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
)

// Node is one node's part in FeedTree. It is an engine.Protocol, the application of its messages on the ring, and the
// network.Member that understands events.
type Node struct {
	env     engine.Env
	config  Config
	ring    Ring
	tree    Tree
	library Library
	archive Archive
	// listener is called with what the node acts on; never nil.
	listener Listener

	searcher   searcher
	followings followings
	authors    authors
	pending    pending
	serving    serving

	record      *record
	refusals    *refusals
	convictions convictions
}

// New returns a node. Where archive is nil there is none. Nothing is to be delivered to the node before
// Use. It panics if c is not valid.
func New(env engine.Env, ring Ring, library Library, archive Archive, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c, ring: ring, library: library, archive: archive,
		followings:  followings{index: make(map[engine.ID]*following)},
		record:      newRecord(env, c),
		refusals:    newRefusals(env, c),
		convictions: convictions{env, newRecent[engine.ID, *conviction](c.MaxNotices)},
	}
	n.record.isBanned = n.refusals.isBanned
	n.record.onDoubled = func(e *Equivocation) { n.convict(e, engine.Peer{}) }
	n.searcher = searcher{env: env, config: c, ring: ring, archive: archive, isBanned: n.refusals.isBanned}
	n.authors = authors{
		env: env, config: c, ring: ring, library: library, archive: archive, words: n.record,
		index: make(map[engine.ID]*author),
	}
	n.Listen(unheard{})
	return n
}

// Use gives the node the tree that it is the member of. It is called once, before anything else.
func (n *Node) Use(tree Tree) { n.tree, n.searcher.tree, n.authors.tree = tree, tree, tree }

// Verifier reports whether the holder of a key has signed words.
type Verifier func(k Key, words, signature []byte) bool

// VerifyBy replaces [Key.Signed] as the check of signatures. In worlds of many simulated nodes that verify the same
// statement, one check is enough for all. It is called before anything else.
func (n *Node) VerifyBy(v Verifier) { n.record.verify = v }

// Receive handles a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Ask:
		n.receiveAsk(from, m)
	case *Items:
		n.receiveItems(from, m)
	case *Seek:
		n.receiveSeek(m)
	case *Has:
		n.receiveHas(from, m)
	case *Confirm:
		n.serving.confirm(n, from, m)
	case *Confirmed:
		n.authors.confirmed(from, m)
	case *Equivocation:
		n.receiveEquivocation(from, m)
	}
}

// Deliver hands over what has come down a tree.
func (n *Node) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	n.authors.deliver(topic, event)
	if f := n.followings.index[topic]; f != nil {
		n.receiveWord(f, topic, event, from, Pushed)
	}
}

// PeerDown has those searches go on that wait for the peer.
func (n *Node) PeerDown(p engine.Peer) {
	for _, f := range n.followings.list {
		n.searcher.peerDown(&f.search, p)
	}
}

// Stop does nothing: those below announce that the node goes.
func (n *Node) Stop() {}

func (n *Node) isSelf(p engine.Peer) bool { return p.ID == n.env.Self().ID }

// jitter returns d, more or less.
func jitter(env engine.Env, d time.Duration) time.Duration {
	return d - d/8 + time.Duration(env.Rand().Int64N(int64(d/4)+1))
}

var (
	_ engine.Protocol    = (*Node)(nil)
	_ network.Member     = (*Node)(nil)
	_ network.Withdrawer = (*Node)(nil)
	_ Tree               = (*scribe.Node)(nil)
	_ Tree               = (*agreed.Router)(nil)
	_ pastry.App         = Routed{}
)
