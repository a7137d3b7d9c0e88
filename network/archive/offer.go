package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// offers are items that this node offers to other owners until they have them.
type offers struct{ list []*offer }

type offer struct {
	number   uint64
	entries  []*entry
	inserter engine.Peer
	to       []offeree
	tries    int
	timer    engine.Alarm
	then     func(o *offer) // called at the end
}

type offeree struct {
	peer engine.Peer
	has  uint64 // bit i: it has the i-th item
}

// An offer is made offerTries times, offerWait apart: to fetch takes a while, and what nobody fetches
// shows when replicas are compared.
const (
	offerTries = 4
	offerWait  = 3 * time.Second
)

// offerToOthers offers a new item to its other owners.
func (n *Node) offerToOthers(name Name, inserter engine.Peer) {
	owners, sure := n.owners(name.Key())
	e := n.has(name)
	if !sure || e == nil {
		return
	}
	if len(n.offers.list) >= n.config.MaxOffers {
		n.limitHit("MaxOffers", n.config.MaxOffers)
		return
	}
	n.offer([]*entry{e}, owners, inserter, nil)
}

// offer offers up to maxList items to some peers.
func (n *Node) offer(entries []*entry, to []engine.Peer, inserter engine.Peer, then func(*offer)) {
	o := &offer{number: n.env.Rand().Uint64(), entries: entries, inserter: inserter, then: then}
	for _, p := range to {
		if !n.isSelf(p) {
			o.to = append(o.to, offeree{peer: p})
		}
	}
	n.offers.list = append(n.offers.list, o)
	n.offerAgain(o)
}

// all is Has of those who have all items.
func (o *offer) all() uint64 { return 1<<len(o.entries) - 1 } // a shift by 64 gives zero, and so all bits

// everywhere returns the items that all who were offered them have.
func (o *offer) everywhere() (entries []*entry) {
	for i, e := range o.entries {
		if !slices.ContainsFunc(o.to, func(p offeree) bool { return p.has>>i&1 == 0 }) {
			entries = append(entries, e)
		}
	}
	return entries
}

func (n *Node) offerAgain(o *offer) {
	m := &Offer{Number: o.number, Inserter: o.inserter}
	for _, e := range o.entries {
		m.Items = append(m.Items, e.Held)
	}
	open := false
	for _, p := range o.to {
		if p.has&o.all() != o.all() {
			open = true
			if o.tries < offerTries {
				n.env.Send(p.peer, m)
			}
		}
	}
	if !open || o.tries == offerTries {
		n.endOffer(o)
		return
	}
	o.tries++
	o.timer.Set(n.env, n.env.Now()+n.jitter(offerWait), func() { n.offerAgain(o) })
}

func (n *Node) endOffer(o *offer) {
	o.timer.Stop()
	n.offers.list = slices.DeleteFunc(n.offers.list, func(p *offer) bool { return p == o })
	if o.then != nil {
		o.then(o)
	}
}

// takeOffered notes what a peer has.
func (n *Node) takeOffered(from engine.Peer, m *Offered) {
	i := slices.IndexFunc(n.offers.list, func(o *offer) bool { return o.number == m.Number })
	if i < 0 {
		return
	}
	o := n.offers.list[i]
	complete := true
	for j := range o.to {
		if o.to[j].peer.ID == from.ID {
			o.to[j].has |= m.Has
		}
		complete = complete && o.to[j].has&o.all() == o.all()
	}
	if complete {
		n.endOffer(o)
	}
}

// takeOffer has what is lacking fetched, and says what is here. What is lacking is told of when it is here: else it
// would be offered again.
func (n *Node) takeOffer(from engine.Peer, m *Offer) {
	answer := &Offered{Number: m.Number}
	for i, item := range m.Items {
		if e := n.has(item.Name); e != nil && e.Print <= item.Print {
			answer.Has |= 1 << i
			n.tellInserter(m.Inserter, item.Name)
			continue
		}
		n.want(from, item, &pendingAck{from, m.Number, 1 << i, m.Inserter, item.Print})
	}
	if answer.Has != 0 {
		n.env.Send(from, answer)
	}
}

// tellInserter tells who inserts an item that this node has it. That may be this node itself, which another owner was
// quicker to offer it to.
func (n *Node) tellInserter(inserter engine.Peer, name Name) {
	switch {
	case inserter.IsZero():
	case n.isSelf(inserter):
		n.takeTaken(inserter, &Taken{Name: name})
	default:
		n.env.Send(inserter, &Taken{Name: name})
	}
}
