package archive

import "tidings/network/engine"

// serving sends items to nodes that request them. It answers at most Config.MaxServing requests at a time, and sends
// Config.ServeRate bytes a second, on average.
type serving struct {
	env    engine.Env
	config *Config
	node   keeper
	bucket engine.Bucket
	open   int // requests that are being answered
}

// keeper is what serving needs of its node.
type keeper interface {
	// entry returns the entry of an item that is in the store, or about to be; nil: there is none.
	entry(name Name) *entry
	// get reads an item; nil: it is not there as it should be.
	get(name Name, got func(bytes []byte))
}

// maxAnswer is how many bytes of items answer one Fetch, if the first is not longer. It is well below
// what waits for a slow peer before messages are dropped.
const maxAnswer = 768 << 10

// onFetch sends items. It reports whether it has begun to.
func (s *serving) onFetch(from engine.Peer, m *Fetch) (begun bool) {
	end := &Fetched{Number: m.Number}
	var names []Name
	size := 0
	soon := false // something comes to the disk
	for _, name := range m.Names {
		e := s.node.entry(name)
		switch {
		case e == nil:
			end.None = append(end.None, name)
		case e.coming:
			soon = true
		case size == 0 || size+int(e.Size) <= maxAnswer:
			size += int(e.Size)
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		end.Busy = soon
		s.env.Send(from, end)
		return false
	case s.open >= s.config.MaxServing:
		limitHit(s.env, "MaxServing", s.config.MaxServing)
		end.Busy = true
	case !s.bucket.Take(size, s.env.Now()):
		limitHit(s.env, "ServeRate", s.config.ServeRate)
		end.Busy = true
	}
	if end.Busy {
		s.env.Send(from, end)
		return false
	}
	s.open++
	s.serve(from, names, end)
	return true
}

// serve sends the first of the names, and then the others.
func (s *serving) serve(to engine.Peer, names []Name, end *Fetched) {
	if len(names) == 0 {
		s.open--
		s.env.Send(to, end)
		return
	}
	name := names[0]
	s.node.get(name, func(bytes []byte) {
		if bytes == nil {
			end.None = append(end.None, name)
		} else {
			s.env.Send(to, &Item{Name: name, Bytes: bytes})
		}
		s.serve(to, names[1:], end)
	})
}

// onFetch sends items.
func (n *Node) onFetch(from engine.Peer, m *Fetch) {
	switch {
	case !n.stock.loaded: // the content of the store is not known yet
		n.env.Send(from, &Fetched{Number: m.Number, Busy: true})
	case n.serving.onFetch(from, m):
		n.replicas.gains(from.ID)
	}
}

// entry returns the entry of an item that is in the store, or about to be; nil: there is none.
func (n *Node) entry(name Name) *entry { return n.stock.held.find(name) }

// get reads an item; nil: it is not there as it should be.
func (n *Node) get(name Name, got func(bytes []byte)) {
	n.stock.store.Get(name, func(bytes []byte) {
		if bytes == nil {
			n.damaged(name)
		}
		got(bytes)
	})
}
