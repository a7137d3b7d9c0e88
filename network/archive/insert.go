package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// inserts are the items that this node gives to the network: at most Config.MaxInserts. As many again may be accepted
// already and wait only for their last owners. Each is given to one owner at a time, from which the others fetch it,
// until more than half of them confirm it.
type inserts struct {
	env      engine.Env
	config   *Config
	node     inserting
	open     map[Name]*insert
	settling int // of open
}

// inserting is what inserts need of their node.
type inserting interface {
	inquire(name Name, owners bool, news func()) *inquiry
	// examine has bytes judged. It returns false if there is too much to do.
	examine(name Name, bytes []byte, then func(print uint64, genuine bool)) bool
	// accept keeps an item here, if this node is one of its owners, and offers it to the others. done may be called
	// at once.
	accept(from engine.Peer, name Name, bytes []byte, done func(Refusal))
}

// insert is an item that this node gives to the network.
type insert struct {
	inquiry *inquiry
	bytes   []byte
	given   []engine.ID // owners that were given it
	kept    []engine.ID // owners that have it
	refused []engine.ID // owners that will not have it
	waiting bool        // for the last one to answer
	again   bool        // all are turned to for the second time
	settled bool        // done was called: the item is kept, and the other owners are seen to
	why     Refusal     // the last that came
	done    func(copies int, why Refusal)
	timer   engine.Alarm
}

// insert has an item kept by its owners; see Node.Insert.
func (i *inserts) insert(name Name, bytes []byte, done func(copies int, why Refusal)) {
	refuse := func(why Refusal) {
		i.env.After(0, func() {
			i.env.Trace(Inserted{name, 0, why})
			done(0, why)
		})
	}
	switch {
	case len(bytes) == 0 || len(bytes) > i.config.MaxItem:
		refuse(TooLong)
		return
	case i.open[name] != nil && !i.open[name].settled:
		refuse(Busy)
		return
	case len(i.open)-i.settling >= i.config.MaxInserts:
		limitHit(i.env, "MaxInserts", i.config.MaxInserts)
		refuse(Busy)
		return
	}
	if before := i.open[name]; before != nil {
		i.forget(before)
	}
	s := &insert{bytes: bytes, done: done, why: Busy}
	s.inquiry = i.node.inquire(name, true, func() { i.goOn(s) })
	i.open[name] = s
	ok := i.node.examine(name, bytes, func(_ uint64, genuine bool) {
		if !genuine {
			s.why = False
			i.end(s)
			return
		}
		s.inquiry.ask()
		if s.inquiry.open > 0 { // one that is asked may lie
			s.inquiry.ask()
		}
	})
	if !ok {
		delete(i.open, name)
		s.inquiry.end()
		refuse(Busy)
	}
}

// goOn does what comes next.
func (i *inserts) goOn(s *insert) {
	q := s.inquiry
	switch {
	case i.open[q.name] != s || s.waiting || s.settled:
		return
	case s.most(s.kept, i.config.Replicas):
		i.settle(s)
		return
	case s.most(s.refused, i.config.Replicas):
		i.end(s)
		return
	case q.open > 0:
		return
	}
	if p, ok := q.next(append(slices.Clone(s.given), s.kept...)); ok {
		i.give(s, p)
		return
	}
	switch {
	case !q.exhausted():
		q.ask()
	case !s.again: // the first time, messages may have been lost
		s.again, s.given = true, nil
		i.goOn(s)
	default:
		i.end(s)
	}
}

// most reports whether so many are more than half of the owners.
func (s *insert) most(some []engine.ID, replicas int) bool {
	return len(some) > min(replicas, len(s.inquiry.known))/2
}

// give gives the item to one owner, which has the others fetch it.
func (i *inserts) give(s *insert, p engine.Peer) {
	name := s.inquiry.name
	s.given = append(s.given, p.ID)
	i.waitOn(s, i.config.Patience)
	if !isSelf(i.env, p) {
		i.env.Send(p, &Give{Name: name, Bytes: s.bytes})
		return
	}
	i.node.accept(p, name, s.bytes, func(why Refusal) {
		i.onTaken(p, &Taken{Name: name, Refusal: why})
	})
}

