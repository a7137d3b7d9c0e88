package archive

import "tidings/network/engine"

// keyRange is a stretch of the ring, from one point upwards to another. The first does not belong to it, and the last
// does. If they are the same it is the whole ring.
type keyRange struct{ from, to engine.ID }

func (a keyRange) whole() bool { return a.from == a.to }

func (a keyRange) contains(id engine.ID) bool {
	if a.whole() {
		return true
	}
	d := a.from.Clockwise(id)
	return d != engine.ID{} && d.Compare(a.from.Clockwise(a.to)) <= 0
}

// and returns what belongs to both arcs: up to two arcs.
func (a keyRange) and(b keyRange) []keyRange {
	switch {
	case a.whole():
		return []keyRange{b}
	case b.whole():
		return []keyRange{a}
	}
	length := a.from.Clockwise(a.to)
	start, end := a.from.Clockwise(b.from), a.from.Clockwise(b.to)
	var both []keyRange
	last := end // of what begins at start
	if start.Compare(end) > 0 {
		if end != (engine.ID{}) { // b reaches round to where a begins, and beyond
			both = append(both, keyRange{a.from, plus(a.from, lesser(end, length))})
		}
		last = length
	}
	if start.Compare(length) < 0 {
		both = append(both, keyRange{b.from, plus(a.from, lesser(last, length))})
	}
	return both
}

func lesser(a, b engine.ID) engine.ID {
	if a.Compare(b) < 0 {
		return a
	}
	return b
}

// plus returns the point that lies d above a.
func plus(a, d engine.ID) (sum engine.ID) {
	carry := 0
	for i := len(a) - 1; i >= 0; i-- {
		carry += int(a[i]) + int(d[i])
		sum[i] = byte(carry)
		carry >>= 8
	}
	return sum
}

// middle returns the last point on the way up from a to b that is not closer to b.
func middle(a, b engine.ID) engine.ID {
	d := a.Clockwise(b)
	carry := byte(0)
	for i := range d {
		d[i], carry = d[i]>>1|carry, d[i]<<7
	}
	return plus(a, d)
}

// opposite returns the point that is farthest from a.
func opposite(a engine.ID) engine.ID {
	a[0] ^= 0x80
	return a
}
