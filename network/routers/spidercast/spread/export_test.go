package spread

import (
	"fmt"
	"slices"
)

// Check returns what is wrong with a node's state: counts that are not those of what is counted, bounds that do not
// hold, links that are down.
func (s *Spread) Check() error {
	if err := s.checkCache(); err != nil {
		return err
	}
	if err := s.checkWanted(); err != nil {
		return err
	}
	for id, t := range s.topics {
		for i, l := range t.tree {
			if s.link(l.peer.ID) != l || !l.shares(id) || slices.Contains(t.tree[:i], l) {
				return fmt.Errorf("the tree of %v has %v, which is down, twice or does not share it",
					id.Short(), l.peer)
			}
		}
		if !t.joined && (len(t.tree) > 0 || !slices.Contains(s.left, t)) {
			return fmt.Errorf("topic %v is not joined, and has a tree or is not among those that were left", id.Short())
		}
		if n := len(t.seen.young) + len(t.seen.old); n > 2*s.config.Remembered {
			return fmt.Errorf("%d events of %v are remembered", n, id.Short())
		}
	}
	if n := len(s.left); n > s.config.MaxLeft {
		return fmt.Errorf("%d topics were left", n)
	}
	return nil
}

func (s *Spread) checkCache() error {
	c := s.cache
	bytes, count := 0, len(c.list)
	var last uint64
	of := map[*topic]int{}
	for _, e := range c.list {
		if e.number <= last || e.number > c.number {
			return fmt.Errorf("the list is broken at number %d", e.number)
		}
		last = e.number
		bytes += e.bytes
		of[e.topic]++
		for _, l := range e.heard {
			if s.link(l.peer.ID) != l {
				return fmt.Errorf("an event is known by %v, whose link is down", l.peer)
			}
		}
	}
	if bytes != c.bytes {
		return fmt.Errorf("%d events of %d bytes: counted are %d", count, bytes, c.bytes)
	}
	if count > c.config.MaxKept || bytes > c.config.MaxKeptBytes && count > 1 {
		return fmt.Errorf("%d events of %d bytes are kept", count, bytes)
	}
	for t, n := range of {
		if n != len(t.kept) || n > c.config.Kept || t.bytes > c.config.KeptBytes && n > 1 || s.topics[t.id] != t {
			return fmt.Errorf("%d events of topic %v are kept, %d in its list, of %d bytes", n, t.id.Short(),
				len(t.kept), t.bytes)
		}
	}
	return nil
}

func (s *Spread) checkWanted() error {
	counted, asked, live := map[*link]int{}, map[*link]int{}, 0
	for _, a := range s.wanted {
		if len(a.announcers) == 0 {
			continue // it is over
		}
		live++
		for _, l := range a.announcers {
			counted[l]++
		}
		if a.asked != nil {
			asked[a.asked]++
		}
		if len(a.announcers) > maxAnnouncers || a.tries > s.config.Tries {
			return fmt.Errorf("%x is wanted of %d, asked for %d times", a.digest, len(a.announcers), a.tries)
		}
		if a.asked != nil && !slices.Contains(a.announcers, a.asked) {
			return fmt.Errorf("%x is asked of a node that has not announced it", a.digest)
		}
		for _, l := range a.announcers {
			if s.link(l.peer.ID) != l {
				return fmt.Errorf("%x is wanted of a link that is down", a.digest)
			}
		}
		if t := a.topic; s.joined(t.id) != t || t.seen.has(a.digest) {
			return fmt.Errorf("%x is wanted, which has come, or of a topic that is not joined", a.digest)
		}
	}
	if of := s.State().Wanted; live != of {
		return fmt.Errorf("%d events are wanted, %d in the list", of, live)
	}
	for _, l := range s.links {
		if l.wanted != counted[l] || l.asked != asked[l] {
			return fmt.Errorf("of %v %d are wanted and %d asked; counted are %d and %d", l.peer, counted[l], asked[l],
				l.wanted, l.asked)
		}
		if l.wanted > s.config.MaxWanted || l.asked > s.config.MaxAsked {
			return fmt.Errorf("of %v %d are wanted and %d asked", l.peer, l.wanted, l.asked)
		}
	}
	return nil
}

// State is how much a node keeps.
type State struct {
	Links, Topics int
	TreeLinks     int // of all topics together
	Kept, Bytes   int // events in the cache
	Wanted        int // events that are missing
	Suspected     int // links
}

// State returns how much the node keeps.
func (s *Spread) State() State {
	st := State{
		Links: len(s.links), Topics: len(s.topics), Kept: len(s.cache.list), Bytes: s.cache.bytes}
	for _, t := range s.topics {
		st.TreeLinks += len(t.tree)
		st.Wanted += len(t.wanted)
	}
	for _, l := range s.links {
		if s.suspects(l) {
			st.Suspected++
		}
	}
	return st
}
