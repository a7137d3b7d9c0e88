package delta

import (
	"github.com/aymanbagabas/go-udiff/lcs"
)

const (
	// MaxHunks bounds the hunks of a delta. Lists that differ in more places are described as one replacement.
	MaxHunks = 10_000

	// maxCompared bounds the lines, old and new together and without those that
	// are equal at both ends, that are compared at all.
	maxCompared = 250_000

	// maxDepth bounds how often the search for anchors is repeated inside a gap.
	maxDepth = 8
)

// Compute returns how old became new.
//
// Lines that occur once on both sides are anchors. The longest series of them in the same order is kept, and the search
// goes on between each two of them. Where there is none, the library's two-sided Myers search continues, and gives up
// after 100 differences. So time is about proportional to the length of both lists, whatever they hold, and the same
// lists always give the same delta. A difference beyond these bounds is one replacement: one hunk from the first to the
// last difference.
func Compute(old, new []string) Delta {
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	from, to := old[head:len(old)-tail], new[head:len(new)-tail]
	if len(from) == 0 && len(to) == 0 {
		return nil
	}
	replaced := Delta{{At: head, Old: from, New: to}}
	if len(from) == 0 || len(to) == 0 || len(from)+len(to) > maxCompared {
		return replaced
	}
	m := newMatcher(from, to)
	m.compare(span{0, len(from), 0, len(to)}, maxDepth)
	if len(m.changes) > MaxHunks {
		return replaced
	}
	d := make(Delta, len(m.changes))
	for i, c := range m.changes {
		d[i] = Hunk{At: head + c.a0, Old: from[c.a0:c.a1], New: to[c.b0:c.b1]}
	}
	return d
}

func commonHead[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// span is the part a[a0:a1], b[b0:b1] of two lists.
type span struct{ a0, a1, b0, b1 int }

// matcher compares two lists in which each different line is a number.
type matcher struct {
	a, b    []rune // rune, because that is what the library compares fastest
	seen    []occurrence
	changes []span // in order; neighbours do not touch
}

// occurrence is where a line is in the present part. It is all zero between two searches for anchors.
type occurrence struct {
	inA, inB int32 // how often
	at       int32 // index in a of the last
}

func newMatcher(old, new []string) *matcher {
	numbers := make(map[string]rune, len(old)+len(new))
	number := func(lines []string) []rune {
		list := make([]rune, len(lines))
		for i, line := range lines {
			n, ok := numbers[line]
			if !ok {
				n = rune(len(numbers))
				numbers[line] = n
			}
			list[i] = n
		}
		return list
	}
	m := &matcher{a: number(old), b: number(new)}
	m.seen = make([]occurrence, len(numbers))
	return m
}

// compare appends the changes within s.
func (m *matcher) compare(s span, depth int) {
	head := commonHead(m.a[s.a0:s.a1], m.b[s.b0:s.b1])
	s.a0, s.b0 = s.a0+head, s.b0+head
	tail := commonTail(m.a[s.a0:s.a1], m.b[s.b0:s.b1])
	s.a1, s.b1 = s.a1-tail, s.b1-tail
	if s.a0 == s.a1 || s.b0 == s.b1 {
		m.change(s)
		return
	}
	anchors, common := m.anchors(s)
	switch {
	case !common:
		m.change(s)
	case len(anchors) == 0 || depth == 0:
		for _, d := range lcs.DiffRunes(m.a[s.a0:s.a1], m.b[s.b0:s.b1]) {
			m.change(span{s.a0 + d.Start, s.a0 + d.End, s.b0 + d.ReplStart, s.b0 + d.ReplEnd})
		}
	default:
		for _, at := range anchors {
			m.compare(span{s.a0, at.a, s.b0, at.b}, depth-1)
			s.a0, s.b0 = at.a+1, at.b+1
		}
		m.compare(s, depth-1)
	}
}

// change appends s, or lengthens the change before it if s continues it.
func (m *matcher) change(s span) {
	if s.a0 == s.a1 && s.b0 == s.b1 {
		return
	}
	if n := len(m.changes); n > 0 && m.changes[n-1].a1 == s.a0 && m.changes[n-1].b1 == s.b0 {
		m.changes[n-1].a1, m.changes[n-1].b1 = s.a1, s.b1
		return
	}
	m.changes = append(m.changes, s)
}
