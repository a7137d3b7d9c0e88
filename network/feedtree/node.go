package feedtree

import (
	"time"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
)

// Node is one node's part in FeedTree: an engine.Protocol, the application of its messages on the
// ring, and the network.Member that knows what events are.
type Node struct {
	env     engine.Env
	config  Config
	ring    Ring
	tree    Tree
	library Library
	archive Archive
	verify  Verifier
	// listener is told what the node acts on; never nil.
	listener Listener

	followings followings
	authored   authored
	pending    pending
	serving    serving

	verified    recent[[32]byte, struct{}] // statements, with their signatures
	heads       recent[place, Head]        // of items, to find out who gives a number twice
	marks       recent[engine.ID, mark]    // how far topics have come
	notices     notices
	convictions recent[engine.ID, *conviction] // by topic
	blamed      blamed
	passed      passed // the latest items that went through here
	withdrawals withdrawals
}

// New returns a node. Where archive is nil there is none. Nothing is to be delivered to the node before
// Use. It panics if c is not valid.
func New(env engine.Env, ring Ring, library Library, archive Archive, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{
		env: env, config: c, ring: ring, library: library, archive: archive, verify: Key.Signed, listener: unheard{},
		followings:  followings{index: make(map[engine.ID]*following)},
		authored:    authored{index: make(map[engine.ID]*author)},
		blamed:      blamed{of: make(map[engine.ID]*blame)},
		verified:    newRecent[[32]byte, struct{}](c.MaxVerified),
		heads:       newRecent[place, Head](c.MaxVerified),
		marks:       newRecent[engine.ID, mark](c.MaxTopics),
		notices:     newNotices(c.MaxNotices),
		convictions: newRecent[engine.ID, *conviction](c.MaxNotices),
		withdrawals: withdrawals{newRecent[place, uint64](maxWithdrawals)},
	}
}

// Use gives the node the tree that it is the member of. It is called once, before anything else.
func (n *Node) Use(tree Tree) { n.tree = tree }

// Verifier reports whether the holder of a key has signed words.
type Verifier func(k Key, words, signature []byte) bool

// VerifyBy has the node ask somebody else than [Key.Signed] who has signed what: in worlds of many simulated nodes
// that verify the same, once for all is enough. It is called before anything else.
func (n *Node) VerifyBy(v Verifier) { n.verify = v }

// Receive takes a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Ask:
		n.takeAsk(from, m)
	case *Items:
		n.takeItems(from, m)
	case *Seek:
		n.takeSeek(m)
	case *Has:
		n.takeHas(from, m)
	case *Confirm:
		n.serving.confirm(n, from, m)
	case *Confirmed:
		n.authored.confirmed(n, from, m)
	case *Equivocation:
		n.takeEquivocation(from, m)
	}
}

// Deliver hands over what has come down a tree.
func (n *Node) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	n.deliverOwn(topic, event)
	if f := n.followings.index[topic]; f != nil {
		n.take(f, topic, event, from, Pushed)
	}
}

// PeerDown has those searches go on that wait for the peer.
func (n *Node) PeerDown(p engine.Peer) { n.lost(p) }

// Stop does nothing: those below tell that the node goes.
func (n *Node) Stop() {}

func (n *Node) isSelf(p engine.Peer) bool { return p.ID == n.env.Self().ID }

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}

var (
	_ engine.Protocol    = (*Node)(nil)
	_ network.Member     = (*Node)(nil)
	_ network.Withdrawer = (*Node)(nil)
	_ Tree               = (*scribe.Node)(nil)
	_ Tree               = (*agreed.Router)(nil)
	_ pastry.App         = Routed{}
)
