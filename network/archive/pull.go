package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// pull is the fetching of what this node lacks.
type pull struct {
	queue       []*want
	wanted      map[Name]*want        // those of the queue and of the flights
	pendingAcks map[Name][]pendingAck // for those, and for what comes into the store otherwise
	flights     []*flight
}

// want is an item that this node is to have, and that somebody says to have.
type want struct {
	item Held
	from engine.Peer
}

// flight is a Fetch under way.
type flight struct {
	to     engine.Peer
	number uint64
	wants  []*want
	timer  engine.Alarm
}

// Bounds of what one peer can make this node want, and of what is fetched at once.
const (
	maxWantedOfOne = 256
	maxPullBytes   = maxAnswer
)

// want has an item taken from the local source, or else fetched from a peer that says that it has it, unless there is no use for
// it here, or it comes already. What is owed then, if anything, is paid once it is in the store.
func (n *Node) want(from engine.Peer, item Held, then *pendingAck) {
	n.bring(from, item)
	if then != nil {
		n.owe(item.Name, *then)
	}
}

// unwant notes that an item is not fetched any more.
func (n *Node) unwant(name Name) {
	delete(n.pull.wanted, name)
	n.failed(name)
}

// bring has an item come that is wanted, if it does not already.
func (n *Node) bring(from engine.Peer, item Held) {
	p := &n.pull
	e := n.held.find(item.Name)
	switch {
	case p.wanted[item.Name] != nil, item.Size == 0, int(item.Size) > n.config.MaxItem:
		return
	case e != nil && (e.coming || e.Print <= item.Print):
		return
	case n.penalties.is(from.ID, n.env.Now()) || !n.owns(item.Name.Key()):
		return
	case n.lies(item):
		return
	case len(p.wanted) >= n.config.MaxWanted:
		n.limitHit("MaxWanted", n.config.MaxWanted)
		return
	}
	if _, why := n.roomFor(newEntry(item), e); why != Accepted {
		return
	}
	of := 0
	for _, w := range p.queue {
		if w.from.ID == from.ID {
			of++
		}
	}
	if of >= maxWantedOfOne {
		return
	}
	w := &want{item, from}
	p.wanted[item.Name] = w
	p.queue = append(p.queue, w)
	n.replicas.gains(from.ID)
	n.fetchMore()
}

// fetchMore fetches from peers of whom nothing is being fetched.
func (n *Node) fetchMore() {
	p := &n.pull
	for len(p.flights) < n.config.Pulls {
		i := slices.IndexFunc(p.queue, func(w *want) bool {
			return !slices.ContainsFunc(p.flights, func(f *flight) bool { return f.to.ID == w.from.ID })
		})
		if i < 0 {
			return
		}
		f := &flight{to: p.queue[i].from, number: n.env.Rand().Uint64()}
		m := &Fetch{Number: f.number}
		size := 0
		p.queue = slices.DeleteFunc(p.queue, func(w *want) bool {
			of := int(w.item.Size)
			if w.from.ID != f.to.ID || len(f.wants) == maxNames || len(f.wants) > 0 && size+of > maxPullBytes {
				return false
			}
			size += of
			f.wants = append(f.wants, w)
			m.Names = append(m.Names, w.item.Name)
			return true
		})
		p.flights = append(p.flights, f)
		n.env.Send(f.to, m)
		f.timer.Set(n.env, n.env.Now()+n.config.Patience, func() {
			if len(f.wants) == len(m.Names) {
				n.penalties.add(f.to.ID, n.env.Now(), silentFor)
			}
			n.endFlight(f)
		})
	}
}

// endFlight gives up what has not come. It shows again when replicas are compared.
func (n *Node) endFlight(f *flight) {
	p := &n.pull
	f.timer.Stop()
	p.flights = slices.DeleteFunc(p.flights, func(g *flight) bool { return g == f })
	for _, w := range f.wants {
		n.unwant(w.item.Name)
	}
	n.fetchMore()
}

// takeItem takes an item that was asked for, by a lookup or to be kept here.
func (n *Node) takeItem(from engine.Peer, m *Item) {
	if l := n.lookups[m.Name]; l != nil && l.asks(from.ID) {
		n.lookedUp(l, from, m.Bytes)
	}
	w := n.pull.wanted[m.Name]
	i := slices.IndexFunc(n.pull.flights, func(f *flight) bool { return f.to.ID == from.ID })
	if w == nil || i < 0 || !slices.Contains(n.pull.flights[i].wants, w) {
		return
	}
	f := n.pull.flights[i]
	f.wants = slices.DeleteFunc(f.wants, func(v *want) bool { return v == w })
	n.admit(from, m.Name, m.Bytes, func(Refusal) { n.unwant(m.Name) })
}

// busyWait is how long a peer that has no time is not asked again.
const busyWait = 2 * time.Second

// takeFetched takes the end of an answer.
func (n *Node) takeFetched(from engine.Peer, m *Fetched) {
	n.lookedUpInVain(from, m)
	i := slices.IndexFunc(n.pull.flights, func(f *flight) bool { return f.to.ID == from.ID && f.number == m.Number })
	if i < 0 {
		return
	}
	f := n.pull.flights[i]
	if m.Busy { // the flight stays, so that the peer is left in peace, and then all is asked for again
		f.timer.Set(n.env, n.env.Now()+n.jitter(busyWait), func() {
			n.pull.queue = append(n.pull.queue, f.wants...)
			f.wants = nil
			n.endFlight(f)
		})
		return
	}
	for _, w := range f.wants {
		if slices.Contains(m.None, w.item.Name) {
			n.penalties.add(from.ID, n.env.Now(), lacksFor)
		}
	}
	n.endFlight(f)
}

// pullLost ends what is fetched from a peer that is down.
func (n *Node) pullLost(peer engine.Peer) {
	p := &n.pull
	p.queue = slices.DeleteFunc(p.queue, func(w *want) bool {
		if w.from.ID == peer.ID {
			n.unwant(w.item.Name)
			return true
		}
		return false
	})
	for _, f := range slices.Clone(p.flights) {
		if f.to.ID == peer.ID {
			n.endFlight(f)
		}
	}
}
