package archive

import "tidings/network/engine"

// stock is what this node keeps. That is the items in the store, within Config.MaxBytes, MaxTopicBytes and MaxItems,
// and those on their way there, within maxAdmitting. It accepts genuine items that this node is an owner of, for which
// there is room; see the package comment.
type stock struct {
	env    engine.Env
	config *Config
	store  Store
	source LocalSource // nil: there is none
	node   keeping

	loaded    bool // held is all that is in the store
	held      index
	admitting int // bytes; see maxAdmitting
}

// keeping is what the stock needs of its node.
type keeping interface {
	// owns reports whether this node is one of the owners of a key.
	owns(key engine.ID) bool
	// examine has bytes judged. It returns false if there is too much to do.
	examine(name Name, bytes []byte, then func(print uint64, genuine bool)) bool
	// lied notes that a peer has sent what is not genuine.
	lied(name Name, from engine.Peer, bytes []byte)
	// stored is called when an item has come into the store; failed when it has not.
	stored(e *entry)
	failed(name Name)
}

// load reads what is in the store, page by page, and calls then.
func (s *stock) load(after *engine.ID, then func()) {
	s.store.List(after, loadAtOnce, func(items []Held) {
		for _, item := range items {
			if s.held.find(item.Name) == nil {
				s.held.add(newEntry(item))
			}
		}
		if len(items) > 0 {
			last := items[len(items)-1].Name.Key()
			s.load(&last, then)
			return
		}
		s.loaded = true
		s.trim()
		then()
	})
}

// loadAtOnce is how many items are listed at a time.
const loadAtOnce = 1024

// has returns the entry of an item that is in the store.
func (s *stock) has(name Name) *entry {
	if e := s.held.find(name); e != nil && !e.coming {
		return e
	}
	return nil
}

// maxAdmitting bounds the bytes of items that are being verified and put in the store.
const maxAdmitting = 32 << 20

// admit accepts an item from a peer, if it is to be kept here, and reports the outcome once it is on the disk. done may
// be called at once.
func (s *stock) admit(from engine.Peer, name Name, bytes []byte, done func(Refusal)) {
	refuse := func(why Refusal) {
		s.env.Trace(Refused{name, from, why})
		done(why)
	}
	switch {
	case len(bytes) == 0 || len(bytes) > s.config.MaxItem:
		refuse(TooLong)
		return
	case !s.node.owns(name.Key()):
		refuse(Unowned)
		return
	case s.admitting+len(bytes) > maxAdmitting:
		limitHit(s.env, "maxAdmitting", maxAdmitting)
		refuse(Busy)
		return
	}
	s.admitting += len(bytes)
	end := done
	done = func(why Refusal) {
		s.admitting -= len(bytes)
		end(why)
	}
	ok := s.node.examine(name, bytes, func(print uint64, genuine bool) {
		if !genuine {
			s.node.lied(name, from, bytes)
			refuse(False)
			return
		}
		if why := s.put(from, newEntry(Held{name, uint32(len(bytes)), print}), bytes, done); why != Accepted {
			refuse(why)
		}
	})
	if !ok {
		refuse(Busy)
	}
}

// put puts an item that is genuine in the store. With a refusal it does nothing, and done is not called.
func (s *stock) put(from engine.Peer, e *entry, bytes []byte, done func(Refusal)) Refusal {
	old := s.held.find(e.Name)
	switch {
	case old != nil && old.coming:
		return Busy
	case old != nil && old.Print <= e.Print:
		done(Accepted)
		return Accepted
	}
	going, why := s.roomFor(e, old)
	if why != Accepted {
		return why
	}
	s.drop(going, false)
	if old != nil {
		s.held.remove(old)
	}
	e.coming = true
	s.held.add(e)
	s.store.Put(e.Held, bytes, func(ok bool) {
		e.coming = false
		if !ok {
			s.held.remove(e)
			s.node.failed(e.Name)
			s.env.Trace(Refused{e.Name, from, Broken})
			done(Broken)
			return
		}
		s.env.Trace(Stored{e.Name, len(bytes), from})
		s.node.stored(e)
		done(Accepted)
	})
	return Accepted
}

// damaged forgets an item that is not in the store as it should be. It reports whether that was there.
func (s *stock) damaged(name Name) bool {
	e := s.has(name)
	if e != nil {
		s.env.Trace(Damaged{name})
		s.drop([]*entry{e}, false)
	}
	return e != nil
}

// drop forgets items.
func (s *stock) drop(going []*entry, surplus bool) {
	if len(going) == 0 {
		return
	}
	names := make([]Name, 0, len(going))
	for _, e := range going {
		s.held.remove(e)
		names = append(names, e.Name)
		s.env.Trace(Dropped{e.Name, surplus})
	}
	s.store.Drop(names)
}

// adoptLocal has an item put in the store from the local source. It reports whether the source has it.
func (s *stock) adoptLocal(item Held) bool {
	if s.source == nil {
		return false
	}
	bytes := s.source.Local(item.Name)
	if len(bytes) != int(item.Size) || PrintOf(bytes) != item.Print {
		return false // there is another of that name, and which one stays is settled by comparing
	}
	if s.admitting+len(bytes) > maxAdmitting {
		return false
	}
	s.admitting += len(bytes)
	end := func(Refusal) { s.admitting -= len(bytes) }
	if why := s.put(s.env.Self(), newEntry(item), bytes, end); why != Accepted {
		end(why)
	}
	return true
}
