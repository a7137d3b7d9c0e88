package archive

import "tidings/network/engine"

// examine has bytes judged, outside the loop. It returns false if there is too much to do.
func (n *Node) examine(name Name, bytes []byte, then func(print uint64, genuine bool)) bool {
	var print uint64
	var genuine bool
	ok := n.env.Work(func() {
		print, genuine = PrintOf(bytes), n.verifier.Genuine(name, bytes)
	}, func() { then(print, genuine) })
	if !ok {
		n.limitHit("engine.MaxWork", engine.MaxWork)
	}
	return ok
}

// maxAdmitting bounds the bytes of items that are being verified and put in the store.
const maxAdmitting = 32 << 20

// admit takes an item that has come from somebody, if it is to be kept here, and tells what has become
// of it once it is on the disk. done may be called at once.
func (n *Node) admit(from engine.Peer, name Name, bytes []byte, done func(Refusal)) {
	refuse := func(why Refusal) {
		n.env.Trace(Refused{name, from, why})
		done(why)
	}
	switch {
	case len(bytes) == 0 || len(bytes) > n.config.MaxItem:
		refuse(TooLong)
		return
	case !n.owns(name.Key()):
		refuse(Unowned)
		return
	case n.admitting+len(bytes) > maxAdmitting:
		n.limitHit("maxAdmitting", maxAdmitting)
		refuse(Busy)
		return
	}
	n.admitting += len(bytes)
	end := done
	done = func(why Refusal) {
		n.admitting -= len(bytes)
		end(why)
	}
	ok := n.examine(name, bytes, func(print uint64, genuine bool) {
		if !genuine {
			n.lied(name, from, bytes)
			refuse(False)
			return
		}
		if why := n.put(from, newEntry(Held{name, uint32(len(bytes)), print}), bytes, done); why != Accepted {
			refuse(why)
		}
	})
	if !ok {
		refuse(Busy)
	}
}

// put puts an item that is genuine in the store. With a refusal it does nothing, and done is not called.
func (n *Node) put(from engine.Peer, e *entry, bytes []byte, done func(Refusal)) Refusal {
	old := n.held.find(e.Name)
	switch {
	case old != nil && old.coming:
		return Busy
	case old != nil && old.Print <= e.Print:
		done(Accepted)
		return Accepted
	}
	going, why := n.roomFor(e, old)
	if why != Accepted {
		return why
	}
	n.drop(going, false)
	if old != nil {
		n.held.remove(old)
	}
	e.coming = true
	n.held.add(e)
	n.store.Put(e.Held, bytes, func(ok bool) {
		e.coming = false
		if !ok {
			n.held.remove(e)
			n.failed(e.Name)
			n.env.Trace(Refused{e.Name, from, Broken})
			done(Broken)
			return
		}
		n.env.Trace(Stored{e.Name, len(bytes), from})
		n.tellOf(e)
		done(Accepted)
	})
	return Accepted
}

// damaged forgets an item that is not in the store as it should be. The other owners have it.
func (n *Node) damaged(name Name) {
	if e := n.has(name); e != nil {
		n.env.Trace(Damaged{name})
		n.drop([]*entry{e}, false)
		n.compareWithAll()
	}
}

// drop forgets items.
func (n *Node) drop(going []*entry, surplus bool) {
	if len(going) == 0 {
		return
	}
	names := make([]Name, 0, len(going))
	for _, e := range going {
		n.held.remove(e)
		names = append(names, e.Name)
		n.env.Trace(Dropped{e.Name, surplus})
	}
	n.store.Drop(names)
}
