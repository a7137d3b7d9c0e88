package delta

import "sort"

// anchor is a line that occurs once in a part of each list, at a and b.
type anchor struct{ a, b int }

// anchors returns the longest series of lines that occur once on each side of s, in the same order (Bram Cohen's
// patience diff). common reports whether the two sides have any line in common.
func (m *matcher) anchors(s span) (found []anchor, common bool) {
	for i := s.a0; i < s.a1; i++ {
		o := &m.seen[m.a[i]]
		o.inA++
		o.at = int32(i)
	}
	for _, n := range m.b[s.b0:s.b1] {
		m.seen[n].inB++
	}
	var once []anchor
	for i := s.b0; i < s.b1; i++ {
		o := m.seen[m.b[i]]
		common = common || o.inA > 0
		if o.inA == 1 && o.inB == 1 {
			once = append(once, anchor{a: int(o.at), b: i})
		}
	}
	for _, n := range m.a[s.a0:s.a1] {
		m.seen[n] = occurrence{}
	}
	for _, n := range m.b[s.b0:s.b1] {
		m.seen[n] = occurrence{}
	}
	return longestRising(once), common
}

// longestRising returns the longest part of list, which rises in b, that rises in a too.
func longestRising(list []anchor) []anchor {
	if len(list) == 0 {
		return nil
	}
	ends := make([]int, 0, len(list)) // ends[n]: where the best series of n+1 ends, as an index of list
	before := make([]int, len(list))  // the index before it in its series; -1: none
	for i, at := range list {
		n := sort.Search(len(ends), func(n int) bool { return list[ends[n]].a >= at.a })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	rising := make([]anchor, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		rising[n] = list[i]
	}
	return rising
}
