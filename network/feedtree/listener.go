package feedtree

import "tidings/network/engine"

// Listener is called with what the node that FeedTree works for acts on. Its methods are called in the loop; they
// return at once, and call nothing back before they do. All of it is traced as well.
type Listener interface {
	// Heard reports that a publisher's word has come, for the first time or again. Overdue reports that it has not come
	// in time. Ended reports that the publisher withdrew its promise.
	Heard(topic engine.ID)
	Overdue(topic engine.ID)
	Ended(topic engine.ID)
	// Equivocated reports that a publisher has signed two items for one number. Revoked reports that its key is void,
	// and Rotated that it has a new one.
	Equivocated(topic engine.ID)
	Revoked(topic engine.ID)
	Rotated(Rotated)
	// Fallback reports that no node has the items up to a number: the conventional feed has to be polled. 0: the
	// publisher is overdue, and no number is known to be missing.
	Fallback(topic engine.ID, upTo uint64)
	// Skipped says that numbers up to one are too far back to be asked for.
	Skipped(topic engine.ID, upTo uint64)
	// Refused says that something came of a topic that is not what it should be.
	Refused(topic engine.ID, why Why)
	// Banned says that a peer has sent what only a liar sends, and is not listened to any more.
	Banned(peer engine.Peer, why Why)
	// Arrived says to the node that speaks for a publisher that another node has an item of the publisher's.
	Arrived(topic engine.ID, number uint64, node engine.ID)
	// Overtaken reports to the publisher's node that the network knows of a higher number than it has given. It must
	// number its next item above.
	Overtaken(topic engine.ID, last uint64)
	// Contested reports to the publisher's node that another node speaks for the publisher too. Nothing more is
	// published here until Unauthor and Author are called.
	Contested(topic engine.ID)
}

// Listen has a listener called from now on. It is called once, before anything is delivered to the node.
func (n *Node) Listen(l Listener) { n.listener, n.searcher.listener, n.authors.listener = l, l, l }

// unheard is the listener of a node without a listener.
type unheard struct{}

func (unheard) Heard(engine.ID)                      {}
func (unheard) Overdue(engine.ID)                    {}
func (unheard) Ended(engine.ID)                      {}
func (unheard) Equivocated(engine.ID)                {}
func (unheard) Revoked(engine.ID)                    {}
func (unheard) Rotated(Rotated)                      {}
func (unheard) Fallback(engine.ID, uint64)           {}
func (unheard) Skipped(engine.ID, uint64)            {}
func (unheard) Refused(engine.ID, Why)               {}
func (unheard) Banned(engine.Peer, Why)              {}
func (unheard) Arrived(engine.ID, uint64, engine.ID) {}
func (unheard) Overtaken(engine.ID, uint64)          {}
func (unheard) Contested(engine.ID)                  {}