// waitOn has an insertion go on after a while at the latest.
func (i *inserts) waitOn(s *insert, most time.Duration) {
	s.waiting = true
	s.timer.Set(i.env, i.env.Now()+most, func() {
		s.waiting = false
		i.goOn(s)
	})
}

// onTaken notes that an owner has the item, or not.
func (i *inserts) onTaken(from engine.Peer, m *Taken) {
	s := i.open[m.Name]
	if s == nil || s.inquiry.ways == 0 { // no node was asked so far
		return
	}
	known := s.inquiry.names(from.ID)
	if m.Refusal != Accepted {
		s.why = m.Refusal
		if len(s.inquiry.answered) < maxAnswered && !slices.Contains(s.inquiry.answered, from.ID) {
			s.inquiry.add(from.ID, m.Owners)
		}
		if known && m.Refusal.lasting() && !slices.Contains(s.refused, from.ID) {
			s.refused = append(s.refused, from.ID)
		}
		if s.waiting && s.given[len(s.given)-1] == from.ID {
			s.waiting = false
			s.timer.Stop()
		}
		i.goOn(s)
		return
	}
	if known && !slices.Contains(s.kept, from.ID) {
		s.kept = append(s.kept, from.ID)
		if s.waiting && s.given[len(s.given)-1] == from.ID {
			i.waitOn(s, settleWait) // for the others; this one may not offer it to them
		}
	}
	switch {
	case s.settled && len(s.rest()) == 0:
		i.forget(s)
	case s.most(s.kept, i.config.Replicas):
		s.waiting = false
		i.goOn(s)
	}
}

// settleWait is how long the other owners have to fetch an item from the first.
const settleWait = 3 * time.Second

// settle says that the item is kept, and sees to those owners that have not said that they have it. They may have asked
// one for it that lies; so they are given it, too.
func (i *inserts) settle(s *insert) {
	i.env.Trace(Inserted{s.inquiry.name, len(s.kept), Accepted})
	s.done(len(s.kept), Accepted)
	if i.open[s.inquiry.name] != s {
		return
	}
	s.settled, s.waiting = true, false
	i.settling++
	if len(s.rest()) == 0 || i.settling > i.config.MaxInserts {
		i.forget(s)
		return
	}
	s.timer.Set(i.env, i.env.Now()+settleWait, func() {
		for _, p := range s.rest() {
			if !isSelf(i.env, p) {
				i.env.Send(p, &Give{Name: s.inquiry.name, Bytes: s.bytes})
			}
		}
		i.forget(s)
	})
}

// rest returns the owners that have neither accepted the item nor refused it.
func (s *insert) rest() (rest []engine.Peer) {
	for _, k := range s.inquiry.known {
		if !slices.Contains(s.kept, k.peer.ID) && !slices.Contains(s.refused, k.peer.ID) {
			rest = append(rest, k.peer)
		}
	}
	return rest
}

// forget ends the work on an item.
func (i *inserts) forget(s *insert) {
	delete(i.open, s.inquiry.name)
	s.inquiry.end()
	s.timer.Stop()
	if s.settled {
		i.settling--
	}
}

// end ends an insertion that has failed.
func (i *inserts) end(s *insert) {
	i.forget(s)
	i.env.Trace(Inserted{s.inquiry.name, len(s.kept), s.why})
	s.done(len(s.kept), s.why)
}

// down gives to others in the place of a peer that is down.
func (i *inserts) down(p engine.Peer) {
	var lost []*insert
	for _, s := range i.open {
		if s.waiting && s.given[len(s.given)-1] == p.ID && !slices.Contains(s.kept, p.ID) {
			lost = append(lost, s)
		}
	}
	slices.SortFunc(lost, func(a, b *insert) int { return a.inquiry.key.Compare(b.inquiry.key) })
	for _, s := range lost {
		s.waiting = false
		s.timer.Stop()
		i.goOn(s)
	}
}
