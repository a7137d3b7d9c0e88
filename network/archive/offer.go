package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// offers are items that this node offers to other owners until they have them. Each is made offerTries times, with up
// to maxList items.
type offers struct {
	env  engine.Env
	list []*offer
}

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

// An offer is made offerTries times, offerWait apart. Fetching needs a while, and a comparison of replicas shows items
// that no node fetches.
const (
	offerTries = 4
	offerWait  = 3 * time.Second
)

// offerToOthers offers a new item to its other owners.
func (n *Node) offerToOthers(name Name, inserter engine.Peer) {
	owners, sure := n.standing.owners(name.Key())
	e := n.stock.has(name)
	if !sure || e == nil {
		return
	}
	if len(n.offers.list) >= n.config.MaxOffers {
		limitHit(n.env, "MaxOffers", n.config.MaxOffers)
		return
	}
	n.offers.begin([]*entry{e}, owners, inserter, nil)
}

// begin offers up to maxList items to the given peers.
func (f *offers) begin(entries []*entry, to []engine.Peer, inserter engine.Peer, then func(*offer)) {
	o := &offer{number: f.env.Rand().Uint64(), entries: entries, inserter: inserter, then: then}
	for _, p := range to {
		if !isSelf(f.env, p) {
			o.to = append(o.to, offeree{peer: p})
		}
	}
	f.list = append(f.list, o)
	f.again(o)
}

// all is Has of those that have all items.
func (o *offer) all() uint64 { return 1<<len(o.entries) - 1 } // a shift by 64 gives zero, and so all bits

// everywhere returns the items that all have that were offered them.
func (o *offer) everywhere() (entries []*entry) {
	for i, e := range o.entries {
		if !slices.ContainsFunc(o.to, func(p offeree) bool { return p.has>>i&1 == 0 }) {
			entries = append(entries, e)
		}
	}
	return entries
}

// again offers what is not confirmed once more, or ends the offer.
func (f *offers) again(o *offer) {
	m := &Offer{Number: o.number, Inserter: o.inserter}
	for _, e := range o.entries {
		m.Items = append(m.Items, e.Held)
	}
	open := false
	for _, p := range o.to {
		if p.has&o.all() != o.all() {
			open = true
			if o.tries < offerTries {
				f.env.Send(p.peer, m)
			}
		}
	}
	if !open || o.tries == offerTries {
		f.end(o)
		return
	}
	o.tries++
	o.timer.Set(f.env, f.env.Now()+jitter(f.env, offerWait), func() { f.again(o) })
}

func (f *offers) end(o *offer) {
	o.timer.Stop()
	f.list = slices.DeleteFunc(f.list, func(p *offer) bool { return p == o })
	if o.then != nil {
		o.then(o)
	}
}

// onOffered notes what a peer has.
func (f *offers) onOffered(from engine.Peer, m *Offered) {
	i := slices.IndexFunc(f.list, func(o *offer) bool { return o.number == m.Number })
	if i < 0 {
		return
	}
	o := f.list[i]
	complete := true
	for j := range o.to {
		if o.to[j].peer.ID == from.ID {
			o.to[j].has |= m.Has
		}
		complete = complete && o.to[j].has&o.all() == o.all()
	}
	if complete {
		f.end(o)
	}
}

// onOffer has what is lacking fetched, and says what is here. What is lacking is confirmed when it is here: else it
// would be offered again.
func (n *Node) onOffer(from engine.Peer, m *Offer) {
	answer := &Offered{Number: m.Number}
	for i, item := range m.Items {
		if e := n.stock.has(item.Name); e != nil && e.Print <= item.Print {
			answer.Has |= 1 << i
			n.confirmToInserter(m.Inserter, item.Name)
			continue
		}
		n.bring(from, item)
		if n.expected(item.Name) {
			n.acks.owe(item.Name, pendingAck{from, m.Number, 1 << i, m.Inserter, item.Print})
		}
	}
	if answer.Has != 0 {
		n.env.Send(from, answer)
	}
}

// confirmToInserter confirms to the node that inserts an item that this one has it. That may be this node itself,
// which another owner was quicker to offer it to.
func (n *Node) confirmToInserter(inserter engine.Peer, name Name) {
	switch {
	case inserter.IsZero():
	case isSelf(n.env, inserter):
		n.inserts.onTaken(inserter, &Taken{Name: name})
	default:
		n.env.Send(inserter, &Taken{Name: name})
	}
}
