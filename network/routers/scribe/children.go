package scribe

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// children are those of a node in one group. Thousands may join a large group through one node within a second; nearly
// all are handed down soon. So the work for one child that comes, moves or goes does not grow with their number.
type children struct {
	list    []*child // in the order of joining, with gaps where children left
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

// sort notes whether a child stays; code that changes that calls it.
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
	return slices.BinarySearchFunc(s.staying, c.place, func(d *child, place int) int {
		return cmp.Compare(d.place, place)
	})
}

// handDown has a child be one that is about to move, until a time.
func (s *children) handDown(c *child, until time.Duration) {
	c.moving = until
	s.sort(c)
}

// stay has a child be one that need not move.
func (s *children) stay(c *child) {
	c.moving = 0
	s.sort(c)
}

// farthest returns the child that is farthest away of those that stay; nil if there are none. Those that did not answer
// are the farthest; of equal ones the last is.
func (s *children) farthest() (far *child) {
	for _, c := range s.staying {
		if far == nil || c.farther(far) {
			far = c
		}
	}
	return far
}

// farther reports whether a child is farther away than another.
func (c *child) farther(than *child) bool {
	return than.link.rtt > 0 && (c.link.rtt == 0 || c.link.rtt >= than.link.rtt)
}

// choices is among how many random siblings a child chooses when it is handed down. The paper lets it choose among all.
// Then most choose the one nearest to the parent, which hands them on to the one nearest to it, and the tree becomes a
// chain. Of 400 members with at most four children each, the deepest was 63 below the root. With two choices it is 7
// below.
const choices = 2

// draw returns up to choices children that stay, one left out.
func (s *children) draw(chance *rand.Rand, but *child) []*child {
	some := slices.DeleteFunc(slices.Clone(s.staying), func(c *child) bool { return c == but })
	for i := range min(choices, len(some)) {
		j := i + chance.IntN(len(some)-i)
		some[i], some[j] = some[j], some[i]
	}
	return some[:min(choices, len(some))]
}

// stays reports whether a child is not about to move. Children at an unknown distance do not count. If they counted as
// near, each new one would drive out a settled child, with all that is below it.
func (c *child) stays() bool { return c.moving == 0 && !c.link.measuring }
