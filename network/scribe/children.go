package scribe

import (
	"cmp"
	"iter"
	"slices"

	"tidings/network/engine"
)

// children are those of a node in one group. Of a large group thousands may join through one node within a second, of whom
// nearly all are handed down soon: what is done when one of them comes, moves or goes takes no longer where there are many.
type children struct {
	list    []*child // in the order of joining, with gaps where some have gone
	count   int      // without the gaps
	staying []*child // those that stay, in the same order: not many more than Config.MaxChildren
}

// all goes over the children in the order of joining. None may go meanwhile.
func (s *children) all() iter.Seq[*child] {
	return func(yield func(*child) bool) {
		for _, c := range s.list {
			if c != nil && !yield(c) {
				return
			}
		}
	}
}

func (s *children) add(c *child) {
	c.place = len(s.list)
	s.list = append(s.list, c)
	s.count++
	s.sort(c)
}

// remove leaves a gap. There are never many more gaps than children.
func (s *children) remove(c *child) {
	if i, in := s.find(c); in {
		s.staying = slices.Delete(s.staying, i, i+1)
	}
	s.list[c.place] = nil
	s.count--
	if len(s.list) < 2*s.count+fewGaps {
		return
	}
	s.list = slices.DeleteFunc(s.list, func(c *child) bool { return c == nil })
	for i, c := range s.list {
		c.place = i
	}
}

const fewGaps = 8

// sort takes note of whether a child stays; whoever changes that calls it.
func (s *children) sort(c *child) {
	i, in := s.find(c)
	switch {
	case c.stays() && !in:
		s.staying = slices.Insert(s.staying, i, c)
	case !c.stays() && in:
		s.staying = slices.Delete(s.staying, i, i+1)
	}
}

// find returns where a child is, or belongs, among those that stay.
func (s *children) find(c *child) (at int, in bool) {
	return slices.BinarySearchFunc(s.staying, c.place, func(d *child, place int) int { return cmp.Compare(d.place, place) })
}

// stays reports whether a child is not about to move. Those of which nobody knows yet how far away they are do not count: were they
// taken for near ones, each that comes would drive out one that has been there for long, with all that is below it.
func (c *child) stays() bool { return c.moving == 0 && !c.link.measuring }

// childOf returns a peer as a child in a group, nil if it is none. A node has many children in few groups, or in many groups few:
// it looks where there are fewer.
func (n *Node) childOf(g *group, id engine.ID) *child {
	l := n.links.index[id]
	if l == nil {
		return nil
	}
	if len(l.below.children) < g.children.count {
		for _, c := range l.below.children {
			if c.group == g {
				return c
			}
		}
		return nil
	}
	for c := range g.children.all() {
		if c.link == l {
			return c
		}
	}
	return nil
}
