package archive

import "tidings/network/engine"

// serving is what this node sends to those who ask.
type serving struct {
	bucket engine.Bucket
	open   int // requests that are being answered
}

// maxAnswer is how many bytes of items answer one Fetch, if the first is not longer. It is well below
// what waits for a slow peer before messages are dropped.
const maxAnswer = 768 << 10

// takeFetch sends items.
func (n *Node) takeFetch(from engine.Peer, m *Fetch) {
	end := &Fetched{Number: m.Number}
	if !n.loaded { // nobody knows yet what is in the store
		end.Busy = true
		n.env.Send(from, end)
		return
	}
	var names []Name
	size := 0
	soon := false // something comes to the disk
	for _, name := range m.Names {
		e := n.held.find(name)
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
		n.env.Send(from, end)
		return
	case n.serving.open >= n.config.MaxServing:
		n.limitHit("MaxServing", n.config.MaxServing)
		end.Busy = true
	case !n.serving.bucket.Take(size, n.env.Now()):
		n.limitHit("ServeRate", n.config.ServeRate)
		end.Busy = true
	}
	if end.Busy {
		n.env.Send(from, end)
		return
	}
	n.serving.open++
	n.replicas.gains(from.ID)
	n.serve(from, names, end)
}

// serve sends the first of the names, and then the others.
func (n *Node) serve(to engine.Peer, names []Name, end *Fetched) {
	if len(names) == 0 {
		n.serving.open--
		n.env.Send(to, end)
		return
	}
	name := names[0]
	n.store.Get(name, func(bytes []byte) {
		if bytes == nil {
			n.damaged(name)
			end.None = append(end.None, name)
		} else {
			n.env.Send(to, &Item{Name: name, Bytes: bytes})
		}
		n.serve(to, names[1:], end)
	})
}
